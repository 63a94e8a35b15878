//! Types that JSDoc gives: `@param {Order} order`, `@returns {Promise<Order>}`, `@type {Order[]}`, `@typedef`.

use std::ops::Range;

use tree_sitter::Node;

use super::types::{MAX_ALIAS_PARTS, WRAPPERS, set_alias_parts};
use crate::names::doc::{Comment, TypeRules, applied, split, word_length};
use crate::names::walk::Walk;
use crate::names::{DefinitionIx, DefinitionKind, Imported, Parameter, Role, Site, Traits, Value};

static TYPES: TypeRules = TypeRules {
    collections: &[
        "Array",
        "AsyncIterable",
        "Generator",
        "Iterable",
        "Iterator",
        "Map",
        "Object",
        "Record",
        "Set",
        "WeakMap",
    ],
    wrappers: WRAPPERS,
    builtin: &[
        "*",
        "any",
        "bigint",
        "boolean",
        "Boolean",
        "function",
        "Function",
        "never",
        "null",
        "number",
        "Number",
        "object",
        "string",
        "String",
        "symbol",
        "undefined",
        "unknown",
        "void",
    ],
    separators: &['|', '&'],
    named,
};

/// A tag with a type: `@param {Order} order`.
struct Tag<'t> {
    name: &'t str,
    /// The type in braces; empty if there is none.
    of: &'t str,
    /// What follows.
    rest: &'t str,
}

impl<'t> Tag<'t> {
    /// The name that the tag is about: `order` of `[order=null] what to pay`.
    fn subject(&self) -> &'t str {
        let rest = self.rest.trim_start_matches(['[', ' ']);
        let name = &rest[..word_length(rest)];
        // `order.total` is about a member.
        if rest[name.len()..].starts_with('.') { "" } else { name }
    }
}

fn tags(comment: Comment<'_>) -> impl Iterator<Item = Tag<'_>> {
    comment.text.lines().filter_map(|line| {
        let line =
            line.trim_end_matches("*/").trim_start_matches(|c: char| c.is_whitespace() || "/*".contains(c));
        let tag = line.strip_prefix('@')?;
        let (name, rest) = tag.split_at(word_length(tag));
        let rest = rest.trim_ascii();
        let (of, rest) = rest.strip_prefix('{').and_then(split_braces).unwrap_or(("", rest));
        Some(Tag { name, of: of.trim_ascii(), rest: rest.trim_ascii_start() })
    })
}

/// Splits the text after an opening brace at the brace that closes it.
fn split_braces(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1_usize;
    let end = text.find(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some((&text[..end], &text[end + 1..]))
}

/// Remembers a comment for what follows it, and defines the types it names.
pub(super) fn comment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let text = walk.text_of(node);
    if !text.starts_with("/**") {
        return Value::Unknown;
    }
    let comment = Comment { node, text };
    walk.doc = Some(comment);
    if text.contains("@typedef") {
        typedef(walk, comment);
    }
    Value::Unknown
}

/// `@typedef {Order} Bill`; with `@property`, a type of its own.
fn typedef<'t>(walk: &mut Walk<'t>, comment: Comment<'t>) {
    let mut defined = None;
    for tag in tags(comment) {
        let range = || range_in(comment, tag.subject());
        match (tag.name, defined) {
            ("typedef", _) => {
                defined = walk.define_in_text(
                    walk.within,
                    comment.node,
                    range(),
                    DefinitionKind::Type,
                    Traits::default(),
                );
                if let Some(at) = defined {
                    walk.bind(at);
                    alias(walk, comment, at, tag.of);
                }
            }
            ("property" | "prop", Some(of)) => {
                let kind = DefinitionKind::Field;
                let value = TYPES.instance(walk, comment, tag.of);
                if let Some(at) =
                    walk.define_in_text(Some(of), comment.node, range(), kind, Traits::default())
                {
                    walk.set_value(at, value);
                }
            }
            _ => {}
        }
    }
}

/// Sets the type that an alias names; for a union or an intersection, all parts.
fn alias<'t>(walk: &mut Walk<'t>, comment: Comment<'t>, at: DefinitionIx, of: &'t str) {
    let parts = split(of, TYPES.separators).into_iter().take(MAX_ALIAS_PARTS);
    let parts = parts.map(|part| TYPES.instance(walk, comment, part.trim_ascii()));
    let parts: Vec<Value> = parts.filter(|part| part.is_typed()).collect();
    walk.set_value(at, parts.first().copied().unwrap_or_default());
    set_alias_parts(walk, at, parts, of.contains('|'));
}

/// The bytes of a part of a comment; none of what does not stand in it.
fn range_in(comment: Comment<'_>, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).checked_sub(comment.text.as_ptr() as usize);
    let range = start.map(|start| start..start + part.len());
    range.filter(|range| range.end <= comment.text.len()).unwrap_or(0..0)
}

/// The type that `@type` declares for the statement or member at a node.
pub(super) fn declared<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match walk.doc_before(node) {
        Some(comment) => typed(walk, comment),
        None => Value::Unknown,
    }
}

