//! Files of a configuration, watched for changes from before they are read.

use std::path::PathBuf;
use std::time::SystemTime;

use crate::usage::identity;

/// A file of a configuration, and its state when the configuration was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedFile {
    path: PathBuf,
    /// `None` if the file is missing.
    state: Option<FileState>,
}

/// What changes with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileState {
    modified: Option<SystemTime>,
    n_bytes: u64,
    identity: u64,
}

impl WatchedFile {
    /// The file at `path` in its present state. Call this before the file is read: otherwise an edit in between is missed.
    pub fn new(path: PathBuf) -> Self {
        let metadata = path.metadata().ok();
        let state = metadata.map(|metadata| FileState {
            modified: metadata.modified().ok(),
            n_bytes: metadata.len(),
            identity: identity(&metadata),
        });
        Self { path, state }
    }

    /// The same file in its present state.
    pub(crate) fn now(&self) -> Self {
        Self::new(self.path.clone())
    }
}
