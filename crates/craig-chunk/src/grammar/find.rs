//! Small searches in a syntax tree that the tables share.

use std::cell::RefCell;
use std::num::NonZeroU16;

use tree_sitter::{Language, Node, TreeCursor};

use crate::outline::Import;

/// The first child of a kind.
pub(crate) fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    child_of(node, &[kind])
}

/// The first child of one of the kinds.
pub(crate) fn child_of<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let n = node.child_count();
    if n <= FEW {
        return (0..n).filter_map(|at| node.child(at)).find(|child| kinds.contains(&child.kind()));
    }
    all_children(node).find(|child| kinds.contains(&child.kind()))
}

/// All children of a kind, in order.
pub(crate) fn children<'t>(node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|child| child.kind() == kind).collect()
}

/// The named children of a node, in order.
pub(crate) fn named_children(node: Node<'_>) -> NamedChildren<'_> {
    let n = node.named_child_count();
    NamedChildren { node, next: 0, n: u32::try_from(n).unwrap_or(u32::MAX), cursor: None }
}

/// Of so many children, each is found by its number sooner than with a cursor, which takes memory.
pub(crate) const FEW: u32 = 12;

/// See [`named_children`].
pub(crate) struct NamedChildren<'t> {
    node: Node<'t>,
    next: u32,
    n: u32,
    /// At the next child, if there are many.
    cursor: Option<TreeCursor<'t>>,
}

impl<'t> Iterator for NamedChildren<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.next >= self.n {
            return None;
        }
        self.next += 1;
        if self.n <= FEW {
            return self.node.named_child(self.next - 1);
        }
        let node = self.node;
        let cursor = self.cursor.get_or_insert_with(|| {
            let mut cursor = node.walk();
            cursor.goto_first_child();
            cursor
        });
        loop {
            let child = cursor.node();
            let is_last = !cursor.goto_next_sibling();
            if child.is_named() {
                return Some(child);
            }
            if is_last {
                return None;
            }
        }
    }
}

/// All children of a node, in order.
pub(crate) fn all_children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut is_at_child = cursor.goto_first_child();
    std::iter::from_fn(move || {
        let child = is_at_child.then(|| cursor.node());
        is_at_child = is_at_child && cursor.goto_next_sibling();
        child
    })
}

/// The field of a node.
pub(crate) fn field<'t>(node: Node<'t>, name: &'static str) -> Option<Node<'t>> {
    node.child_by_field_id(field_id(node, name)?.get())
}

/// Ids of fields that were asked for, each at a place by the address of its name.
type FieldIds = [Option<FieldId>; 256];

/// The id of a field in a language.
struct FieldId {
    language: Language,
    name: &'static str,
    id: Option<NonZeroU16>,
}

thread_local! {
    /// A grammar compares a name with all that it has, so that each id is asked for once.
    static FIELD_IDS: RefCell<FieldIds> = const { RefCell::new([const { None }; 256]) };
}

fn field_id(node: Node<'_>, name: &'static str) -> Option<NonZeroU16> {
    let language = node.language();
    let address = name.as_ptr() as usize;
    FIELD_IDS.with_borrow_mut(|ids| {
        let known = &mut ids[(address ^ address >> 8) & 0xff];
        match known {
            Some(known) if std::ptr::eq(known.name, name) && known.language == *language => known.id,
            _ => {
                let id = language.field_id_for_name(name);
                *known = Some(FieldId { language: Language::clone(&language), name, id });
                id
            }
        }
    })
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
pub(crate) fn last_leaf(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(last) = node.named_child_count().checked_sub(1).and_then(|i| node.named_child(i as u32)) {
        node = last;
    }
    node
}

/// An import of a whole module.
pub(crate) fn import(target: &str, node: Node<'_>) -> Import {
    Import { target: target.to_owned(), names: Vec::new(), line: line(node) }
}

/// An import of names from a module.
pub(crate) fn import_names(target: &str, names: Vec<&str>, node: Node<'_>) -> Import {
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
