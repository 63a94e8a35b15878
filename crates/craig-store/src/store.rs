//! A store: one connection to a database, how it is opened, and how everything else in this crate reads and writes it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use craig_source::private;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};

use crate::access::{Access, DatabaseIdentity, FileState, LOG, SHARED_MEMORY, beside, connect, state_of};
use crate::erase::{cut_off_free_pages, overwrite_deleted_rows};
use crate::error::OpenError;
use crate::schema::{SCHEMA_VERSION, check_schema, check_version, migrate};
use crate::{Role, StoreError};

/// How long a write waits for that of another process before it fails, unless [`Store::set_patience`] changes it.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// How long opening waits for a process that lets nobody else read.
pub(crate) const EXCLUSIVE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long opening a database is retried while other processes make it.
const OPEN_TIMEOUT: Duration = Duration::from_secs(5);

/// Time between two tries.
const OPEN_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// One connection to a Craig database, for one thread at a time.
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) place: Place,
    access: Access,
    /// The file when it was opened; `None` if it was missing.
    opened_as: Option<FileState>,
    /// Whether rows were deleted that may still be in the log.
    pub(crate) has_deleted: bool,
    /// How long a write waits for that of another process.
    pub(crate) patience: Duration,
}

/// The place and role of a database, and how it is opened.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) role: Role,
    /// What is derived from the database, and its lock files.
    pub(crate) derived_folder: PathBuf,
    pub(crate) flags: OpenFlags,
    /// Whether nothing is written, although it could be.
    pub(crate) is_read_only: bool,
}

impl Place {
    /// A user's own database, wherever the user wants it.
    pub(crate) fn from_path(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            role: Role::Index,
            derived_folder: beside(path, ".d"),
            flags: OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            is_read_only: false,
        }
    }
}

