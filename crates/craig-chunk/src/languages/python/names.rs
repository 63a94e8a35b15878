//! Names in Python.

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::NameRule::{Inside, Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{Choice, DefinitionKind, FIXTURES, Imported, Role, Site, Source, Traits, Value};

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
    if ELEMENTS_OF.contains(&name) || ELEMENT_OF.contains(&name) {
        let values: Vec<Value> = named_children(arguments).map(|argument| walk.visit(argument)).collect();
        let value = values.into_iter().find(|value| value.element() != Value::Unknown).unwrap_or_default();
        return if ELEMENT_OF.contains(&name) { value.element() } else { value };
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
    walk.inferred(called.called(), named)
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
        "string" => child(node, "string_content").map_or(Value::Unknown, |text| quoted_type(walk, text)),
        "binary_operator" | "union_type" => {
            let parts: Vec<Value> = named_children(node).map(|part| type_value(walk, part)).collect();
            parts.into_iter().find(|part| part.is_typed()).unwrap_or_default()
        }
        "subscript" | "generic_type" => generic(walk, node),
        _ => {
            walk.visit_as(node, Role::Type);
            Value::Unknown
        }
    }
}

/// A type in quotes: `'Store'`, `'shop.Store | None'`, `'list[Store]'`.
fn quoted_type<'t>(walk: &mut Walk<'t>, content: Node<'t>) -> Value {
    let text = walk.text_of(content);
    let mut found = Value::Unknown;
    let mut is_several = false;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut at = 0;
    while let Some(start) = text[at..].find(is_part).map(|start| at + start) {
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |end| start + end);
        at = end;
        let last = text[start..end].rsplit('.').next().unwrap_or_default();
        let value = match last {
            "None" => continue,
            _ if WRAPPERS.contains(&last) => continue,
            _ if COLLECTIONS.contains(&last) => {
                is_several |= found == Value::Unknown;
                continue;
            }
            _ => quoted_name(walk, content, start, end).instance(),
        };
        found = found.or(value);
    }
    if is_several { found.collection() } else { found }
}

/// A dotted name in quotes, at these bytes of the string.
fn quoted_name<'t>(walk: &mut Walk<'t>, content: Node<'t>, start: usize, end: usize) -> Value {
    let text = &walk.text_of(content)[start..end];
    let mut value = Value::Unknown;
    let mut at = 0;
    for part in text.split('.') {
        let range = start + at..start + at + part.len();
        let path = &text[..at + part.len()];
        let site = match (at, walk.dotted_import(path)) {
            (0, _) => None,
            (_, Some(module)) => Some(Site::Import(module)),
            (_, None) => Some(Site::Member(value)),
        };
        value = walk.name_in(content, range, Role::Type, site);
        at += part.len() + 1;
    }
    value
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
    let is_known = |value: &Value| value.is_typed();
    if WRAPPERS.contains(&name) {
        let value = values.into_iter().find(is_known).unwrap_or_default();
        return match (name, value) {
            ("Type" | "type", Value::Instance(of)) => Value::Itself(of),
            (_, value) => value,
        };
    }
    if matches!(name, "Tuple" | "tuple") && !walk.text_of(node).contains("...") {
        return walk.tuple(node, &values);
    }
    if COLLECTIONS.contains(&name) {
        let value = if name.to_lowercase().contains("dict") || name.contains("Mapping") {
            values.pop().unwrap_or_default()
        } else {
            values.into_iter().find(is_known).unwrap_or_default()
        };
        return value.collection().or(Value::Builtin);
    }
    walk.applied(whole, values)
}

