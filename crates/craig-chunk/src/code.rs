//! Code in languages with a grammar.

use std::borrow::Cow;

use tree_sitter::{Node, Range, Tree};

use crate::cut::cut;
use crate::grammar::Grammar;
use crate::languages;
use crate::outline::{Outline, Parsed};
use crate::parse::{ParsedCode, parse, parse_again};
use crate::recovery::{self, conflicts};
use crate::walk::walk;

/// Cuts `text`, or the `part` of it that is code, by its tree.
pub(crate) fn outline(
    grammar: &Grammar,
    text: &str,
    tree: &Tree,
    part: Option<std::ops::Range<usize>>,
) -> Outline {
    let mut walked = walk(tree, text, grammar);
    if let Some(read) = grammar.table.deep_imports {
        read(tree, text, &mut walked.imports);
    }
    walked.symbols.sort_by_key(|symbol| symbol.line);
    let chunks = cut(Some(tree), text, &walked, part.unwrap_or(0..text.len()));
    let parsed = if tree.root_node().has_error() { Parsed::Partly } else { Parsed::Whole };
    Outline { chunks, symbols: walked.symbols, imports: walked.imports, parsed, ..Outline::default() }
}

/// The tree of `text`, or of its `part`, and its grammar; none when the grammar cannot hold it or takes too long.
///
/// Text that is read with errors is read again without what may cause them, and the better reading counts; then what is lost
/// to the errors that remain is taken back. Text without errors is parsed once.
pub(crate) fn tree(grammar: &'static Grammar, text: &str, part: Option<Range>) -> Option<ParsedCode> {
    if !grammar.can_read(text) {
        return None;
    }
    let mut read = Reading::new(grammar, text, grammar.prepared(text), part)?;
    if !read.may_lack_definitions(part) {
        return Some((read.grammar, read.tree));
    }
    for side in [conflicts::both_sides, conflicts::first_side].map(|side| side(grammar, &read.prepared)) {
        read = read.or_better(side, part);
    }
    for other in [Grammar::simplified, as_dialect] {
        if !read.grammar.is_misread(&read.tree, &read.prepared) {
            return Some((read.grammar, read.tree));
        }
        let other = other(read.grammar, &read.prepared);
        read = read.or_better(other, part);
    }
    let recovered = if read.tree.root_node().has_error() {
        recovery::recovered(read.grammar, text, &read.prepared, &read.tree, part)
    } else {
        None
    };
    Some((read.grammar, recovered.unwrap_or(read.tree)))
}

/// The text for the grammar of another language that it may be written in.
fn as_dialect(grammar: &'static Grammar, text: &str) -> Version {
    let (language, rewrite) = grammar.table.dialect?;
    Some((languages::grammar(language)?, rewrite(text)?))
}

/// Another version of a text with the grammar for it, if there is one.
type Version = Option<(&'static Grammar, String)>;

/// A text, how it was rewritten for the parser, and its tree.
struct Reading<'t> {
    grammar: &'static Grammar,
    text: &'t str,
    prepared: Cow<'t, str>,
    tree: Tree,
}

impl<'t> Reading<'t> {
    fn new(
        grammar: &'static Grammar,
        text: &'t str,
        prepared: Cow<'t, str>,
        part: Option<Range>,
    ) -> Option<Self> {
        let tree = parse(grammar, &prepared, part.as_slice())?;
        Some(Self { grammar, text, prepared, tree })
    }

    /// Reads another version of its text, in which each line is as long.
    fn reread(&self, grammar: &'static Grammar, prepared: String, part: Option<Range>) -> Option<Self> {
        if !std::ptr::eq(grammar, self.grammar) {
            return Reading::new(grammar, self.text, Cow::Owned(prepared), part);
        }
        let tree = parse_again(grammar, &prepared, part.as_slice(), (&self.tree, &self.prepared))?;
        Some(Self { grammar, text: self.text, prepared: Cow::Owned(prepared), tree })
    }

    fn may_lack_definitions(&self, part: Option<Range>) -> bool {
        let (grammar, tree) = (self.grammar, &self.tree);
        grammar.has_declarations_as_expressions(tree, &self.prepared)
            || tree.root_node().has_error()
                && (conflicts::are_in(&self.prepared)
                    || recovery::may_lack_definitions(grammar, self.text, &self.prepared, tree, part))
    }

    /// This reading or that of another version of its text, whichever is better.
    fn or_better(self, other: Version, part: Option<Range>) -> Self {
        let other = other.and_then(|(grammar, prepared)| self.reread(grammar, prepared, part));
        other.filter(|other| other.is_better_than(&self)).unwrap_or(self)
    }

    /// Whether it has more definitions, or as many and no errors, or fewer unreadable bytes.
    fn is_better_than(&self, other: &Self) -> bool {
        let rank = |read: &Self| {
            let found = recovery::n_definitions(read.grammar, read.text, &read.prepared, &read.tree);
            let root = read.tree.root_node();
            (found, !root.has_error(), std::cmp::Reverse(unreadable_bytes(root)))
        };
        rank(self) > rank(other)
    }
}

/// Bytes in the outermost error nodes.
fn unreadable_bytes(root: Node<'_>) -> usize {
    let mut bytes = 0;
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_error() {
            bytes += node.end_byte() - node.start_byte();
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return bytes;
            }
        }
    }
}
