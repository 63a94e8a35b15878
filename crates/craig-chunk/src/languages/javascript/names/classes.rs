//! Classes, interfaces, enumerations and namespaces.

use tree_sitter::Node;

use super::doc;
use super::functions::{function_body, is_function_type, type_parameters};
use super::objects::{FUNCTIONS, bare};
use super::prototypes::given_bases;
use super::types::{WRAPPERS, annotated, annotation};
use crate::grammar::{all_children, child, field, named_children};
use crate::names::doc::Comment;
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{
    Definition, DefinitionIx, DefinitionKind, GLOBAL, Imported, ImportedName, Role, Source, Traits, Value,
};

pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let at = match field(node, "name") {
        Some(name) => class_named(walk, node, name, None),
        None => class_as(walk, node, "class", Traits::LOCAL),
    };
    at.map_or(Value::Unknown, |at| Value::Itself(Source::Definition(at)))
}

/// A class that has no name where it stands.
pub(super) fn class_as<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    name: &'t str,
    traits: Traits,
) -> Option<DefinitionIx> {
    walk.expected = Value::Unknown;
    let at = walk.define_as(name, node, node, DefinitionKind::Class, traits)?;
    class_parts(walk, node, at);
    Some(at)
}

pub(super) fn class_named<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    name: Node<'t>,
    owner: Option<DefinitionIx>,
) -> Option<DefinitionIx> {
    walk.expected = Value::Unknown;
    let at = walk.define_in(owner.or(walk.within), name, node, DefinitionKind::Class, Traits::default())?;
    walk.bind(at);
    class_parts(walk, node, at);
    Some(at)
}

/// What a class is made of.
fn class_parts<'t>(walk: &mut Walk<'t>, node: Node<'t>, at: DefinitionIx) {
    let doc = walk.doc_before(node);
    walk.scope(ScopeKind::Block, |walk| {
        let supers = walk.inside(Some(at), |walk| {
            type_parameters(walk, node);
            if let Some(doc) = doc {
                doc::templates(walk, doc);
            }
            let supers =
                child(node, "class_heritage").map_or(Vec::new(), |heritage| inherited(walk, heritage));
            match doc {
                Some(doc) => applied_by_doc(walk, supers, doc),
                None => supers,
            }
        });
        if let Some(known) = walk.definition(at) {
            known.supers = supers;
        }
        for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
            walk.visit(decorator);
        }
        if let Some(body) = field(node, "body") {
            walk.inside_type(at, |walk| class_body(walk, body, at));
        }
    });
}

fn inherited<'t>(walk: &mut Walk<'t>, heritage: Node<'t>) -> Vec<Value> {
    let mut supers = Vec::new();
    for part in named_children(heritage) {
        match part.kind() {
            "extends_clause" => {
                let list = field(part, "type_arguments");
                if let Some(base) = field(part, "value") {
                    inherited_from(walk, base, &mut supers);
                }
                let arguments = list.map_or(Vec::new(), |list| type_arguments(walk, list));
                if let Some(last) = supers.pop() {
                    supers.push(walk.applied(last, arguments));
                }
                walk.children_except(part, &["value", "type_arguments"]);
            }
            "implements_clause" => supers.extend(super_types(walk, part, Role::Implement)),
            _ => inherited_from(walk, part, &mut supers),
        }
    }
    supers
}

/// `/** @extends {Repo<Order>} */`
fn applied_by_doc<'t>(walk: &mut Walk<'t>, mut supers: Vec<Value>, doc: Comment<'t>) -> Vec<Value> {
    let arguments = doc::base_arguments(walk, doc);
    if let Some(base) = supers.first_mut() {
        *base = walk.applied(*base, arguments);
    }
    supers
}

fn inherited_from<'t>(walk: &mut Walk<'t>, base: Node<'t>, supers: &mut Vec<Value>) {
    supers.push(walk.visit_as(base, Role::Inherit));
    given_bases(walk, base, supers);
}

