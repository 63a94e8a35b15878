//! Lines of a stored file: of definitions, their comments, and places that refer to them.

use craig_chunk::doc_comment;
use craig_store::{Project, Store};

use crate::EngineError;

/// Longer lines and signatures are cut.
const MOST_CHARS: usize = 200;

/// Lines of a signature that are read.
const MOST_SIGNATURE_LINES: u32 = 12;

/// The text of a file by its lines.
pub(crate) struct FileLines {
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl FileLines {
    /// The text of a file of the store; empty if it is gone.
    pub(super) fn read(store: &Store, project: &Project, path: &str) -> Result<Self, EngineError> {
        let found = store.file_text(project.id, path)?;
        Ok(Self::new(found.and_then(|found| found.content).unwrap_or_default()))
    }

    pub(crate) fn new(text: String) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).filter(|&at| at < text.len()).collect();
        Self { text, starts }
    }

    /// Lines of the text.
    pub(crate) fn n_lines(&self) -> usize {
        self.starts.len()
    }

    /// A line by its number, from 1, without its end.
    pub(super) fn line(&self, number: u32) -> &str {
        let at = (number as usize).checked_sub(1);
        let start = at.and_then(|at| self.starts.get(at)).copied().unwrap_or(self.text.len());
        let end = self.starts.get(number as usize).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// Whole lines.
    pub(super) fn text(&self, first: u32, last: u32) -> String {
        let start = (first as usize).checked_sub(1).and_then(|at| self.starts.get(at)).copied();
        let start = start.unwrap_or(self.text.len());
        let end = self.starts.get(last as usize).copied().unwrap_or(self.text.len());
        self.text.get(start..end.max(start)).unwrap_or_default().to_owned()
    }

    /// A line without indentation, cut if it is long.
    pub(super) fn shown(&self, number: u32) -> String {
        cut(self.line(number).trim())
    }

    /// The column of a byte of a line, in characters from 1.
    pub(super) fn column(&self, number: u32, byte: u32) -> u32 {
        let line = self.line(number);
        let before = line.get(..line.floor_char_boundary(byte as usize)).unwrap_or_default();
        before.chars().count() as u32 + 1
    }

    /// How a definition is declared: the line of its name, and those after it until its brackets are closed, without what
    /// opens its body.
    pub(crate) fn signature(&self, line: u32, line_end: u32) -> String {
        let mut signature = String::new();
        let mut n_open = 0;
        for number in line..=line_end.min(line.saturating_add(MOST_SIGNATURE_LINES - 1)) {
            let line = self.line(number);
            let line = &line[..line.floor_char_boundary(MOST_CHARS * 8)];
            append_words(&mut signature, line);
            n_open += n_opened(line);
            if n_open <= 0 || signature.len() > MOST_CHARS * 4 {
                break;
            }
        }
        cut(signature.trim_end_matches(['{', ':', ',', ';', ' ']))
    }

    /// The text of the comment before a definition, or of its docstring.
    pub(super) fn doc(&self, line_start: u32, line: u32, line_end: u32) -> Option<String> {
        doc_comment(|number| self.line(number), line_start, line, line_end).map(|found| found.text)
    }
}

/// Adds a line with single spaces between its words.
fn append_words(text: &mut String, line: &str) {
    for (at, word) in line.split_whitespace().enumerate() {
        // Between words of one line, an angle bracket may be an operator.
        let is_first = at == 0;
        let closes = word.starts_with(')') || is_first && word.starts_with('>');
        if closes && text.ends_with(',') {
            text.pop();
        }
        let is_opened = text.ends_with('(') || is_first && text.ends_with('<');
        if !(text.is_empty() || is_opened || closes) {
            text.push(' ');
        }
        text.push_str(word);
    }
}

/// Parentheses and square brackets that a line opens and does not close, and angle brackets at its ends; negative if it
/// closes more.
fn n_opened(line: &str) -> i32 {
    let value = |c: char| match c {
        '(' | '[' => 1,
        ')' | ']' => -1,
        _ => 0,
    };
    let line = line.trim();
    let angles = i32::from(line.ends_with('<')) - i32::from(line.starts_with('>'));
    line.chars().map(value).sum::<i32>() + angles
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_there() {
        let lines = FileLines::new("ü(\n".to_owned());
        assert_eq!((lines.line(0), lines.line(1), lines.line(2)), ("", "ü(", ""));
        assert_eq!((lines.text(2, 9), lines.text(1, 9)), (String::new(), "ü(\n".to_owned()));
        assert_eq!((lines.column(1, 2), lines.column(1, 1), lines.column(7, 4)), (2, 1, 1));
        assert_eq!(lines.signature(1, u32::MAX), "ü(");
    }
}
