//! Types and namespaces of C and C++.

use super::declarators::{owner, qualifiers, without_arguments};
use tree_sitter::Node;

use crate::grammar::{all_children, child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Imported, Role, Site, Source, Traits, Value};

/// A struct, union or class: defined where it has a body.
pub(super) fn record<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    };
    let Some(body) = field(node, "body") else {
        // `struct foo;` and `friend class foo;` say nothing new.
        let is_alone = node.parent().is_some_and(|parent| {
            matches!(parent.kind(), "translation_unit" | "declaration_list" | "template_declaration")
        });
        return match field(node, "name") {
            Some(name) if !is_alone => tag(walk, name, role),
            _ => Value::Unknown,
        };
    };
    match field(node, "name") {
        Some(name) => {
            let definition = type_named(walk, name, node, node);
            definition.map_or(Value::Unknown, |of| Value::Itself(Source::Definition(of)))
        }
        // The members of an anonymous struct are those of what encloses it; those of a variable's have no names outside.
        None if walk.is_in_function() && !walk.is_in_type() => {
            walk.scope(ScopeKind::Block, |walk| walk.visit(body))
        }
        None => walk.visit(body),
    }
}

/// The name behind `struct`: a local variable of that name does not hide it, only a type does.
pub(super) fn tag<'t>(walk: &mut Walk<'t>, name: Node<'t>, role: Role) -> Value {
    if name.kind() != "type_identifier" {
        return walk.visit_as(name, role);
    }
    match walk.defined_as(name) {
        Some(local) if walk.is_type(local) => walk.visit_as(name, role),
        _ => walk.at_site(name, role, Site::Bare),
    }
}

/// Defines a type by the body of `of`.
pub(super) fn type_named<'t>(
    walk: &mut Walk<'t>,
    name: Node<'t>,
    whole: Node<'t>,
    of: Node<'t>,
) -> Option<DefinitionIx> {
    let kind = if of.kind() == "enum_specifier" { DefinitionKind::Enum } else { DefinitionKind::Class };
    let (scopes, name) = qualifiers(name)?;
    let owner = owner(walk, &scopes);
    let definition = walk.define(without_arguments(name), whole, kind, Traits::default())?;
    if walk.is_in_function() {
        walk.bind(definition);
    }
    template_parameters(walk, whole, definition);
    let supers = child(of, "base_class_clause").map(|clause| base_classes(walk, clause)).unwrap_or_default();
    if let Some(known) = walk.definition(definition) {
        known.supers = supers;
        known.owner = owner;
    }
    match field(of, "body") {
        Some(body) if kind == DefinitionKind::Enum => enumerators(walk, body, Some(definition)),
        Some(body) => {
            walk.inside_type(definition, |walk| walk.visit(body));
        }
        None => {}
    }
    Some(definition)
}

pub(super) fn base_classes<'t>(walk: &mut Walk<'t>, clause: Node<'t>) -> Vec<Value> {
    named_children(clause)
        .filter(|part| part.kind() != "access_specifier")
        .map(|part| walk.visit_as(part, Role::Inherit))
        .collect()
}

pub(super) fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(body) = field(node, "body") else {
        let name = field(node, "name");
        return name.map_or(Value::Unknown, |name| tag(walk, name, Role::Type));
    };
    walk.field(node, "base");
    let definition = field(node, "name").and_then(|name| {
        let definition = walk.define(name, node, DefinitionKind::Enum, Traits::default());
        if let Some(definition) = definition.filter(|_| walk.is_in_function()) {
            walk.bind(definition);
        }
        definition
    });
    enumerators(walk, body, definition);
    definition.map_or(Value::Builtin, |of| Value::Itself(Source::Definition(of)))
}

/// Defines enumerators; those of an `enum class` are known by its name alone.
pub(super) fn enumerators<'t>(walk: &mut Walk<'t>, body: Node<'t>, of: Option<DefinitionIx>) {
    let is_scoped = body
        .parent()
        .is_some_and(|of| all_children(of).any(|part| matches!(part.kind(), "class" | "struct")));
    let traits = if is_scoped { Traits::STATIC } else { Traits::default() };
    for part in named_children(body) {
        if part.kind() != "enumerator" {
            walk.visit(part);
            continue;
        }
        let Some(name) = field(part, "name") else { continue };
        let parent = of.or(walk.within);
        if let Some(definition) = walk.define_in(parent, name, part, DefinitionKind::EnumMember, traits)
            && walk.is_in_function()
        {
            walk.bind(definition);
        }
        walk.field(part, "value");
    }
}