impl Store {
    /// Opens the user's database at `path`, creating it and its folder if they are missing, and migrates older versions. The files
    /// can be read by their owner alone; permissions of others are removed.
    ///
    /// Fails if the file is no database, is damaged, has another role, or was written by a newer version: it is then left
    /// untouched.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let open_error = |source| StoreError::Open { path: path.to_owned(), source };
        Self::check_path(path)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            private::create_folder(folder).map_err(open_error)?;
        }
        if path.is_dir() {
            return Err(open_error(io::Error::other("it is a folder, not a file")));
        }
        create_file(path).map_err(open_error)?;
        // SQLite takes one byte for an empty file, and would write over it.
        if path.metadata().is_ok_and(|file| file.len() == 1) {
            return Err(StoreError::Corrupt {
                path: path.to_owned(),
                detail: "file is not a database".to_owned(),
            });
        }
        let store = Self::prepare(Place::from_path(path))?;
        store.restrict();
        Ok(store)
    }

    /// Fails if `path` is the address of a server, which no file has.
    pub fn check_path(path: &Path) -> Result<(), StoreError> {
        match path.to_str().and_then(|path| path.split_once("://")) {
            Some((scheme, _)) => Err(StoreError::Address { scheme: scheme.to_owned() }),
            None => Ok(()),
        }
    }

    /// Opens the same database a second time, without checking its schema again.
    ///
    /// Fails with [`StoreError::Full`] where only one process can have it open, see [`is_reusable`](Self::is_reusable), and with
    /// [`StoreError::Open`] if there is another file at its path, or none.
    pub fn reopen(&self) -> Result<Self, StoreError> {
        let path = &self.place.path;
        if self.is_replaced() {
            let source = io::Error::other("the file was removed or replaced while it was in use");
            return Err(StoreError::Open { path: path.clone(), source });
        }
        match self.access {
            Access::Alone => Err(StoreError::Full { path: path.clone() }),
            Access::Shared | Access::ReadOnly => Self::connect(self.place.clone()),
        }
    }

    /// This store and those reopened from it, which from now on are only read: neither rows nor derived files are written.
    #[must_use]
    pub fn into_read_only(mut self) -> Self {
        self.place.is_read_only = true;
        self
    }

    /// Opens the database at `place`, whose files were checked.
    pub(crate) fn prepare(place: Place) -> Result<Self, StoreError> {
        let store = Self::connect_when_made(place)?;
        let checked = check_schema(&store.connection, &store.place.path);
        checked.map_err(|error| error.sorted(&store.place.path))?;
        Ok(store)
    }

    /// Connects, retrying while another process creates the same database: SQLite then reports at once that it is busy, since it
    /// cannot wait for the switch to write-ahead logging.
    fn connect_when_made(place: Place) -> Result<Self, StoreError> {
        let started = Instant::now();
        loop {
            match Self::connect(place.clone()) {
                Err(StoreError::Busy { .. }) if started.elapsed() < OPEN_TIMEOUT => {
                    std::thread::sleep(OPEN_RETRY_INTERVAL);
                }
                connected => return connected,
            }
        }
    }

    fn connect(place: Place) -> Result<Self, StoreError> {
        let path = place.path.clone();
        Self::try_connect(place).map_err(|error| error.sorted(&path))
    }

    fn try_connect(place: Place) -> Result<Self, OpenError> {
        let opened_as = state_of(&place.path);
        let flags = place.flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let (connection, access) = connect(&place.path, flags)?;
        let mut store =
            Self { connection, place, access, opened_as, has_deleted: false, patience: BUSY_TIMEOUT };
        let version = check_version(&store.connection, &store.place)?;
        if access == Access::ReadOnly {
            return store.opened_for_reading(version);
        }
        if version == 0 {
            cut_off_free_pages(&store.connection)?;
        }
        store.configure()?;
        if version < SCHEMA_VERSION {
            migrate(&mut store.connection, store.place.role)?;
        }
        Ok(store)
    }

    /// This store, which cannot be written and has to be of the present version.
    fn opened_for_reading(self, version: u32) -> Result<Self, OpenError> {
        self.configure_reading()?;
        if version != SCHEMA_VERSION {
            let path = self.place.path.clone();
            return Err(StoreError::Older { path, found: version, supported: SCHEMA_VERSION }.into());
        }
        Ok(self)
    }

    /// Removes the permissions of others on a user's database. Where that fails, as on a read-only disk, it can still be read.
    fn restrict(&self) {
        let path = &self.place.path;
        // SQLite creates the files next to it with the same permissions.
        if private::restrict(path).unwrap_or(false) {
            for ending in [LOG, SHARED_MEMORY] {
                let _ = private::restrict(&beside(path, ending));
            }
        }
        let _ = private::restrict_tree(&self.place.derived_folder);
    }

    fn configure(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "journal_mode", "wal")?;
        // WAL with NORMAL keeps every commit through a crash of the process; only power loss can drop the last ones.
        self.connection.pragma_update(None, "synchronous", "normal")?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        overwrite_deleted_rows(&self.connection)?;
        self.configure_reading()
    }

    fn configure_reading(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "cache_size", -32_768)?;
        self.connection.pragma_update(None, "temp_store", "memory")?;
        // Query plans do not depend on bound values, so SQLite need not prepare a statement again for each: that took a tenth of
        // the time of building an index.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        self.connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }

    /// The path of the database file, for messages.
    pub fn location(&self) -> String {
        self.place.path.display().to_string()
    }

    /// Fails if the database can only be read, or is to be read only.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        if self.access == Access::ReadOnly || self.place.is_read_only {
            return Err(StoreError::ReadOnly { path: self.place.path.clone() });
        }
        Ok(())
    }

    /// Whether this connection may be kept and used again. If not, it is to be dropped, and the database opened again.
    ///
    /// It may not be kept if nobody else can open the database until it is dropped, since the disk has no room for the memory that
    /// processes share; nor if a database that can only be read has changed: reads could then mix both states; nor if its file was
    /// removed or replaced by another one, since it would go on reading the old file.
    pub fn is_reusable(&self) -> bool {
        match self.access {
            Access::Shared => !self.is_replaced(),
            Access::Alone => false,
            Access::ReadOnly => self.opened_as.is_some() && state_of(&self.place.path) == self.opened_as,
        }
    }

    /// Whether there is another file at the path of this database, or none.
    fn is_replaced(&self) -> bool {
        let now = state_of(&self.place.path).map(|state| state.identity);
        now.is_none() || now != self.identity()
    }

    /// Which file this database is in; `None` if it was missing just before it was opened.
    pub(crate) fn identity(&self) -> Option<DatabaseIdentity> {
        self.opened_as.map(|state| state.identity)
    }

    /// Sets how long a write waits for that of another process before it fails with [`StoreError::Busy`]; 60 seconds at first.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), StoreError> {
        self.patience = patience;
        self.read(|connection| connection.busy_timeout(patience))
    }

    /// Waits as long as `patience` allows until no other process is writing; then fails with [`StoreError::Busy`].
    pub fn wait_to_write(&mut self, patience: Duration) -> Result<(), StoreError> {
        let usual = self.patience;
        self.set_patience(patience)?;
        let waited = self.write(|_| Ok(()));
        self.set_patience(usual)?;
        waited
    }

    /// Runs `work` with the connection and sorts what SQLite reports.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| StoreError::from_sqlite(&self.place.path, error))
    }

    /// Runs `work` in one write transaction: all of it is committed, or nothing.
    pub(crate) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let path = &self.place.path;
        let run = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
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

    /// Reads all rows of a query.
    pub(crate) fn read_all<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        map: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(|connection| connection.prepare_cached(sql)?.query_map(parameters, map)?.collect())
    }
}

/// Creates an empty database that its owner alone can read, unless there is one: SQLite would let everybody read it.
fn create_file(path: &Path) -> io::Result<()> {
    /// Closing a file drops every lock that this process has on it, those of SQLite's connections among them: so no other
    /// thread may open the file before it is closed here.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    match private::file_options().write(true).create_new(true).open(path) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}
