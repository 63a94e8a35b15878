//! Copies between a file and a server.

use craig_store::Store;

use crate::copies::{check_copy, filled};
use crate::fixture::TestStore;

#[test]
fn a_server_s_database_is_copied_into_a_file_and_back() {
    let from = filled();
    let mut file = Store::open(&from.folder.path().join("copy.db")).unwrap();
    from.store.copy_to(&mut file, &mut |_, _| ()).unwrap();
    let mut back = TestStore::new();
    check_copy(&file, &mut back.store);
}
