//! Databases that other versions wrote: `tests/fixtures` has one of each.

use std::path::{Path, PathBuf};

use craig_store::{ContextUse, IngestionState, Store};

use crate::context_uses::context_use;
use crate::database::Database;
use crate::fixture::{EMBEDDER, GUIDE, QUEUE, TestStore, apply, bytes, file};

/// The version that this program writes.
fn present_version() -> u32 {
    TestStore::new().count("SELECT user_version FROM pragma_user_version").try_into().unwrap()
}

fn fixture_path(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}.db"))
}

/// Writes the fixture of the present version: run it once for each new version, and never again.
///
/// `cargo test -p craig-store --test store -- --ignored make_the_fixture`
#[test]
#[ignore = "writes tests/fixtures"]
fn make_the_fixture_of_this_version() {
    let path = fixture_path(present_version());
    assert!(!path.exists(), "a released fixture is never overwritten");
    let mut store = Store::open(&path).unwrap();
    let project = store.create_project("jobs", "/src/jobs", r#"{"format":1}"#).unwrap();
    let files = vec![
        file("GUIDE.md", GUIDE),
        file("src/queue.rs", QUEUE),
        bytes("logo.png", vec![0x89, 0, 1]),
        bytes(".env", b"TOKEN=hush\n".to_vec()),
    ];
    apply(&mut store, &project, files, vec![]);
    let stopped = store.create_project("stopped", "/src/stopped", "{}").unwrap();
    let run = store.begin_ingestion(stopped.id, 3).unwrap();
    store.fail_ingestion(&run, "the disk is full").unwrap();
    let number = store.record_context_use(project.id, &context_use()).unwrap();
    store.rate_context_use(Some(number), true, Some("just right")).unwrap();
    drop(store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = delete; PRAGMA page_size = 512; VACUUM").unwrap();
}

/// Every version that ever was is read whole: a new version brings its migration, and a fixture.
#[test]
fn databases_of_every_version_are_read_whole() {
    for version in 1..=present_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("craig.db");
        std::fs::copy(fixture_path(version), &path).expect("each version has its fixture");
        let mut fixture =
            TestStore { store: Store::open(&path).unwrap(), database: Database::new(folder.path()), folder };
        check_contents(&fixture, version);
        // What was read can be written to as well.
        let project = fixture.store.project("jobs").unwrap();
        fixture.apply(&project, vec![file("new.rs", "fn new() {}")], vec![]);
        assert_eq!(fixture.outline(&project), ".env 0\nGUIDE.md 1\nlogo.png 0\nnew.rs 1\nsrc/queue.rs 1\n");
    }
}

fn check_contents(fixture: &TestStore, version: u32) {
    let store = &fixture.store;
    if version >= 2 {
        let used = store.context_uses(None).unwrap().remove(0);
        let rated = (used.helpful, used.note.as_deref());
        assert_eq!(rated, (Some(true), Some("just right")));
        let blank = ContextUse { number: 0, used_at: String::new(), helpful: None, note: None, ..used };
        assert_eq!(blank, context_use());
    }
    let project = store.project("jobs").unwrap();
    assert_eq!((project.source_path.as_str(), project.generation), ("/src/jobs", 1), "version {version}");
    assert!(project.content_hash.is_some());
    assert_eq!(store.project(&project.reference).unwrap(), project);
    assert_eq!(fixture.outline(&project), ".env 0\nGUIDE.md 1\nlogo.png 0\nsrc/queue.rs 1\n");

    let done = store.ingestion_status(&project).unwrap();
    assert_eq!((done.state, done.processed_files), (IngestionState::Completed, 4));
    let stopped = store.project("stopped").unwrap();
    let failed = store.ingestion_status(&stopped).unwrap();
    assert_eq!((failed.state, failed.error.as_deref()), (IngestionState::Failed, Some("the disk is full")));

    let id = fixture.file_id(&project, "src/queue.rs");
    let stored = store.load_files(project.id, &[id], EMBEDDER).unwrap().remove(0);
    let names: Vec<_> = stored.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!((stored.text.as_str(), names.as_slice()), (QUEUE, ["Queue", "jobs", "push"].as_slice()));
    assert!(stored.chunks.iter().all(|chunk| chunk.vector.as_ref().is_some_and(|v| v.codes.len() == 256)));
    let named = store.load_names(project.id, &[id]).unwrap().remove(0).unpacked().unwrap();
    assert_eq!(
        named.n_lines,
        if version < 5 { 0 } else { 13 },
        "what an older version did not store is empty"
    );
    let is_empty = named.names.definitions.is_empty();
    assert_eq!(is_empty, version < 7, "what was packed in another way is empty");
    assert_eq!(store.tracked_files(project.id).unwrap().len(), 4);
    assert!(store.file_text(project.id, "logo.png").unwrap().unwrap().record.is_binary);
}

#[test]
fn an_older_database_becomes_an_index_unless_it_holds_documentation() {
    for (options, is_index) in [("{\"format\":1}", true), ("documentation 1", false)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("craig.db");
        std::fs::copy(fixture_path(3), &path).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute("UPDATE projects SET options = ?1", [options]).unwrap();
        drop(connection);
        match Store::open(&path) {
            Ok(_) => assert!(is_index),
            Err(error) => {
                assert!(
                    !is_index && error.to_string().contains("the documentation of a repository"),
                    "{error}"
                );
            }
        }
        let connection = rusqlite::Connection::open(&path).unwrap();
        let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
        assert_eq!(id, if is_index { i32::from_be_bytes(*b"CrgI") } else { 0 });
    }
}
