//! Languages and how they are told from a path or a first line.

use serde::{Deserialize, Serialize};

/// What a file is for, coarsely: the `--kind` filter of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Source code.
    Code,
    /// Prose: Markdown, plain text.
    Docs,
    /// Settings and data: JSON, YAML, TOML, INI, XML …
    Config,
}

/// Language of a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Language {
    /// TypeScript.
    TypeScript,
    /// Text of no known language.
    Text,
}
