//! What was cut off, replaced or written by another version is made whole by the next ingestion.

use std::path::Path;

use craig_engine::{Consent, IngestRequest, SourceOptions, Waiting};
use craig_store::{Batch, Store};

use crate::workshop::{Workshop, open};

/// Runs one statement on the database.
fn alter(workshop: &Workshop, sql: &str) {
    let connection = rusqlite::Connection::open(workshop.database()).unwrap();
    connection.execute_batch(sql).unwrap();
}

/// A process may die after its last commit and before it says that it is done.
#[test]
fn a_run_that_died_before_it_said_so_is_completed() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    let mut store = Store::open(&workshop.database()).unwrap();
    let project = store.project("tree").unwrap();
    workshop.remove("a.rs");
    let removed = store.tracked_files(project.id).unwrap().into_iter().filter(|file| file.path == "a.rs");
    let batch = Batch { changed: Vec::new(), removed: removed.map(|file| file.id).collect() };
    let run = store.begin_ingestion(project.id, 1).unwrap();
    store.apply(project.id, run, "any", &batch, 1).unwrap();
    let status = workshop.engine.status("tree").unwrap();
    assert_eq!(status.status, "failed", "a run without a process has failed");

    // Old enough for the stamps to prove that there is nothing to read.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    workshop.delta();
    workshop.delta();
    workshop.check_is_fresh();
}

#[test]
fn a_run_that_died_with_nothing_left_to_do_is_completed() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    workshop.delta();
    let mut store = Store::open(&workshop.database()).unwrap();
    let project = store.project("tree").unwrap();
    store.begin_ingestion(project.id, 1).unwrap();
    alter(&workshop, "UPDATE projects SET content_hash = 'of an earlier state'");
    workshop.delta();
    workshop.check_is_fresh();
}

/// The advice for a damaged database is to move it away: the index beside it is of another database then.
#[test]
fn an_index_left_by_another_database_is_not_taken_for_this_one() {
    let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let path = workshop.database();
    workshop.engine = open(Path::new(&path.with_file_name("elsewhere.db")));
    for file in ["craig.db", "craig.db-wal", "craig.db-shm"] {
        let _ = std::fs::remove_file(path.with_file_name(file));
    }
    workshop.remove("a.rs");
    workshop.write("b.rs", "fn beta() {}");
    workshop.engine = open(&path);
    workshop.ingest();
    assert_eq!(workshop.found("beta"), ["b.rs"]);
    workshop.check_is_fresh();
}

#[test]
fn a_damaged_or_missing_index_is_made_anew() {
    let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.md", "# Beta")]);
    let side = workshop.database().with_file_name("craig.db.d");
    let index =
        std::fs::read_dir(&side).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
    let index = index.unwrap();
    let damage = [
        ("manifest.json", &b"{}"[..]),
        ("manifest.json", b"not json"),
        ("manifest.json", b""),
        ("000000.seg", b"short"),
        ("000000.seg", &[0x5A; 4096]),
    ];
    for (name, bytes) in damage {
        let file = std::fs::read_dir(&index)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.extension() == Path::new(name).extension());
        // A new file, as the mapped one must not change under its readers.
        let file = file.unwrap();
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, bytes).unwrap();
        workshop.engine = open(&workshop.database());
        workshop.delta();
        workshop.check_is_fresh();
    }
    std::fs::remove_dir_all(&index).unwrap();
    workshop.engine = open(&workshop.database());
    workshop.check_is_fresh();
}

/// An older version cut the files in another way, or embedded them with another model.
#[test]
fn what_another_version_made_is_made_anew() {
    let changes = [
        "UPDATE projects SET options = json_set(options, '$.format', 0)",
        "UPDATE projects SET options = json_set(options, '$.embedder', 'an older model');
         UPDATE embedders SET name = 'an older model'",
        "UPDATE projects SET options = json_remove(options, '$.embedder');
         UPDATE embedders SET name = 'an older model'",
    ];
    for change in changes {
        let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.md", "# Beta")]);
        alter(&workshop, &format!("UPDATE chunks SET chunk_type = 'block'; {change}"));
        workshop.engine = open(&workshop.database());
        workshop.delta();
        workshop.check_is_fresh();
        assert_eq!(workshop.delta().files.changed, 0, "once is enough: {change}");
    }
}

/// The version of the cut is noted when all files are cut, not before.
#[test]
fn a_new_version_that_was_cut_off_goes_on_cutting() {
    let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.md", "# Beta")]);
    alter(
        &workshop,
        "UPDATE chunks SET chunk_type = 'block';
         UPDATE projects SET options = json_set(options, '$.format', 0)",
    );
    workshop.engine = open(&workshop.database());
    // A database that has a trigger when it is opened is refused.
    alter(&workshop, "CREATE TRIGGER full BEFORE INSERT ON files BEGIN SELECT RAISE(FAIL, 'no room'); END");
    workshop.engine.ingest_delta("tree", Waiting::Fail, Consent::default(), &mut |_| ()).unwrap_err();
    alter(&workshop, "DROP TRIGGER full");
    workshop.delta();
    workshop.check_is_fresh();
}

#[test]
fn a_directory_named_like_an_id_gets_a_name_that_is_none() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("2024");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("a.rs"), "fn alpha() {}").unwrap();
    let engine = open(&home.path().join("craig.db"));
    let request = IngestRequest {
        directory,
        name: None,
        options: SourceOptions::default(),
        waiting: Waiting::Fail,
        consent: Consent::default(),
    };
    let name = engine.ingest(&request, &mut |_| ()).unwrap().project;
    assert_eq!(name, "project-2024");
    assert_eq!(engine.ingest(&request, &mut |_| ()).unwrap().project, name, "the same one again");
}

/// Whoever waits for a lock may get it when the project is gone.
#[test]
fn a_project_purged_while_it_was_waited_for_is_told_unknown() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let mut store = Store::open(&workshop.database()).unwrap();
    let project = store.project("tree").unwrap();
    let lock = store.lock(&project).unwrap();
    let path = workshop.database();
    let waiter = std::thread::spawn(move || {
        let error =
            open(&path).ingest_delta("tree", Waiting::Wait, Consent::default(), &mut |_| ()).unwrap_err();
        error.to_string()
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    store.purge(project.id).unwrap();
    drop(lock);
    assert_eq!(waiter.join().unwrap(), r#"no project "tree""#);
}

/// A database that somebody hands over may call any directory a clone, and clones are removed with their projects.
#[test]
fn a_directory_that_is_no_clone_of_craigs_own_is_not_removed() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let database = home.join("given.db");
    std::fs::create_dir_all(home.join("precious/work")).unwrap();
    std::fs::create_dir_all(home.join("given.db.d/clones")).unwrap();
    std::fs::write(home.join("precious/letter"), "mine").unwrap();
    let git = r#"{"git": {"url": "https://example.invalid/evil.git", "depth": 1}}"#;
    for (name, directory) in [("a", "precious/work"), ("b", "given.db.d/clones/../../precious/work")] {
        let mut store = Store::open(&database).unwrap();
        store.create_project(name, home.join(directory).to_str().unwrap(), git).unwrap();
        open(&database).purge(name).unwrap();
        assert!(home.join("precious/work").is_dir() && home.join("precious/letter").is_file(), "{directory}");
    }
}
