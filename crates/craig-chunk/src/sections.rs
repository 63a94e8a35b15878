//! Documents by heading: Markdown, reStructuredText.

mod document;
mod markdown;
mod rest;

use crate::kind::ChunkKind;
use crate::lines::newlines;
use crate::outline::{Outline, Symbol};
use crate::text::windows;

pub use document::{DocumentSection, document_sections};
pub(crate) use markdown::headings as markdown_headings;
pub use rest::headings as rest_headings;

/// A section that is no more than its heading goes with the next.
const TINY_BYTES: usize = 200;

/// A heading and where its section starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Start of its line, or of its overline, in bytes.
    pub start: usize,
    /// Behind its last line.
    pub end: usize,
    /// 1 for the highest.
    pub level: usize,
    /// Its text without the marks that make it a heading.
    pub title: String,
}

/// Cuts a document into its sections.
pub(crate) fn outline(text: &str, headings: Vec<Heading>) -> Outline {
    let mut chunks = Vec::new();
    let mut symbols = Vec::new();
    let first = headings.first().map_or(text.len(), |heading| heading.start);
    let mut start = if first < TINY_BYTES && !headings.is_empty() { 0 } else { first };
    chunks.extend(windows(text, 0..start, ChunkKind::Block, None, None));
    let mut path: Vec<(usize, String)> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        leave(&mut path, heading.level);
        let parent = path.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(" > ");
        let parent = Some(parent).filter(|parent| !parent.is_empty());
        path.push((heading.level, heading.title.clone()));
        let next = headings.get(index + 1);
        let end = next.map_or(text.len(), |next| next.start);
        symbols.push(symbol(text, heading, parent.clone(), end));
        let goes_with_next = next.is_some_and(|next| end - start < TINY_BYTES && next.level > heading.level);
        if !goes_with_next {
            let title = Some(heading.title.as_str()).filter(|title| !title.is_empty());
            chunks.extend(windows(text, start..end, ChunkKind::Section, title, parent.as_deref()));
            start = end;
        }
    }
    number(&mut symbols, text);
    Outline { chunks, symbols, ..Outline::default() }
}

/// Leaves the headings of `path` that enclose one of `level`.
pub(crate) fn leave(path: &mut Vec<(usize, String)>, level: usize) {
    path.truncate(path.iter().position(|(other, _)| *other >= level).unwrap_or(path.len()));
}

/// A symbol whose lines are still byte offsets. Its first is that of its title, which an overline may precede.
fn symbol(text: &str, heading: &Heading, parent: Option<String>, end: usize) -> Symbol {
    let title = heading.start + text[heading.start..end].find(&heading.title).unwrap_or(0);
    let last = heading.start + text[heading.start..end].trim_end().len();
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Symbol {
        name: heading.title.clone(),
        kind: ChunkKind::Section,
        parent,
        line: offset(title),
        line_end: offset(last.max(title)),
    }
}

/// Turns byte offsets into lines, in one pass.
fn number(symbols: &mut [Symbol], text: &str) {
    let (mut at, mut line) = (0, 1);
    let mut line_at = |to: u32| {
        let to = (to as usize).clamp(at, text.len());
        line += newlines(&text.as_bytes()[at..to]);
        at = to;
        line
    };
    for symbol in symbols {
        symbol.line = line_at(symbol.line);
        symbol.line_end = line_at(symbol.line_end);
    }
}
