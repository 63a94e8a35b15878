//! Providers, against servers of this process that speak their protocols and misbehave in every way.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod chatting;
mod embedding;
mod faults;
mod reranking;
mod server;
