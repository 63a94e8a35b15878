//! Parsers, one per thread, with a time limit per file.

use std::{
    cell::RefCell,
    ops::ControlFlow,
    time::{Duration, Instant},
};

use tree_sitter::{ParseOptions, Parser, Range, Tree};

use crate::grammar::Grammar;

/// Real files parse at several MB/s; whatever takes longer than this is adversarial, and is read as text.
const TIME_LIMIT: Duration = Duration::from_secs(2);

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The syntax tree of `text`, or of its `parts` as if nothing were between them; none when parsing takes too long.
pub(crate) fn parse(grammar: &Grammar, text: &str, parts: &[Range]) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.language).ok()?;
        parser.set_included_ranges(parts).ok()?;
        let tree = parse_in_time(parser, text.as_bytes());
        parser.reset();
        tree
    })
}

fn parse_in_time(parser: &mut Parser, bytes: &[u8]) -> Option<Tree> {
    let end = Instant::now() + TIME_LIMIT;
    let mut in_time = |_: &tree_sitter::ParseState| {
        if Instant::now() < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}
