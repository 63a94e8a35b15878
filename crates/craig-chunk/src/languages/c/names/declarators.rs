//! Declarations of C and C++: functions, variables, parameters and type definitions.

use tree_sitter::Node;

use super::literal;
use super::types::{last, scopes_value, template_of, template_parameters, type_named};
use crate::grammar::{all_children, child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, NameId, Role, Source, Traits, Value};

/// Nested declarators are read so far.
pub(super) const MAX_DECLARATORS: usize = 32;

/// What a declarator declares.
pub(super) struct Declared<'t> {
    pub(super) name: Node<'t>,
    /// Of a function, its parameters.
    pub(super) parameters: Option<Node<'t>>,
    /// Whether it is a pointer to a function.
    pub(super) is_callback: bool,
    /// Of a function, the declared type after its parameters.
    pub(super) trailing: Option<Node<'t>>,
}

/// Reads a declarator down to its name; sizes of arrays and parameters of callbacks on the way.
pub(super) fn declarator<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Declared<'t>> {
    let mut found = Declared { name: node, parameters: None, is_callback: false, trailing: None };
    for _ in 0..MAX_DECLARATORS {
        let at = found.name;
        let next = match at.kind() {
            "function_declarator" if annotated(walk, at).is_some() => annotated(walk, at),
            "function_declarator" => {
                let inner = field(at, "declarator");
                if inner.is_some_and(|inner| inner.kind() == "parenthesized_declarator" && is_pointer(inner))
                {
                    found.is_callback = true;
                    if let Some(list) = field(at, "parameters") {
                        walk.scope(ScopeKind::Function, |walk| walk.visit(list));
                    }
                } else {
                    found.parameters = field(at, "parameters");
                    found.trailing = child(at, "trailing_return_type");
                }
                inner
            }
            "array_declarator" => {
                walk.field(at, "size");
                field(at, "declarator")
            }
            "parenthesized_declarator" | "reference_declarator" | "attributed_declarator" => {
                inner_declarator(at)
            }
            "pointer_declarator" | "init_declarator" => field(at, "declarator"),
            "identifier" if TYPE_WORDS.contains(&walk.text_of(at)) => {
                found.name = behind_type(at)?;
                return Some(found);
            }
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "operator_name"
            | "operator_cast"
            | "destructor_name"
            | "template_function"
            | "structured_binding_declarator"
            | "primitive_type" => return Some(found),
            _ => return None,
        };
        found.name = next?;
    }
    None
}

/// What a macro annotates: the grammar takes `int x GUARDED_BY(m)` for a function `GUARDED_BY` with an error before it.
pub(super) fn annotated<'t>(walk: &Walk<'t>, macro_call: Node<'t>) -> Option<Node<'t>> {
    let name = field(macro_call, "declarator").filter(|name| is_macro_name(walk.text_of(*name)))?;
    let error = name.parent()?.prev_named_sibling().filter(Node::is_error)?;
    error.named_child(0).filter(|_| error.named_child_count() == 1)
}

pub(super) fn is_macro_name(name: &str) -> bool {
    name.len() > 2 && name.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
}

/// Whether parentheses are around a pointer: a pointer to a function, not a name in parentheses.
pub(super) fn is_pointer(node: Node<'_>) -> bool {
    inner_declarator(node).is_some_and(|inner| !matches!(inner.kind(), "identifier" | "function_declarator"))
}

pub(super) fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node)
        .find(|part| part.kind().ends_with("declarator") || part.kind().ends_with("identifier"))
}

/// The declared type of a declaration: an instance of it.
pub(super) fn declared_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(of) = field(node, "type") else { return Value::Unknown };
    // `UNUSED Shape *shape`: the grammar takes the macro for the type, with an error behind it.
    let is_qualifier = |next: &Node<'t>| next.kind() == "type_qualifier";
    let mut behind = std::iter::successors(of.next_named_sibling(), Node::next_named_sibling);
    let behind = behind.find(|next| !is_qualifier(next)).filter(|next| {
        let macro_name = walk.text_of(of);
        next.is_error() && (is_macro_name(macro_name) || macro_name.starts_with('_'))
    });
    match behind.filter(|error| named_children(*error).all(|part| part.kind().ends_with("identifier"))) {
        Some(error) => {
            walk.name(of, Role::Read);
            walk.name(last(error), Role::Type).instance()
        }
        None => walk.visit(of).instance(),
    }
}

