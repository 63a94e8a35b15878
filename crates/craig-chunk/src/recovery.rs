//! Takes back the definitions that a fault hides: an unclosed bracket, half a call, a construct that the grammar does not know.
//!
//! Behind a fault a parser may lose everything. But code is laid out: what starts a line at the indentation of its siblings is
//! one of them. Text that parsed with errors is cut there into pieces, and each piece that has an error is parsed alone,
//! between the head and the end of what encloses it. If it hides itself or the piece behind it, it is mended: as little as
//! possible of it is overwritten with blanks. The mended text is parsed once more as a whole, and its tree counts if it has
//! more definitions; all offsets stay, so every reader sees one tree of the original text.

pub(crate) mod conflicts;
mod layout;
mod placed;

use std::ops::Range;

use tree_sitter::{Point, Range as TreeRange, Tree};

use crate::grammar::Grammar;
use crate::grammar::blank::blank;
use crate::kind::ChunkKind;
use crate::parse::{parse, parse_again};
use layout::{Layout, Piece};
use placed::Placed;

/// All pieces together are parsed so many times, whatever is in them: the work grows with the length of the text.
const MIN_READINGS: usize = 2;
/// Where this is not too much, so many times more.
const MAX_READINGS: usize = 24;
/// This is too much.
const MAX_BYTES: usize = 1 << 18;
/// Containers nested deeper than this are not looked into.
const MAX_DEPTH: usize = 6;
/// Statements nested deeper than this in a piece are mended as one.
const MAX_STATEMENT_DEPTH: usize = 3;
/// A line without an end of its own is read together with so many lines behind it: a modifier, the type that a function returns.
const MAX_JOINED: usize = 3;
/// So many ends of blocks are written into what was overwritten.
const MAX_CLOSERS: usize = 2;
/// How bad it is to hide the piece behind: worse than hiding one's own head.
const HIDES_NEXT: usize = 2;
/// Longer heads are parsed too often to be used.
const MAX_HEAD_BYTES: usize = 4096;

/// The tree of a text that has more definitions than `tree`, in which there are errors. `source` is the text as it is laid out,
/// `text` as the parser got it.
pub(crate) fn recovered(
    grammar: &Grammar,
    source: &str,
    text: &str,
    tree: &Tree,
    part: Option<TreeRange>,
) -> Option<Tree> {
    let (layout, before) = laid_out(grammar, source, text, tree);
    let rows = rows(&layout, part);
    if !lacks_definitions(&layout, &before, rows.clone(), 0) {
        return None;
    }
    let mut recovery = Recovery::new(grammar, text, layout, &before);
    recovery.level(rows, &Enclosing::default());
    if !recovery.is_mended {
        return None;
    }
    let mended = &recovery.text[..text.len()];
    let mended_tree = parse_again(grammar, mended, part.as_slice(), (tree, text))?;
    let after = Placed::new(grammar, mended, &mended_tree);
    let layout = &recovery.layout;
    (after.n_in_place(layout) > before.n_in_place(layout)).then_some(mended_tree)
}

/// Whether a tree with errors may lack definitions: some lines that look like one are none, or none that ends where they end.
pub(crate) fn may_lack_definitions(
    grammar: &Grammar,
    source: &str,
    text: &str,
    tree: &Tree,
    part: Option<TreeRange>,
) -> bool {
    let (layout, placed) = laid_out(grammar, source, text, tree);
    lacks_definitions(&layout, &placed, rows(&layout, part), 0)
}

/// The lines of a text with what the tree has of them, and its definitions.
fn laid_out(grammar: &Grammar, source: &str, text: &str, tree: &Tree) -> (Layout, Placed) {
    let placed = Placed::new(grammar, text, tree);
    let mut layout = Layout::new(source, text, grammar.has_conditions());
    layout.read_clean_nodes(tree, &placed);
    (layout, placed)
}

