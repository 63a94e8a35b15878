//! Names in PHP.

mod doc;

use tree_sitter::Node;

use crate::grammar::{child, field, named_children, unquoted};
use crate::names::rules::plain;
use crate::names::walk::NameRule::{Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Imported, Role, Site, Source, Traits, Value};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Read(comment)),
        ("text", Skip),
        ("string", Read(string)),
        ("nowdoc", Literal),
        ("encapsed_string", Read(string)),
        ("heredoc", Read(plain)),
        ("integer", Literal),
        ("float", Literal),
        ("boolean", Literal),
        ("null", Literal),
        ("declare_directive", Skip),
        ("goto_statement", Skip),
        ("named_label_statement", Skip),
        ("program", Read(program)),
        ("namespace_definition", Read(namespace)),
        ("namespace_use_declaration", Read(import)),
        ("name", Read(class_name)),
        ("qualified_name", Read(class_name)),
        ("relative_name", Read(class_name)),
        ("variable_name", Read(variable)),
        ("named_type", Read(type_node)),
        ("optional_type", Read(type_node)),
        ("union_type", Read(type_node)),
        ("intersection_type", Read(type_node)),
        ("disjunctive_normal_form_type", Read(type_node)),
        ("primitive_type", Read(type_node)),
        ("bottom_type", Literal),
        ("cast_type", Skip),
        ("attribute", Read(attribute)),
        ("class_declaration", Read(type_declaration)),
        ("trait_declaration", Read(type_declaration)),
        ("interface_declaration", Read(type_declaration)),
        ("enum_declaration", Read(type_declaration)),
        ("enum_case", Read(enum_case)),
        ("use_declaration", Read(use_traits)),
        ("const_declaration", Read(constants)),
        ("property_declaration", Read(properties)),
        ("method_declaration", Read(function)),
        ("function_definition", Read(function)),
        ("anonymous_function", Read(closure)),
        ("arrow_function", Read(closure)),
        ("catch_clause", Read(catch)),
        ("foreach_statement", Read(foreach)),
        ("static_variable_declaration", Read(static_variable)),
        ("global_declaration", Read(global)),
        ("assignment_expression", Read(assignment)),
        ("reference_assignment_expression", Read(assignment)),
        ("augmented_assignment_expression", Read(augmented)),
        ("update_expression", Read(update)),
        ("binary_expression", Read(binary)),
        ("unary_op_expression", Read(plain)),
        ("cast_expression", Read(plain)),
        ("conditional_expression", Read(conditional)),
        ("match_conditional_expression", Read(match_arm)),
        ("match_default_expression", Read(match_arm)),
        ("parenthesized_expression", Transparent),
        ("error_suppression_expression", Transparent),
        ("clone_expression", Transparent),
        ("subscript_expression", Read(subscript)),
        ("array_creation_expression", Read(array)),
        ("return_statement", Read(returned)),
        ("yield_expression", Read(yielded)),
        ("argument", Read(argument)),
        ("member_access_expression", Read(member)),
        ("nullsafe_member_access_expression", Read(member)),
        ("scoped_property_access_expression", Read(static_property)),
        ("class_constant_access_expression", Read(class_constant)),
        ("function_call_expression", Read(call)),
        ("member_call_expression", Read(method_call)),
        ("nullsafe_member_call_expression", Read(method_call)),
        ("scoped_call_expression", Read(static_call)),
        ("object_creation_expression", Read(creation)),
    ],
    hoists: false,
};

/// What makes a value of the language.
fn program<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| walk.children(node))
}

fn comment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    doc::variables(walk, node);
    Value::Unknown
}