/// What is declared behind a macro and a type of the language, which the grammar takes for its name: `UNUSED int count`.
pub(super) fn behind_type(name: Node<'_>) -> Option<Node<'_>> {
    let error = name.next_named_sibling().or_else(|| name.parent()?.next_named_sibling())?;
    error.named_child(0).filter(|inner| error.is_error() && inner.kind() == "identifier")
}

/// Types of the language that a grammar may take for names.
pub(super) const TYPE_WORDS: &[&str] =
    &["auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void"];

pub(super) fn has_word(walk: &Walk<'_>, node: Node<'_>, kind: &str, word: &str) -> bool {
    all_children(node).any(|part| part.kind() == kind && walk.text_of(part) == word)
}

pub(super) fn is_static(walk: &Walk<'_>, node: Node<'_>) -> bool {
    has_word(walk, node, "storage_class_specifier", "static")
}

/// Traits of what is declared `static`: of a type's own, or of the file.
pub(super) fn static_traits(walk: &Walk<'_>, node: Node<'_>) -> Traits {
    match (is_static(walk, node), walk.is_in_type()) {
        (true, true) => Traits::STATIC,
        (false, true) => Traits::default(),
        (is_static, false) if is_static || walk.is_private => Traits::PRIVATE,
        _ => Traits::default(),
    }
}

pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(written) = field(node, "declarator") else {
        walk.children(node);
        return Value::Unknown;
    };
    let typed = field(node, "type");
    // `TEST(name) { … }`: the call of a macro that makes a function.
    if written.kind() == "parenthesized_declarator"
        && let Some(called) = typed.filter(|called| called.kind() == "type_identifier")
    {
        walk.name(called, Role::Call);
        walk.function(None, |walk| walk.field(node, "body"));
        return Value::Unknown;
    }
    if typed.is_none()
        && !walk.is_in_type()
        && let Some(called) = field(written, "declarator").filter(|name| name.kind() == "identifier")
    {
        walk.name(called, Role::Call);
        walk.function(None, |walk| {
            walk.field(written, "parameters");
            walk.field(node, "body")
        });
        return Value::Unknown;
    }
    let Some(declared) = declarator(walk, written) else {
        declared_type(walk, node);
        walk.function(None, |walk| walk.field(node, "body"));
        return Value::Unknown;
    };
    let (definition, this) = function_named(walk, node, &declared, static_traits(walk, node));
    let value = declared_type(walk, node);
    walk.function(definition, |walk| {
        if this != Value::Unknown {
            walk.declare_local_named("this", this);
        }
        let trailing = signature(walk, &declared);
        let parts: Vec<Node<'t>> = named_children(node).collect();
        for part in parts {
            match part.kind() {
                "declaration" | "field_initializer_list" => {
                    walk.visit(part);
                }
                _ => {}
            }
        }
        walk.field(node, "body");
        value.or(trailing)
    });
    Value::Unknown
}

/// Declares parameters; the value of a trailing return type.
pub(super) fn signature<'t>(walk: &mut Walk<'t>, declared: &Declared<'t>) -> Value {
    if let Some(list) = declared.parameters {
        for part in named_children(list) {
            match part.kind() {
                // Parameters as before ANSI C.
                "identifier" => {
                    walk.declare_local(part, Value::Unknown);
                }
                _ => {
                    walk.visit(part);
                }
            }
        }
    }
    declared.trailing.map_or(Value::Unknown, |trailing| walk.children(trailing))
}

