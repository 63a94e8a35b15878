//! What is read of one file: chunks, definitions, imports, references and names.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::kind::ChunkKind;
use crate::names::Names;
use crate::reference::References;

/// One chunk of a file. The `bytes` of all chunks of a file partition it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range in the file: UTF-8 boundaries, never empty, disjoint from the other chunks'.
    pub bytes: Range<usize>,
    /// Bytes before `bytes.start` that belong to the chunk's text as overlap; 0 unless a unit was split.
    pub overlap_bytes: usize,
    /// First line, 1-based, overlap not counted.
    pub line_start: u32,
    /// Last line, 1-based, inclusive.
    pub line_end: u32,
    /// What it is.
    pub kind: ChunkKind,
    /// Name of the symbol it defines or is a part of; a section's heading text.
    pub symbol_name: Option<String>,
    /// Qualified name of what encloses it (`module::Class`), joined by the language's own separator; heading path.
    pub parent: Option<String>,
}

impl Chunk {
    /// The chunk's text with its overlap.
    pub fn text<'t>(&self, file_text: &'t str) -> &'t str {
        &file_text[self.bytes.start - self.overlap_bytes..self.bytes.end]
    }
}

/// A definition in a file. Its fields are stored in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// What it is.
    pub kind: ChunkKind,
    /// Line of the name, 1-based.
    pub line: u32,
    /// Last line of the definition, 1-based, inclusive.
    pub line_end: u32,
    /// Name as written.
    pub name: String,
    /// Qualified name of what encloses it.
    pub parent: Option<String>,
}

/// An import, as written in the source. Its fields are stored in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Line, 1-based.
    pub line: u32,
    /// Names brought in, in order; empty when the module as a whole is.
    pub names: Vec<String>,
    /// What is imported: the module path or file string, quotes removed.
    pub target: String,
}

/// How a file was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parsed {
    /// A grammar read it without errors, or what it could not read was overwritten for the parser.
    #[default]
    Whole,
    /// A grammar read it with errors; unreadable parts became blocks.
    Partly,
    /// There is no grammar, or parsing took too long: windows of text.
    AsText,
}

/// The outline of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Chunks in file order, a partition of the file's bytes.
    pub chunks: Vec<Chunk>,
    /// Definitions in file order.
    pub symbols: Vec<Symbol>,
    /// Imports in file order.
    pub imports: Vec<Import>,
    /// How it was read.
    pub parsed: Parsed,
    /// What it refers to.
    pub references: References,
    /// What it names.
    pub names: Names,
}
