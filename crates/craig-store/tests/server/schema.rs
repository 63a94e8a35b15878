//! A schema of its own for a test, in the database that `CRAIG_TEST_POSTGRES` names.

use std::path::Path;

use postgres::{Client, NoTls};

/// A schema, which is dropped with it.
pub(crate) struct Schema {
    name: String,
    address: String,
}

impl Schema {
    /// The schema of a test that has this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        let name = format!("test_{}", &blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex()[..16]);
        server().batch_execute(&format!("CREATE SCHEMA {name}")).unwrap();
        let server = server_address();
        let separator = if server.contains('?') { '&' } else { '?' };
        Self { address: format!("{server}{separator}options=-csearch_path%3D{name}"), name }
    }

    /// The address of a database whose tables are in the schema.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        server().batch_execute(&format!("DROP SCHEMA {} CASCADE", self.name)).unwrap();
    }
}

/// A connection of another program.
pub(crate) fn server() -> Client {
    Client::connect(&server_address(), NoTls).unwrap()
}

fn server_address() -> String {
    std::env::var("CRAIG_TEST_POSTGRES")
        .expect("these tests need the address of a database in CRAIG_TEST_POSTGRES: scripts/test-postgres starts a server")
}
