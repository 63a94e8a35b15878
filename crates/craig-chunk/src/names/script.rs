//! Names in JavaScript and TypeScript.

use tree_sitter::Node;

use super::walk::NameRule::{Block, Inside, Literal, Read, Skip, Transparent, TypeName};
use super::walk::{NameTable, ScopeKind, Walk};
use super::{Choice, DefinitionIx, DefinitionKind, Imported, Parameter, Role, Site, Source, Traits, Value};
use crate::grammar::{child, field, unquoted};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Skip),
        ("string", Literal),
        ("number", Literal),
        ("regex", Literal),
        ("true", Literal),
        ("false", Literal),
        ("null", Literal),
        ("undefined", Literal),
        ("predefined_type", Literal),
        ("template_string", Read(template)),
        ("identifier", Read(identifier)),
        ("shorthand_property_identifier", Read(identifier)),
        ("type_identifier", TypeName),
        ("this", Read(this)),
        ("this_type", Read(this)),
        ("lookup_type", Read(indexed_type)),
        ("member_expression", Read(member)),
        ("nested_identifier", Read(member)),
        ("nested_type_identifier", Read(nested_type)),
        ("subscript_expression", Read(subscript)),
        ("call_expression", Read(call)),
        ("new_expression", Read(new)),
        ("parenthesized_expression", Transparent),
        ("await_expression", Transparent),
        ("non_null_expression", Transparent),
        ("as_expression", Read(cast)),
        ("satisfies_expression", Read(cast)),
        ("type_assertion", Read(assertion)),
        ("binary_expression", Read(binary)),
        ("unary_expression", Read(unary)),
        ("if_statement", Read(if_statement)),
        ("switch_statement", Read(switch)),
        ("ternary_expression", Read(ternary)),
        ("sequence_expression", Transparent),
        ("object", Read(object)),
        ("array", Read(array)),
        ("function_declaration", Read(function)),
        ("generator_function_declaration", Read(function)),
        ("function_signature", Read(function)),
        ("function_expression", Read(function_expression)),
        ("generator_function", Read(function_expression)),
        ("arrow_function", Read(function_expression)),
        ("function_type", Read(function_type)),
        ("constructor_type", Read(function_type)),
        ("call_signature", Read(function_type)),
        ("construct_signature", Read(function_type)),
        ("class_declaration", Read(class)),
        ("abstract_class_declaration", Read(class)),
        ("class", Read(class)),
        ("interface_declaration", Read(interface)),
        ("type_alias_declaration", Read(type_alias)),
        ("enum_declaration", Read(enumeration)),
        ("internal_module", Read(module)),
        ("module", Read(module)),
        ("object_type", Read(object_type)),
        ("generic_type", Read(type_node)),
        ("array_type", Read(type_node)),
        ("union_type", Read(type_node)),
        ("intersection_type", Read(type_node)),
        ("readonly_type", Transparent),
        ("optional_type", Transparent),
        ("rest_type", Transparent),
        ("constraint", Transparent),
        ("default_type", Transparent),
        ("parenthesized_type", Transparent),
        ("type_annotation", Transparent),
        ("conditional_type", Read(conditional_type)),
        ("type_query", Read(type_query)),
        ("type_predicate", Read(type_predicate)),
        ("type_predicate_annotation", Transparent),
        ("asserts_annotation", Transparent),
        ("asserts", Transparent),
        ("mapped_type_clause", Read(mapped)),
        ("infer_type", Read(infer)),
        ("index_signature", Read(index_signature)),
        ("variable_declarator", Read(variable)),
        ("assignment_expression", Read(assignment)),
        ("augmented_assignment_expression", Read(augmented)),
        ("update_expression", Read(update)),
        ("for_in_statement", Read(for_in)),
        ("for_statement", Block),
        ("statement_block", Block),
        ("switch_body", Block),
        ("catch_clause", Read(catch)),
        ("return_statement", Read(returned)),
        ("import_statement", Read(import)),
        ("export_statement", Read(export)),
        ("jsx_opening_element", Read(jsx_element)),
        ("jsx_self_closing_element", Read(jsx_element)),
        ("jsx_closing_element", Read(jsx_end)),
        ("jsx_text", Skip),
        ("property_identifier", Skip),
        ("statement_identifier", Skip),
        ("private_property_identifier", Skip),
        ("expression_statement", Inside),
    ],
    hoists: true,
};

fn template<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        walk.children(part);
    }
    Value::Builtin
}

fn this<'t>(walk: &mut Walk<'t>, _: Node<'t>) -> Value {
    // Of an object whose type is known from where it stands.
    match walk.local_value("this") {
        Value::Unknown => walk.this_value(),
        known => known,
    }
}

fn identifier<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = walk.name(node, role);
    walk.narrowed(node).unwrap_or(value)
}

fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind(), "property_identifier" | "private_property_identifier" | "identifier")
}

fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    walk.expected = Value::Unknown;
    let value = match field(node, "object") {
        Some(object) if object.kind() == "super" => walk.this.map_or(Value::Unknown, Value::Super),
        Some(object) => walk.visit(object),
        None => Value::Unknown,
    };
    match field(node, "property").filter(|name| is_name(*name)) {
        Some(name) => {
            let value = walk.member(name, value, role);
            walk.narrowed(node).unwrap_or(value)
        }
        None => Value::Unknown,
    }
}

/// `module.Type`.
fn nested_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = type_role(walk);
    let module = walk.field(node, "module");
    field(node, "name").map_or(Value::Unknown, |name| walk.member(name, module, role))
}

fn type_role(walk: &mut Walk<'_>) -> Role {
    match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    }
}

fn subscript<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "object");
    walk.field(node, "index");
    walk.first_of(value).element()
}

/// Methods of collections whose callback gets an element first.
const CALLBACKS: &[&str] =
    &["forEach", "map", "filter", "find", "some", "every", "flatMap", "findIndex", "findLast"];

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(loaded) = required(walk, node) {
        return loaded;
    }
    walk.expected = Value::Unknown;
    let Some(function) = field(node, "function") else { return Value::Unknown };
    if function.kind() == "super" {
        if let (Some(this), Some(list)) = (walk.this, field(node, "arguments")) {
            let called = walk.name_as("constructor", function, Role::Call, Site::Member(Value::Super(this)));
            arguments(walk, list, called, Value::Unknown);
            return Value::Instance(Source::Definition(this));
        }
        walk.children_except(node, &["function"]);
        return Value::Unknown;
    }
    let object = match function.kind() {
        "member_expression" => field(function, "object"),
        _ => None,
    };
    let method = field(function, "property").map_or("", |name| walk.text_of(name));
    let (called, element) = match object {
        Some(object) if CALLBACKS.contains(&method) && object.kind() != "super" => {
            let value = walk.visit(object);
            let called = field(function, "property")
                .map_or(Value::Unknown, |name| walk.member(name, value, Role::Call));
            (called, walk.first_of(value).element())
        }
        _ => (walk.visit_as(function, Role::Call), Value::Unknown),
    };
    walk.field(node, "type_arguments");
    if let Some(list) = field(node, "arguments") {
        arguments(walk, list, called, element);
    }
    match (method, object, element) {
        // They keep the elements.
        ("filter", _, Value::Instance(of)) => Value::Collection(of),
        ("find" | "findLast", _, found) if found != Value::Unknown => found,
        _ => called.called(),
    }
}

