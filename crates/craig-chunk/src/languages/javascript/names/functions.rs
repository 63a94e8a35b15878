//! Functions, their parameters and results.

use tree_sitter::Node;

use super::doc;
use super::objects::{FUNCTIONS, bare, is_constructor_name, object_in, value_of};
use super::variables::pattern;
use crate::grammar::{child, field, named_children};
use crate::names::doc::Comment;
use crate::names::walk::Walk;
use crate::names::{DefinitionIx, DefinitionKind, Parameter, Source, Traits, Value};

/// The parameters, result and body of a function that is defined as `at`.
pub(super) fn function_body<'t>(walk: &mut Walk<'t>, at: Option<DefinitionIx>, node: Node<'t>) {
    walk.function(at, |walk| {
        // By its own name it may call itself.
        if let (Some(own), Some(at)) = (field(node, "name").filter(|_| FUNCTIONS.contains(&node.kind())), at)
        {
            walk.bind_as(own, at);
        }
        signature(walk, node)
    });
    if let Some(at) = at {
        walk.set_parameters(at);
    }
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_signature = node.kind() == "function_signature";
    let traits = if is_signature { Traits::DECLARATION } else { Traits::default() };
    let Some(at) = walk.define(name, node, DefinitionKind::Function, traits) else { return Value::Unknown };
    walk.bind(at);
    let before = walk.this;
    walk.this = is_constructor_name(walk.text_of(name)).then_some(at);
    function_body(walk, Some(at), node);
    walk.this = before;
    Value::Itself(Source::Definition(at))
}

pub(super) fn function_expression<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

pub(super) fn function_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.function(None, |walk| signature(walk, node));
    Value::Unknown
}

/// Parameters, result and body; the declared result.
pub(super) fn signature<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let expected = std::mem::take(&mut walk.expected);
    let expected = walk.first_of(expected);
    let callback = std::mem::take(&mut walk.callback);
    type_parameters(walk, node);
    let doc = walk.doc_before(node);
    walk.doc = None;
    if let Some(doc) = doc {
        doc::templates(walk, doc);
    }
    let mut parameters = Vec::new();
    if let Some(list) = field(node, "parameters") {
        let named = named_children(list).filter(|node| node.kind() != "comment");
        for parameter in named {
            let at = parameters.len();
            let wanted = callback.get(at).copied().unwrap_or_default().or(expected.parameter(at));
            parameters.extend(self::parameter(walk, parameter, doc, wanted));
        }
    }
    if let Some(only) = field(node, "parameter") {
        pattern(walk, only, callback[0].or(expected.parameter(0)));
    }
    let documented = doc.map_or(Value::Unknown, |doc| doc::returned(walk, doc));
    let declared = body(walk, node, documented);
    walk.parameters = parameters;
    declared
}

/// The result and the body of a function; the declared result.
fn body<'t>(walk: &mut Walk<'t>, node: Node<'t>, documented: Value) -> Value {
    let declared = walk.field(node, "return_type").instance().or(documented);
    let Some(body) = field(node, "body") else {
        // What `new (): T` of an interface makes.
        let made = walk.field(node, "type").instance();
        return declared.or(made);
    };
    let before = std::mem::replace(&mut walk.declared, declared);
    if body.kind() == "statement_block" {
        walk.children(body);
    } else {
        let is_object = bare(body).kind() == "object";
        walk.expected = if is_object { declared } else { Value::Unknown };
        read_result(walk, body);
    }
    walk.declared = before;
    declared
}

/// Reads what the enclosing function returns.
pub(super) fn read_result<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let is_object = object_in(walk, node).is_some();
    let value = value_of(walk, node);
    walk.expected = Value::Unknown;
    match value {
        Value::Builtin => {}
        Value::Instance(Source::Definition(_)) if is_object => walk.returns_object(value),
        _ => walk.returns(value),
    }
}

pub(super) fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = field(node, "type_parameters") else { return };
    for (at, parameter) in named_children(list).enumerate() {
        let bound = walk.field(parameter, "constraint").instance();
        let default = walk.field(parameter, "value").instance();
        if let Some(name) = field(parameter, "name") {
            let bound = if bound.is_typed() { bound } else { default };
            walk.declare_type_parameter(name, at, bound);
        }
    }
}

/// A parameter; `None` for `this`.
fn parameter<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    doc: Option<Comment<'t>>,
    expected: Value,
) -> Option<Parameter> {
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
                // Whoever reads the parameter mentions the property.
                walk.bind(at);
                return Some(Parameter { value: declared.or(default), takes });
            }
            if name.kind() == "this" {
                return None;
            }
            pattern(walk, name, value);
            Some(Parameter { value: declared.or(default), takes })
        }
        _ => {
            let name = field(node, "left").unwrap_or(node);
            let documented = match doc {
                Some(doc) => doc::parameter(walk, doc, walk.text_of(name).trim_start_matches('.')),
                None => Parameter::default(),
            };
            pattern(walk, node, documented.value.or(expected));
            Some(documented)
        }
    }
}

/// Whether a type is that of a function, where it stands or behind its annotation.
pub(super) fn is_function_type(node: Node<'_>) -> bool {
    match node.kind() {
        "function_type" => true,
        "type_annotation" | "parenthesized_type" => node.named_child(0).is_some_and(is_function_type),
        _ => false,
    }
}