fn super_types<'t>(walk: &mut Walk<'t>, node: Node<'t>, role: Role) -> Vec<Value> {
    named_children(node)
        .map(|part| match part.kind() {
            "generic_type" => {
                let value = walk.field_as(part, "name", role);
                let name = field(part, "name").map_or("", |name| walk.text_of(name));
                let Some(list) = field(part, "type_arguments") else { return value };
                let arguments = type_arguments(walk, list);
                // `extends Partial<Base>`
                if WRAPPERS.contains(&name) {
                    arguments.first().copied().unwrap_or_default()
                } else {
                    walk.applied(value, arguments)
                }
            }
            _ => walk.visit_as(part, role),
        })
        .collect()
}

pub(super) fn type_arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Vec<Value> {
    named_children(list).map(|argument| walk.visit(argument)).collect()
}

pub(super) fn class_body<'t>(walk: &mut Walk<'t>, body: Node<'t>, owner: DefinitionIx) {
    for part in named_children(body) {
        match part.kind() {
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                method(walk, part, owner)
            }
            "field_definition" | "public_field_definition" | "property_signature" => {
                property(walk, part, owner);
            }
            "call_signature" | "construct_signature" => {
                walk.visit(part);
                // What a call of an instance returns.
                if walk.definition(owner).is_some_and(|owner| owner.kind == DefinitionKind::Interface) {
                    walk.set_value(owner, walk.result);
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

pub(super) fn has_word(node: Node<'_>, word: &str) -> bool {
    all_children(node).any(|part| part.kind() == word)
}

pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
        walk.visit(decorator);
    }
    let Some(name) = field(node, "name") else { return };
    let mut traits = Traits::default();
    if has_word(node, "get") || has_word(node, "set") {
        traits = traits.and(Traits::PROPERTY);
    }
    if has_word(node, "static") {
        traits = traits.and(Traits::STATIC);
    }
    if node.kind() != "method_definition" {
        traits = traits.and(Traits::DECLARATION);
    }
    let at = match name.kind() {
        "property_identifier" | "private_property_identifier" => {
            let is_constructor = walk.text_of(name) == "constructor";
            let kind = if is_constructor { DefinitionKind::Constructor } else { DefinitionKind::Method };
            walk.define_in(Some(owner), name, node, kind, traits)
        }
        _ => {
            walk.visit(name);
            None
        }
    };
    let before = walk.this.replace(owner);
    function_body(walk, at, node);
    walk.this = before;
}

fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
        walk.visit(decorator);
    }
    let name = field(node, "name").or_else(|| field(node, "property"));
    let declared_type = field(node, "type");
    let object = annotation(node).filter(|of| of.kind() == "object_type");
    let is_object = object.is_some();
    let documented = doc::declared(walk, node);
    let declared = if is_object { Value::Unknown } else { annotated(walk, node).or(documented) };
    let parameters = std::mem::take(&mut walk.parameters);
    let named = name.and_then(|name| match name.kind() {
        "property_identifier" | "private_property_identifier" => Some(name),
        "string" => child(name, "string_fragment"),
        _ => None,
    });
    let Some(name) = named else {
        if let Some(name) = name {
            walk.visit(name);
        }
        walk.field(node, if is_object { "type" } else { "value" });
        walk.field(node, "value");
        return;
    };
    let traits = if has_word(node, "static") { Traits::STATIC } else { Traits::default() };
    let value = field(node, "value");
    if let Some(value) = value.filter(|value| FUNCTIONS.contains(&bare(*value).kind())) {
        let at = walk.define_in(Some(owner), name, node, DefinitionKind::Method, traits);
        let before = walk.this.replace(owner);
        walk.expected = declared;
        function_body(walk, at, bare(value));
        walk.this = before;
        return;
    }
    let Some(at) = walk.define_in(Some(owner), name, node, DefinitionKind::Field, traits) else { return };
    if let Some(object) = object {
        let before = walk.this;
        walk.inside(Some(at), |walk| class_body(walk, object, at));
        walk.this = before;
    } else if declared_type.is_some_and(is_function_type) {
        walk.parameters = parameters;
        walk.set_parameters(at);
    }
    let held = value.map_or(Value::Unknown, |value| {
        walk.inside(Some(at), |walk| {
            walk.expected = declared;
            let held = walk.visit(value);
            walk.expected = Value::Unknown;
            held
        })
    });
    walk.set_value(at, declared.or(held));
}

