//! Cuts one file into chunks: tree-sitter for code, statements for SQL, headings for Markdown, cells for notebooks, windows for
//! the rest. Pure, total, no I/O.

mod code;
mod cut;
mod cut_point;
mod doc_comment;
mod embedded;
mod grammar;
mod kind;
mod languages;
mod lines;
mod metrics;
pub mod names;
mod notebook;
mod outline;
mod pack;
mod parse;
mod recovery;
mod reference;
mod references;
mod sections;
mod separator;
mod split;
mod sql;
mod text;
mod tokens;
mod trees;
pub mod varint;
mod walk;

pub use cut_point::cut_point;
pub use doc_comment::{DocComment, definition_start, doc_comment};
pub use kind::ChunkKind;
pub use metrics::{ANONYMOUS, FunctionMetrics, Measures, measures, metrics};
pub use outline::{Chunk, Import, Outline, Parsed, Symbol};
pub use pack::{Definitions, Packed, compressed, decompressed, unpacked_size};
pub use reference::{Reference, ReferenceKind, References, Use};
pub use references::references;
pub use sections::{DocumentSection, Heading, document_sections, rest_headings};
pub use separator::{qualified_name, separator};
pub use tokens::{TokenKind, tokens};

use craig_source::Language;
use names::Names;
use parse::ParsedCode;
use trees::{embedded_code, trees};

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
    outline.names = names::read::read(language, text, &trees);
    outline.references = references::read(language, text, &trees, &outline.names);
    outline
}

/// What `text` refers to and names, without its chunks.
pub fn references_and_names(language: Language, text: &str) -> (References, Names) {
    let trees = trees(language, text).unwrap_or_default();
    let names = names::read::read(language, text, &trees);
    (references::read(language, text, &trees, &names), names)
}

fn structured(language: Language, text: &str, trees: &[ParsedCode]) -> Option<Outline> {
    match language {
        Language::Markdown => Some(sections::outline(text, sections::markdown_headings(text))),
        Language::ReStructuredText => Some(sections::outline(text, rest_headings(text))),
        Language::Sql => Some(sql::outline(text, 0..text.len())),
        Language::Notebook => Some(notebook::outline(text, trees)),
        _ => match embedded_code(language, text) {
            Some(scripts) => Some(embedded::outline(text, scripts, trees)),
            None => trees.first().map(|(grammar, tree)| code::outline(grammar, text, tree, None)),
        },
    }
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
