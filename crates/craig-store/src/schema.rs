//! Opens the database and brings its schema up to date.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use craig_source::private;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction};

use crate::access::{Access, connect, state_of};
use crate::erase::{cut_off_free_pages, overwrite_deleted_rows};
use crate::{Role, StoreError};

/// Format version that this program writes, kept in `PRAGMA user_version`.
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Step i brings a database from version i to i + 1. A released step is never edited: add another.
const MIGRATIONS: [&str; 4] = [
    include_str!("../migrations/1.sql"),
    include_str!("../migrations/2.sql"),
    include_str!("../migrations/3.sql"),
    include_str!("../migrations/4.sql"),
];

/// BLAKE3 of what the migrations make, see [`schema_hash`]; changes with every migration.
const SCHEMA_HASH: &str = "f8bdfe6647bc1a7cf8ed77582f99d5b91f3ad0eaf433ba8b0d786524ff7549d5";

/// The first version whose databases say what they are for. One before it was a user's index, or documentation.
const FIRST_WITH_ROLE: u32 = 4;

/// How long a statement waits for another process's write before it gives up.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// A Craig database.
pub struct Store {
    pub(crate) connection: Connection,
    place: Place,
    access: Access,
    /// What the file system said of the file when it was opened.
    opened_as: Option<(u64, SystemTime)>,
    /// Whether rows were deleted that may still be in the log.
    pub(crate) has_deleted: bool,
}

/// Where a database lies, what it is for, and how it is opened.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) role: Role,
    pub(crate) side_folder: PathBuf,
    pub(crate) flags: OpenFlags,
}

impl Place {
    /// A user's own database, wherever the user wants it.
    fn of_user(path: &Path) -> Self {
        let mut side_folder = path.to_owned().into_os_string();
        side_folder.push(".d");
        Self {
            path: path.to_owned(),
            role: Role::Index,
            side_folder: side_folder.into(),
            flags: OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        }
    }
}

