//! Jupyter notebooks as the text of their cells.
//!
//! A notebook is JSON, and most of its bytes are outputs. `cells_of` turns it into its cells, each under a marker line as
//! Jupytext's percent format has it. A line of a cell keeps the number that it has in the file, with empty lines where the
//! file has outputs and metadata: what is found in the text can be opened in the file. Where the JSON has several lines of a
//! cell on one line, they take the lines that follow, and the next cell is at its own line again if there is room.
//! [`cells`] reads that text.

use std::{borrow::Cow, iter, ops::Range};

use crate::Language;

/// A cell in the text that is kept of a notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// From its marker to the next one; the first cell begins with the text. Cells partition the text.
    pub bytes: Range<usize>,
    /// Where its content begins, behind the marker.
    pub content_start: usize,
    /// Its kind of content.
    pub kind: CellKind,
}

/// The kind of content of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Code of a language; [`Language::Text`] if it is not a known one.
    Code(Language),
    /// Markdown.
    Markdown,
    /// Text for other tools.
    Raw,
}

/// How much larger than other files a notebook may be: its outputs are not kept. Of 164 notebooks of two textbooks, 15 are
/// larger than other files may be, the largest by four times.
const MAX_TIMES_LARGER: u64 = 16;

/// The most bytes that a file may have, where other files may have `max_bytes`.
pub(crate) fn max_bytes_of(path: &str, max_bytes: u64) -> u64 {
    match Language::from_path(path) {
        Some(Language::Notebook) => max_bytes.saturating_mul(MAX_TIMES_LARGER),
        _ => max_bytes,
    }
}

const CODE: &str = "# %%";
const MARKDOWN: &str = "# %% [markdown]";
const RAW: &str = "# %% [raw]";
const LANGUAGE: &str = "# %% language=\"";

/// The cells of a text that `cells_of` made; none if it has no marker.
pub fn cells(text: &str) -> Vec<Cell> {
    let mut found: Vec<Cell> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(kind) = kind_of_marker(line.trim_end()) else { continue };
        let first = if found.is_empty() { 0 } else { start };
        found.iter_mut().next_back().into_iter().for_each(|before| before.bytes.end = start);
        found.push(Cell { bytes: first..text.len(), content_start: at, kind });
    }
    found
}

fn kind_of_marker(line: &str) -> Option<CellKind> {
    match line {
        CODE => Some(CellKind::Code(Language::Python)),
        MARKDOWN => Some(CellKind::Markdown),
        RAW => Some(CellKind::Raw),
        _ => {
            let id = line.strip_prefix(LANGUAGE)?.strip_suffix('"')?;
            Some(CellKind::Code(Language::from_id(id).unwrap_or(Language::Text)))
        }
    }
}

fn marker(kind: CellKind) -> Cow<'static, str> {
    match kind {
        CellKind::Code(Language::Python) => CODE.into(),
        CellKind::Code(language) => format!("{LANGUAGE}{}\"", language.id()).into(),
        CellKind::Markdown => MARKDOWN.into(),
        CellKind::Raw => RAW.into(),
    }
}

/// The text of a notebook's cells; `None` if `json` has no list of cells.
///
/// Reads nbformat 3 and 4, on whatever lines it is written. Broken JSON is read as far as it goes: conflict markers and a
/// missing end cost what they hit.
pub(crate) fn cells_of(json: &str) -> Option<String> {
    let mut reading = Reading::new(json);
    while let Some(token) = reading.token() {
        reading.take(token);
    }
    reading.has_cells.then(|| written(&reading))
}

/// A cell as read from JSON.
#[derive(Default)]
struct JsonCell<'t> {
    cell_type: &'t str,
    language: Option<Language>,
    /// Level of a heading: nbformat 3.
    level: usize,
    /// Strings of the source with the lines they are on.
    source: Vec<(usize, Cow<'t, str>)>,
}

/// The role of a value in the JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The notebook, its worksheets, or one of them.
    Outer,
    Metadata,
    /// `kernelspec` or `language_info`.
    Kernel,
    Cells,
    Cell,
    CellMetadata,
    Source,
    Other,
}

