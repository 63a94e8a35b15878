//! What lock files record of ingestions.

use craig_store::{IngestionState, Store};

use crate::fixture::{TestStore, status_of};

/// On a full disk nothing can be written into the database: what is recorded outside of it counts.
#[test]
fn a_run_that_the_database_knows_nothing_of_is_recorded() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let state = |store: &Store| status_of(store, &project).state;
    let lock = fixture.store.lock(&project).unwrap();
    let killed = std::panic::catch_unwind(|| lock.record_run(|| -> Result<(), String> { panic!("killed") }));
    assert!(killed.is_err());
    assert_eq!(state(&fixture.store), IngestionState::Pending, "its lock is still held");
    drop(lock);
    assert_eq!(state(&fixture.store), IngestionState::CutOff);

    let lock = fixture.store.lock(&project).unwrap();
    let error = format!("no room\non the disk: {}", "größer ".repeat(200));
    lock.record_run(|| Err::<(), _>(error)).unwrap_err();
    drop(lock);
    let status = status_of(&fixture.store, &project);
    let error = status.error.unwrap();
    assert_eq!(status.state, IngestionState::Failed);
    assert!(error.starts_with("no room on the disk: größer größer"), "{error}");

    fixture.purge(&project);
    let again = fixture.project("jobs");
    assert_eq!(again.reference, project.reference);
    assert_eq!(state(&fixture.store), IngestionState::Pending, "a purged project leaves no record");
}