/// The arguments of a call, of what is `called`; a callback gets `element` first.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>, called: Value, element: Value) -> Option<Value> {
    if list.kind() == "template_string" {
        walk.visit(list);
        return None;
    }
    let mut first = None;
    let mut cursor = list.walk();
    for (at, argument) in list.named_children(&mut cursor).filter(|node| node.kind() != "comment").enumerate()
    {
        walk.callback = element;
        walk.expected = called.parameter(at);
        let value = walk.visit(argument);
        (walk.callback, walk.expected) = (Value::Unknown, Value::Unknown);
        first = first.or(Some(value));
    }
    first
}

/// `require("x")` and `import("x")`.
fn required<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Value> {
    let function = field(node, "function")?;
    let is_loading = matches!(walk.text_of(function), "require" | "import");
    let argument = field(node, "arguments")?.named_child(0)?;
    if !is_loading || argument.kind() != "string" {
        return None;
    }
    let module = unquoted(walk.text_of(argument));
    let what = if walk.text_of(function) == "import" { Imported::Module } else { Imported::Default };
    let at = walk.import(node, None, module, what, false);
    Some(walk.at_site(function, Role::Import, Site::Import(at)))
}

fn new<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.expected = Value::Unknown;
    let made = walk.field_as(node, "constructor", Role::Call);
    walk.children_except(node, &["constructor", "arguments"]);
    if let Some(list) = field(node, "arguments") {
        arguments(walk, list, made, Value::Unknown);
    }
    match made {
        // No value of the enclosing type that a subtype may take the place of, as `this` is.
        Value::Itself(Source::Definition(of)) if walk.this == Some(of) && walk.is_type(of) => {
            Value::Called(Source::Definition(of))
        }
        _ => made.instance(),
    }
}

fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let (Some(value), Some(of)) = (node.named_child(0), node.named_child(1))
        && value.kind() == "object"
    {
        let of = walk.visit(of).instance();
        walk.expected = of;
        let value = walk.visit(value);
        walk.expected = Value::Unknown;
        return of.or(value);
    }
    let mut cursor = node.walk();
    let values: Vec<Value> = node.named_children(&mut cursor).map(|part| walk.visit(part)).collect();
    match values[..] {
        // `as const` leaves what it was.
        [value, of] if node.kind() == "as_expression" => of.instance().or(value),
        [value, ..] => value,
        _ => Value::Unknown,
    }
}

fn assertion<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut cursor = node.walk();
    let values: Vec<Value> = node.named_children(&mut cursor).map(|part| walk.visit(part)).collect();
    values.first().map_or(Value::Unknown, |of| of.instance())
}

fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    condition(walk, node).value
}

fn unary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    condition(walk, node).value
}

/// What is known of variables, and members of them, where a condition holds, and where it does not.
#[derive(Default)]
struct Condition<'t> {
    value: Value,
    holds: Vec<(Node<'t>, Value)>,
    fails: Vec<(Node<'t>, Value)>,
}

fn condition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Condition<'t> {
    match node.kind() {
        "parenthesized_expression" => match node.named_child(0) {
            Some(inner) => condition(walk, inner),
            None => Condition::default(),
        },
        "unary_expression" => {
            let Some(inner) = field(node, "argument") else { return Condition::default() };
            if field(node, "operator").is_none_or(|operator| operator.kind() != "!") {
                walk.visit(inner);
                return Condition { value: Value::Builtin, ..Condition::default() };
            }
            let Condition { holds, fails, .. } = condition(walk, inner);
            Condition { value: Value::Builtin, holds: fails, fails: holds }
        }
        "binary_expression" => logical(walk, node),
        "call_expression" => {
            let value = walk.visit(node);
            let tested = field(node, "arguments").and_then(|arguments| arguments.named_child(0));
            let holds = tested.and_then(|tested| guarded(walk, tested, value)).into_iter().collect();
            Condition { value, holds, fails: Vec::new() }
        }
        _ => Condition { value: walk.visit(node), ..Condition::default() },
    }
}

/// A variable, or a member of one, that is what a guard says if that is a type.
fn guarded<'t>(walk: &mut Walk<'t>, tested: Node<'t>, guard: Value) -> Option<(Node<'t>, Value)> {
    if !is_path(tested) || !matches!(guard, Value::Called(_) | Value::Instance(_)) {
        return None;
    }
    let known = known(walk, tested);
    Some((tested, walk.choice(Choice::Guarded(guard, known))))
}

/// What a variable, or a member of one that was just read, is known to be.
fn known<'t>(walk: &mut Walk<'t>, path: Node<'t>) -> Value {
    match (walk.narrowed(path), path.kind()) {
        (Some(known), _) => known,
        (None, "identifier") => walk.local_value(walk.text_of(path)),
        (None, "this") => this(walk, path),
        (None, _) => field(path, "property").map_or(Value::Unknown, |name| walk.last_member(name)),
    }
}

/// Of `shape.kind`, which is compared with a literal, the shape: of a union it is one type from here on.
fn discriminated<'t>(walk: &mut Walk<'t>, compared: Node<'t>) -> Option<(Node<'t>, Value)> {
    let of = field(compared, "object").filter(|of| compared.kind() == "member_expression" && is_path(*of))?;
    let known = known(walk, of);
    is_typed(known).then(|| (of, walk.choice(Choice::Tested(known, Value::Unknown))))
}

/// `switch (shape.kind) { … }`
fn switch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(tested) = field(node, "value") else { return Value::Unknown };
    walk.visit(tested);
    let compared =
        if tested.kind() == "parenthesized_expression" { tested.named_child(0) } else { Some(tested) };
    let fact = compared.and_then(|compared| discriminated(walk, compared));
    let facts: Vec<(Node<'t>, Value)> = fact.into_iter().collect();
    walk.narrowing(&facts, |walk| walk.field(node, "body"));
    Value::Unknown
}

/// A variable, or a member of one: `node.left`.
fn is_path(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "this" => true,
        "member_expression" => field(node, "object").is_some_and(is_path),
        _ => false,
    }
}

fn logical<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Condition<'t> {
    let operator = field(node, "operator").map_or("", |operator| operator.kind());
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
        return Condition::default();
    };
    let expected = std::mem::take(&mut walk.expected);
    match operator {
        "&&" => {
            let left = condition(walk, left);
            walk.expected = expected;
            let right = walk.narrowing(&left.holds, |walk| condition(walk, right));
            let holds = left.holds.into_iter().chain(right.holds).collect();
            Condition { value: right.value, holds, fails: Vec::new() }
        }
        "||" => {
            let left = condition(walk, left);
            walk.expected = expected;
            let right = walk.narrowing(&left.fails, |walk| condition(walk, right));
            let is_known = !matches!(left.value, Value::Builtin | Value::Unknown);
            let fails = left.fails.into_iter().chain(right.fails).collect();
            let value = if is_known { left.value } else { right.value };
            Condition { value, holds: Vec::new(), fails }
        }
        "instanceof" => {
            walk.visit(left);
            let of = walk.visit(right).instance();
            let holds = guarded(walk, left, of).into_iter().collect();
            Condition { value: Value::Builtin, holds, fails: Vec::new() }
        }
        "??" => {
            let left = walk.visit(left);
            walk.expected = expected;
            let right = walk.visit(right);
            let is_known = !matches!(left, Value::Builtin | Value::Unknown);
            Condition { value: if is_known { left } else { right }, ..Condition::default() }
        }
        _ => {
            walk.visit(left);
            walk.visit(right);
            let is_tested = matches!(right.kind(), "string" | "number");
            let fact = is_tested.then(|| discriminated(walk, left)).flatten().into_iter().collect();
            let (holds, fails) = match operator {
                "===" | "==" => (fact, Vec::new()),
                "!==" | "!=" => (Vec::new(), fact),
                _ => (Vec::new(), Vec::new()),
            };
            Condition { value: Value::Builtin, holds, fails }
        }
    }
}

