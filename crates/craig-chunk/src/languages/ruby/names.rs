//! Names in Ruby.

mod calls;
mod definitions;
mod doc;

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::NameRule::{Block, Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionKind, Role, Site, Source, Traits, Value};
use calls::{call, symbols};
use definitions::{
    add_super, alias, body_of, class, fields_of_structure, given, method, parameters, singleton_class, types,
    yielded,
};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Read(doc::comment)),
        ("integer", Literal),
        ("float", Literal),
        ("nil", Skip),
        ("true", Literal),
        ("false", Literal),
        ("simple_symbol", Literal),
        ("hash_key_symbol", Skip),
        ("string_array", Literal),
        ("symbol_array", Literal),
        ("string", Read(text)),
        ("subshell", Read(text)),
        ("regex", Read(text)),
        ("delimited_symbol", Read(text)),
        ("program", Block),
        ("identifier", Read(identifier)),
        ("constant", Read(constant)),
        ("instance_variable", Read(instance_variable)),
        ("self", Read(this)),
        ("scope_resolution", Read(scoped)),
        ("module", Read(class)),
        ("class", Read(class)),
        ("singleton_class", Read(singleton_class)),
        ("method", Read(method)),
        ("singleton_method", Read(method)),
        ("alias", Read(alias)),
        ("call", Read(call)),
        ("assignment", Read(assignment)),
        ("operator_assignment", Read(assignment)),
        ("block", Read(block)),
        ("do_block", Read(block)),
        ("lambda", Read(block)),
        ("for", Read(for_loop)),
        ("exception_variable", Read(exception_variable)),
        ("exceptions", Read(types)),
        ("pattern", Read(types)),
        ("element_reference", Read(element_reference)),
        ("array", Read(array)),
        ("right_assignment_list", Read(array)),
        ("parenthesized_statements", Transparent),
        ("body_statement", Read(body)),
        ("block_body", Read(body)),
        ("begin", Read(body)),
        ("super", Read(call_of_super)),
        ("yield", Read(yielded)),
        ("block_argument", Read(block_argument)),
        ("then", Transparent),
        ("else", Transparent),
        ("if", Read(conditional)),
        ("conditional", Read(conditional)),
        ("binary", Read(binary)),
        ("return", Read(returned)),
    ],
    hoists: false,
};

fn text<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children(node);
    Value::Builtin
}

/// A name that is no local variable is a call of the object itself.
fn identifier<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    called_by_name(walk, node, Some(0))
}

fn called_by_name<'t>(walk: &mut Walk<'t>, node: Node<'t>, n_arguments: Option<usize>) -> Value {
    let role = match walk.take_role() {
        Role::Read => Role::Call,
        role => role,
    };
    if let Some(value) = walk.bound_name(node, role) {
        return value;
    }
    match walk.text_of(node) {
        "new" => walk.local_value("self").called(),
        visibility @ ("private" | "protected" | "public") if walk.is_in_type() => {
            walk.is_private = visibility == "private";
            Value::Unknown
        }
        _ => {
            let called = walk.at_site(node, role, Site::Bare);
            if let Some(n) = n_arguments {
                walk.set_arguments(called, n);
            }
            called.called()
        }
    }
}

/// The statements of a body with its `rescue`; the value of the last of them.
fn body<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        let found = walk.visit(part);
        if !matches!(part.kind(), "rescue" | "ensure" | "else" | "comment") {
            value = found;
        }
    }
    value
}

/// A method that calls `super` takes the place of another one.
fn call_of_super<'t>(walk: &mut Walk<'t>, _: Node<'t>) -> Value {
    let (within, this) = (walk.within, walk.this);
    if let (Some(known), Some(this)) = (within.and_then(|within| walk.definition(within)), this)
        && known.kind == DefinitionKind::Method
        && known.supers.is_empty()
    {
        known.supers.push(Value::Super(this));
    }
    Value::Unknown
}

/// `&:name` calls the method of each element.
fn block_argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match child(node, "simple_symbol") {
        Some(symbol) => {
            let of = walk.expected;
            symbol_as_name(walk, symbol, Role::Call, Site::Member(of));
        }
        None => {
            walk.children(node);
        }
    }
    Value::Unknown
}

