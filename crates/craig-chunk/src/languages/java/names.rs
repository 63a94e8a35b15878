//! Names in Java.

use tree_sitter::Node;

use crate::grammar::{all_children, child, field, named_children};
use crate::names::rules::{assignment, itself, plain, ternary, this};
use crate::names::walk::NameRule::{Block, Literal, Name, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Imported, Parameter, Role, Site, Source, Traits, Value};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("line_comment", Skip),
        ("block_comment", Skip),
        ("string_literal", Read(string)),
        ("character_literal", Literal),
        ("decimal_integer_literal", Literal),
        ("hex_integer_literal", Literal),
        ("octal_integer_literal", Literal),
        ("binary_integer_literal", Literal),
        ("decimal_floating_point_literal", Literal),
        ("hex_floating_point_literal", Literal),
        ("true", Literal),
        ("false", Literal),
        ("null_literal", Literal),
        ("integral_type", Literal),
        ("floating_point_type", Literal),
        ("boolean_type", Literal),
        ("void_type", Literal),
        ("package_declaration", Read(package)),
        ("import_declaration", Read(import)),
        ("exports_module_directive", Skip),
        ("opens_module_directive", Skip),
        ("requires_module_directive", Skip),
        ("identifier", Name),
        ("scoped_identifier", Read(scoped)),
        ("this", Read(this)),
        ("type_identifier", Read(type_name)),
        ("scoped_type_identifier", Read(scoped_type)),
        ("generic_type", Read(generic)),
        ("array_type", Read(array_type)),
        ("annotated_type", Read(annotated_type)),
        ("class_literal", Read(class_literal)),
        ("class_declaration", Read(type_declaration)),
        ("record_declaration", Read(type_declaration)),
        ("interface_declaration", Read(type_declaration)),
        ("enum_declaration", Read(type_declaration)),
        ("annotation_type_declaration", Read(type_declaration)),
        ("enum_constant", Read(enum_constant)),
        ("method_declaration", Read(method)),
        ("constructor_declaration", Read(method)),
        ("compact_constructor_declaration", Read(method)),
        ("annotation_type_element_declaration", Read(method)),
        ("field_declaration", Read(fields)),
        ("constant_declaration", Read(fields)),
        ("marker_annotation", Read(annotation)),
        ("annotation", Read(annotation)),
        ("local_variable_declaration", Read(variables)),
        ("resource", Read(resource)),
        ("enhanced_for_statement", Read(for_each)),
        ("for_statement", Block),
        ("block", Block),
        ("constructor_body", Block),
        ("switch_block_statement_group", Block),
        ("switch_rule", Block),
        ("try_with_resources_statement", Block),
        ("while_statement", Block),
        ("catch_clause", Read(catch)),
        ("switch_expression", Read(switch)),
        ("type_pattern", Read(type_pattern)),
        ("record_pattern", Read(record_pattern)),
        ("labeled_statement", Read(labeled)),
        ("break_statement", Skip),
        ("continue_statement", Skip),
        ("parenthesized_expression", Transparent),
        ("unary_expression", Read(plain)),
        ("binary_expression", Read(plain)),
        ("instanceof_expression", Read(instance_of)),
        ("ternary_expression", Read(ternary)),
        ("assignment_expression", Read(assignment)),
        ("update_expression", Read(update)),
        ("cast_expression", Read(cast)),
        ("field_access", Read(field_access)),
        ("array_access", Read(array_access)),
        ("array_creation_expression", Read(array_creation)),
        ("method_invocation", Read(call)),
        ("object_creation_expression", Read(creation)),
        ("explicit_constructor_invocation", Read(constructor_call)),
        ("method_reference", Read(method_reference)),
        ("lambda_expression", Read(lambda)),
    ],
    hoists: false,
};

fn string<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node).filter(|part| part.kind() == "string_interpolation") {
        walk.children(part);
    }
    Value::Builtin
}

fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = child(node, "scoped_identifier").or_else(|| child(node, "identifier"));
    if let Some(name) = name {
        let id = walk.id(walk.text_of(name));
        walk.found.packages.push(id);
    }
    Value::Unknown
}

fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(path) = child(node, "scoped_identifier").or_else(|| child(node, "identifier")) else {
        return Value::Unknown;
    };
    if child(node, "asterisk").is_some() {
        walk.import(node, None, walk.text_of(path), Imported::All, false);
        imported_types(walk, path);
    } else if let (Some(scope), Some(name)) = (field(path, "scope"), field(path, "name")) {
        let text = walk.text_of(name);
        let id = walk.id(text);
        let at = walk.import(node, Some(text), walk.text_of(scope), Imported::Name(id), false);
        imported_types(walk, scope);
        walk.at_site(name, Role::Import, Site::Import(at));
    }
    Value::Unknown
}

/// The types that a path goes through.
fn imported_types<'t>(walk: &mut Walk<'t>, path: Node<'t>) {
    let mut open = Some(path);
    while let Some(path) = open {
        let (Some(scope), Some(name)) = (field(path, "scope"), field(path, "name")) else { return };
        if !walk.text_of(name).starts_with(char::is_uppercase) {
            return;
        }
        at_path(walk, scope, name, Role::Import);
        open = Some(scope);
    }
}

/// A name with its whole path.
fn at_path<'t>(walk: &mut Walk<'t>, scope: Node<'t>, name: Node<'t>, role: Role) -> Value {
    let id = walk.id(walk.text_of(name));
    let at = walk.import(name, None, walk.text_of(scope), Imported::Name(id), false);
    walk.at_site(name, role, Site::Import(at))
}

/// Whether the text is that of a package by its form.
pub(crate) fn is_package(text: &str) -> bool {
    text.split('.').all(|part| {
        part.starts_with(|c: char| c.is_lowercase() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    })
}

pub(crate) fn is_type_name(text: &str) -> bool {
    text.starts_with(char::is_uppercase) && (text.len() == 1 || text.contains(char::is_lowercase))
}

fn scoped<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let (Some(scope), Some(name)) = (field(node, "scope"), field(node, "name")) else {
        return Value::Unknown;
    };
    if is_package(walk.text_of(scope)) {
        return at_path(walk, scope, name, role);
    }
    let of = walk.visit_as(scope, Role::Type);
    walk.member(name, of, role)
}

/// The role of a type: another one than a plain type, if the context says so.
fn take_type_role(walk: &mut Walk<'_>) -> Role {
    match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    }
}

/// A type: its value is an instance of it.
fn type_name<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = take_type_role(walk);
    if walk.text_of(node) == "var" { Value::Unknown } else { walk.name(node, role).instance() }
}

fn array_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let element = walk.field(node, "element");
    walk.several(element).or(Value::Builtin)
}

fn annotated_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = take_type_role(walk);
    let mut value = Value::Unknown;
    for part in named_children(node) {
        value = walk.visit_as(part, role);
    }
    value
}

fn scoped_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = take_type_role(walk);
    let mut scope = None;
    let mut name = None;
    for part in named_children(node) {
        match part.kind() {
            "marker_annotation" | "annotation" => {
                walk.visit(part);
            }
            _ => scope = name.replace(part),
        }
    }
    let (Some(scope), Some(name)) = (scope, name) else { return Value::Unknown };
    if is_package(walk.text_of(scope)) {
        return at_path(walk, scope, name, role).instance();
    }
    let of = itself(walk.visit_as(scope, Role::Type));
    walk.member(name, of, role).instance()
}

pub(crate) const HOLDERS: &[&str] = &[
    "ArrayBlockingQueue",
    "ArrayDeque",
    "ArrayList",
    "AtomicReference",
    "BlockingDeque",
    "BlockingQueue",
    "Collection",
    "CompletableFuture",
    "ConcurrentLinkedDeque",
    "ConcurrentLinkedQueue",
    "ConcurrentSkipListSet",
    "CopyOnWriteArrayList",
    "CopyOnWriteArraySet",
    "Deque",
    "EnumSet",
    "Enumeration",
    "Future",
    "HashSet",
    "Iterable",
    "Iterator",
    "LinkedBlockingQueue",
    "LinkedHashSet",
    "LinkedList",
    "List",
    "ListIterator",
    "NavigableSet",
    "Optional",
    "PriorityQueue",
    "Queue",
    "Set",
    "SoftReference",
    "SortedSet",
    "Stack",
    "Stream",
    "Supplier",
    "ThreadLocal",
    "TreeSet",
    "Vector",
    "WeakReference",
];
pub(crate) const MAPS: &[&str] = &[
    "ConcurrentHashMap",
    "ConcurrentMap",
    "ConcurrentSkipListMap",
    "EnumMap",
    "HashMap",
    "IdentityHashMap",
    "LinkedHashMap",
    "Map",
    "NavigableMap",
    "SortedMap",
    "TreeMap",
    "WeakHashMap",
];