/// `if (isShape(x)) { … }`, and what follows `if (!isShape(x)) return`.
fn if_statement<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(tested) = field(node, "condition") else {
        walk.children(node);
        return Value::Unknown;
    };
    let Condition { holds, fails, .. } = condition(walk, tested);
    let then = field(node, "consequence");
    if let Some(then) = then {
        walk.narrowing(&holds, |walk| walk.visit(then));
    }
    if let Some(other) = field(node, "alternative") {
        walk.narrowing(&fails, |walk| walk.visit(other));
    } else if then.is_some_and(leaves) {
        fails.into_iter().for_each(|(path, value)| walk.narrow(path, value));
    }
    Value::Unknown
}

/// Whether what follows a statement is not reached from it.
fn leaves(statement: Node<'_>) -> bool {
    match statement.kind() {
        "return_statement" | "throw_statement" | "continue_statement" | "break_statement" => true,
        "statement_block" => {
            let mut cursor = statement.walk();
            statement.named_children(&mut cursor).last().is_some_and(leaves)
        }
        _ => false,
    }
}

fn ternary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let expected = std::mem::take(&mut walk.expected);
    let tested = field(node, "condition").map_or_else(Condition::default, |tested| condition(walk, tested));
    walk.expected = expected;
    let first = walk.narrowing(&tested.holds, |walk| walk.field(node, "consequence"));
    walk.expected = expected;
    let other = walk.narrowing(&tested.fails, |walk| walk.field(node, "alternative"));
    walk.expected = Value::Unknown;
    if first == Value::Builtin { other } else { first.or(other) }
}

fn array<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let expected = std::mem::take(&mut walk.expected).element();
    let mut last = Value::Unknown;
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        walk.expected = if part.kind() == "spread_element" { Value::Unknown } else { expected };
        last = walk.visit(part);
        walk.expected = Value::Unknown;
    }
    match last {
        Value::Instance(of) | Value::Called(of) => Value::Collection(of),
        _ => Value::Builtin,
    }
}

/// An object that no variable holds: its members are no definitions that others could name.
fn object<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut expected = std::mem::take(&mut walk.expected);
    let mut taken = Vec::new();
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "pair" => {
                let held = key(walk, part, expected);
                if let Some(value) = field(part, "value") {
                    walk.expected = held;
                    walk.visit(value);
                    walk.expected = Value::Unknown;
                }
            }
            "method_definition" => {
                let held = key(walk, part, expected);
                walk.function(None, |walk| {
                    if is_typed(expected) {
                        walk.declare_local_named("this", expected);
                    }
                    walk.expected = held;
                    signature(walk, part)
                });
            }
            "shorthand_property_identifier" => {
                if is_typed(expected) {
                    walk.at_site(part, Role::Write, Site::Key(expected));
                }
                walk.visit(part);
            }
            "spread_element" => {
                let value = walk.children(part);
                if is_typed(expected) && is_typed(value) {
                    expected = walk.choice(Choice::Guarded(expected, value));
                }
                taken.push(value);
            }
            _ => {
                walk.visit(part);
            }
        }
    }
    spread(walk, taken)
}

/// What an object takes its members from: `{ ...one, ...other }`.
fn spread<'t>(walk: &mut Walk<'t>, parts: Vec<Value>) -> Value {
    let mut known: Vec<Value> = parts.into_iter().filter(|part| is_typed(*part)).collect();
    known.truncate(MAX_PARTS);
    let Some(last) = known.pop() else { return Value::Builtin };
    known.into_iter().rfold(last, |other, part| walk.choice(Choice::Union(part, other)))
}

/// Whether an object is known to be of a type, or to be what a member of one is.
fn is_typed(expected: Value) -> bool {
    !matches!(expected, Value::Unknown | Value::Builtin)
}

