//! The role of a database.

use std::fmt;

/// The role of a database. It is stored in the header, and a database is never opened, migrated or emptied for another
/// role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A user's projects.
    Index,
    /// The documentation of the repository that it is in.
    Documentation,
    /// The projects of the editor's workspace that it is in.
    Workspace,
}

impl Role {
    const ALL: [Self; 3] = [Self::Index, Self::Documentation, Self::Workspace];

    /// The value of `PRAGMA application_id`: four letters at byte 68 of the file.
    pub(crate) const fn application_id(self) -> i32 {
        i32::from_be_bytes(match self {
            Self::Index => *b"CrgI",
            Self::Documentation => *b"CrgD",
            Self::Workspace => *b"CrgW",
        })
    }

    /// The role that has this `PRAGMA application_id`.
    pub(crate) fn from_application_id(id: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.application_id() == id)
    }

    /// The role in the first bytes of a database file.
    pub(crate) fn from_header(header: &[u8; 72]) -> Option<Self> {
        let id = <[u8; 4]>::try_from(&header[68..]).ok().map(i32::from_be_bytes)?;
        header.starts_with(b"SQLite format 3\0").then(|| Self::from_application_id(id)).flatten()
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Index => "an index of projects",
            Self::Documentation => "the documentation of a repository",
            Self::Workspace => "the index of an editor's workspace",
        })
    }
}
