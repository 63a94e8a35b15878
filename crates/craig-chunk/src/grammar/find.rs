//! Small searches in a syntax tree that the tables share.

use std::cell::RefCell;
use std::num::NonZeroU16;

use rustc_hash::FxHashMap;
use tree_sitter::{Language, Node};

use crate::Import;

/// The first child of a kind.
pub(crate) fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    child_of(node, &[kind])
}

/// The first child of one of the kinds.
pub(super) fn child_of<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// All children of a kind, in order.
pub(super) fn children<'t>(node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|child| child.kind() == kind).collect()
}

/// The field of a node.
pub(crate) fn field<'t>(node: Node<'t>, name: &'static str) -> Option<Node<'t>> {
    node.child_by_field_id(field_id(node, name)?.get())
}

thread_local! {
    /// Ids of fields by language and name, both as addresses: a grammar compares a name with all that it has.
    static FIELD_IDS: RefCell<FxHashMap<(usize, usize, usize), Option<NonZeroU16>>> = RefCell::default();
}

fn field_id(node: Node<'_>, name: &'static str) -> Option<NonZeroU16> {
    let language = node.language();
    let address = Language::clone(&language).into_raw() as usize;
    let key = (address, name.as_ptr() as usize, name.len());
    FIELD_IDS.with_borrow_mut(|ids| *ids.entry(key).or_insert_with(|| language.field_id_for_name(name)))
}

/// Text of a node.
pub(crate) fn text<'t>(node: Node<'_>, source: &'t str) -> &'t str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Text without the quotes around it; an apostrophe that is part of a name stays.
pub(crate) fn unquoted(text: &str) -> &str {
    let is_quote = |quote: &char| matches!(quote, '"' | '\'' | '`');
    match text.chars().next().filter(is_quote) {
        Some(quote) if text.len() > 1 && text.ends_with(quote) => text.trim_matches(quote),
        _ => text,
    }
}

/// The last identifier-like leaf under a node: `c` of `a.b.c`.
pub(super) fn last_leaf(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(last) = node.named_child_count().checked_sub(1).and_then(|i| node.named_child(i as u32)) {
        node = last;
    }
    node
}

/// An import of a whole module.
pub(super) fn import(target: &str, node: Node<'_>) -> Import {
    Import { target: target.to_owned(), names: Vec::new(), line: line(node) }
}

/// An import of names from a module.
pub(super) fn import_names(target: &str, names: Vec<&str>, node: Node<'_>) -> Import {
    Import {
        target: target.to_owned(),
        names: names.into_iter().map(str::to_owned).collect(),
        line: line(node),
    }
}

/// Line of a node, 1-based.
pub(crate) fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}