fn typed<'t>(walk: &mut Walk<'t>, comment: Comment<'t>) -> Value {
    let of = tags(comment).find(|tag| tag.name == "type").map_or("", |tag| tag.of);
    TYPES.instance(walk, comment, of)
}

/// `/** @type {Order} */ (value)`
pub(super) fn parenthesized<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    let before = walk.text.get(..node.start_byte()).unwrap_or_default().trim_ascii_end();
    if !before.ends_with("*/") {
        return value;
    }
    let comment = node.prev_sibling().filter(|before| before.kind() == "comment");
    let Some(comment) = comment.map(|node| Comment { node, text: walk.text_of(node) }) else { return value };
    let declared = typed(walk, comment);
    if declared.is_typed() { declared } else { value }
}

/// Declares what `@template` names as type parameters of the enclosing definition.
pub(super) fn templates<'t>(walk: &mut Walk<'t>, comment: Comment<'t>) {
    let named = tags(comment).filter(|tag| tag.name == "template");
    let named: Vec<(Value, &str)> = named
        .flat_map(|tag| {
            let bound = TYPES.instance(walk, comment, tag.of);
            split(tag.rest, &[',']).into_iter().map(move |name| (bound, name.trim_ascii()))
        })
        .collect();
    for (at, (bound, name)) in named.into_iter().enumerate() {
        let name = &name[..word_length(name)];
        if !name.is_empty() {
            walk.declare_type_parameter_named(name, at, bound);
        }
    }
}

/// What the base class is applied to: `@extends {Repo<Order>}`.
pub(super) fn base_arguments<'t>(walk: &mut Walk<'t>, comment: Comment<'t>) -> Vec<Value> {
    let mut tags = tags(comment).filter(|tag| matches!(tag.name, "extends" | "augments"));
    let Some((_, arguments)) = tags.find_map(|tag| applied(tag.of)) else {
        return Vec::new();
    };
    let arguments = split(arguments, &[',']).into_iter();
    arguments.map(|argument| TYPES.instance(walk, comment, argument.trim_ascii())).collect()
}

/// The type that `@param` declares for a parameter.
pub(super) fn parameter<'t>(walk: &mut Walk<'t>, comment: Comment<'t>, name: &str) -> Parameter {
    let tag =
        tags(comment).find(|tag| matches!(tag.name, "param" | "arg" | "argument") && tag.subject() == name);
    let Some(tag) = tag else { return Parameter::default() };
    if let Some(takes) = function_parameters(tag.of) {
        let takes = takes.into_iter().map(|of| TYPES.instance(walk, comment, of)).collect();
        return Parameter { value: Value::Unknown, takes };
    }
    let is_rest = tag.of.starts_with("...");
    let value = TYPES.instance(walk, comment, tag.of.trim_start_matches("...").trim_end_matches('='));
    Parameter { value: if is_rest { walk.several(value) } else { value }, takes: Vec::new() }
}

/// What a function takes by its type: `(order: Order) => void`, `function(Order): void`.
fn function_parameters(of: &str) -> Option<Vec<&str>> {
    let of = of.trim_ascii();
    let list = match of.strip_prefix("function") {
        Some(rest) => rest.trim_ascii_start().strip_prefix('('),
        None => of.strip_prefix('(').filter(|_| of.contains("=>")),
    }?;
    let (list, _) = list.split_once(')')?;
    let parts = split(list, &[',']).into_iter();
    Some(parts.map(|part| part.split_once(':').map_or(part, |(_, of)| of).trim_ascii()).collect())
}

/// The type that `@returns` declares.
pub(super) fn returned<'t>(walk: &mut Walk<'t>, comment: Comment<'t>) -> Value {
    let tag = tags(comment).find(|tag| matches!(tag.name, "returns" | "return"));
    tag.map_or(Value::Unknown, |tag| TYPES.instance(walk, comment, tag.of))
}

/// A type by its name, `import('./order').Order` included.
fn named<'t>(walk: &mut Walk<'t>, comment: Comment<'t>, written: &'t str) -> Value {
    if let Some(rest) = written.strip_prefix("import(") {
        let Some((module, path)) = rest.split_once(')') else { return Value::Unknown };
        return imported(walk, comment, module.trim_matches(['\'', '"', ' ']), path);
    }
    let mut value = None;
    for part in written.split('.') {
        if part.is_empty() || word_length(part) < part.len() {
            return Value::Unknown;
        }
        let site = value.map(Site::Member);
        value = Some(walk.name_in(comment.node, range_in(comment, part), Role::Type, site));
    }
    value.unwrap_or_default()
}

/// `import('./order').Order`: a name of a module, or the module itself.
fn imported<'t>(walk: &mut Walk<'t>, comment: Comment<'t>, module: &'t str, path: &'t str) -> Value {
    let name = path.trim_start_matches('.');
    if name.is_empty() {
        let import = walk.import(comment.node, None, module, Imported::Default, false);
        let name = walk.id(module);
        return walk.unwritten(name, Role::Type, Site::Import(import));
    }
    if word_length(name) < name.len() {
        return Value::Unknown;
    }
    let id = walk.id(name);
    let import = walk.import(comment.node, None, module, Imported::Name(id), false);
    walk.name_in(comment.node, range_in(comment, name), Role::Type, Some(Site::Import(import)))
}