/// A symbol that names a method.
fn symbol_as_name<'t>(walk: &mut Walk<'t>, symbol: Node<'t>, role: Role, site: Site) -> Value {
    let range = symbol.byte_range();
    walk.name_in(symbol, 1..range.len(), role, Some(site))
}

fn constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    walk.at_site(node, role, Site::Bare)
}

fn instance_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    if walk.this.is_none() && walk.is_bound(node) {
        return walk.local_value(walk.text_of(node));
    }
    let this = walk.this_value();
    walk.member(node, this, role)
}

fn this<'t>(walk: &mut Walk<'t>, _: Node<'t>) -> Value {
    walk.local_value("self")
}

fn scoped<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some(name) = field(node, "name") else { return Value::Unknown };
    match field(node, "scope") {
        Some(scope) => {
            let of = walk.visit(scope);
            walk.member(name, of, role)
        }
        None => walk.at_site(name, role, Site::Bare),
    }
}

/// Methods that open a group of examples.
const GROUPS: &[&str] = &["describe", "context", "feature", "fdescribe", "xdescribe", "fcontext", "xcontext"];

/// A group of examples: its first argument is what `described_class` is, and `subject` an instance of it.
fn examples<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let arguments = field(node, "arguments");
    let described = match arguments.and_then(|arguments| arguments.named_child(0)) {
        Some(first) if matches!(first.kind(), "constant" | "scope_resolution") => walk.visit(first),
        _ => Value::Unknown,
    };
    let is_first = described != Value::Unknown;
    if let Some(arguments) = arguments {
        for part in named_children(arguments).skip(usize::from(is_first)) {
            walk.visit(part);
        }
    }
    let Some(block) = field(node, "block") else { return Value::Unknown };
    let before = std::mem::replace(&mut walk.is_in_examples, true);
    walk.scope(ScopeKind::Block, |walk| {
        if is_first {
            walk.declare_local_named("described_class", described);
            walk.declare_local_named("subject", described.called());
        }
        walk.field(block, "body")
    });
    walk.is_in_examples = before;
    Value::Unknown
}

/// `let(:name) { … }` declares a name for the examples of its group.
fn example_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &str) -> Value {
    let symbol = field(node, "arguments").and_then(|arguments| arguments.named_child(0));
    walk.field(node, "arguments");
    let value = walk.field(node, "block");
    if let Some(symbol) = symbol.filter(|symbol| symbol.kind() == "simple_symbol") {
        let text = walk.text_of(symbol);
        walk.redeclare_local(text.strip_prefix(':').unwrap_or(text), value);
    }
    if name.starts_with("subject") {
        walk.redeclare_local("subject", value);
    }
    Value::Unknown
}

fn block<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    block_of(walk, node, Value::Unknown, Value::Unknown)
}

/// Reads a block that is given to a method, with its first parameter; the others are what the method says.
fn block_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, method: Value, first: Value) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        if let Some(list) = field(node, "parameters") {
            parameters(walk, list, &|at| if at == 0 { first } else { given(method, at) });
        }
        walk.field(node, "body")
    })
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
        walk.children(node);
        return Value::Unknown;
    };
    if left.kind() == "constant" {
        return constant_assigned(walk, node, left, right);
    }
    let value = walk.visit(right);
    assign(walk, left, node, value, 0);
    if let (Some(this), "instance_variable", true) = (walk.this, left.kind(), is_constructor(walk, right))
        && let Some(known) = walk.member_defined_as(Some(this), left)
    {
        walk.is_constructed(known, value);
    }
    value
}

/// Whether an expression makes an instance of a type that it names.
fn is_constructor(walk: &Walk<'_>, node: Node<'_>) -> bool {
    node.kind() == "call"
        && field(node, "method").is_some_and(|method| walk.text_of(method) == "new")
        && field(node, "receiver").is_some_and(|of| matches!(of.kind(), "constant" | "scope_resolution"))
}