/// `'Shop\\Store::save'` names a method.
fn string<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let text = walk.text_of(node);
    walk.children(node);
    let Some((class, method)) = unquoted(text).split_once("::") else { return Value::Builtin };
    if is_word(method) {
        let of = class_in_text(walk, node, class);
        if of != Value::Unknown {
            let start = text.len() - method.len() - 1;
            walk.name_in(node, start..start + method.len(), Role::Call, Some(Site::Member(of)));
        }
    }
    Value::Builtin
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A class by its full name, or by one that is imported, in a string.
fn class_in_text<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &'t str) -> Value {
    let path = name.trim_start_matches('\\');
    if let Some(found) = own_class(walk, path) {
        return found;
    }
    match path.split('\\').all(is_word) {
        true if walk.imports_name(path) => doc::class_named(walk, node, path),
        true => doc::class_at(walk, node, path),
        false => Value::Unknown,
    }
}

fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        let id = walk.id(walk.text_of(name));
        walk.found.packages.push(id);
    }
    walk.field(node, "body");
    Value::Unknown
}

/// `use A\\B;`, `use A\\B as C;`, `use A\\{B, C as D};`, `use function A\\b;`
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let prefix = field(node, "body").and_then(|_| child(node, "namespace_name"));
    let group = field(node, "body").unwrap_or(node);
    for clause in named_children(group).filter(|part| part.kind() == "namespace_use_clause") {
        let alias = field(clause, "alias");
        let path = named_children(clause).find(|part| Some(*part) != alias);
        let Some(path) = path else { continue };
        let name = last_name(path);
        let text = walk.text_of(name);
        let id = walk.id(text);
        let local = alias.map_or(text, |alias| walk.text_of(alias));
        // `A\\{B\\C}`: the text between is what both have in common only without a path inside.
        let module = match prefix {
            Some(prefix) => walk.text_of(prefix),
            None => before(walk, path, name),
        };
        let module = module.trim_start_matches('\\');
        let at = walk.import(clause, Some(local), module, Imported::Name(id), false);
        walk.at_site(name, Role::Import, Site::Import(at));
    }
    Value::Unknown
}

/// The last name of a path.
fn last_name(path: Node<'_>) -> Node<'_> {
    if path.kind() == "name" {
        return path;
    }
    named_children(path).filter(|part| part.kind() == "name").last().unwrap_or(path)
}

/// The path before its last name, without the separator.
fn before<'t>(walk: &Walk<'t>, path: Node<'t>, name: Node<'t>) -> &'t str {
    let text = walk.text.get(path.start_byte()..name.start_byte()).unwrap_or_default();
    text.trim_end_matches('\\')
}

/// The enclosing class by its keyword, or the one above it.
fn own_class(walk: &Walk<'_>, name: &str) -> Option<Value> {
    let own = walk.this.map(|this| Value::Itself(Source::Definition(this)));
    match name {
        "self" | "static" | "__CLASS__" => Some(own.unwrap_or_default()),
        "parent" => Some(walk.this.map_or(Value::Unknown, Value::Super)),
        _ => None,
    }
}

/// A name of a class, function or constant: the thing itself.
fn class_name<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let text = walk.text_of(node);
    if let Some(found) = own_class(walk, text) {
        return found;
    }
    match text {
        "true" | "false" | "null" | "TRUE" | "FALSE" | "NULL" => return Value::Builtin,
        _ => {}
    }
    if node.kind() == "name" {
        return walk.at_site(node, role, Site::Bare);
    }
    let name = last_name(node);
    if node.kind() == "relative_name" {
        return walk.at_site(name, role, Site::Bare);
    }
    if text.starts_with('\\') {
        let module = before(walk, node, name).trim_start_matches('\\');
        let id = walk.id(walk.text_of(name));
        let at = walk.import(node, None, module, Imported::Name(id), false);
        return walk.at_site(name, role, Site::Import(at));
    }
    let mut value = None;
    let mut parts = Vec::new();
    for part in named_children(node) {
        match part.kind() {
            "namespace_name" => {
                parts.extend(named_children(part));
            }
            _ => parts.push(part),
        }
    }
    for part in parts {
        let role = if part == name { role } else { Role::Import };
        value = Some(match value {
            None => walk.at_site(part, role, Site::Bare),
            Some(of) => walk.member(part, of, role),
        });
    }
    value.unwrap_or_default()
}

