//! Names in Ruby.

mod doc;

use std::ops::Range;

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::walk::NameRule::{Block, Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Parameter, Part, Role, Site, Source, Traits, Value};

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

fn types<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut value = Value::Unknown;
    for part in named_children(node) {
        value = match part.kind() {
            "constant" | "scope_resolution" => walk.visit_as(part, Role::Type).instance(),
            _ => walk.visit(part),
        };
    }
    value
}

fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
fn fields_of_structure<'t>(walk: &Walk<'t>, made: Node<'t>) -> Option<Node<'t>> {
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

fn body_of<'t>(walk: &mut Walk<'t>, definition: DefinitionIx, body: Option<Node<'t>>) {
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

fn add_super(walk: &mut Walk<'_>, of: DefinitionIx, value: Value) {
    if let (Value::Itself(_), Some(known)) = (value, walk.definition(of)) {
        known.supers.push(value);
    }
}

fn singleton_class<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let before = std::mem::replace(&mut walk.is_static, true);
    let is_private = std::mem::take(&mut walk.is_private);
    walk.field(node, "body");
    walk.is_private = is_private;
    walk.is_static = before;
    Value::Unknown
}

fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
fn yielded<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    give_block(walk, node.named_child(0));
    Value::Unknown
}

/// Reads what a block is called with, and notes it as the parameters of the only parameter with parameters that a method has.
fn give_block<'t>(walk: &mut Walk<'t>, arguments: Option<Node<'t>>) {
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
fn given(method: Value, at: usize) -> Value {
    match (method, u8::try_from(at)) {
        (Value::Itself(source), Ok(at)) => Value::Parameter(source, 0, Part::Parameter(at)),
        _ => Value::Unknown,
    }
}

/// The number of parameters, where it is fixed.
fn arity(list: Node<'_>) -> Option<u8> {
    let mut parts = named_children(list);
    let is_fixed =
        parts.all(|part| matches!(part.kind(), "identifier" | "destructured_parameter" | "block_parameter"));
    let n = named_children(list).filter(|part| part.kind() != "block_parameter").count();
    u8::try_from(n).ok().filter(|_| is_fixed)
}

/// The number of arguments of a call, where it is plain.
fn n_arguments(list: Option<Node<'_>>) -> Option<usize> {
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
fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>, value: &dyn Fn(usize) -> Value) {
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

fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name").filter(|name| name.kind() == "identifier") {
        walk.define_in(walk.this, name, node, DefinitionKind::Method, Traits::default());
    }
    if let Some(of) = field(node, "alias").filter(|of| of.kind() == "identifier") {
        walk.at_site(of, Role::Read, Site::Bare);
    }
    Value::Unknown
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

/// Calls that define methods by symbols.
const ACCESSORS: &[&str] = &[
    "attr_accessor",
    "attr_reader",
    "attr_writer",
    "mattr_accessor",
    "cattr_accessor",
    "class_attribute",
    "thread_mattr_accessor",
    "mattr_reader",
    "cattr_reader",
    "attribute",
];

/// Methods whose value is what they are called on.
const SAME: &[&str] =
    &["tap", "freeze", "dup", "clone", "itself", "each", "select", "reject", "sort_by", "to_a", "compact"];

