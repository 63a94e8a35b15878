//! A server's projects, kept up to date between its answers.

use craig_engine::{Currency, Lookout};

use crate::workshop::{Workshop, open};

#[test]
fn every_change_is_seen_by_the_next_answer() {
    let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let lookout = Lookout::default();
    for n in 0..20 {
        let name = format!("name{n}x");
        let path = ["a.rs", "b.rs", "deep/c.rs"][n % 3];
        workshop.write(path, format!("fn {name}() {{}}"));
        assert_eq!(workshop.engine.keep_up_to_date("tree", &lookout).unwrap(), Currency::UpToDate);
        assert_eq!(workshop.found(&name)[0], path, "{name}");
        assert_eq!(workshop.engine.keep_up_to_date("tree", &lookout).unwrap(), Currency::UpToDate);
    }
    workshop.check_is_fresh();
}

/// Nobody else's ingestion is trusted to have left the index as it was.
#[test]
fn an_index_that_another_engine_changed_is_looked_at_again() {
    let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    let lookout = Lookout::default();
    for _ in 0..3 {
        workshop.engine.keep_up_to_date("tree", &lookout).unwrap();
    }
    open(&workshop.database()).purge("tree").unwrap();
    let error = workshop.engine.keep_up_to_date("tree", &lookout).unwrap_err();
    assert!(error.to_string().contains("tree"), "{error}");
    workshop.ingest();
    assert_eq!(workshop.engine.keep_up_to_date("tree", &lookout).unwrap(), Currency::UpToDate);
    assert_eq!(workshop.found("beta")[0], "b.rs");
}

#[test]
fn a_directory_that_is_gone_is_told() {
    let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let lookout = Lookout::default();
    for _ in 0..2 {
        workshop.engine.keep_up_to_date("tree", &lookout).unwrap();
    }
    std::fs::remove_dir_all(workshop.source()).unwrap();
    assert_eq!(workshop.engine.keep_up_to_date("tree", &lookout).unwrap(), Currency::DirectoryGone);
}
