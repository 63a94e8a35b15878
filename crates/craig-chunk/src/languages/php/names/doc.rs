//! Types that doc comments of PHP give: `@var Store`, `@param Item[] $items`, `@return static`, `@property Cart $cart`.

use tree_sitter::Node;

use crate::names::doc::{Comment, TypeRules, applied, word_length};
use crate::names::walk::Walk;
use crate::names::{DefinitionIx, DefinitionKind, Imported, Role, Site, Traits, Value};

/// One tag of a doc comment.
pub(super) struct Tag<'t> {
    name: &'t str,
    /// What follows the name of the tag.
    rest: &'t str,
}

impl<'t> Tag<'t> {
    /// The type and what follows it.
    fn typed(&self) -> (&'t str, &'t str) {
        let (of, subject) = self.rest.split_at(type_length(self.rest));
        (of, subject.trim_ascii_start())
    }

    /// Whether it gives the type of this variable.
    fn is_about(&self, variable: &str) -> bool {
        subject_name(self.typed().1) == Some(variable)
    }
}

/// The name of the variable that a text begins with: `items` of `...$items they are`.
fn subject_name(text: &str) -> Option<&str> {
    let name = text.trim_start_matches(['.', '&']).strip_prefix('$')?;
    Some(&name[..word_length(name)])
}

/// The length of the type that a text begins with: a space in brackets or around `|` does not end it.
fn type_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ if c.is_whitespace() && depth == 0 => {
                let rest = text[at..].trim_ascii_start();
                let goes_on = rest.starts_with("| ") || rest.starts_with("& ");
                if !goes_on && !matches!(before, '|' | '&') {
                    return at;
                }
            }
            _ => {}
        }
        before = if c.is_whitespace() { before } else { c };
    }
    text.len()
}

/// The doc comment before a node.
pub(super) fn comment_before<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let before = node.prev_named_sibling().filter(|before| before.kind() == "comment")?;
    walk.text_of(before).starts_with("/**").then_some(before)
}

/// The tags of a comment; those of static analysers as well, by the names of the usual ones.
pub(super) fn tags<'t>(walk: &Walk<'t>, comment: Node<'t>) -> Vec<Tag<'t>> {
    let mut found = Vec::new();
    for line in walk.text_of(comment).lines() {
        let content = line.trim_ascii_end().trim_end_matches("*/").trim_ascii_end();
        let content = content.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '*'));
        let Some(tag) = content.strip_prefix('@') else { continue };
        let (name, rest) = tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
        let name = name.trim_start_matches("psalm-").trim_start_matches("phpstan-");
        found.push(Tag { name, rest: rest.trim_ascii_start() });
    }
    found
}

/// A type as it is written in a comment.
#[derive(Clone, Copy)]
pub(super) struct Written<'t> {
    comment: Node<'t>,
    of: &'t str,
}

/// The type that the comment before a node gives by a tag, for a variable or for what has no name.
pub(super) fn type_before<'t>(
    walk: &Walk<'t>,
    node: Node<'t>,
    tag: &str,
    variable: Option<&str>,
) -> Option<Written<'t>> {
    let comment = comment_before(walk, node)?;
    let tags = tags(walk, comment);
    let mut those = tags.iter().filter(|found| found.name == tag);
    let found = match variable {
        Some(variable) => those.find(|tag| tag.is_about(variable)),
        None => those.find(|tag| subject_name(tag.typed().1).is_none()),
    };
    Some(Written { comment, of: found?.typed().0 })
}

/// The type that the comment before a node gives a variable, by its name or without one.
pub(super) fn variable_before<'t>(walk: &Walk<'t>, node: Node<'t>, name: &str) -> Option<Written<'t>> {
    type_before(walk, node, "var", Some(name)).or_else(|| type_before(walk, node, "var", None))
}

