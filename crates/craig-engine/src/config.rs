//! What an engine is built from.

use std::path::PathBuf;

/// Everything that an [`Engine`](crate::Engine) needs to know before it starts.
#[derive(Clone, Debug)]
pub struct Config {
    /// The database; made with its folder when missing.
    pub database: PathBuf,
    /// Threads for reading, parsing and embedding; 0 means one for each core.
    pub threads: usize,
}

/// Whether a search looks for changes of the source first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// Bring the index up to date with the directory, then answer.
    #[default]
    UpToDate,
    /// Answer from the index as it is.
    AsIndexed,
}
