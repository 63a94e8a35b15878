//! How reading the symbols of a project can fail.

use craig_store::StoreError;
use thiserror::Error;

/// The symbols of a project cannot be read.
#[derive(Debug, Error)]
pub enum SymbolError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was cancelled.
    #[error("the analysis was cancelled")]
    Cancelled,
}
