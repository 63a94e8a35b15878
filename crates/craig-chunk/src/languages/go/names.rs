//! Names in Go.

use tree_sitter::Node;

use crate::grammar::{all_children, child, field, named_children, unquoted};
use crate::names::walk::NameRule::{Block, Literal, Name, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Imported, Role, Site, Traits, Value};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Skip),
        ("interpreted_string_literal", Literal),
        ("raw_string_literal", Literal),
        ("rune_literal", Literal),
        ("int_literal", Literal),
        ("float_literal", Literal),
        ("imaginary_literal", Literal),
        ("true", Literal),
        ("false", Literal),
        ("package_clause", Read(package)),
        ("import_spec", Read(import)),
        ("identifier", Name),
        ("type_identifier", Read(type_node)),
        ("qualified_type", Read(type_node)),
        ("pointer_type", Read(type_node)),
        ("slice_type", Read(type_node)),
        ("array_type", Read(type_node)),
        ("map_type", Read(type_node)),
        ("channel_type", Read(type_node)),
        ("generic_type", Read(type_node)),
        ("parenthesized_type", Read(type_node)),
        ("parenthesized_expression", Transparent),
        ("unary_expression", Read(unary)),
        ("selector_expression", Read(selector)),
        ("call_expression", Read(call)),
        ("type_conversion_expression", Read(conversion)),
        ("type_assertion_expression", Read(conversion)),
        ("composite_literal", Read(composite)),
        ("index_expression", Read(index)),
        ("slice_expression", Read(slice)),
        ("function_declaration", Read(function)),
        ("method_declaration", Read(function)),
        ("func_literal", Read(function_literal)),
        ("function_type", Read(function_type)),
        ("type_spec", Read(type_spec)),
        ("type_alias", Read(type_spec)),
        ("const_spec", Read(variables)),
        ("var_spec", Read(variables)),
        ("short_var_declaration", Read(short_variables)),
        ("assignment_statement", Read(assignment)),
        ("inc_statement", Read(increment)),
        ("dec_statement", Read(increment)),
        ("range_clause", Read(range)),
        ("return_statement", Read(returned)),
        ("type_switch_statement", Read(type_switch)),
        ("block", Block),
        ("if_statement", Block),
        ("for_statement", Block),
        ("expression_switch_statement", Block),
        ("select_statement", Block),
        ("expression_case", Block),
        ("default_case", Block),
        ("communication_case", Block),
        ("receive_statement", Read(short_variables)),
        ("label_name", Skip),
    ],
    hoists: false,
};

fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = child(node, "package_identifier") {
        let id = walk.id(walk.text_of(name));
        walk.found.packages.push(id);
    }
    Value::Unknown
}

fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(path) = field(node, "path").map(|path| unquoted(walk.text_of(path))) else {
        return Value::Unknown;
    };
    let name = field(node, "name");
    match name.map(|name| name.kind()) {
        Some("dot") => {
            walk.import(node, None, path, Imported::All, false);
        }
        Some("blank_identifier") => {}
        _ => {
            let local = name.map_or_else(|| package_name(path), |name| walk.text_of(name));
            walk.import(node, Some(local), path, Imported::Module, false);
        }
    }
    Value::Unknown
}

/// The name of a package by its path: `yaml` of `gopkg.in/yaml.v3`, `mux` of `github.com/gorilla/mux/v2`.
fn package_name(path: &str) -> &str {
    let is_version = |part: &&str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/').skip_while(is_version);
    let last = parts.next().unwrap_or(path);
    let last = last.split(".v").next().unwrap_or(last);
    last.strip_prefix("go-").unwrap_or(last)
}