/// `$this`, a local variable, or one outside of functions.
fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some(name) = child(node, "name") else { return walk.children(node) };
    if walk.text_of(name) == "this" {
        return walk.this_value();
    }
    if walk.is_bound(name) { walk.name(name, role) } else { Value::Unknown }
}

/// A type: its value is an instance of it.
fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if matches!(walk.text_of(node), "self" | "static" | "?self" | "?static") {
        return walk.this_value();
    }
    if node.kind() == "primitive_type" {
        return match walk.text_of(node) {
            "array" | "iterable" | "mixed" | "object" => Value::Unknown,
            _ => Value::Builtin,
        };
    }
    let mut value = Value::Unknown;
    for part in named_children(node) {
        let found = match part.kind() {
            "name" | "qualified_name" | "relative_name" => walk.visit_as(part, Role::Type).instance(),
            _ => walk.visit(part),
        };
        if !value.is_typed() {
            value = found;
        }
    }
    value
}

fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node) {
        match part.kind() {
            "arguments" => walk.visit(part),
            _ => walk.visit_as(part, Role::Call),
        };
    }
    Value::Unknown
}

fn traits(node: Node<'_>, text: &str) -> Traits {
    let mut traits = Traits::default();
    for part in named_children(node) {
        match part.kind() {
            "static_modifier" => traits = traits.and(Traits::STATIC),
            "visibility_modifier" if text.get(part.byte_range()) == Some("private") => {
                traits = traits.and(Traits::PRIVATE);
            }
            _ => {}
        }
    }
    traits
}

fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "interface_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    if let Some(definition) = walk.define(name, node, kind, Traits::default()) {
        let n_templates = walk.templates.len();
        doc::note_templates(walk, node, definition);
        doc::apply_supers(walk, node, definition);
        body_of_type(walk, node, definition);
        walk.inside_type(definition, |walk| doc::declared_members(walk, node, definition));
        walk.templates.truncate(n_templates);
    }
    Value::Unknown
}

fn body_of_type<'t>(walk: &mut Walk<'t>, node: Node<'t>, definition: DefinitionIx) {
    walk.inside_type(definition, |walk| {
        let inherited = if node.kind() == "interface_declaration" { Role::Inherit } else { Role::Implement };
        for part in named_children(node) {
            match part.kind() {
                "base_clause" => add_supers(walk, part, definition, Role::Inherit),
                "class_interface_clause" => add_supers(walk, part, definition, inherited),
                "name" => {}
                _ => {
                    walk.visit(part);
                }
            }
        }
    });
}

fn add_supers<'t>(walk: &mut Walk<'t>, list: Node<'t>, of: DefinitionIx, role: Role) {
    for part in named_children(list) {
        if !matches!(part.kind(), "name" | "qualified_name" | "relative_name") {
            walk.visit(part);
            continue;
        }
        let value = walk.visit_as(part, role);
        if let Some(known) = walk.definition(of) {
            known.supers.push(value);
        }
    }
}

/// A trait lends its members.
fn use_traits<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(this) = walk.this {
        for part in named_children(node) {
            if part.kind() != "use_list" {
                let value = walk.visit_as(part, Role::Inherit);
                if let Some(known) = walk.definition(this) {
                    known.supers.push(value);
                }
            }
        }
    }
    Value::Unknown
}

fn enum_case<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        walk.define(name, node, DefinitionKind::EnumMember, Traits::STATIC);
    }
    walk.children_except(node, &["name"]);
    Value::Unknown
}

fn constants<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = walk.field(node, "type");
    let traits = traits(node, walk.text);
    for element in named_children(node).filter(|part| part.kind() == "const_element") {
        let Some(name) = element.named_child(0) else { continue };
        let definition = walk.define(name, element, DefinitionKind::Constant, traits);
        let value = element.named_child(1).map_or(Value::Unknown, |value| walk.visit(value));
        if let Some(definition) = definition {
            walk.set_value(definition, declared.or(value));
        }
    }
    Value::Unknown
}

