//! The gateway from outside: real sockets, real HTTP, providers that do what a script tells them to.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod admin;
mod chat;
mod context;
mod endpoints;
mod faults;
mod guard;
mod guesses;
mod harness;
mod http2;
mod keys;
mod prompt_cache;
mod protocols;
mod provider;
mod providers;
mod redis;
mod reload;
mod resilience;
mod sign_in;
mod tls;
mod translation;
mod upstream;
