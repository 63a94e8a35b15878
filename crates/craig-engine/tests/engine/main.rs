//! The engine from outside: a directory goes in, answers come out.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod analyses;
mod context;
mod crowd;
mod damage;
mod database;
mod deltas;
mod explanations;
mod explore;
mod follow;
mod freshness;
mod grep;
mod incremental;
mod models;
mod outline;
mod recovery;
#[expect(dead_code, reason = "the tests of craig-model look at more of what a server was asked")]
#[path = "../../../craig-model/tests/providers/server.rs"]
mod server;
mod settings;
mod symbol_graph;
mod workshop;