/// The name of a variable without its `$`.
fn bare_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "name" => Some(node),
        "variable_name" => child(node, "name"),
        "by_ref" => node.named_child(0).and_then(|inner| child(inner, "name")),
        _ => None,
    }
}

fn properties<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let traits = traits(node, walk.text);
    let declared = walk.field(node, "type");
    walk.children_except(node, &["type"]);
    for element in named_children(node).filter(|part| part.kind() == "property_element") {
        let Some(name) = field(element, "name").and_then(bare_name) else { continue };
        let written = doc::variable_before(walk, node, walk.text_of(name));
        let value = doc::refined(walk, declared, field(node, "type"), written);
        if let Some(definition) = walk.define(name, node, DefinitionKind::Field, traits) {
            walk.set_value(definition, value);
        }
    }
    Value::Unknown
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_method = node.kind() == "method_declaration";
    let kind = match walk.text_of(name) {
        "__construct" if is_method => DefinitionKind::Constructor,
        _ if is_method => DefinitionKind::Method,
        _ => DefinitionKind::Function,
    };
    let traits = traits(node, walk.text);
    let parent = if is_method { walk.this } else { None };
    let Some(definition) = walk.define_in(parent, name, node, kind, traits) else { return Value::Unknown };
    let n_templates = walk.templates.len();
    doc::note_templates(walk, node, definition);
    walk.function(Some(definition), |walk| {
        let is_constructor = kind == DefinitionKind::Constructor;
        parameters(walk, node, is_constructor);
        let native = field(node, "return_type");
        let declared = match walk.field(node, "return_type") {
            // What it gives, the comment or the statements say.
            _ if native.is_some_and(|native| doc::is_iterator(walk.text_of(native))) => Value::Unknown,
            declared => declared,
        };
        let written = doc::type_before(walk, node, "return", None);
        let declared = doc::refined(walk, declared, native, written);
        walk.field(node, "attributes");
        walk.field(node, "body");
        declared
    });
    if returns_receiver(walk, node, definition) {
        walk.set_returns_receiver(definition);
    }
    // `(T is null ? Order : T)` depends on how the function is called.
    let is_conditional = doc::returned(walk, node).is_some_and(|documented| documented.starts_with('('));
    if is_conditional && field(node, "return_type").is_none() {
        walk.override_value(definition, Value::Unknown);
    }
    walk.templates.truncate(n_templates);
    Value::Unknown
}

/// Whether a method returns what it is called on: by its type, its comment, or else its statements.
fn returns_receiver<'t>(walk: &mut Walk<'t>, node: Node<'t>, method: DefinitionIx) -> bool {
    let declared = field(node, "return_type").map(|declared| walk.text_of(declared));
    match declared.filter(|declared| !matches!(*declared, "self" | "?self")) {
        Some(declared) => doc::is_receiver(declared),
        None => match doc::returned(walk, node) {
            Some(documented) => doc::is_receiver(documented),
            None => {
                let this = walk.this_value();
                let returned = walk.definition(method).map(|known| known.value);
                declared.is_none() && this != Value::Unknown && returned == Some(this)
            }
        },
    }
}

/// Declares parameters; those of a constructor with a visibility are fields, too.
fn parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>, is_constructor: bool) {
    let Some(list) = field(node, "parameters") else { return };
    for parameter in named_children(list) {
        walk.field(parameter, "attributes");
        let declared = walk.field(parameter, "type");
        let default = walk.field(parameter, "default_value");
        let Some(name) = field(parameter, "name").and_then(bare_name) else { continue };
        let written = doc::type_before(walk, node, "param", Some(walk.text_of(name)))
            .or_else(|| doc::type_before(walk, parameter, "var", None));
        let declared = doc::refined(walk, declared, field(parameter, "type"), written);
        let value = match parameter.kind() {
            "variadic_parameter" => declared.collection(),
            _ if declared == Value::Unknown && default != Value::Builtin => default,
            _ => declared,
        };
        walk.declare_local(name, value);
        if let (true, true, Some(this)) =
            (is_constructor, parameter.kind() == "property_promotion_parameter", walk.this)
        {
            let traits = Traits(traits(parameter, walk.text).0);
            let field = walk.define_in(Some(this), name, parameter, DefinitionKind::Field, traits);
            if let Some(field) = field {
                walk.set_value(field, value);
            }
        }
    }
}

