//! The behaviour of the store.
//!
//! Everything but the module `sqlite` is written against the public face of the store alone, and holds for any backend.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archives;
mod contents;
mod context_uses;
mod fixture;
mod ingestion;
mod locks;
mod sqlite;