fn generic<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = take_type_role(walk);
    let mut parts = named_children(node);
    let Some(first) = parts.next() else { return Value::Unknown };
    let whole = walk.visit_as(first, role);
    let mut values = Vec::new();
    for part in parts {
        values.extend(named_children(part).map(|argument| walk.visit_as(argument, Role::Type)));
    }
    let name = walk.text_of(first);
    let element = if HOLDERS.contains(&name) {
        values.first()
    } else if MAPS.contains(&name) {
        values.last()
    } else {
        return walk.applied(whole, values);
    };
    match element {
        Some(&element) if is_of_language(walk, first) => walk.several(element),
        _ => walk.applied(whole, values),
    }
}

/// `Shape.class`
fn class_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.named = walk.children(node);
    Value::Builtin
}

/// Whether a type is one of Java's own, by the imports.
fn is_of_language<'t>(walk: &mut Walk<'t>, name: Node<'t>) -> bool {
    let id = walk.id(walk.text_of(name));
    let is_java = |module| walk.found.text(module).starts_with("java.");
    let imports = &walk.found.imports;
    match imports.iter().find(|import| import.local == Some(id)) {
        Some(import) => is_java(import.module),
        None => {
            walk.found.text(id) == "Iterable"
                || imports.iter().any(|import| import.what == Imported::All && is_java(import.module))
        }
    }
}

/// Modifiers and annotations, which come first.
fn modifiers(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(0).filter(|first| first.kind() == "modifiers")
}

fn traits(node: Node<'_>) -> (Traits, bool) {
    let mut traits = Traits::default();
    let mut is_final = false;
    if let Some(modifiers) = modifiers(node) {
        for modifier in all_children(modifiers) {
            match modifier.kind() {
                "static" => traits = traits.and(Traits::STATIC),
                "private" => traits = traits.and(Traits::PRIVATE),
                "public" => traits = traits.and(Traits::EXPORTED),
                "final" => is_final = true,
                _ => {}
            }
        }
    }
    (traits, is_final)
}

fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "interface_declaration" | "annotation_type_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let Some(definition) = walk.define(name, node, kind, traits(node).0) else { return Value::Unknown };
    if walk.is_in_function() {
        walk.bind(definition);
    }
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            type_parameters(walk, node);
            let supers = supers(walk, node);
            if let Some(known) = walk.definition(definition) {
                known.supers = supers;
            }
            if let Some(list) = field(node, "parameters") {
                components(walk, list, definition);
            }
            walk.children_except(
                node,
                &["name", "type_parameters", "superclass", "interfaces", "parameters"],
            );
        });
    });
    Value::Unknown
}

fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = field(node, "type_parameters") else { return };
    let parameters: Vec<Node<'t>> = named_children(list).collect();
    let name_of = |parameter| child(parameter, "type_identifier").or_else(|| child(parameter, "identifier"));
    // The bounds may name all of them.
    for name in parameters.iter().filter_map(|&parameter| name_of(parameter)) {
        walk.declare_local(name, Value::Unknown);
    }
    for (at, &parameter) in parameters.iter().enumerate() {
        let value = match child(parameter, "type_bound") {
            Some(bounds) => {
                let values: Vec<Value> = named_children(bounds).map(|bound| walk.visit(bound)).collect();
                values.first().copied().unwrap_or_default()
            }
            None => Value::Unknown,
        };
        if let Some(name) = name_of(parameter) {
            walk.declare_type_parameter(name, at, value);
        }
    }
}

fn supers<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Vec<Value> {
    let mut supers = Vec::new();
    let extends = field(node, "superclass").or_else(|| child(node, "extends_interfaces"));
    for (list, role) in [(extends, Role::Inherit), (field(node, "interfaces"), Role::Implement)] {
        let Some(list) = list else { continue };
        let list = child(list, "type_list").unwrap_or(list);
        for part in named_children(list) {
            supers.push(itself(walk.visit_as(part, role)));
        }
    }
    supers
}