pub(super) fn interface<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(at) = walk.define(name, node, DefinitionKind::Interface, Traits::default()) else {
        return Value::Unknown;
    };
    walk.bind(at);
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside(Some(at), |walk| type_parameters(walk, node));
        let clause = child(node, "extends_type_clause").or_else(|| child(node, "extends_clause"));
        if let Some(clause) = clause {
            let supers = walk.inside(Some(at), |walk| super_types(walk, clause, Role::Inherit));
            if let Some(known) = walk.definition(at) {
                known.supers = supers;
            }
        }
        if let Some(body) = field(node, "body") {
            walk.inside_type(at, |walk| class_body(walk, body, at));
        }
    });
    Value::Unknown
}

pub(super) fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(at) = walk.define(name, node, DefinitionKind::Enum, Traits::default()) else {
        return Value::Unknown;
    };
    walk.bind(at);
    let Some(body) = field(node, "body") else { return Value::Unknown };
    walk.inside_type(at, |walk| {
        for part in named_children(body) {
            let name = field(part, "name").unwrap_or(part);
            if name.kind() == "property_identifier" {
                walk.define_in(Some(at), name, part, DefinitionKind::EnumMember, Traits::STATIC);
            }
            walk.field(part, "value");
        }
    });
    Value::Unknown
}

/// A namespace, or `declare module 'name'`.
pub(super) fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return walk.field(node, "body") };
    let quoted = child(name, "string_fragment");
    let (name, traits) = match (name.kind(), quoted) {
        ("identifier", _) => (name, Traits::default()),
        (_, Some(quoted)) => (quoted, Traits::DECLARATION),
        _ => return walk.field(node, "body"),
    };
    let Some(at) = walk.define(name, node, DefinitionKind::Module, traits) else {
        return walk.field(node, "body");
    };
    if let Some(body) = field(node, "body") {
        let before = walk.declared_module;
        walk.declared_module = quoted.map(|_| at).or(before);
        walk.inside(Some(at), |walk| walk.children(body));
        walk.declared_module = before;
    }
    Value::Unknown
}

/// `declare …`: what is declared in `declare global` is seen in all files.
pub(super) fn ambient<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let first = walk.found.definitions.len();
    walk.children(node);
    if has_word(node, "global") {
        exported_globally(walk, first);
    }
    Value::Unknown
}

/// A file that neither imports nor exports: what it defines is seen in all others, too.
pub(super) fn program<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let first = walk.found.definitions.len();
    walk.children(node);
    let is_module =
        named_children(node).any(|part| matches!(part.kind(), "import_statement" | "export_statement"));
    // `import('./shape')` may stand in a script.
    let is_lazy = |import: &ImportedName| import.local.is_none() && import.what == Imported::Module;
    let found = &walk.found;
    let is_script = found.imports.iter().all(is_lazy) && found.exports.is_empty();
    if is_script && !is_module {
        exported_globally(walk, first);
    }
    Value::Unknown
}

/// Exports definitions, from the first of them on, to all files.
fn exported_globally<'t>(walk: &mut Walk<'t>, first: usize) {
    let all = walk.found.definitions.iter().enumerate().skip(first);
    let is_seen = |found: &Definition| {
        let is_module = found.kind == DefinitionKind::Module && found.traits.has(Traits::DECLARATION);
        found.parent.is_none() && !found.traits.has(Traits::LOCAL) && !is_module
    };
    let seen: Vec<DefinitionIx> =
        all.filter(|(_, found)| is_seen(found)).map(|(at, _)| at as DefinitionIx).collect();
    for at in seen {
        walk.export(GLOBAL, Value::Itself(Source::Definition(at)));
    }
}
