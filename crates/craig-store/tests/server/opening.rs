//! How a database on a server is opened, and what is refused.

use std::io::{Read as _, Write as _};

use craig_store::{DatabaseAddress, Store, StoreError, StoreErrorKind};

use crate::fixture::{QUEUE, TestStore, file};
use crate::schema::{Schema, server};

fn refused(fixture: &TestStore, address: &str) -> StoreError {
    let opened = Store::open_at(&DatabaseAddress::from(address), Some(fixture.database.data_folder()));
    opened.err().unwrap()
}

/// Why the database of `fixture` is refused after another program has run a statement on it.
fn refused_after(fixture: &TestStore, sql: &str) -> StoreError {
    let address = fixture.database.address().to_path();
    let address = address.to_str().unwrap();
    let mut other = postgres::Client::connect(address, postgres::NoTls).unwrap();
    other.batch_execute(sql).unwrap();
    refused(fixture, address)
}

#[test]
fn what_is_derived_is_in_a_folder_of_the_database() {
    let fixture = TestStore::new();
    let folder = fixture.store.derived_folder();
    assert!(folder.starts_with(fixture.database.data_folder().join("servers")), "{}", folder.display());
    let other = TestStore::new();
    assert_ne!(folder.file_name(), other.store.derived_folder().file_name());
    assert_eq!(folder, fixture.open_again().derived_folder());
    assert_eq!(folder, fixture.store.reopen().unwrap().derived_folder());
}

#[test]
fn tables_of_another_program_are_refused() {
    let fixture = TestStore::new();
    let schema = Schema::new(&fixture.folder.path().join("foreign"));
    let mut other = postgres::Client::connect(schema.address(), postgres::NoTls).unwrap();
    other.batch_execute("CREATE TABLE files ()").unwrap();
    let error = refused(&fixture, schema.address());
    assert!(error.to_string().contains("another program"), "{error}");
}

#[test]
fn newer_tables_are_refused() {
    let fixture = TestStore::new();
    let error = refused_after(&fixture, "UPDATE craig SET version = 99");
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
}

#[test]
fn tables_that_a_restore_doubled_are_named() {
    let fixture = TestStore::new();
    let error = refused_after(&fixture, "INSERT INTO craig SELECT * FROM craig");
    assert!(error.to_string().contains("a backup is restored into an empty database"), "{error}");
}

#[test]
fn a_missing_password_is_named_with_its_places() {
    let fixture = TestStore::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("postgres://craig@{}/index?sslmode=disable", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut startup = [0; 256];
        let _ = client.read(&mut startup).unwrap();
        // Asks for a password in clear text.
        client.write_all(&[b'R', 0, 0, 0, 8, 0, 0, 0, 3]).unwrap();
        let _ = client.read(&mut startup);
    });
    let error = refused(&fixture, &address);
    assert!(error.to_string().contains("~/.pgpass has no line for this address"), "{error}");
}

#[test]
fn an_unreachable_server_is_named() {
    let fixture = TestStore::new();
    let error = refused(&fixture, "postgres://craig@127.0.0.1:1/index");
    assert_eq!(error.kind(), StoreErrorKind::Environment);
    let text = error.to_string();
    assert!(text.starts_with("cannot use the database postgres://craig@127.0.0.1:1/index: "), "{text}");
}

#[test]
fn a_lost_connection_is_an_error_and_the_next_one_works() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("queue.rs", QUEUE)], vec![]);
    assert!(fixture.store.is_reusable());
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE $1";
    server().query_one(end, &[&format!("craig {} on %", std::process::id())]).unwrap();
    let error = fixture.store.count_files(project.id).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Environment, "{error}");
    assert!(!fixture.store.is_reusable());
    fixture.store = fixture.open_again();
    assert_eq!(fixture.store.count_files(project.id).unwrap(), 1);
}

#[test]
fn an_ingestion_that_lost_its_lock_changes_nothing() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let lost = fixture.store.begin_ingestion(project.id, 1).unwrap();
    let _later = fixture.store.begin_ingestion(project.id, 1).unwrap();
    let batch = craig_store::Batch { changed: vec![file("queue.rs", QUEUE)], ..Default::default() };
    let error = fixture.store.apply(&lost, Some(crate::fixture::EMBEDDER), &batch, 1).unwrap_err();
    assert!(matches!(error, StoreError::Held { .. }), "{error}");
    assert_eq!(fixture.store.count_files(project.id).unwrap(), 0);
}