/// Methods of collections that give an element, or call a block with each.
const ELEMENTS: &[&str] =
    &["first", "last", "pop", "shift", "find", "detect", "sample", "min_by", "max_by", "fetch"];

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = match walk.take_role() {
        Role::Read => Role::Call,
        role => role,
    };
    let method = field(node, "method");
    let name = method.map_or("", |method| walk.text_of(method));
    let Some(receiver) = field(node, "receiver") else {
        return call_of_self(walk, node, name, method);
    };
    if GROUPS.contains(&name) && walk.text_of(receiver) == "RSpec" {
        walk.visit(receiver);
        return examples(walk, node);
    }
    // `Thing.new` calls what makes a thing.
    let is_made = name == "new" && matches!(receiver.kind(), "constant" | "scope_resolution");
    let of = walk.visit_as(receiver, if is_made { Role::Call } else { Role::Read });
    let (arguments, block) = (field(node, "arguments"), field(node, "block"));
    let hooked = walk.hooked.filter(|hooked| *hooked == walk.text_of(receiver));
    let is_each_record = is_constant(receiver) && name.starts_with("find_each");
    let element = match name {
        "tap" | "then" | "yield_self" => of,
        _ if is_each_record => of.instance(),
        _ => walk.element(of),
    };
    let mut member = Value::Unknown;
    let value = match (method, name) {
        (Some(_), "new") => of.called(),
        (Some(_), "class") => match of {
            Value::Instance(of) | Value::Called(of) => Value::Itself(of),
            _ => Value::Unknown,
        },
        (Some(method), _) => {
            member = walk.member(method, of, role);
            if let Some(n) = n_arguments(arguments) {
                walk.set_arguments(member, n);
            }
            let called = member.called();
            match of {
                _ if SAME.contains(&name) => of,
                Value::Collection(_) if ELEMENTS.contains(&name) => of.element(),
                _ => found_by(walk, receiver, name, of).map_or(called, |found| walk.guarded(called, found)),
            }
        }
        (None, _) => Value::Unknown,
    };
    // What a block takes first.
    let first = walk.guarded(given(member, 0), element);
    // `block.call(value)`
    if walk.block == Some(walk.text_of(receiver)) && matches!(name, "call" | "") {
        give_block(walk, arguments);
        return Value::Unknown;
    }
    // `Class.new(Base) do … end`
    if name == "new"
        && matches!(walk.text_of(receiver), "Class" | "Module")
        && let Some(body) = block.and_then(|block| field(block, "body"))
    {
        return anonymous_class(walk, node, body);
    }
    // `Class.new(Base)` is no more than its base.
    if name == "new"
        && walk.text_of(receiver) == "Class"
        && let Some(above) = arguments.and_then(|arguments| arguments.named_child(0))
    {
        return walk.visit(above);
    }
    let is_struct = name == "new" && matches!(walk.text_of(receiver), "Struct" | "Data");
    match arguments {
        Some(arguments) if hooked.is_some() => included_by_hook(walk, name, arguments),
        Some(arguments) => {
            let before = std::mem::replace(&mut walk.expected, first);
            walk.visit(arguments);
            walk.expected = before;
        }
        None => {}
    }
    let sent = sent(walk, name, arguments, Site::Member(of));
    if let Some(block) = block.filter(|_| !is_struct) {
        block_of(walk, block, member, first);
    }
    sent.unwrap_or(value)
}

fn is_constant(node: Node<'_>) -> bool {
    matches!(node.kind(), "constant" | "scope_resolution")
}

/// Methods that call the method whose name is their first argument, or return it.
const SENDING: &[&str] =
    &["send", "public_send", "__send__", "try", "try!", "method", "public_method", "instance_method"];

/// The value of a call that sends what its first argument names.
fn sent<'t>(walk: &mut Walk<'t>, name: &str, arguments: Option<Node<'t>>, site: Site) -> Option<Value> {
    let first = arguments.filter(|_| SENDING.contains(&name))?.named_child(0)?;
    let sent = match (first.kind(), first.named_child(0)) {
        ("simple_symbol", _) => symbol_as_name(walk, first, Role::Call, site),
        ("string", Some(text)) if text.kind() == "string_content" && first.named_child_count() == 1 => {
            walk.at_site(text, Role::Call, site)
        }
        _ => return None,
    };
    Some(sent.called())
}

