//! Names in C and C++.

use tree_sitter::Node;

use super::rules::ternary;
use super::walk::NameRule::{Block, Inside, Literal, Name, Read, Skip, Transparent, TypeName};
use super::walk::{NameRule, NameTable, ScopeKind, Walk};
use super::{DefinitionIx, DefinitionKind, Imported, Role, Site, Source, Traits, Value};
use crate::grammar::{all_children, child, field, named_children, unquoted};

pub(crate) static TABLE: NameTable = NameTable { rules: RULES, hoists: false };

const RULES: &[(&str, NameRule)] = &[
    ("comment", Skip),
    ("string_literal", Literal),
    ("raw_string_literal", Literal),
    ("char_literal", Literal),
    ("number_literal", Literal),
    ("true", Literal),
    ("false", Literal),
    ("null", Literal),
    ("primitive_type", Literal),
    ("sized_type_specifier", Literal),
    ("attribute_specifier", Skip),
    ("attribute_declaration", Skip),
    ("ms_declspec_modifier", Skip),
    ("concatenated_string", Read(concatenated)),
    ("identifier", Name),
    ("namespace_identifier", TypeName),
    ("type_identifier", TypeName),
    ("preproc_include", Read(include)),
    ("preproc_def", Read(macro_definition)),
    ("preproc_function_def", Read(macro_definition)),
    ("preproc_call", Read(directive)),
    ("compound_statement", Block),
    ("if_statement", Block),
    ("for_statement", Block),
    ("while_statement", Block),
    ("switch_statement", Block),
    ("catch_clause", Block),
    ("template_declaration", Block),
    ("function_definition", Read(function)),
    ("inline_method_definition", Read(function)),
    ("declaration", Read(declaration)),
    ("field_declaration", Read(declaration)),
    ("condition_declaration", Read(declaration)),
    ("type_definition", Read(type_definition)),
    ("alias_declaration", Read(alias)),
    ("struct_specifier", Read(record)),
    ("union_specifier", Read(record)),
    ("class_specifier", Read(record)),
    ("enum_specifier", Read(enumeration)),
    ("namespace_definition", Read(namespace)),
    ("namespace_alias_definition", Read(alias)),
    ("type_parameter_declaration", Read(type_parameter)),
    ("optional_type_parameter_declaration", Read(type_parameter)),
    ("variadic_type_parameter_declaration", Read(type_parameter)),
    ("parameter_declaration", Read(parameter)),
    ("optional_parameter_declaration", Read(parameter)),
    ("variadic_parameter_declaration", Read(parameter)),
    ("type_descriptor", Read(type_descriptor)),
    ("template_type", Read(template)),
    ("template_function", Read(template)),
    ("template_method", Read(template)),
    ("qualified_identifier", Read(qualified)),
    ("field_expression", Read(member_access)),
    ("offsetof_expression", Read(offset_of)),
    ("call_expression", Read(call)),
    ("new_expression", Read(new)),
    ("cast_expression", Read(cast)),
    ("compound_literal_expression", Read(compound_literal)),
    ("initializer_list", Read(untyped_literal)),
    ("subscript_expression", Read(subscript)),
    ("assignment_expression", Read(assignment)),
    ("update_expression", Read(update)),
    ("conditional_expression", Read(ternary)),
    ("parenthesized_expression", Transparent),
    ("pointer_expression", Transparent),
    ("field_initializer", Read(field_initializer)),
    ("lambda_expression", Read(lambda)),
    ("for_range_loop", Read(range_loop)),
    ("return_statement", Read(returned)),
    ("this", Read(this)),
    ("binary_expression", Inside),
];

/// Nested declarators are read so far.
const MAX_DECLARATORS: usize = 32;

fn concatenated<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children(node);
    Value::Builtin
}

/// `#include` of a file brings in all its names. A system's header keeps its `<`.
fn include<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(path) = field(node, "path") else { return Value::Unknown };
    match path.kind() {
        "string_literal" | "system_lib_string" => {
            let path = unquoted(walk.text_of(path)).trim_end_matches('>');
            walk.import(node, None, path, Imported::All, true);
        }
        _ => {
            walk.visit(path);
        }
    }
    Value::Unknown
}

