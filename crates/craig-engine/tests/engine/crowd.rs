//! Searches beside somebody else who purges the project.

use std::path::Path;

use craig_engine::{Consent, Freshness, SearchRequest};
use craig_search::Index;
use craig_store::Store;

use crate::workshop::{Workshop, open};

const PURGED: &str = r#"the project "tree" was purged meanwhile"#;

/// A command knows the project by its reference then, which means nothing to anybody.
#[test]
fn a_search_whose_project_was_purged_meanwhile_says_so_by_its_name() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let prepared = workshop
        .engine
        .prepare(Some("tree"), Path::new("."), Freshness::AsIndexed, Consent::default(), &mut |_| ())
        .unwrap();
    open(&workshop.database()).purge("tree").unwrap();
    let error = workshop.engine.search(&prepared.0, "alpha", &SearchRequest::default()).unwrap_err();
    assert_eq!(error.to_string(), PURGED);
    assert!(error.hint().unwrap().contains("craig list"));
}

/// An index that is made while its project is purged would lose its files half-made, or stay behind.
#[test]
fn a_search_that_waits_for_the_index_finds_the_project_purged() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let mut store = Store::open(&workshop.database()).unwrap();
    let project = store.project("tree").unwrap();
    let folder = Index::folder(&store, &project);
    let lock = Index::lock(&store, &project).unwrap();
    Index::remove(&store, &project, &lock).unwrap();
    let path = workshop.database();
    let searcher = std::thread::spawn(move || {
        let error = open(&path).search("tree", "alpha", &SearchRequest::default()).unwrap_err();
        error.to_string()
    });
    // Time to find the project, and to begin to wait.
    std::thread::sleep(std::time::Duration::from_millis(300));
    store.purge(project.id).unwrap();
    drop(lock);
    let error = searcher.join().unwrap();
    // On a slow machine it may not have begun.
    assert!([PURGED, r#"no project "tree""#].contains(&error.as_str()), "{error}");
    assert!(!folder.exists(), "no index is left of a project that is gone");
}

/// What the surfaces share.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<craig_engine::Engine>();
};
