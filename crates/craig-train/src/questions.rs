//! Labelled questions: the format of `evals/README.md`.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Deserializer};

use crate::corpus::read_json;
use crate::lines::{self, Grade};

/// The questions on one repository.
#[derive(Debug, Deserialize)]
pub(crate) struct Repository {
    pub(crate) name: String,
    pub(crate) language: String,
    /// Commit or version that the questions are about.
    pub(crate) revision: String,
    /// Folder that the questions are about; `None` means all.
    pub(crate) root: Option<String>,
    /// Folder that its checkout is in, among those of all sets.
    #[serde(default)]
    pub(crate) set: String,
    #[serde(deserialize_with = "asked")]
    pub(crate) queries: Vec<Question>,
}

impl Repository {
    /// Its checkout in the folder with those of all repositories of a file.
    pub(crate) fn folder(&self, corpora: &Path) -> PathBuf {
        corpora.join(&self.set).join(&self.name)
    }
}

/// A question as it is stored: labelled with files, or with lines.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a question has query, relevant, secondary and category, or kind, query and targets"
)]
enum Stored {
    OfFiles(Question),
    OfLines(lines::Question),
}

/// Questions as files are searched for; edits, which are searched for with their selection, are left out.
fn asked<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Question>, D::Error> {
    let stored = Vec::<Stored>::deserialize(deserializer)?;
    let asked = stored.into_iter().filter_map(|question| match question {
        Stored::OfFiles(question) => Some(question),
        Stored::OfLines(question) => question.file.is_none().then(|| Question::from(question)),
    });
    Ok(asked.collect())
}

impl From<lines::Question> for Question {
    /// A follow-up is searched for after what came before it.
    fn from(question: lines::Question) -> Self {
        let files = |grade| {
            let of_grade = question.targets.iter().filter(move |target| target.grade == grade);
            of_grade.map(|target| target.path.clone()).collect::<BTreeSet<String>>()
        };
        let (relevant, helping) = (files(Grade::Answers), files(Grade::Helps));
        let secondary = helping.difference(&relevant).cloned().map(Target::File).collect();
        let mut messages = question.history;
        messages.push(question.query);
        Self {
            query: messages.join("\n"),
            relevant: relevant.into_iter().map(Target::File).collect(),
            secondary,
            category: question.kind,
        }
    }
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
