//! Several reads of one state of the database, whatever other processes commit meanwhile.

use crate::sql::Transaction;
use crate::{Store, StoreError};

/// While it lives, a store reads what was committed before its first read. Hold it briefly: while an old state is read,
/// the log cannot be emptied.
pub struct Snapshot<'s> {
    _transaction: Transaction<'s>,
}

impl Store {
    /// Makes all reads see one state, until the snapshot is dropped.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        match self.connection.snapshot() {
            Ok(transaction) => Ok(Snapshot { _transaction: transaction }),
            Err(error) => Err(StoreError::from_sql(&self.place.path, error)),
        }
    }
}