fn macro_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_new = !walk.is_in_function();
    let definition = walk.define_in(None, name, node, DefinitionKind::Macro, Traits::default());
    // A macro counts to the end of the file, wherever it is defined.
    if let Some(known) = definition.and_then(|definition| walk.definition(definition))
        && !is_new
    {
        known.traits = Traits::default();
    }
    let Some(value) = field(node, "value") else { return Value::Unknown };
    walk.inside(definition, |walk| {
        walk.scope(ScopeKind::Function, |walk| {
            if let Some(list) = field(node, "parameters") {
                for name in named_children(list) {
                    walk.declare_local(name, Value::Unknown);
                }
            }
            macro_body(walk, value);
        });
    });
    Value::Unknown
}

/// `#undef NAME`; what other directives say is no code.
fn directive<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_undef = field(node, "directive").is_some_and(|name| walk.text_of(name) == "#undef");
    if let Some(argument) = field(node, "argument").filter(|_| is_undef) {
        macro_body(walk, argument);
    }
    Value::Unknown
}

/// Words of macro bodies that are no names.
const KEYWORDS: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "defined",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "class",
    "namespace",
    "template",
    "typename",
    "using",
    "new",
    "delete",
    "true",
    "false",
    "nullptr",
    "bool",
];

/// The names in the text that a macro stands for: the grammar does not parse it.
fn macro_body<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let text = walk.text_of(node);
    let bytes = text.as_bytes();
    let (mut at, mut last) = (0, Value::Unknown);
    // What stands before the next word: `.`, `->` or `::` makes it a member.
    let mut is_member = false;
    let mut is_tag = false;
    while at < bytes.len() {
        let rest = &bytes[at..];
        match rest[0] {
            b'"' | b'\'' => {
                at += quoted_length(rest);
                (last, is_member) = (Value::Builtin, false);
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            }
            b'/' if rest.starts_with(b"/*") => {
                at += text.get(at + 2..).and_then(|rest| rest.find("*/")).map_or(rest.len(), |end| end + 4);
            }
            b'-' if rest.starts_with(b"->") => {
                (at, is_member) = (at + 2, true);
            }
            b':' if rest.starts_with(b"::") => {
                (at, is_member) = (at + 2, true);
            }
            b'.' => (at, is_member) = (at + 1, true),
            byte if byte.is_ascii_digit() => {
                at += rest.iter().take_while(|byte| is_word(**byte) || **byte == b'.').count();
                (last, is_member) = (Value::Builtin, false);
            }
            byte if is_word(byte) => {
                let end = at + rest.iter().take_while(|byte| is_word(**byte)).count();
                let word = text.get(at..end).unwrap_or_default();
                if KEYWORDS.contains(&word) {
                    is_tag = matches!(word, "struct" | "union" | "enum" | "class");
                    (last, is_member) = (Value::Unknown, false);
                } else {
                    let role = role_before(&bytes[end..], is_tag);
                    let site = is_member.then_some(Site::Member(last));
                    last = walk.name_in(node, at..end, role, site);
                    (is_member, is_tag) = (false, false);
                }
                at = end;
            }
            byte => {
                if !byte.is_ascii_whitespace() && byte != b'\\' {
                    last = Value::Unknown;
                    is_member = false;
                }
                at += 1;
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The length of a literal with its quotes.
fn quoted_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == bytes[0] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// What the text after a name says about its use.
fn role_before(rest: &[u8], is_tag: bool) -> Role {
    let rest = rest.trim_ascii_start();
    match rest {
        _ if is_tag => Role::Type,
        [b'(', ..] => Role::Call,
        [b'=', next, ..] if *next != b'=' => Role::Write,
        _ => Role::Read,
    }
}

/// What a declarator declares.
struct Declared<'t> {
    name: Node<'t>,
    /// Of a function, its parameters.
    parameters: Option<Node<'t>>,
    /// Whether it is a pointer to a function.
    is_callback: bool,
    /// Of a function, the declared type after its parameters.
    trailing: Option<Node<'t>>,
}

/// Reads a declarator down to its name; sizes of arrays and parameters of callbacks on the way.
fn declarator<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Declared<'t>> {
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
fn annotated<'t>(walk: &Walk<'t>, macro_call: Node<'t>) -> Option<Node<'t>> {
    let name = field(macro_call, "declarator").filter(|name| is_macro_name(walk.text_of(*name)))?;
    let error = name.parent()?.prev_named_sibling().filter(Node::is_error)?;
    error.named_child(0).filter(|_| error.named_child_count() == 1)
}

fn is_macro_name(name: &str) -> bool {
    name.len() > 2 && name.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
}

/// Whether parentheses are around a pointer: a pointer to a function, not a name in parentheses.
fn is_pointer(node: Node<'_>) -> bool {
    inner_declarator(node).is_some_and(|inner| !matches!(inner.kind(), "identifier" | "function_declarator"))
}

fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node)
        .find(|part| part.kind().ends_with("declarator") || part.kind().ends_with("identifier"))
}

