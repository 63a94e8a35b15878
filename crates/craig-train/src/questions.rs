//! Labelled questions: the format of `evals/README.md`.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The questions on one repository.
#[derive(Debug, Deserialize)]
pub(crate) struct Repository {
    pub(crate) name: String,
    pub(crate) language: String,
    pub(crate) queries: Vec<Question>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    pub(crate) query: String,
    pub(crate) relevant: Vec<Target>,
    pub(crate) secondary: Vec<Target>,
    pub(crate) category: String,
}

impl Question {
    pub(crate) fn targets(&self) -> impl Iterator<Item = &Target> {
        self.relevant.iter().chain(&self.secondary)
    }
}

/// A place that answers a question: a file, or lines of it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Target {
    File(String),
    Lines { path: String, start_line: u32, end_line: u32 },
}

impl Target {
    /// True when a result at `path`, lines `first..=last`, is this place.
    ///
    /// Paths match when they are equal or one ends with `/` and the other; lines match when they overlap.
    pub(crate) fn matches(&self, path: &str, (first, last): (u32, u32)) -> bool {
        match self {
            Self::File(target) => same_path(target, path),
            Self::Lines { path: target, start_line, end_line } => {
                same_path(target, path) && first <= *end_line && *start_line <= last
            }
        }
    }
}

fn same_path(a: &str, b: &str) -> bool {
    let ends_with =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    a == b || ends_with(a, b) || ends_with(b, a)
}

pub(crate) fn load(path: &Path) -> Result<Vec<Repository>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not a file of labelled questions", path.display()))
}