fn lacks_definitions(layout: &Layout, placed: &Placed, rows: Range<usize>, depth: usize) -> bool {
    let pieces = layout.pieces(rows);
    let kind_of = |piece: &Piece| filling(layout, placed, piece, &layout.inside(piece));
    let lacks = |(at, piece): (usize, &Piece)| {
        let inside = layout.inside(piece);
        match kind_of(piece) {
            _ if piece.is_clean => false,
            Some(kind) if placed::is_function(kind) || kind == ChunkKind::Constant => false,
            Some(_) => depth < MAX_DEPTH && lacks_definitions(layout, placed, inside, depth + 1),
            None if layout.is_block_in_line(piece) => true,
            None if inside.is_empty() => {
                let next = pieces.get(at + 1);
                next.is_some_and(|next| !layout.inside(next).is_empty() && kind_of(next).is_none())
            }
            None => true,
        }
    };
    pieces.iter().enumerate().any(lacks)
}

/// The kind of the definition that a piece is: it starts in the head, and ends where the piece does.
fn filling(layout: &Layout, placed: &Placed, piece: &Piece, inside: &Range<usize>) -> Option<ChunkKind> {
    let start = piece.rows.start + piece.n_joined;
    placed.filling(&(start..inside.start.max(start + 1)), &piece.rows, layout)
}

/// The rows of a text, or those that are wholly in its part.
fn rows(layout: &Layout, part: Option<TreeRange>) -> Range<usize> {
    match part {
        Some(part) => part.start_point.row + 1..part.end_point.row.max(part.start_point.row + 1),
        None => 0..layout.n_rows(),
    }
}

/// How many definitions are where the layout of the text has them.
pub(crate) fn n_definitions(grammar: &Grammar, source: &str, text: &str, tree: &Tree) -> usize {
    Placed::new(grammar, text, tree).n_in_place(&Layout::new(source, text, grammar.has_conditions()))
}

/// What encloses a piece, by rows.
#[derive(Clone, Default)]
struct Enclosing {
    heads: Vec<Range<usize>>,
    /// From the innermost on.
    ends: Vec<Range<usize>>,
    depth: usize,
    in_function: bool,
}

/// A piece without errors, for the one before it to leave alone.
struct Witness {
    rows: Range<usize>,
    /// Lines and names of its definitions.
    definitions: Vec<(u32, String)>,
}

struct Recovery<'t> {
    grammar: &'t Grammar,
    original: &'t str,
    /// The text as it is mended so far, and behind it ends of blocks, one a line.
    text: String,
    layout: Layout,
    before: &'t Placed,
    /// Bytes that may still be parsed.
    budget: usize,
    is_mended: bool,
}

impl<'t> Recovery<'t> {
    fn new(grammar: &'t Grammar, original: &'t str, mut layout: Layout, before: &'t Placed) -> Self {
        let closer = grammar.table.closer;
        let mut text = grammar.without_conditions(original).unwrap_or_else(|| original.to_owned());
        let budget = text.len() * MIN_READINGS + (text.len() * MAX_READINGS).min(MAX_BYTES);
        text.push('\n');
        for _ in 0..MAX_DEPTH + MAX_STATEMENT_DEPTH + 2 {
            layout.add_line(text.len(), closer.len());
            text.push_str(closer);
            text.push('\n');
        }
        Self { grammar, original, text, layout, before, budget, is_mended: false }
    }

    /// Mends the pieces of `rows` that hide definitions, the last first, so that what follows a piece is in order.
    fn level(&mut self, rows: Range<usize>, around: &Enclosing) {
        let mut around = around.clone();
        let mut pieces = self.layout.pieces(rows.clone());
        if let Some(first) = pieces.first().filter(|first| first.rows.start > rows.start) {
            around.heads.push(rows.start..first.rows.start);
        }
        self.join(&mut pieces, &around);
        let mut witness: Option<Witness> = None;
        for piece in pieces.into_iter().rev() {
            if self.budget == 0 {
                return;
            }
            let found = self.piece(&piece, &around, witness.as_ref());
            if !found.is_empty() {
                witness = Some(Witness { rows: piece.rows, definitions: found });
            }
        }
    }