/// A component of a record is a field and the method that reads it.
fn components<'t>(walk: &mut Walk<'t>, list: Node<'t>, owner: DefinitionIx) {
    let mut parts = Vec::new();
    for component in named_children(list) {
        let value = walk.field(component, "type");
        parts.push(value);
        if let Some(modifiers) = modifiers(component) {
            walk.visit(modifiers);
        }
        let Some(name) = field(component, "name") else { continue };
        for (kind, traits) in
            [(DefinitionKind::Field, Traits::PRIVATE), (DefinitionKind::Method, Traits::EXPORTED)]
        {
            if let Some(definition) = walk.define_in(Some(owner), name, component, kind, traits) {
                walk.set_value(definition, value);
                if kind == DefinitionKind::Method {
                    walk.set_arity(definition, Some(0));
                }
            }
        }
    }
    walk.positional(owner, list, &parts);
}

fn enum_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let definition = walk.define(name, node, DefinitionKind::EnumMember, Traits::STATIC);
    walk.children_except(node, &["name", "body"]);
    if let (Some(definition), Some(body)) = (definition, field(node, "body")) {
        if let (Some(owner), Some(known)) = (walk.this, walk.definition(definition)) {
            known.supers.push(Value::Itself(Source::Definition(owner)));
        }
        walk.inside_type(definition, |walk| walk.visit(body));
    }
    Value::Unknown
}

fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "constructor_declaration" | "compact_constructor_declaration" => DefinitionKind::Constructor,
        _ if walk.this.is_none() => DefinitionKind::Function,
        _ => DefinitionKind::Method,
    };
    let Some(definition) = walk.define(name, node, kind, traits(node).0) else { return Value::Unknown };
    walk.function(Some(definition), |walk| {
        type_parameters(walk, node);
        let mut declared = walk.field(node, "type");
        if field(node, "dimensions").is_some() {
            declared = declared.collection();
        }
        let arity = match field(node, "parameters") {
            Some(list) => parameters(walk, list),
            None => (node.kind() == "annotation_type_element_declaration").then_some(0),
        };
        walk.set_arity(definition, arity);
        walk.set_parameters(definition);
        walk.children_except(node, &["name", "type_parameters", "type", "parameters", "dimensions"]);
        if kind == DefinitionKind::Constructor { walk.this_value() } else { declared }
    });
    Value::Unknown
}

/// Declares parameters; how many there are, if that is fixed.
fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Option<u8> {
    let mut n = 0usize;
    let mut is_fixed = true;
    let mut found = Vec::new();
    for parameter in named_children(list) {
        match parameter.kind() {
            "formal_parameter" => {
                n += 1;
                let declared = typed(walk, parameter);
                found.push(Parameter { value: declared, takes: Vec::new() });
                if let Some(name) = field(parameter, "name") {
                    walk.declare_local(name, declared);
                }
            }
            "spread_parameter" => {
                is_fixed = false;
                let mut value = Value::Unknown;
                for part in named_children(parameter) {
                    match field(part, "name") {
                        Some(name) if part.kind() == "variable_declarator" => {
                            walk.declare_local(name, value.collection());
                        }
                        _ => value = walk.visit(part),
                    }
                }
            }
            _ => {}
        }
    }
    walk.parameters = found;
    u8::try_from(n).ok().filter(|_| is_fixed)
}

/// The declared type of a parameter or variable, with the dimensions behind its name.
fn typed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(modifiers) = modifiers(node) {
        walk.visit(modifiers);
    }
    let declared = walk.field(node, "type");
    if field(node, "dimensions").is_some() { declared.collection() } else { declared }
}

fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (traits, is_final) = traits(node);
    let is_constant = node.kind() == "constant_declaration" || (is_final && traits.has(Traits::STATIC));
    let kind = if is_constant { DefinitionKind::Constant } else { DefinitionKind::Field };
    let declared = typed(walk, node);
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(name) = field(declarator, "name") else { continue };
        let definition = walk.define(name, node, kind, traits);
        let value = walk.field(declarator, "value");
        let declared =
            if field(declarator, "dimensions").is_some() { declared.collection() } else { declared };
        if let Some(definition) = definition {
            walk.set_value(definition, declared.or(value));
        }
    }
    Value::Unknown
}

fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field_as(node, "name", Role::Type);
    let Some(arguments) = field(node, "arguments") else { return Value::Unknown };
    for argument in named_children(arguments) {
        match field(argument, "key") {
            Some(key) if argument.kind() == "element_value_pair" => {
                walk.at_site(key, Role::Write, Site::Key(of.instance()));
                walk.field(argument, "value");
            }
            _ => {
                walk.visit(argument);
            }
        }
    }
    Value::Unknown
}

fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = typed(walk, node);
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(name) = field(declarator, "name") else { continue };
        let value = walk.field(declarator, "value");
        let declared =
            if field(declarator, "dimensions").is_some() { declared.collection() } else { declared };
        walk.declare_local(name, declared.or(value));
    }
    Value::Unknown
}

fn resource<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return walk.children(node) };
    let declared = typed(walk, node);
    let value = walk.field(node, "value");
    walk.declare_local(name, declared.or(value));
    Value::Unknown
}

fn for_each<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let declared = typed(walk, node);
        let element = walk.field(node, "value").element();
        if let Some(name) = field(node, "name") {
            walk.declare_local(name, declared.or(element));
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        if let Some(parameter) = child(node, "catch_formal_parameter") {
            let mut values = Vec::new();
            if let Some(types) = child(parameter, "catch_type") {
                values.extend(named_children(types).map(|of| walk.visit(of)));
            }
            if let Some(name) = field(parameter, "name") {
                let value = if let [only] = values[..] { only } else { Value::Unknown };
                walk.declare_local(name, value);
            }
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

/// A name behind `case` is a constant of the enumeration, or one that is in sight.
fn switch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "condition");
    let Some(body) = field(node, "body") else { return Value::Unknown };
    for group in named_children(body) {
        walk.scope(ScopeKind::Block, |walk| {
            for part in named_children(group) {
                if part.kind() == "switch_label" {
                    label(walk, part, of);
                } else {
                    walk.visit(part);
                }
            }
        });
    }
    Value::Unknown
}

fn label<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value) {
    for part in named_children(node) {
        match part.kind() {
            "identifier" => {
                if of.is_typed() {
                    walk.member(part, of, Role::Read);
                }
                walk.at_site(part, Role::Read, Site::Bare);
            }
            "pattern" => {
                walk.children(part);
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

fn type_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    typed_pattern(walk, node, Value::Unknown);
    Value::Unknown
}

/// Declares a name of the type before it, or of the type of `held` for `var`.
fn typed_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, held: Value) {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        match part.kind() {
            "identifier" => drop(walk.declare_local(part, value)),
            _ if walk.text_of(part) == "var" => value = held,
            _ => value = walk.visit(part),
        }
    }
}

fn record_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut of = Value::Unknown;
    for part in named_children(node) {
        match part.kind() {
            "identifier" => of = walk.visit_as(part, Role::Type).instance(),
            "record_pattern_body" => {
                for (at, component) in named_children(part).enumerate() {
                    if component.kind() == "record_pattern_component" {
                        let held = walk.part(of, at);
                        typed_pattern(walk, component, held);
                    } else {
                        walk.visit(component);
                    }
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
    Value::Unknown
}

fn labeled<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node).filter(|part| part.kind() != "identifier") {
        walk.visit(part);
    }
    Value::Unknown
}

fn instance_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "left");
    let value = walk.field(node, "right");
    if let Some(name) = field(node, "name") {
        walk.declare_local(name, value);
    }
    walk.field(node, "pattern");
    Value::Builtin
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(operand) = node.named_child(0) {
        walk.visit_as(operand, Role::Write);
    }
    Value::Builtin
}

fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "type");
    walk.children_except(node, &["type"]);
    value
}

fn field_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let (Some(object), Some(name)) = (field(node, "object"), field(node, "field")) else {
        return Value::Unknown;
    };
    if name.kind() == "this" {
        return walk.visit(object).instance();
    }
    let is_own = object.kind() == "super";
    // `Shape.super.name` has more than an object, a dot and a name.
    if is_own || node.child_count() > 3 && child(node, "super").is_some() {
        if !is_own {
            walk.visit(object);
        }
        let of = walk.this.map_or(Value::Unknown, Value::Super);
        return walk.member(name, of, role);
    }
    if is_path(walk, object) && is_type_name(walk.text_of(name)) {
        return at_path(walk, object, name, role);
    }
    let of = walk.visit(object);
    walk.member(name, of, role)
}

/// Whether an expression is a package: several names with dots between that are no variables.
fn is_path<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> bool {
    if node.kind() != "field_access" || !is_package(walk.text_of(node)) {
        return false;
    }
    let mut first = node;
    while let Some(inner) = field(first, "object") {
        first = inner;
    }
    first.kind() == "identifier" && !walk.is_bound(first)
}

fn array_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "array");
    walk.field(node, "index");
    value.element()
}

