//! The database of a test: a file.

use std::path::{Path, PathBuf};

use craig_engine::Config;
use craig_store::Store;

/// Trees that are edited at random.
pub(crate) const CASES: u32 = 60;

pub(crate) struct Database {
    path: PathBuf,
}

impl Database {
    pub(crate) fn new(home: &Path) -> Self {
        Self { path: home.join("craig.db") }
    }

    pub(crate) fn config(&self) -> Config {
        Config::new(self.path.as_path())
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.path).unwrap()
    }
}