enum Token<'t> {
    Open,
    Close,
    /// Content of a string, with its escapes.
    Text(&'t str),
    Key(&'t str),
    /// A number or a word.
    Other(&'t str),
}

struct Reading<'t> {
    json: &'t str,
    at: usize,
    /// Newlines are counted up to here.
    counted: usize,
    line: usize,
    /// Roles of the open objects and arrays, each with the key that was read last in it.
    open: Vec<(Role, &'t str)>,
    has_cells: bool,
    language: Option<Language>,
    cells: Vec<JsonCell<'t>>,
}

impl<'t> Reading<'t> {
    fn new(json: &'t str) -> Self {
        Reading {
            json,
            at: 0,
            counted: 0,
            line: 1,
            open: Vec::new(),
            has_cells: false,
            language: None,
            cells: Vec::new(),
        }
    }

    fn token(&mut self) -> Option<Token<'t>> {
        let bytes = self.json.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            let start = self.at;
            self.at += 1;
            match byte {
                b'{' | b'[' => return Some(Token::Open),
                b'}' | b']' => return Some(Token::Close),
                b'"' => return Some(self.string()),
                b'0'..=b'9' => {
                    let more = bytes[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric());
                    self.at = start + more.count();
                    return Some(Token::Other(&self.json[start..self.at]));
                }
                _ => {}
            }
        }
        None
    }

    /// A string whose first quote was read: a key if a colon follows.
    fn string(&mut self) -> Token<'t> {
        let bytes = self.json.as_bytes();
        let start = self.at;
        let mut end = bytes.len();
        while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[self.at.min(bytes.len())..]) {
            let at = self.at + found;
            if bytes[at] == b'"' {
                end = at;
                break;
            }
            self.at = at + 2;
        }
        self.at = (end + 1).min(bytes.len());
        let text = &self.json[start..end];
        let next = bytes[self.at..].iter().find(|byte| !byte.is_ascii_whitespace());
        if next == Some(&b':') { Token::Key(text) } else { Token::Text(text) }
    }

    fn take(&mut self, token: Token<'t>) {
        let (role, key) = self.open.last().copied().unwrap_or((Role::Outer, ""));
        match token {
            Token::Open => {
                let inner = if self.open.is_empty() { Role::Outer } else { inner_role(role, key) };
                self.has_cells |= inner == Role::Cells;
                if inner == Role::Cell {
                    self.cells.push(JsonCell::default());
                }
                // Of a source that is there twice, in the two parts of a conflict, each has its own lines.
                let before = self.cells.last_mut().and_then(|cell| cell.source.last_mut());
                if let Some((_, before)) = before.filter(|_| inner == Role::Source) {
                    before.to_mut().push('\n');
                }
                self.open.push((inner, ""));
            }
            Token::Close => {
                self.open.pop();
            }
            Token::Key(key) => {
                if let Some(open) = self.open.last_mut() {
                    open.1 = key;
                }
            }
            Token::Text(text) => self.text(role, key, text),
            Token::Other(word) => {
                if let (Role::Cell, "level", Some(cell)) = (role, key, self.cells.last_mut()) {
                    cell.level = word.parse().unwrap_or(1);
                }
            }
        }
    }

    fn text(&mut self, role: Role, key: &str, text: &'t str) {
        if role == Role::Kernel && matches!(key, "language" | "name") {
            self.language = self.language.or_else(|| Language::from_id(text));
            return;
        }
        let line = match (role, key) {
            (Role::Source, _) | (Role::Cell, "source" | "input") => self.line_of(text),
            _ => 0,
        };
        let Some(cell) = self.cells.last_mut() else { return };
        match (role, key) {
            (Role::Cell, "cell_type") => cell.cell_type = text,
            (Role::Cell, "language") | (Role::CellMetadata, "language" | "languageId" | "kernelName") => {
                cell.language = cell.language.or_else(|| Language::from_id(text));
            }
            _ if line > 0 => cell.source.push((line, unescaped(text))),
            _ => {}
        }
    }

    /// The line of a part of the JSON; requests must be in ascending order.
    fn line_of(&mut self, part: &str) -> usize {
        let at = self.at - part.len();
        let between = self.json.as_bytes().get(self.counted..at).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', between).count();
        self.counted = self.counted.max(at);
        self.line
    }
}