fn array_creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "type");
    walk.children_except(node, &["type"]);
    value.collection().or(Value::Builtin)
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let object = field(node, "object");
    let (of, called) = match (object, field(node, "name")) {
        (_, None) => return Value::Unknown,
        (None, Some(name)) => (Value::Unknown, walk.at_site(name, Role::Call, Site::Bare)),
        (Some(object), Some(name)) => {
            let is_own = object.kind() == "super";
            // `Shape.super.area()` has more than an object, a dot, a name and arguments.
            let is_super = is_own || node.child_count() > 4 && child(node, "super").is_some();
            let of = if is_own { Value::Unknown } else { walk.visit(object) };
            let of = if is_super { walk.this.map_or(Value::Unknown, Value::Super) } else { of };
            (of, walk.member(name, of, Role::Call))
        }
    };
    let types = field(node, "type_arguments").map_or(Value::Unknown, |list| walk.children(list));
    walk.named = Value::Unknown;
    if let Some(list) = field(node, "arguments") {
        let n = arguments(walk, list, called, of.element());
        walk.set_arguments(called, n);
    }
    let named = types.or(std::mem::take(&mut walk.named));
    walk.inferred(called.called(), named)
}

/// Reads arguments; how many there are.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>, called: Value, element: Value) -> usize {
    let mut n = 0;
    for argument in named_children(list) {
        match argument.kind() {
            "line_comment" | "block_comment" => continue,
            "lambda_expression" => {
                let given = called.parameter(n);
                let first = walk.lambda_parameter(given, element);
                lambda_of(walk, argument, first, given);
            }
            _ => {
                walk.visit(argument);
            }
        }
        n += 1;
    }
    n
}

fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(of) = field(node, "type") else { return walk.children(node) };
    for outer in named_children(node).take_while(|part| *part != of) {
        walk.visit(outer);
    }
    walk.field(node, "type_arguments");
    let value = walk.visit_as(of, Role::Call);
    if let Some(list) = field(node, "arguments") {
        let n = arguments(walk, list, value, Value::Unknown);
        walk.set_arguments(value, n);
    }
    if let Some(body) = child(node, "class_body") {
        let extended = extended_again(walk, of);
        let new = child(node, "new").unwrap_or(node);
        let end = if of.kind() == "generic_type" { of.named_child(0).unwrap_or(of) } else { of }.end_byte();
        let name = walk.text.get(new.start_byte()..end).unwrap_or_default();
        if let Some(definition) = walk.define_as(name, of, node, DefinitionKind::Class, Traits::LOCAL) {
            if let Some(known) = walk.definition(definition) {
                known.supers.push(itself(extended));
            }
            walk.inside_type(definition, |walk| walk.visit(body));
        }
    }
    value
}

/// The type of an anonymous class is also what the class extends.
fn extended_again<'t>(walk: &mut Walk<'t>, of: Node<'t>) -> Value {
    match of.kind() {
        "generic_type" => of.named_child(0).map_or(Value::Unknown, |of| extended_again(walk, of)),
        _ => walk.visit_as(of, Role::Implement),
    }
}

fn constructor_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["constructor"]);
    Value::Unknown
}

/// `Shape::area`, `Shape::new`.
fn method_reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_new = child(node, "new").is_some();
    let mut parts = all_children(node).filter(|part| part.is_named() || part.kind() == "super");
    let Some(first) = parts.next() else { return Value::Unknown };
    let of = match first.kind() {
        "super" => walk.this.map_or(Value::Unknown, Value::Super),
        _ => walk.visit_as(first, if is_new { Role::Call } else { Role::Read }),
    };
    for part in parts {
        if part.kind() == "identifier" {
            walk.member(part, of, Role::Read);
        } else {
            walk.visit(part);
        }
    }
    Value::Unknown
}

fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    lambda_of(walk, node, Value::Unknown, Value::Unknown);
    Value::Unknown
}

/// Reads a lambda with its first parameter; the others are what `given` takes.
fn lambda_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, first: Value, given: Value) {
    walk.function(None, |walk| {
        match field(node, "parameters") {
            Some(list) if list.kind() == "formal_parameters" => {
                parameters(walk, list);
            }
            Some(name) if name.kind() == "identifier" => {
                walk.declare_local(name, first);
            }
            Some(list) => {
                for (at, name) in named_children(list).enumerate() {
                    walk.declare_local(name, if at == 0 { first } else { given.parameter(at) });
                }
            }
            None => {}
        }
        walk.field(node, "body");
        Value::Unknown
    });
}