    /// Joins lines that are no pieces of their own with what follows: `static int` above `main(void)`, annotations.
    fn join(&mut self, pieces: &mut Vec<Piece>, around: &Enclosing) {
        let mut at = 0;
        while at + 1 < pieces.len() {
            let is_line = |piece: &Piece| {
                !piece.is_clean
                    && self.layout.is_one_line(&piece.rows)
                    && !self.layout.is_block_in_line(piece)
            };
            let n_lines = pieces[at..].iter().take_while(|piece| is_line(piece)).count();
            let next = at + n_lines;
            let may_join = n_lines > 0
                && pieces.get(next).is_some_and(|next| {
                    !next.is_clean
                        && filling(&self.layout, self.before, next, &self.layout.inside(next)).is_none()
                });
            let first = next.saturating_sub(MAX_JOINED).max(at);
            let joined = if may_join {
                (first..next).find(|line| !self.is_clean(&pieces[*line].rows, around))
            } else {
                None
            };
            let Some(first) = joined else {
                at = next + 1;
                continue;
            };
            let start = pieces[first].rows.start;
            let piece = &mut pieces[next];
            piece.n_joined = piece.rows.start - start;
            piece.rows.start = start;
            piece.is_clean = false;
            pieces.drain(first..next);
            at = first + 1;
        }
    }

    /// Mends a piece if it hides something; the definitions that it has then.
    fn piece(&mut self, piece: &Piece, around: &Enclosing, next: Option<&Witness>) -> Vec<(u32, String)> {
        let inside = self.layout.inside(piece);
        let known = self.before.in_rows(&piece.rows);
        let mut case = Case { piece, inside: &inside, around, next, wants_head: false };
        if piece.is_clean && (inside.is_empty() || !known.is_empty()) {
            if !self.separate(&case) && known.is_empty() {
                self.blank(&piece.rows);
            }
            return known;
        }
        let kind = filling(&self.layout, self.before, piece, &inside);
        let is_leaf = kind.is_some_and(|kind| placed::is_function(kind) || kind == ChunkKind::Constant);
        if is_leaf && self.separate(&case) {
            return known;
        }
        if kind.is_some() && !is_leaf && around.depth < MAX_DEPTH {
            let inner = self.around(piece, &inside, around, false);
            self.level(inside.clone(), &inner);
            return known;
        }
        let may_define = !inside.is_empty() && !around.in_function;
        let may_hide = may_define || self.layout.is_block_in_line(piece) || self.is_lost(next, &piece.rows);
        if !may_hide {
            return known;
        }
        case.wants_head = may_define;
        let Some(tree) = self.read(around, &[&piece.rows]) else { return known };
        let alone = Placed::new(self.grammar, &self.text, &tree);
        if !has_error_in(&tree, &from(&piece.rows)) {
            let definitions = alone.in_rows(&piece.rows);
            if !self.separate(&case) && definitions.is_empty() {
                self.blank(&piece.rows);
            }
            return definitions;
        }
        let head = piece.rows.start..inside.start;
        if may_define && around.depth < MAX_DEPTH && !alone.has_function_in(&head) {
            let inner = self.around(piece, &inside, around, false);
            if self.can_hold(&head, &inner) {
                self.level(inside.clone(), &inner);
            }
        }
        let seen = self.see(&case);
        if seen.harm == 0 {
            return seen.definitions;
        }
        self.mend(&case, seen.harm);
        let tree = self.read(around, &[&piece.rows]);
        tree.map(|tree| Placed::new(self.grammar, &self.text, &tree).in_rows(&piece.rows)).unwrap_or_default()
    }

    /// Separates a piece that has no error from the next if the two cannot be read together: a call without parentheses goes on in
    /// the next line, whatever is there. False if they cannot be separated.
    fn separate(&mut self, case: &Case<'_>) -> bool {
        if !self.is_lost(case.next, &case.piece.rows) || self.harm(case) == 0 {
            return true;
        }
        for step in [Step::Semicolon, Step::NextSemicolon] {
            let text = self.text.clone();
            if self.take(step, case) && self.harm(case) == 0 {
                return true;
            }
            self.text = text;
        }
        false
    }