fn closure<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.function(None, |walk| {
        parameters(walk, node, false);
        walk.children_except(node, &["parameters"]);
        Value::Unknown
    });
    Value::Builtin
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let types = field(node, "type");
    let value = types.map_or(Value::Unknown, |types| {
        let values: Vec<Value> = named_children(types).map(|of| walk.visit(of)).collect();
        if let [only] = values[..] { only } else { Value::Unknown }
    });
    if let Some(name) = field(node, "name") {
        assign(walk, name, node, value);
    }
    walk.field(node, "body");
    Value::Unknown
}

/// `foreach ($all as $key => $one)`.
fn foreach<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let body = field(node, "body");
    let mut parts = named_children(node).filter(|part| Some(*part) != body && part.kind() != "comment");
    let all = parts.next().map_or(Value::Unknown, |all| walk.visit(all));
    let element = walk.element(all);
    if let Some(target) = parts.next() {
        match (target.kind(), target.named_child(0), target.named_child(1)) {
            ("pair", Some(key), Some(one)) => {
                assign(walk, key, node, Value::Unknown);
                assign_element(walk, one, node, element);
            }
            _ => assign_element(walk, target, node, element),
        }
    }
    if let Some(body) = body {
        walk.visit(body);
    }
    Value::Unknown
}

/// Binds the variable of a loop, whose type a comment before the loop may give.
fn assign_element<'t>(walk: &mut Walk<'t>, target: Node<'t>, whole: Node<'t>, element: Value) {
    let name = bare_name(target).map(|name| walk.text_of(name));
    let written = name.and_then(|name| doc::type_before(walk, whole, "var", Some(name)));
    let documented = doc::refined(walk, Value::Unknown, None, written);
    assign(walk, target, whole, documented.or(element));
}

fn static_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "value");
    if let Some(name) = field(node, "name").and_then(bare_name) {
        walk.declare_local(name, value);
    }
    Value::Unknown
}

fn global<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for name in named_children(node).filter_map(bare_name) {
        walk.declare_outside(name);
        if walk.is_bound(name) {
            walk.name(name, Role::Read);
        }
    }
    Value::Unknown
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "right");
    let Some(left) = field(node, "left") else { return value };
    let statement = node.parent().filter(|statement| statement.kind() == "expression_statement");
    let documented = match (statement, bare_name(left)) {
        (Some(statement), Some(name)) => doc::variable_before(walk, statement, walk.text_of(name)),
        _ => None,
    };
    let documented = doc::refined(walk, Value::Unknown, None, documented);
    let value = documented.or(value);
    assign(walk, left, node, value);
    value
}

/// Binds a variable or a property to a value.
fn assign<'t>(walk: &mut Walk<'t>, left: Node<'t>, whole: Node<'t>, value: Value) {
    match left.kind() {
        "variable_name" | "by_ref" => {
            let Some(name) = bare_name(left) else {
                walk.visit_as(left, Role::Write);
                return;
            };
            if walk.text_of(name) == "this" {
                return;
            }
            if walk.is_in_function() {
                walk.declare_in_function(name, value);
            } else if walk.is_bound(name) {
                walk.name(name, Role::Write);
            } else if let Some(definition) =
                walk.define(name, whole, DefinitionKind::Variable, Traits::default())
            {
                walk.set_value(definition, value);
                walk.bind(definition);
            }
        }
        "list_literal" | "array_creation_expression" | "array_element_initializer" => {
            for (at, part) in named_children(left).enumerate() {
                let is_keyed = part.named_child_count() > 1;
                let held = match left.kind() {
                    "array_element_initializer" => value,
                    _ if is_keyed => Value::Unknown,
                    _ => walk.part_or_element(value, at),
                };
                assign(walk, part, part, held);
            }
        }
        "member_access_expression" => {
            walk.visit_as(left, Role::Write);
            let is_this = field(left, "object").is_some_and(|object| walk.text_of(object) == "$this");
            let name = field(left, "name").filter(|name| name.kind() == "name");
            if let (true, Some(name), Some(this)) = (is_this, name, walk.this)
                && let Some(known) = walk.member_defined_as(Some(this), name)
            {
                walk.set_value(known, value);
            }
        }
        _ => {
            walk.visit_as(left, Role::Write);
        }
    }
}

