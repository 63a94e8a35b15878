//! What was deleted leaves no trace in the files of the database.
//!
//! Deleted rows are overwritten where they stood (`secure_delete`), and pages that become free are cut off with each commit
//! (`auto_vacuum`): the last pages of the file move into their places. What remains then is the write-ahead log, which is emptied
//! when an ingestion that deleted something ends, and copies of rows that SQLite left behind when it moved them between
//! pages, which go when a purge writes the file anew.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::store::BUSY_TIMEOUT;
use crate::{Store, StoreError};

/// How long the emptying of the log waits for whoever reads it at the moment.
const PATIENCE: Duration = Duration::from_millis(100);

/// Databases up to this size are written anew by way of memory, larger ones by way of a temporary file.
const IN_MEMORY_BYTES: u64 = 64 << 20;

/// Room that it takes to write a database anew, in multiples of its size: the temporary file and the log.
const REWRITE_SHARE: u64 = 3;

/// Pages that are moved and cut off at a time where there is no room to do it at once.
const PAGES_A_STEP: u32 = 256;

/// Has a database that is made by `connection` cut off free pages. Must come before its first table.
pub(crate) fn cut_off_free_pages(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "auto_vacuum", "full")
}

/// Has `connection` overwrite what it deletes. What makes whole pages free is not overwritten, since they are cut off.
pub(crate) fn overwrite_deleted_rows(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "secure_delete", "fast")
}

impl Store {
    /// Ends a change of many transactions: empties the log when something was deleted, and writes a database anew, once, whose
    /// free pages were not cut off by the version that made it.
    pub(crate) fn erase_deleted(&mut self) {
        if self.keeps_free_pages().unwrap_or(false) {
            self.rewrite();
            self.has_deleted = true;
        }
        self.empty_log();
    }

    /// Empties the write-ahead log if something was deleted since that was done last. While another process reads, that has to
    /// wait for the next time that this is called, or for the last process that has the database open to close it.
    pub(crate) fn empty_log(&mut self) {
        if !self.has_deleted {
            return;
        }
        let is_emptied = self.read(|connection| {
            connection.busy_timeout(PATIENCE)?;
            let is_busy: bool =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            Ok(!is_busy)
        });
        self.has_deleted = !is_emptied.unwrap_or(false);
    }

    /// Writes the file anew, where there is room for that: nothing is left in it but what was not deleted.
    ///
    /// Whether it could be done is not told: what was deleted is deleted either way.
    pub(crate) fn rewrite(&self) {
        let Ok(n_bytes) = self.n_bytes() else { return };
        if free_bytes(&self.place.path).is_some_and(|free| free < REWRITE_SHARE * n_bytes) {
            return;
        }
        let temp_store = if n_bytes > IN_MEMORY_BYTES { "file" } else { "memory" };
        let _ = self.read(|connection| {
            connection.pragma_update(None, "temp_store", temp_store)?;
            cut_off_free_pages(connection)?;
            let rewritten = connection.execute_batch("VACUUM");
            connection.pragma_update(None, "temp_store", "memory")?;
            rewritten
        });
    }

    /// Runs `delete` where the disk has no room for moving pages in the same transaction: they are moved afterwards, a few at a
    /// time, as far as there is room.
    pub(crate) fn delete_in_place(
        &mut self,
        delete: impl FnOnce(&mut Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read(|connection| connection.pragma_update(None, "auto_vacuum", "incremental"))?;
        let deleted = delete(self);
        if deleted.is_ok() {
            self.has_deleted = true;
            // What cannot be moved now is moved by the next commit that finds room.
            while self.cut_off_some().unwrap_or(false) {
                self.empty_log();
                self.has_deleted = true;
            }
        }
        let _ = self.read(cut_off_free_pages);
        deleted
    }

    /// Cuts off a few free pages; gives whether there are more.
    fn cut_off_some(&self) -> Result<bool, StoreError> {
        self.read(|connection| {
            // A page for each row.
            let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES_A_STEP})"))?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            connection.pragma_query_value(None, "freelist_count", |row| Ok(row.get::<_, u32>(0)? > 0))
        })
    }

    /// Whether pages that become free stay in the file, as in databases of older versions.
    fn keeps_free_pages(&self) -> Result<bool, StoreError> {
        self.read(|connection| {
            connection.pragma_query_value(None, "auto_vacuum", |row| Ok(row.get::<_, u32>(0)? == 0))
        })
    }

    fn n_bytes(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let pages: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
            let page_size: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
            Ok(u64::from(pages) * u64::from(page_size))
        })
    }
}

/// Bytes that the disk of `path` has room for; `None` where that cannot be known.
#[cfg(unix)]
fn free_bytes(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Bytes that the disk of `path` has room for; `None` where that cannot be known.
#[cfg(not(unix))]
fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

impl Drop for Store {
    fn drop(&mut self) {
        self.empty_log();
    }
}
