//! Opens the database and brings its schema up to date.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::StoreError;

/// Format version that this program writes, kept in `PRAGMA user_version`.
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Step i brings a database from version i to i + 1. A released step is never edited: add another.
const MIGRATIONS: [&str; 3] = [
    include_str!("../migrations/1.sql"),
    include_str!("../migrations/2.sql"),
    include_str!("../migrations/3.sql"),
];

/// How long a statement waits for another process's write before it gives up.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// A Craig database.
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the database at `path`, making it and its folder when missing, and migrates older versions forward.
    ///
    /// Fails when the file is no database, is damaged, or was written by a newer version: it is then left untouched.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let open_error = |source| StoreError::Open { path: path.to_owned(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(open_error)?;
        }
        if path.is_dir() {
            return Err(open_error(std::io::Error::other("it is a folder, not a file")));
        }
        Self::prepare(path).map_err(|error| match error {
            StoreError::Sqlite(error) => StoreError::from_sqlite(path, error),
            other => other,
        })
    }

    fn prepare(path: &Path) -> Result<Self, StoreError> {
        let connection = Connection::open(path).map_err(StoreError::Sqlite)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(StoreError::Sqlite)?;
        let mut store = Self { connection, path: path.to_owned() };
        store.check_version()?;
        store.configure().map_err(StoreError::Sqlite)?;
        store.migrate()?;
        Ok(store)
    }

    /// Refuses a database of a newer version or of another program before anything is written to it.
    fn check_version(&self) -> Result<u32, StoreError> {
        let found = Contents::of(&self.connection).map_err(StoreError::Sqlite)?;
        let (path, version) = (self.path.clone(), found.user_version);
        if !found.are_ours() {
            return Err(StoreError::Corrupt { path, detail: "it is the database of another program".into() });
        }
        if version > SCHEMA_VERSION {
            return Err(StoreError::Newer { path, found: version, supported: SCHEMA_VERSION });
        }
        Ok(version)
    }

    fn configure(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "journal_mode", "wal")?;
        // WAL with NORMAL keeps every commit through a crash of the process; only power loss can drop the last ones.
        self.connection.pragma_update(None, "synchronous", "normal")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        self.connection.pragma_update(None, "cache_size", -32_768)?;
        self.connection.pragma_update(None, "temp_store", "memory")?;
        // Plans do not depend on bound values, so SQLite need not prepare a statement again for each: a tenth of the time of
        // making an index went there.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        self.connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        if self.check_version()? == SCHEMA_VERSION {
            return Ok(());
        }
        let transaction = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(StoreError::Sqlite)?;
        // Another process may have migrated while this one waited for the write lock.
        let from = user_version(&transaction).map_err(StoreError::Sqlite)? as usize;
        for step in MIGRATIONS.iter().skip(from) {
            transaction.execute_batch(step).map_err(StoreError::Sqlite)?;
        }
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(StoreError::Sqlite)?;
        transaction.commit().map_err(StoreError::Sqlite)
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Folder beside the database that holds what is derived from it and the locks of its projects.
    pub fn side_folder(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".d");
        name.into()
    }

    /// Runs `work` with the connection and sorts what SQLite reports.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| StoreError::from_sqlite(&self.path, error))
    }

    /// Runs `work` in one write transaction: all of it is committed, or nothing.
    pub(crate) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let path = &self.path;
        let run = || {
            let transaction =
                self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        run().map_err(|error| StoreError::from_sqlite(path, error))
    }

    /// Reads one value, `None` when no row matches.
    pub(crate) fn read_one<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        map: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.read(|connection| connection.prepare_cached(sql)?.query_row(parameters, map).optional())
    }
}

/// What tells whose database it is.
struct Contents {
    user_version: u32,
    n_tables: u32,
    n_own_tables: u32,
}

impl Contents {
    /// Asked in one statement, so that a migration of another process is seen whole or not at all.
    fn of(connection: &Connection) -> rusqlite::Result<Self> {
        connection.query_row(
            "SELECT (SELECT user_version FROM pragma_user_version), count(*),
                    count(*) FILTER (WHERE name IN ('projects', 'files', 'chunks', 'ingestion_status'))
             FROM sqlite_master WHERE type = 'table'",
            [],
            |row| Ok(Self { user_version: row.get(0)?, n_tables: row.get(1)?, n_own_tables: row.get(2)? }),
        )
    }

    fn are_ours(&self) -> bool {
        if self.user_version == 0 { self.n_tables == 0 } else { self.n_own_tables == 4 }
    }
}

fn user_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