fn decorated<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["definition"]);
    let mut traits = Traits::default();
    let mut provides = Provides::Itself;
    for decorator in named_children(node).filter(|part| part.kind() == "decorator") {
        let name = walk.text_of(decorator).trim_start_matches('@').trim();
        let name = name.split('(').next().unwrap_or_default();
        let last = name.rsplit('.').next().unwrap_or_default();
        match last {
            "fixture" => provides = Provides::Fixture,
            "contextmanager" | "asynccontextmanager" => provides = Provides::Context,
            _ => {}
        }
        traits = match last {
            "property" | "cached_property" => traits.and(Traits::PROPERTY),
            "staticmethod" => traits.and(Traits::STATIC),
            "classmethod" => traits.and(Traits::STATIC).and(Traits::EXTENSION),
            "overload" => traits.and(Traits::DECLARATION),
            "setter" | "deleter" | "getter" => traits.and(Traits::PROPERTY),
            _ => traits,
        };
    }
    match field(node, "definition") {
        Some(inner) if inner.kind() == "function_definition" => {
            let value = function_with(walk, inner, traits, provides);
            if provides == Provides::Fixture
                && let Some(name) = field(inner, "name")
            {
                walk.export_as(&format!("{FIXTURES}{}", walk.text_of(name)), value);
            }
            value
        }
        Some(inner) => walk.visit(inner),
        None => Value::Unknown,
    }
}

/// What a decorator makes of the values that a function yields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Provides {
    /// The function is no generator, or is used as one.
    Itself,
    /// `with` gives what it yields.
    Context,
    /// A test has a parameter of its name.
    Fixture,
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    function_with(walk, node, Traits::default(), Provides::Itself)
}

fn function_with<'t>(walk: &mut Walk<'t>, node: Node<'t>, traits: Traits, provides: Provides) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_method = walk.is_in_type();
    let kind = if is_method { DefinitionKind::Method } else { DefinitionKind::Function };
    let is_class_method = traits.has(Traits::EXTENSION);
    let kept = Traits(traits.0 & !Traits::EXTENSION.0);
    let Some(definition) = walk.define(name, node, kind, kept) else { return Value::Unknown };
    if !is_method {
        walk.bind(definition);
    }
    let takes_fixtures = provides == Provides::Fixture || walk.text_of(name).starts_with("test");
    walk.function(Some(definition), |walk| {
        let receiver = match (is_method, walk.this) {
            (true, Some(this)) if is_class_method => Value::Itself(Source::Definition(this)),
            (true, Some(_)) if !traits.has(Traits::STATIC) => walk.this_value(),
            _ => Value::Unknown,
        };
        for (at, part) in field(node, "type_parameters").into_iter().flat_map(named_children).enumerate() {
            if let (Some(name), Ok(at)) = (part.named_child(0), u8::try_from(at)) {
                walk.narrow(name, Value::Argument(definition, at));
            }
        }
        if let Some(list) = field(node, "parameters") {
            parameters(walk, list, receiver, takes_fixtures);
        }
        let declared = walk.field(node, "return_type");
        walk.field(node, "body");
        if provides == Provides::Itself { declared } else { declared.element().or(declared) }
    });
    Value::Itself(Source::Definition(definition))
}

/// Declares parameters; those of a test, or of a fixture, may be given what a fixture of their name provides.
fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>, receiver: Value, takes_fixtures: bool) {
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
            Some(name) if takes_fixtures && parameter.kind() != "default_parameter" => {
                let fixture = fixture(walk, name);
                (Some(name), declared.or(fixture))
            }
            name => (name, declared.or(default)),
        };
        if let Some(name) = name.filter(|name| name.kind() == "identifier") {
            walk.declare_local(name, value);
        }
    }
}

/// What the fixture provides that a parameter is named after.
fn fixture<'t>(walk: &mut Walk<'t>, name: Node<'t>) -> Value {
    if name.kind() != "identifier" || matches!(walk.text_of(name), "self" | "cls" | "request") {
        return Value::Unknown;
    }
    let what = Imported::Name(walk.id_of(&format!("{FIXTURES}{}", walk.text_of(name))));
    let at = walk.import(name, None, FIXTURES, what, false);
    walk.at_site(name, Role::Read, Site::Import(at)).called()
}

fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(definition) = walk.define(name, node, DefinitionKind::Class, Traits::default()) else {
        return Value::Unknown;
    };
    let mut supers = Vec::new();
    let mut variables: Vec<Node<'t>> = Vec::new();
    if let Some(list) = field(node, "superclasses") {
        for part in named_children(list) {
            let value = match part.kind() {
                "keyword_argument" => walk.field(part, "value"),
                // `Base[T]`
                "subscript" => {
                    let of = walk.field_as(part, "value", Role::Inherit);
                    let arguments: Vec<Node<'t>> = named_children(part).skip(1).collect();
                    let is_variable = |node: &Node<'t>| {
                        node.kind() == "identifier" && is_type_variable(walk.text_of(*node))
                    };
                    let new = arguments.iter().copied().filter(is_variable);
                    let new: Vec<Node<'t>> = new
                        .filter(|node| {
                            !variables.iter().any(|known| walk.text_of(*known) == walk.text_of(*node))
                        })
                        .collect();
                    variables.extend(new);
                    let facts = type_variables(definition, &variables);
                    let values = walk.narrowing(&facts, |walk| {
                        arguments.into_iter().map(|argument| type_value(walk, argument)).collect()
                    });
                    walk.applied(of, values)
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
    if let Some(list) = field(node, "type_parameters") {
        variables.extend(named_children(list).filter_map(|part| part.named_child(0)));
    }
    let facts = type_variables(definition, &variables);
    walk.narrowing(&facts, |walk| walk.inside_type(definition, |walk| walk.field(node, "body")));
    Value::Itself(Source::Definition(definition))
}

/// Whether a name is written as type variables are: `T`, `KeyT`, `T_co`.
fn is_type_variable(name: &str) -> bool {
    let name = name.trim_end_matches("_co").trim_end_matches("_contra").trim_start_matches('_');
    let is_suffix = |before: char| before.is_lowercase() || before == '_';
    name.len() == 1 && name.starts_with(char::is_uppercase)
        || name.strip_suffix('T').is_some_and(|name| name.ends_with(is_suffix))
}

/// What the type variables of a class stand for in it.
fn type_variables<'t>(definition: crate::names::DefinitionIx, names: &[Node<'t>]) -> Vec<(Node<'t>, Value)> {
    let argument =
        |(at, &name): (usize, &Node<'t>)| Some((name, Value::Argument(definition, u8::try_from(at).ok()?)));
    names.iter().enumerate().filter_map(argument).collect()
}

fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Function, |walk| {
        if let Some(list) = field(node, "parameters") {
            parameters(walk, list, Value::Unknown, false);
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

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let several = node.named_child(0).filter(|list| matches!(list.kind(), "expression_list" | "tuple"));
    let value = match several {
        Some(list) => {
            let parts: Vec<Value> = named_children(list).map(|part| walk.visit(part)).collect();
            walk.tuple(list, &parts)
        }
        None => walk.children(node),
    };
    if value != Value::Builtin {
        walk.returns(value);
    }
    Value::Unknown
}

/// What a generator yields; of a context manager or a fixture, what it provides.
fn yielded<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    if value != Value::Builtin && child(node, "from").is_none() {
        let is_whole = is_in_provider(walk, node);
        walk.returns(if is_whole { value } else { value.collection() });
    }
    Value::Unknown
}

/// Whether the function around a node is decorated as a context manager or a fixture.
fn is_in_provider<'t>(walk: &Walk<'t>, node: Node<'t>) -> bool {
    let mut outer = std::iter::successors(node.parent(), |node| node.parent());
    let function = outer.find(|outer| matches!(outer.kind(), "function_definition" | "lambda"));
    let decorated = function
        .and_then(|function| function.parent())
        .filter(|outer| outer.kind() == "decorated_definition");
    let provides = |decorator: Node<'t>| {
        let text = walk.text_of(decorator);
        text.contains("contextmanager") || text.contains("fixture")
    };
    decorated
        .is_some_and(|outer| named_children(outer).any(|part| part.kind() == "decorator" && provides(part)))
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
