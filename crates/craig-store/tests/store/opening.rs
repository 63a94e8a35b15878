//! Which files are opened, which are refused, and that the refused ones are left as they are.

use std::path::{Path, PathBuf};

use crate::project::{Bench, EMBEDDER, GUIDE, QUEUE, apply, bytes, file};
use craig_store::{ContextUse, IngestionState, SCHEMA_VERSION, Store, StoreError};

fn refusal(path: &Path) -> StoreError {
    match Store::open(path) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    }
}

#[test]
fn a_missing_folder_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b/ü/craig.db");
    assert!(Store::open(&path).unwrap().projects().unwrap().is_empty());
    assert!(path.is_file());
}

#[test]
fn what_is_committed_is_there_after_reopening() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    bench.apply(&project, vec![file("src/queue.rs", QUEUE)], vec![]);
    bench.store = Store::open(&bench.path()).unwrap();
    assert_eq!(bench.outline(&project), "src/queue.rs 1\n");
}

#[test]
fn a_newer_version_is_refused_and_left_untouched() {
    let Bench { folder, store } = Bench::new();
    let path = store.path().to_owned();
    drop(store);
    let newer = SCHEMA_VERSION + 1;
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "journal_mode", "delete").unwrap();
    connection.pragma_update(None, "user_version", newer).unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();

    let error = refusal(&path);
    assert!(matches!(error, StoreError::Newer { found, .. } if found == newer), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing was put beside it: {names:?}");
}

#[test]
fn what_is_no_database_is_refused_and_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let long_text = "Not a database, but some notes. ".repeat(100);
    std::fs::write(&path, &long_text).unwrap();
    let error = refusal(&path);
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), long_text);

    let error = refusal(folder.path());
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = refusal(&folder.path().join("file/craig.db"));
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
}

#[test]
fn the_database_of_another_program_is_refused_and_left_untouched() {
    for version in [0, 1] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("photos.sqlite");
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE photos (id INTEGER PRIMARY KEY)").unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        let error = refusal(&path);
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("another program"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_damaged_database_says_so() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    let files = (0..50).map(|i| file(&format!("f{i}.md"), &format!("# {i}\n\n{GUIDE}"))).collect();
    bench.apply(&project, files, vec![]);
    let path = bench.path();
    drop(bench.store);
    let whole = std::fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[4096..].iter_mut().for_each(|byte| *byte = 0x5A);
    std::fs::write(&path, damaged).unwrap();
    let read = Store::open(&path).and_then(|store| store.file_records(project.id));
    assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");

    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let read = Store::open(&path).and_then(|store| store.file_records(project.id));
    assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
}

fn fixture(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}.db"))
}

