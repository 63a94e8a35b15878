//! Labelled questions: the format of `evals/README.md`.

use std::fmt;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use crate::corpus::read_json;

/// The questions on one repository.
#[derive(Debug, Deserialize)]
pub(crate) struct Repository {
    pub(crate) name: String,
    pub(crate) language: String,
    /// Commit or version that the questions are about.
    pub(crate) revision: String,
    /// Folder that the questions are about; `None` means all.
    pub(crate) root: Option<String>,
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

/// Another repository than number `at`, whose questions that one cannot answer; its own when it is the only one.
pub(crate) fn another(repositories: &[Repository], at: usize) -> &Repository {
    &repositories[(at + 7) % repositories.len()]
}

/// A place that answers a question: a file, or lines of it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Target {
    File(String),
    Lines { path: String, start_line: u32, end_line: u32 },
}

impl Target {
    /// The file it is in.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::File(path) | Self::Lines { path, .. } => path,
        }
    }

    /// True when `path` is its file, whatever the lines.
    pub(crate) fn is_in_file(&self, path: &str) -> bool {
        same_path(self.path(), path)
    }

    /// True when a result at `path`, lines `first..=last`, is this place.
    ///
    /// Paths match when they are equal or one ends with `/` and the other; lines match when they overlap.
    pub(crate) fn matches(&self, path: &str, (first, last): (u32, u32)) -> bool {
        let overlaps = match self {
            Self::File(_) => true,
            Self::Lines { start_line, end_line, .. } => first <= *end_line && *start_line <= last,
        };
        self.is_in_file(path) && overlaps
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{path}"),
            Self::Lines { path, start_line, end_line } => write!(f, "{path}:{start_line}-{end_line}"),
        }
    }
}

fn same_path(a: &str, b: &str) -> bool {
    let ends_with =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    a == b || ends_with(a, b) || ends_with(b, a)
}

pub(crate) fn load(path: &Path) -> Result<Vec<Repository>> {
    read_json(path, "labelled questions")
}
