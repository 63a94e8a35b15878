//! `craig mcp` as its clients see it.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod access;
mod client;
mod core;
mod fuzz;
mod git;
mod grep;
mod hostile;
mod http;
mod outline;
mod packages;
mod protocol;
mod repo_map;
mod serve;
mod sessions;
mod symbols;
mod together;
mod tools;
mod tracing;
mod valid;
mod writing;
