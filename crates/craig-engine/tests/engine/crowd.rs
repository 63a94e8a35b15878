//! Many callers at once, and searches beside somebody who purges the project.

use std::time::Duration;

use craig_engine::{Cancellation, PrepareRequest, Refresh, SearchRequest};
use craig_search::Index;

use crate::workshop::{Workshop, open};

const PURGED: &str = r#"the project "tree" was purged in the meantime"#;

/// A command knows the project by its reference then, which means nothing to anybody.
#[test]
fn a_search_whose_project_was_purged_meanwhile_says_so_by_its_name() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let request = PrepareRequest { refresh: Refresh::Skip, ..PrepareRequest::for_project("tree") };
    let prepared = workshop.engine.prepare(&request, &mut |_| ()).unwrap();
    workshop.another_engine().purge("tree", &mut |_| {}).unwrap();
    let error = workshop.engine.search(&prepared.0, "alpha", &SearchRequest::default()).unwrap_err();
    assert_eq!(error.to_string(), PURGED);
    assert!(error.hint().unwrap().contains("craig list"));
}

/// An index that is made while its project is purged would lose its files half-made, or stay behind.
#[test]
fn a_search_that_waits_for_the_index_finds_the_project_purged() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let mut store = workshop.store();
    let project = store.project("tree").unwrap();
    let folder = store.index_folder(&project);
    let lock = store.lock_index(&project, Duration::ZERO).unwrap();
    Index::remove(&store, &project, &lock).unwrap();
    let path = workshop.database();
    let searcher = std::thread::spawn(move || {
        let error = open(&path).search("tree", "alpha", &SearchRequest::default()).unwrap_err();
        error.to_string()
    });
    // Time to find the project, and to begin to wait.
    std::thread::sleep(Duration::from_millis(300));
    let project_lock = store.lock(&project).unwrap();
    store.purge(&project_lock).unwrap();
    drop(lock);
    let error = searcher.join().unwrap();
    // On a slow machine it may not have begun.
    assert!([PURGED, r#"no project "tree""#].contains(&error.as_str()), "{error}");
    assert!(!folder.exists(), "no index is left of a project that is gone");
}

/// Checked by the compiler: all surfaces share one engine.
#[test]
fn an_engine_can_be_shared_between_threads() {
    const fn check<T: Send + Sync>() {}
    check::<craig_engine::Engine>();
}

/// Each answer is what one caller alone gets of some state of the files, while an ingestion goes on beside.
#[test]
fn many_callers_of_one_engine_get_the_answers_of_one() {
    let workshop = Workshop::new();
    (0..20).for_each(|n| workshop.write(&format!("{n}.rs"), format!("fn name{n}x() {{}}")));
    workshop.ingest();
    let engine = &workshop.engine;
    let search = |n: usize| {
        let answer = engine.search("tree", &format!("name{n}x"), &SearchRequest::default()).unwrap();
        assert_eq!(answer.hits[0].path, format!("{n}.rs"));
        assert_eq!(answer.notes, Vec::<String>::new());
        engine.dependencies("tree", &Cancellation::default()).unwrap();
        assert_eq!(engine.files("tree").unwrap().len() % 20, 0, "a batch is seen whole or not at all");
    };
    std::thread::scope(|scope| {
        for thread in 0..6 {
            scope.spawn(move || (0..10).for_each(|n| search((thread + n) % 20)));
        }
        (20..40).for_each(|n| workshop.write(&format!("{n}.rs"), format!("fn name{n}x() {{}}")));
        assert_eq!(workshop.delta().files.added, 20);
    });
    workshop.check_is_fresh();
}
