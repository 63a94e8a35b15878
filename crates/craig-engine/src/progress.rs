//! Progress of a long operation.

/// The phase of an ingestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for another process that ingests the same project.
    Waiting,
    /// Cloning a repository or fetching from it: `current` is git's progress line.
    Fetching,
    /// Listing the files of the directory.
    Listing,
    /// About to embed a large amount, or with another embedder: `current` describes the cost.
    Embedding,
    /// Reading, chunking and embedding files.
    Reading,
    /// Indexing the documentation of packages: `current` is the package, and packages are counted instead of files.
    Packages,
    /// Building the search index.
    Indexing,
    /// Reading all stored data; `current` is the part.
    Examining,
}

/// A step of a long operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The present phase.
    pub phase: Phase,
    /// Files done, of those in `total_files`.
    pub processed_files: usize,
    /// Files to do; 0 while unknown.
    pub total_files: usize,
    /// The last file, or the process waited for.
    pub current: String,
    /// Bytes of source read so far.
    pub n_bytes: u64,
}

impl Progress {
    pub(crate) fn new(phase: Phase) -> Self {
        Self { phase, processed_files: 0, total_files: 0, current: String::new(), n_bytes: 0 }
    }

    /// Percent done, 0–100.
    pub fn percent(&self) -> usize {
        (100 * self.processed_files).checked_div(self.total_files).unwrap_or(0)
    }
}
