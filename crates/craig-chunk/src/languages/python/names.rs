//! Names in Python.

mod definitions;
mod types;

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::NameRule::{Inside, Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{Choice, DefinitionKind, Imported, Role, Site, Source, Traits, Value};
use definitions::{class, decorated, function, lambda, returned, yielded};
use types::{annotation, type_alias, type_value};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Skip),
        ("string", Read(string)),
        ("integer", Literal),
        ("float", Literal),
        ("true", Literal),
        ("false", Literal),
        ("identifier", Read(identifier)),
        ("attribute", Read(attribute)),
        ("call", Read(call)),
        ("keyword_argument", Read(keyword_argument)),
        ("subscript", Read(subscript)),
        ("type", Read(annotation)),
        ("parenthesized_expression", Transparent),
        ("await", Transparent),
        ("boolean_operator", Read(either)),
        ("conditional_expression", Read(conditional)),
        ("list", Read(literal)),
        ("dictionary", Read(literal)),
        ("set", Read(literal)),
        ("tuple", Read(literal)),
        ("binary_operator", Inside),
        ("function_definition", Read(function)),
        ("class_definition", Read(class)),
        ("decorated_definition", Read(decorated)),
        ("lambda", Read(lambda)),
        ("list_comprehension", Read(comprehension)),
        ("dictionary_comprehension", Read(comprehension)),
        ("set_comprehension", Read(comprehension)),
        ("generator_expression", Read(comprehension)),
        ("for_in_clause", Read(iteration)),
        ("for_statement", Read(iteration)),
        ("as_pattern", Read(as_pattern)),
        ("assignment", Read(assignment)),
        ("augmented_assignment", Read(augmented)),
        ("named_expression", Read(named)),
        ("return_statement", Read(returned)),
        ("yield", Read(yielded)),
        ("global_statement", Read(global)),
        ("nonlocal_statement", Skip),
        ("import_statement", Read(import)),
        ("import_from_statement", Read(import_from)),
        ("future_import_statement", Skip),
        ("type_alias_statement", Read(type_alias)),
        ("case_pattern", Read(case_pattern)),
    ],
    hoists: true,
};

/// Strings have expressions in them only where they are interpolated.
fn string<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node).filter(|part| part.kind() == "interpolation") {
        walk.children(part);
    }
    Value::Builtin
}

/// `[Shape(), …]`, `(self.first, self.last)`.
fn literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    let is_member = || {
        let n = node.named_child_count() as u32;
        n.checked_sub(1)
            .and_then(|last| node.named_child(last))
            .is_some_and(|last| last.kind() == "attribute")
    };
    match value {
        Value::Called(_) | Value::Instance(_) if node.kind() != "dictionary" => value.collection(),
        Value::Itself(_) if node.kind() != "dictionary" && is_member() => value.collection(),
        _ => Value::Builtin,
    }
}

/// A name; of a variable of the module, what it was assigned last.
fn identifier<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = walk.name(node, role);
    walk.narrowed(node).unwrap_or(value)
}

fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some(name) = field(node, "attribute") else { return Value::Unknown };
    if let Some(module) = imported_module(walk, node) {
        return walk.at_site(name, role, Site::Import(module));
    }
    let value = match field(node, "object") {
        Some(object) if is_super_call(walk, object) => {
            walk.field(object, "arguments");
            walk.this.map_or(Value::Unknown, Value::Super)
        }
        _ => walk.field(node, "object"),
    };
    let member = walk.member(name, value, role);
    match value {
        Value::Itself(model) if MANAGERS.contains(&walk.text_of(name)) => {
            walk.choice(Choice::Guarded(member, Value::Collection(model)))
        }
        _ => member,
    }
}

/// Attributes by which a model of Django gives access to all of its instances.
const MANAGERS: &[&str] = &["objects", "_default_manager", "_base_manager"];

/// The import of the module that `a.b` is after `import a.b` or `import a.b.c`.
fn imported_module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<u32> {
    let mut root = node;
    while root.kind() == "attribute" {
        root = field(root, "object")?;
    }
    if root.kind() != "identifier" || walk.is_bound(root) {
        return None;
    }
    walk.dotted_import(walk.text_of(node))
}

