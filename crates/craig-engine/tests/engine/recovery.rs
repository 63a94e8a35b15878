//! What was cut off, replaced or written by another version is made whole by the next ingestion.

use std::path::Path;

use craig_chunk::{Chunk, ChunkKind};
use craig_engine::{Consent, IngestRequest, Phase, SourceOptions, Waiting};
use craig_model::Quantized;
use craig_source::Root;
use craig_store::{Batch, ChunkText, IndexedFile, Store, TextHash};
use serde_json::Value;

use crate::workshop::{Workshop, open};

/// A process may die after its last commit and before it says that it is done.
#[test]
fn a_run_that_died_before_its_report_is_completed() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    let mut store = workshop.store();
    let project = store.project("tree").unwrap();
    workshop.remove("a.rs");
    let removed = store.tracked_files(project.id).unwrap().into_iter().filter(|file| file.path == "a.rs");
    let batch = Batch { removed: removed.map(|file| file.id).collect(), ..Batch::default() };
    let run = store.begin_ingestion(project.id, 1).unwrap();
    store.apply(&run, Some("any"), &batch, 1).unwrap();
    let status = workshop.engine.status("tree").unwrap();
    assert_eq!(status.status, craig_engine::IngestionState::Failed, "a run without a process has failed");

    // Old enough for the stamps to prove that there is nothing to read.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    workshop.delta();
    workshop.delta();
    workshop.check_is_fresh();
}

/// The advice for a damaged database is to move it away: the index beside it is of another database then.
#[test]
fn an_index_left_by_another_database_is_not_taken_for_this_one() {
    let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let path = workshop.database();
    workshop.engine = open(Path::new(&path.with_file_name("elsewhere.db")));
    assert!(Store::set_aside(&path).unwrap().is_some());
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
    let index = workshop.index_folder();
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
        workshop.engine = workshop.another_engine();
        workshop.delta();
        workshop.check_is_fresh();
    }
    std::fs::remove_dir_all(&index).unwrap();
    workshop.engine = workshop.another_engine();
    workshop.check_is_fresh();
}

/// A workshop whose files another version stored: cut into other chunks, with vectors of another model, and with `options`.
fn stored_by_another_version(options: impl Fn(&mut Value)) -> Workshop {
    let mut workshop = Workshop::with_files(&[]);
    workshop.write("a.rs", "fn alpha() {}");
    workshop.write("b.md", "# Beta");
    let mut store = workshop.store();
    let project = store.project("tree").unwrap();
    let mut made_with = serde_json::from_str(&project.options).unwrap();
    options(&mut made_with);
    store.create_project("tree", &project.source_path, &made_with.to_string()).unwrap();
    let root = Root::open(workshop.source()).unwrap();
    let changed: Vec<IndexedFile> = ["a.rs", "b.md"].map(|path| other_chunks(&root, path)).into();
    let run = store.begin_ingestion(project.id, 2).unwrap();
    store.apply(&run, Some("an older model"), &Batch { changed, ..Batch::default() }, 2).unwrap();
    store.complete_ingestion(&run).unwrap();
    workshop.engine = workshop.another_engine();
    workshop
}

/// A file as an older version cut and embedded it.
fn other_chunks(root: &Root, path: &str) -> IndexedFile {
    let source = craig_source::read(root, path, &SourceOptions::default()).unwrap();
    let text = source.indexed_text().unwrap().to_owned();
    let mut outline = craig_chunk::chunk(source.language, &text);
    outline.chunks.iter_mut().for_each(|chunk| chunk.kind = ChunkKind::Block);
    let vector = Quantized { scale: 1.0, codes: vec![1; 16] };
    let embedded =
        |chunk: &Chunk| ChunkText { hash: TextHash::new(chunk.text(&text)), vector: Some(vector.clone()) };
    let texts = outline.chunks.iter().map(embedded).collect();
    // Long after it was written: its stamp proves that it is unchanged.
    let read_ns = source.stamp.changed_ns + 60_000_000_000;
    IndexedFile::new(source, "of a test", read_ns, outline, texts)
}

#[test]
fn what_another_version_made_is_made_anew() {
    let changes: [fn(&mut Value); 3] = [
        |options| options["format"] = 0.into(),
        |options| options["embedder"] = "an older model".into(),
        |options| drop(options.as_object_mut().unwrap().remove("embedder")),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let workshop = stored_by_another_version(change);
        workshop.delta();
        workshop.check_is_fresh();
        assert_eq!(workshop.delta().files.changed, 0, "once is enough: {number}");
    }
}

/// The version of the cut is noted when all files are cut, not before.
#[test]
fn a_new_version_that_was_cut_off_goes_on_cutting() {
    let workshop = stored_by_another_version(|options| options["format"] = 0.into());
    let database = workshop.database();
    let killed = std::thread::spawn(move || {
        open(&database).ingest_delta("tree", Waiting::Fail, Consent::default(), &mut |progress| {
            assert!(progress.phase != Phase::Reading, "killed before the first file is committed");
        })
    });
    assert!(killed.join().is_err());
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

#[test]
fn an_index_whose_project_was_purged_elsewhere_is_removed() {
    let workshop =
        Workshop::with_files(&[("retry.rs", "/// Waits before the next try.\nfn back_off() {}\n")]);
    let orphan = workshop.index_folder().with_file_name("0123456789ab");
    std::fs::create_dir(&orphan).unwrap();
    assert_eq!(workshop.engine.remove_orphaned_indexes().unwrap(), 1);
    assert!(!orphan.exists() && workshop.index_folder().exists());
    assert_eq!(workshop.engine.remove_orphaned_indexes().unwrap(), 0);
}

/// Whoever waits for a lock may get it when the project no longer exists.
#[test]
fn a_project_purged_while_it_was_waited_for_is_unknown() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let mut store = workshop.store();
    let project = store.project("tree").unwrap();
    let lock = store.lock(&project).unwrap();
    let path = workshop.database();
    let waiter = std::thread::spawn(move || {
        let error =
            open(&path).ingest_delta("tree", Waiting::Wait, Consent::default(), &mut |_| ()).unwrap_err();
        error.to_string()
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    store.purge(&lock).unwrap();
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
        open(&database).purge(name, &mut |_| {}).unwrap();
        assert!(home.join("precious/work").is_dir() && home.join("precious/letter").is_file(), "{directory}");
    }
}

/// Ids, references and generations start over with every database.
#[cfg(unix)]
#[test]
fn an_engine_answers_from_the_database_that_replaced_its_own() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    assert_eq!(workshop.found("alpha"), ["a.rs"]);
    let stored = || workshop.store().project("tree").unwrap();
    let old = stored();
    let path = workshop.database();
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
    }
    workshop.remove("a.rs");
    workshop.write("b.rs", "fn beta() {}");
    let other = open(&path);
    workshop.ingest_with(&other);
    let new = stored();
    assert_eq!((old.id, &old.reference, old.generation), (new.id, &new.reference, new.generation));
    assert_eq!(workshop.found("beta"), ["b.rs"]);
    workshop.check_is_fresh();
}