/// Defines a function or method; with the value of `this` in it.
pub(super) fn function_named<'t>(
    walk: &mut Walk<'t>,
    whole: Node<'t>,
    declared: &Declared<'t>,
    traits: Traits,
) -> (Option<DefinitionIx>, Value) {
    let in_type = walk.is_in_type();
    let Some((scopes, name)) = qualifiers(declared.name) else { return (None, Value::Unknown) };
    let of = scopes_value(walk, declared.name, &scopes);
    let name = without_arguments(name);
    let is_constructor = match (scopes.last(), walk.this.filter(|_| in_type)) {
        (Some(owner), _) => walk.text_of(without_arguments(*owner)) == walk.text_of(name),
        (None, Some(this)) => {
            let own = walk.definition(this).map(|definition| definition.name);
            own == Some(walk.id(walk.text_of(name)))
        }
        _ => false,
    };
    let owner = owner(walk, &scopes);
    let kind = match (is_constructor, in_type || owner.is_some()) {
        (true, _) => DefinitionKind::Constructor,
        (false, true) => DefinitionKind::Method,
        (false, false) => DefinitionKind::Function,
    };
    let definition = walk.define(name, whole, kind, traits);
    if let Some(known) = definition.and_then(|definition| walk.definition(definition)) {
        known.owner = owner;
    }
    if let Some(definition) = definition {
        walk.set_arity(definition, declared.parameters.and_then(|list| n_parameters(walk, list)));
        // Those of a member that is defined outside of its class are the class's.
        if owner.is_none() {
            template_parameters(walk, whole, definition);
        }
    }
    let this = if owner.is_some() { of.instance() } else { Value::Unknown };
    (definition, if in_type { walk.this_value() } else { this })
}

/// The scopes before a qualified name, from the outermost, and the name.
pub(super) fn qualifiers(node: Node<'_>) -> Option<(Vec<Node<'_>>, Node<'_>)> {
    let (mut scopes, mut name) = (Vec::new(), node);
    while name.kind() == "qualified_identifier" && scopes.len() < MAX_DECLARATORS {
        scopes.extend(field(name, "scope"));
        name = field(name, "name")?;
    }
    Some((scopes, name))
}

/// The scopes as the name of an owner: `shop::Cart`.
pub(super) fn owner<'t>(walk: &mut Walk<'t>, scopes: &[Node<'t>]) -> Option<NameId> {
    let (first, last) = (scopes.first()?, scopes.last()?);
    let written = walk.text.get(first.start_byte()..last.end_byte()).unwrap_or_default();
    if !written.contains(['<', ' ', '\n']) {
        return Some(walk.id(written));
    }
    let names: Vec<&str> = scopes.iter().map(|&scope| walk.text_of(without_arguments(scope))).collect();
    Some(walk.id_of(&names.join("::")))
}

pub(super) fn without_arguments(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "template_type" | "template_function" | "template_method" => field(node, "name").unwrap_or(node),
        _ => node,
    }
}

/// Variables, fields, prototypes.
pub(super) fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let anonymous = field(node, "type").filter(|of| is_anonymous_record(*of));
    let written: Vec<Node<'t>> = {
        let mut cursor = node.walk();
        node.children_by_field_name("declarator", &mut cursor).filter(|part| part.is_named()).collect()
    };
    if template_of(node).is_some()
        && let [part] = written[..]
        && part.kind() != "init_declarator"
        && let Some(found) = declarator(walk, part).filter(|found| found.parameters.is_some())
    {
        prototype(walk, node, &found, None, static_traits(walk, node));
        return Value::Unknown;
    }
    let declared = match anonymous {
        // The members of `struct { … } name` are those of `name`.
        Some(_) if !written.is_empty() && !walk.is_in_function() => Value::Unknown,
        _ => declared_type(walk, node),
    };
    let auto = field(node, "type").is_some_and(|of| of.kind() == "placeholder_type_specifier");
    let traits = static_traits(walk, node);
    let is_extern = has_word(walk, node, "storage_class_specifier", "extern");
    for (at, part) in written.into_iter().enumerate() {
        let Some(found) = declarator(walk, part) else {
            walk.visit(part);
            continue;
        };
        if found.parameters.is_some() && part.kind() != "init_declarator" {
            prototype(walk, node, &found, Some(declared), traits);
            continue;
        }
        if walk.is_in_function() && !walk.is_in_type() {
            local(walk, node, part, &found, declared, auto, is_extern);
            continue;
        }
        let kind = if walk.is_in_type() { DefinitionKind::Field } else { DefinitionKind::Variable };
        let traits = if is_extern && part.kind() != "init_declarator" {
            traits.and(Traits::DECLARATION)
        } else {
            traits
        };
        let definition = variable(walk, node, &found, kind, traits);
        if let (Some(record), Some(definition)) = (anonymous, definition)
            && declared == Value::Unknown
        {
            if at == 0 {
                walk.inside_type(definition, |walk| walk.field(record, "body"));
            }
            walk.set_value(definition, Value::Instance(Source::Definition(definition)));
        }
        let value = walk.inside(definition, |walk| initial(walk, node, part, declared));
        if let Some(definition) = definition {
            walk.set_value(definition, if auto { value } else { declared });
        }
    }
    for part in named_children(node).filter(|part| part.kind() == "bitfield_clause") {
        walk.visit(part);
    }
    Value::Unknown
}