/// `namespace a::b { … }`: `b` in `a`. One without a name keeps its functions and variables to the file.
pub(super) fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let names: Vec<Node<'t>> = match field(node, "name") {
        Some(name) if name.kind() == "nested_namespace_specifier" => named_children(name).collect(),
        name => name.into_iter().collect(),
    };
    let is_private = walk.is_private || names.is_empty();
    let is_private = std::mem::replace(&mut walk.is_private, is_private);
    namespaces(walk, node, &names);
    walk.is_private = is_private;
    Value::Unknown
}

pub(super) fn namespaces<'t>(walk: &mut Walk<'t>, whole: Node<'t>, names: &[Node<'t>]) {
    let Some((&name, inner)) = names.split_first() else {
        walk.field(whole, "body");
        return;
    };
    let definition = walk.define(name, whole, DefinitionKind::Module, Traits::default());
    let before = name.prev_sibling().map(|before| before.kind());
    let is_inline = before == Some("inline") || child(whole, "inline").is_some() && inner.is_empty();
    if let Some(definition) = definition.filter(|_| is_inline) {
        opened(walk, Value::Itself(Source::Definition(definition)));
    }
    walk.inside(definition, |walk| namespaces(walk, whole, inner));
}

/// Notes that the names of a namespace are those of the enclosing one as well.
pub(super) fn opened(walk: &mut Walk<'_>, namespace: Value) {
    match walk.within {
        Some(around) => walk.add_super(around, namespace),
        None => walk.export("*", namespace),
    }
}

/// `a::b` as a namespace.
pub(super) fn nested_namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    named_children(node).fold(Value::Unknown, |of, part| scope_value(walk, part, of))
}

/// `using namespace shop;`, `using shop::rate;`: counts to the end of a function, elsewhere also where the file is included.
pub(super) fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(path) = node.named_child(0) else { return Value::Unknown };
    if child(node, "namespace").is_some() {
        let space = walk.visit_as(path, Role::Type);
        walk.export("*", space);
        return Value::Unknown;
    }
    let Some((scopes, name)) = qualifiers(path).filter(|(scopes, _)| !scopes.is_empty()) else {
        return walk.children(node);
    };
    let of = scopes_value(walk, path, &scopes);
    let name = without_arguments(name);
    let member = walk.member(name, of, Role::Import);
    // Of a class, members of its supertypes are its own anyway.
    if !walk.is_in_type() && !walk.bring_in(name, of) {
        walk.export(walk.text_of(name), member);
    }
    Value::Unknown
}

pub(super) fn last(node: Node<'_>) -> Node<'_> {
    node.named_child(node.named_child_count().saturating_sub(1) as u32).unwrap_or(node)
}

pub(super) fn type_parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "default_type");
    let name = field(node, "name").or_else(|| child(node, "type_identifier"));
    if let Some(name) = name {
        walk.declare_local(name, Value::Unknown);
    }
    Value::Unknown
}

pub(super) fn type_descriptor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "type");
    walk.children_except(node, &["type"]);
    value
}

/// Templates of libraries that stand for what is in them.
const WRAPPERS: &[&str] = &[
    "QPointer",
    "QScopedPointer",
    "QSharedPointer",
    "QWeakPointer",
    "atomic",
    "future",
    "optional",
    "reference_wrapper",
    "shared_future",
    "shared_ptr",
    "unique_ptr",
    "weak_ptr",
];

/// Templates of the standard library whose elements are those in them.
const COLLECTIONS: &[&str] = &[
    "array",
    "deque",
    "forward_list",
    "initializer_list",
    "list",
    "multiset",
    "queue",
    "set",
    "span",
    "stack",
    "unordered_set",
    "vector",
];

/// Templates of libraries whose elements are the values that they map to.
const MAPS: &[&str] = &["QHash", "QMap", "map", "multimap", "unordered_map"];

