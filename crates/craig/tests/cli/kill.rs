//! `kill -9` at any moment leaves the last committed state readable, and the next ingestion completes it.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::harness::{Home, write_many, write_one};

const N_FILES: usize = 1_200;

/// Kills that have to strike a running ingestion.
const N_KILLS: usize = 20;

/// Kills of ingestions into one database, before it is completed and compared.
const KILLS_PER_DATABASE: usize = 7;

const QUERIES: [&str; 4] =
    ["compute_77_3", "combines value 1100", "where is the total of left and right computed", "file_42"];

#[test]
fn an_ingestion_that_was_killed_is_completed_by_the_next() {
    let mut dice = Dice::new();
    let mut n_kills = 0;
    while n_kills < N_KILLS {
        let home = Home::new();
        let project = home.path().join("project");
        write_many(&project, N_FILES, 0);
        let full = time_of_fresh_ingestion(&home);
        for generation in 1..=KILLS_PER_DATABASE {
            // Late enough to have begun, and early enough, as a rule, to be cut off.
            n_kills += usize::from(kill_after(&home, full.mul_f64(dice.roll() * 0.8)));
            assert_readable(&home);
            change_some(&project, generation, &mut dice);
        }
        assert_completes_like_a_fresh_index(&home);
    }
}

/// How long an ingestion takes when it is let alone, in a database of its own.
fn time_of_fresh_ingestion(home: &Home) -> Duration {
    let started = Instant::now();
    home.succeed(&["--db", "timing.db", "ingest", "project", "-q"]);
    started.elapsed()
}

/// Whether the ingestion was still running when it was killed.
fn kill_after(home: &Home, delay: Duration) -> bool {
    let mut command = home.craig(&["ingest", "project", "-q"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

/// Status, list and search answer. Where the kill came before there was a project, one is begun.
fn assert_readable(home: &Home) {
    let list: Value = serde_json::from_str(&home.succeed(&["list", "--format", "json"])).unwrap();
    if list.as_array().unwrap().is_empty() {
        home.succeed(&["ingest", "project", "-q"]);
    }
    let status: Value =
        serde_json::from_str(&home.succeed(&["status", "project", "--format", "json"])).unwrap();
    let state = status["status"].as_str().unwrap();
    assert!(["pending", "failed", "completed"].contains(&state), "nobody is ingesting: {status}");
    home.succeed(&["search", QUERIES[0], "-p", "project", "--no-refresh"]);
}

/// Rewrites, removes and adds files, so that each ingestion has something to do.
fn change_some(project: &Path, generation: usize, dice: &mut Dice) {
    for _ in 0..150 {
        write_one(project, dice.below(N_FILES), generation);
    }
    for _ in 0..20 {
        let n = dice.below(N_FILES);
        // It may have been removed before.
        let _ = std::fs::remove_file(project.join(format!("module_{}/file_{n}.py", n % 50)));
    }
    write_one(project, N_FILES + generation, generation);
}

fn assert_completes_like_a_fresh_index(home: &Home) {
    home.succeed(&["ingest-delta", "project", "-q"]);
    home.succeed(&["--db", "fresh.db", "ingest", "project", "-q"]);
    let status = home.succeed(&["status", "project"]);
    assert!(status.contains("completed") && status.contains("100%"), "{status}");
    assert_eq!(answers(home, "craig.db"), answers(home, "fresh.db"));
}

/// The tree with its hashes, the content hash, and what is found with which score.
fn answers(home: &Home, database: &str) -> Vec<Value> {
    let ask = |args: &[&str]| -> Value {
        let args = [&["--db", database, "--format", "json"], args].concat();
        serde_json::from_str(&home.succeed(&args)).unwrap()
    };
    let mut answers = vec![ask(&["tree", "project"]), ask(&["list"])[0]["content_hash"].clone()];
    for query in QUERIES {
        answers.push(ask(&["search", query, "-p", "project", "--no-refresh"])["hits"].clone());
    }
    answers
}

/// Random numbers, different in each run, since every run should try other moments.
struct Dice(u64);

impl Dice {
    fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Self(now.as_nanos() as u64 | 1)
    }

    /// From 0 to 1, by xorshift.
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.roll() * n as f64) as usize
    }
}
