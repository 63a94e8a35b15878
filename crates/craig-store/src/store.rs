//! A store: one connection to a database, how it is opened, and how everything else in this crate reads and writes it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use craig_source::private;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;

use crate::access::{
    Access, DatabaseIdentity, FileState, LOG, SHARED_MEMORY, connect, state_of, with_suffix,
};
use crate::erase::{cut_off_free_pages, overwrite_deleted_rows};
use crate::error::OpenError;
use crate::schema::{SCHEMA_VERSION, check_schema, check_version, migrate};
use crate::server;
use crate::sql::{self, Connection, Row, Value};
use crate::{DatabaseAddress, Role, ServerAddress, StoreError};

/// How long a write waits for that of another process before it fails, unless [`Store::set_patience`] changes it.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// How long opening waits for a process that lets nobody else read.
pub(crate) const EXCLUSIVE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long opening a database is retried while other processes make it.
const OPEN_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a write is run again on a server.
const MAX_CONFLICTS: u32 = 5;

/// Time between two tries.
const OPEN_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// One connection to a Craig database, for one thread at a time.
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) place: Place,
    pub(crate) access: Access,
    pub(crate) identity: Option<DatabaseIdentity>,
    /// The file when it was opened; `None` if it was missing, or the database is on a server.
    pub(crate) opened_as: Option<FileState>,
    /// Whether rows were deleted that may still be in the log.
    pub(crate) has_deleted: bool,
    /// Whether the server shows this connection only some projects.
    pub(crate) shows_some: bool,
    /// How long a write waits for that of another process.
    pub(crate) patience: Duration,
}

/// The place and role of a database, and how it is opened.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The file, or the address of the server.
    pub(crate) path: PathBuf,
    pub(crate) role: Role,
    /// What is derived from the database, and its lock files.
    pub(crate) derived_folder: PathBuf,
    pub(crate) opened_by: OpenedBy,
    /// Whether nothing is written, although it could be.
    pub(crate) is_read_only: bool,
}

/// How a database is opened.
#[derive(Clone, Debug)]
pub(crate) enum OpenedBy {
    File(OpenFlags),
    Server(ServerAddress),
}

impl Place {
    /// A user's own database, wherever the user wants it.
    pub(crate) fn from_path(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            role: Role::Index,
            derived_folder: with_suffix(path, ".d"),
            opened_by: OpenedBy::File(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE),
            is_read_only: false,
        }
    }
}

impl Store {
    /// Opens the user's database: [a file](Self::open), or one on a server, whose tables are created if they are missing.
    ///
    /// What is derived from a server's database is kept in `data_folder` on this machine; without one, it cannot be opened.
    pub fn open_at(address: &DatabaseAddress, data_folder: Option<&Path>) -> Result<Self, StoreError> {
        match address {
            DatabaseAddress::File(path) => Self::open(path),
            DatabaseAddress::Server(address) => Self::connect(address.place(data_folder)?),
        }
    }

    /// Opens the user's database at `path`, creating it and its folder if they are missing, and migrates older versions. The files
    /// can be read by their owner alone; permissions of others are removed.
    ///
    /// Fails if the file is no database, is damaged, has another role, or was written by a newer version: it is then left
    /// untouched.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let open_error = |source| StoreError::Open { path: path.to_owned(), source };
        DatabaseAddress::from(path).check()?;
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
        if let Some(connection) = store.connection.sqlite() {
            let checked = check_schema(connection, &store.place.path);
            checked.map_err(|error| error.sorted(&store.place.path))?;
        }
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
        let flags = match &place.opened_by {
            OpenedBy::File(flags) => *flags,
            OpenedBy::Server(address) => return Ok(server::connect(&address.clone(), place)?),
        };
        let opened_as = state_of(&place.path);
        let (mut connection, access) = connect(&place.path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        let version = check_version(&connection, &place)?;
        if access == Access::ReadOnly && version != SCHEMA_VERSION {
            return Err(
                StoreError::Older { path: place.path, found: version, supported: SCHEMA_VERSION }.into()
            );
        }
        if access != Access::ReadOnly {
            if version == 0 {
                cut_off_free_pages(&connection)?;
            }
            configure_writing(&connection)?;
        }
        configure_reading(&connection)?;
        if version < SCHEMA_VERSION {
            migrate(&mut connection, place.role)?;
        }
        Ok(Self {
            connection: Connection::Sqlite(connection),
            place,
            access,
            identity: opened_as.map(|state| state.identity),
            opened_as,
            has_deleted: false,
            shows_some: false,
            patience: BUSY_TIMEOUT,
        })
    }

