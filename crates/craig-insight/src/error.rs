//! How an analysis can fail.

use craig_store::StoreError;
use thiserror::Error;

/// An analysis failed.
#[derive(Debug, Error)]
pub enum InsightError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was cancelled.
    #[error("the analysis was cancelled")]
    Cancelled,
    /// Nothing in the project has that path or name.
    #[error("the project has no file, folder or symbol {target:?}")]
    UnknownTarget {
        /// The requested target.
        target: String,
        /// Similar names.
        similar: Vec<String>,
    },
}