/// The key of a property of an object whose type is known; what it holds.
fn key<'t>(walk: &mut Walk<'t>, part: Node<'t>, of: Value) -> Value {
    let Some(name) = field(part, "key").or_else(|| field(part, "name")) else { return Value::Unknown };
    match name.kind() {
        "computed_property_name" => {
            walk.visit(name);
            Value::Unknown
        }
        "property_identifier" if is_typed(of) => walk.at_site(name, Role::Write, Site::Key(of)),
        "string" if is_typed(of) => match child(name, "string_fragment") {
            Some(name) => walk.at_site(name, Role::Write, Site::Key(of)),
            None => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

/// The members of an object that a definition holds.
fn members<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    // They are those of the object's declared type, too.
    let expected = std::mem::take(&mut walk.expected);
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        let held = match part.kind() {
            "pair" | "method_definition" if is_typed(expected) => key(walk, part, expected),
            _ => Value::Unknown,
        };
        match part.kind() {
            "pair" => {
                let name = field(part, "key").filter(|name| name.kind() == "property_identifier");
                match (name, field(part, "value")) {
                    (Some(name), Some(value)) => {
                        walk.expected = held;
                        defined(walk, Some(owner), name, part, value, Some(owner));
                        walk.expected = Value::Unknown;
                    }
                    _ => {
                        walk.children(part);
                    }
                }
            }
            "method_definition" => method(walk, part, owner),
            "shorthand_property_identifier" => {
                if is_typed(expected) {
                    walk.at_site(part, Role::Write, Site::Key(expected));
                }
                let value = walk.visit(part);
                let kind = DefinitionKind::Field;
                if let Some(at) = walk.define_in(Some(owner), part, part, kind, Traits::default()) {
                    walk.set_value(at, value);
                }
            }
            // It has the members of what it takes them from.
            "spread_element" => {
                let taken = walk.children(part);
                if let Some(known) = walk.definition(owner).filter(|_| is_typed(taken)) {
                    known.supers.push(taken);
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

const FUNCTIONS: &[&str] = &["arrow_function", "function_expression", "generator_function"];

/// Defines `name` as `value`: a function, a class, an object with members, or a plain variable. Gives the definition.
fn defined<'t>(
    walk: &mut Walk<'t>,
    owner: Option<DefinitionIx>,
    name: Node<'t>,
    whole: Node<'t>,
    value: Node<'t>,
    this: Option<DefinitionIx>,
) -> Option<DefinitionIx> {
    let is_member = owner.is_some();
    let inner = bare(value);
    if FUNCTIONS.contains(&inner.kind()) {
        let kind = if is_member { DefinitionKind::Method } else { DefinitionKind::Function };
        let at = walk.define_in(owner.or(walk.within), name, whole, kind, Traits::default());
        if let Some(at) = at
            && !is_member
        {
            walk.bind(at);
        }
        let this = this.filter(|_| inner.kind() != "arrow_function").or(walk.this);
        let before = std::mem::replace(&mut walk.this, this);
        function_body(walk, at, inner);
        walk.this = before;
        return at;
    }
    if inner.kind() == "class" {
        return class_named(walk, inner, name, owner);
    }
    let is_constant = walk.text_of(name).chars().all(|c| !c.is_lowercase());
    let kind = match is_member {
        true => DefinitionKind::Field,
        false if is_constant => DefinitionKind::Constant,
        false => DefinitionKind::Variable,
    };
    let at = walk.define_in(owner.or(walk.within), name, whole, kind, Traits::default())?;
    if !is_member {
        walk.bind(at);
    }
    if inner.kind() == "object" {
        let of = cast_type(value).map_or(Value::Unknown, |of| walk.visit(of).instance());
        walk.expected = walk.expected.or(of);
        let before = walk.this.replace(at);
        walk.inside(Some(at), |walk| members(walk, inner, at));
        walk.this = before;
    } else {
        let value = walk.inside(Some(at), |walk| walk.visit(value));
        walk.set_value(at, value);
    }
    Some(at)
}

/// The parameters, result and body of a function that is defined as `at`.
fn function_body<'t>(walk: &mut Walk<'t>, at: Option<DefinitionIx>, node: Node<'t>) {
    walk.function(at, |walk| signature(walk, node));
    if let Some(at) = at {
        walk.set_parameters(at);
    }
}

/// The type that a value is cast to.
fn cast_type(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "parenthesized_expression" => node.named_child(0).and_then(cast_type),
        "as_expression" | "satisfies_expression" => node.named_child(1),
        _ => None,
    }
}

/// A value without parentheses, casts, and calls that only freeze it.
fn bare(node: Node<'_>) -> Node<'_> {
    let inner = match node.kind() {
        "parenthesized_expression" | "as_expression" | "satisfies_expression" => node.named_child(0),
        _ => None,
    };
    inner.map_or(node, bare)
}

fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let value = field(node, "value");
    if let Some(value) = value
        && required_by(walk, name, value)
    {
        return Value::Unknown;
    }
    let declared = walk.field(node, "type").instance();
    if name.kind() != "identifier" {
        let held = value.map_or(Value::Unknown, |value| walk.visit(value));
        pattern(walk, name, declared.or(held));
        return Value::Unknown;
    }
    let is_local = walk.is_in_function();
    let is_function = value.is_some_and(|value| FUNCTIONS.contains(&bare(value).kind()));
    if let Some(held) = value.filter(|_| !is_local).and_then(|value| exported_with(walk, value)) {
        if let Some(at) = defined(walk, None, name, node, held, None) {
            walk.export("=", Value::Itself(Source::Definition(at)));
        }
        return Value::Unknown;
    }
    match value {
        Some(value) if is_function || !is_local => {
            walk.expected = declared;
            if let Some(at) = defined(walk, None, name, node, value, None)
                && declared != Value::Unknown
            {
                if !is_function {
                    walk.override_value(at, declared);
                } else if let Some(known) = walk.definition(at) {
                    // The function has the members of its type.
                    known.supers.push(declared);
                }
            }
            walk.expected = Value::Unknown;
        }
        Some(value) => {
            walk.expected = declared;
            let held = walk.visit(value);
            walk.expected = Value::Unknown;
            walk.declare_local(name, declared.or(held));
        }
        None if is_local => {
            walk.declare_local(name, declared);
        }
        None => {
            if let Some(at) = walk.define(name, node, DefinitionKind::Variable, Traits::default()) {
                walk.set_value(at, declared);
            }
        }
    }
    Value::Unknown
}

/// What a variable holds that is exported where it is declared: `const app = module.exports = {}`.
fn exported_with<'t>(walk: &Walk<'t>, value: Node<'t>) -> Option<Node<'t>> {
    let mut at = value;
    let mut is_exported = false;
    while at.kind() == "assignment_expression" {
        is_exported |= walk.text_of(field(at, "left")?) == "module.exports";
        at = field(at, "right")?;
    }
    is_exported.then_some(at)
}

/// `const x = require("x")`, `const { a, b: c } = require("x")`: imports.
fn required_by<'t>(walk: &mut Walk<'t>, name: Node<'t>, value: Node<'t>) -> bool {
    let inner = bare(value);
    let (call, picked) = match inner.kind() {
        "member_expression" => (field(inner, "object"), field(inner, "property")),
        _ => (Some(inner), None),
    };
    let Some(call) = call.filter(|call| call.kind() == "call_expression") else { return false };
    let function = field(call, "function").map_or("", |function| walk.text_of(function));
    let argument = field(call, "arguments").and_then(|arguments| arguments.named_child(0));
    let Some(argument) = argument.filter(|argument| function == "require" && argument.kind() == "string")
    else {
        return false;
    };
    if walk.is_in_function() {
        return false;
    }
    let module = unquoted(walk.text_of(argument));
    match (name.kind(), picked) {
        ("identifier", None) => {
            let at = walk.import(name, Some(walk.text_of(name)), module, Imported::Default, false);
            walk.at_site(name, Role::Import, Site::Import(at));
        }
        ("identifier", Some(picked)) => {
            let id = walk.id(walk.text_of(picked));
            let at = walk.import(name, Some(walk.text_of(name)), module, Imported::Name(id), false);
            walk.at_site(picked, Role::Import, Site::Import(at));
        }
        ("object_pattern", None) => required_names(walk, name, module),
        _ => return false,
    }
    true
}

fn required_names<'t>(walk: &mut Walk<'t>, pattern: Node<'t>, module: &'t str) {
    let mut cursor = pattern.walk();
    for part in pattern.named_children(&mut cursor) {
        let (name, local) = match part.kind() {
            "pair_pattern" => (field(part, "key"), field(part, "value")),
            "object_assignment_pattern" => (field(part, "left"), field(part, "left")),
            _ => (Some(part), Some(part)),
        };
        let (Some(name), Some(local)) = (name, local) else { continue };
        if !matches!(local.kind(), "identifier" | "shorthand_property_identifier_pattern") {
            continue;
        }
        let id = walk.id(walk.text_of(name));
        let at = walk.import(part, Some(walk.text_of(local)), module, Imported::Name(id), false);
        walk.at_site(name, Role::Import, Site::Import(at));
    }
}