fn is_super_call(walk: &Walk<'_>, node: Node<'_>) -> bool {
    node.kind() == "call" && field(node, "function").is_some_and(|function| walk.text_of(function) == "super")
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let called = walk.field_as(node, "function", Role::Call);
    let first = field(node, "arguments").and_then(|arguments| arguments.named_child(0));
    let name = field(node, "function").map_or("", |function| walk.text_of(function));
    let Some(arguments) = field(node, "arguments") else { return called.called() };
    if RETURN_FIRST.contains(&name)
        && let Some(first) = first
    {
        let value = type_value(walk, first);
        for argument in named_children(arguments).skip(1) {
            walk.visit(argument);
        }
        return value;
    }
    if arguments.kind() != "argument_list" {
        walk.visit(arguments);
        return called.called();
    }
    if name == "map" {
        return mapped(walk, arguments);
    }
    if ELEMENTS_OF.contains(&name) || ELEMENT_OF.contains(&name) {
        let value = given_elements(walk, named_children(arguments));
        return if ELEMENT_OF.contains(&name) { value.element() } else { value };
    }
    if name.ends_with(".sort") {
        walk.callback[0] = walk.receiver(called).element();
    }
    let is_patch = name.split('.').any(|part| part.contains("patch"));
    let mut named = Value::Unknown;
    for (at, argument) in named_children(arguments).enumerate() {
        match argument.kind() {
            "keyword_argument" => keyword_of(walk, argument, called),
            "string" if is_patch => patched(walk, argument),
            kind => {
                let value = walk.visit(argument);
                let is_class = at == 0
                    && matches!(kind, "identifier" | "attribute")
                    && walk
                        .text_of(argument)
                        .rsplit('.')
                        .next()
                        .is_some_and(|name| name.starts_with(char::is_uppercase));
                named = if is_class { value } else { named };
            }
        }
    }
    walk.callback = Default::default();
    walk.inferred(called.called(), named)
}

/// The collection among arguments, whose elements the lambdas among them get.
fn given_elements<'t>(walk: &mut Walk<'t>, arguments: impl Iterator<Item = Node<'t>>) -> Value {
    let is_lambda = |argument: &Node<'t>| field(*argument, "value").unwrap_or(*argument).kind() == "lambda";
    let (lambdas, others): (Vec<_>, Vec<_>) = arguments.partition(is_lambda);
    let values: Vec<Value> = others.into_iter().map(|argument| walk.visit(argument)).collect();
    let value = values.into_iter().find(|value| value.element() != Value::Unknown).unwrap_or_default();
    for lambda in lambdas {
        walk.callback[0] = value.element();
        walk.visit(lambda);
    }
    value
}

/// `map(function, elements)`: a collection of what the function returns.
fn mapped<'t>(walk: &mut Walk<'t>, arguments: Node<'t>) -> Value {
    let Some(function) = arguments.named_child(0) else { return Value::Unknown };
    let held = given_elements(walk, named_children(arguments).skip(1));
    walk.callback[0] = held.element();
    walk.result = Value::Unknown;
    let value = walk.visit(function);
    walk.callback = Default::default();
    walk.result.or(value.called()).collection()
}

/// Functions of Python that return a collection of the elements that they are given.
const ELEMENTS_OF: &[&str] = &[
    "list",
    "tuple",
    "set",
    "frozenset",
    "sorted",
    "reversed",
    "iter",
    "filter",
    "chain",
    "itertools.chain",
    "islice",
    "itertools.islice",
];

/// Functions of Python that return one of the elements that they are given.
const ELEMENT_OF: &[&str] = &["next", "min", "max", "random.choice"];

/// Functions that return an instance of the class that they are given first.
const RETURN_FIRST: &[&str] = &["cast", "typing.cast", "get_object_or_404", "aget_object_or_404"];

/// `patch('shop.tax.rate')`: what a test replaces.
fn patched<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(content) = child(node, "string_content") else { return };
    let Some((module, name)) = walk.text_of(content).rsplit_once('.').filter(|(module, name)| {
        module
            .split('.')
            .chain([*name])
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
    }) else {
        return;
    };
    let id = walk.id(name);
    let at = walk.import(node, None, module, Imported::Name(id), false);
    let range = module.len() + 1..module.len() + 1 + name.len();
    walk.name_in(content, range, Role::Read, Some(Site::Import(at)));
}

/// `f(name=value)`: the name is a parameter, or the field of a data class.
fn keyword_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, called: Value) {
    if let (Some(name), Value::Itself(_)) = (field(node, "name"), called) {
        walk.at_site(name, Role::Write, Site::Key(called.called()));
    }
    walk.field(node, "value");
}

fn keyword_argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "value")
}

fn subscript<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "value");
    walk.children_except(node, &["value"]);
    value.element()
}

fn either<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let left = walk.field(node, "left");
    let right = walk.field(node, "right");
    walk.either(left, right)
}

fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let values: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
    match values[..] {
        [first, _, other] => walk.either(first, other),
        _ => Value::Unknown,
    }
}

/// The clauses first: they declare what the body uses.
fn comprehension<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.scope(ScopeKind::Function, |walk| {
        walk.children_except(node, &["body"]);
        walk.field(node, "body")
    });
    match value {
        Value::Called(of) => Value::Collection(of),
        Value::Instance(of) => Value::Collection(of),
        _ => Value::Builtin,
    }
}

