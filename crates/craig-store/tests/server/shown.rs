//! What a server's row-level security shows to a role that does not own the tables.

use std::collections::BTreeSet;

use craig_store::{DatabaseAddress, Store, StoreError};
use postgres::{Client, NoTls};

use crate::fixture::{EMBEDDER, TestStore, file};
use crate::schema::server;

/// A role that may read the tables of a test, until it is dropped.
struct Role {
    name: String,
    address: String,
}

impl Role {
    fn new(fixture: &TestStore) -> Self {
        let address = fixture.database.address().to_path().to_str().unwrap().to_owned();
        let schema = address.rsplit("%3D").next().unwrap();
        let name = format!("{schema}_server");
        let grants = format!(
            "CREATE ROLE {name} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {name};
             GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {name};
             GRANT INSERT, UPDATE ON {schema}.context_uses TO {name}"
        );
        Client::connect(&address, NoTls).unwrap().batch_execute(&grants).unwrap();
        let address = address.replace("postgres@", &format!("{name}@"));
        Self { name, address }
    }

    fn open(&self, fixture: &TestStore) -> Result<Store, StoreError> {
        Store::open_at(&DatabaseAddress::from(self.address.as_str()), Some(fixture.database.data_folder()))
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        server().batch_execute(&format!("DROP OWNED BY {0}; DROP ROLE {0}", self.name)).unwrap();
    }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn projects(store: &Store) -> Vec<String> {
    let all = store.projects().unwrap().into_iter().chain(store.groups().unwrap());
    all.map(|project| project.name).collect()
}

#[test]
fn a_role_of_its_own_reads_only_rows_of_the_projects_that_are_shown() {
    let mut fixture = TestStore::new();
    let (shop, bank, mail) = (fixture.project("shop"), fixture.project("bank"), fixture.project("mail"));
    let package = r#"{"package": {"users": ["SHOP"]}}"#.replace("SHOP", &shop.reference);
    let package = fixture.store.create_project("serde", "package:serde", &package).unwrap();
    let same = || file("same.rs", "fn same() {}");
    fixture.apply(&shop, vec![file("pay.rs", "fn pay() {}"), same()], vec![]);
    fixture.apply(&bank, vec![file("vault.rs", "fn vault() {}"), same()], vec![]);
    let money = fixture.store.add_to_group("money", &[shop.clone(), bank.clone()]).unwrap();
    let all = fixture.store.add_to_group("all", &[shop.clone(), bank.clone(), mail]).unwrap();
    let (pay, vault) = (fixture.file_id(&shop, "pay.rs"), fixture.file_id(&bank, "vault.rs"));
    let role = Role::new(&fixture);
    let mut store = role.open(&fixture).unwrap();
    assert_eq!(projects(&store), ["shop", "bank", "mail", "money", "all"], "nothing is limited yet");

    store.show_only(Some(&names(&["shop"]))).unwrap();
    assert_eq!(projects(&store), ["shop"]);
    assert_eq!(store.project("serde").unwrap().id, package.id);
    assert!(store.file_text(shop.id, "same.rs").unwrap().is_some(), "the other project has it, too");
    assert!(store.file_text(bank.id, "vault.rs").unwrap().is_none());
    assert_eq!(store.load_files(shop.id, &[pay, vault], EMBEDDER).unwrap().len(), 1);
    assert_eq!(store.load_names(bank.id, &[vault]).unwrap().len(), 0);
    assert_eq!(store.counts(bank.id).unwrap().chunks, 0);
    assert_eq!(store.file_records(all.id).unwrap().len(), 0);

    // Who may see all members of a group sees the group, and who may see a group its members.
    store.show_only(Some(&names(&["shop", "bank"]))).unwrap();
    assert_eq!(projects(&store), ["shop", "bank", "money"]);
    assert_eq!(store.file_records(money.id).unwrap().len(), 3);
    store.show_only(Some(&names(&["all"]))).unwrap();
    assert_eq!(projects(&store), ["shop", "bank", "mail", "all"]);
    store.show_only(Some(&names(&["nothing"]))).unwrap();
    assert_eq!(projects(&store), Vec::<String>::new());
    store.show_only(None).unwrap();
    assert_eq!(projects(&store).len(), 5);
}

#[test]
fn a_role_of_its_own_leaves_older_tables_to_their_owner() {
    let fixture = TestStore::new();
    let role = Role::new(&fixture);
    let address = fixture.database.address().to_path();
    let mut owner = Client::connect(address.to_str().unwrap(), NoTls).unwrap();
    owner.batch_execute("UPDATE craig SET version = 4").unwrap();
    let error = role.open(&fixture).err().unwrap();
    assert!(matches!(error, StoreError::Older { found: 4, .. }), "{error}");
}
