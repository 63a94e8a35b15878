//! Errors of a project's folder. Trouble with one file is a [`ReadError`](crate::ReadError) or a
//! [`Skipped`](crate::Skipped) row instead: data for a report.

use std::{io, path::PathBuf};

/// Why a project's folder cannot be used at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The path does not exist.
    #[error("no such directory: {}; check the spelling, or give an absolute path", path.display())]
    RootMissing {
        /// The path as given.
        path: PathBuf,
    },
    /// The path is a file.
    #[error("{} is a file; give the directory that contains it", path.display())]
    RootIsFile {
        /// The path as given.
        path: PathBuf,
    },
    /// The user may not list the directory.
    #[error("no permission to read the directory {}; change its permissions, or run as a user with read \
             permission", path.display())]
    RootUnreadable {
        /// The path as given.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The path is not UTF-8, and Craig keeps paths as text.
    #[error("the directory's path is not valid UTF-8: {}; rename it, or use a link with a valid name", path.display())]
    RootNotUtf8 {
        /// The path as given, or what its links lead to.
        path: PathBuf,
    },
    /// The system refuses paths of this length.
    #[error(
        "the directory's path is too long for this system ({length_bytes} bytes); move it, or use a link with a \
         shorter path"
    )]
    RootTooLong {
        /// Length of the path as given.
        length_bytes: usize,
    },
    /// Links that lead in a circle, a broken disk, anything else.
    #[error("cannot open the directory {}: {source}", path.display())]
    RootUnusable {
        /// The path as given.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A glob in the options that means nothing.
    #[error("bad glob `{glob}`: {source}; globs use the syntax of .gitignore")]
    BadGlob {
        /// The glob as given.
        glob: String,
        /// What is wrong with it.
        source: ignore::Error,
    },
    /// A repository cannot be cloned or checked.
    #[error(transparent)]
    Git(#[from] crate::GitError),
}