/// Binds the names of a pattern to the members of a value.
fn pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, value: Value) {
    match node.kind() {
        "identifier" => bound(walk, node, value),
        "shorthand_property_identifier_pattern" => {
            let held = walk.member(node, value, Role::Read);
            bound(walk, node, held);
        }
        "object_pattern" => {
            let mut cursor = node.walk();
            for part in node.named_children(&mut cursor) {
                pattern(walk, part, value);
            }
        }
        "array_pattern" => {
            let mut cursor = node.walk();
            for part in node.named_children(&mut cursor) {
                pattern(walk, part, walk.first_of(value).element());
            }
        }
        "pair_pattern" => {
            let held = match field(node, "key").filter(|key| key.kind() == "property_identifier") {
                Some(key) => walk.member(key, value, Role::Read),
                None => Value::Unknown,
            };
            if let Some(inner) = field(node, "value") {
                pattern(walk, inner, held);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            let default = walk.field(node, "right");
            if let Some(left) = field(node, "left") {
                pattern(walk, left, value.or(default));
            }
        }
        "rest_pattern" => {
            if let Some(inner) = node.named_child(0) {
                pattern(walk, inner, Value::Unknown);
            }
        }
        _ => {
            walk.visit_as(node, Role::Write);
        }
    }
}

/// A name of a pattern: a local variable, or one of the module.
fn bound<'t>(walk: &mut Walk<'t>, name: Node<'t>, value: Value) {
    if walk.declare_local(name, value) {
        return;
    }
    if let Some(at) = walk.define(name, name, DefinitionKind::Variable, Traits::default()) {
        walk.set_value(at, value);
    }
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
        return Value::Unknown;
    };
    if left.kind() != "member_expression" {
        // `app[name] = function () { … }`: `this` is the object.
        let object = field(left, "object").filter(|object| object.kind() == "identifier");
        let owner = object.and_then(|object| walk.defined_as(object)).or(walk.this);
        let before = std::mem::replace(&mut walk.this, owner);
        let value = walk.visit(right);
        walk.this = before;
        match left.kind() {
            "object_pattern" | "array_pattern" => {
                walk.children(left);
            }
            "identifier" => {
                if walk.is_bound(left) {
                    walk.declare_again(left, value);
                } else {
                    walk.name(left, Role::Write);
                }
            }
            _ => {
                walk.visit_as(left, Role::Write);
            }
        }
        return value;
    }
    let target = walk.text_of(left);
    if target == "module.exports" || target == "exports" {
        return exported_whole(walk, right);
    }
    let (Some(object), Some(name)) = (field(left, "object"), field(left, "property")) else {
        return Value::Unknown;
    };
    if matches!(walk.text_of(object), "exports" | "module.exports") && is_name(name) {
        return exported_member(walk, name, node, right);
    }
    assigned_member(walk, left, object, name, node, right)
}

/// `module.exports = …`.
fn exported_whole<'t>(walk: &mut Walk<'t>, right: Node<'t>) -> Value {
    let inner = bare(right);
    match inner.kind() {
        "object" => {
            let mut cursor = inner.walk();
            for part in inner.named_children(&mut cursor) {
                exported_part(walk, part);
            }
            Value::Builtin
        }
        "assignment_expression" => {
            let value = walk.visit(inner);
            walk.export("=", value);
            value
        }
        _ => {
            let value = walk.visit(right);
            walk.export("=", value);
            value
        }
    }
}

fn exported_part<'t>(walk: &mut Walk<'t>, part: Node<'t>) {
    match part.kind() {
        "shorthand_property_identifier" => {
            let value = walk.visit(part);
            let name = walk.text_of(part);
            walk.export(name, value);
        }
        "pair" => {
            let (Some(name), Some(value)) = (field(part, "key"), field(part, "value")) else { return };
            if name.kind() == "property_identifier" {
                exported_member(walk, name, part, value);
            } else {
                walk.children(part);
            }
        }
        "method_definition" => {
            let Some(name) = field(part, "name").filter(|name| name.kind() == "property_identifier") else {
                return;
            };
            let at = walk.define(name, part, DefinitionKind::Function, Traits::EXPORTED);
            walk.function(at, |walk| signature(walk, part));
            if let Some(at) = at {
                walk.export(walk.text_of(name), Value::Itself(Source::Definition(at)));
            }
        }
        _ => {
            walk.visit(part);
        }
    }
}

/// Whether a value hands on what it names: a name is exported as itself, or another module's export is.
fn is_handed_on<'t>(walk: &mut Walk<'t>, name: &'t str, value: Node<'t>) -> bool {
    match value.kind() {
        // The default is a way to the whole, and no name of its own.
        "identifier" => walk.text_of(value) == name || name == "default",
        "member_expression" => {
            let (Some(object), Some(property)) = (field(value, "object"), field(value, "property")) else {
                return false;
            };
            let local = walk.id(walk.text_of(object));
            let import = walk.found.imports.iter().find(|import| import.local == Some(local));
            let is_of_package = import
                .is_some_and(|import| !walk.found.text(import.module).starts_with(['.', '/', '#', '@']));
            walk.text_of(property) == name && !is_of_package
        }
        _ => false,
    }
}

/// `exports.name = value`: a definition, unless the value is that name of another place.
fn exported_member<'t>(walk: &mut Walk<'t>, name: Node<'t>, whole: Node<'t>, value: Node<'t>) -> Value {
    let text = walk.text_of(name);
    let inner = bare(value);
    if is_handed_on(walk, text, inner) {
        let value = walk.visit(value);
        walk.export(text, value);
        return value;
    }
    if walk.is_in_function() {
        return walk.visit(value);
    }
    match defined(walk, None, name, whole, value, None) {
        Some(at) => {
            let value = Value::Itself(Source::Definition(at));
            walk.export(text, value);
            value
        }
        None => Value::Unknown,
    }
}

/// `x.name = value`: a member of what `x` is defined as; of `this`, a field.
fn assigned_member<'t>(
    walk: &mut Walk<'t>,
    left: Node<'t>,
    object: Node<'t>,
    name: Node<'t>,
    whole: Node<'t>,
    right: Node<'t>,
) -> Value {
    let is_prototype = object.kind() == "member_expression"
        && field(object, "property").is_some_and(|property| walk.text_of(property) == "prototype");
    let base = if is_prototype { field(object, "object") } else { Some(object) };
    let owner = match base {
        Some(base) if base.kind() == "this" => walk.this,
        Some(base) if base.kind() == "identifier" => walk.defined_as(base),
        _ => None,
    };
    let is_this = base.is_some_and(|base| base.kind() == "this");
    let inner = bare(right);
    let defines = FUNCTIONS.contains(&inner.kind()) || inner.kind() == "class";
    if let Some(owner) = owner
        && is_name(name)
        && (is_this || is_prototype || defines)
        && !walk.is_defined(Some(owner), name)
    {
        if !is_this {
            walk.visit(object);
        }
        if defines {
            defined(walk, Some(owner), name, whole, right, Some(owner));
            return Value::Unknown;
        }
        let value = walk.visit(right);
        if let Some(at) = walk.define_in(Some(owner), name, whole, DefinitionKind::Field, Traits::default()) {
            walk.set_value(at, value);
        }
        return value;
    }
    walk.visit_as(left, Role::Write);
    let before = walk.this;
    if let Some(owner) = owner {
        walk.this = Some(owner);
    }
    let value = walk.visit(right);
    walk.this = before;
    value
}

fn augmented<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "left", Role::Write);
    walk.field(node, "right");
    Value::Unknown
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "argument", Role::Write);
    Value::Builtin
}

