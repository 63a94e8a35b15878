//! Several reads of one state of the database, whatever other processes commit meanwhile.

use rusqlite::Transaction;

use crate::{ProjectId, Store, StoreError};

/// While it lives, a store reads what was committed before its first read. To be held for moments: as long as somebody reads an old
/// state, the log cannot be emptied.
pub struct Snapshot<'s> {
    _transaction: Transaction<'s>,
}

impl Store {
    /// Has all reads see one state, until the snapshot is dropped.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        let begun = self.connection.unchecked_transaction();
        let begun = begun.map_err(|error| StoreError::from_sqlite(self.path(), error));
        begun.map(|transaction| Snapshot { _transaction: transaction })
    }

    /// The generation of a project, `None` when it is gone.
    pub fn generation(&self, project: ProjectId) -> Result<Option<u64>, StoreError> {
        let sql = "SELECT generation FROM projects WHERE id = ?1";
        self.read_one(sql, [project.0], |row| row.get::<_, i64>(0).map(|generation| generation as u64))
    }
}