/// A template that is applied to types; of a function, the first of these is what a call of it may return.
pub(super) fn template<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let whole = walk.visit_as(name, role);
    template_arguments(walk, node, whole)
}

/// Reads the arguments that the template `whole` is applied to.
pub(super) fn template_arguments<'t>(walk: &mut Walk<'t>, node: Node<'t>, whole: Value) -> Value {
    let Some(arguments) = field(node, "arguments") else { return whole };
    let values: Vec<Value> = named_children(arguments).map(|argument| walk.visit(argument)).collect();
    let part = |at: usize| values.get(at).copied().unwrap_or_default();
    match field(node, "name").map_or("", |name| walk.text_of(name)) {
        _ if node.kind() != "template_type" => {
            walk.named = part(0).instance();
            whole
        }
        "pair" | "tuple" => {
            let parts: Vec<Value> = values.iter().map(|part| part.instance()).collect();
            walk.tuple(node, &parts)
        }
        name if WRAPPERS.contains(&name) => part(0).instance(),
        name if COLLECTIONS.contains(&name) => walk.several(part(0)).or(Value::Builtin),
        name if MAPS.contains(&name) => walk.several(part(1)).or(Value::Builtin),
        _ => walk.applied(whole, values),
    }
}

/// Lets the parameters of a template stand for what `of` is applied to, which `node` defines.
pub(super) fn template_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: DefinitionIx) {
    let Some(list) = template_of(node).and_then(|template| field(template, "parameters")) else { return };
    let is_type = |parameter: &Node<'t>| parameter.kind().ends_with("type_parameter_declaration");
    for (at, parameter) in named_children(list).enumerate().filter(|(_, parameter)| is_type(parameter)) {
        if let Some(name) = child(parameter, "type_identifier").or_else(|| field(parameter, "name")) {
            let value = walk.type_parameter(of, at, Value::Unknown);
            walk.redeclare_local(walk.text_of(name), value);
        }
    }
}

/// The template that a node is the definition or declaration of.
pub(super) fn template_of(node: Node<'_>) -> Option<Node<'_>> {
    node.parent().filter(|parent| parent.kind() == "template_declaration")
}

/// `a::b`
pub(super) fn qualified<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some((scopes, at)) = qualifiers(node) else { return Value::Unknown };
    let of = scopes_value(walk, node, &scopes);
    let role = if at.kind().starts_with("type") && role == Role::Read { Role::Type } else { role };
    let name = without_arguments(at);
    let whole = match scopes.is_empty() {
        true if !name.kind().ends_with("identifier") => return walk.visit_as(at, role),
        true => of_no_namespace(walk, name, role),
        false => walk.member(name, of, role),
    };
    if name == at { whole } else { template_arguments(walk, at, whole) }
}

/// The value of the scopes before a qualified name, which may begin with `::`.
pub(super) fn scopes_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, scopes: &[Node<'t>]) -> Value {
    let mut value = Value::Unknown;
    for (at, &scope) in scopes.iter().enumerate() {
        let is_rooted = at == 0 && node.child(0).is_some_and(|first| first.kind() == "::");
        value = match is_rooted {
            true => of_no_namespace(walk, without_arguments(scope), Role::Type),
            false => scope_value(walk, scope, value),
        };
    }
    value
}

/// `::name`: as imported from what encloses all namespaces.
pub(super) fn of_no_namespace<'t>(walk: &mut Walk<'t>, name: Node<'t>, role: Role) -> Value {
    let known = walk.found.imports.iter().rposition(|import| walk.found.text(import.module) == "::");
    let import = match known {
        Some(at) => u32::try_from(at).unwrap_or(u32::MAX),
        None => walk.import(name, None, "::", Imported::Module, false),
    };
    walk.at_site(name, role, Site::Import(import))
}

/// The value of a scope before `::`, in the scope `of` if that is known.
pub(super) fn scope_value<'t>(walk: &mut Walk<'t>, scope: Node<'t>, of: Value) -> Value {
    let name = without_arguments(scope);
    let value = match of {
        Value::Unknown => walk.visit_as(name, Role::Type),
        of => walk.member(name, of, Role::Type),
    };
    if name == scope { value } else { template_arguments(walk, scope, value) }
}