fn constant_assigned<'t>(walk: &mut Walk<'t>, node: Node<'t>, left: Node<'t>, right: Node<'t>) -> Value {
    let maker = field(right, "receiver").map_or("", |receiver| walk.text_of(receiver));
    let is_type_name = walk.text_of(left).contains(char::is_lowercase);
    let is_made_of_fields = is_type_name && fields_of_structure(walk, right).is_some();
    let is_made = right.kind() == "call"
        && matches!(maker, "Struct" | "Class" | "Module" | "Data")
        && field(right, "method").is_some_and(|method| matches!(walk.text_of(method), "new" | "define"))
        || is_made_of_fields;
    if walk.is_defined(walk.within, left) {
        walk.at_site(left, Role::Write, Site::Bare);
        return walk.visit(right);
    }
    let kind = if is_made { DefinitionKind::Class } else { DefinitionKind::Constant };
    let definition = walk.define(left, node, kind, Traits::default());
    let value = walk.inside(definition, |walk| walk.visit(right));
    let Some(definition) = definition else { return value };
    if !is_made {
        walk.set_value(definition, value);
        return value;
    }
    if let Some(arguments) = field(right, "arguments") {
        if maker == "Struct" || maker == "Data" || is_made_of_fields {
            if let (Value::Called(of), false) = (value, matches!(maker, "Struct" | "Data")) {
                add_super(walk, definition, Value::Itself(of));
            }
            let this = walk.this.replace(definition);
            symbols(walk, arguments, 0..usize::MAX, DefinitionKind::Field, Traits::PROPERTY);
            walk.this = this;
        } else if let Some(above) = arguments.named_child(0) {
            let value = walk.visit_as(above, Role::Inherit);
            add_super(walk, definition, value);
        }
    }
    body_of(walk, definition, field(right, "block").and_then(|block| field(block, "body")));
    Value::Itself(Source::Definition(definition))
}

fn assign<'t>(walk: &mut Walk<'t>, left: Node<'t>, whole: Node<'t>, value: Value, depth: usize) {
    match left.kind() {
        "identifier" => {
            walk.declare_local(left, value);
        }
        "instance_variable" => {
            let this = walk.this;
            if this.is_none() {
                // Shared by the examples of a file.
                walk.declare_in_file(walk.text_of(left), value);
            } else if let Some(known) = walk.member_defined_as(this, left) {
                walk.visit_as(left, Role::Write);
                if let Some(known) = walk.definition(known) {
                    known.value = if known.value.is_typed() { known.value } else { value };
                }
            } else if let Some(definition) =
                walk.define_in(this, left, whole, DefinitionKind::Field, Traits::PRIVATE)
            {
                walk.set_value(definition, value);
            }
        }
        "left_assignment_list" | "destructured_left_assignment" | "rest_assignment" if depth < 16 => {
            for (at, part) in named_children(left).enumerate() {
                let held = walk.part_or_element(value, at);
                assign(walk, part, part, held, depth + 1);
            }
        }
        "global_variable" | "class_variable" => {}
        _ => {
            walk.visit_as(left, Role::Write);
        }
    }
}

fn for_loop<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let element = walk.field(node, "value").element();
    if let Some(left) = field(node, "pattern") {
        assign(walk, left, left, element, 0);
    }
    walk.field(node, "body");
    Value::Unknown
}

fn exception_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = child(node, "identifier") {
        walk.declare_local(name, Value::Unknown);
    }
    Value::Unknown
}

fn element_reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "object");
    walk.children_except(node, &["object"]);
    value.element()
}

fn array<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let parts: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
    match parts[..] {
        [Value::Called(of)] => Value::Collection(of),
        [_, _, ..] if parts.iter().all(|part| part.is_typed()) => walk.tuple(node, &parts),
        _ => Value::Builtin,
    }
}

fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "condition");
    let value = walk.field(node, "consequence");
    let other = walk.field(node, "alternative");
    walk.either(value, other)
}

fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let left = walk.field(node, "left");
    let right = walk.field(node, "right");
    match field(node, "operator").map_or("", |operator| operator.kind()) {
        "||" | "or" => walk.either(left, right),
        "&&" | "and" => right,
        _ => Value::Unknown,
    }
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    walk.returns(value);
    Value::Unknown
}
