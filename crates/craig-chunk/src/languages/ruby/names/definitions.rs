//! Classes, modules and methods of Ruby.

use super::calls::symbols;
use tree_sitter::Node;

use super::doc;
use crate::grammar::{child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Parameter, Part, Role, Site, Source, Traits, Value};

pub(super) fn types<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        value = match part.kind() {
            "constant" | "scope_resolution" => walk.visit_as(part, Role::Type).instance(),
            _ => walk.visit(part),
        };
    }
    value
}

pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let scope = field(name, "scope");
    if let Some(scope) = scope {
        walk.visit_as(scope, Role::Type);
    }
    let name = field(name, "name").unwrap_or(name);
    let kind = if node.kind() == "class" { DefinitionKind::Class } else { DefinitionKind::Module };
    let Some(definition) = walk.define(name, node, kind, Traits::default()) else { return Value::Unknown };
    if let Some(owner) = scope.map(|scope| field(scope, "name").unwrap_or(scope)) {
        let owner = walk.id(walk.text_of(owner));
        if let Some(known) = walk.definition(definition) {
            known.owner = Some(owner);
        }
    }
    if let Some(above) = field(node, "superclass").and_then(|above| above.named_child(0)) {
        let value = walk.visit_as(above, Role::Inherit);
        add_super(walk, definition, value);
        if let Some(arguments) = fields_of_structure(walk, above) {
            let this = walk.this.replace(definition);
            symbols(walk, arguments, 0..usize::MAX, DefinitionKind::Field, Traits::PROPERTY);
            walk.this = this;
        }
    }
    // A module's `ClassMethods` are those of the classes that include it.
    if let (Some(this), "module", "ClassMethods") = (walk.this, node.kind(), walk.text_of(name)) {
        add_super(walk, this, Value::Itself(Source::Definition(definition)));
    }
    body_of(walk, definition, field(node, "body"));
    Value::Itself(Source::Definition(definition))
}

/// The names of fields among the arguments of `Structure.new(:name, :size)`.
pub(super) fn fields_of_structure<'t>(walk: &Walk<'t>, made: Node<'t>) -> Option<Node<'t>> {
    let maker = field(made, "receiver").filter(|_| made.kind() == "call")?;
    let method = field(made, "method").map_or("", |method| walk.text_of(method));
    let arguments = field(made, "arguments")?;
    let is_field = |part: Node<'_>| matches!(part.kind(), "simple_symbol" | "pair" | "comment");
    let is_structure = matches!(maker.kind(), "constant" | "scope_resolution")
        && matches!(method, "new" | "define")
        && arguments.named_child(0).is_some_and(|first| first.kind() == "simple_symbol")
        && named_children(arguments).all(is_field);
    is_structure.then_some(arguments)
}

pub(super) fn body_of<'t>(walk: &mut Walk<'t>, definition: DefinitionIx, body: Option<Node<'t>>) {
    // The grammar leaves the comment before the first statement outside of the body.
    if let Some(comment) =
        body.and_then(|body| body.prev_named_sibling()).filter(|part| part.kind() == "comment")
    {
        walk.visit(comment);
    }
    let before = std::mem::take(&mut walk.is_private);
    walk.scope(ScopeKind::Block, |walk| {
        walk.declare_local_named("self", Value::Itself(Source::Definition(definition)));
        walk.inside_type(definition, |walk| body.map(|body| walk.visit(body)));
    });
    walk.is_private = before;
    walk.accessors_hold_variables(definition);
}

pub(super) fn add_super(walk: &mut Walk<'_>, of: DefinitionIx, value: Value) {
    if let (Value::Itself(_), Some(known)) = (value, walk.definition(of)) {
        known.supers.push(value);
    }
}

pub(super) fn singleton_class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let before = std::mem::replace(&mut walk.is_static, true);
    let is_private = std::mem::take(&mut walk.is_private);
    walk.field(node, "body");
    walk.is_private = is_private;
    walk.is_static = before;
    Value::Unknown
}

pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_own = node.kind() == "singleton_method" || walk.is_static;
    let kind = if walk.this.is_some() { DefinitionKind::Method } else { DefinitionKind::Function };
    let mut traits = if is_own { Traits::STATIC } else { Traits::default() };
    let is_private = walk.is_private && walk.is_in_type() && node.kind() == "method";
    // A method between examples is one of them alone.
    if is_private || walk.is_in_examples && walk.this.is_none() {
        traits = traits.and(Traits::PRIVATE);
    }
    let whole = walk.text_of(name);
    // A setter is mentioned by its name without `=`.
    let text = whole.strip_suffix('=').filter(|_| name.kind() == "setter").unwrap_or(whole);
    if name.kind() == "setter" {
        traits = traits.and(Traits::PROPERTY);
    }
    let parent = walk.this.or(walk.within);
    let definition = walk.define_text(parent, text, (name, 0), node, kind, traits);
    if let Some(definition) = definition {
        let arity = field(node, "parameters").map_or(Some(0), arity);
        walk.set_arity(definition, arity.filter(|_| name.kind() != "setter"));
    }
    // What is done to the class that includes the module, or inherits, is done to its instances.
    let first = field(node, "parameters").and_then(|list| list.named_child(0));
    let is_hook = is_own && matches!(text, "included" | "extended" | "prepended" | "inherited");
    let hooked = first.filter(|_| is_hook).map(|first| walk.text_of(first));
    let hooked = std::mem::replace(&mut walk.hooked, hooked);
    let this = match walk.this {
        Some(this) if is_own => Value::Itself(Source::Definition(this)),
        _ => walk.this_value(),
    };
    let before = std::mem::take(&mut walk.is_static);
    let list = field(node, "parameters");
    let block = list.and_then(|list| child(list, "block_parameter")).and_then(|block| field(block, "name"));
    let block = block.map(|block| walk.text_of(block));
    let block = std::mem::replace(&mut walk.block, block);
    let comment = walk.doc_before(node);
    walk.function(definition, |walk| {
        walk.declare_local_named("self", this);
        if let Some(list) = list {
            parameters(walk, list, &|_| Value::Unknown);
            for part in named_children(list) {
                let name = field(part, "name").unwrap_or(part);
                let documented = doc::parameter(walk, comment, walk.text_of(name));
                walk.declare_again(name, documented);
            }
        }
        let documented = doc::returned(walk, comment);
        let value = walk.field(node, "body");
        documented.or(value)
    });
    walk.is_static = before;
    walk.hooked = hooked;
    walk.block = block;
    Value::Builtin
}

/// `yield value`: what the block of the method takes.
pub(super) fn yielded<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    give_block(walk, node.named_child(0));
    Value::Unknown
}

/// Reads what a block is called with, and notes it as the parameters of the only parameter with parameters that a method has.
pub(super) fn give_block<'t>(walk: &mut Walk<'t>, arguments: Option<Node<'t>>) {
    let takes: Vec<Value> =
        arguments.into_iter().flat_map(named_children).map(|argument| walk.visit(argument)).collect();
    let given = Parameter { value: Value::Unknown, takes };
    if let Some(known) = walk.within.and_then(|method| walk.definition(method))
        && known.parameters.is_empty()
        && given.is_known()
    {
        known.parameters.push(given);
    }
}

/// What a block takes as its parameter of this number, by the method that it is given to.
pub(super) fn given(method: Value, at: usize) -> Value {
    match (method, u8::try_from(at)) {
        (Value::Itself(source), Ok(at)) => Value::Parameter(source, 0, Part::Parameter(at)),
        _ => Value::Unknown,
    }
}

/// The number of parameters, where it is fixed.
pub(super) fn arity(list: Node<'_>) -> Option<u8> {
    let mut parts = named_children(list);
    let is_fixed =
        parts.all(|part| matches!(part.kind(), "identifier" | "destructured_parameter" | "block_parameter"));
    let n = named_children(list).filter(|part| part.kind() != "block_parameter").count();
    u8::try_from(n).ok().filter(|_| is_fixed)
}

/// The number of arguments of a call, where it is plain.
pub(super) fn n_arguments(list: Option<Node<'_>>) -> Option<usize> {
    let Some(list) = list else { return Some(0) };
    let mut n = 0;
    for part in named_children(list) {
        match part.kind() {
            "splat_argument" | "hash_splat_argument" | "pair" | "forward_argument" => return None,
            "block_argument" | "comment" => {}
            _ => n += 1,
        }
    }
    Some(n)
}

/// Declares parameters with their values.
pub(super) fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>, value: &dyn Fn(usize) -> Value) {
    for (at, part) in named_children(list).enumerate() {
        let value = value(at).or(walk.field(part, "value"));
        match part.kind() {
            "identifier" => {
                walk.declare_local(part, value);
            }
            "destructured_parameter" => parameters(walk, part, &|_| Value::Unknown),
            _ => {
                if let Some(name) = field(part, "name") {
                    walk.declare_local(name, value);
                }
            }
        }
    }
}

pub(super) fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name").filter(|name| name.kind() == "identifier") {
        walk.define_in(walk.this, name, node, DefinitionKind::Method, Traits::default());
    }
    if let Some(of) = field(node, "alias").filter(|of| of.kind() == "identifier") {
        walk.at_site(of, Role::Read, Site::Bare);
    }
    Value::Unknown
}
