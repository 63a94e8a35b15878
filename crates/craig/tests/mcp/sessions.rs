//! What agents asked in `evals/agents`, asked again: the answers stay as short as they were, and hold what was looked for.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::client::Home;

fn evals() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals")
}

/// The calls of the sessions about one of the two programs.
fn calls(program: &str) -> Vec<(String, Value)> {
    let recorded = std::fs::read_to_string(evals().join("agents/sessions.jsonl")).unwrap();
    let calls = recorded.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let calls = calls.filter(|call| call["program"] == program);
    calls.map(|call| (call["tool"].as_str().unwrap().to_owned(), call["arguments"].clone())).collect()
}

fn copy(from: &Path, home: &Home, to: &str) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = format!("{to}/{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), home, &to),
            false => home.write(&to, std::fs::read(entry.path()).unwrap()),
        }
    }
}

/// Replays the sessions about a program; gives the bytes of all answers.
fn replay(program: &str, expected: &[(&str, &str)]) -> usize {
    let home = Home::with_shop();
    copy(&evals().join("private").join(program), &home, "shop/program");
    home.ingest("shop/program");
    let mut client = home.client_in("", &["--root", "shop/program", "--tools", "core"]);
    client.ask("initialize", crate::client::handshake("2025-11-25"));
    client.notify("notifications/initialized");
    let answers: Vec<String> =
        calls(program).into_iter().map(|(tool, arguments)| client.text(&tool, arguments)).collect();
    for (path, line) in expected {
        let has = |answer: &String| answer.contains(path) && answer.contains(line);
        assert!(answers.iter().any(has), "{path}: {line}");
    }
    answers.iter().map(String::len).sum()
}

#[test]
fn sessions_about_a_python_program() {
    let expected = [
        ("drench/plan/engine.py", "def settle"),
        ("drench/tick.py", "def daily_spans"),
        ("drench/ops/cond.py", "_PREC"),
    ];
    let n_bytes = replay("greenhouse", &expected);
    assert!(n_bytes < 54_000, "{n_bytes} bytes");
}

#[test]
fn sessions_about_a_typescript_program() {
    let expected =
        [("src/bill/swap.ts", "takeUp"), ("src/app.ts", "commit"), ("src/crew/leave.ts", "freeUp")];
    let n_bytes = replay("ferry", &expected);
    assert!(n_bytes < 90_000, "{n_bytes} bytes");
}