/// Methods of the classes of Rails' records, and of Sequel's, that return a record.
const RECORD: &[&str] = &[
    "build",
    "create",
    "create!",
    "create_or_find_by",
    "create_or_find_by!",
    "find",
    "find_by",
    "find_by!",
    "find_or_create_by",
    "find_or_create_by!",
    "find_or_initialize_by",
    "find_sole_by",
    "first",
    "first!",
    "first_or_create",
    "first_or_create!",
    "first_or_initialize",
    "last",
    "last!",
    "sole",
    "take",
    "take!",
];

/// Those that return several, also of several.
const RECORDS: &[&str] = &[
    "all",
    "distinct",
    "eager_load",
    "find_each",
    "group",
    "having",
    "includes",
    "joins",
    "left_joins",
    "left_outer_joins",
    "limit",
    "lock",
    "none",
    "offset",
    "order",
    "preload",
    "readonly",
    "references",
    "reorder",
    "reverse_order",
    "rewhere",
    "unscoped",
    "where",
];

/// What a method that finds records returns.
fn found_by(walk: &mut Walk<'_>, receiver: Node<'_>, name: &str, of: Value) -> Option<Value> {
    match is_constant(receiver) {
        true if RECORD.contains(&name) => Some(of.instance()),
        true if RECORDS.contains(&name) => Some(of.collection()),
        false if RECORDS.contains(&name) => Some(of),
        false if RECORD.contains(&name) => Some(walk.element(of)),
        _ => None,
    }
    .filter(|&found| found != Value::Unknown)
}

/// `base.extend Helpers`, `base.send :include, Helpers`, where `base` includes the module.
fn included_by_hook<'t>(walk: &mut Walk<'t>, name: &str, arguments: Node<'t>) {
    let is_include = |name: &str| matches!(name, "include" | "extend" | "prepend");
    let sent = arguments.named_child(0).map_or("", |first| walk.text_of(first).trim_start_matches(':'));
    let is_included = is_include(name) || name == "send" && is_include(sent);
    for part in named_children(arguments) {
        let value = walk.visit(part);
        if let Some(this) = walk.this.filter(|_| is_included) {
            add_super(walk, this, value);
        }
    }
}

fn anonymous_class<'t>(walk: &mut Walk<'t>, node: Node<'t>, body: Node<'t>) -> Value {
    let above = field(node, "arguments").and_then(|arguments| arguments.named_child(0));
    let above = above.map_or(Value::Unknown, |above| walk.visit_as(above, Role::Inherit));
    let Some(definition) = walk.define_as("Class", node, node, DefinitionKind::Class, Traits::LOCAL) else {
        return Value::Unknown;
    };
    add_super(walk, definition, above);
    body_of(walk, definition, Some(body));
    Value::Itself(Source::Definition(definition))
}