pub(super) fn is_anonymous_record(node: Node<'_>) -> bool {
    matches!(node.kind(), "struct_specifier" | "union_specifier" | "class_specifier")
        && field(node, "name").is_none()
        && field(node, "body").is_some()
}

/// Declares a function. The type of a template's is read once it is known whose parameters the template's are.
pub(super) fn prototype<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    found: &Declared<'t>,
    declared: Option<Value>,
    traits: Traits,
) {
    if walk.is_in_function() && !walk.is_in_type() {
        match found.parameters.filter(|list| is_of_names(*list)) {
            // `Lock lock(mutex);` is a variable: the grammar takes its arguments for types.
            Some(arguments) => {
                walk.declare_local(found.name, declared.unwrap_or_default());
                for argument in named_children(arguments).filter_map(|argument| field(argument, "type")) {
                    match argument.kind() {
                        "type_identifier" => walk.name(argument, Role::Read),
                        _ => walk.visit(argument),
                    };
                }
            }
            // What is declared is defined outside.
            None => {
                walk.scope(ScopeKind::Function, |walk| signature(walk, found));
            }
        }
        return;
    }
    // `DISALLOW_COPY(Queue);` in a class, and what annotates the field before it.
    let is_constructor = walk.this.is_some_and(|this| {
        let own = walk.definition(this).map(|definition| definition.name);
        own == Some(walk.id(walk.text_of(found.name)))
    });
    if field(node, "type").is_none() && !is_constructor && is_macro_name(walk.text_of(found.name)) {
        walk.name(found.name, Role::Call);
        return;
    }
    let is_pure = field(node, "default_value").is_some();
    let traits = if is_pure { traits } else { traits.and(Traits::DECLARATION) };
    let (definition, _) = function_named(walk, node, found, traits);
    let declared = declared.unwrap_or_else(|| declared_type(walk, node));
    walk.function(definition, |walk| declared.or(signature(walk, found)));
}

/// How many arguments a function takes, if that is fixed and said: `()` of C says nothing.
fn n_parameters(walk: &Walk<'_>, list: Node<'_>) -> Option<u8> {
    let parameters = || named_children(list).filter(|part| part.kind() != "comment");
    let is_fixed =
        child(list, "...").is_none() && parameters().all(|part| part.kind() == "parameter_declaration");
    match parameters().count() {
        0 => None,
        1 if walk.text_of(list).trim_matches(['(', ')', ' ']) == "void" => Some(0),
        n => u8::try_from(n).ok().filter(|_| is_fixed),
    }
}

/// Whether parameters are all names of types alone, and there are some.
fn is_of_names(list: Node<'_>) -> bool {
    let is_name = |part: Node<'_>| {
        field(part, "declarator").is_none()
            && field(part, "type")
                .is_some_and(|of| matches!(of.kind(), "type_identifier" | "qualified_identifier"))
    };
    list.named_child_count() > 0 && named_children(list).all(is_name)
}

pub(super) fn variable<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    found: &Declared<'t>,
    kind: DefinitionKind,
    traits: Traits,
) -> Option<DefinitionIx> {
    let (scopes, name) = qualifiers(found.name)?;
    scopes_value(walk, found.name, &scopes);
    let owner = owner(walk, &scopes);
    let kind = if owner.is_some() { DefinitionKind::Field } else { kind };
    let definition = walk.define(name, node, kind, traits);
    if let Some(known) = definition.and_then(|definition| walk.definition(definition)) {
        known.owner = owner;
    }
    definition
}