/// The declared type of a declaration: an instance of it.
fn declared_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "type").instance()
}

fn has_word(walk: &Walk<'_>, node: Node<'_>, kind: &str, word: &str) -> bool {
    all_children(node).any(|part| part.kind() == kind && walk.text_of(part) == word)
}

fn is_static(walk: &Walk<'_>, node: Node<'_>) -> bool {
    has_word(walk, node, "storage_class_specifier", "static")
}

/// Traits of what is declared `static`: of a type's own, or of the file.
fn static_traits(walk: &Walk<'_>, node: Node<'_>) -> Traits {
    match (is_static(walk, node), walk.is_in_type()) {
        (true, true) => Traits::STATIC,
        (true, false) => Traits::PRIVATE,
        _ => Traits::default(),
    }
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
    let value = declared_type(walk, node);
    let Some(declared) = declarator(walk, written) else {
        walk.function(None, |walk| walk.field(node, "body"));
        return Value::Unknown;
    };
    let (definition, this) = function_named(walk, node, &declared, static_traits(walk, node));
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
fn signature<'t>(walk: &mut Walk<'t>, declared: &Declared<'t>) -> Value {
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
fn function_named<'t>(
    walk: &mut Walk<'t>,
    whole: Node<'t>,
    declared: &Declared<'t>,
    traits: Traits,
) -> (Option<DefinitionIx>, Value) {
    let in_type = walk.is_in_type();
    let mut name = declared.name;
    let mut owner = None;
    let mut of = Value::Unknown;
    for _ in 0..MAX_DECLARATORS {
        if name.kind() != "qualified_identifier" {
            break;
        }
        if let Some(scope) = field(name, "scope") {
            of = scope_value(walk, scope, of);
            owner = Some(without_arguments(scope));
        }
        let Some(inner) = field(name, "name") else { return (None, Value::Unknown) };
        name = inner;
    }
    name = without_arguments(name);
    let is_constructor = match (owner, walk.this.filter(|_| in_type)) {
        (Some(owner), _) => walk.text_of(owner) == walk.text_of(name),
        (None, Some(this)) => {
            let own = walk.definition(this).map(|definition| definition.name);
            own == Some(walk.id(walk.text_of(name)))
        }
        _ => false,
    };
    let kind = match (is_constructor, in_type || owner.is_some()) {
        (true, _) => DefinitionKind::Constructor,
        (false, true) => DefinitionKind::Method,
        (false, false) => DefinitionKind::Function,
    };
    let definition = walk.define(name, whole, kind, traits);
    let owner = owner.map(|owner| walk.id(walk.text_of(owner)));
    if let Some(known) = definition.and_then(|definition| walk.definition(definition)) {
        known.owner = owner;
    }
    let this = if owner.is_some() { of.instance() } else { Value::Unknown };
    (definition, if in_type { walk.this_value() } else { this })
}

fn without_arguments(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "template_type" | "template_function" | "template_method" => field(node, "name").unwrap_or(node),
        _ => node,
    }
}

/// Variables, fields, prototypes.
fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let anonymous = field(node, "type").filter(|of| is_anonymous_record(*of));
    let written: Vec<Node<'t>> = {
        let mut cursor = node.walk();
        node.children_by_field_name("declarator", &mut cursor).filter(|part| part.is_named()).collect()
    };
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
            prototype(walk, node, &found, declared, traits);
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

fn is_anonymous_record(node: Node<'_>) -> bool {
    matches!(node.kind(), "struct_specifier" | "union_specifier" | "class_specifier")
        && field(node, "name").is_none()
        && field(node, "body").is_some()
}

