//! The database of a test: a schema on the server.

use std::path::{Path, PathBuf};

use craig_engine::{Config, DatabaseAddress};
use craig_store::Store;

use crate::schema::Schema;

/// Trees that are edited at random: fewer, since each has a schema of its own.
pub(crate) const CASES: u32 = 15;

pub(crate) struct Database {
    schema: Schema,
    data_folder: PathBuf,
}

impl Database {
    pub(crate) fn new(home: &Path) -> Self {
        Self { schema: Schema::new(home), data_folder: home.join("data") }
    }

    pub(crate) fn config(&self) -> Config {
        let database = DatabaseAddress::from(self.schema.address());
        Config { data_folder: Some(self.data_folder.clone()), ..Config::new(database) }
    }

    pub(crate) fn store(&self) -> Store {
        Store::open_at(&self.schema.address().into(), Some(&self.data_folder)).unwrap()
    }
}
