//! The store from outside: what it keeps, whom it lets in, what it opens.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contents;
mod erase;
mod inside;
mod locks;
mod opening;
mod project;
