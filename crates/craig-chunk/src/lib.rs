//! Cuts one file into chunks: tree-sitter for code, statements for SQL, headings for Markdown, cells for notebooks, windows for
//! the rest. Pure, total, no I/O.

mod kind;

mod code;
mod cut;
mod cut_point;
mod doc_comment;
mod embedded;
mod grammar;
mod languages;
mod lines;
mod metrics;
pub mod names;
mod notebook;
mod pack;
mod parse;
mod recovery;
mod references;
mod sections;
mod separator;
mod split;
mod sql;
mod text;
pub mod varint;
mod walk;

use std::borrow::Cow;
use std::ops::Range;

pub use cut_point::cut_point;
pub use doc_comment::{DocComment, doc_comment};
pub use metrics::{ANONYMOUS, FunctionMetrics, Measures, measures, metrics};
pub use pack::Packed;
pub use references::{Reference, ReferenceKind, References, Use, references};
pub use sections::{DocumentSection, Heading, document_sections, rest_headings};
pub use separator::{qualified_name, separator};

use craig_source::Language;
use names::Names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

use grammar::Grammar;

/// What a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// A free function.
    Function,
    /// A function that belongs to a type.
    Method,
    /// A class, struct, record or object; whole when it fits, else its header.
    Class,
    /// An interface, trait or protocol.
    Interface,
    /// An enumeration.
    Enum,
    /// A module or namespace header.
    Module,
    /// A type alias.
    Type,
    /// A constant, variable or property at top level.
    Constant,
    /// Import lines.
    Import,
    /// A section of a document under one heading.
    Section,
    /// Anything else: a run of statements, a window of text.
    Block,
}

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

/// Cuts `text` into chunks.
///
/// Total: any text of any language is partitioned; an empty text has no chunks. Code that takes more than two seconds to parse
/// is read as text.
pub fn chunk(language: Language, text: &str) -> Outline {
    if text.is_empty() {
        return Outline::default();
    }
    let trees = trees(language, text).unwrap_or_default();
    let mut outline = structured(language, text, &trees).unwrap_or_else(|| as_text(text));
    lines::number(&mut outline.chunks, text);
    outline.names = names::read(text, &trees);
    outline.references = references::read(language, text, &trees, &outline.names);
    outline
}

/// What `text` refers to and names, without its chunks.
pub fn references_and_names(language: Language, text: &str) -> (References, Names) {
    let trees = trees(language, text).unwrap_or_default();
    let names = names::read(text, &trees);
    (references::read(language, text, &trees, &names), names)
}

fn structured(language: Language, text: &str, trees: &[ParsedCode]) -> Option<Outline> {
    match language {
        Language::Markdown => Some(sections::outline(text, sections::markdown_headings(text))),
        Language::ReStructuredText => Some(sections::outline(text, rest_headings(text))),
        Language::Sql => Some(sql::outline(text, 0..text.len())),
        Language::Notebook => Some(notebook::outline(text, trees)),
        _ => match embedded::code(language, text) {
            Some(scripts) => Some(embedded::outline(text, scripts, trees)),
            None => trees.first().map(|(grammar, tree)| code::outline(grammar, text, tree, None)),
        },
    }
}

/// The syntax tree of a text, or of a part of it, with the grammar that read it.
type ParsedCode = (&'static Grammar, Tree);

/// The syntax trees of a text: one, or one for each script of a component and cell of a notebook; empty if the language has no grammar, `None` if
/// parsing takes too long.
pub(crate) fn trees(language: Language, text: &str) -> Option<Vec<ParsedCode>> {
    if let Some(code) = embedded::code(language, text) {
        let is_notebook = language == Language::Notebook;
        let text = if is_notebook { notebook::without_magics(text) } else { Cow::Borrowed(text) };
        return Some(embedded::trees(&text, &code));
    }
    let Some(grammar) = languages::grammar(language) else { return Some(Vec::new()) };
    code::tree(grammar, text, None).map(|read| vec![read])
}

fn as_text(text: &str) -> Outline {
    let chunks = text::windows(text, 0..text.len(), ChunkKind::Block, None, None);
    Outline { chunks, parsed: Parsed::AsText, ..Outline::default() }
}

/// Parses `text` and drops the tree: a lower bound of the time of [`chunk`], for measuring.
#[doc(hidden)]
pub fn parse_only(language: Language, text: &str) {
    if let Some(grammar) = languages::grammar(language) {
        drop(grammar.can_read(text).then(|| parse::parse(grammar, text, &[])));
    }
}
