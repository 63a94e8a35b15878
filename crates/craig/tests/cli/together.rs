//! Several processes on one database.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use craig_store::{ProjectLock, Store};
use expect_test::expect;

use crate::harness::{Home, write_many};

#[test]
fn two_projects_are_ingested_into_one_database_at_once() {
    let home = Home::new();
    write_many(&home.path().join("one"), 300, 1);
    write_many(&home.path().join("two"), 300, 2);
    let both = ["one", "two"].map(|project| start(&home, &["ingest", project, "-q"]));
    both.into_iter().for_each(|child| assert_success(child, &home));
    for project in ["one", "two"] {
        let status = home.succeed(&["status", project]);
        assert!(status.contains("100%, 300 of 300 files"), "{status}");
        let found = home.succeed(&["search", "compute_7_1", "-p", project, "-n", "1"]);
        assert!(found.contains("module_7/file_7.py"), "{found}");
    }
}

#[test]
fn two_ingestions_of_one_project_follow_each_other() {
    let home = Home::new();
    write_many(&home.path().join("one"), 300, 1);
    let both = [(); 2].map(|()| start(&home, &["ingest", "one", "-q"]));
    both.into_iter().for_each(|child| assert_success(child, &home));
    let list: serde_json::Value = serde_json::from_str(&home.succeed(&["list", "--format", "json"])).unwrap();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["files"]), (1, &300.into()));
}

#[test]
fn the_second_ingestion_of_a_project_waits_or_says_who_is_at_it() {
    let home = Home::with_ingested_shop();
    let lock = hold_lock(&home);
    home.check(
        &["ingest-delta", "shop", "--no-wait"],
        expect![[r#"
        exit 1
        -- stderr
        error: process PID is writing the project
        hint: wait until it has finished, or omit --no-wait
    "#]],
    );
    home.check(
        &["ingest", "shop", "--no-wait"],
        expect![[r#"
        exit 1
        -- stderr
        error: process PID is writing the project
        hint: wait until it has finished, or omit --no-wait
    "#]],
    );

    let mut waiting = start(&home, &["ingest-delta", "shop"]);
    let mut lines = BufReader::new(waiting.stdout.take().unwrap()).lines();
    let shown = lines.next().unwrap().unwrap();
    let holder = format!("waiting for process {}", std::process::id());
    assert!(shown.starts_with(&holder) && shown.ends_with(", which is writing this project"), "{shown}");
    assert!(waiting.try_wait().unwrap().is_none(), "it should be waiting");
    drop(lock);
    assert!(lines.any(|line| line.unwrap().starts_with("ingested shop")));
    assert!(waiting.wait().unwrap().success());
}

#[test]
fn a_search_does_not_wait_for_an_ingestion() {
    let home = Home::with_ingested_shop();
    let _lock = hold_lock(&home);
    let found = home.craig(&["search", "verify_token", "-p", "shop"]).output().unwrap();
    assert!(String::from_utf8_lossy(&found.stdout).contains("src/auth.py"), "{found:?}");
    let notes = String::from_utf8_lossy(&found.stderr);
    assert!(notes.contains("answered from the index without an update: process"), "{notes}");
}

/// Holds the project's lock, as an ingestion by this process would.
fn hold_lock(home: &Home) -> ProjectLock {
    let store = Store::open(&home.database()).unwrap();
    store.lock(&store.project("shop").unwrap()).unwrap()
}

fn start(home: &Home, args: &[&str]) -> Child {
    home.craig(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn assert_success(child: Child, home: &Home) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", home.transcript(&output));
}