/// A type: its value is an instance of it.
fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    };
    match node.kind() {
        "type_identifier" => walk.name(node, role).instance(),
        "qualified_type" => {
            let package = field(node, "package").map_or(Value::Unknown, |name| walk.name(name, Role::Read));
            let name = field(node, "name");
            name.map_or(Value::Unknown, |name| walk.member(name, package, role).instance())
        }
        "pointer_type" | "parenthesized_type" => {
            node.named_child(0).map_or(Value::Unknown, |inner| walk.visit_as(inner, role))
        }
        "slice_type" | "array_type" => {
            walk.children_except(node, &["element"]);
            several(walk, node, "element")
        }
        "map_type" => {
            walk.field(node, "key");
            several(walk, node, "value")
        }
        "channel_type" => several(walk, node, "value"),
        "generic_type" => {
            let value = walk.field_as(node, "type", role);
            let arguments =
                field(node, "type_arguments").map_or(Vec::new(), |list| type_arguments(walk, list));
            walk.applied(value, arguments)
        }
        _ => walk.children(node),
    }
}

/// A collection of the type in a field of a node.
fn several<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &'static str) -> Value {
    let of = walk.field(node, name);
    walk.several(of).or(Value::Builtin)
}

fn type_arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Vec<Value> {
    named_children(list).map(|argument| walk.visit(type_of_element(argument))).collect()
}

/// The type that an element of a list of types consists of.
fn type_of_element(node: Node<'_>) -> Node<'_> {
    node.named_child(0).filter(|_| node.kind() == "type_elem").unwrap_or(node)
}

/// `<-orders`: what comes out of a channel; otherwise the operand.
fn unary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    if operator == "<-" { walk.element(value) } else { value }
}

fn selector<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = walk.field(node, "operand");
    field(node, "field").map_or(Value::Unknown, |name| walk.member(name, value, role))
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let function = field(node, "function");
    let name = function.map_or("", |function| walk.text_of(function));
    walk.named = Value::Unknown;
    let called = function.map_or(Value::Unknown, |function| callee(walk, function)).called();
    let named = field(node, "type_arguments").and_then(|list| type_arguments(walk, list).first().copied());
    let named = named.unwrap_or(std::mem::take(&mut walk.named));
    let called = walk.inferred(called, named);
    let Some(arguments) = field(node, "arguments") else { return called };
    let values: Vec<Value> = named_children(arguments).map(|argument| walk.visit(argument)).collect();
    match name {
        "make" | "append" => values.first().copied().unwrap_or_default(),
        "new" => values.first().copied().unwrap_or_default().instance(),
        // `Kind(x)` converts: the call of a type is an instance of it, as elsewhere.
        _ => called,
    }
}

/// `New[int](x)` and `table[at](x)` look like conversions to a generic type: the call of a type is an instance of it, as
/// elsewhere.
fn conversion<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let generic = field(node, "type").filter(|of| of.kind() == "generic_type");
    if let Some(generic) = generic.filter(|_| node.kind() == "type_conversion_expression") {
        let called = field(generic, "type").map_or(Value::Unknown, |of| callee(walk, of)).called();
        let named = field(generic, "type_arguments").map_or(Vec::new(), |list| type_arguments(walk, list));
        walk.field(node, "operand");
        return walk.inferred(called, named.first().copied().unwrap_or_default());
    }
    walk.field(node, "operand");
    let value = walk.field(node, "type");
    walk.children_except(node, &["operand", "type"]);
    value
}

/// What is called with type arguments, which may look like a type, or like the element of a collection.
fn callee<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "type_identifier" => walk.name(node, Role::Call),
        "qualified_type" => {
            let package = field(node, "package").map_or(Value::Unknown, |name| walk.name(name, Role::Read));
            field(node, "name").map_or(Value::Unknown, |name| walk.member(name, package, Role::Call))
        }
        "index_expression" if field(node, "operand").is_some_and(|of| !walk.is_bound(of)) => {
            let called = walk.field_as(node, "operand", Role::Call);
            let named = field(node, "index").map_or(Value::Unknown, |index| walk.visit(index));
            walk.named = named.instance();
            called
        }
        _ => walk.visit_as(node, Role::Call),
    }
}

fn composite<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "type");
    if let Some(body) = field(node, "body") {
        literal_value(walk, body, of);
    }
    of
}

