//! Calls without a receiver that define something: accessors, associations, delegation, callbacks.

use std::ops::Range;

use tree_sitter::Node;

use super::definitions::{add_super, body_of, give_block, given, n_arguments};
use super::{GROUPS, block_of, doc, example_value, examples, symbol_as_name};
use crate::grammar::{field, named_children};
use crate::names::walk::Walk;
use crate::names::{DefinitionKind, Role, Site, Source, Traits, Value};

/// Calls that define methods by symbols.
pub(super) const ACCESSORS: &[&str] = &[
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
pub(super) const SAME: &[&str] =
    &["tap", "freeze", "dup", "clone", "itself", "each", "select", "reject", "sort_by", "to_a", "compact"];

/// Methods of collections that give an element, or call a block with each.
pub(super) const ELEMENTS: &[&str] =
    &["first", "last", "pop", "shift", "find", "detect", "sample", "min_by", "max_by", "fetch"];

pub(super) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

pub(super) fn is_constant(node: Node<'_>) -> bool {
    matches!(node.kind(), "constant" | "scope_resolution")
}

/// Methods that call the method whose name is their first argument, or return it.
pub(super) const SENDING: &[&str] =
    &["send", "public_send", "__send__", "try", "try!", "method", "public_method", "instance_method"];

/// The value of a call that sends what its first argument names.
pub(super) fn sent<'t>(
    walk: &mut Walk<'t>,
    name: &str,
    arguments: Option<Node<'t>>,
    site: Site,
) -> Option<Value> {
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
pub(super) const RECORD: &[&str] = &[
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
pub(super) const RECORDS: &[&str] = &[
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
pub(super) fn found_by(walk: &mut Walk<'_>, receiver: Node<'_>, name: &str, of: Value) -> Option<Value> {
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
pub(super) fn included_by_hook<'t>(walk: &mut Walk<'t>, name: &str, arguments: Node<'t>) {
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

pub(super) fn anonymous_class<'t>(walk: &mut Walk<'t>, node: Node<'t>, body: Node<'t>) -> Value {
    let above = field(node, "arguments").and_then(|arguments| arguments.named_child(0));
    let above = above.map_or(Value::Unknown, |above| walk.visit_as(above, Role::Inherit));
    let Some(definition) = walk.define_as("Class", node, node, DefinitionKind::Class, Traits::LOCAL) else {
        return Value::Unknown;
    };
    add_super(walk, definition, above);
    body_of(walk, definition, Some(body));
    Value::Itself(Source::Definition(definition))
}

pub(super) fn call_of_self<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    name: &str,
    method: Option<Node<'t>>,
) -> Value {
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
pub(super) const NO_CALLBACKS: &[&str] = &[
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
pub(super) fn callbacks<'t>(walk: &mut Walk<'t>, arguments: Node<'t>) {
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
pub(super) fn is_callback_option(walk: &Walk<'_>, pair: Node<'_>) -> bool {
    field(pair, "key").is_some_and(|key| matches!(walk.text_of(key), "if" | "unless" | "with"))
}

/// `delegate :name, :size, to: :store`, with a prefix if there is one.
pub(super) fn delegate<'t>(walk: &mut Walk<'t>, arguments: Node<'t>) {
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
pub(super) fn delegate_target<'t>(walk: &mut Walk<'t>, target: Node<'t>) -> Value {
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
pub(super) fn forward<'t>(
    walk: &mut Walk<'t>,
    method: Node<'t>,
    name: Node<'t>,
    of: Value,
    prefix: Option<&str>,
) {
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
pub(super) fn associated<'t>(walk: &mut Walk<'t>, call: &str, arguments: Node<'t>) -> bool {
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
pub(super) fn record_class<'t>(walk: &Walk<'t>, arguments: Node<'t>, name: &str, is_several: bool) -> String {
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
pub(super) const IRREGULAR: &[(&str, &str)] = &[
    ("children", "child"),
    ("men", "man"),
    ("people", "person"),
    ("statuses", "status"),
    ("women", "woman"),
];

/// The singular of a noun, or of the last of several with `_` between them.
pub(super) fn singular(noun: &str) -> String {
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

pub(super) fn camel_case(name: &str) -> String {
    let part = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    name.split('_').map(part).collect()
}

/// `scope :open, -> { … }` is a method of the class that returns records.
pub(super) fn scoped_records(walk: &mut Walk<'_>, call: &str) {
    let this = walk.this;
    if let (Some(this), Some(known), "scope") = (this, walk.found.definitions.last_mut(), call)
        && known.parent == Some(this)
    {
        known.value = Value::Collection(Source::Definition(this));
    }
}

/// Defines members by the symbols and strings among the arguments of a call.
pub(super) fn symbols<'t>(
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
