//! Paths, imports and modules of Rust.

use tree_sitter::Node;

use super::macros::MAX_NESTED;
use crate::grammar::{child, field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionKind, Imported, Role, Site, Traits, Value};

pub(super) fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let inner = child(node, "attribute");
    let name = inner.and_then(|inner| inner.named_child(0));
    let is_derive = name.is_some_and(|name| walk.text_of(name) == "derive");
    // Without a path or an import it is one of the language's own, or cannot be told from it.
    if let Some(name) = name.filter(|_| !is_derive) {
        let id = walk.id(walk.text_of(name));
        let is_imported = walk.found.imports.iter().any(|import| import.local == Some(id));
        if is_imported || name.kind() == "scoped_identifier" {
            walk.visit_as(name, Role::Call);
        }
    }
    if let Some(arguments) = inner.and_then(|inner| field(inner, "arguments")).filter(|_| is_derive) {
        walk.visit(arguments);
    }
    Value::Unknown
}

/// A path as seen from the file's own module: `self` and `super` are relative to the inline module around the code.
pub(super) fn in_file(walk: &Walk<'_>, path: &str) -> String {
    let mut modules = walk.enclosing_modules();
    let mut parts: Vec<&str> = path.split("::").map(str::trim).collect();
    if modules.is_empty() || !matches!(parts.first(), Some(&("self" | "super"))) {
        return path.to_owned();
    }
    if parts[0] == "self" {
        parts.remove(0);
    }
    while parts.first() == Some(&"super") && modules.pop().is_some() {
        parts.remove(0);
    }
    if parts.first() != Some(&"super") {
        parts.splice(0..0, std::iter::once("self").chain(modules));
    }
    parts.join("::")
}

pub(super) fn is_root(text: &str) -> bool {
    matches!(text, "crate" | "self" | "super" | "$crate")
}

/// The names of a path, from the outermost.
pub(super) fn segments(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut at = Some(node);
    while let Some(part) = at.filter(|_| found.len() < MAX_NESTED) {
        at = match part.kind() {
            "scoped_identifier" | "scoped_type_identifier" => {
                found.extend(field(part, "name"));
                field(part, "path")
            }
            _ => {
                found.push(part);
                None
            }
        };
    }
    found.reverse();
    found
}

/// `a::b`: a name of a module or of a type.
pub(super) fn path<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = match walk.take_role() {
        Role::Read if node.kind() == "scoped_type_identifier" => Role::Type,
        role => role,
    };
    let parts = segments(node);
    let Some((&first, rest)) = parts.split_first() else { return Value::Unknown };
    let role_of = |at: usize| if at + 1 == rest.len() { role } else { Role::Type };
    let text = walk.text_of(first);
    let is_own_self = text == "self" && rest.is_empty();
    if is_root(text) && !is_own_self {
        let mut path = if text == "$crate" { "crate".to_owned() } else { text.to_owned() };
        let mut value = Value::Unknown;
        for (at, &name) in rest.iter().enumerate() {
            let text = walk.text_of(name);
            if !is_root(text) {
                value = imported_name(walk, name, &path, role_of(at));
            }
            path = format!("{path}::{text}");
        }
        return value;
    }
    let mut value = if first.kind() == "identifier" || first.kind() == "type_identifier" {
        walk.name(first, Role::Type)
    } else {
        walk.visit(first)
    };
    for (at, &name) in rest.iter().enumerate() {
        value = walk.member(name, value, role_of(at));
    }
    value
}

/// A name by its full path: an import of its own.
pub(super) fn imported_name<'t>(walk: &mut Walk<'t>, name: Node<'t>, path: &str, role: Role) -> Value {
    let path = in_file(walk, path);
    let id = walk.id(walk.text_of(name));
    let at = walk.import_from(name, None, &path, Imported::Name(id), false);
    walk.at_site(name, role, Site::Import(at))
}

pub(super) fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(tree) = field(node, "argument") {
        let is_public = child(node, "visibility_modifier").is_some();
        use_tree(walk, tree, String::new(), is_public, 0);
    }
    Value::Unknown
}

pub(super) fn join(prefix: &str, path: &str) -> String {
    if prefix.is_empty() { path.to_owned() } else { format!("{prefix}::{path}") }
}

