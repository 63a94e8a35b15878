//! The engine from outside: a directory goes in, answers come out.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod deltas;
mod incremental;
mod recovery;
mod workshop;