pub(super) fn local<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    part: Node<'t>,
    found: &Declared<'t>,
    declared: Value,
    auto: bool,
    is_extern: bool,
) {
    // A variable's own name counts in its initialiser: `T *p = malloc(sizeof *p)`.
    let is_plain = found.name.kind() == "identifier";
    if is_plain && !auto && !is_extern {
        walk.declare_local(found.name, declared);
    }
    let value = initial(walk, node, part, declared);
    if found.name.kind() == "structured_binding_declarator" {
        for (at, name) in named_children(found.name).enumerate() {
            let held = walk.part(value, at);
            walk.declare_local(name, held);
        }
    } else if is_plain && auto {
        walk.declare_local(found.name, value);
    }
}

/// Reads the initialiser of a declarator.
pub(super) fn initial<'t>(walk: &mut Walk<'t>, node: Node<'t>, part: Node<'t>, declared: Value) -> Value {
    let value = match part.kind() {
        "init_declarator" => field(part, "value"),
        _ => field(node, "default_value").or_else(|| field(node, "value")),
    };
    match value {
        Some(list) if list.kind() == "initializer_list" => {
            literal(walk, list, declared);
            declared
        }
        Some(value) => walk.visit(value),
        None => Value::Unknown,
    }
}

pub(super) fn parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = declared_type(walk, node);
    let written = field(node, "declarator");
    if let Some(written) = written {
        match declarator(walk, written) {
            Some(found) => {
                if let Some(list) = found.parameters {
                    walk.scope(ScopeKind::Function, |walk| walk.visit(list));
                }
                walk.declare_local(found.name, declared);
            }
            None => {
                walk.visit(written);
            }
        }
    }
    walk.field(node, "default_value");
    declared
}

pub(super) fn type_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(of) = field(node, "type") else { return Value::Unknown };
    let written: Vec<Node<'t>> = {
        let mut cursor = node.walk();
        node.children_by_field_name("declarator", &mut cursor).filter(|part| part.is_named()).collect()
    };
    let mut names = written.into_iter();
    let is_anonymous = field(of, "body").is_some() && field(of, "name").is_none();
    let mut value = Value::Unknown;
    if is_anonymous
        && let Some(first) = names.next()
        && let Some(found) = declarator(walk, first)
    {
        let definition = type_named(walk, found.name, node, of);
        value = definition.map_or(Value::Unknown, |of| Value::Itself(Source::Definition(of)));
    } else {
        value = walk.visit(of).or(value);
    }
    for part in names {
        let Some(found) = declarator(walk, part) else { continue };
        if let Some(list) = found.parameters {
            walk.scope(ScopeKind::Function, |walk| walk.visit(list));
        }
        let Some(definition) = walk.define(found.name, node, DefinitionKind::Type, Traits::default()) else {
            continue;
        };
        if walk.is_in_function() {
            walk.bind(definition);
        }
        if found.parameters.is_none() && !found.is_callback {
            walk.set_value(definition, value.instance());
        }
    }
    Value::Unknown
}

/// `typedef SLOTS(8) slots_t;`, in which the macro expands to a type: the grammar of C cannot read it.
pub(super) fn unparsed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_typedef = node.child(0).is_some_and(|first| first.kind() == "typedef");
    let parts: Vec<Node<'t>> = named_children(node).collect();
    if let (true, [made, arguments, name]) = (is_typedef, &parts[..])
        && (made.kind(), name.kind()) == ("identifier", "type_identifier")
        && arguments.is_error()
    {
        walk.name(*made, Role::Call);
        walk.visit(*arguments);
        walk.define(*name, node, DefinitionKind::Type, Traits::default());
        return Value::Unknown;
    }
    walk.children(node)
}

pub(super) fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let definition = walk.define(name, node, DefinitionKind::Type, Traits::default());
    if let Some(definition) = definition {
        template_parameters(walk, node, definition);
    }
    let value = match node.kind() {
        "namespace_alias_definition" => node.named_child(1).map_or(Value::Unknown, |of| walk.visit(of)),
        _ => walk.field(node, "type").instance(),
    };
    if let Some(definition) = definition {
        if walk.is_in_function() {
            walk.bind(definition);
        }
        walk.set_value(definition, value);
    }
    Value::Unknown
}