/// The role of an object or array, from the role of its parent and its key there.
fn inner_role(outer: Role, key: &str) -> Role {
    match (outer, key) {
        (Role::Outer, "cells") => Role::Cells,
        (Role::Outer, "worksheets" | "") => Role::Outer,
        (Role::Outer, "metadata") => Role::Metadata,
        (Role::Metadata, "kernelspec" | "language_info") => Role::Kernel,
        (Role::Cells, _) => Role::Cell,
        (Role::Cell, "source" | "input") => Role::Source,
        (Role::Cell, "metadata") | (Role::CellMetadata, _) => Role::CellMetadata,
        _ => Role::Other,
    }
}

fn written(notebook: &Reading<'_>) -> String {
    let mut text = Written { text: String::new(), line: 1 };
    for cell in &notebook.cells {
        let is_blank = cell.source.iter().all(|(_, part)| part.trim().is_empty());
        if let Some((first, _)) = cell.source.first().filter(|_| !is_blank) {
            let kind = match cell.cell_type {
                "markdown" | "heading" => CellKind::Markdown,
                "raw" => CellKind::Raw,
                _ => CellKind::Code(cell.language.or(notebook.language).unwrap_or(Language::Python)),
            };
            text.cell(cell, kind, *first);
        }
    }
    text.text
}

struct Written {
    text: String,
    /// Number of the line that is being written.
    line: usize,
}

impl Written {
    fn cell(&mut self, cell: &JsonCell<'_>, kind: CellKind, first_line: usize) {
        if self.line < first_line {
            self.go_to(first_line - 1);
        } else if !self.text.is_empty() {
            self.push("\n");
        }
        self.push(&marker(kind));
        self.push("\n");
        if cell.cell_type == "heading" {
            self.push(&"#".repeat(cell.level.clamp(1, 6)));
            self.push(" ");
        }
        for (line, part) in &cell.source {
            if self.is_at_line_start() {
                self.go_to(*line);
            }
            match kind {
                CellKind::Markdown => self.push(&without_images(part)),
                _ => self.push(part),
            }
        }
        if !self.is_at_line_start() {
            self.push("\n");
        }
    }

    fn is_at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    fn go_to(&mut self, line: usize) {
        self.text.extend(iter::repeat_n('\n', line.saturating_sub(self.line)));
        self.line = self.line.max(line);
    }

    fn push(&mut self, part: &str) {
        self.line += memchr::memchr_iter(b'\n', part.as_bytes()).count();
        self.text.push_str(part);
    }
}

/// Markdown without the bytes of images that are written out in it.
fn without_images(markdown: &str) -> Cow<'_, str> {
    const START: &str = ";base64,";
    if !markdown.contains(START) {
        return Cow::Borrowed(markdown);
    }
    let mut parts = markdown.split(START);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '\n');
        text.push_str(START);
        text.push_str(part.trim_start_matches(is_base64));
    }
    Cow::Owned(text)
}

/// The content of a JSON string; everything except escapes is unchanged.
fn unescaped(text: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    let mut next = Some(first);
    while let Some(at) = next {
        found.push_str(&rest[..at]);
        let (c, length) = escape(&rest[at..]);
        found.push(c);
        rest = &rest[at + length..];
        next = memchr::memchr(b'\\', rest.as_bytes());
    }
    found.push_str(rest);
    Cow::Owned(found)
}

/// The character of an escape at the start of `text`, and the length of the escape.
fn escape(text: &str) -> (char, usize) {
    let c = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(c @ (b'"' | b'\\' | b'/')) => char::from(*c),
        Some(b'u') => return unicode_escape(text),
        _ => return ('\\', 1),
    };
    (c, 2)
}

/// `\u00e9`, or a pair of surrogates.
fn unicode_escape(text: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let units = [unit(0), unit(6)].into_iter().map_while(|unit| unit);
    match char::decode_utf16(units).next() {
        Some(Ok(c)) => (c, 6 * c.len_utf16()),
        Some(Err(_)) => (char::REPLACEMENT_CHARACTER, 6),
        None => ('\\', 1),
    }
}

#[cfg(test)]
mod tests;
