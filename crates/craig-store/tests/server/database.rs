//! The database of a test: a schema on the server.

use std::path::{Path, PathBuf};

use craig_store::{DatabaseAddress, Store};
use postgres::NoTls;

/// The variable with the address of the database for tests.
pub(crate) const SERVER: &str = "CRAIG_TEST_POSTGRES";

pub(crate) struct Database {
    address: String,
    data_folder: PathBuf,
    /// The schema that is dropped at the end.
    own: Option<String>,
}

impl Database {
    pub(crate) fn new(folder: &Path) -> Self {
        let schema = format!("test_{}", &blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex()[..16]);
        server().batch_execute(&format!("CREATE SCHEMA {schema}")).unwrap();
        let address = in_schema(&schema);
        Self { address, data_folder: folder.join("data"), own: Some(schema) }
    }

    pub(crate) fn named(name: &str) -> Self {
        let (data_folder, address) = name.split_once('\n').unwrap();
        Self { address: address.to_owned(), data_folder: data_folder.into(), own: None }
    }

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

    pub(crate) fn holder(&self, process: u32) -> String {
        format!("craig {process} on ")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(schema) = &self.own {
            server().batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).unwrap();
        }
    }
}

/// A connection of another program.
pub(crate) fn server() -> postgres::Client {
    postgres::Client::connect(&std::env::var(SERVER).unwrap(), NoTls).unwrap()
}

/// The address of a schema in the database for tests.
pub(crate) fn in_schema(schema: &str) -> String {
    let address = std::env::var(SERVER).unwrap();
    let separator = if address.contains('?') { '&' } else { '?' };
    format!("{address}{separator}options=-csearch_path%3D{schema}")
}