/// The elements of a literal; keys of a struct's are its fields.
fn literal_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value) {
    for element in named_children(node) {
        if element.kind() != "keyed_element" {
            element_value(walk, element, of.element());
            continue;
        }
        let key = element.named_child(0);
        let name = key.and_then(|key| key.named_child(0)).filter(|name| name.kind() == "identifier");
        match (name, walk.first_of(of)) {
            (Some(name), Value::Instance(_)) => {
                walk.at_site(name, Role::Write, Site::Key(of));
            }
            _ => {
                if let Some(key) = key {
                    walk.visit(key);
                }
            }
        }
        if let Some(value) = element.named_child(1) {
            element_value(walk, value, of.element());
        }
    }
}

fn element_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value) {
    let inner = if node.kind() == "literal_element" { node.named_child(0) } else { Some(node) };
    match inner {
        Some(inner) if inner.kind() == "literal_value" => literal_value(walk, inner, of),
        Some(inner) => {
            walk.visit(inner);
        }
        None => {}
    }
}

fn index<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "operand");
    walk.children_except(node, &["operand"]);
    value.element()
}

fn slice<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "operand");
    walk.children_except(node, &["operand"]);
    value
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let receiver = field(node, "receiver");
    let kind = if receiver.is_some() { DefinitionKind::Method } else { DefinitionKind::Function };
    let Some(definition) = walk.define(name, node, kind, exported(walk.text_of(name))) else {
        return Value::Unknown;
    };
    let owner = receiver.and_then(|list| list.named_child(0)).and_then(|parameter| field(parameter, "type"));
    if let Some(owner) = owner.and_then(type_name) {
        // An implementation has another type in place of a type parameter.
        let is_generic = owner.parent().is_some_and(|of| of.kind() == "generic_type");
        walk.set_arity(definition, (!is_generic).then(|| number_of_signature(walk, node)));
        let owner = walk.id(walk.text_of(owner));
        if let Some(known) = walk.definition(definition) {
            known.owner = Some(owner);
        }
    }
    walk.function(Some(definition), |walk| {
        if let Some(receiver) = receiver {
            receiver_parameters(walk, receiver);
            parameters(walk, receiver);
        }
        signature(walk, node)
    });
    Value::Unknown
}

/// So many bytes of a signature are compared. Types in types that several parameters share would be written without end.
const MAX_SIGNATURE_BYTES: usize = 1 << 10;

/// What tells signatures apart: a number of the types as written, without packages and names of parameters.
fn number_of_signature(walk: &Walk<'_>, node: Node<'_>) -> u8 {
    let mut written = String::new();
    write_signature(walk, node, &mut written);
    let hash = written.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    hash.to_le_bytes().into_iter().fold(0, |all, byte| all ^ byte)
}

fn write_signature(walk: &Walk<'_>, node: Node<'_>, written: &mut String) {
    for (list, is_result) in [(field(node, "parameters"), false), (field(node, "result"), true)] {
        if let Some(list) = list {
            write_type(walk, list, written);
            // A result by itself, as in a list.
            written.push_str(if is_result && list.kind() != "parameter_list" { "," } else { "" });
        }
        written.push(')');
    }
}

fn write_type(walk: &Walk<'_>, node: Node<'_>, written: &mut String) {
    if written.len() > MAX_SIGNATURE_BYTES {
        return;
    }
    match node.kind() {
        "comment" => {}
        "qualified_type" => {
            if let Some(name) = field(node, "name") {
                write_type(walk, name, written);
            }
        }
        "interface_type" if node.named_child_count() == 0 => written.push_str("any "),
        "function_type" => {
            written.push_str("func");
            write_signature(walk, node, written);
        }
        "parameter_list" => named_children(node).for_each(|part| write_type(walk, part, written)),
        "parameter_declaration" | "variadic_parameter_declaration" => {
            let Some(of) = field(node, "type") else { return };
            let mut cursor = node.walk();
            let n_names = node.children_by_field_name("name", &mut cursor).filter(Node::is_named).count();
            for _ in 0..n_names.max(1) {
                written.push_str(if node.kind() == "parameter_declaration" { "" } else { "..." });
                write_type(walk, of, written);
                written.push(',');
            }
        }
        _ if node.child_count() == 0 => {
            written.push_str(walk.text_of(node));
            written.push(' ');
        }
        _ => all_children(node).for_each(|part| write_type(walk, part, written)),
    }
}