    /// Removes the permissions of others on a user's database. Where that fails, as on a read-only disk, it can still be read.
    fn restrict(&self) {
        let path = &self.place.path;
        // SQLite creates the files next to it with the same permissions.
        if private::restrict(path).unwrap_or(false) {
            for ending in [LOG, SHARED_MEMORY] {
                let _ = private::restrict(&with_suffix(path, ending));
            }
        }
        let _ = private::restrict_tree(&self.place.derived_folder);
    }

    /// The path of the database file, or the address of its server, for messages.
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
    /// It may not be kept if the connection to its server is lost; if nobody else can open the database until it is dropped, since the disk has no room for the memory that
    /// processes share; nor if a database that can only be read has changed: reads could then mix both states; nor if its file was
    /// removed or replaced by another one, since it would go on reading the old file.
    pub fn is_reusable(&self) -> bool {
        match (&self.connection, self.access) {
            (Connection::Postgres(client), _) => client.borrow_mut().is_alive(),
            (Connection::Sqlite(_), Access::Shared) => !self.is_replaced(),
            (Connection::Sqlite(_), Access::Alone) => false,
            (Connection::Sqlite(_), Access::ReadOnly) => {
                self.opened_as.is_some() && state_of(&self.place.path) == self.opened_as
            }
        }
    }

    /// Whether there is another file at the path of this database, or none. A server has no file.
    fn is_replaced(&self) -> bool {
        if self.connection.sqlite().is_none() {
            return false;
        }
        let now = state_of(&self.place.path).map(|state| state.identity);
        now.is_none() || now != self.identity
    }

    /// Which database this is; `None` if its file was missing just before it was opened.
    pub(crate) fn identity(&self) -> Option<DatabaseIdentity> {
        self.identity
    }

    /// Sets how long a write waits for that of another process before it fails with [`StoreError::Busy`]; 60 seconds at first.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), StoreError> {
        self.patience = patience;
        self.read(|connection| match connection {
            Connection::Sqlite(connection) => Ok(connection.busy_timeout(patience)?),
            Connection::Postgres(client) => client.borrow_mut().set_patience(patience),
        })
    }

    /// Waits as long as `patience` allows until no other process is writing; then fails with [`StoreError::Busy`].
    pub fn wait_to_write(&mut self, patience: Duration) -> Result<(), StoreError> {
        let usual = self.patience;
        self.set_patience(patience)?;
        let waited = self.write(|_| Ok(()));
        self.set_patience(usual)?;
        waited
    }

    /// Runs `work` with the connection and sorts what the database reports.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> sql::Result<T>) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| StoreError::from_sql(&self.place.path, error))
    }

    /// The same for what only a file has; `None` for a server.
    pub(crate) fn read_file<T>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> Option<Result<T, StoreError>> {
        let connection = self.connection.sqlite()?;
        Some(work(connection).map_err(|error| StoreError::from_sqlite(&self.place.path, error)))
    }

    /// Runs `work` in one write transaction: all of it is committed, or nothing. On a server, it is run again when it conflicts
    /// with the transaction of another process.
    pub(crate) fn write<T>(
        &mut self,
        mut work: impl FnMut(&Connection) -> sql::Result<T>,
    ) -> Result<T, StoreError> {
        let mut run = || {
            let transaction = self.connection.transaction()?;
            let done = work(&self.connection)?;
            transaction.commit()?;
            Ok(done)
        };
        let mut done = run();
        for _ in 0..MAX_CONFLICTS {
            match &done {
                Err(error) if server::is_conflict(error) => done = run(),
                _ => break,
            }
        }
        done.map_err(|error| StoreError::from_sql(&self.place.path, error))
    }

    /// Reads one value, `None` when no row matches.
    pub(crate) fn read_one<T>(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        map: impl FnMut(Row<'_>) -> sql::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.read(|connection| connection.one(sql, parameters, map))
    }

    /// Reads all rows of a query.
    pub(crate) fn read_all<T>(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        map: impl FnMut(Row<'_>) -> sql::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(|connection| connection.all(sql, parameters, map))
    }
}

fn configure_writing(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "wal")?;
    // WAL with NORMAL keeps every commit through a crash of the process; only power loss can drop the last ones.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    overwrite_deleted_rows(connection)
}

fn configure_reading(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    rusqlite::vtab::array::load_module(connection)?;
    connection.pragma_update(None, "cache_size", -32_768)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    // Query plans do not depend on bound values, so SQLite need not prepare a statement again for each: that took a tenth of
    // the time of building an index.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
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
