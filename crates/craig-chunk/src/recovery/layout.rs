//! The lines of a text: their indentation, and which of them start a piece.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::placed::Placed;

/// A tab counts as so many columns.
const TAB: usize = 4;

struct Line {
    /// Without its end.
    bytes: Range<usize>,
    /// Bytes before its content.
    n_blanks: usize,
    /// Where its content ends, without a semicolon or a comma.
    content_end: usize,
    /// Columns before its content.
    indent: usize,
    /// Whether it has no content, or an instruction of the preprocessor.
    is_blank: bool,
    /// Whether a declaration or a statement may start here: no bracket, no operator, no end of a block.
    starts: bool,
    /// Whether it is a label: `public:`, `out:`.
    is_label: bool,
    /// Whether it starts with the end of something.
    closes: bool,
    /// Whether it ends with the start of a block in brackets.
    opens: bool,
    /// Whether it ends with a whole block in brackets.
    has_block: bool,
}

/// The lines of a text.
pub(super) struct Layout {
    lines: Vec<Line>,
    /// Number of lines that the text itself has.
    n_rows: usize,
    /// By row, the last row and the end of a node without errors that starts there.
    clean_ends: Vec<Option<(usize, usize)>>,
}

/// Lines that belong together: the first, and what follows up to the next of its siblings.
pub(super) struct Piece {
    pub(super) rows: Range<usize>,
    /// Number of rows before that of the piece itself: modifiers, annotations.
    pub(super) n_joined: usize,
    /// Whether the tree has a node without errors for all of it.
    pub(super) is_clean: bool,
}

impl Layout {
    /// The lines of `text`, which is `source` with blanks for some of it: lines are laid out as the source has them.
    pub(super) fn new(source: &str, text: &str, has_preprocessor: bool) -> Self {
        let mut lines = Vec::new();
        let mut at = 0;
        let mut goes_on = false;
        for (source, line) in source.split('\n').zip(text.split('\n')) {
            let is_directive = has_preprocessor && (goes_on || line.trim_ascii_start().starts_with('#'));
            goes_on = is_directive && line.trim_ascii_end().ends_with('\\');
            lines.push(Line::new(at, source, line, is_directive));
            at += line.len() + 1;
        }
        Self { n_rows: lines.len(), clean_ends: vec![None; lines.len()], lines }
    }

    /// Adds a line behind the text.
    pub(super) fn add_line(&mut self, start: usize, n_bytes: usize) {
        self.lines.push(Line {
            bytes: start..start + n_bytes,
            n_blanks: 0,
            content_end: start + n_bytes,
            indent: 0,
            is_blank: false,
            starts: false,
            is_label: false,
            closes: true,
            opens: false,
            has_block: false,
        });
    }

    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(super) fn indent(&self, row: usize) -> usize {
        self.lines.get(row).map_or(0, |line| line.indent)
    }

    /// The bytes of a row, without its end.
    pub(super) fn bytes_of(&self, row: usize) -> Range<usize> {
        self.lines[row].bytes.clone()
    }

    /// The bytes of rows with their ends.
    pub(super) fn bytes(&self, rows: &Range<usize>) -> Range<usize> {
        let start = self.lines[rows.start].bytes.start;
        if rows.is_empty() { start..start } else { start..self.lines[rows.end - 1].bytes.end + 1 }
    }

    pub(super) fn is_one_line(&self, rows: &Range<usize>) -> bool {
        self.lines[rows.clone()].iter().filter(|line| !line.is_blank).count() == 1
    }

    /// Whether a piece is one line with a whole block: more than a statement.
    pub(super) fn is_block_in_line(&self, piece: &Piece) -> bool {
        self.is_one_line(&piece.rows) && self.lines[piece.rows.clone()].iter().any(|line| line.has_block)
    }

