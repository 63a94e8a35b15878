//! How an ingestion is going, as every process sees it.

use craig_store::{Batch, IngestionState, IngestionStatus, Store};

use crate::fixture::{EMBEDDER, TestStore, file, status_of};

#[test]
fn an_ingestion_is_reported_from_beginning_to_end() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    assert_eq!(fixture.store.ingestion_status(&project).unwrap(), IngestionStatus::default());
    let status = |store: &Store| status_of(store, &project);

    let lock = fixture.store.lock(&project).unwrap();
    let result = lock.record_run(|| {
        let run = fixture.store.begin_ingestion(project.id, 4).unwrap();
        let begun = status(&fixture.store);
        assert_eq!((begun.state, begun.progress, begun.total_files), (IngestionState::InProgress, 0, 4));

        let batch = Batch { changed: vec![file("a.rs", "fn a() {}")], ..Batch::default() };
        fixture.store.apply(&run, Some(EMBEDDER), &batch, 1).unwrap();
        let under_way = status(&fixture.store);
        assert_eq!((under_way.progress, under_way.processed_files), (25, 1));
        assert_eq!(under_way.current_file.as_deref(), Some("a.rs"));
        fixture.store.complete_ingestion(&run)
    });
    result.unwrap();
    let done = status(&fixture.store);
    assert_eq!((done.state, done.progress, done.processed_files), (IngestionState::Completed, 100, 4));
    assert_eq!((done.current_file, done.completed_at.is_some()), (None, true));
    let files = fixture.store.tracked_files(project.id).unwrap();
    let hash = craig_source::content_hash(files.iter().map(|file| (&*file.path, file.hash)));
    assert_eq!(fixture.store.project("jobs").unwrap().content_hash, Some(hash.to_hex()));

    let second = fixture.store.begin_ingestion(project.id, 2).unwrap();
    fixture.store.fail_ingestion(&second, "the disk is full").unwrap();
    drop(lock);
    let failed = status(&fixture.store);
    assert_eq!((failed.state, failed.total_files), (IngestionState::Failed, 2));
    assert_eq!(failed.error.as_deref(), Some("the disk is full"));
}

#[test]
fn an_ingestion_whose_process_is_gone_was_cut_off() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.store.begin_ingestion(project.id, 4).unwrap();
    let status = status_of(&fixture.store, &project);
    assert_eq!((status.state, status.total_files), (IngestionState::CutOff, 4));
    assert_eq!(status.state.as_str(), "failed");
    let _lock = fixture.store.lock(&project).unwrap();
    let status = status_of(&fixture.store, &project);
    assert_eq!(status.state, IngestionState::InProgress, "somebody is at it");
}
