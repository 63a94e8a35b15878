//! The database of a test: a file.

use std::path::{Path, PathBuf};

use craig_store::Store;

pub(crate) struct Database {
    path: PathBuf,
}

impl Database {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { path: folder.join("craig.db") }
    }

    /// The database that [`name`](Self::name) names.
    pub(crate) fn named(name: &str) -> Self {
        Self { path: name.into() }
    }

    /// Names it for another process.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.path).unwrap()
    }

    /// How a lock's holder is named that is the process with this id.
    pub(crate) fn holder(&self, process: u32) -> String {
        format!("process {process}")
    }
}
