//! Errors of searching.

use std::path::PathBuf;

use craig_store::StoreError;
use thiserror::Error;

/// A search or the building of an index failed.
#[derive(Debug, Error)]
pub enum SearchError {
    /// Reading the store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of the derived index cannot be written or read.
    #[error("cannot use the search index file {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file of the derived index does not have the content that was written.
    #[error("the search index file {} is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The project was purged while its index was being opened.
    #[error("the project no longer exists")]
    ProjectGone,
    /// A path pattern is not a glob.
    #[error("{pattern:?} is not a path pattern: {reason}")]
    Glob {
        /// The pattern.
        pattern: String,
        /// The syntax error.
        reason: String,
    },
    /// The embedder failed.
    #[error(transparent)]
    Model(#[from] craig_model::ModelError),
    /// The query has no word to search for.
    #[error("the query contains no words")]
    EmptyQuery,
}

impl SearchError {
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}