fn exported(name: &str) -> Traits {
    if name.starts_with(char::is_uppercase) { Traits::EXPORTED } else { Traits::default() }
}

/// The type identifier of a receiver.
fn type_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "type_identifier" => Some(node),
        "generic_type" => field(node, "type"),
        _ => node.named_child(0).and_then(type_name),
    }
}

/// `T` of `func (b *Box[T]) Open() T` is the parameter of the type.
fn receiver_parameters<'t>(walk: &mut Walk<'t>, receiver: Node<'t>) {
    let of = receiver.named_child(0).and_then(|parameter| field(parameter, "type")).and_then(type_name);
    let Some(name) = of else { return };
    let Some(list) = name.parent().and_then(|generic| field(generic, "type_arguments")) else { return };
    let id = walk.id(walk.text_of(name));
    let owner = walk.type_named(id);
    for (at, argument) in named_children(list).enumerate() {
        let value = owner.map_or(Value::Builtin, |owner| walk.type_parameter(owner, at, Value::Unknown));
        walk.declare_local(type_of_element(argument), value);
    }
}

/// Whether a constraint says nothing of the methods of a type.
fn is_free(constraint: &str) -> bool {
    let is_of_language = ["any", "comparable", "interface{}"].contains(&constraint);
    is_of_language
        || constraint.contains(['|', '~'])
        || constraint.starts_with("constraints.")
        || constraint.starts_with("cmp.")
}

/// Declares type parameters; one with a constraint is only that.
fn type_parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>) {
    let mut at = 0;
    for parameter in named_children(list) {
        let bound = walk.field(parameter, "type");
        let is_free = field(parameter, "type").is_none_or(|of| is_free(walk.text_of(of)));
        let mut cursor = parameter.walk();
        for name in parameter.children_by_field_name("name", &mut cursor).filter(Node::is_named) {
            if is_free {
                walk.declare_type_parameter(name, at, Value::Unknown);
            } else {
                walk.declare_local(name, bound);
            }
            at += 1;
        }
    }
}

/// Parameters, result and body of a function; the value of its result.
fn signature<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(list) = field(node, "type_parameters") {
        type_parameters(walk, list);
    }
    if let Some(list) = field(node, "parameters") {
        parameters(walk, list);
    }
    let result = match field(node, "result") {
        Some(list) if list.kind() == "parameter_list" => results(walk, list),
        Some(result) => walk.visit(result),
        None => Value::Unknown,
    };
    walk.field(node, "body");
    result
}

/// Declares results; their value: that of the first if the others only say how it went.
fn results<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Value {
    let values = parameters(walk, list);
    let mut others = named_children(list).skip(1).filter_map(|result| field(result, "type"));
    let is_status = |of: Node<'t>| matches!(walk.text_of(of), "error" | "bool");
    match values[..] {
        [first] => first,
        [first, _] if others.all(is_status) => first,
        _ => walk.tuple(list, &values),
    }
}

/// Declares parameters; their values.
fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>) -> Vec<Value> {
    let mut values = Vec::new();
    for parameter in named_children(list) {
        let declared = walk.field(parameter, "type");
        let value = match parameter.kind() {
            "variadic_parameter_declaration" => walk.several(declared),
            _ => declared,
        };
        let mut cursor = parameter.walk();
        let names = parameter.children_by_field_name("name", &mut cursor).filter(|name| name.is_named());
        let n_before = values.len();
        for name in names {
            walk.declare_local(name, value);
            values.push(value);
        }
        if values.len() == n_before {
            values.push(value);
        }
    }
    values
}

fn function_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.function(None, |walk| signature(walk, node));
    Value::Unknown
}

fn function_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Function, |walk| signature(walk, node));
    Value::Unknown
}