fn for_in<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let of = walk.field(node, "right");
        if let Some(left) = field(node, "left") {
            if field(node, "kind").is_some() {
                pattern(walk, left, walk.first_of(of).element());
            } else {
                walk.visit_as(left, Role::Write);
            }
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        if let Some(parameter) = field(node, "parameter") {
            pattern(walk, parameter, Value::Unknown);
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_object = node.named_child(0).is_some_and(|value| bare(value).kind() == "object");
    walk.expected = if is_object { walk.declared } else { Value::Unknown };
    let value = walk.children(node);
    walk.expected = Value::Unknown;
    if value != Value::Builtin {
        walk.returns(value);
    }
    Value::Unknown
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_signature = node.kind() == "function_signature";
    let traits = if is_signature { Traits::DECLARATION } else { Traits::default() };
    let Some(at) = walk.define(name, node, DefinitionKind::Function, traits) else { return Value::Unknown };
    walk.bind(at);
    // A function with a capital is a constructor: what it sets on `this` are fields.
    let makes = walk.text_of(name).starts_with(char::is_uppercase);
    let before = walk.this;
    walk.this = makes.then_some(at);
    function_body(walk, Some(at), node);
    walk.this = before;
    Value::Itself(Source::Definition(at))
}

fn function_expression<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (expected, callback) = (std::mem::take(&mut walk.expected), std::mem::take(&mut walk.callback));
    let name = field(node, "name");
    let at = match name {
        Some(name) if !walk.is_in_function() => {
            walk.define(name, node, DefinitionKind::Function, Traits::default())
        }
        _ => None,
    };
    walk.function(at, |walk| {
        if let Some(name) = name.filter(|_| at.is_none()) {
            walk.declare_local(name, Value::Unknown);
        }
        (walk.expected, walk.callback) = (expected, callback);
        signature(walk, node)
    });
    if let Some(at) = at {
        walk.set_parameters(at);
    }
    at.map_or(Value::Unknown, |at| Value::Itself(Source::Definition(at)))
}

fn function_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.function(None, |walk| signature(walk, node));
    Value::Unknown
}

/// Parameters, result and body; the declared result.
fn signature<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let expected = std::mem::take(&mut walk.expected);
    let expected = walk.first_of(expected);
    let callback = std::mem::take(&mut walk.callback);
    type_parameters(walk, node);
    let mut parameters = Vec::new();
    if let Some(list) = field(node, "parameters") {
        let mut cursor = list.walk();
        let named = list.named_children(&mut cursor).filter(|node| node.kind() != "comment");
        for parameter in named {
            let at = parameters.len();
            let wanted = if at == 0 { callback.or(expected.parameter(0)) } else { expected.parameter(at) };
            parameters.extend(self::parameter(walk, parameter, wanted));
        }
    }
    if let Some(only) = field(node, "parameter") {
        pattern(walk, only, callback.or(expected.parameter(0)));
    }
    let declared = body(walk, node);
    walk.parameters = parameters;
    declared
}

/// The result and the body of a function; the declared result.
fn body<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = walk.field(node, "return_type").instance();
    let Some(body) = field(node, "body") else {
        walk.field(node, "type");
        return declared;
    };
    let before = std::mem::replace(&mut walk.declared, declared);
    if body.kind() == "statement_block" {
        walk.children(body);
    } else {
        let is_object = bare(body).kind() == "object";
        walk.expected = if is_object { declared } else { Value::Unknown };
        let value = walk.visit(body);
        walk.expected = Value::Unknown;
        if value != Value::Builtin {
            walk.returns(value);
        }
    }
    walk.declared = before;
    declared
}

fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = field(node, "type_parameters") else { return };
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor) {
        let bound = walk.field(parameter, "constraint").instance();
        let default = walk.field(parameter, "value").instance();
        if let Some(name) = field(parameter, "name") {
            let held = bound.branch(default);
            walk.declare_local(name, if held == Value::Builtin { Value::Unknown } else { held });
        }
    }
}

/// A parameter; `None` for `this`.
fn parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>, expected: Value) -> Option<Parameter> {
    match node.kind() {
        "required_parameter" | "optional_parameter" => {
            walk.children_except(node, &["pattern", "type", "value", "name"]);
            walk.parameters.clear();
            let declared = walk.field(node, "type").instance();
            let takes = match field(node, "type").is_some_and(is_function_type) {
                true => std::mem::take(&mut walk.parameters).into_iter().map(|inner| inner.value).collect(),
                false => Vec::new(),
            };
            let default = walk.field(node, "value");
            let Some(name) = field(node, "pattern").or_else(|| field(node, "name")) else {
                return Some(Parameter { value: declared, takes });
            };
            let value = declared.or(default).or(expected);
            let is_property =
                child(node, "accessibility_modifier").is_some() || child(node, "readonly").is_some();
            if let Some(owner) = walk.this.filter(|_| is_property && name.kind() == "identifier")
                && let Some(at) =
                    walk.define_in(Some(owner), name, node, DefinitionKind::Field, Traits::default())
            {
                walk.set_value(at, value);
            }
            if name.kind() == "this" {
                return None;
            }
            pattern(walk, name, value);
            Some(Parameter { value: declared.or(default), takes })
        }
        _ => {
            pattern(walk, node, expected);
            Some(Parameter::default())
        }
    }
}

/// Whether a type is that of a function, where it stands or behind its annotation.
fn is_function_type(node: Node<'_>) -> bool {
    match node.kind() {
        "function_type" => true,
        "type_annotation" | "parenthesized_type" => node.named_child(0).is_some_and(is_function_type),
        _ => false,
    }
}

fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match field(node, "name") {
        Some(name) => class_named(walk, node, name, None)
            .map_or(Value::Unknown, |at| Value::Itself(Source::Definition(at))),
        None => {
            walk.expected = Value::Unknown;
            walk.scope(ScopeKind::Function, |walk| walk.children(node));
            Value::Unknown
        }
    }
}

fn class_named<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    name: Node<'t>,
    owner: Option<DefinitionIx>,
) -> Option<DefinitionIx> {
    walk.expected = Value::Unknown;
    let at = walk.define_in(owner.or(walk.within), name, node, DefinitionKind::Class, Traits::default())?;
    walk.bind(at);
    walk.scope(ScopeKind::Block, |walk| {
        let supers = walk.inside(Some(at), |walk| {
            type_parameters(walk, node);
            child(node, "class_heritage").map_or(Vec::new(), |heritage| inherited(walk, heritage))
        });
        if let Some(known) = walk.definition(at) {
            known.supers = supers;
        }
        let mut cursor = node.walk();
        for decorator in node.named_children(&mut cursor).filter(|part| part.kind() == "decorator") {
            walk.visit(decorator);
        }
        if let Some(body) = field(node, "body") {
            walk.inside_type(at, |walk| class_body(walk, body, at));
        }
    });
    Some(at)
}

fn inherited<'t>(walk: &mut Walk<'t>, heritage: Node<'t>) -> Vec<Value> {
    let mut supers = Vec::new();
    let mut cursor = heritage.walk();
    for part in heritage.named_children(&mut cursor) {
        match part.kind() {
            "extends_clause" => {
                supers.push(walk.field_as(part, "value", Role::Inherit));
                walk.children_except(part, &["value"]);
            }
            "implements_clause" => supers.extend(super_types(walk, part, Role::Implement)),
            _ => supers.push(walk.visit_as(part, Role::Inherit)),
        }
    }
    supers
}

