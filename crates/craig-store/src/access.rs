//! How a database file can be opened: for reading and writing, together with other processes; for reading only, where it cannot
//! be written; or by one process alone, where the disk has no room for the memory that processes share.

use std::fmt::Write as _;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, ffi};

use crate::StoreError;
use crate::error::OpenError;
use crate::store::{BUSY_TIMEOUT, EXCLUSIVE_TIMEOUT};

/// How a database was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// For reading and writing, together with other processes.
    Shared,
    /// For reading and writing, while nobody else can open it: the disk has no room for the memory that processes share.
    Alone,
    /// For reading. Nothing at all is written.
    ReadOnly,
}

/// Opens the database at `path` in the first of these ways that works.
pub(crate) fn connect(path: &Path, flags: OpenFlags) -> Result<(Connection, Access), OpenError> {
    let connection = Connection::open_with_flags(path, flags);
    match connection.and_then(|connection| {
        // SQLite opens a file without write permission for reading, and would then create files next to it.
        let is_writable = !connection.is_readonly(MAIN_DB)?;
        if is_writable { readable(connection).map(Some) } else { Ok(None) }
    }) {
        Ok(Some(connection)) => Ok((connection, Access::Shared)),
        Ok(None) => Ok((read_only(path, flags)?, Access::ReadOnly)),
        Err(error) if path.is_file() && is_no_room(&error) => Ok((alone(path, flags)?, Access::Alone)),
        Err(error) if path.is_file() && is_unwritable(&error) => match read_only(path, flags) {
            Ok(connection) => Ok((connection, Access::ReadOnly)),
            // If it cannot be read either, the first error is the reason.
            Err(OpenError::Sqlite(_)) => Err(error.into()),
            Err(other) => Err(other),
        },
        Err(error) => Err(error.into()),
    }
}

fn readable(connection: Connection) -> rusqlite::Result<Connection> {
    distrust(&connection)?;
    connection.busy_timeout(EXCLUSIVE_TIMEOUT)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Disables what a file could do by itself: anybody may have written it.
fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    Ok(())
}

/// Opens a database with private memory in place of the file that processes share.
fn alone(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    readable(connection)
}

/// Opens a database that cannot be written. With a log, it needs the shared memory, which records where in the log the
/// newest version of each page is. Without a log nobody is writing, and the file is all there is.
fn read_only(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    let others = flags & !(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE);
    let flags = others | OpenFlags::SQLITE_OPEN_READ_ONLY;
    let log_bytes = std::fs::metadata(with_suffix(path, LOG)).map_or(0, |log| log.len());
    if with_suffix(path, SHARED_MEMORY).exists()
        && let Ok(connection) = Connection::open_with_flags(path, flags).and_then(readable)
    {
        return Ok(connection);
    }
    if log_bytes > 0 {
        return Err(StoreError::Unrecovered { path: path.to_owned() }.into());
    }
    let connection = Connection::open_with_flags(immutable_uri(path), flags | OpenFlags::SQLITE_OPEN_URI)?;
    Ok(readable(connection)?)
}

/// A name that makes SQLite treat the file as immutable: without locks, and without files next to it.
fn immutable_uri(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = "file://".to_owned();
    for &byte in absolute.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => write!(uri, "%{byte:02x}").expect("a string takes whatever is written"),
        }
    }
    uri + "?immutable=1"
}

/// The identity of a database, which distinguishes it from another one at the same path or address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DatabaseIdentity {
    /// A file.
    File {
        /// The device and the inode.
        place: (u64, u64),
        /// When it was made, since an inode may be used again; `None` if the file system does not keep it.
        born: Option<SystemTime>,
    },
    /// A database on a server: a hash of the identity that it was given, and of its history.
    Server([u8; 16]),
}

impl DatabaseIdentity {
    /// `history` tells a database from others with the same identity: one that was restored from a backup of it, or a standby that
    /// was promoted and lacks its last commits. Ids and generations may mean something else there.
    pub(crate) fn of_server(identity: &str, history: &str) -> Self {
        let hash = blake3::hash(format!("{identity} {history}").as_bytes());
        let mut short = [0; 16];
        short.copy_from_slice(&hash.as_bytes()[..16]);
        Self::Server(short)
    }

    /// The history of a database on a server; `None` for a file.
    pub fn history(&self) -> Option<String> {
        match self {
            Self::File { .. } => None,
            Self::Server(hash) => Some(hash.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }

    #[cfg(unix)]
    fn new(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self::File { place: (metadata.dev(), metadata.ino()), born: metadata.created().ok() }
    }

    #[cfg(not(unix))]
    fn new(metadata: &Metadata) -> Self {
        Self::File { place: (0, 0), born: metadata.created().ok() }
    }
}

/// The state of a database file at a moment, to detect a change or replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) identity: DatabaseIdentity,
    n_bytes: u64,
    modified: Option<SystemTime>,
}

/// The state of the database file at `path`; `None` if it is missing.
pub(crate) fn state_of(path: &Path) -> Option<FileState> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(FileState {
        identity: DatabaseIdentity::new(&metadata),
        n_bytes: metadata.len(),
        modified: metadata.modified().ok(),
    })
}

/// Suffixes of the files that SQLite keeps next to a database.
pub(crate) const LOG: &str = "-wal";
pub(crate) const SHARED_MEMORY: &str = "-shm";
pub(crate) const ROLLBACK_JOURNAL: &str = "-journal";

/// The path of a file or folder next to a database.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}

/// Whether an error means that the disk is full, including shared memory.
pub(crate) fn is_no_room(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    error.sqlite_error_code() == Some(ErrorCode::DiskFull) || code == Some(ffi::SQLITE_IOERR_SHMSIZE)
}

fn is_unwritable(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
}
