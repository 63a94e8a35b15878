//! Analyses of tiny projects: text in, text out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod architecture;
mod fixture;
mod imports;
mod manifests;
mod quality;
mod relations;
mod resolvers;
mod stored;
