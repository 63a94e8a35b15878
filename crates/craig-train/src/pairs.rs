//! Training pairs: what somebody may ask, and the code or text that answers it. One JSON object a line.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Where a pair comes from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// First sentence of a doc comment → the definition without the comment.
    Doc,
    /// A later sentence of a doc comment → the same.
    Detail,
    /// A symbol's name → its body with the name masked.
    Name,
    /// A test's name → its body with the name masked.
    Test,
    /// What a file is for, by its header or its main type's doc comment → the file.
    Purpose,
    /// A file's name → its text with the name masked.
    File,
    /// A heading → its section.
    Section,
    /// A commit's subject → a file that it changed.
    Commit,
}

impl Kind {
    /// All kinds.
    pub(crate) const ALL: [Kind; 8] = [
        Kind::Doc,
        Kind::Detail,
        Kind::Name,
        Kind::Test,
        Kind::Purpose,
        Kind::File,
        Kind::Section,
        Kind::Commit,
    ];
}

/// A question and the document that answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// `owner/name`.
    pub(crate) repository: String,
    /// Language id of the document.
    pub(crate) language: String,
    pub(crate) kind: Kind,
    pub(crate) query: String,
    /// Path of the document's file; empty where the query was made of it.
    pub(crate) path: String,
    /// Names that the document defines; empty where the query was made of them.
    pub(crate) names: String,
    pub(crate) text: String,
}

/// Writes `pairs`, in order.
pub(crate) fn write(path: &Path, pairs: &[Pair]) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut out = BufWriter::new(file);
    for pair in pairs {
        serde_json::to_writer(&mut out, pair)?;
        out.write_all(b"\n")?;
    }
    out.flush().with_context(|| format!("cannot write {}", path.display()))
}

/// Reads what [`write()`] wrote, one pair at a time.
pub(crate) fn read(path: &Path) -> Result<impl Iterator<Item = Result<Pair>>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = BufReader::new(file).lines();
    Ok(lines.map(|line| serde_json::from_str(&line?).context("a line is not a training pair")))
}