    /// Whether the tree of the text lacks a definition of the piece behind these rows.
    fn is_lost(&self, next: Option<&Witness>, rows: &Range<usize>) -> bool {
        next.is_some_and(|next| next.definitions.iter().any(|wanted| !self.before.has_outside(wanted, rows)))
    }

    fn harm(&mut self, case: &Case<'_>) -> usize {
        self.see(case).harm
    }

    /// Reads a piece with the one behind it.
    fn see(&mut self, case: &Case<'_>) -> Seen {
        let rows = &case.piece.rows;
        let both: Vec<_> = [rows].into_iter().chain(case.next.map(|next| &next.rows)).collect();
        let Some(tree) = self.read(case.around, &both) else { return Seen::default() };
        let placed = Placed::new(self.grammar, &self.text, &tree);
        let hides_next = match case.next {
            Some(next) => !next.definitions.iter().all(|wanted| placed.has_outside(wanted, rows)),
            None => has_error_in(&tree, &(rows.end..usize::MAX)),
        };
        let head = rows.start + case.piece.n_joined..case.inside.start;
        let end = if case.inside.end < rows.end { case.inside.end } else { 0 };
        // An error at its very start is harmless to itself, but what is before it cannot be read with it.
        let breaks_start = head.start > rows.start && has_error_in(&tree, &(rows.start..head.start));
        let hides_head = case.wants_head && (breaks_start || !placed.reaches(&head, end));
        Seen {
            harm: HIDES_NEXT * usize::from(hides_next) + usize::from(hides_head),
            definitions: placed.in_rows(rows),
        }
    }

    /// Overwrites as little of a piece as makes it harmless; all of it only if it hides what follows.
    fn mend(&mut self, case: &Case<'_>, harm: usize) {
        let bytes = self.layout.bytes(&case.piece.rows);
        for step in [Step::Signature, Step::JoinedWord, Step::Joined, Step::End] {
            if self.helps(step, case) {
                return;
            }
        }
        let original = self.text[bytes.clone()].to_owned();
        // If nothing inside is too much, no statement of it is the cause.
        if self.helps(Step::Inside, case) {
            let emptied = self.text[bytes.clone()].to_owned();
            self.text.replace_range(bytes.clone(), &original);
            let is_mended = self.helps(Step::Members, case) || self.helps(Step::Statements, case);
            if !is_mended && harm >= HIDES_NEXT {
                self.text.replace_range(bytes, &emptied);
                self.is_mended = true;
            }
        } else if harm >= HIDES_NEXT {
            self.blank(&case.piece.rows);
        }
    }

    /// Whether a piece is harmless without a part of it; all of it is left as it is otherwise.
    fn helps(&mut self, step: Step, case: &Case<'_>) -> bool {
        let bytes = self.layout.bytes(&case.piece.rows);
        let original = self.text[bytes.clone()].to_owned();
        let was_mended = self.is_mended;
        if self.take(step, case) {
            for n_closers in 0..=MAX_CLOSERS {
                if n_closers > 0 && !self.close(&case.piece.rows) {
                    break;
                }
                if self.harm(case) == 0 {
                    return true;
                }
            }
        }
        self.text.replace_range(bytes, &original);
        self.is_mended = was_mended;
        false
    }

    /// The last row with content of those before a piece's own.
    fn joined_row(&self, piece: &Piece) -> Option<usize> {
        self.layout.last_row(&(piece.rows.start..piece.rows.start + piece.n_joined))
    }

