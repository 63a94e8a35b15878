//! The tables, as SQL sees them, and their locks.

use std::time::Duration;

use craig_store::{StoreError, TextHash};

use crate::context_uses::context_use;
use crate::fixture::{TestStore, file};

#[test]
fn one_text_has_one_row_of_vectors_and_every_run_keeps_its_own() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    fixture.apply(&project, vec![file("a.rs", "fn same() {}"), file("copy/a.rs", "fn same() {}")], vec![]);
    fixture.apply(&project, vec![file("b.rs", "fn same() {}")], vec![]);
    assert_eq!(fixture.count("SELECT count(*) FROM vectors"), 1);
    assert_eq!(fixture.count("SELECT count(*) FROM ingestion_status"), 2);
    fixture.purge(&project);
    for table in [
        "projects",
        "files",
        "project_files",
        "kept_versions",
        "chunks",
        "names",
        "vectors",
        "ingestion_status",
        "context_uses",
    ] {
        assert_eq!(fixture.count(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}

#[test]
fn vectors_that_cannot_be_are_found_and_forgotten() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    fixture.apply(&jobs, vec![file("a.rs", "fn a() {}"), file("b.rs", "fn b() {}")], vec![]);
    let damaged = fixture.file_id(&jobs, "a.rs");
    let infinite = [&f32::NEG_INFINITY.to_le_bytes()[..], &[1, 2]].concat();
    let sql = "UPDATE vectors SET vector = ?1 WHERE text_hash = ?2";
    fixture
        .sqlite()
        .execute(sql, rusqlite::params![infinite, TextHash::new("fn a() {}").to_bytes()])
        .unwrap();
    let found = fixture.store.damaged_files(jobs.id, &mut |_| ()).unwrap();
    let found: Vec<_> = found.iter().map(|file| (file.id, file.what.as_str())).collect();
    assert_eq!(found, [(damaged, "a vector of its text is damaged")]);
    fixture.store.forget_files(&[damaged]).unwrap();
    assert_eq!(fixture.outline(&jobs), "b.rs 1\n");
    assert_eq!(fixture.embedded(&["fn a() {}", "fn b() {}"]), ["fn b() {}"]);
}

#[test]
fn a_use_of_context_is_kept_without_waiting_for_other_writers() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let other = fixture.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = fixture.store.record_context_use(project.id, &context_use());
    assert!(matches!(busy, Err(StoreError::Busy { .. })), "{busy:?}");
    drop(other);
    assert!(fixture.store.record_context_use(project.id, &context_use()).is_ok());
}

#[test]
fn a_write_waits_for_others_as_long_as_it_may_and_then_says_for_whom() {
    let mut fixture = TestStore::new();
    fixture.project("jobs");
    let other = fixture.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = fixture.store.wait_to_write(Duration::from_millis(20)).unwrap_err();
    assert!(busy.is_unwritable() && matches!(busy, StoreError::Busy { .. }), "{busy}");
    #[cfg(target_os = "linux")]
    assert!(busy.to_string().ends_with("is locked by another thread of this process"), "{busy}");
    fixture.store.set_patience(Duration::from_millis(20)).unwrap();
    let refused = fixture.store.create_project("mail", "/mail", "{}");
    assert!(matches!(refused, Err(StoreError::Busy { .. })), "{refused:?}");
    assert_eq!(fixture.store.projects().unwrap().len(), 1, "reading waits for nobody");
    drop(other);
    fixture.store.wait_to_write(Duration::ZERO).unwrap();
}

#[test]
fn damaged_names_are_refused_and_found() {
    let mut fixture = TestStore::new();
    let jobs = fixture.project("jobs");
    fixture.apply(&jobs, vec![file("a.py", "def f():\n    return g()\n")], vec![]);
    let load = |fixture: &TestStore| {
        let files = fixture.store.load_names(jobs.id, &[fixture.file_id(&jobs, "a.py")]).unwrap();
        files.into_iter().next().unwrap().unpacked()
    };
    assert_eq!(load(&fixture).unwrap().names.occurrences.len(), 1);
    fixture.sqlite().execute("UPDATE names SET named = CAST(x'7f' || substr(named, 2) AS BLOB)", []).unwrap();
    let refused = load(&fixture);
    assert!(matches!(&refused, Err(StoreError::DamagedText { path }) if path == "a.py"), "{refused:?}");
    let damaged = fixture.store.damaged_files(jobs.id, &mut |_| ()).unwrap();
    let what: Vec<&str> = damaged.iter().map(|file| file.what.as_str()).collect();
    assert_eq!(what, ["a row that it refers to is damaged"]);
}
