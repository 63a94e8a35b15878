//! The database of a test: a schema on the server.

use std::path::{Path, PathBuf};

use craig_store::{DatabaseAddress, Store};

use crate::schema::Schema;

pub(crate) struct Database {
    address: String,
    data_folder: PathBuf,
    /// `None` in another process than the test's.
    _schema: Option<Schema>,
}

impl Database {
    pub(crate) fn new(folder: &Path) -> Self {
        let schema = Schema::new(folder);
        Self { address: schema.address().to_owned(), data_folder: folder.join("data"), _schema: Some(schema) }
    }

    /// The database that [`name`](Self::name) names.
    pub(crate) fn named(name: &str) -> Self {
        let (data_folder, address) = name.split_once('\n').unwrap();
        Self { address: address.to_owned(), data_folder: data_folder.into(), _schema: None }
    }

    /// Names it for another process.
    pub(crate) fn name(&self) -> String {
        format!("{}\n{}", self.data_folder.display(), self.address)
    }

    pub(crate) fn open(&self) -> Store {
        Store::open_at(&self.address(), Some(&self.data_folder)).unwrap()
    }

    pub(crate) fn address(&self) -> DatabaseAddress {
        DatabaseAddress::from(self.address.as_str())
    }

    pub(crate) fn data_folder(&self) -> &Path {
        &self.data_folder
    }

    /// How a lock's holder is named that is the process with this id.
    pub(crate) fn holder(&self, process: u32) -> String {
        format!("craig {process} on ")
    }
}