fn call_of_self<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &str, method: Option<Node<'t>>) -> Value {
    let arguments = field(node, "arguments");
    let in_type = walk.is_in_type();
    match (name, arguments) {
        (name, _) if GROUPS.contains(&name) && walk.this.is_none() && !walk.is_in_function() => {
            if let Some(method) = method {
                walk.at_site(method, Role::Call, Site::Bare);
            }
            return examples(walk, node);
        }
        ("let" | "let!" | "subject" | "subject!", _) if walk.this.is_none() && !walk.is_in_function() => {
            return example_value(walk, node, name);
        }
        ("shared_examples" | "shared_context" | "shared_examples_for", _) => {
            let before = std::mem::take(&mut walk.is_in_examples);
            walk.children(node);
            walk.is_in_examples = before;
            return Value::Unknown;
        }
        ("require" | "require_relative" | "load" | "autoload", _) => return Value::Unknown,
        ("include" | "extend" | "prepend", Some(arguments)) if in_type => {
            for part in named_children(arguments) {
                let value = walk.visit_as(part, Role::Implement);
                if let Some(this) = walk.this {
                    add_super(walk, this, value);
                }
            }
            return Value::Unknown;
        }
        (accessor, Some(arguments)) if ACCESSORS.contains(&accessor) && walk.this.is_some() => {
            let (comment, first) = (walk.doc_before(node), walk.found.definitions.len());
            symbols(walk, arguments, 0..usize::MAX, DefinitionKind::Field, Traits::PROPERTY);
            doc::set_values(walk, comment, first);
            return Value::Unknown;
        }
        ("define_method" | "alias_method" | "define_singleton_method" | "scope", Some(arguments))
            if walk.this.is_some() =>
        {
            symbols(walk, arguments, 0..1, DefinitionKind::Method, Traits::default());
            scoped_records(walk, name);
            let of =
                arguments.named_child(1).filter(|of| name == "alias_method" && of.kind() == "simple_symbol");
            if let Some(of) = of {
                symbol_as_name(walk, of, Role::Read, Site::Bare);
            }
        }
        ("delegate", Some(arguments)) if in_type => {
            delegate(walk, arguments);
            return Value::Unknown;
        }
        ("def_delegators" | "def_instance_delegators", Some(arguments)) if in_type => {
            let mut parts = named_children(arguments);
            let of = parts.next().map_or(Value::Unknown, |target| delegate_target(walk, target));
            parts.for_each(|part| forward(walk, part, part, of, None));
            return Value::Unknown;
        }
        ("def_delegator" | "def_instance_delegator", Some(arguments)) if in_type => {
            let mut parts = named_children(arguments);
            let of = parts.next().map_or(Value::Unknown, |target| delegate_target(walk, target));
            if let Some(method) = parts.next() {
                forward(walk, method, parts.next().unwrap_or(method), of, None);
            }
            return Value::Unknown;
        }
        (name, Some(arguments)) if in_type && associated(walk, name, arguments) => return Value::Unknown,
        _ => {}
    }
    let mut called = Value::Unknown;
    let value = match method {
        Some(_) if name == "new" => walk.local_value("self").called(),
        Some(method) if matches!(method.kind(), "identifier" | "constant") => {
            called = walk.at_site(method, Role::Call, Site::Bare);
            if let Some(n) = n_arguments(arguments) {
                walk.set_arguments(called, n);
            }
            called.called()
        }
        Some(method) => {
            walk.visit(method);
            Value::Unknown
        }
        None => Value::Unknown,
    };
    if let Some(arguments) = arguments {
        if in_type && !NO_CALLBACKS.contains(&name) {
            callbacks(walk, arguments);
        }
        let before = std::mem::replace(&mut walk.expected, given(called, 0));
        walk.visit(arguments);
        walk.expected = before;
    }
    let sent = sent(walk, name, arguments, Site::Bare);
    if let Some(block) = field(node, "block") {
        block_of(walk, block, called, given(called, 0));
    }
    sent.unwrap_or(value)
}

/// Calls whose symbols define methods, or say how they are seen.
const NO_CALLBACKS: &[&str] = &[
    "alias_method",
    "define_method",
    "define_singleton_method",
    "module_function",
    "private",
    "private_class_method",
    "private_constant",
    "protected",
    "public",
    "public_class_method",
    "public_constant",
    "ruby2_keywords",
    "scope",
];

/// Symbols in a call in the body of a type, `before :check`, that are names of its methods.
fn callbacks<'t>(walk: &mut Walk<'t>, arguments: Node<'t>) {
    let this = walk.this_value();
    for part in named_children(arguments) {
        let symbol = match part.kind() {
            "pair" => field(part, "value").filter(|_| is_callback_option(walk, part)),
            _ => Some(part),
        };
        if let Some(symbol) = symbol.filter(|symbol| symbol.kind() == "simple_symbol") {
            symbol_as_name(walk, symbol, Role::Read, Site::Member(this));
        }
    }
}

/// Whether an option names a method: `if: :ready?`, `with: :not_found`.
fn is_callback_option(walk: &Walk<'_>, pair: Node<'_>) -> bool {
    field(pair, "key").is_some_and(|key| matches!(walk.text_of(key), "if" | "unless" | "with"))
}

