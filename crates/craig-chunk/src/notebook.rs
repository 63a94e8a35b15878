//! Notebooks: their cells as code and as sections.

use std::borrow::Cow;
use std::ops::Range;

use craig_source::Language;
use craig_source::notebook::{Cell, CellKind, cells};

use crate::embedded::{Code, append, part};
use crate::kind::ChunkKind;
use crate::lines::newlines;
use crate::outline::{Chunk, Outline, Symbol};
use crate::parse::ParsedCode;
use crate::sections::{Heading, leave, markdown_headings};
use crate::text::windows;

/// Markdown of this size, mostly a heading, goes with the cell that it is about.
const TINY_BYTES: usize = 200;
/// Lines that the JSON of a notebook has between two cells, if there are no outputs.
const MAX_LINES_BETWEEN: usize = 12;

/// The code in the cells of a notebook.
pub(crate) fn code(text: &str) -> Vec<Code> {
    cells(text).iter().filter_map(|cell| code_of(text, cell)).collect()
}

/// The code of a cell, without the magic that says which language it has.
fn code_of(text: &str, cell: &Cell) -> Option<Code> {
    let CellKind::Code(language) = cell.kind else { return None };
    let content = &text[cell.content_start..cell.bytes.end];
    let start = cell.bytes.end - content.trim_start().len();
    let end = cell.content_start + content.trim_end().len();
    let magic = text.get(start..end)?.strip_prefix("%%");
    let (start, language) = match magic {
        Some(line) => {
            let line = line.lines().next().unwrap_or_default();
            (start + 2 + line.len(), language_of_magic(line).unwrap_or(language))
        }
        None => (line_start(text, start).max(cell.content_start), language),
    };
    (start < end).then_some(Code { bytes: start..end, language })
}

