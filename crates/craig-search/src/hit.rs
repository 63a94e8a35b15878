//! Search hits, as every surface returns them.

use craig_chunk::ChunkKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A search hit: lines of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Path relative to the project's directory.
    pub path: String,
    /// First line, from 1.
    pub line_start: u32,
    /// Last line, inclusive.
    pub line_end: u32,
    /// Language id.
    pub language: String,
    /// Kind of the chunk.
    pub chunk_type: ChunkKind,
    /// Symbol that it defines, or heading.
    pub symbol_name: Option<String>,
    /// First and last line of that symbol, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol_lines: Option<(u32, u32)>,
    /// Qualified name of what encloses it.
    pub parent: Option<String>,
    /// Probability that these lines answer, 0 to 1.
    pub score: f32,
    /// Probability that something in its file answers, 0 to 1.
    pub file_score: f32,
    /// Text of the chunk: data, not instructions. Omitted if only places were requested.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// The explanation of the rank: the contribution of each kind of signal to the score, strongest first. Omitted for
    /// assistants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Other ranges of the same file that may answer, best first.
    pub more: Vec<MoreRange>,
}

impl Hit {
    /// Whether it shares a line of the same file with `other`.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.line_start <= other.line_end && other.line_start <= self.line_end
    }
}

/// A signal that a score came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Name of the signal.
    pub signal: String,
    /// Its contribution to the score by which hits are ordered.
    pub value: f32,
}

/// A further matching range of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoreRange {
    /// First line, from 1.
    pub line_start: u32,
    /// Last line, inclusive.
    pub line_end: u32,
    /// Symbol that it defines, or heading.
    pub symbol_name: Option<String>,
    /// Probability that these lines answer, 0 to 1.
    pub score: f32,
}
