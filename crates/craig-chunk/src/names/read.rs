//! Reads the names of a file from its trees.

use craig_source::Language;
use tree_sitter::Tree;

use super::{DefinitionKind, Names, walk};
use crate::embedded::template;
use crate::languages::javascript::component_template;
use crate::parse::ParsedCode;
use crate::trees::trees;

/// Reads the names of `text`. Total: a language whose names are not read has none.
pub fn names(language: Language, text: &str) -> Names {
    read(language, text, &trees(language, text).unwrap_or_default())
}

/// Reads the names of `text` by its trees, and those of its template if it is a component.
pub(crate) fn read(language: Language, text: &str, trees: &[ParsedCode]) -> Names {
    let template = template::template(language, text);
    let mut walk = walk::Walk::new(text);
    let component = language.is_component().then(|| walk.define_file(DefinitionKind::Class));
    for (grammar, tree) in trees.iter().filter(|(_, tree)| is_shallow(tree)) {
        walk.tree(grammar, tree);
    }
    if let Some(component) = component {
        walk.export_file(component);
        if let Some(template) = template.as_ref().filter(|template| is_shallow(&template.code.1)) {
            component_template(&mut walk, template, component);
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
