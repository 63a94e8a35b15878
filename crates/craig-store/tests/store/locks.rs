//! One writer a project, and a lock that dies with whoever held it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::project::Bench;
use craig_store::{LastRun, LockError, Store};

/// The database and project that [`hold_a_lock_until_killed`] is to lock.
const HELD_DATABASE: &str = "CRAIG_TEST_HELD_DATABASE";

#[test]
fn a_lock_held_by_another_thread_names_this_process() {
    let mut bench = Bench::new();
    let (jobs, mail) = (bench.project("jobs"), bench.project("mail"));
    let held = bench.store.try_lock(&jobs).unwrap();
    let path = bench.path();
    let message = std::thread::spawn(move || {
        let store = Store::open(&path).unwrap();
        store.try_lock(&store.project("jobs").unwrap()).unwrap_err().to_string()
    });
    let expected = format!("the project is being written by process {}", std::process::id());
    assert_eq!(message.join().unwrap(), expected);
    assert!(bench.store.try_lock(&mail).is_ok(), "another project is free");
    drop(held);
    assert!(bench.store.try_lock(&jobs).is_ok(), "dropping it frees it");
}

#[test]
fn waiting_for_a_lock_ends_when_it_is_dropped() {
    let mut bench = Bench::new();
    let jobs = bench.project("jobs");
    let held = bench.store.try_lock(&jobs).unwrap();
    let path = bench.path();
    let (sender, got_it) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let store = Store::open(&path).unwrap();
        let lock = store.lock(&store.project("jobs").unwrap()).unwrap();
        sender.send(()).unwrap();
        drop(lock);
    });
    let wait = std::time::Duration::from_millis(100);
    assert!(got_it.recv_timeout(wait).is_err(), "it waits while the lock is held");
    drop(held);
    waiter.join().unwrap();
    assert!(got_it.try_recv().is_ok());
}

#[test]
fn a_lock_dies_with_the_process_that_held_it() {
    let mut bench = Bench::new();
    let jobs = bench.project("jobs");
    let mut holder = holder_of_lock(&bench.path());
    let error = bench.store.try_lock(&jobs).unwrap_err();
    let LockError::Held { holder: named } = error else { panic!("{error}") };
    assert_eq!(named.pid, Some(holder.id()));

    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(bench.store.try_lock(&jobs).is_ok());
}

/// Runs this test binary's [`hold_a_lock_until_killed`] and waits until it has the lock.
fn holder_of_lock(database: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture", "locks::hold_a_lock_until_killed"])
        .env(HELD_DATABASE, database)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let is_told = output.lines().any(|line| line.unwrap().contains("the lock is held"));
    assert!(is_told, "the other process took the lock");
    child
}

/// The other process of [`a_lock_dies_with_the_process_that_held_it`].
#[test]
#[ignore = "is run by another test, in a process of its own"]
#[expect(clippy::print_stdout, reason = "it tells its parent process")]
fn hold_a_lock_until_killed() {
    let Ok(database) = std::env::var(HELD_DATABASE) else { return };
    let store = Store::open(Path::new(&database)).unwrap();
    let _lock = store.lock(&store.project("jobs").unwrap()).unwrap();
    println!("the lock is held");
    // The parent closes the pipe when it dies, so that nothing is left behind.
    let _ = std::io::stdin().lines().count();
}

/// The lock file has its length from the beginning, so that this can be written on a full disk.
#[test]
fn beside_the_lock_it_is_noted_how_the_newest_ingestion_went() {
    let mut bench = Bench::new();
    let jobs = bench.project("jobs");
    assert_eq!(bench.store.last_run(&jobs), LastRun::Unknown, "nobody has ever locked it");
    let lock = bench.store.lock(&jobs).unwrap();
    let path = bench.store.side_folder().join(format!("{}.lock", jobs.reference));
    let n_bytes = std::fs::metadata(&path).unwrap().len();
    lock.note_begun();
    assert_eq!(bench.store.last_run(&jobs), LastRun::Running);
    drop(lock);
    assert_eq!(bench.store.last_run(&jobs), LastRun::CutOff);

    let lock = bench.store.lock(&jobs).unwrap();
    lock.note_failed(&format!("no room\non the disk: {}", "größer ".repeat(200)));
    drop(lock);
    let LastRun::Failed(error) = bench.store.last_run(&jobs) else { panic!("it failed") };
    assert!(error.starts_with("no room on the disk: größer größer"), "{error}");

    let lock = bench.store.lock(&jobs).unwrap();
    assert!(matches!(bench.store.try_lock(&jobs), Err(LockError::Held { holder }) if holder.pid.is_some()));
    lock.note_completed();
    drop(lock);
    assert_eq!(bench.store.last_run(&jobs), LastRun::Completed);
    bench.store.lock(&jobs).unwrap().note_nothing();
    assert_eq!(bench.store.last_run(&jobs), LastRun::Unknown);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), n_bytes);
}