fn iteration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
        walk.children(node);
        return Value::Unknown;
    };
    match is_pattern(left).then(|| joined(walk, right)).flatten() {
        Some(parts) => assign_parts(walk, left, &parts),
        None => {
            let element = walk.visit(right).element();
            assign(walk, left, left, element);
        }
    }
    walk.children_except(node, &["left", "right"]);
    Value::Unknown
}

/// The parts of the elements of `enumerate(x)`, `zip(x, y)` and `x.items()`.
fn joined<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Vec<Value>> {
    let function = field(node, "function")?;
    let arguments = field(node, "arguments").filter(|arguments| arguments.kind() == "argument_list")?;
    let is_items = function.kind() == "attribute"
        && field(function, "attribute").is_some_and(|name| walk.text_of(name) == "items");
    if is_items {
        return Some(vec![Value::Unknown, walk.visit(node).element()]);
    }
    let is_enumerated = walk.text_of(function) == "enumerate";
    if !is_enumerated && walk.text_of(function) != "zip" {
        return None;
    }
    walk.visit_as(function, Role::Call);
    let elements = named_children(arguments).map(|argument| walk.visit(argument).element());
    let elements: Vec<Value> = elements.collect();
    let counter = is_enumerated.then_some(Value::Builtin);
    Some(counter.into_iter().chain(elements).collect())
}

fn is_pattern(left: Node<'_>) -> bool {
    matches!(left.kind(), "pattern_list" | "tuple_pattern" | "list_pattern")
}

/// Binds the parts of a pattern to values, those without one to what is unknown.
fn assign_parts<'t>(walk: &mut Walk<'t>, left: Node<'t>, values: &[Value]) {
    for (at, part) in named_children(left).enumerate() {
        assign(walk, part, part, values.get(at).copied().unwrap_or_default());
    }
}

/// `with open() as name`, `except Error as name`.
fn as_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(first) = node.named_child(0) else { return Value::Unknown };
    let value = walk.visit(first);
    let is_exception = node.parent().is_some_and(|parent| parent.kind() == "except_clause");
    let target = field(node, "alias").and_then(|alias| alias.named_child(0));
    if let Some(target) = target {
        assign(walk, target, target, if is_exception { value.instance() } else { value });
    }
    value
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = walk.field(node, "type");
    let (left, right) = (field(node, "left"), field(node, "right"));
    // `a, b = A(), B()`
    if let (Some(left), Some(right)) = (left.filter(|left| is_pattern(*left)), right)
        && matches!(right.kind(), "expression_list" | "tuple")
    {
        let values: Vec<Value> = named_children(right).map(|part| walk.visit(part)).collect();
        assign_parts(walk, left, &values);
        return Value::Unknown;
    }
    let value = right.map_or(Value::Unknown, |right| walk.visit(right));
    if let Some(left) = left {
        if walk.text_of(left) == "__all__" {
            exported_names(walk, node);
        }
        assign(walk, left, node, declared.or(value));
    }
    value
}

/// The names that `__all__` lists.
fn exported_names<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = field(node, "right").filter(|list| matches!(list.kind(), "list" | "tuple")) else {
        return;
    };
    for name in named_children(list).filter_map(|part| child(part, "string_content")) {
        walk.at_site(name, Role::Import, Site::Bare);
    }
}

fn augmented<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "left", Role::Write);
    walk.field(node, "right");
    Value::Unknown
}

fn named<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "value");
    if let Some(name) = field(node, "name") {
        assign(walk, name, name, value);
    }
    value
}

/// Binds a pattern to a value.
fn assign<'t>(walk: &mut Walk<'t>, left: Node<'t>, whole: Node<'t>, value: Value) {
    match left.kind() {
        "identifier" if walk.is_in_type() => member(walk, walk.this, left, whole, value),
        "identifier" if walk.is_declared_outside(left) => member(walk, None, left, whole, value),
        "identifier" if walk.is_in_function() => {
            if !walk.declare_in_function(left, value) {
                walk.visit_as(left, Role::Write);
            }
        }
        "identifier" => member(walk, None, left, whole, value),
        "attribute" => attribute_assigned(walk, left, whole, value),
        "pattern_list"
        | "tuple_pattern"
        | "list_pattern"
        | "list_splat_pattern"
        | "tuple"
        | "list"
        | "as_pattern_target"
        | "parenthesized_expression" => {
            for (at, part) in named_children(left).enumerate() {
                let value = walk.part_or_element(value, at);
                assign(walk, part, part, value);
            }
        }
        _ => {
            walk.visit_as(left, Role::Write);
        }
    }
}