    /// Notes which rows the nodes without errors cover. A node that holds a definition out of its place is not one, nor is one
    /// that ends at a bracket before its own indentation: the end was taken from something else.
    pub(super) fn read_clean_nodes(&mut self, tree: &Tree, placed: &Placed) {
        let out_of_place = placed.rows_out_of_place(self);
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let is_read = !self.is_clean(node, &out_of_place) && cursor.goto_first_child();
            if is_read {
                continue;
            }
            self.note(node);
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn is_clean(&self, node: Node<'_>, out_of_place: &[usize]) -> bool {
        let (first, last) = (node.start_position().row, node.end_position().row);
        let is_end = |end: &Line| end.closes && end.indent < self.indent(first);
        let next = out_of_place.partition_point(|row| *row <= first);
        !node.has_error()
            && out_of_place.get(next).is_none_or(|row| *row > last)
            && !(first < last && self.lines.get(last).is_some_and(is_end))
    }

    /// Notes a node if it starts a row.
    fn note(&mut self, node: Node<'_>) {
        let row = node.start_position().row;
        let is_whole = node.is_named() && !node.has_error() && !node.is_missing();
        let Some(line) = self.lines.get(row).filter(|_| is_whole) else { return };
        if node.start_byte() == line.bytes.start + line.n_blanks {
            let end = node.end_position();
            let last = if end.column == 0 { end.row.saturating_sub(1).max(row) } else { end.row };
            self.clean_ends[row] = self.clean_ends[row].max(Some((last, node.end_byte())));
        }
    }

    /// Cuts rows where a line starts at the indentation of the first that does, or before it.
    pub(super) fn pieces(&self, rows: Range<usize>) -> Vec<Piece> {
        let mut starts = Vec::new();
        let mut level = None;
        let mut row = rows.start;
        while row < rows.end {
            let line = &self.lines[row];
            if line.starts && line.indent <= *level.get_or_insert(line.indent) {
                starts.push(row);
            }
            row = self.clean_ends[row].map_or(row, |(last, _)| last.max(row)) + 1;
        }
        let ends = starts.iter().skip(1).copied().chain([rows.end]);
        starts.iter().zip(ends).map(|(start, end)| self.piece(*start..end)).collect()
    }

    fn piece(&self, rows: Range<usize>) -> Piece {
        let mut covered = 0;
        let is_covered = |row: usize| {
            covered = self.clean_ends[row].map_or(covered, |(_, end)| covered.max(end));
            self.lines[row].is_blank || self.lines[row].content_end <= covered
        };
        let is_clean = rows.clone().all(is_covered);
        Piece { rows, n_joined: 0, is_clean }
    }

    /// The last row with content.
    pub(super) fn last_row(&self, rows: &Range<usize>) -> Option<usize> {
        rows.clone().rev().find(|row| !self.lines[*row].is_blank)
    }

    /// Whether a piece ends at a row: what follows in it is indented more than its head.
    pub(super) fn ends_at(&self, piece: &Range<usize>, head: usize, row: usize) -> bool {
        let is_behind = |line: &Line| line.is_blank || line.indent > self.indent(head);
        piece.contains(&row) && self.lines[row + 1..piece.end].iter().all(is_behind)
    }

    /// Whether a row ends something that is indented more than a head.
    pub(super) fn ends_inside(&self, head: usize, row: usize) -> bool {
        self.lines.get(row).is_some_and(|line| line.closes && line.indent > self.indent(head))
    }

    /// The rows between the head of a piece and its end; the end follows if the piece has one.
    pub(super) fn inside(&self, piece: &Piece) -> Range<usize> {
        let first = piece.rows.start + piece.n_joined;
        let indent = self.lines[first].indent;
        let last = self.last_row(&piece.rows).unwrap_or(first);
        let is_end = last > first && self.lines[last].indent <= indent && !self.lines[last].starts;
        let end = if is_end { last } else { piece.rows.end };
        let is_of_head = |row: &usize| {
            let line = &self.lines[*row];
            !line.is_blank && !line.is_label && line.indent <= indent
        };
        let mut head_end = (first..end).rev().find(is_of_head).unwrap_or(first) + 1;
        let opens = |row: &usize| self.lines[*row].opens;
        if is_end && !(first..head_end).any(|row| opens(&row)) {
            // The head goes on in lines that are indented like what is inside.
            head_end = (head_end..end).find(opens).map_or(head_end, |row| row + 1);
        }
        let is_inside = |row: &usize| self.lines[*row].starts && self.lines[*row].indent > indent;
        let start = (head_end..end).find(is_inside).unwrap_or(end);
        start..end
    }
}

impl Line {
    fn new(start: usize, source: &str, line: &str, is_directive: bool) -> Self {
        let content = line.trim_ascii();
        let n_blanks = line.len() - line.trim_ascii_start().len();
        let source_content = source.trim_ascii_start();
        let blanks = &source[..source.len() - source_content.len()];
        let indent = blanks.bytes().map(|byte| if byte == b'\t' { TAB } else { 1 }).sum();
        Self {
            bytes: start..start + line.len(),
            n_blanks,
            content_end: start + n_blanks + content.trim_end_matches([';', ',']).len(),
            indent: if content.is_empty() { 0 } else { indent },
            is_blank: content.is_empty() || is_directive,
            starts: !content.is_empty() && !is_directive && starts_piece(source_content.trim_ascii_end()),
            is_label: is_label(source_content.trim_ascii_end()),
            opens: content.ends_with('{'),
            has_block: content.ends_with('}') && content.contains(" { "),
            closes: content.starts_with(['}', ')', ']']) || is_end(content),
        }
    }
}

/// Whether a declaration or a statement may start with this text.
fn starts_piece(content: &str) -> bool {
    let is_start =
        |c: char| is_of_word(c) || matches!(c, '$' | '@' | '~' | '[' | '`' | '"' | '\'' | '/' | '#');
    content.starts_with(is_start) && !is_label(content) && !is_end(content)
}

/// Whether a text is a word and a colon.
fn is_label(content: &str) -> bool {
    content.strip_suffix(':').is_some_and(|word| !word.is_empty() && word.chars().all(is_of_word))
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text starts with the word that ends a block in some languages.
fn is_end(content: &str) -> bool {
    content
        .strip_prefix("end")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || "_(:=".contains(c)))
}