/// A declared type with what a comment says of it, which is mostly the same, or more.
pub(super) fn refined<'t>(
    walk: &mut Walk<'t>,
    declared: Value,
    native: Option<Node<'t>>,
    written: Option<Written<'t>>,
) -> Value {
    let native = native.map_or("", |native| walk.text_of(native));
    let Some(written) = written else { return declared };
    match declared {
        Value::Unknown => value_of(walk, written.comment, written.of),
        Value::Builtin => declared,
        _ if plain_name(native) == plain_name(written.of) && !written.of.contains('<') => declared,
        _ => match value_of(walk, written.comment, written.of) {
            Value::Builtin => declared,
            documented => walk.guarded(documented, declared),
        },
    }
}

/// The name of a class without what says that it may be absent, and what it is applied to.
fn plain_name(written: &str) -> &str {
    let name = written.trim_start_matches('?').trim_start_matches("null|").trim_end_matches("|null");
    let name = name.split('<').next().unwrap_or_default();
    name.rsplit('\\').next().unwrap_or_default()
}

/// What a function is documented to return, as it is written.
pub(super) fn returned<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<&'t str> {
    let tags = tags(walk, comment_before(walk, node)?);
    tags.iter().find(|tag| tag.name == "return").map(|tag| tag.typed().0)
}

/// Notes the types that the comment before a node makes parameters of what it defines: `@template T of Shape`.
pub(super) fn note_templates<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: DefinitionIx) {
    let Some(comment) = comment_before(walk, node) else { return };
    let tags = tags(walk, comment);
    for (at, tag) in tags
        .iter()
        .filter(|tag| matches!(tag.name, "template" | "template-covariant" | "template-contravariant"))
        .enumerate()
    {
        let (name, bound) = tag.rest.split_at(word_length(tag.rest));
        let bound = bound.trim_ascii_start();
        let bound = bound.strip_prefix("of ").or(bound.strip_prefix("as ")).unwrap_or_default();
        let bound = value_of(walk, comment, &bound[..type_length(bound)]);
        let value = walk.type_parameter(of, at, bound);
        walk.templates.push((name, value));
    }
}

/// Adds supertypes with what the comment before a type applies them to: `@extends Repo<Order>`.
pub(super) fn apply_supers<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: DefinitionIx) {
    let Some(comment) = comment_before(walk, node) else { return };
    for tag in tags(walk, comment) {
        let is_super = matches!(tag.name.trim_start_matches("template-"), "extends" | "implements" | "use");
        if is_super && tag.rest.contains('<') {
            let value = value_of(walk, comment, tag.typed().0);
            walk.add_super(of, value);
        }
    }
}

/// Whether a type is that of what a method is called on.
pub(super) fn is_receiver(of: &str) -> bool {
    let mut parts = of.trim_start_matches('?').split('|').filter(|part| *part != "null").peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, "static" | "$this"))
}

/// `/** @var Store $store */` in a function: from here on, the variable is known to be one.
pub(super) fn variables<'t>(walk: &mut Walk<'t>, comment: Node<'t>) {
    if !walk.is_in_function() || !walk.text_of(comment).contains("@var") {
        return;
    }
    for tag in tags(walk, comment).iter().filter(|tag| tag.name == "var") {
        let (of, subject) = tag.typed();
        if let Some(name) = subject_name(subject) {
            let value = value_of(walk, comment, of);
            walk.declare_in_function_named(name, value);
        }
    }
}

/// Defines the properties and methods that the comment of a type declares and that it does not define itself.
pub(super) fn declared_members<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: DefinitionIx) {
    let Some(comment) = comment_before(walk, node) else { return };
    for tag in tags(walk, comment) {
        match tag.name {
            "property" | "property-read" | "property-write" => {
                let (written, subject) = tag.typed();
                if let Some(name) = subject_name(subject) {
                    member(walk, comment, of, (name, written), DefinitionKind::Field, Traits::DECLARATION);
                }
            }
            "method" => declared_method(walk, comment, of, &tag),
            _ => {}
        }
    }
}