fn prototype<'t>(walk: &mut Walk<'t>, node: Node<'t>, found: &Declared<'t>, declared: Value, traits: Traits) {
    // In a function, what is declared is defined outside of it.
    if walk.is_in_function() && !walk.is_in_type() {
        walk.scope(ScopeKind::Function, |walk| signature(walk, found));
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
    walk.function(definition, |walk| declared.or(signature(walk, found)));
}

fn variable<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    found: &Declared<'t>,
    kind: DefinitionKind,
    traits: Traits,
) -> Option<DefinitionIx> {
    let mut name = found.name;
    let mut owner = None;
    let mut of = Value::Unknown;
    for _ in 0..MAX_DECLARATORS {
        if name.kind() != "qualified_identifier" {
            break;
        }
        let scope = field(name, "scope");
        if let Some(scope) = scope {
            of = scope_value(walk, scope, of);
            owner = Some(walk.id(walk.text_of(without_arguments(scope))));
        }
        name = field(name, "name")?;
    }
    let kind = if owner.is_some() { DefinitionKind::Field } else { kind };
    let definition = walk.define(name, node, kind, traits);
    if let Some(known) = definition.and_then(|definition| walk.definition(definition)) {
        known.owner = owner;
    }
    definition
}

fn local<'t>(
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
        for name in named_children(found.name) {
            walk.declare_local(name, Value::Unknown);
        }
    } else if is_plain && auto {
        walk.declare_local(found.name, value);
    }
}

/// Reads the initialiser of a declarator.
fn initial<'t>(walk: &mut Walk<'t>, node: Node<'t>, part: Node<'t>, declared: Value) -> Value {
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

fn parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

fn type_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_space = node.kind() == "namespace_alias_definition";
    let value = if is_space {
        node.named_child(1).map_or(Value::Unknown, |of| walk.visit(of))
    } else {
        walk.field(node, "type").instance()
    };
    if let Some(definition) = walk.define(name, node, DefinitionKind::Type, Traits::default()) {
        if walk.is_in_function() {
            walk.bind(definition);
        }
        walk.set_value(definition, value);
    }
    Value::Unknown
}

/// A struct, union or class: defined where it has a body.
fn record<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = match walk.take_role() {
        Role::Read => Role::Type,
        role => role,
    };
    let Some(body) = field(node, "body") else {
        // `struct foo;` and `friend class foo;` say nothing new.
        let is_alone = node.parent().is_some_and(|parent| {
            matches!(parent.kind(), "translation_unit" | "declaration_list" | "template_declaration")
        });
        return match field(node, "name") {
            Some(name) if !is_alone => tag(walk, name, role),
            _ => Value::Unknown,
        };
    };
    match field(node, "name") {
        Some(name) => {
            let definition = type_named(walk, name, node, node);
            definition.map_or(Value::Unknown, |of| Value::Itself(Source::Definition(of)))
        }
        // The members of an anonymous struct are those of what encloses it; those of a variable's have no names outside.
        None if walk.is_in_function() && !walk.is_in_type() => {
            walk.scope(ScopeKind::Block, |walk| walk.visit(body))
        }
        None => walk.visit(body),
    }
}

/// The name behind `struct`: a local variable of that name does not hide it, only a type does.
fn tag<'t>(walk: &mut Walk<'t>, name: Node<'t>, role: Role) -> Value {
    if name.kind() != "type_identifier" {
        return walk.visit_as(name, role);
    }
    match walk.defined_as(name) {
        Some(local) if walk.is_type(local) => walk.visit_as(name, role),
        _ => walk.at_site(name, role, Site::Bare),
    }
}

/// Defines a type by the body of `of`.
fn type_named<'t>(
    walk: &mut Walk<'t>,
    name: Node<'t>,
    whole: Node<'t>,
    of: Node<'t>,
) -> Option<DefinitionIx> {
    let kind = if of.kind() == "enum_specifier" { DefinitionKind::Enum } else { DefinitionKind::Class };
    let mut name = name;
    let mut owner = None;
    if name.kind() == "qualified_identifier" {
        owner = field(name, "scope").map(|scope| walk.id(walk.text_of(without_arguments(scope))));
        name = field(name, "name")?;
    }
    let definition = walk.define(without_arguments(name), whole, kind, Traits::default())?;
    if walk.is_in_function() {
        walk.bind(definition);
    }
    let supers = child(of, "base_class_clause").map(|clause| base_classes(walk, clause)).unwrap_or_default();
    if let Some(known) = walk.definition(definition) {
        known.supers = supers;
        known.owner = owner;
    }
    match field(of, "body") {
        Some(body) if kind == DefinitionKind::Enum => enumerators(walk, body, Some(definition)),
        Some(body) => {
            walk.inside_type(definition, |walk| walk.visit(body));
        }
        None => {}
    }
    Some(definition)
}

fn base_classes<'t>(walk: &mut Walk<'t>, clause: Node<'t>) -> Vec<Value> {
    named_children(clause)
        .filter(|part| part.kind() != "access_specifier")
        .map(|part| walk.visit_as(part, Role::Inherit))
        .collect()
}

fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(body) = field(node, "body") else {
        let name = field(node, "name");
        return name.map_or(Value::Unknown, |name| tag(walk, name, Role::Type));
    };
    walk.field(node, "base");
    let definition = field(node, "name").and_then(|name| {
        let definition = walk.define(name, node, DefinitionKind::Enum, Traits::default());
        if let Some(definition) = definition.filter(|_| walk.is_in_function()) {
            walk.bind(definition);
        }
        definition
    });
    enumerators(walk, body, definition);
    definition.map_or(Value::Builtin, |of| Value::Itself(Source::Definition(of)))
}

fn enumerators<'t>(walk: &mut Walk<'t>, body: Node<'t>, of: Option<DefinitionIx>) {
    for part in named_children(body) {
        if part.kind() != "enumerator" {
            walk.visit(part);
            continue;
        }
        let Some(name) = field(part, "name") else { continue };
        let parent = of.or(walk.within);
        if let Some(definition) =
            walk.define_in(parent, name, part, DefinitionKind::EnumMember, Traits::default())
            && walk.is_in_function()
        {
            walk.bind(definition);
        }
        walk.field(part, "value");
    }
}

fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name").map(|name| match name.kind() {
        "nested_namespace_specifier" => last(name),
        _ => name,
    });
    let definition = name.and_then(|name| walk.define(name, node, DefinitionKind::Module, Traits::default()));
    walk.inside(definition, |walk| walk.field(node, "body"));
    Value::Unknown
}

fn last(node: Node<'_>) -> Node<'_> {
    node.named_child(node.named_child_count().saturating_sub(1) as u32).unwrap_or(node)
}

fn type_parameter<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "default_type");
    let name = field(node, "name").or_else(|| child(node, "type_identifier"));
    if let Some(name) = name {
        walk.declare_local(name, Value::Unknown);
    }
    Value::Unknown
}

fn type_descriptor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "type");
    walk.children_except(node, &["type"]);
    value
}

/// Templates that stand for what is in them.
const WRAPPERS: &[&str] = &[
    "unique_ptr",
    "shared_ptr",
    "weak_ptr",
    "optional",
    "reference_wrapper",
    "atomic",
    "make_unique",
    "make_shared",
    "static_cast",
    "dynamic_cast",
    "reinterpret_cast",
    "const_cast",
    "forward",
];

/// Templates whose elements are those in them.
const COLLECTIONS: &[&str] = &[
    "vector",
    "list",
    "forward_list",
    "deque",
    "array",
    "span",
    "set",
    "multiset",
    "unordered_set",
    "initializer_list",
    "queue",
    "stack",
    "map",
    "multimap",
    "unordered_map",
];

fn template<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let whole = walk.visit_as(name, role);
    template_arguments(walk, node).map_or(whole, |known| known)
}

/// Reads the arguments of a template; the value of a known one.
fn template_arguments<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<Value> {
    let name = field(node, "name").map_or("", |name| walk.text_of(name));
    let arguments = field(node, "arguments")?;
    let values: Vec<Value> = named_children(arguments).map(|argument| walk.visit(argument)).collect();
    let first = values.first().copied().unwrap_or_default();
    if WRAPPERS.contains(&name) {
        return Some(first.instance());
    }
    if COLLECTIONS.contains(&name) {
        let of = if name.ends_with("map") { values.get(1).copied().unwrap_or_default() } else { first };
        return Some(of.collection().or(Value::Builtin));
    }
    None
}

/// `a::b`
fn qualified<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let mut of = Value::Unknown;
    let mut at = node;
    let mut is_global = true;
    for _ in 0..MAX_DECLARATORS {
        if at.kind() != "qualified_identifier" {
            break;
        }
        if let Some(scope) = field(at, "scope") {
            of = scope_value(walk, scope, if is_global { Value::Unknown } else { of });
            is_global = false;
        }
        let Some(inner) = field(at, "name") else { return Value::Unknown };
        at = inner;
    }
    let role = if at.kind().starts_with("type") && role == Role::Read { Role::Type } else { role };
    if is_global {
        return walk.visit_as(at, role);
    }
    let name = without_arguments(at);
    let whole = walk.member(name, of, role);
    if name == at { whole } else { template_arguments(walk, at).unwrap_or(whole) }
}