/// `delegate :name, :size, to: :store`, with a prefix if there is one.
fn delegate<'t>(walk: &mut Walk<'t>, arguments: Node<'t>) {
    let option = |walk: &Walk<'t>, name: &str| {
        let mut pairs = named_children(arguments).filter(|part| part.kind() == "pair");
        pairs.find(|pair| field(*pair, "key").is_some_and(|key| walk.text_of(key) == name))
    };
    let target = option(walk, "to").and_then(|pair| field(pair, "value"));
    let prefix = option(walk, "prefix").and_then(|pair| field(pair, "value"));
    let prefix = match prefix.map(|prefix| (prefix.kind(), walk.text_of(prefix))) {
        Some(("true", _)) => target.map(|target| walk.text_of(target)),
        Some(("simple_symbol", name)) => Some(name),
        _ => None,
    };
    let of = target.map_or(Value::Unknown, |target| delegate_target(walk, target));
    for part in named_children(arguments).filter(|part| part.kind() == "simple_symbol") {
        forward(walk, part, part, of, prefix.map(|prefix| prefix.trim_start_matches(':')));
    }
}

/// The object that a class delegates to: `:@store`, `:store`, `:class`, `Store`.
fn delegate_target<'t>(walk: &mut Walk<'t>, target: Node<'t>) -> Value {
    let this = walk.this_value();
    let named = match (target.kind(), target.named_child(0)) {
        ("string", Some(text)) if text.kind() == "string_content" => text,
        ("simple_symbol", _) => target,
        _ => return walk.visit(target),
    };
    let written = walk.text_of(named);
    let name = written.trim_start_matches(':');
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '?' | '!');
    match name {
        "class" | "self.class" => {
            walk.this.map_or(Value::Unknown, |this| Value::Itself(Source::Definition(this)))
        }
        _ if !name.chars().all(is_word) => Value::Unknown,
        _ if name.starts_with(char::is_uppercase) => {
            walk.name_in(named, 0..name.len(), Role::Read, Some(Site::Bare))
        }
        _ => {
            let range = written.len() - name.len()..written.len();
            let role = if name.starts_with('@') { Role::Read } else { Role::Call };
            let member = walk.name_in(named, range, role, Some(Site::Member(this)));
            if name.starts_with('@') { member } else { member.called() }
        }
    }
}

/// Defines a method that calls one of another object, which it names.
fn forward<'t>(walk: &mut Walk<'t>, method: Node<'t>, name: Node<'t>, of: Value, prefix: Option<&str>) {
    if method.kind() != "simple_symbol" || name.kind() != "simple_symbol" {
        return;
    }
    let called = symbol_as_name(walk, method, Role::Call, Site::Member(of)).called();
    let text = walk.text_of(name).trim_start_matches(':');
    let traits = if walk.is_static { Traits::STATIC } else { Traits::default() };
    let definition = walk.define_text(walk.this, text, (name, 1), name, DefinitionKind::Method, traits);
    let prefixed = prefix.map(|prefix| walk.id_of(&format!("{prefix}_{text}")));
    let this = walk.this;
    if let (Some(known), Some(this)) = (definition.and_then(|at| walk.definition(at)), this) {
        known.supers.push(Value::Super(this));
        known.value = called;
        known.name = prefixed.unwrap_or(known.name);
    }
}