    /// Overwrites a part of a piece; false if there is nothing to overwrite.
    fn take(&mut self, step: Step, case: &Case<'_>) -> bool {
        let (piece, inside) = (case.piece, case.inside);
        let rows = match step {
            Step::Joined => piece.rows.start..piece.rows.start + piece.n_joined,
            Step::End => inside.end..piece.rows.end,
            Step::Signature => {
                let row = if inside.is_empty() {
                    self.layout.last_row(&piece.rows)
                } else {
                    self.joined_row(piece)
                };
                return row.is_some_and(|row| self.end_signature(row));
            }
            Step::JoinedWord => return self.joined_row(piece).is_some_and(|row| self.blank_last_word(row)),
            Step::Semicolon => {
                return self.layout.last_row(&piece.rows).is_some_and(|row| self.end_with_semicolon(row));
            }
            Step::NextSemicolon => {
                return case.next.is_some_and(|next| self.start_with_semicolon(next.rows.start));
            }
            Step::Inside => inside.clone(),
            Step::Members => {
                let around = self.around(piece, inside, case.around, false);
                self.members(inside.clone(), &around);
                return case.wants_head && !inside.is_empty();
            }
            Step::Statements => {
                let around = self.around(piece, inside, case.around, true);
                self.statements(inside.clone(), &around, 0);
                return !inside.is_empty();
            }
        };
        self.blank(&rows);
        !rows.is_empty()
    }

    /// Overwrites the members with an error without which what encloses them is whole.
    fn members(&mut self, rows: Range<usize>, around: &Enclosing) {
        let Some(head) = around.heads.last() else { return };
        for piece in self.layout.pieces(rows.clone()).into_iter().filter(|piece| !piece.is_clean) {
            let Some(tree) = self.read(around, &[&piece.rows]) else { return };
            if !Placed::new(self.grammar, &self.text, &tree).reaches(head, rows.end) {
                self.blank(&piece.rows);
            }
        }
    }

    /// Overwrites the statements that have an error, the smallest that are the cause.
    fn statements(&mut self, rows: Range<usize>, around: &Enclosing, depth: usize) {
        let mut whole: Option<Range<usize>> = None;
        for piece in self.layout.pieces(rows) {
            if piece.is_clean || self.is_clean(&piece.rows, around) {
                whole = Some(piece.rows);
                continue;
            }
            // `else` is none without what is before it.
            let joined = whole.take().map(|whole| whole.start..piece.rows.end);
            if let Some(joined) = joined.filter(|joined| self.is_clean(joined, around)) {
                whole = Some(joined);
                continue;
            }
            if self.replace_by_condition(&piece, around) {
                whole = Some(piece.rows);
                continue;
            }
            let inside = self.layout.inside(&piece);
            if depth < MAX_STATEMENT_DEPTH && !inside.is_empty() {
                self.statements(inside.clone(), &self.around(&piece, &inside, around, true), depth + 1);
                if self.is_clean(&piece.rows, around)
                    || self.close(&piece.rows) && self.is_clean(&piece.rows, around)
                {
                    continue;
                }
            }
            self.blank(&piece.rows);
        }
    }

    /// Writes `if` for a macro that is used as a control structure, if the statement can be read then: `IF_LESS(a, b) {`.
    fn replace_by_condition(&mut self, piece: &Piece, around: &Enclosing) -> bool {
        let bytes = self.layout.bytes_of(piece.rows.start);
        let line = &self.text[bytes.clone()];
        let content = line.trim_ascii_start();
        let rest = content.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let n_word = content.len() - rest.len();
        if n_word < 3 || !rest.trim_ascii_start().starts_with('(') || self.grammar.table.closer != "}" {
            return false;
        }
        let start = bytes.start + line.len() - content.len();
        let word = self.text[start..start + n_word].to_owned();
        self.text.replace_range(start..start + n_word, &format!("{:n_word$}", "if"));
        let is_clean = self.is_clean(&piece.rows, around);
        if !is_clean {
            self.text.replace_range(start..start + n_word, &word);
        }
        self.is_mended |= is_clean;
        is_clean
    }

