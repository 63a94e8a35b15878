//! Analyses of tiny projects: text in, text out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod architecture;
#[path = "../../../craig-symbols/tests/symbols/fixture.rs"]
mod fixture;
mod imports;
mod manifests;
mod quality;
mod relations;
mod resolvers;
mod stored;

use craig_insight::Analysis;

fn analysis(fixture: &str) -> Analysis {
    Analysis::from_texts(fixture::borrowed(&fixture::files(fixture)))
}