fn augmented<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field_as(node, "left", Role::Write);
    let right = walk.field(node, "right");
    let is_default = field(node, "operator").is_some_and(|operator| walk.text_of(operator) == "??=");
    match field(node, "left").filter(|left| is_default && left.kind() == "variable_name") {
        Some(left) => {
            let value = walk.guarded(value, right);
            assign(walk, left, node, value);
            value
        }
        None => value,
    }
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "argument", Role::Write);
    Value::Builtin
}

fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    let left = walk.field(node, "left");
    let right = field(node, "right");
    match (operator, right) {
        ("instanceof", Some(right)) => {
            let value = walk.visit_as(right, Role::Type).instance();
            let name = field(node, "left").map(subject).and_then(bare_name);
            if let (true, Some(name)) = (walk.is_in_function(), name)
                && walk.text_of(name) != "this"
            {
                let value = walk.guarded(left, value);
                walk.declare_local(name, value);
            }
            if let Some(path) = field(node, "left").filter(|path| path.kind() == "member_access_expression") {
                let value = walk.guarded(left, value);
                walk.narrow(path, value);
            }
            Value::Builtin
        }
        ("??", Some(right)) => {
            let right = walk.visit(right);
            walk.either(left, right)
        }
        (_, right) => {
            if let Some(right) = right {
                walk.visit(right);
            }
            Value::Builtin
        }
    }
}

/// The variable that `($found = find())` assigns, or the expression itself.
fn subject(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while at.kind() == "parenthesized_expression"
        && let Some(inner) = at.named_child(0)
    {
        at = inner;
    }
    match at.kind() {
        "assignment_expression" => field(at, "left").unwrap_or(at),
        _ => at,
    }
}

fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let condition = walk.field(node, "condition");
    let first = match field(node, "body") {
        Some(body) => walk.visit(body),
        None => condition,
    };
    let other = walk.field(node, "alternative");
    walk.either(first, other)
}

fn match_arm<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["return_expression"]);
    walk.field(node, "return_expression")
}

fn subscript<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut parts = named_children(node);
    let of = parts.next().map_or(Value::Unknown, |of| walk.visit(of));
    let element = walk.element(of);
    match parts.next().map(|index| class_argument(walk, index).ok_or(index)) {
        // A container: `$container[Shape::class]`.
        Some(Ok(class)) => walk.guarded(element, class.instance()),
        Some(Err(index)) => {
            walk.visit(index);
            element
        }
        None => element,
    }
}

fn array<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some((of, method)) = callable(walk, node) {
        let of = match of.kind() {
            "string" => class_in_text(walk, of, unquoted(walk.text_of(of))),
            _ => class_argument(walk, of).unwrap_or_else(|| walk.visit(of)),
        };
        if of.is_typed() {
            walk.member(method, of, Role::Call);
        }
        return Value::Builtin;
    }
    let parts: Vec<Value> = named_children(node).map(|part| walk.children(part)).collect();
    let has_keys = named_children(node).any(|part| part.named_child_count() > 1);
    match parts[..] {
        [_, _, ..] if !has_keys && parts.iter().all(|part| part.is_typed()) => walk.tuple(node, &parts),
        [.., Value::Instance(of)] => Value::Collection(of),
        _ => Value::Builtin,
    }
}