/// The language that a cell magic switches to; most measure or capture what the cell does.
fn language_of_magic(line: &str) -> Option<Language> {
    let mut words = line.split_whitespace();
    match words.next()? {
        "writefile" | "file" => Language::from_path(words.last()?).or(Some(Language::Text)),
        "bigquery" | "sparksql" => Some(Language::Sql),
        "script" => Language::from_id(words.next()?),
        word => Language::from_id(word),
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// A text in which the lines that IPython reads by itself are statements of Python, of the same length.
pub(crate) fn without_magics(text: &str) -> Cow<'_, str> {
    let mut changed: Option<Vec<u8>> = None;
    for code in code(text).into_iter().filter(|code| code.language == Language::Python) {
        let mut at = code.bytes.start;
        let mut goes_on = false;
        for line in text[code.bytes.clone()].split_inclusive('\n') {
            let content = line.trim();
            if goes_on || is_magic(content) {
                let start = at + line.len() - line.trim_start().len();
                let bytes = changed.get_or_insert_with(|| text.as_bytes().to_vec());
                let place = &mut bytes[start..start + content.len()];
                place.fill(b' ');
                let statement: &[u8] = if goes_on {
                    b""
                } else if place.len() < 4 {
                    b"0"
                } else {
                    b"pass"
                };
                place[..statement.len()].copy_from_slice(statement);
                goes_on = content.ends_with('\\');
            }
            at += line.len();
        }
    }
    changed.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// `%matplotlib inline`, `!pip install x`, `?print`: no line of Python goes on like this.
fn is_magic(line: &str) -> bool {
    let mut characters = line.chars();
    match characters.next() {
        Some('!') => characters.next().is_some_and(|c| c != '='),
        Some('%') => characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '%'),
        Some('?') => true,
        _ => false,
    }
}

/// Cuts a notebook into its cells.
pub(crate) fn outline(text: &str, trees: &[ParsedCode]) -> Outline {
    let mut outline = Outline::default();
    let mut headings = Headings::default();
    // Where the next chunk begins: before a heading that goes with it.
    let mut start = 0;
    let cells = cells(text);
    for (at, cell) in cells.iter().enumerate() {
        let content = cell.content_start
            ..cell.content_start + text[cell.content_start..cell.bytes.end].trim_end().len();
        let is_markdown = cell.kind == CellKind::Markdown;
        if is_markdown {
            headings.read(text, &content, &mut outline.symbols);
        }
        let next = cells.get(at + 1).filter(|next| {
            let between = &text[content.end..next.content_start];
            is_markdown && between.matches('\n').count() <= MAX_LINES_BETWEEN
        });
        if next.is_some() && content.end - start < TINY_BYTES {
            continue;
        }
        let mut chunks = match code_of(text, cell) {
            Some(code) => {
                let mut part = part(text, Code { bytes: code.bytes.start..content.end, ..code }, trees);
                let chunks = std::mem::take(&mut part.chunks);
                append(&mut outline, part);
                chunks
            }
            None => windows(text, start..content.end, ChunkKind::Section, headings.title(), headings.above()),
        };
        headings.name(&mut chunks);
        // Lines of long outputs would be in every answer that shows the cell.
        let is_long = cell.bytes.end - content.end > TINY_BYTES;
        let end = if is_long { content.end } else { cell.bytes.end };
        cover(&mut chunks, text, start..end);
        outline.chunks.extend(chunks);
        outline.chunks.extend(windows(text, end..cell.bytes.end, ChunkKind::Block, None, None));
        start = cell.bytes.end;
    }
    if start < text.len() {
        outline.chunks.extend(windows(text, start..text.len(), ChunkKind::Block, None, None));
    }
    headings.end(text, text.trim_end().len(), &mut outline.symbols);
    outline.symbols.sort_by_key(|symbol| symbol.line);
    outline
}

/// Lets chunks cover a range that they lie in: the marker before the first, and the lines of outputs behind the last.
fn cover(chunks: &mut Vec<Chunk>, text: &str, range: Range<usize>) {
    if let Some(first) = chunks.first_mut() {
        first.bytes.start = range.start;
    }
    match chunks.last_mut() {
        Some(last) => last.bytes.end = range.end,
        None => chunks.extend(windows(text, range, ChunkKind::Block, None, None)),
    }
}

/// The headings that the cells so far are under.
#[derive(Default)]
struct Headings {
    path: Vec<(usize, String)>,
    /// The titles above the last, joined, and those with the last.
    above: String,
    all: String,
    /// The symbol of the last heading, whose section goes on.
    open: Option<usize>,
    counted: usize,
    line: u32,
}

impl Headings {
    /// Takes the headings of a cell of Markdown.
    fn read(&mut self, text: &str, cell: &Range<usize>, symbols: &mut Vec<Symbol>) {
        for Heading { start, level, title, .. } in markdown_headings(&text[cell.clone()]) {
            let start = cell.start + start;
            self.end(text, text[..start].trim_end().len(), symbols);
            leave(&mut self.path, level);
            self.above = joined(&self.path);
            let parent = self.above().map(str::to_owned);
            let line = self.line_at(text, start);
            self.path.push((level, title.clone()));
            self.all = joined(&self.path);
            self.open = Some(symbols.len());
            symbols.push(Symbol { name: title, kind: ChunkKind::Section, parent, line, line_end: line });
        }
    }

    /// Ends the section of the last heading.
    fn end(&mut self, text: &str, at: usize, symbols: &mut [Symbol]) {
        if let Some(symbol) = self.open.take().and_then(|at| symbols.get_mut(at)) {
            symbol.line_end = self.line_at(text, at).max(symbol.line);
        }
    }

    fn line_at(&mut self, text: &str, at: usize) -> u32 {
        self.line += newlines(text.as_bytes().get(self.counted..at).unwrap_or_default());
        self.counted = self.counted.max(at);
        self.line + 1
    }

    fn title(&self) -> Option<&str> {
        self.path.last().map(|(_, title)| title.as_str()).filter(|title| !title.is_empty())
    }

    fn above(&self) -> Option<&str> {
        Some(self.above.as_str()).filter(|above| !above.is_empty())
    }

    /// Code that belongs to nothing else belongs to its section.
    fn name(&self, chunks: &mut [Chunk]) {
        for chunk in chunks.iter_mut().filter(|chunk| chunk.kind != ChunkKind::Section) {
            if chunk.parent.is_none() && !self.all.is_empty() {
                chunk.parent = Some(self.all.clone());
            }
        }
    }
}

fn joined(path: &[(usize, String)]) -> String {
    path.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(" > ")
}
