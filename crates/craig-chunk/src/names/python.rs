//! Names in Python.

use tree_sitter::Node;

use super::walk::NameRule::{Inside, Literal, Name, Read, Skip, Transparent};
use super::walk::{NameTable, ScopeKind, Walk};
use super::{DefinitionKind, Imported, Role, Site, Source, Traits, Value};
use crate::grammar::{child, field, named_children};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Skip),
        ("string", Read(string)),
        ("integer", Literal),
        ("float", Literal),
        ("true", Literal),
        ("false", Literal),
        ("identifier", Name),
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

fn literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match walk.children(node) {
        // `[Shape(), …]`
        Value::Called(of) if node.kind() == "list" => Value::Collection(of),
        _ => Value::Builtin,
    }
}

fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let object = field(node, "object");
    let value = match object {
        Some(object) if is_super_call(walk, object) => walk.this.map_or(Value::Unknown, Value::Super),
        _ => walk.field(node, "object"),
    };
    field(node, "attribute").map_or(Value::Unknown, |name| walk.member(name, value, role))
}

fn is_super_call(walk: &Walk<'_>, node: Node<'_>) -> bool {
    node.kind() == "call" && field(node, "function").is_some_and(|function| walk.text_of(function) == "super")
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let called = walk.field_as(node, "function", Role::Call);
    let first = field(node, "arguments").and_then(|arguments| arguments.named_child(0));
    let is_cast = field(node, "function").is_some_and(|function| walk.text_of(function) == "cast");
    let Some(arguments) = field(node, "arguments") else { return called.called() };
    if is_cast && let Some(first) = first {
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
    for argument in named_children(arguments) {
        if argument.kind() == "keyword_argument" {
            keyword_of(walk, argument, called);
        } else {
            walk.visit(argument);
        }
    }
    called.called()
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
    if matches!(left, Value::Builtin) { right } else { left.or(right) }
}

fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let values: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
    match values[..] {
        [first, _, other] => {
            if first == Value::Builtin {
                other
            } else {
                first.or(other)
            }
        }
        _ => Value::Unknown,
    }
}

/// The node of an annotation.
fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    node.named_child(0).map_or(Value::Unknown, |inner| type_value(walk, inner))
}

/// A type as an expression: its value is an instance of it.
fn type_value<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    match node.kind() {
        "type" => annotation(walk, node),
        "identifier" | "attribute" => walk.visit_as(node, Role::Type).instance(),
        "none" => Value::Builtin,
        // A forward reference.
        "string" => {
            let content = child(node, "string_content");
            let is_name = |node: &Node<'_>| {
                let text = walk.text_of(*node);
                !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
            };
            match content.filter(is_name) {
                Some(content) => walk.name(content, Role::Type).instance(),
                None => Value::Unknown,
            }
        }
        "binary_operator" | "union_type" => {
            let parts: Vec<Value> = named_children(node).map(|part| type_value(walk, part)).collect();
            parts
                .into_iter()
                .find(|part| !matches!(part, Value::Unknown | Value::Builtin))
                .unwrap_or_default()
        }
        "subscript" | "generic_type" => generic(walk, node),
        _ => {
            walk.visit_as(node, Role::Type);
            Value::Unknown
        }
    }
}

const WRAPPERS: &[&str] = &[
    "Optional",
    "Union",
    "Annotated",
    "Final",
    "ClassVar",
    "Awaitable",
    "Type",
    "type",
    "Required",
    "NotRequired",
    "ReadOnly",
    "Coroutine",
];
const COLLECTIONS: &[&str] = &[
    "List",
    "list",
    "Set",
    "set",
    "FrozenSet",
    "frozenset",
    "Sequence",
    "MutableSequence",
    "Iterable",
    "Iterator",
    "Tuple",
    "tuple",
    "AsyncIterator",
    "AsyncIterable",
    "Generator",
    "AsyncGenerator",
    "Collection",
    "Deque",
    "deque",
    "Dict",
    "dict",
    "Mapping",
    "MutableMapping",
    "defaultdict",
    "OrderedDict",
];

/// `Optional[Shape]`, `list[Shape]`, `Box[Shape]`.
fn generic<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut parts = named_children(node);
    let Some(first) = parts.next() else { return Value::Unknown };
    let whole = walk.visit_as(first, Role::Type);
    let name = walk.text_of(first).rsplit('.').next().unwrap_or_default();
    let mut values = Vec::new();
    for part in parts {
        match part.kind() {
            "type_parameter" => {
                values.extend(named_children(part).map(|part| type_value(walk, part)));
            }
            _ => values.push(type_value(walk, part)),
        }
    }
    let is_known = |value: &Value| !matches!(value, Value::Unknown | Value::Builtin);
    if WRAPPERS.contains(&name) {
        let value = values.into_iter().find(is_known).unwrap_or_default();
        return match (name, value) {
            ("Type" | "type", Value::Instance(of)) => Value::Itself(of),
            (_, value) => value,
        };
    }
    if COLLECTIONS.contains(&name) {
        let value = if name.to_lowercase().contains("dict") || name.contains("Mapping") {
            values.pop().unwrap_or_default()
        } else {
            values.into_iter().find(is_known).unwrap_or_default()
        };
        return value.collection().or(Value::Builtin);
    }
    whole.instance()
}