fn super_types<'t>(walk: &mut Walk<'t>, node: Node<'t>, role: Role) -> Vec<Value> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .map(|part| match part.kind() {
            "generic_type" => {
                let value = walk.field_as(part, "name", role);
                let name = field(part, "name").map_or("", |name| walk.text_of(name));
                let Some(list) = field(part, "type_arguments") else { return value };
                let mut cursor = list.walk();
                let arguments: Vec<Value> =
                    list.named_children(&mut cursor).map(|argument| walk.visit(argument)).collect();
                // `extends Partial<Base>`
                if WRAPPERS.contains(&name) { arguments.first().copied().unwrap_or_default() } else { value }
            }
            _ => walk.visit_as(part, role),
        })
        .collect()
}

fn class_body<'t>(walk: &mut Walk<'t>, body: Node<'t>, owner: DefinitionIx) {
    let mut cursor = body.walk();
    for part in body.named_children(&mut cursor) {
        match part.kind() {
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                method(walk, part, owner)
            }
            "field_definition" | "public_field_definition" | "property_signature" => {
                property(walk, part, owner);
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|part| part.kind() == word)
}

fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>, owner: DefinitionIx) {
    let mut cursor = node.walk();
    for decorator in node.named_children(&mut cursor).filter(|part| part.kind() == "decorator") {
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
    let mut cursor = node.walk();
    for decorator in node.named_children(&mut cursor).filter(|part| part.kind() == "decorator") {
        walk.visit(decorator);
    }
    let name = field(node, "name").or_else(|| field(node, "property"));
    let declared_type = field(node, "type");
    let is_object =
        declared_type.and_then(|of| of.named_child(0)).is_some_and(|of| of.kind() == "object_type");
    let declared = if is_object { Value::Unknown } else { walk.field(node, "type").instance() };
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
    if is_object {
        if let Some(of) = declared_type.and_then(|of| of.named_child(0)) {
            let before = walk.this;
            walk.inside(Some(at), |walk| class_body(walk, of, at));
            walk.this = before;
        }
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

fn interface<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

fn type_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(at) = walk.define(name, node, DefinitionKind::Type, Traits::default()) else {
        return Value::Unknown;
    };
    walk.bind(at);
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside(Some(at), |walk| type_parameters(walk, node));
        let Some(value) = field(node, "value") else { return };
        if value.kind() == "object_type" {
            walk.inside_type(at, |walk| class_body(walk, value, at));
            return;
        }
        walk.inside(Some(at), |walk| {
            walk.alias = Some(at);
            let mut parts = Vec::new();
            let of = alias_parts(walk, value, &mut parts);
            walk.alias = None;
            walk.set_value(at, of);
            if let Some(known) = walk.definition(at)
                && parts.len() > 1
            {
                known.supers = parts;
                if value.kind() == "union_type" {
                    known.traits = known.traits.and(Traits::UNION);
                }
            }
        });
        if is_function_type(value) {
            walk.set_parameters(at);
        }
    });
    Value::Unknown
}

/// Of how many types one is a union or an intersection, as far as they are followed.
const MAX_ALIAS_PARTS: usize = 64;

/// The types that an alias is a union or an intersection of; the first that is known.
fn alias_parts<'t>(walk: &mut Walk<'t>, node: Node<'t>, parts: &mut Vec<Value>) -> Value {
    match node.kind() {
        "union_type" | "intersection_type" => {
            let mut cursor = node.walk();
            let mut first = Value::Unknown;
            for part in node.named_children(&mut cursor) {
                let of = alias_parts(walk, part, parts);
                first = if is_typed(first) { first } else { of };
            }
            first
        }
        "parenthesized_type" => node.named_child(0).map_or(Value::Unknown, |of| alias_parts(walk, of, parts)),
        _ => {
            let of = walk.visit(node);
            if is_typed(of) && parts.len() < MAX_ALIAS_PARTS {
                parts.push(of.instance());
            }
            of
        }
    }
}

/// The members of an object type in an alias are its own: `type A = B & { x: string }`.
fn object_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match walk.alias.take() {
        Some(owner) => {
            walk.inside_type(owner, |walk| class_body(walk, node, owner));
            walk.alias = Some(owner);
        }
        None => {
            let mut cursor = node.walk();
            for part in node.named_children(&mut cursor) {
                match part.kind() {
                    "method_signature" => walk.function(None, |walk| signature(walk, part)),
                    _ => {
                        walk.children_except(part, &["name"]);
                    }
                }
            }
        }
    }
    Value::Unknown
}

fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(at) = walk.define(name, node, DefinitionKind::Enum, Traits::default()) else {
        return Value::Unknown;
    };
    walk.bind(at);
    let Some(body) = field(node, "body") else { return Value::Unknown };
    walk.inside_type(at, |walk| {
        let mut cursor = body.walk();
        for part in body.named_children(&mut cursor) {
            let name = field(part, "name").unwrap_or(part);
            if name.kind() == "property_identifier" {
                walk.define_in(Some(at), name, part, DefinitionKind::EnumMember, Traits::STATIC);
            }
            walk.field(part, "value");
        }
    });
    Value::Unknown
}

fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name").filter(|name| name.kind() == "identifier");
    let Some(at) = name.and_then(|name| walk.define(name, node, DefinitionKind::Module, Traits::default()))
    else {
        return walk.field(node, "body");
    };
    if let Some(body) = field(node, "body") {
        walk.inside(Some(at), |walk| walk.children(body));
    }
    Value::Unknown
}

const WRAPPERS: &[&str] = &[
    "Exclude",
    "Extract",
    "InstanceType",
    "Promise",
    "Readonly",
    "Partial",
    "Required",
    "NonNullable",
    "Awaited",
    "PromiseLike",
    "DeepReadonly",
    "Pick",
    "Omit",
];
const COLLECTIONS: &[&str] = &[
    "Array",
    "ReadonlyArray",
    "Set",
    "ReadonlySet",
    "Iterable",
    "Iterator",
    "AsyncIterable",
    "AsyncIterator",
    "IterableIterator",
    "Generator",
    "AsyncGenerator",
];

/// Types that are made of others. The value of a type is the type itself.
fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "array_type" => {
            let of = walk.children(node);
            walk.first_of(of).collection().or(Value::Builtin)
        }
        "generic_type" => {
            let role = walk.take_role();
            let whole = walk.field_as(node, "name", role);
            let name = field(node, "name").map_or("", |name| walk.text_of(name));
            let mut arguments = Vec::new();
            if let Some(list) = field(node, "type_arguments") {
                let mut cursor = list.walk();
                arguments.extend(list.named_children(&mut cursor).map(|argument| walk.visit(argument)));
            }
            let first = arguments.first().copied().unwrap_or_default();
            match name {
                _ if WRAPPERS.contains(&name) => first,
                "ReturnType" => first.called(),
                _ if COLLECTIONS.contains(&name) => walk.first_of(first).collection().or(Value::Builtin),
                "Map" | "Record" | "ReadonlyMap" | "WeakMap" => {
                    let last = arguments.last().copied().unwrap_or_default();
                    walk.first_of(last).collection().or(Value::Builtin)
                }
                _ => applied(walk, whole, arguments),
            }
        }
        _ => {
            let mut cursor = node.walk();
            let parts: Vec<Value> = node.named_children(&mut cursor).map(|part| walk.visit(part)).collect();
            let mut known: Vec<Value> = parts.into_iter().filter(|part| is_typed(*part)).collect();
            known.truncate(MAX_PARTS);
            let last = known.pop().unwrap_or_default();
            known
                .into_iter()
                .rfold(last, |other, part| walk.choice(Choice::Union(part.instance(), other.instance())))
        }
    }
}

