//! One writer per project, and locks that are released when their holders end.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use craig_store::StoreError;

use crate::database::Database;
use crate::fixture::TestStore;

/// The database and project that [`hold_a_lock_until_killed`] is to lock.
const HELD_DATABASE: &str = "CRAIG_TEST_HELD_DATABASE";

#[test]
fn a_lock_held_by_another_thread_names_this_process() {
    let mut fixture = TestStore::new();
    let (jobs, mail) = (fixture.project("jobs"), fixture.project("mail"));
    let held = fixture.store.try_lock(&jobs).unwrap();
    let store = fixture.open_again();
    let message =
        std::thread::spawn(move || store.try_lock(&store.project("jobs").unwrap()).unwrap_err().to_string());
    let expected = "another thread of this process is writing the project";
    assert_eq!(message.join().unwrap(), expected);
    assert!(fixture.store.try_lock(&mail).is_ok(), "another project is free");
    drop(held);
    assert!(fixture.store.try_lock(&jobs).is_ok(), "dropping it frees it");
}

#[test]
fn waiting_for_a_lock_ends_when_it_is_dropped() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    let held = fixture.store.try_lock(&jobs).unwrap();
    let store = fixture.open_again();
    let (sender, got_it) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let lock = store.lock(&store.project("jobs").unwrap()).unwrap();
        sender.send(()).unwrap();
        drop(lock);
    });
    let wait = Duration::from_millis(100);
    assert!(got_it.recv_timeout(wait).is_err(), "it waits while the lock is held");
    drop(held);
    waiter.join().unwrap();
    assert!(got_it.try_recv().is_ok());
}

#[test]
fn a_lock_dies_with_the_process_that_held_it() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    let mut holder = holder_of_lock(&fixture.database.name());
    let error = fixture.store.try_lock(&jobs).unwrap_err();
    let StoreError::Held { holder: named } = error else { panic!("{error}") };
    assert!(named.starts_with(&fixture.database.holder(holder.id())), "{named}");

    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(fixture.store.try_lock(&jobs).is_ok());
}

/// Runs this test binary's [`hold_a_lock_until_killed`] and waits until it has the lock.
fn holder_of_lock(database: &str) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture", "locks::hold_a_lock_until_killed"])
        .env(HELD_DATABASE, database)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let is_held = output.lines().any(|line| line.unwrap().contains("the lock is held"));
    assert!(is_held, "the other process took the lock");
    child
}

/// The other process of [`a_lock_dies_with_the_process_that_held_it`].
#[test]
#[ignore = "is run by another test, in a process of its own"]
#[expect(clippy::print_stdout, reason = "it reports to its parent process")]
fn hold_a_lock_until_killed() {
    let Ok(database) = std::env::var(HELD_DATABASE) else { return };
    let store = Database::named(&database).open();
    let _lock = store.lock(&store.project("jobs").unwrap()).unwrap();
    println!("the lock is held");
    // The parent closes the pipe when it dies, so that nothing is left behind.
    let _ = std::io::stdin().lines().count();
}

#[test]
fn an_index_has_one_writer_as_well() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    let held = fixture.store.lock_index(&jobs, Duration::ZERO).unwrap();
    let store = fixture.open_again();
    let (sender, got_it) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let lock = store.lock_index(&store.project("jobs").unwrap(), Duration::from_secs(60)).unwrap();
        sender.send(()).unwrap();
        drop(lock);
    });
    assert!(fixture.store.try_lock(&jobs).is_ok(), "the project itself is free");
    assert!(got_it.recv_timeout(Duration::from_millis(100)).is_err(), "it waits");
    let refused = fixture.store.lock_index(&jobs, Duration::from_millis(20)).unwrap_err();
    assert_eq!(refused.to_string(), "another thread of this process is writing the project");
    drop(held);
    waiter.join().unwrap();
}
