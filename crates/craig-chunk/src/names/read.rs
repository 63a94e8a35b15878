//! Reads the names of a file from its trees.

use craig_source::Language;
use tree_sitter::Tree;

use super::{Names, walk};
use crate::parse::ParsedCode;
use crate::trees::trees;

/// Reads the names of `text`. Total: a language whose names are not read has none.
pub fn names(language: Language, text: &str) -> Names {
    read(text, &trees(language, text).unwrap_or_default())
}

/// Reads the names of `text` by its trees.
pub(crate) fn read(text: &str, trees: &[ParsedCode]) -> Names {
    let mut walk = walk::Walk::new(text);
    for (grammar, tree) in trees.iter().filter(|(_, tree)| is_shallow(tree)) {
        if let Some(table) = grammar.table.names {
            walk.tree(table, &grammar.name_rules, tree);
        }
    }
    walk.finish()
}

/// Trees deeper than this are not read: the functions that read them may call themselves once a level.
const MAX_TREE_DEPTH: usize = 1_500;

/// Whether a tree is not too deep to be read.
fn is_shallow(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        // A subtree is no deeper than it has nodes.
        if depth + cursor.node().descendant_count() > MAX_TREE_DEPTH && cursor.goto_first_child() {
            depth += 1;
            if depth > MAX_TREE_DEPTH {
                return false;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
            depth -= 1;
        }
    }
}
