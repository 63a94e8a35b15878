//! What can go wrong between Craig and its database.

use std::path::PathBuf;

use rusqlite::ErrorCode;
use thiserror::Error;

use crate::Role;
use crate::access::is_no_room;

/// An operation on the store failed; nothing that was committed before is lost.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder of the database cannot be made or read.
    #[error("cannot open the database {}: {source}", path.display())]
    Open {
        /// The database file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is something else, or damaged.
    #[error("{} is not a readable Craig database ({detail})", path.display())]
    Corrupt {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        detail: String,
    },
    /// The database was written by a newer Craig.
    #[error("{} has format {found}, and this craig reads up to {supported}", path.display())]
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
        /// What the database is for.
        found: Role,
        /// What it was opened as.
        wanted: Role,
    },
    /// No room on the disk.
    #[error("no room left on the disk of {}", path.display())]
    Full {
        /// The database file.
        path: PathBuf,
    },
    /// Another process kept the database locked for too long.
    #[error("{} is locked by another process", path.display())]
    Busy {
        /// The database file.
        path: PathBuf,
    },
    /// The database or its folder cannot be written.
    #[error("{} cannot be written", path.display())]
    ReadOnly {
        /// The database file.
        path: PathBuf,
    },
    /// The database cannot be written, and its log holds what is not in it yet.
    #[error("{} cannot be written, and its log holds changes that are not in it yet", path.display())]
    Unrecovered {
        /// The database file.
        path: PathBuf,
    },
    /// The database was written by an older Craig and cannot be brought up to date, since it cannot be written.
    #[error("{} has the older format {found}, and cannot be written to bring it to format {supported}", path.display())]
    Older {
        /// The database file.
        path: PathBuf,
        /// Format version in the file.
        found: u32,
        /// The version that this program reads.
        supported: u32,
    },
    /// No project goes by that id, reference or name.
    #[error("no project {handle:?}")]
    UnknownProject {
        /// What was asked for.
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
    /// A stored value does not have the form that this version writes.
    #[error("stored {what} is malformed: {detail}")]
    Malformed {
        /// Which value.
        what: &'static str,
        /// How.
        detail: String,
    },
    /// A stored text is not the one that was stored.
    #[error("the stored text of {path:?} is damaged")]
    DamagedText {
        /// Path of the file.
        path: String,
    },
    /// Anything else SQLite reports.
    #[error("database error: {0}")]
    Sqlite(#[source] rusqlite::Error),
}

impl StoreError {
    /// This error, sorted if it is still SQLite's own.
    pub(crate) fn sorted(self, path: &std::path::Path) -> Self {
        match self {
            Self::Sqlite(error) => Self::from_sqlite(path, error),
            other => other,
        }
    }

    /// Sorts an SQLite error on the database at `path` by what a user can do about it.
    pub(crate) fn from_sqlite(path: &std::path::Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        if let rusqlite::Error::FromSqlConversionFailure(_, _, source) = &error {
            return match source.downcast_ref::<DamagedText>() {
                Some(DamagedText { path }) => Self::DamagedText { path: path.clone() },
                None => Self::Corrupt { path, detail: source.to_string() },
            };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Corrupt { path, detail: error.to_string() }
            }
            _ if is_no_room(&error) => Self::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path },
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Open { path, source: std::io::Error::other(error.to_string()) }
            }
            _ => Self::Sqlite(error),
        }
    }
}

/// A text that is not the one that was stored, on its way through SQLite's errors.
#[derive(Debug, Error)]
#[error("the stored text of {path:?} is damaged")]
pub(crate) struct DamagedText {
    path: String,
}

impl DamagedText {
    pub(crate) fn of(record: &crate::FileRecord) -> rusqlite::Error {
        let damaged = Self { path: record.path.clone() };
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(damaged))
    }
}
