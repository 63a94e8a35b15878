//! Tests that have to look into SQLite or its files, and go with it: which bytes are on the disk, what other versions wrote, what
//! somebody else put into a database.

mod erase;
mod in_repository;
mod opening;
mod recorded;
mod schema;
mod versions;

use std::path::PathBuf;

use crate::fixture::TestStore;

impl TestStore {
    /// The database file.
    fn path(&self) -> PathBuf {
        PathBuf::from(self.store.location())
    }

    /// Closes the store; returns the folder and the database file in it.
    fn closed(self) -> (tempfile::TempDir, PathBuf) {
        let path = self.path();
        (self.folder, path)
    }

    /// A connection that is not Craig's.
    fn sqlite(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path()).unwrap()
    }

    /// One number from the database.
    fn count(&self, sql: &str) -> i64 {
        self.sqlite().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}