/// What stands in `[$store, 'save']`: an object or a class, and the name of a method.
fn callable<'t>(walk: &Walk<'t>, array: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let mut parts = named_children(array).filter(|part| part.kind() == "array_element_initializer");
    let (first, second) = (parts.next()?, parts.next()?);
    let is_pair = parts.next().is_none() && first.named_child_count() == 1 && second.named_child_count() == 1;
    let text = second.named_child(0).filter(|text| is_pair && text.named_child_count() == 1)?;
    let name = child(text, "string_content").filter(|name| is_word(walk.text_of(*name)))?;
    Some((first.named_child(0)?, name))
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    if value != Value::Builtin {
        walk.returns(value);
    }
    Value::Unknown
}

/// `yield $shape` makes the function return several.
fn yielded<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_from = node.child(0).is_some_and(|first| first.kind() == "yield from");
    let value = walk.children(node);
    let all = if is_from { value } else { value.collection() };
    if all != Value::Builtin {
        walk.returns(all);
    }
    Value::Unknown
}

fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name");
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != name) {
        value = walk.visit(part);
    }
    value
}

/// The name of a member, unless it is computed.
fn member_name<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let name = field(node, "name")?;
    if name.kind() == "name" {
        return Some(name);
    }
    walk.visit(name);
    None
}

fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "object");
    let found = member_name(walk, node).map_or(Value::Unknown, |name| walk.member(name, of, role));
    walk.narrowed(node).unwrap_or(found)
}

fn scope_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "relative_scope" => class_name(walk, node),
        _ => walk.visit_as(node, Role::Type),
    }
}

fn static_property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = field(node, "scope").map_or(Value::Unknown, |scope| scope_of(walk, scope));
    match field(node, "name").and_then(bare_name) {
        Some(name) => walk.member(name, of, role),
        None => walk.field(node, "name"),
    }
}

fn class_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut parts = named_children(node);
    let of = parts.next().map_or(Value::Unknown, |scope| scope_of(walk, scope));
    match parts.next() {
        Some(name) if walk.text_of(name) == "class" => Value::Builtin,
        Some(name) if name.kind() == "name" => walk.member(name, of, Role::Read),
        _ => Value::Unknown,
    }
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let function = field(node, "function");
    let called = walk.field_as(node, "function", Role::Call);
    let is_define = function.is_some_and(|function| walk.text_of(function) == "define");
    if let Some(arguments) = field(node, "arguments") {
        let name = arguments.named_child(0).and_then(|first| first.named_child(0));
        let name = name.filter(|name| is_define && name.kind() == "string");
        if let Some(name) = name.and_then(|name| child(name, "string_content")) {
            walk.define_in(None, name, node, DefinitionKind::Constant, Traits::default());
        }
        if function.is_some_and(|function| CALLING.contains(&walk.text_of(function).trim_start_matches('\\')))
        {
            named_children(arguments).for_each(|argument| function_in_text(walk, argument));
        }
        let (class, first) = self::arguments(walk, arguments);
        return match function.map_or("", |function| walk.text_of(function).trim_start_matches('\\')) {
            name if SAME.contains(&name) => first,
            name if ELEMENTS.contains(&name) => walk.element(first),
            name => made_of_class(walk, name, class, called.called()),
        };
    }
    called.called()
}

fn method_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "object");
    let name = member_name(walk, node);
    let called = name.map_or(Value::Unknown, |name| walk.member(name, of, Role::Call));
    let class = field(node, "arguments").map_or(Value::Unknown, |list| arguments(walk, list).0);
    match name.map_or("", |name| walk.text_of(name)) {
        name if OF_DOUBLES.contains(&name) => of,
        name => made_of_class(walk, name, class, called.called()),
    }
}

/// The value of a call whose first argument is a class, if that is `Shape::class`.
fn made_of_class(walk: &mut Walk<'_>, name: &str, class: Value, called: Value) -> Value {
    match class.instance() {
        Value::Unknown => called,
        instance if DOUBLES.contains(&name) => instance,
        instance if CONTAINERS.contains(&name) => walk.guarded(called, instance),
        _ => called,
    }
}

/// Methods and functions of containers and entity managers that return an instance of the class that is their argument.
const CONTAINERS: &[&str] =
    &["app", "find", "get", "getByType", "getReference", "instantiate", "make", "makeWith", "resolve"];