/// A variable of a module or of a class: the first assignment defines it.
fn member<'t>(
    walk: &mut Walk<'t>,
    owner: Option<crate::names::DefinitionIx>,
    name: Node<'t>,
    whole: Node<'t>,
    value: Value,
) {
    if let Some(known) = walk.member_defined_as(owner, name) {
        walk.at_site(name, Role::Write, Site::Bare);
        walk.set_value(known, value);
        if owner.is_none() && !walk.is_in_function() {
            assigned_again(walk, known, name, whole, value);
        }
        return;
    }
    let is_constant = walk.text_of(name).chars().all(|c| !c.is_lowercase());
    let kind = match owner {
        Some(_) => DefinitionKind::Field,
        None if is_constant => DefinitionKind::Constant,
        None => DefinitionKind::Variable,
    };
    if let Some(definition) = walk.define_in(owner, name, whole, kind, Traits::default()) {
        walk.set_value(definition, value);
    }
}

/// A variable of the module holds another value from here on, or in a branch perhaps.
fn assigned_again<'t>(
    walk: &mut Walk<'t>,
    variable: crate::names::DefinitionIx,
    name: Node<'t>,
    whole: Node<'t>,
    value: Value,
) {
    let statement = whole.parent().and_then(|statement| statement.parent());
    let before = walk.narrowed(name).unwrap_or(Value::Itself(Source::Definition(variable)));
    let now = match statement {
        Some(outer) if outer.kind() == "module" => value,
        _ => walk.choice(Choice::Union(before, value)),
    };
    walk.narrow(name, now);
}

/// `self.name = value` defines a field.
fn attribute_assigned<'t>(walk: &mut Walk<'t>, left: Node<'t>, whole: Node<'t>, value: Value) {
    let (Some(object), Some(name)) = (field(left, "object"), field(left, "attribute")) else { return };
    let of = walk.visit(object);
    match (of, walk.this) {
        (Value::Instance(Source::Definition(owner)), Some(this)) if owner == this => {
            if let Some(known) = walk.member_defined_as(Some(owner), name) {
                walk.member(name, of, Role::Write);
                walk.set_value(known, value);
            } else if let Some(definition) =
                walk.define_in(Some(owner), name, whole, DefinitionKind::Field, Traits::default())
            {
                walk.set_value(definition, value);
            }
        }
        _ => {
            walk.member(name, of, Role::Write);
        }
    }
}

fn global<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for name in named_children(node) {
        walk.declare_outside(name);
        walk.at_site(name, Role::Read, Site::Bare);
    }
    Value::Unknown
}

fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node) {
        let (module, alias) = match part.kind() {
            "aliased_import" => (field(part, "name"), field(part, "alias")),
            _ => (Some(part), None),
        };
        let Some(module) = module else { continue };
        let text = walk.text_of(module);
        if alias.is_none() {
            // `import a.b` brings in `a`, and `a.b` as a member of it.
            for (end, _) in text.match_indices('.') {
                walk.import(node, Some(&text[..end]), &text[..end], Imported::Module, false);
            }
        }
        let local = alias.map_or(text, |alias| walk.text_of(alias));
        let at = walk.import(node, Some(local), text, Imported::Module, false);
        if let Some(last) = module.named_child(module.named_child_count().saturating_sub(1) as u32) {
            walk.at_site(last, Role::Import, Site::Import(at));
        }
    }
    Value::Unknown
}

fn import_from<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(module) = field(node, "module_name").map(|module| walk.text_of(module)) else {
        return Value::Unknown;
    };
    if child(node, "wildcard_import").is_some() {
        walk.import(node, None, module, Imported::All, true);
    }
    let mut cursor = node.walk();
    for part in node.children_by_field_name("name", &mut cursor) {
        let (name, alias) = match part.kind() {
            "aliased_import" => (field(part, "name"), field(part, "alias")),
            _ => (Some(part), None),
        };
        let Some(name) = name else { continue };
        let id = walk.id(walk.text_of(name));
        let local = alias.map_or(walk.text_of(name), |alias| walk.text_of(alias));
        let at = walk.import(part, Some(local), module, Imported::Name(id), true);
        walk.at_site(name, Role::Import, Site::Import(at));
    }
    Value::Unknown
}

/// Bare names in patterns are captured, all others refer to something.
fn case_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node) {
        match part.kind() {
            "dotted_name" if part.named_child_count() == 1 => {
                if let Some(name) = part.named_child(0) {
                    walk.declare_in_function(name, Value::Unknown);
                }
            }
            "dotted_name" => dotted(walk, part),
            "class_pattern" => {
                for inner in named_children(part) {
                    match inner.kind() {
                        "dotted_name" => dotted(walk, inner),
                        _ => {
                            walk.visit(inner);
                        }
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

fn dotted<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let mut value = None;
    for name in named_children(node) {
        value = Some(match value {
            None => walk.name(name, Role::Type),
            Some(of) => walk.member(name, of, Role::Type),
        });
    }
}
