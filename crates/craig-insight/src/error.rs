//! How an analysis can fail.

use craig_store::StoreError;
use craig_symbols::SymbolError;
use thiserror::Error;

/// An analysis failed.
#[derive(Debug, Error)]
pub enum InsightError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The files of the project cannot be read, or the analysis was cancelled.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// Nothing in the project has that path or name.
    #[error("the project has no file, folder or symbol {target:?}")]
    UnknownTarget {
        /// The requested target.
        target: String,
        /// Similar names.
        similar: Vec<String>,
    },
}
