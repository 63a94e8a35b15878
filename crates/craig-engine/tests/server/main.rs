//! The engine on a PostgreSQL server: the tests of `engine` that hold for any kind of database.
//!
//! They need the address of a database in `CRAIG_TEST_POSTGRES`: `scripts/test-postgres` starts a server and runs them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod database;
#[path = "../engine/deltas.rs"]
mod deltas;
#[path = "../engine/freshness.rs"]
mod freshness;
#[path = "../engine/incremental.rs"]
mod incremental;
#[path = "../../../craig-store/tests/server/schema.rs"]
mod schema;
#[expect(dead_code, reason = "the tests of files damage the database")]
#[path = "../engine/workshop.rs"]
mod workshop;