fn type_spec<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (Some(name), Some(inner)) = (field(node, "name"), field(node, "type")) else { return Value::Unknown };
    let kind = match inner.kind() {
        "struct_type" => DefinitionKind::Class,
        "interface_type" => DefinitionKind::Interface,
        _ => DefinitionKind::Type,
    };
    let is_alias = node.kind() == "type_alias";
    let Some(definition) = walk.define(name, node, kind, exported(walk.text_of(name))) else {
        return Value::Unknown;
    };
    walk.bind_local(definition);
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            if let Some(list) = field(node, "type_parameters") {
                type_parameters(walk, list);
            }
            match inner.kind() {
                "struct_type" => fields(walk, inner, definition),
                "interface_type" => interface(walk, inner, definition),
                _ => {
                    let value = walk.visit(inner);
                    // A type made of another has none of its methods, but its fields and elements.
                    if is_alias || matches!(value, Value::Collection(_)) {
                        walk.set_value(definition, value);
                    }
                }
            }
        });
    });
    Value::Unknown
}

fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    let Some(list) = child(node, "field_declaration_list") else { return };
    for declaration in named_children(list).filter(|part| part.kind() == "field_declaration") {
        let mut names = declaration.walk();
        let names: Vec<Node<'t>> = declaration
            .children_by_field_name("name", &mut names)
            .filter(|name| name.kind() == "field_identifier")
            .collect();
        if names.is_empty() {
            embedded(walk, declaration, owner);
            continue;
        }
        let fields: Vec<Option<DefinitionIx>> = names
            .into_iter()
            .map(|name| {
                let traits = exported(walk.text_of(name));
                walk.define_in(Some(owner), name, declaration, DefinitionKind::Field, traits)
            })
            .collect();
        let nested = field(declaration, "type").filter(|inner| inner.kind() == "struct_type");
        if let (Some(nested), Some(Some(definition))) = (nested, fields.first()) {
            self::fields(walk, nested, *definition);
            continue;
        }
        let value = walk.field(declaration, "type");
        for definition in fields.into_iter().flatten() {
            walk.set_value(definition, value);
        }
    }
}

/// An embedded type lends its members, and is a field by its name.
fn embedded<'t>(walk: &mut Walk<'t>, declaration: Node<'t>, owner: DefinitionIx) {
    let value = walk.field_as(declaration, "type", Role::Inherit);
    add_super(walk, owner, value);
    let name = field(declaration, "type").and_then(|of| embedded_name(of, 0));
    if let Some(name) = name
        && let Some(definition) = walk.define_in(
            Some(owner),
            name,
            declaration,
            DefinitionKind::Field,
            exported(walk.text_of(name)),
        )
    {
        walk.set_value(definition, value);
    }
}

