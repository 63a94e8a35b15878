//! A server's projects, kept up to date between its answers.

use std::path::Path;

use craig_engine::{Consent, Currency, Engine, EngineError, Freshness};

use crate::workshop::{Workshop, open};

fn look(engine: &Engine) -> Result<Currency, EngineError> {
    let prepared =
        engine.prepare(Some("tree"), Path::new("."), Freshness::UpToDate, Consent::default(), &mut |_| {});
    prepared.map(|(_, currency)| currency)
}

#[track_caller]
fn check_is_up_to_date(engine: &Engine) {
    let currency = look(engine).unwrap();
    assert!(matches!(currency, Currency::UpToDate(_)), "{currency:?}");
}

#[test]
fn every_change_is_seen_by_the_next_answer() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let engine = open(&workshop.database());
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
fn a_directory_in_which_nothing_changes_is_walked_over_no_more_than_twice() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let engine = open(&workshop.database());
    let was_walked = || match look(&engine).unwrap() {
        Currency::UpToDate(report) => report.is_some(),
        currency => panic!("{currency:?}"),
    };
    assert_eq!([was_walked(), was_walked(), was_walked(), was_walked()], [true, true, false, false]);
    workshop.write("b.rs", "fn beta() {}");
    assert_eq!([was_walked(), was_walked()], [true, false]);
}

/// Nobody else's ingestion is trusted to have left the index as it was.
#[test]
fn an_index_that_another_engine_changed_is_looked_at_again() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    let engine = open(&workshop.database());
    for _ in 0..3 {
        check_is_up_to_date(&engine);
    }
    open(&workshop.database()).purge("tree").unwrap();
    let error = look(&engine).unwrap_err();
    assert!(error.to_string().contains("tree"), "{error}");
    workshop.ingest();
    check_is_up_to_date(&engine);
    assert_eq!(workshop.found("beta")[0], "b.rs");
}

#[test]
fn a_directory_that_is_gone_is_told() {
    let workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}")]);
    let engine = open(&workshop.database());
    for _ in 0..2 {
        check_is_up_to_date(&engine);
    }
    std::fs::remove_dir_all(workshop.source()).unwrap();
    let currency = look(&engine).unwrap();
    assert!(matches!(currency, Currency::DirectoryGone), "{currency:?}");
}
