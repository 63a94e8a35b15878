//! Searches in small projects: text in, text out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod definitions;
mod features;
mod filters;
mod fixture;
mod hits;
mod index;
mod ranking;
mod retrieval;
mod scripts;
mod updates;
