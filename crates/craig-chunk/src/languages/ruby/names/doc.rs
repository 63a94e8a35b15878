//! Types that YARD gives: `@return [Order]`, `@param orders [Array<Order>]`.

use tree_sitter::Node;

use crate::names::doc::{Comment, TypeRules};
use crate::names::walk::Walk;
use crate::names::{DefinitionIx, Role, Site, Value};

static TYPES: TypeRules = TypeRules {
    collections: &["Array", "Enumerable", "Enumerator", "Hash", "Set"],
    wrappers: &[],
    builtin: &[
        "Boolean", "Float", "Integer", "Numeric", "Object", "Proc", "String", "Symbol", "false", "nil",
        "true", "void",
    ],
    separators: &[',', '|'],
    named,
};

/// Remembers the comment for what follows it, with the lines of comments before it.
pub(super) fn comment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let first = match walk.doc_before(node) {
        Some(before) if before.node.start_position().column == node.start_position().column => before.node,
        _ => node,
    };
    let text = walk.text.get(first.start_byte()..node.end_byte()).unwrap_or_default();
    walk.doc = Some(Comment { node: first, text });
    Value::Unknown
}

/// What follows a tag on its line, each time that it is there.
fn tags<'t>(comment: Comment<'t>, tag: &str) -> impl Iterator<Item = &'t str> {
    let lines = comment.text.lines().map(|line| line.trim_start_matches([' ', '\t', '#']));
    lines.filter_map(move |line| line.strip_prefix(tag)?.strip_prefix(' '))
}

/// The type in brackets that a text has, and the text without it: `Order` and `order` of `order [Order]`.
fn typed(text: &str) -> Option<(&str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (of, after) = rest.split_once(']')?;
    let name = before.split_whitespace().next().or(after.split_whitespace().next());
    Some((of, name.unwrap_or_default()))
}

/// The type that the comment before a method or an attribute declares with `@return`.
pub(super) fn returned<'t>(walk: &mut Walk<'t>, comment: Option<Comment<'t>>) -> Value {
    let Some(comment) = comment else { return Value::Unknown };
    let of = tags(comment, "@return").find_map(typed);
    of.map_or(Value::Unknown, |(of, _)| TYPES.instance(walk, comment, of))
}

/// The type that it declares for a parameter with `@param`.
pub(super) fn parameter<'t>(walk: &mut Walk<'t>, comment: Option<Comment<'t>>, name: &str) -> Value {
    let Some(comment) = comment else { return Value::Unknown };
    let of = tags(comment, "@param").filter_map(typed).find(|(_, subject)| *subject == name);
    of.map_or(Value::Unknown, |(of, _)| TYPES.instance(walk, comment, of))
}

/// Sets the type that a comment declares on every definition from index `first` on.
pub(super) fn set_values<'t>(walk: &mut Walk<'t>, comment: Option<Comment<'t>>, first: usize) {
    let value = returned(walk, comment);
    for at in first..walk.found.definitions.len() {
        walk.set_value(at as DefinitionIx, value);
    }
}

/// A class by its name.
fn named<'t>(walk: &mut Walk<'t>, _: Comment<'t>, written: &'t str) -> Value {
    if written == "self" {
        return walk.this_value();
    }
    let is_part = |part: &str| {
        part.starts_with(char::is_uppercase) && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let path = written.trim_start_matches("::");
    if !path.split("::").all(is_part) {
        return Value::Unknown;
    }
    path.split("::").fold(Value::Unknown, |of, part| {
        let name = walk.id(part);
        let site = if of == Value::Unknown { Site::Bare } else { Site::Member(of) };
        walk.unwritten(name, Role::Type, site)
    })
}
