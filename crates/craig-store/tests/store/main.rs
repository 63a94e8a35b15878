//! The behaviour of the store.
//!
//! Everything but the modules `database` and `sqlite` is written against the public face of the store alone, and holds for any kind
//! of database: `server` runs it, too.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archives;
mod contents;
mod context_uses;
mod copies;
mod database;
mod fixture;
mod groups;
mod ingestion;
mod jobs;
mod locks;
mod sqlite;