/// The value of a scope before `::`, in the scope `of` if that is known.
fn scope_value<'t>(walk: &mut Walk<'t>, scope: Node<'t>, of: Value) -> Value {
    let name = without_arguments(scope);
    let value = match of {
        Value::Unknown => walk.visit_as(name, Role::Type),
        of => walk.member(name, of, Role::Type),
    };
    if name != scope {
        template_arguments(walk, scope);
    }
    value
}

fn member_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "argument");
    let Some(name) = field(node, "field") else { return Value::Unknown };
    match name.kind() {
        "field_identifier" => walk.member(name, of, role),
        "template_method" => {
            let whole = field(name, "name").map_or(Value::Unknown, |name| walk.member(name, of, role));
            template_arguments(walk, name);
            whole
        }
        "destructor_name" => Value::Unknown,
        _ => walk.visit_as(name, role),
    }
}

fn offset_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "type").instance();
    if let Some(name) = field(node, "member") {
        walk.member(name, of, Role::Read);
    }
    Value::Builtin
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let called = walk.field_as(node, "function", Role::Call);
    let is_move = field(node, "function").is_some_and(|function| {
        matches!(walk.text_of(function), "std::move" | "move" | "likely" | "unlikely")
    });
    let mut first = None;
    if let Some(arguments) = field(node, "arguments") {
        for argument in named_children(arguments) {
            let value = walk.visit(argument);
            first.get_or_insert(value);
        }
    }
    match called {
        _ if is_move => first.unwrap_or_default(),
        // A cast, `make_unique<T>()`.
        Value::Instance(_) => called,
        _ => called.called(),
    }
}

fn new<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field_as(node, "type", Role::Call).instance();
    walk.children_except(node, &["type"]);
    value
}

fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "type").instance();
    walk.field(node, "value");
    value
}

fn compound_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "type").instance();
    if let Some(list) = field(node, "value") {
        literal(walk, list, of);
    }
    of
}

fn untyped_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    literal(walk, node, Value::Unknown);
    Value::Unknown
}

/// The elements of a literal; `.field = value` names a field of its type. Elements of an array's literal have its type.
fn literal<'t>(walk: &mut Walk<'t>, list: Node<'t>, of: Value) {
    for part in named_children(list) {
        if part.kind() != "initializer_pair" {
            element(walk, part, of);
            continue;
        }
        let mut cursor = part.walk();
        let mut inner = of;
        for (at, designator) in part.children_by_field_name("designator", &mut cursor).enumerate() {
            match child(designator, "field_identifier") {
                Some(name) if at == 0 => inner = walk.at_site(name, Role::Write, Site::Key(of)),
                Some(name) => inner = walk.member(name, inner, Role::Write),
                None => {
                    walk.children(designator);
                }
            }
        }
        if let Some(value) = field(part, "value") {
            element(walk, value, inner);
        }
    }
}

fn element<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value) {
    if node.kind() == "initializer_list" {
        literal(walk, node, of);
    } else {
        walk.visit(node);
    }
}

/// A pointer or an array is not told from its elements.
fn subscript<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "argument");
    walk.children_except(node, &["argument"]);
    match value {
        Value::Collection(_) | Value::Itself(_) | Value::Called(_) => value.element(),
        _ => value,
    }
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field_as(node, "left", Role::Write);
    match field(node, "right") {
        Some(list) if list.kind() == "initializer_list" => literal(walk, list, value),
        Some(right) => {
            walk.visit(right);
        }
        None => {}
    }
    value
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "argument", Role::Write)
}

/// `: field(value)` of a constructor.
fn field_initializer<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = child(node, "field_identifier") {
        walk.at_site(name, Role::Write, Site::Bare);
    }
    for part in named_children(node).filter(|part| part.kind() != "field_identifier") {
        walk.visit(part);
    }
    Value::Unknown
}

fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Function, |walk| {
        walk.field(node, "captures");
        walk.field(node, "declarator");
        walk.field(node, "body");
    });
    Value::Unknown
}

fn range_loop<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        walk.field(node, "initializer");
        let declared = declared_type(walk, node);
        let element = walk.field(node, "right").element();
        if let Some(found) = field(node, "declarator").and_then(|written| declarator(walk, written)) {
            if found.name.kind() == "structured_binding_declarator" {
                for name in named_children(found.name) {
                    walk.declare_local(name, Value::Unknown);
                }
            } else {
                walk.declare_local(found.name, declared.or(element));
            }
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    walk.returns(value);
    Value::Unknown
}

fn this<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if walk.is_bound(node) { walk.name(node, Role::Read) } else { walk.this_value() }
}
