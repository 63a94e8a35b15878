//! What a search finds.

use craig_chunk::ChunkKind;
use serde::{Deserialize, Serialize};

/// One found place: the best chunk of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Path relative to the project's source path.
    pub path: String,
    /// First line, 1-based.
    pub line_start: u32,
    /// Last line, inclusive.
    pub line_end: u32,
    /// Language id.
    pub language: String,
    /// What the chunk is.
    pub chunk_type: ChunkKind,
    /// Symbol it defines, or heading.
    pub symbol_name: Option<String>,
    /// Qualified name of what encloses it.
    pub parent: Option<String>,
    /// Relevance in 0..=1.
    pub score: f32,
    /// The chunk's text.
    pub content: String,
    /// What the score came from, strongest first.
    pub evidence: Vec<Evidence>,
    /// Other matching ranges of the same file, best first.
    pub more: Vec<MoreRange>,
}

impl Hit {
    /// Whether it shares a line of the same file with `other`.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.line_start <= other.line_end && other.line_start <= self.line_end
    }
}

/// One signal that a score came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Name of the signal.
    pub signal: String,
    /// Its value for this hit.
    pub value: f32,
}

/// A further matching range of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoreRange {
    /// First line, 1-based.
    pub line_start: u32,
    /// Last line, inclusive.
    pub line_end: u32,
    /// Symbol it defines, or heading.
    pub symbol_name: Option<String>,
    /// Relevance in 0..=1.
    pub score: f32,
}