/// `@method static Store open(string $path)`; without a type, what it returns is unknown.
fn declared_method<'t>(walk: &mut Walk<'t>, comment: Node<'t>, of: DefinitionIx, tag: &Tag<'t>) {
    let (rest, mut traits) = match tag.rest.strip_prefix("static ") {
        Some(rest) if !rest.trim_ascii_start().starts_with('(') => {
            (rest.trim_ascii_start(), Traits::DECLARATION.and(Traits::STATIC))
        }
        _ => (tag.rest, Traits::DECLARATION),
    };
    let is_name = |text: &str| {
        let length = word_length(text);
        length > 0 && text[length..].trim_ascii_start().starts_with('(')
    };
    let (written, name) = match is_name(rest) {
        true => ("", rest),
        false => rest.split_at(type_length(rest)),
    };
    let name = name.trim_ascii_start();
    if !is_name(name) {
        return;
    }
    if is_receiver(written) {
        traits = traits.and(Traits::RETURNS_RECEIVER);
    }
    member(walk, comment, of, (&name[..word_length(name)], written), DefinitionKind::Method, traits);
}

fn member<'t>(
    walk: &mut Walk<'t>,
    comment: Node<'t>,
    of: DefinitionIx,
    (name, written): (&'t str, &'t str),
    kind: DefinitionKind,
    traits: Traits,
) {
    let start = name.as_ptr() as usize - walk.text_of(comment).as_ptr() as usize;
    if let Some(definition) = walk.define_in_text(Some(of), comment, start..start + name.len(), kind, traits)
    {
        let value = value_of(walk, comment, written);
        walk.set_value(definition, value);
    }
}

/// Types whose elements are their last type argument.
const COLLECTIONS: &[&str] = &[
    "array",
    "non-empty-array",
    "list",
    "non-empty-list",
    "iterable",
    "Traversable",
    "Iterator",
    "IteratorAggregate",
    "Generator",
    "ArrayIterator",
    "SplObjectStorage",
];

/// Whether a type says nothing but that there are elements.
pub(super) fn is_iterator(name: &str) -> bool {
    COLLECTIONS.contains(&name.trim_start_matches(['?', '\\']))
}

/// Types of the language and of static analysers that are no classes.
const BUILTIN: &[&str] = &[
    "array-key",
    "bool",
    "boolean",
    "callable",
    "callable-string",
    "class-string",
    "double",
    "false",
    "float",
    "int",
    "integer",
    "interface-string",
    "literal-string",
    "lowercase-string",
    "negative-int",
    "never",
    "no-return",
    "non-empty-string",
    "null",
    "numeric",
    "numeric-string",
    "positive-int",
    "resource",
    "scalar",
    "string",
    "true",
    "void",
];

static TYPES: TypeRules =
    TypeRules { collections: COLLECTIONS, wrappers: &[], builtin: BUILTIN, separators: &['|', '&'], named };

/// The value of a type as it is written in a comment.
fn value_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, written: &'t str) -> Value {
    match applied(written) {
        Some(("class-string", class)) => class_named(walk, node, class),
        _ => TYPES.instance(walk, Comment { node, text: walk.text_of(node) }, written),
    }
}

fn named<'t>(walk: &mut Walk<'t>, comment: Comment<'t>, written: &'t str) -> Value {
    if let Some((_, value)) = walk.templates.iter().rev().find(|(name, _)| *name == written) {
        return *value;
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\\');
    match written {
        "self" | "static" | "$this" => walk.this_value(),
        "" | "mixed" | "object" => Value::Unknown,
        _ if !written.chars().all(is_name) => Value::Unknown,
        _ => class_named(walk, comment.node, written),
    }
}

/// A class by its name in a comment or a string.
pub(super) fn class_named<'t>(walk: &mut Walk<'t>, node: Node<'t>, written: &'t str) -> Value {
    if let Some(path) = written.strip_prefix('\\') {
        return class_at(walk, node, path);
    }
    let mut value = Value::Unknown;
    for (at, part) in written.split('\\').enumerate() {
        let name = walk.id(part);
        let site = if at == 0 { Site::Bare } else { Site::Member(value) };
        value = walk.unwritten(name, Role::Type, site);
    }
    value
}

/// A class by its full name.
pub(super) fn class_at<'t>(walk: &mut Walk<'t>, node: Node<'t>, path: &'t str) -> Value {
    let (module, name) = path.rsplit_once('\\').unwrap_or(("", path));
    let name = walk.id(name);
    let import = walk.import(node, None, module, Imported::Name(name), false);
    walk.unwritten(name, Role::Type, Site::Import(import))
}
