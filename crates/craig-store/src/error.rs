//! Errors of the store.

use std::error::Error as _;
use std::path::{Path, PathBuf};

use postgres::error::SqlState;
use rusqlite::ErrorCode;
use thiserror::Error;

use crate::access::is_no_room;
use crate::{Role, holder, sql};

/// An operation on the store failed; nothing that was committed before is lost.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder of the database cannot be made or read.
    #[error("cannot open the database {}: {source}", path.display())]
    Open {
        /// The database file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An address of something that is no PostgreSQL server.
    #[error(
        "a database is a file or on a PostgreSQL server, and {scheme}:// begins the address of something else"
    )]
    Address {
        /// The part before `://`; the rest may contain a password.
        scheme: String,
    },
    /// An address of a PostgreSQL server that cannot be used.
    #[error("the address of the database cannot be used: {reason}")]
    ServerAddress {
        /// Why not, without the address, which may contain a password.
        reason: String,
    },
    /// The server of the database cannot be reached, or refuses this user.
    #[error("cannot use the database {address}: {reason}")]
    Server {
        /// The address, without a password.
        address: String,
        /// What the system or the server reports.
        reason: String,
    },
    /// The file is something else, or damaged.
    #[error("{} is not a readable Craig database ({detail})", path.display())]
    Corrupt {
        /// The database file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The database was written by a newer Craig.
    #[error("{} has format {found}, but this version of craig reads formats up to {supported}", path.display())]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Format version in the file.
        found: u32,
        /// Newest version that this program reads.
        supported: u32,
    },
    /// The database is for something else.
    #[error("{} holds {found}, not {wanted}", path.display())]
    OtherRole {
        /// The database file.
        path: PathBuf,
        /// The role of the database.
        found: Role,
        /// The role that it was opened for.
        wanted: Role,
    },
    /// The disk is full.
    #[error("no space left on the disk of {}", path.display())]
    Full {
        /// The database file.
        path: PathBuf,
    },
    /// Another process, or another thread of this one, writes the project.
    #[error("{holder} is writing the project")]
    Held {
        /// "process 4711 (craig)", or "another process".
        holder: String,
    },
    /// A lock cannot be made.
    #[error("cannot create the lock file {}: {source}", path.display())]
    Lock {
        /// Where.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Another process kept the database locked for too long.
    #[error("{} is locked by {holder}", path.display())]
    Busy {
        /// The database file.
        path: PathBuf,
        /// "process 4711 (sqlite3)", or "another process".
        holder: String,
    },
    /// The database or its folder cannot be written.
    #[error("{} cannot be written", path.display())]
    ReadOnly {
        /// The database file.
        path: PathBuf,
    },
    /// The database cannot be written, and its log holds what is not in it yet.
    #[error("{} cannot be written, and its log has changes that are not yet applied", path.display())]
    Unrecovered {
        /// The database file.
        path: PathBuf,
    },
    /// The database was written by an older Craig and cannot be brought up to date, since it cannot be written.
    #[error("{} has the older format {found}, and cannot be written to upgrade it to format {supported}", path.display())]
    Older {
        /// The database file.
        path: PathBuf,
        /// Format version in the file.
        found: u32,
        /// The version that this program reads.
        supported: u32,
    },
    /// A database is to be copied into one that has data of its own.
    #[error("{} is not empty", path.display())]
    NotEmpty {
        /// The database that the copy was to be written to.
        path: PathBuf,
    },
    /// A copy is not what it was made from, and was not finished.
    #[error("the copy in {} differs in the table {table:?}", path.display())]
    CopyDiffers {
        /// The database that the copy was written to.
        path: PathBuf,
        /// A table that differs.
        table: &'static str,
    },
    /// There is no project with that id, reference or name.
    #[error("no project {handle:?}")]
    UnknownProject {
        /// The requested id, reference or name.
        handle: String,
        /// Names of the projects there are.
        known: Vec<String>,
    },
    /// Another directory was ingested under the same name.
    #[error("the name {name:?} already belongs to the project of {source_path}")]
    NameTaken {
        /// The name.
        name: String,
        /// Directory of the project that has it.
        source_path: String,
    },
    /// A stored text is not the one that was stored.
    #[error("the stored text of {path:?} is damaged")]
    DamagedText {
        /// Path of the file.
        path: String,
    },
    /// Anything else that the database reports.
    #[error("database error: {source}")]
    Database {
        /// The error of SQLite.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The origin of a [`StoreError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// The user: nothing is stored under that name, or something else is.
    User,
    /// The machine: disk, permissions, other processes and programs.
    Environment,
    /// What is stored is not what was written. It has to be repaired or created again.
    Damage,
}

impl StoreError {
    /// Its origin.
    pub fn kind(&self) -> StoreErrorKind {
        match self {
            Self::UnknownProject { .. }
            | Self::NameTaken { .. }
            | Self::NotEmpty { .. }
            | Self::Address { .. }
            | Self::ServerAddress { .. } => StoreErrorKind::User,
            Self::Corrupt { .. } | Self::CopyDiffers { .. } | Self::DamagedText { .. } => {
                StoreErrorKind::Damage
            }
            Self::Open { .. }
            | Self::Server { .. }
            | Self::Newer { .. }
            | Self::OtherRole { .. }
            | Self::Full { .. }
            | Self::Held { .. }
            | Self::Lock { .. }
            | Self::Busy { .. }
            | Self::ReadOnly { .. }
            | Self::Unrecovered { .. }
            | Self::Older { .. }
            | Self::Database { .. } => StoreErrorKind::Environment,
        }
    }

    /// Whether only writing failed, or would have to wait: what is stored can be read all the same.
    pub fn is_unwritable(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::ReadOnly { .. } | Self::Lock { .. } | Self::Busy { .. })
    }

    /// Sorts an error of the database at `path`, a file or a server, by what a user can do about it.
    pub(crate) fn from_sql(path: &Path, error: sql::Error) -> Self {
        match error {
            sql::Error::Sqlite(error) => Self::from_sqlite(path, error),
            sql::Error::Postgres(error) => Self::from_postgres(path, error),
            sql::Error::Unexpected(detail) => Self::Corrupt { path: path.to_owned(), detail },
            sql::Error::Store(error) => error,
        }
    }

    /// The server at `address` cannot be reached, or refuses this user.
    pub(crate) fn from_connecting(address: &Path, error: &postgres::Error) -> Self {
        let reason = match error.as_db_error() {
            Some(reported) => reported.message().to_owned(),
            None if causes(error).contains("password missing") => {
                "it asks for a password, but PGPASSWORD is not set, and ~/.pgpass has no line for this address".to_owned()
            }
            None => causes(error),
        };
        Self::unusable(address, reason)
    }

    /// The server at `address` cannot be used.
    pub(crate) fn unusable(address: &Path, reason: String) -> Self {
        Self::Server { address: address.display().to_string(), reason }
    }

    /// Sorts an error of the server at `address`.
    pub(crate) fn from_postgres(address: &Path, error: postgres::Error) -> Self {
        let path = address.to_owned();
        let Some(reported) = error.as_db_error() else {
            let is_lost =
                error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>());
            return match is_lost {
                true => Self::unusable(address, causes(&error)),
                false => Self::Database { source: Box::new(error) },
            };
        };
        match *reported.code() {
            SqlState::DISK_FULL => Self::Full { path },
            SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE => Self::ReadOnly { path },
            SqlState::LOCK_NOT_AVAILABLE => Self::Busy { path, holder: "another process".to_owned() },
            SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
                Self::Corrupt { path, detail: reported.message().to_owned() }
            }
            SqlState::INVALID_PASSWORD
            | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            | SqlState::INVALID_CATALOG_NAME
            | SqlState::TOO_MANY_CONNECTIONS
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::CRASH_SHUTDOWN
            | SqlState::ADMIN_SHUTDOWN => Self::unusable(address, reported.message().to_owned()),
            _ => Self::Database { source: Box::new(error) },
        }
    }

    /// Sorts an SQLite error on the database at `path` by what a user can do about it.
    pub(crate) fn from_sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Corrupt { path, detail: error.to_string() }
            }
            _ if is_no_room(&error) => Self::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                let holder = holder::of_database(&path);
                Self::Busy { path, holder }
            }
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path },
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Open { path, source: std::io::Error::other(error.to_string()) }
            }
            _ => Self::Database { source: Box::new(error) },
        }
    }
}

/// Why a database cannot be opened, before SQLite's errors are sorted: some of them decide how it is opened instead.
#[derive(Debug)]
pub(crate) enum OpenError {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl OpenError {
    pub(crate) fn sorted(self, path: &Path) -> StoreError {
        match self {
            Self::Sqlite(error) => StoreError::from_sqlite(path, error),
            Self::Store(error) => error,
        }
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// An error and what caused it, in one line.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