/// Defines what `has_many :items`, `belongs_to :cart` bring: records of the class of that name; false for other calls.
fn associated<'t>(walk: &mut Walk<'t>, call: &str, arguments: Node<'t>) -> bool {
    let is_several = match call {
        "has_many" | "has_and_belongs_to_many" | "embeds_many" | "one_to_many" | "many_to_many" => true,
        "has_one" | "belongs_to" | "embeds_one" | "embedded_in" | "many_to_one" | "one_to_one" => false,
        _ => return false,
    };
    let Some(symbol) = arguments.named_child(0).filter(|first| first.kind() == "simple_symbol") else {
        return false;
    };
    let name = walk.text_of(symbol).trim_start_matches(':');
    let kind = DefinitionKind::Field;
    let Some(definition) = walk.define_text(walk.this, name, (symbol, 1), symbol, kind, Traits::PROPERTY)
    else {
        return false;
    };
    let class = record_class(walk, arguments, name, is_several);
    let value = class.split("::").filter(|part| !part.is_empty()).fold(Value::Unknown, |of, part| {
        let name = walk.id_of(part);
        let site = if of == Value::Unknown { Site::Bare } else { Site::Member(of) };
        walk.unwritten(name, Role::Type, site)
    });
    walk.set_value(definition, if is_several { value.collection() } else { value.instance() });
    for part in named_children(arguments).skip(1) {
        walk.visit(part);
    }
    true
}

/// The class of the records of an association: that of its option, or the one that its name is made from.
fn record_class<'t>(walk: &Walk<'t>, arguments: Node<'t>, name: &str, is_several: bool) -> String {
    let text = |part: Node<'t>| walk.text_of(part).trim_matches([':', '"', '\''].as_slice()).to_owned();
    let option = |name: &str| {
        let mut pairs = named_children(arguments).filter(|part| part.kind() == "pair");
        let pair = pairs.find(|pair| field(*pair, "key").is_some_and(|key| walk.text_of(key) == name))?;
        field(pair, "value").map(text)
    };
    if option("polymorphic").is_some() {
        return String::new();
    }
    let class = option("class_name").or(option("class"));
    class.unwrap_or_else(|| {
        let source = option("source").unwrap_or_else(|| name.to_owned());
        camel_case(&if is_several { singular(&source) } else { source })
    })
}

/// Nouns whose plural is irregular.
const IRREGULAR: &[(&str, &str)] = &[
    ("children", "child"),
    ("men", "man"),
    ("people", "person"),
    ("statuses", "status"),
    ("women", "woman"),
];

/// The singular of a noun, or of the last of several with `_` between them.
fn singular(noun: &str) -> String {
    let irregular =
        IRREGULAR.iter().find_map(|(plural, one)| Some(noun.strip_suffix(plural)?.to_owned() + one));
    if let Some(found) = irregular {
        return found;
    }
    if let Some(stem) = noun.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let is_sibilant = |stem: &str| ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end));
    match noun.strip_suffix("es").filter(|stem| is_sibilant(stem) && !stem.ends_with("us")) {
        Some(stem) if stem.ends_with("ss") || !stem.ends_with('s') => stem.to_owned(),
        _ if noun.ends_with("ss") => noun.to_owned(),
        _ => noun.strip_suffix('s').unwrap_or(noun).to_owned(),
    }
}

fn camel_case(name: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    name.split('_').map(part).collect()
}

/// `scope :open, -> { … }` is a method of the class that returns records.
fn scoped_records(walk: &mut Walk<'_>, call: &str) {
    let this = walk.this;
    if let (Some(this), Some(known), "scope") = (this, walk.found.definitions.last_mut(), call)
        && known.parent == Some(this)
    {
        known.value = Value::Collection(Source::Definition(this));
    }
}

/// Defines members by the symbols and strings among the arguments of a call.
fn symbols<'t>(
    walk: &mut Walk<'t>,
    arguments: Node<'t>,
    those: Range<usize>,
    kind: DefinitionKind,
    traits: Traits,
) {
    let traits = if walk.is_static { traits.and(Traits::STATIC) } else { traits };
    for part in named_children(arguments).take(those.end).skip(those.start) {
        let text = walk.text_of(part);
        if part.kind() == "simple_symbol"
            && let Some(name) = text.strip_prefix(':').filter(|name| !name.starts_with('@'))
        {
            walk.define_text(walk.this, name, (part, 1), part, kind, traits);
        }
    }
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