/// Functions of the language that call a function by its name.
const CALLING: &[&str] = &[
    "array_filter",
    "array_map",
    "array_reduce",
    "array_walk",
    "call_user_func",
    "call_user_func_array",
    "is_callable",
    "uasort",
    "uksort",
    "usort",
];

/// A function by its full name in a string.
fn function_in_text<'t>(walk: &mut Walk<'t>, argument: Node<'t>) {
    let text = argument.named_child(0).filter(|text| matches!(text.kind(), "string" | "encapsed_string"));
    let Some(content) = text.and_then(|text| child(text, "string_content")) else { return };
    let written = walk.text_of(content);
    let path = written.trim_start_matches('\\');
    if path.split('\\').all(is_word) {
        let (module, name) = path.rsplit_once('\\').unwrap_or(("", path));
        let id = walk.id(name);
        let import = walk.import(content, None, module, Imported::Name(id), false);
        let range = written.len() - name.len()..written.len();
        walk.name_in(content, range, Role::Call, Some(Site::Import(import)));
    }
}

/// Functions of the language that return their first argument, or an array of some of its elements.
const SAME: &[&str] = &[
    "array_diff_key",
    "array_filter",
    "array_intersect_key",
    "array_merge",
    "array_replace",
    "array_reverse",
    "array_slice",
    "array_splice",
    "array_unique",
    "array_values",
    "iterator_to_array",
];

/// Functions of the language that return an element of their first argument.
const ELEMENTS: &[&str] = &["array_pop", "array_shift", "current", "end", "next", "prev", "reset"];

/// Methods of test frameworks that make a stand-in for the class that is their argument.
const DOUBLES: &[&str] = &[
    "prophesize",
    "createMock",
    "createStub",
    "createPartialMock",
    "createConfiguredMock",
    "getMockBuilder",
    "getMockForAbstractClass",
    "mock",
    "spy",
];
/// Methods of stand-ins that return them.
const OF_DOUBLES: &[&str] = &[
    "reveal",
    "getMock",
    "disableOriginalConstructor",
    "setConstructorArgs",
    "onlyMethods",
    "setMethods",
    "getMockForAbstractClass",
];

/// Reads arguments; of the first, the class if it is `Shape::class`, and its value otherwise.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> (Value, Value) {
    let mut first = None;
    for argument in named_children(list) {
        let class = argument.named_child(0).and_then(|inner| class_argument(walk, inner));
        let found = match class {
            Some(class) => (class, Value::Unknown),
            None => (Value::Unknown, walk.visit(argument)),
        };
        first.get_or_insert(found);
    }
    first.unwrap_or_default()
}

/// The class of `Shape::class`.
fn class_argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Value> {
    let is_class =
        node.kind() == "class_constant_access_expression" && walk.text_of(node).ends_with("::class");
    let class = node.named_child(0).filter(|_| is_class)?;
    Some(scope_of(walk, class))
}

fn static_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = field(node, "scope").map_or(Value::Unknown, |scope| scope_of(walk, scope));
    let name = member_name(walk, node);
    let called = name.map_or(Value::Unknown, |name| walk.member(name, of, Role::Call));
    let class = field(node, "arguments").map_or(Value::Unknown, |list| arguments(walk, list).0);
    made_of_class(walk, name.map_or("", |name| walk.text_of(name)), class, called.called())
}

fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        match part.kind() {
            "name" | "qualified_name" | "relative_name" => value = walk.visit_as(part, Role::Call).instance(),
            "anonymous_class" => value = anonymous(walk, part),
            _ => {
                walk.visit(part);
            }
        }
    }
    value
}

fn anonymous<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = child(node, "class").unwrap_or(node);
    let text = if name == node { "class" } else { walk.text_of(name) };
    let definition = walk.define_as(text, name, node, DefinitionKind::Class, Traits::LOCAL);
    let Some(definition) = definition else { return Value::Unknown };
    body_of_type(walk, node, definition);
    Value::Instance(Source::Definition(definition))
}