/// A generic type with what it is applied to.
fn applied<'t>(walk: &mut Walk<'t>, whole: Value, arguments: Vec<Value>) -> Value {
    let Value::Itself(_) = whole else { return whole };
    let known = arguments.into_iter().filter(|argument| is_typed(*argument)).take(MAX_ARGUMENTS);
    known.fold(whole, |of, argument| walk.choice(Choice::Applied(of.instance(), argument.instance())))
}

/// Of a generic type, so many arguments are followed.
const MAX_ARGUMENTS: usize = 3;

/// Of a union that has no name, so many types are followed.
const MAX_PARTS: usize = 8;

fn conditional_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        walk.children_except(node, &["consequence", "alternative"]);
        let first = walk.field(node, "consequence");
        let other = walk.field(node, "alternative");
        first.branch(other)
    })
}

/// `Type['name']`: what the member holds.
fn indexed_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(of) = node.named_child(0) else { return Value::Unknown };
    let of = walk.visit(of).instance();
    let Some(index) = node.named_child(1) else { return of };
    let name = index.named_child(0).filter(|name| name.kind() == "string");
    match name.and_then(|name| child(name, "string_fragment")) {
        Some(name) => walk.member(name, of, Role::Read),
        None => {
            walk.visit(index);
            walk.first_of(of).element()
        }
    }
}

/// `typeof x`: what `x` is.
fn type_query<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children(node)
}

/// `x is Type`: `x` is a parameter. What a guard says of its argument stands for what it returns.
fn type_predicate<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "type")
}

fn mapped<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        walk.declare_local(name, Value::Unknown);
    }
    walk.children_except(node, &["name"]);
    Value::Unknown
}

fn infer<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = node.named_child(0) {
        walk.declare_local(name, Value::Unknown);
    }
    Value::Unknown
}

fn index_signature<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| walk.children_except(node, &["name"]));
    Value::Unknown
}

/// `<Shape size={1} />`: a component is called with its properties.
fn jsx_element<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name").filter(|name| is_component(walk, *name));
    let called = name.map_or(Value::Unknown, |name| walk.visit_as(name, Role::Call));
    let properties = called.parameter(0);
    walk.field(node, "type_arguments");
    let mut cursor = node.walk();
    for part in node.children_by_field_name("attribute", &mut cursor) {
        if part.kind() == "jsx_attribute" {
            jsx_attribute(walk, part, properties);
        } else {
            walk.visit(part);
        }
    }
    Value::Builtin
}

/// Whether the name of an element is no tag of HTML.
fn is_component(walk: &Walk<'_>, name: Node<'_>) -> bool {
    name.kind() != "identifier" || walk.text_of(name).starts_with(|c: char| !c.is_ascii_lowercase())
}

fn jsx_end<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name").filter(|name| is_component(walk, *name)) {
        walk.visit(name);
    }
    Value::Unknown
}

fn jsx_attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>, properties: Value) {
    let mut held = Value::Unknown;
    let mut cursor = node.walk();
    for (at, part) in node.named_children(&mut cursor).enumerate() {
        if at > 0 {
            jsx_value(walk, part, held);
        } else if is_typed(properties) && part.kind() == "property_identifier" {
            held = walk.at_site(part, Role::Write, Site::Key(properties));
        }
    }
}

fn jsx_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, held: Value) {
    if node.kind() != "jsx_expression" {
        walk.visit(node);
        return;
    }
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        walk.expected = held;
        walk.visit(part);
        walk.expected = Value::Unknown;
    }
}

fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(clause) = child(node, "import_require_clause") {
        let module = field(clause, "source").map(|source| unquoted(walk.text_of(source)));
        if let (Some(name), Some(module)) = (clause.named_child(0), module) {
            let at = walk.import(node, Some(walk.text_of(name)), module, Imported::Default, false);
            walk.at_site(name, Role::Import, Site::Import(at));
        }
        return Value::Unknown;
    }
    let Some(module) = field(node, "source").map(|source| unquoted(walk.text_of(source))) else {
        return Value::Unknown;
    };
    let Some(clause) = child(node, "import_clause") else {
        walk.import(node, None, module, Imported::Module, false);
        return Value::Unknown;
    };
    let mut cursor = clause.walk();
    for part in clause.named_children(&mut cursor) {
        match part.kind() {
            "identifier" => {
                let at = walk.import(part, Some(walk.text_of(part)), module, Imported::Default, false);
                walk.at_site(part, Role::Import, Site::Import(at));
            }
            "namespace_import" => {
                if let Some(name) = part.named_child(0) {
                    walk.import(part, Some(walk.text_of(name)), module, Imported::Module, false);
                }
            }
            _ => specifiers(walk, part, Some(module), false),
        }
    }
    Value::Unknown
}

/// `{ a, b as c }` of an import, a re-export, or an export.
fn specifiers<'t>(walk: &mut Walk<'t>, list: Node<'t>, module: Option<&'t str>, reexported: bool) {
    let mut cursor = list.walk();
    for part in list.named_children(&mut cursor) {
        let Some(name) = field(part, "name") else { continue };
        let local = field(part, "alias").unwrap_or(name);
        let (text, local_text) = (walk.text_of(name), walk.text_of(local));
        match module {
            Some(module) => {
                let what = match text {
                    "default" => Imported::Default,
                    _ => Imported::Name(walk.id(text)),
                };
                let at = walk.import(part, Some(local_text), module, what, reexported);
                walk.at_site(name, Role::Import, Site::Import(at));
            }
            None => {
                let value = walk.name(name, Role::Import);
                walk.export(local_text, value);
            }
        }
    }
}

fn export<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let module = field(node, "source").map(|source| unquoted(walk.text_of(source)));
    let mut cursor = node.walk();
    for decorator in node.named_children(&mut cursor).filter(|part| part.kind() == "decorator") {
        walk.visit(decorator);
    }
    if let Some(clause) = child(node, "export_clause") {
        specifiers(walk, clause, module, true);
        return Value::Unknown;
    }
    if let Some(module) = module {
        let local = child(node, "namespace_export").and_then(|export| export.named_child(0));
        match local {
            Some(local) => {
                walk.import(node, Some(walk.text_of(local)), module, Imported::Module, true);
            }
            None => {
                walk.import(node, None, module, Imported::All, true);
            }
        }
        return Value::Unknown;
    }
    let first = walk.found.definitions.len();
    let value = match (field(node, "declaration"), field(node, "value")) {
        (Some(declaration), _) => walk.visit(declaration),
        (None, Some(value)) => walk.visit(value),
        (None, None) => walk.children(node),
    };
    if has_word(node, "default") {
        let made =
            (walk.found.definitions.len() > first).then_some(Source::Definition(first as DefinitionIx));
        let value = match (field(node, "declaration"), made) {
            (Some(_), Some(made)) => Value::Itself(made),
            _ => value,
        };
        walk.export("default", value);
    } else if has_word(node, "=") {
        walk.export("=", value);
    }
    Value::Unknown
}
