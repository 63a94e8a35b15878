//! Pipes that close, interrupts, colours, terminals.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use crate::harness::{Home, skipped, write_many};

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let home = Home::new();
    write_many(&home.path().join("big"), 300, 0);
    home.succeed(&["ingest", "big", "-q"]);
    for args in [
        &["tree", "big"][..],
        &["tree", "big", "--format", "json"],
        &["search", "compute", "-p", "big", "-n", "300", "--no-refresh"],
        &["completions", "bash"],
        &["man", "search"],
        &["search", "--help"],
    ] {
        let mut child = home.craig(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn an_ingestion_goes_on_when_nobody_reads_its_progress() {
    let home = Home::with_shop();
    let mut child = home.craig(&["ingest", "shop"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert!(home.succeed(&["status", "shop"]).contains("100%, 6 of 6 files"));
}

#[test]
fn an_interrupt_ends_with_130_and_keeps_what_was_committed() {
    let home = Home::with_ingested_shop();
    let mut watch = home.craig(&["watch", "shop"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "watching shop; press Ctrl-C to stop");
    assert!(Command::new("kill").arg("-INT").arg(watch.id().to_string()).status().unwrap().success());
    assert_eq!(watch.wait().unwrap().code(), Some(130));
    assert!(home.succeed(&["list"]).contains("shop"));
}

#[test]
fn watch_ingests_what_changes() {
    let home = Home::with_ingested_shop();
    let args = ["watch", "shop", "--debounce-ms", "50", "--format", "json"];
    let mut watch = home.craig(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), r#"{"event":"watching","project":"shop","notice":null}"#);
    home.write("shop/src/new.py", "def freshly_written_symbol():\n    return 1\n");
    let update: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&update["event"], &update["files"]["added"]), (&"updated".into(), &1.into()));
    let found = home.succeed(&["search", "freshly_written_symbol", "-p", "shop", "--no-refresh", "-n", "1"]);
    assert!(found.contains("src/new.py"), "{found}");
    watch.kill().unwrap();
    watch.wait().unwrap();
}

#[test]
fn colours_follow_the_flag_and_the_environment() {
    let home = Home::with_ingested_shop();
    let is_coloured = |args: &[&str], name: &str, value: &str| {
        let output = home.craig(args).env(name, value).output().unwrap();
        output.stdout.contains(&b'\x1b')
    };
    assert!(!is_coloured(&["list"], "TERM", "xterm-256color"), "in a pipe");
    assert!(is_coloured(&["list", "--color", "always"], "TERM", "xterm-256color"));
    assert!(is_coloured(&["list"], "CLICOLOR_FORCE", "1"));
    assert!(!is_coloured(&["list", "--color", "never"], "CLICOLOR_FORCE", "1"));
    assert!(is_coloured(&["list", "--color", "always"], "NO_COLOR", "1"), "the flag is nearer");
}

#[test]
fn a_terminal_gets_a_bar_colours_and_a_question() {
    let home = Home::with_shop();
    let Some(seen) = on_a_terminal(&home, "craig ingest shop && craig list && echo n | craig purge shop")
    else {
        return skipped("there is no 'script' to make a terminal with");
    };
    assert!(seen.contains("\u{1b}[1mshop"), "no colours: {seen}");
    assert!(!seen.contains("100%  6/6 files"), "lines where a bar should be: {seen}");
    assert!(seen.contains("there is no terminal for the confirmation"), "stdin is no terminal: {seen}");
}

#[test]
fn no_color_holds_on_a_terminal() {
    let home = Home::with_ingested_shop();
    let Some(seen) = on_a_terminal(&home, "NO_COLOR=1 craig list") else {
        return skipped("there is no 'script' to make a terminal with");
    };
    assert!(seen.contains("shop") && !seen.contains("\u{1b}[1m"), "{seen}");
}

/// What a terminal shows while a shell runs `script` with craig in its path.
fn on_a_terminal(home: &Home, script: &str) -> Option<String> {
    let mut command = Command::new("script");
    home.prepare(&mut command);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_craig"));
    let path = format!("{}:{}", program.parent()?.display(), std::env::var("PATH").ok()?);
    let command = command.env("PATH", path).env("TERM", "xterm-256color").args(["-qec", script, "/dev/null"]);
    let mut child = command.stdout(Stdio::piped()).spawn().ok()?;
    let mut seen = Vec::new();
    child.stdout.take()?.read_to_end(&mut seen).ok()?;
    child.wait().ok()?;
    Some(String::from_utf8_lossy(&seen).into_owned())
}
