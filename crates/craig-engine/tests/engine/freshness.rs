//! Projects that are kept up to date between answers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use craig_engine::{Engine, EngineError, Freshness, PrepareRequest, Refresh, SearchRequest};

use crate::workshop::Workshop;

/// Longer than any test takes.
const NO_LIMIT: Duration = Duration::from_secs(3_600);

fn prepare(engine: &Engine) -> Result<Freshness, EngineError> {
    engine.prepare(&PrepareRequest::for_project("tree"), &mut |_| {}).map(|(_, freshness)| freshness)
}

#[track_caller]
fn check_is_up_to_date(engine: &Engine) {
    let freshness = prepare(engine).unwrap();
    assert!(matches!(freshness, Freshness::UpToDate(_)), "{freshness:?}");
}

#[test]
fn every_change_is_seen_by_the_next_answer() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let engine = workshop.another_engine();
    for n in 0..20 {
        let name = format!("name{n}x");
        let path = ["a.rs", "b.rs", "deep/c.rs"][n % 3];
        workshop.write(path, format!("fn {name}() {{}}"));
        check_is_up_to_date(&engine);
        assert_eq!(workshop.found(&name)[0], path, "{name}");
        check_is_up_to_date(&engine);
    }
    workshop.check_is_fresh();
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_in_which_nothing_changes_is_walked_no_more_than_twice() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let engine = workshop.another_engine();
    let was_walked = || match prepare(&engine).unwrap() {
        Freshness::UpToDate(report) => report.is_some(),
        freshness => panic!("{freshness:?}"),
    };
    assert_eq!([was_walked(), was_walked(), was_walked(), was_walked()], [true, true, false, false]);
    workshop.write("b.rs", "fn beta() {}");
    assert_eq!([was_walked(), was_walked()], [true, false]);
}

/// Nobody else's ingestion is trusted to have left the index as it was.
#[test]
fn an_index_that_another_engine_changed_is_compared_again() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    let engine = workshop.another_engine();
    for _ in 0..3 {
        check_is_up_to_date(&engine);
    }
    workshop.another_engine().purge("tree", &mut |_| {}).unwrap();
    let error = prepare(&engine).unwrap_err();
    assert!(error.to_string().contains("tree"), "{error}");
    workshop.ingest();
    check_is_up_to_date(&engine);
    assert_eq!(workshop.found("beta")[0], "b.rs");
}

#[test]
fn a_directory_that_is_gone_is_reported() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let engine = workshop.another_engine();
    for _ in 0..2 {
        check_is_up_to_date(&engine);
    }
    std::fs::remove_dir_all(workshop.source()).unwrap();
    let freshness = prepare(&engine).unwrap();
    assert!(matches!(freshness, Freshness::DirectoryGone), "{freshness:?}");
}

#[test]
fn what_takes_longer_than_the_limit_goes_on_behind_the_answer() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let engine = Arc::new(workshop.another_engine());
    workshop.write("b.rs", "fn beta() {}");
    let compared = engine.refresh_within("tree", Refresh::Compare, NO_LIMIT).unwrap();
    let Freshness::Changed(check) = compared else { panic!("{compared:?}") };
    assert_eq!((check.added.as_slice(), check.changed.len()), (["b.rs".to_owned()].as_slice(), 0));
    let limited = engine.refresh_within("tree", Refresh::Ingest, Duration::ZERO).unwrap();
    assert!(matches!(limited, Freshness::InProgress | Freshness::UpToDate(_)), "{limited:?}");
    // Waits for the one that goes on.
    let waited = engine.refresh_within("tree", Refresh::Ingest, NO_LIMIT).unwrap();
    assert!(matches!(waited, Freshness::UpToDate(_)), "{waited:?}");
    assert_eq!(workshop.found("beta")[0], "b.rs");
}

#[test]
fn a_running_server_notices_every_change() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let engine = Arc::new(workshop.another_engine());
    for n in 0..4 {
        workshop.write("a.rs", format!("fn edited{n}x() {{}}"));
        let freshness = engine.refresh_within("tree", Refresh::Ingest, NO_LIMIT).unwrap();
        assert!(matches!(freshness, Freshness::UpToDate(_)), "{freshness:?}");
        assert_eq!(workshop.found(&format!("edited{n}x"))[0], "a.rs", "edit {n}");
        let compared = engine.refresh_within("tree", Refresh::Compare, NO_LIMIT).unwrap();
        assert!(matches!(compared, Freshness::UpToDate(_)), "{compared:?}");
        workshop.write(&format!("{n}.rs"), format!("fn added{n}x() {{}}"));
        let compared = engine.refresh_within("tree", Refresh::Compare, NO_LIMIT).unwrap();
        assert!(matches!(compared, Freshness::Changed(_)), "{compared:?}");
    }
}

/// Whoever asks meanwhile waits for the first, instead of ingesting the same files again.
#[test]
fn a_directory_that_several_ask_about_at_once_is_ingested_once() {
    let workshop = Workshop::new();
    (0..40).for_each(|n| workshop.write(&format!("{n}.rs"), format!("fn name{n}x() {{}}")));
    let engine = workshop.another_engine();
    let ask = || {
        let request = PrepareRequest::for_directory(workshop.source());
        let (project, freshness) = engine.prepare(&request, &mut |_| {}).unwrap();
        let Freshness::UpToDate(report) = freshness else { panic!("{freshness:?}") };
        let hits = engine.search(&project, "name7x", &SearchRequest::default()).unwrap().hits;
        assert_eq!(Path::new(&hits[0].path), Path::new("7.rs"));
        report.map_or(0, |report| report.files.added)
    };
    let added: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(added, 40);
}