fn decorated<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["definition"]);
    let mut traits = Traits::default();
    for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
        let name = walk.text_of(decorator).trim_start_matches('@').trim();
        let name = name.split('(').next().unwrap_or_default();
        traits = match name.rsplit('.').next().unwrap_or_default() {
            "property" | "cached_property" => traits.and(Traits::PROPERTY),
            "staticmethod" => traits.and(Traits::STATIC),
            "classmethod" => traits.and(Traits::STATIC).and(Traits::EXTENSION),
            "overload" => traits.and(Traits::DECLARATION),
            "setter" | "deleter" | "getter" => traits.and(Traits::PROPERTY),
            _ => traits,
        };
    }
    match field(node, "definition") {
        Some(inner) if inner.kind() == "function_definition" => function_with(walk, inner, traits),
        Some(inner) => walk.visit(inner),
        None => Value::Unknown,
    }
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    function_with(walk, node, Traits::default())
}

fn function_with<'t>(walk: &mut Walk<'t>, node: Node<'t>, traits: Traits) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_method = walk.is_in_type();
    let kind = if is_method { DefinitionKind::Method } else { DefinitionKind::Function };
    let is_class_method = traits.has(Traits::EXTENSION);
    let kept = Traits(traits.0 & !Traits::EXTENSION.0);
    let Some(definition) = walk.define(name, node, kind, kept) else { return Value::Unknown };
    if !is_method {
        walk.bind(definition);
    }
    walk.function(Some(definition), |walk| {
        let receiver = match (is_method, walk.this) {
            (true, Some(this)) if is_class_method => Value::Itself(Source::Definition(this)),
            (true, Some(_)) if !traits.has(Traits::STATIC) => walk.this_value(),
            _ => Value::Unknown,
        };
        if let Some(list) = field(node, "parameters") {
            parameters(walk, list, receiver);
        }
        let declared = walk.field(node, "return_type");
        walk.field(node, "body");
        declared
    });
    Value::Itself(Source::Definition(definition))
}

fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>, receiver: Value) {
    for (at, parameter) in named_children(list).enumerate() {
        let default = walk.field(parameter, "value");
        let declared = walk.field(parameter, "type");
        let name = field(parameter, "name").or_else(|| match parameter.kind() {
            "identifier" => Some(parameter),
            _ => parameter.named_child(0).filter(|name| name.kind() != "type"),
        });
        let (name, value) = match name {
            Some(name) if name.kind() == "list_splat_pattern" => (name.named_child(0), declared.collection()),
            Some(name) if name.kind() == "dictionary_splat_pattern" => (name.named_child(0), Value::Builtin),
            Some(name) if at == 0 && receiver != Value::Unknown => (Some(name), receiver),
            name => (name, declared.or(default)),
        };
        if let Some(name) = name.filter(|name| name.kind() == "identifier") {
            walk.declare_local(name, value);
        }
    }
}

fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(definition) = walk.define(name, node, DefinitionKind::Class, Traits::default()) else {
        return Value::Unknown;
    };
    let mut supers = Vec::new();
    if let Some(list) = field(node, "superclasses") {
        for part in named_children(list) {
            let value = match part.kind() {
                "keyword_argument" => walk.field(part, "value"),
                // `Base[T]`
                "subscript" => {
                    let value = walk.field_as(part, "value", Role::Inherit);
                    walk.children_except(part, &["value"]);
                    value
                }
                _ => walk.visit_as(part, Role::Inherit),
            };
            if part.kind() != "keyword_argument" {
                supers.push(value);
            }
        }
    }
    if !walk.is_in_type() {
        walk.bind(definition);
    }
    if let Some(known) = walk.definition(definition) {
        known.supers = supers;
    }
    walk.inside_type(definition, |walk| walk.field(node, "body"));
    Value::Itself(Source::Definition(definition))
}

fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Function, |walk| {
        if let Some(list) = field(node, "parameters") {
            parameters(walk, list, Value::Unknown);
        }
        walk.field(node, "body");
    });
    Value::Unknown
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
    let element = walk.field(node, "right").element();
    if let Some(left) = field(node, "left") {
        assign(walk, left, left, element);
    }
    walk.children_except(node, &["left", "right"]);
    Value::Unknown
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
    let value = walk.field(node, "right");
    if let Some(left) = field(node, "left") {
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
            for part in named_children(left) {
                assign(walk, part, part, Value::Unknown);
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
    owner: Option<super::DefinitionIx>,
    name: Node<'t>,
    whole: Node<'t>,
    value: Value,
) {
    if walk.is_defined(owner, name) {
        walk.at_site(name, Role::Write, Site::Bare);
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

/// `self.name = value` defines a field.
fn attribute_assigned<'t>(walk: &mut Walk<'t>, left: Node<'t>, whole: Node<'t>, value: Value) {
    let (Some(object), Some(name)) = (field(left, "object"), field(left, "attribute")) else { return };
    let of = walk.visit(object);
    match (of, walk.this) {
        (Value::Instance(Source::Definition(owner)), Some(this)) if owner == this => {
            if walk.is_defined(Some(owner), name) {
                walk.member(name, of, Role::Write);
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

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    if value != Value::Builtin {
        walk.returns(value);
    }
    Value::Unknown
}

fn global<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for name in named_children(node) {
        walk.is_global(name);
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
        // `import a.b` brings in `a`.
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

fn type_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "right");
    let mut name = field(node, "left").and_then(|left| left.named_child(0));
    if let Some(generic) = name.filter(|name| name.kind() == "generic_type") {
        name = generic.named_child(0);
    }
    if let Some(name) = name.filter(|name| name.kind() == "identifier")
        && let Some(definition) = walk.define(name, node, DefinitionKind::Type, Traits::default())
    {
        walk.set_value(definition, value);
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