/// Writes the fixture of the present version: run it once for each new version, and never again.
///
/// `cargo test -p craig-store --test store -- --ignored make_the_fixture`
#[test]
#[ignore = "writes tests/fixtures"]
fn make_the_fixture_of_this_version() {
    let path = fixture(SCHEMA_VERSION);
    assert!(!path.exists(), "a released fixture is never written anew");
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
    store.fail_ingestion(run, "the disk is full").unwrap();
    let id = store.record_context_use(project.id, &context_use()).unwrap();
    store.rate_context_use(Some(id), true, Some("just right")).unwrap();
    drop(store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = delete; PRAGMA page_size = 512; VACUUM").unwrap();
}

/// Every version that ever was is read whole: a new version brings its migration, and a fixture.
#[test]
fn databases_of_every_version_are_read_whole() {
    for version in 1..=SCHEMA_VERSION {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("craig.db");
        std::fs::copy(fixture(version), &path).expect("each version has its fixture");
        let mut bench = Bench { store: Store::open(&path).unwrap(), folder };
        check_contents(&bench, version);
        // What was read can be written to as well.
        let project = bench.store.project("jobs").unwrap();
        bench.apply(&project, vec![file("new.rs", "fn new() {}")], vec![]);
        assert_eq!(bench.outline(&project), ".env 0\nGUIDE.md 1\nlogo.png 0\nnew.rs 1\nsrc/queue.rs 1\n");
    }
}

fn context_use() -> ContextUse {
    ContextUse {
        kind: "chat".into(),
        blocks: 2,
        tokens: 300,
        whole_tokens: 4_000,
        best_score: Some(0.9),
        mean_score: Some(0.8),
        step_us: [1, 2, 3, 4],
        total_us: 11,
        query: Some("how are jobs queued".into()),
        ..ContextUse::default()
    }
}

fn check_contents(bench: &Bench, version: u32) {
    let store = &bench.store;
    if version >= 2 {
        let used = store.context_uses(None).unwrap().remove(0);
        let rated = (used.helpful, used.note.as_deref());
        assert_eq!(rated, (Some(true), Some("just right")));
        let blank = ContextUse { id: 0, used_at: String::new(), helpful: None, note: None, ..used };
        assert_eq!(blank, context_use());
    }
    let project = store.project("jobs").unwrap();
    assert_eq!((project.source_path.as_str(), project.generation), ("/src/jobs", 1), "version {version}");
    assert_eq!(project.content_hash.as_deref(), Some("0123"));
    assert_eq!(store.project(&project.reference).unwrap(), project);
    assert_eq!(bench.outline(&project), ".env 0\nGUIDE.md 1\nlogo.png 0\nsrc/queue.rs 1\n");

    let done = store.ingestion_status(project.id).unwrap().unwrap();
    assert_eq!((done.state, done.processed_files), (IngestionState::Completed, 4));
    let stopped = store.project("stopped").unwrap();
    let failed = store.ingestion_status(stopped.id).unwrap().unwrap();
    assert_eq!((failed.state, failed.error.as_deref()), (IngestionState::Failed, Some("the disk is full")));

    let id = bench.file_id(&project, "src/queue.rs");
    let stored = store.load_files(&[id], EMBEDDER).unwrap().remove(0);
    let names: Vec<_> = stored.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!((stored.text.as_str(), names.as_slice()), (QUEUE, ["Queue", "jobs", "push"].as_slice()));
    assert!(stored.chunks.iter().all(|chunk| chunk.vector.as_ref().is_some_and(|v| v.codes.len() == 256)));
    assert_eq!(store.tracked_files(project.id).unwrap().len(), 4);
    assert!(store.file_text(project.id, "logo.png").unwrap().unwrap().record.is_binary);
}

#[test]
fn uses_are_kept_without_waiting_and_can_be_rated() {
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    let first = bench.store.record_context_use(project.id, &context_use()).unwrap();
    let none = ContextUse { blocks: 0, reason: Some("generic".into()), ..context_use() };
    let second = bench.store.record_context_use(project.id, &none).unwrap();
    // The newest that was given, and the one that is named.
    assert_eq!(bench.store.rate_context_use(None, false, None).unwrap(), Some(first));
    assert_eq!(bench.store.rate_context_use(Some(second), true, None).unwrap(), Some(second));
    assert_eq!(bench.store.rate_context_use(Some(99), true, None).unwrap(), None);
    let rated: Vec<_> =
        bench.store.context_uses(Some(project.id)).unwrap().iter().map(|used| used.helpful).collect();
    assert_eq!(rated, [Some(false), Some(true)]);

    let other = rusqlite::Connection::open(bench.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let started = std::time::Instant::now();
    let busy = bench.store.record_context_use(project.id, &context_use());
    assert!(matches!(busy, Err(StoreError::Busy { .. })), "{busy:?}");
    assert!(started.elapsed().as_secs() < 5);
    drop(other);
    bench.store.purge(project.id).unwrap();
    assert_eq!(bench.store.context_uses(None).unwrap(), []);
}

#[test]
fn a_database_of_another_role_is_refused_and_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("moved.db");
    let Bench { folder: _kept, store } = Bench::new();
    let index = store.path().to_owned();
    drop(store);
    for (id, name) in
        [(*b"CrgD", "the documentation of a repository"), (*b"CrgW", "the index of an editor's workspace")]
    {
        std::fs::copy(&index, &path).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "application_id", i32::from_be_bytes(id)).unwrap();
        connection.pragma_update(None, "journal_mode", "delete").unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        let error = refusal(&path);
        assert!(
            error.to_string().ends_with(&format!("moved.db holds {name}, not an index of projects")),
            "{error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn an_older_database_becomes_an_index_unless_it_holds_documentation() {
    for (options, is_index) in [("{\"format\":1}", true), ("documentation 1", false)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("craig.db");
        std::fs::copy(fixture(3), &path).unwrap();
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

/// Triggers run when Craig writes, and a view can take for ever: what the migrations did not make is not opened.
#[test]
fn a_database_with_a_program_in_it_is_refused() {
    let programs = [
        "CREATE TRIGGER t AFTER UPDATE ON projects BEGIN DELETE FROM files; END",
        "CREATE VIEW w AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "DROP TABLE context_uses; CREATE VIEW context_uses AS SELECT 1",
        "CREATE TABLE notes (text TEXT)",
        "CREATE INDEX i ON files (length(content))",
    ];
    for program in programs {
        let Bench { folder: _folder, store } = Bench::new();
        let path = store.path().to_owned();
        drop(store);
        rusqlite::Connection::open(&path).unwrap().execute_batch(program).unwrap();
        let error = refusal(&path);
        assert!(error.to_string().contains("are not those that craig makes"), "{program}: {error}");
    }
    let Bench { folder: _folder, store } = Bench::new();
    let path = store.path().to_owned();
    drop(store);
    rusqlite::Connection::open(&path).unwrap().execute_batch("ANALYZE").unwrap();
    assert!(Store::open(&path).is_ok());
}

#[cfg(unix)]
#[test]
fn files_that_others_can_read_are_closed_to_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut bench = Bench::new();
    let project = bench.project("jobs");
    drop(bench.store.lock(&project).unwrap());
    let (path, side_folder) = (bench.path(), bench.store.side_folder());
    let lock = std::fs::read_dir(&side_folder).unwrap().next().unwrap().unwrap().path();
    let wal = path.with_file_name("craig.db-wal");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let loosen = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap()
    };
    assert_eq!([&path, &wal, &lock, &side_folder].map(|path| mode(path)), [0o600, 0o600, 0o600, 0o700]);

    loosen(bench.folder.path(), 0o755);
    [&path, &wal, &lock].into_iter().for_each(|path| loosen(path, 0o644));
    loosen(&side_folder, 0o755);
    let again = Store::open(&path).unwrap();
    assert_eq!([&path, &wal, &lock, &side_folder].map(|path| mode(path)), [0o600, 0o600, 0o600, 0o700]);
    assert_eq!(mode(bench.folder.path()), 0o755, "the folder was there before Craig");
    drop(again);
}

/// A reference names a folder that is removed with the project.
#[test]
fn a_reference_that_is_a_path_is_refused() {
    let mut bench = Bench::new();
    bench.project("jobs");
    let connection = rusqlite::Connection::open(bench.path()).unwrap();
    connection.execute("UPDATE projects SET reference = '../../elsewhere'", []).unwrap();
    let error = bench.store.project("jobs").unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains("\"../../elsewhere\""), "{error}");
}
