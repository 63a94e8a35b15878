//! The behaviour of the store on a PostgreSQL server: the tests of `store` that hold for any kind of database, and those of
//! servers alone.
//!
//! They need the address of a database in `CRAIG_TEST_POSTGRES`, in which each test makes a schema of its own:
//! `scripts/test-postgres` starts a server and runs them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../store/archives.rs"]
mod archives;
#[path = "../store/contents.rs"]
mod contents;
#[path = "../store/context_uses.rs"]
mod context_uses;
#[path = "../store/copies.rs"]
mod copies;
mod copies_between;
mod database;
#[path = "../store/fixture.rs"]
mod fixture;
#[path = "../store/groups.rs"]
mod groups;
#[path = "../store/ingestion.rs"]
mod ingestion;
#[path = "../store/jobs.rs"]
mod jobs;
#[path = "../store/locks.rs"]
mod locks;
mod opening;
mod schema;
mod shown;