    /// Writes the end of a block into the last row that was overwritten; false if there is none, or no such end.
    fn close(&mut self, rows: &Range<usize>) -> bool {
        let closer = self.grammar.table.closer;
        let was_overwritten = |row: &usize| {
            let bytes = self.layout.bytes_of(*row);
            let line = &self.text[bytes.clone()];
            *line != self.original[bytes] && line.split_ascii_whitespace().all(|word| word == closer)
        };
        let Some(row) = rows.clone().rev().find(was_overwritten) else { return false };
        let bytes = self.layout.bytes_of(row);
        let line = &self.text[bytes.clone()];
        let n_blanks = line.len() - line.trim_ascii_start().len();
        if closer.is_empty() || n_blanks <= closer.len() {
            return false;
        }
        let end = bytes.start + n_blanks - 1;
        self.text.replace_range(end - closer.len()..end, closer);
        true
    }

    /// Writes ` }` at the end of a row as `};`.
    fn end_with_semicolon(&mut self, row: usize) -> bool {
        let bytes = self.layout.bytes_of(row);
        let line = self.text[bytes.clone()].trim_ascii_end();
        let end = bytes.start + line.len();
        let can_end = line.ends_with(" }");
        if can_end {
            self.text.replace_range(end - 2..end, "};");
            self.is_mended = true;
        }
        can_end
    }

    /// Writes a semicolon before a row that is indented.
    fn start_with_semicolon(&mut self, row: usize) -> bool {
        let bytes = self.layout.bytes_of(row);
        let line = &self.text[bytes.clone()];
        let n_blanks = line.len() - line.trim_ascii_start().len();
        if n_blanks > 0 {
            let at = bytes.start + n_blanks - 1;
            self.text.replace_range(at..at + 1, ";");
            self.is_mended = true;
        }
        n_blanks > 0
    }

    /// Writes a function without parameters and statements for what is behind the first parenthesis of a row.
    fn end_signature(&mut self, row: usize) -> bool {
        let bytes = self.layout.bytes_of(row);
        let Some(open) = self.text[bytes.clone()].find('(') else { return false };
        let rest = bytes.start + open..bytes.end;
        let stub = self.grammar.table.stub;
        let has_room = rest.len() >= stub.len();
        if has_room {
            let stub = format!("{stub:n$}", n = rest.len());
            self.text.replace_range(rest, &stub);
            self.is_mended = true;
        }
        has_room
    }

    /// Overwrites the last word of a row with the parentheses behind it: an attribute that is a macro.
    fn blank_last_word(&mut self, row: usize) -> bool {
        let bytes = self.layout.bytes_of(row);
        let line = self.text[bytes.clone()].trim_ascii_end();
        let head = if line.ends_with(')') { line.rfind('(').map_or(line, |at| &line[..at]) } else { line };
        let head = head.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        let range = bytes.start + head.len()..bytes.start + line.len();
        let leaves_word = !head.trim_ascii().is_empty() && !range.is_empty();
        if leaves_word {
            let blanks = " ".repeat(range.len());
            self.text.replace_range(range, &blanks);
            self.is_mended = true;
        }
        leaves_word
    }

    fn blank(&mut self, rows: &Range<usize>) {
        if rows.is_empty() {
            return;
        }
        let bytes = self.layout.bytes(rows);
        let mut blanks = self.text[bytes.clone()].as_bytes().to_vec();
        blank(&mut blanks);
        if let Ok(blanks) = String::from_utf8(blanks) {
            self.text.replace_range(bytes, &blanks);
            self.is_mended = true;
        }
    }

    /// What is around the inside of a piece.
    fn around(
        &self,
        piece: &Piece,
        inside: &Range<usize>,
        outer: &Enclosing,
        in_function: bool,
    ) -> Enclosing {
        let mut around = outer.clone();
        around.heads.push(piece.rows.start..inside.start);
        if inside.end < piece.rows.end {
            around.ends.insert(0, inside.end..piece.rows.end);
        } else if self.is_open(&(piece.rows.start..inside.start)) {
            // Rows are parsed in order: behind an end that was added all others are, too.
            let first_added = self.layout.n_rows();
            let n = outer.ends.len() + 1;
            around.ends = (first_added..first_added + n).map(|row| row..row + 1).collect();
        }
        around.depth += 1;
        around.in_function = in_function;
        around
    }