pub(super) fn use_tree<'t>(
    walk: &mut Walk<'t>,
    tree: Node<'t>,
    prefix: String,
    is_public: bool,
    depth: usize,
) {
    if depth > MAX_NESTED {
        return;
    }
    match tree.kind() {
        "scoped_use_list" => {
            let path = match field(tree, "path") {
                Some(path) => {
                    qualifiers(walk, path, &prefix);
                    join(&prefix, walk.text_of(path))
                }
                None => prefix,
            };
            if let Some(list) = field(tree, "list") {
                use_tree(walk, list, path, is_public, depth + 1);
            }
        }
        "use_list" => {
            for part in named_children(tree) {
                use_tree(walk, part, prefix.clone(), is_public, depth + 1);
            }
        }
        "use_as_clause" => {
            if let (Some(path), Some(alias)) = (field(tree, "path"), field(tree, "alias")) {
                brought_in(walk, path, &prefix, Some(walk.text_of(alias)), is_public);
            }
        }
        "use_wildcard" => {
            let path = match tree.named_child(0) {
                Some(path) => {
                    qualifiers(walk, path, &prefix);
                    join(&prefix, walk.text_of(path))
                }
                None => prefix,
            };
            let path = in_file(walk, &path);
            walk.import_from(tree, None, &path, Imported::All, is_public);
        }
        "identifier" | "scoped_identifier" | "self" => brought_in(walk, tree, &prefix, None, is_public),
        _ => {}
    }
}

/// Types on the way of an import: `use self::Kind::*`.
pub(super) fn qualifiers<'t>(walk: &mut Walk<'t>, path: Node<'t>, prefix: &str) {
    let mut before = prefix.to_owned();
    for name in segments(path) {
        let text = walk.text_of(name);
        if text.starts_with(char::is_uppercase) {
            if before.is_empty() {
                walk.name(name, Role::Import);
            } else {
                imported_name(walk, name, &before, Role::Import);
            }
        }
        before = join(&before, text);
    }
}

pub(super) fn brought_in<'t>(
    walk: &mut Walk<'t>,
    path: Node<'t>,
    prefix: &str,
    alias: Option<&'t str>,
    is_public: bool,
) {
    let parts = segments(path);
    let Some((&last, before)) = parts.split_last() else { return };
    let mut module = prefix.to_owned();
    for &part in before {
        let text = walk.text_of(part);
        if text.starts_with(char::is_uppercase) && !module.is_empty() {
            imported_name(walk, part, &module, Role::Import);
        }
        module = join(&module, text);
    }
    let name = walk.text_of(last);
    // `use a::b::{self}` is `use a::b`.
    if name == "self" {
        let (outer, own) = match module.rsplit_once("::") {
            Some((outer, own)) => (outer.to_owned(), own.to_owned()),
            None => (String::new(), module),
        };
        let own = walk.id_of(&own);
        let local = alias.map_or(own, |alias| walk.id(alias));
        let outer = in_file(walk, &outer);
        let what = if outer.is_empty() { Imported::Module } else { Imported::Name(own) };
        let outer = if outer.is_empty() { walk.found.text(own).to_owned() } else { outer };
        walk.import_from(last, Some(local), &outer, what, is_public);
        return;
    }
    let id = walk.id(name);
    let local = alias.map_or(id, |alias| walk.id(alias));
    let local = Some(local).filter(|_| alias != Some("_"));
    let at = if module.is_empty() {
        walk.import_from(last, local, name, Imported::Module, is_public)
    } else {
        let module = in_file(walk, &module);
        walk.import_from(last, local, &module, Imported::Name(id), is_public)
    };
    walk.at_site(last, Role::Import, Site::Import(at));
}

pub(super) fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(body) = field(node, "body") else {
        let path = in_file(walk, &format!("self::{}", walk.text_of(name)));
        let local = walk.id(walk.text_of(name));
        walk.import_from(name, Some(local), &path, Imported::Module, true);
        return Value::Unknown;
    };
    let definition = walk.define(name, node, DefinitionKind::Module, visibility(node));
    walk.inside(definition, |walk| walk.children(body));
    Value::Unknown
}

pub(super) fn visibility(node: Node<'_>) -> Traits {
    if child(node, "visibility_modifier").is_some() { Traits::EXPORTED } else { Traits::default() }
}
