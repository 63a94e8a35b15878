//! Functions, classes and fixtures of Python.

use super::types::{is_type_variable, type_value, type_variables};
use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionKind, FIXTURES, Imported, Role, Site, Source, Traits, Value};

pub(super) fn decorated<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
pub(super) enum Provides {
    /// The function is no generator, or is used as one.
    Itself,
    /// `with` gives what it yields.
    Context,
    /// A test has a parameter of its name.
    Fixture,
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    function_with(walk, node, Traits::default(), Provides::Itself)
}

pub(super) fn function_with<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    traits: Traits,
    provides: Provides,
) -> Value {
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
pub(super) fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>, receiver: Value, takes_fixtures: bool) {
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
pub(super) fn fixture<'t>(walk: &mut Walk<'t>, name: Node<'t>) -> Value {
    if name.kind() != "identifier" || matches!(walk.text_of(name), "self" | "cls" | "request") {
        return Value::Unknown;
    }
    let what = Imported::Name(walk.id_of(&format!("{FIXTURES}{}", walk.text_of(name))));
    let at = walk.import(name, None, FIXTURES, what, false);
    walk.at_site(name, Role::Read, Site::Import(at)).called()
}

pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

pub(super) fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let [first, _] = std::mem::take(&mut walk.callback);
    walk.result = walk.scope(ScopeKind::Function, |walk| {
        if let Some(list) = field(node, "parameters") {
            // Its first parameter is what it is given, as that of a method is its instance.
            parameters(walk, list, first, false);
        }
        walk.field(node, "body")
    });
    Value::Unknown
}

pub(super) fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
pub(super) fn yielded<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    if value != Value::Builtin && child(node, "from").is_none() {
        let is_whole = is_in_provider(walk, node);
        walk.returns(if is_whole { value } else { value.collection() });
    }
    Value::Unknown
}

/// Whether the function around a node is decorated as a context manager or a fixture.
pub(super) fn is_in_provider<'t>(walk: &Walk<'t>, node: Node<'t>) -> bool {
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