    /// Whether a head needs an end: it has no colon or equals sign in place of a bracket.
    fn is_open(&self, head: &Range<usize>) -> bool {
        let closer = self.grammar.table.closer;
        let text = self.text[self.layout.bytes(head)].trim_ascii_end();
        !closer.is_empty() && (closer != "}" || text.ends_with(['{', '(', '[', '>']))
    }

    /// Whether a head can be read, so that errors of what is put inside are its own.
    fn can_hold(&mut self, head: &Range<usize>, inner: &Enclosing) -> bool {
        !self.is_open(head) || self.read(inner, &[]).is_some_and(|tree| !has_error_in(&tree, &from(head)))
    }

    fn is_clean(&mut self, rows: &Range<usize>, around: &Enclosing) -> bool {
        self.read(around, &[rows]).is_none_or(|tree| !has_error_in(&tree, &from(rows)))
    }

    /// Parses rows between the heads and ends of what is around them; none when enough was parsed.
    fn read(&mut self, around: &Enclosing, rows: &[&Range<usize>]) -> Option<Tree> {
        let heads = around.heads.iter().filter(|head| self.layout.bytes(head).len() <= MAX_HEAD_BYTES);
        let all = heads.chain(rows.iter().copied()).chain(&around.ends);
        let parts: Vec<TreeRange> =
            all.map(|rows| self.tree_range(rows)).filter(|part| part.start_byte < part.end_byte).collect();
        let n_bytes: usize = parts.iter().map(|part| part.end_byte - part.start_byte).sum();
        self.budget = self.budget.saturating_sub(n_bytes);
        if self.budget == 0 {
            return None;
        }
        parse(self.grammar, &self.text, &parts)
    }

    fn tree_range(&self, rows: &Range<usize>) -> TreeRange {
        let bytes = self.layout.bytes(rows);
        TreeRange {
            start_byte: bytes.start,
            end_byte: bytes.end,
            start_point: Point { row: rows.start, column: 0 },
            end_point: Point { row: rows.end, column: 0 },
        }
    }
}

/// What a piece is, read with the one behind it.
#[derive(Default)]
struct Seen {
    /// How much it hides: of the piece behind it anything, of itself its head.
    harm: usize,
    /// Lines and names of its definitions.
    definitions: Vec<(u32, String)>,
}

/// A piece with what tells whether it hides something.
struct Case<'c> {
    piece: &'c Piece,
    inside: &'c Range<usize>,
    around: &'c Enclosing,
    next: Option<&'c Witness>,
    /// Whether its first line should define something.
    wants_head: bool,
}

/// What is overwritten of a piece, the least first.
#[derive(Clone, Copy)]
enum Step {
    /// The parameters of a signature before it.
    Signature,
    /// The last word of the lines before its own.
    JoinedWord,
    /// All of these lines.
    Joined,
    /// Its last line: a bracket too many.
    End,
    /// Members that hide the type around them.
    Members,
    /// Statements that have an error.
    Statements,
    Inside,
    /// A blank before its last bracket: it ends with a semicolon.
    Semicolon,
    /// A blank before the next piece: it starts with a semicolon.
    NextSemicolon,
}

/// These rows and all behind them: what is not closed is missed at the end.
fn from(rows: &Range<usize>) -> Range<usize> {
    rows.start..usize::MAX
}

/// Whether an error reaches into these rows, or something is missing there.
fn has_error_in(tree: &Tree, rows: &Range<usize>) -> bool {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let touches = node.start_position().row < rows.end && node.end_position().row >= rows.start;
        if touches && node.is_missing() && rows.contains(&node.start_position().row) {
            return true;
        }
        let end = node.end_position();
        let ends_before = end.row == rows.start && end.column == 0;
        if touches && node.is_error() && !ends_before {
            return true;
        }
        if touches && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}
