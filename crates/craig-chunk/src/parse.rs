//! Parsers, one per thread, with a time limit per file.

use std::{
    cell::RefCell,
    ops::ControlFlow,
    time::{Duration, Instant},
};

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Range, Tree};

use crate::grammar::Grammar;

/// The syntax tree of a text, or of a part of it, with the grammar that read it.
pub(crate) type ParsedCode = (&'static Grammar, Tree);

/// Real files parse at several MB/s; whatever takes longer than this is adversarial, and is read as text.
const TIME_LIMIT: Duration = Duration::from_secs(2);

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The syntax tree of `text`, or of its `parts` as if nothing were between them; none when parsing takes too long.
pub(crate) fn parse(grammar: &Grammar, text: &str, parts: &[Range]) -> Option<Tree> {
    parse_from(grammar, text, parts, None)
}

/// The tree of `text`, given the tree of another version of it in which each line is as long: what is alike is not parsed again.
pub(crate) fn parse_again(
    grammar: &Grammar,
    text: &str,
    parts: &[Range],
    (tree, other): (&Tree, &str),
) -> Option<Tree> {
    let mut tree = tree.clone();
    for edit in edits(text, other) {
        tree.edit(&edit);
    }
    parse_from(grammar, text, parts, Some(&tree))
}

/// What differs in each line.
fn edits(text: &str, other: &str) -> Vec<InputEdit> {
    let mut edits = Vec::new();
    let mut start = 0;
    for (row, (new, old)) in text.split_inclusive('\n').zip(other.split_inclusive('\n')).enumerate() {
        if new != old {
            let differs = |column: &usize| new.as_bytes()[*column] != old.as_bytes()[*column];
            let n = new.len().min(old.len());
            let first = (0..n).find(differs).unwrap_or(n);
            let end = (first..n).rfind(differs).map_or(n, |last| last + 1);
            let (start_position, end_position) = (Point { row, column: first }, Point { row, column: end });
            edits.push(InputEdit {
                start_byte: start + first,
                old_end_byte: start + end,
                new_end_byte: start + end,
                start_position,
                old_end_position: end_position,
                new_end_position: end_position,
            });
        }
        start += new.len();
    }
    edits
}

fn parse_from(grammar: &Grammar, text: &str, parts: &[Range], old: Option<&Tree>) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.language).ok()?;
        parser.set_included_ranges(parts).ok()?;
        let tree = parse_in_time(parser, text.as_bytes(), old);
        parser.reset();
        tree
    })
}

fn parse_in_time(parser: &mut Parser, bytes: &[u8], old: Option<&Tree>) -> Option<Tree> {
    let end = Instant::now() + TIME_LIMIT;
    let mut in_time = |_: &tree_sitter::ParseState| {
        if Instant::now() < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), old, Some(options))
}