impl Store {
    /// Opens the user's database at `path`, making it and its folder when missing, and migrates older versions forward. What
    /// Craig makes belongs to its owner alone; files that others can read are closed to them.
    ///
    /// Fails when the file is no database, is damaged, is for something else, or was written by a newer version: it is
    /// then left untouched.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let open_error = |source| StoreError::Open { path: path.to_owned(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            private::create_folder(folder).map_err(open_error)?;
        }
        if path.is_dir() {
            return Err(open_error(io::Error::other("it is a folder, not a file")));
        }
        create_file(path).map_err(open_error)?;
        let store = Self::prepare(Place::of_user(path))?;
        store.restrict();
        Ok(store)
    }

    /// Opens the same database a second time; what is in it was looked at the first time.
    pub fn reopen(&self) -> Result<Self, StoreError> {
        Self::connect(self.place.clone()).map_err(|error| error.sorted(&self.place.path))
    }

    /// Opens the database at `place`, whose files were looked at.
    pub(crate) fn prepare(place: Place) -> Result<Self, StoreError> {
        let path = place.path.clone();
        let prepare = || {
            let store = Self::connect(place)?;
            store.check_schema()?;
            Ok(store)
        };
        prepare().map_err(|error: StoreError| error.sorted(&path))
    }

    fn connect(place: Place) -> Result<Self, StoreError> {
        let opened_as = state_of(&place.path);
        let flags = place.flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let (connection, access) = connect(&place.path, flags)?;
        let mut store = Self { connection, place, access, opened_as, has_deleted: false };
        let version = store.check_version()?;
        if access == Access::ReadOnly {
            return store.opened_for_reading(version);
        }
        if version == 0 {
            cut_off_free_pages(&store.connection).map_err(StoreError::Sqlite)?;
        }
        store.configure().map_err(StoreError::Sqlite)?;
        if version < SCHEMA_VERSION {
            store.migrate()?;
        }
        Ok(store)
    }

    /// This store, which cannot be written and has to be of the present version.
    fn opened_for_reading(self, version: u32) -> Result<Self, StoreError> {
        self.configure_reading().map_err(StoreError::Sqlite)?;
        if version != SCHEMA_VERSION {
            let path = self.place.path.clone();
            return Err(StoreError::Older { path, found: version, supported: SCHEMA_VERSION });
        }
        Ok(self)
    }

    /// Closes the files of a user's database to others. What cannot be changed, as on a read-only disk, can still be read.
    fn restrict(&self) {
        let path = &self.place.path;
        // Files beside it are made with the permissions that it has.
        if private::restrict(path).unwrap_or(false) {
            for ending in ["-wal", "-shm"] {
                let mut name = path.clone().into_os_string();
                name.push(ending);
                let _ = private::restrict(Path::new(&name));
            }
        }
        let _ = private::restrict_tree(&self.place.side_folder);
    }

    /// Refuses a database of a newer version, of another role or of another program before anything is written to it.
    fn check_version(&self) -> Result<u32, StoreError> {
        let found = Contents::of(&self.connection).map_err(StoreError::Sqlite)?;
        let (path, version) = (self.place.path.clone(), found.user_version);
        match found.role(&self.connection).map_err(StoreError::Sqlite)? {
            Some(role) if role != self.place.role => {
                return Err(StoreError::OtherRole { path, found: role, wanted: self.place.role });
            }
            None if !found.is_empty() => {
                return Err(StoreError::Corrupt {
                    path,
                    detail: "it is the database of another program".into(),
                });
            }
            _ => {}
        }
        if version > SCHEMA_VERSION {
            return Err(StoreError::Newer { path, found: version, supported: SCHEMA_VERSION });
        }
        Ok(version)
    }

    /// Refuses a database whose schema is not what the migrations make, to the letter: triggers and views are programs.
    fn check_schema(&self) -> Result<(), StoreError> {
        if schema_hash(&self.connection).map_err(StoreError::Sqlite)? == SCHEMA_HASH {
            return Ok(());
        }
        let detail = "its tables, views and triggers are not those that craig makes".into();
        Err(StoreError::Corrupt { path: self.place.path.clone(), detail })
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
        // Plans do not depend on bound values, so SQLite need not prepare a statement again for each: a tenth of the time of
        // making an index went there.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        self.connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let role = self.place.role;
        let transaction = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(StoreError::Sqlite)?;
        // Another process may have migrated while this one waited for the write lock.
        let from = user_version(&transaction).map_err(StoreError::Sqlite)?;
        for step in MIGRATIONS.iter().skip(from as usize) {
            transaction.execute_batch(step).map_err(StoreError::Sqlite)?;
        }
        if from < FIRST_WITH_ROLE {
            transaction
                .pragma_update(None, "application_id", role.application_id())
                .map_err(StoreError::Sqlite)?;
        }
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(StoreError::Sqlite)?;
        transaction.commit().map_err(StoreError::Sqlite)
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.place.path
    }

    /// Whether the database can only be read.
    pub fn is_read_only(&self) -> bool {
        self.access == Access::ReadOnly
    }

    /// Whether a database that can only be read was changed since it was opened: what is read then may be of both states.
    pub fn is_outdated(&self) -> bool {
        self.is_read_only() && state_of(self.path()) != self.opened_as
    }

    /// Whether nobody else can open the database before this store is dropped, since the disk has no room for what processes
    /// share.
    pub fn is_alone(&self) -> bool {
        self.access == Access::Alone
    }

    /// Folder that holds what is derived from the database and the locks of its projects: beside a user's own, and in the
    /// user's data folder for one inside of a repository.
    pub fn side_folder(&self) -> PathBuf {
        self.place.side_folder.clone()
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

/// Makes an empty database that its owner alone can read, unless there is one: one that SQLite makes can be read by all.
fn create_file(path: &Path) -> io::Result<()> {
    /// Closing a file drops every lock that this process has on it, those of SQLite's connections among them: so no other
    /// thread may open the file before it is closed here.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    match private::file_options().write(true).create_new(true).open(path) {
        // By another process.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

/// What tells whose database it is.
struct Contents {
    user_version: u32,
    application_id: i32,
    n_tables: u32,
    n_own_tables: u32,
}

impl Contents {
    /// Asked in one statement, so that a migration of another process is seen whole or not at all.
    fn of(connection: &Connection) -> rusqlite::Result<Self> {
        connection.query_row(
            "SELECT (SELECT user_version FROM pragma_user_version),
                    (SELECT application_id FROM pragma_application_id), count(*),
                    count(*) FILTER (WHERE name IN ('projects', 'files', 'chunks', 'ingestion_status'))
             FROM sqlite_master WHERE type = 'table'",
            [],
            |row| {
                Ok(Self {
                    user_version: row.get(0)?,
                    application_id: row.get(1)?,
                    n_tables: row.get(2)?,
                    n_own_tables: row.get(3)?,
                })
            },
        )
    }

    fn is_empty(&self) -> bool {
        self.user_version == 0 && self.application_id == 0 && self.n_tables == 0
    }

    /// What the database is for; none when it is empty, or another program's.
    fn role(&self, connection: &Connection) -> rusqlite::Result<Option<Role>> {
        if self.user_version == 0 || self.n_own_tables != 4 {
            return Ok(None);
        }
        if self.user_version >= FIRST_WITH_ROLE || self.application_id != 0 {
            return Ok(Role::from_application_id(self.application_id));
        }
        // How craig called the one project of a repository's documentation before databases had roles.
        let is_documentation = "SELECT EXISTS (SELECT 1 FROM projects WHERE options LIKE 'documentation %')";
        let is_documentation = connection.query_row(is_documentation, [], |row| row.get(0))?;
        Ok(Some(if is_documentation { Role::Documentation } else { Role::Index }))
    }
}

/// BLAKE3 of the statements that made everything in the database, in the order of names. What ANALYZE leaves, which is no
/// more than numbers, does not count.
fn schema_hash(connection: &Connection) -> rusqlite::Result<String> {
    let schema: String = connection.query_row(
        "SELECT group_concat(type || ' ' || name || ' ' || sql, char(10) ORDER BY name) FROM sqlite_schema
         WHERE sql NOT IN ('CREATE TABLE sqlite_stat1(tbl,idx,stat)',
                           'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')",
        [],
        |row| row.get(0),
    )?;
    Ok(blake3::hash(schema.as_bytes()).to_hex().to_string())
}

fn user_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_what_the_migrations_make() {
        let folder = tempfile::tempdir().unwrap();
        let opened = Store::open(&folder.path().join("craig.db")).map(drop);
        assert!(
            opened.is_ok(),
            "after a migration SCHEMA_HASH is to be {}: {opened:?}",
            hash_of_migrations()
        );
    }

    fn hash_of_migrations() -> String {
        let connection = Connection::open_in_memory().unwrap();
        MIGRATIONS.iter().for_each(|step| connection.execute_batch(step).unwrap());
        schema_hash(&connection).unwrap()
    }
}
