//! The invariants of ARCHITECTURE.md, checked on the workspace itself. Each checker is tried on bad input too.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod access;
mod code;
mod committed;
mod edges;
mod licences;
mod security;

use std::path::{Path, PathBuf};

/// Root of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What `cargo metadata` says with these arguments, without asking any network.
fn metadata(arguments: &[&str]) -> serde_json::Value {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .args(arguments)
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fails with all violations, one a line.
#[track_caller]
fn check(violations: Vec<String>) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}