/// The last name of an embedded type.
fn embedded_name(node: Node<'_>, depth: usize) -> Option<Node<'_>> {
    match node.kind() {
        "type_identifier" => Some(node),
        _ if depth > 8 => None,
        "qualified_type" => field(node, "name"),
        "generic_type" => field(node, "type").and_then(|of| embedded_name(of, depth + 1)),
        _ => node.named_child(0).and_then(|of| embedded_name(of, depth + 1)),
    }
}

fn add_super(walk: &mut Walk<'_>, owner: DefinitionIx, value: Value) {
    let Some(known) = walk.definition(owner) else { return };
    match value {
        Value::Instance(source) => known.supers.push(Value::Itself(source)),
        // It is applied to something.
        Value::Choice(_) => known.supers.push(value),
        _ => {}
    }
}

fn interface<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    let is_generic = node.parent().is_some_and(|spec| field(spec, "type_parameters").is_some());
    for part in named_children(node) {
        match part.kind() {
            "method_elem" => {
                let Some(name) = field(part, "name") else { continue };
                let traits = exported(walk.text_of(name));
                let definition = walk.define_in(Some(owner), name, part, DefinitionKind::Method, traits);
                if let Some(definition) = definition {
                    walk.set_arity(definition, (!is_generic).then(|| number_of_signature(walk, part)));
                }
                walk.function(definition, |walk| signature(walk, part));
            }
            "type_elem" | "constraint_elem" | "interface_type_name" => {
                let inner = part.named_child(0);
                let value = inner.map_or(Value::Unknown, |inner| walk.visit_as(inner, Role::Inherit));
                if part.named_child_count() == 1 {
                    add_super(walk, owner, value);
                } else {
                    for other in named_children(part).skip(1) {
                        walk.visit(other);
                    }
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = walk.field(node, "type");
    let list = field(node, "value");
    let kind = if node.kind() == "const_spec" { DefinitionKind::Constant } else { DefinitionKind::Variable };
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> =
        node.children_by_field_name("name", &mut cursor).filter(|name| name.is_named()).collect();
    let values = list.map(|list| values(walk, list, names.len())).unwrap_or_default();
    for (at, name) in names.into_iter().enumerate() {
        let value = declared.or(values.get(at).copied().unwrap_or_default());
        if walk.is_in_function() {
            walk.declare_local(name, value);
        } else if walk.text_of(name) != "_"
            && let Some(definition) = walk.define(name, node, kind, exported(walk.text_of(name)))
        {
            walk.set_value(definition, value);
        }
    }
    Value::Unknown
}

/// The values of so many variables: of one value for several, its parts.
fn values<'t>(walk: &mut Walk<'t>, list: Node<'t>, n_variables: usize) -> Vec<Value> {
    let values: Vec<Value> = match list.kind() {
        "expression_list" => named_children(list).map(|value| walk.visit(value)).collect(),
        _ => vec![walk.visit(list)],
    };
    match values[..] {
        [whole] if n_variables > 1 => {
            let parts = (0..n_variables).map(|at| match walk.part(whole, at) {
                first if at == 0 => walk.guarded(first, whole),
                other => other,
            });
            parts.collect()
        }
        _ => values,
    }
}

fn short_variables<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(left) = field(node, "left") else { return Value::Unknown };
    let n_variables = named_children(left).count();
    let values = field(node, "right").map(|list| values(walk, list, n_variables)).unwrap_or_default();
    for (at, name) in named_children(left).enumerate() {
        if name.kind() == "identifier" {
            walk.declare_local(name, values.get(at).copied().unwrap_or_default());
        } else {
            walk.visit_as(name, Role::Write);
        }
    }
    Value::Unknown
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(left) = field(node, "left") {
        for part in named_children(left) {
            walk.visit_as(part, Role::Write);
        }
    }
    walk.field(node, "right");
    Value::Unknown
}

fn increment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(operand) = node.named_child(0) {
        walk.visit_as(operand, Role::Write);
    }
    Value::Unknown
}

/// The first name of a range is the key, the second the element; a channel has elements alone.
fn range<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "right");
    let Some(left) = field(node, "left") else { return Value::Unknown };
    for (at, name) in named_children(left).enumerate() {
        let value = if at == 1 { of.element() } else { Value::Unknown };
        if name.kind() == "identifier" {
            walk.declare_local(name, value);
        } else {
            walk.visit_as(name, Role::Write);
        }
    }
    Value::Unknown
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children(node);
    Value::Unknown
}

/// In a case of one type the variable has that type.
fn type_switch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        walk.field(node, "initializer");
        walk.field(node, "value");
        let alias = field(node, "alias").and_then(|list| list.named_child(0));
        let cases: Vec<Node<'t>> =
            named_children(node).filter(|part| matches!(part.kind(), "type_case" | "default_case")).collect();
        for case in cases {
            walk.scope(ScopeKind::Block, |walk| {
                let mut cursor = case.walk();
                let types: Vec<Value> =
                    case.children_by_field_name("type", &mut cursor).map(|of| walk.visit(of)).collect();
                if let Some(alias) = alias {
                    let value = if let [only] = types[..] { only } else { Value::Unknown };
                    walk.declare_local(alias, value);
                }
                walk.children_except(case, &["type"]);
            });
        }
    });
    Value::Unknown
}

/// A local type is a definition of its scope.
impl Walk<'_> {
    fn bind_local(&mut self, definition: DefinitionIx) {
        if self.is_in_function() {
            self.bind(definition);
        }
    }
}
