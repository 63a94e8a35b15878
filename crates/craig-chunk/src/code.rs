//! Code in languages with a grammar.

use tree_sitter::{Node, Range, Tree};

use crate::cut::cut;
use crate::grammar::Grammar;
use crate::parse::parse;
use crate::walk::walk;
use crate::{Outline, Parsed};

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

/// The tree of `text`, or of its `part`; none when the grammar cannot hold it or takes too long.
pub(crate) fn tree(grammar: &Grammar, text: &str, part: Option<Range>) -> Option<Tree> {
    if grammar.can_read(text) { read(grammar, text, part) } else { None }
}

/// The tree of a text; of two readings the one with fewer unreadable bytes.
fn read(grammar: &Grammar, text: &str, part: Option<Range>) -> Option<Tree> {
    let text = grammar.prepared(text);
    let tree = parse(grammar, &text, part)?;
    if !tree.root_node().has_error() {
        return Some(tree);
    }
    let other = grammar.simplified(&text).and_then(|text| parse(grammar, &text, part));
    let bad = unreadable_bytes(tree.root_node());
    Some(other.filter(|other| unreadable_bytes(other.root_node()) < bad).unwrap_or(tree))
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
