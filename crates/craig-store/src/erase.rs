//! Erases deleted data from the files of the database.
//!
//! Deleted rows are overwritten in place (`secure_delete`), and free pages are cut off with each commit (`auto_vacuum`): the last
//! pages of the file move into their places. What remains is the write-ahead log, which is emptied at the end of an ingestion that
//! deleted something, and copies of rows that SQLite left behind when it moved them between pages, which disappear when a
//! purge rewrites the file.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::{Store, StoreError};

/// How long emptying the log waits for its readers.
const LOG_TIMEOUT: Duration = Duration::from_millis(100);

/// Databases up to this size are rewritten in memory, larger ones in a temporary file.
const IN_MEMORY_BYTES: u64 = 64 << 20;

/// Disk space that rewriting a database takes, in multiples of its size: the temporary file and the log.
const REWRITE_SHARE: u64 = 3;

/// Pages that are moved and cut off at a time if the disk has no room for all of them.
const PAGES_PER_STEP: u32 = 256;

/// Makes a new database cut off free pages. Has to be set before its first table is created.
pub(crate) fn cut_off_free_pages(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "auto_vacuum", "full")
}

/// Makes `connection` overwrite what it deletes. Pages that become free are not overwritten, since they are cut off.
pub(crate) fn overwrite_deleted_rows(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "secure_delete", "fast")
}

impl Store {
    /// Ends a change of many transactions: empties the log if something was deleted, and rewrites, once, a database of an older
    /// version that did not cut off free pages.
    pub(crate) fn erase_deleted(&mut self) {
        if self.keeps_free_pages().is_some_and(|keeps| keeps.unwrap_or(false)) {
            self.rewrite();
            self.has_deleted = true;
        }
        self.empty_log();
    }

    /// Empties the write-ahead log if something was deleted since it was last emptied. While another process reads, that has to
    /// wait for the next call, or for the last process that closes the database.
    pub(crate) fn empty_log(&mut self) {
        if !self.has_deleted {
            return;
        }
        let patience = self.patience;
        let is_emptied = self.read_file(|connection| {
            connection.busy_timeout(LOG_TIMEOUT)?;
            let is_busy: rusqlite::Result<bool> =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
            // Even after an error: the connection may be used again.
            connection.busy_timeout(patience)?;
            Ok(!is_busy?)
        });
        // A server has no log of this connection.
        self.has_deleted = is_emptied.is_some_and(|is_emptied| !is_emptied.unwrap_or(false));
    }

    /// Rewrites the file if there is room for that, so that it holds nothing that was deleted.
    ///
    /// Returns no error: the rows are deleted either way.
    pub(crate) fn rewrite(&self) {
        let Some(Ok(n_bytes)) = self.n_bytes() else { return };
        if free_bytes(&self.place.path).is_some_and(|free| free < REWRITE_SHARE * n_bytes) {
            return;
        }
        let temp_store = if n_bytes > IN_MEMORY_BYTES { "file" } else { "memory" };
        let _ = self.read_file(|connection| {
            connection.pragma_update(None, "temp_store", temp_store)?;
            let rewritten = cut_off_free_pages(connection).and_then(|()| connection.execute_batch("VACUUM"));
            connection.pragma_update(None, "temp_store", "memory")?;
            rewritten
        });
    }

    /// Runs `delete` where the disk has no room for moving pages in the same transaction: they are moved afterwards, a few at a
    /// time, while there is room.
    pub(crate) fn delete_in_place(
        &mut self,
        delete: impl FnOnce(&mut Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read_file(|connection| connection.pragma_update(None, "auto_vacuum", "incremental"))
            .transpose()?;
        let deleted = delete(self);
        if deleted.is_ok() {
            self.has_deleted = true;
            // The rest is moved by the next commit that finds room.
            while self.cut_off_some().is_some_and(|more| more.unwrap_or(false)) {
                self.empty_log();
                self.has_deleted = true;
            }
        }
        let _ = self.read_file(cut_off_free_pages);
        deleted
    }

    /// Cuts off a few free pages; returns whether there are more.
    fn cut_off_some(&self) -> Option<Result<bool, StoreError>> {
        self.read_file(|connection| {
            // One row per page.
            let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES_PER_STEP})"))?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            connection.pragma_query_value(None, "freelist_count", |row| Ok(row.get::<_, u32>(0)? > 0))
        })
    }

    /// Whether free pages stay in the file, as in databases of older versions.
    fn keeps_free_pages(&self) -> Option<Result<bool, StoreError>> {
        self.read_file(|connection| {
            connection.pragma_query_value(None, "auto_vacuum", |row| Ok(row.get::<_, u32>(0)? == 0))
        })
    }

    fn n_bytes(&self) -> Option<Result<u64, StoreError>> {
        self.read_file(|connection| {
            let pages: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
            let page_size: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
            Ok(u64::from(pages) * u64::from(page_size))
        })
    }
}

/// Free bytes on the disk of `path`; `None` if that is unknown.
#[cfg(unix)]
fn free_bytes(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Free bytes on the disk of `path`; `None` if that is unknown.
#[cfg(not(unix))]
fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

impl Drop for Store {
    fn drop(&mut self) {
        self.empty_log();
    }
}
