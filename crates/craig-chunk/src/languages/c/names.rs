//! Names in C and C++.

use tree_sitter::Node;

use crate::grammar::{all_children, child, field, named_children, unquoted};
use crate::names::rules::ternary;
use crate::names::walk::NameRule::{Block, Inside, Literal, Name, Read, Skip, Transparent, TypeName};
use crate::names::walk::{NameRule, NameTable, ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Imported, NameId, Role, Site, Source, Traits, Value};

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
    ("declaration", Read(declaration)),
    ("field_declaration", Read(declaration)),
    ("type_definition", Read(type_definition)),
    ("alias_declaration", Read(alias)),
    ("struct_specifier", Read(record)),
    ("union_specifier", Read(record)),
    ("class_specifier", Read(record)),
    ("enum_specifier", Read(enumeration)),
    ("namespace_definition", Read(namespace)),
    ("namespace_alias_definition", Read(alias)),
    ("nested_namespace_specifier", Read(nested_namespace)),
    ("using_declaration", Read(using)),
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
    ("ERROR", Read(unparsed)),
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
    let parameters: Vec<Node<'t>> = field(node, "parameters").into_iter().flat_map(named_children).collect();
    walk.inside(definition, |walk| {
        walk.scope(ScopeKind::Function, |walk| {
            for &name in &parameters {
                walk.declare_local(name, Value::Unknown);
            }
            macro_body(walk, value);
        });
    });
    let names: Vec<&str> = parameters.iter().map(|&name| walk.text_of(name)).collect();
    let pastes = pastes(walk.text_of(value), &names);
    if !pastes.is_empty() {
        let name = walk.id(walk.text_of(name));
        walk.pastes.insert(name, pastes);
    }
    Value::Unknown
}

/// A name that a macro pastes together: `do_##name`.
pub(crate) struct Paste {
    parts: Vec<Part>,
    role: Role,
}

enum Part {
    Text(String),
    /// An argument of the macro, by its number.
    Argument(usize),
}

impl Paste {
    /// The name, if the arguments that it is made from are words.
    fn name(&self, arguments: &[&str]) -> Option<String> {
        let mut name = String::new();
        for part in &self.parts {
            name += match part {
                Part::Text(text) => text,
                Part::Argument(at) => arguments.get(*at).filter(|text| text.bytes().all(is_word))?,
            };
        }
        Some(name)
    }
}

/// A macro pastes no more names than this.
const MAX_PASTES: usize = 16;

/// The names that the body of a macro pastes from its parameters.
fn pastes(body: &str, parameters: &[&str]) -> Vec<Paste> {
    let mut found = Vec::new();
    let mut rest = body;
    while let Some(at) = rest.find("##").filter(|_| found.len() < MAX_PASTES) {
        let is_part = |c: char| c.is_ascii() && is_word(c as u8);
        let head = rest[..at].trim_ascii_end();
        let mut words = vec![&head[head.trim_end_matches(is_part).len()..]];
        let before = head[..head.len() - words[0].len()].trim_ascii_end();
        let is_bare = !words[0].is_empty() && !before.ends_with(['.', '>', '#']);
        rest = &rest[at..];
        while let Some(tail) = rest.trim_ascii_start().strip_prefix("##") {
            let tail = tail.trim_ascii_start();
            let end = tail.find(|c| !is_part(c)).unwrap_or(tail.len());
            words.push(&tail[..end]);
            rest = &tail[end..];
        }
        let part = |word: &&str| match parameters.iter().position(|name| name == word) {
            Some(at) => Part::Argument(at),
            None => Part::Text((*word).to_owned()),
        };
        let parts: Vec<Part> = words.iter().map(part).collect();
        if is_bare && parts.iter().any(|part| matches!(part, Part::Argument(_))) {
            found.push(Paste { parts, role: role_before(rest.as_bytes(), false) });
        }
    }
    found
}

/// The names that the call of a macro pastes together, as far as its arguments are words.
fn pasted<'t>(walk: &mut Walk<'t>, called: Node<'t>, arguments: Node<'t>) {
    let name = walk.id(walk.text_of(called));
    let Some(pastes) = walk.pastes.get(&name) else { return };
    let given: Vec<&str> = named_children(arguments).map(|argument| walk.text_of(argument)).collect();
    let names: Vec<(String, Role)> =
        pastes.iter().filter_map(|paste| Some((paste.name(&given)?, paste.role))).collect();
    for (text, role) in names {
        walk.name_as(&text, called, role, Site::Bare);
    }
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
                let is_pasted = rest[end - at..].trim_ascii_start().starts_with(b"##")
                    || bytes[..at].trim_ascii_end().ends_with(b"#");
                if is_pasted {
                    (last, is_member) = (Value::Unknown, false);
                } else if KEYWORDS.contains(&word) {
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
fn behind_type(name: Node<'_>) -> Option<Node<'_>> {
    let error = name.next_named_sibling().or_else(|| name.parent()?.next_named_sibling())?;
    error.named_child(0).filter(|inner| error.is_error() && inner.kind() == "identifier")
}

/// Types of the language that a grammar may take for names.
const TYPE_WORDS: &[&str] =
    &["auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void"];

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
        (false, true) => Traits::default(),
        (is_static, false) if is_static || walk.is_private => Traits::PRIVATE,
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
    let this = if owner.is_some() { of.instance() } else { Value::Unknown };
    (definition, if in_type { walk.this_value() } else { this })
}

/// The scopes before a qualified name, from the outermost, and the name.
fn qualifiers(node: Node<'_>) -> Option<(Vec<Node<'_>>, Node<'_>)> {
    let (mut scopes, mut name) = (Vec::new(), node);
    while name.kind() == "qualified_identifier" && scopes.len() < MAX_DECLARATORS {
        scopes.extend(field(name, "scope"));
        name = field(name, "name")?;
    }
    Some((scopes, name))
}

/// The scopes as the name of an owner: `shop::Cart`.
fn owner<'t>(walk: &mut Walk<'t>, scopes: &[Node<'t>]) -> Option<NameId> {
    let (first, last) = (scopes.first()?, scopes.last()?);
    let written = walk.text.get(first.start_byte()..last.end_byte()).unwrap_or_default();
    if !written.contains(['<', ' ', '\n']) {
        return Some(walk.id(written));
    }
    let names: Vec<&str> = scopes.iter().map(|&scope| walk.text_of(without_arguments(scope))).collect();
    Some(walk.id_of(&names.join("::")))
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
        for (at, name) in named_children(found.name).enumerate() {
            let held = walk.part(value, at);
            walk.declare_local(name, held);
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

/// `typedef SLOTS(8) slots_t;`, where the macro stands for a type: the grammar of C has no room for it.
fn unparsed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
    let (scopes, name) = qualifiers(name)?;
    let owner = owner(walk, &scopes);
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

/// Defines enumerators; those of an `enum class` are known by its name alone.
fn enumerators<'t>(walk: &mut Walk<'t>, body: Node<'t>, of: Option<DefinitionIx>) {
    let is_scoped = body
        .parent()
        .is_some_and(|of| all_children(of).any(|part| matches!(part.kind(), "class" | "struct")));
    let traits = if is_scoped { Traits::STATIC } else { Traits::default() };
    for part in named_children(body) {
        if part.kind() != "enumerator" {
            walk.visit(part);
            continue;
        }
        let Some(name) = field(part, "name") else { continue };
        let parent = of.or(walk.within);
        if let Some(definition) = walk.define_in(parent, name, part, DefinitionKind::EnumMember, traits)
            && walk.is_in_function()
        {
            walk.bind(definition);
        }
        walk.field(part, "value");
    }
}

/// `namespace a::b { … }`: `b` in `a`. One without a name keeps its functions and variables to the file.
fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let names: Vec<Node<'t>> = match field(node, "name") {
        Some(name) if name.kind() == "nested_namespace_specifier" => named_children(name).collect(),
        name => name.into_iter().collect(),
    };
    let is_private = walk.is_private || names.is_empty();
    let is_private = std::mem::replace(&mut walk.is_private, is_private);
    namespaces(walk, node, &names);
    walk.is_private = is_private;
    Value::Unknown
}

fn namespaces<'t>(walk: &mut Walk<'t>, whole: Node<'t>, names: &[Node<'t>]) {
    let Some((&name, inner)) = names.split_first() else {
        walk.field(whole, "body");
        return;
    };
    let definition = walk.define(name, whole, DefinitionKind::Module, Traits::default());
    let before = name.prev_sibling().map(|before| before.kind());
    let is_inline = before == Some("inline") || child(whole, "inline").is_some() && inner.is_empty();
    if let Some(definition) = definition.filter(|_| is_inline) {
        opened(walk, Value::Itself(Source::Definition(definition)));
    }
    walk.inside(definition, |walk| namespaces(walk, whole, inner));
}

/// Notes that the names of a namespace are those of the enclosing one as well.
fn opened(walk: &mut Walk<'_>, namespace: Value) {
    match walk.within {
        Some(around) => walk.add_super(around, namespace),
        None => walk.export("*", namespace),
    }
}

/// `a::b` as a namespace.
fn nested_namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    named_children(node).fold(Value::Unknown, |of, part| scope_value(walk, part, of))
}

/// `using namespace shop;`, `using shop::rate;`: counts to the end of a function, elsewhere also where the file is included.
fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(path) = node.named_child(0) else { return Value::Unknown };
    if child(node, "namespace").is_some() {
        let space = walk.visit_as(path, Role::Type);
        walk.export("*", space);
        return Value::Unknown;
    }
    let Some((scopes, name)) = qualifiers(path).filter(|(scopes, _)| !scopes.is_empty()) else {
        return walk.children(node);
    };
    let of = scopes_value(walk, path, &scopes);
    let name = without_arguments(name);
    let member = walk.member(name, of, Role::Import);
    // Of a class, members of its supertypes are its own anyway.
    if !walk.is_in_type() && !walk.bring_in(name, of) {
        walk.export(walk.text_of(name), member);
    }
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
    if matches!(name, "pair" | "tuple") {
        let parts: Vec<Value> = values.iter().map(|part| part.instance()).collect();
        return Some(walk.tuple(node, &parts));
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
    let Some((scopes, at)) = qualifiers(node) else { return Value::Unknown };
    let of = scopes_value(walk, node, &scopes);
    let role = if at.kind().starts_with("type") && role == Role::Read { Role::Type } else { role };
    let name = without_arguments(at);
    let whole = match scopes.is_empty() {
        true if !name.kind().ends_with("identifier") => return walk.visit_as(at, role),
        true => of_no_namespace(walk, name, role),
        false => walk.member(name, of, role),
    };
    if name == at { whole } else { template_arguments(walk, at).unwrap_or(whole) }
}

/// The value of the scopes before a qualified name, which may begin with `::`.
fn scopes_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, scopes: &[Node<'t>]) -> Value {
    let mut value = Value::Unknown;
    for (at, &scope) in scopes.iter().enumerate() {
        let is_rooted = at == 0 && node.child(0).is_some_and(|first| first.kind() == "::");
        value = match is_rooted {
            true => of_no_namespace(walk, without_arguments(scope), Role::Type),
            false => scope_value(walk, scope, value),
        };
    }
    value
}

/// `::name`: as imported from what encloses all namespaces.
fn of_no_namespace<'t>(walk: &mut Walk<'t>, name: Node<'t>, role: Role) -> Value {
    let known = walk.found.imports.iter().rposition(|import| walk.found.text(import.module) == "::");
    let import = match known {
        Some(at) => u32::try_from(at).unwrap_or(u32::MAX),
        None => walk.import(name, None, "::", Imported::Module, false),
    };
    walk.at_site(name, role, Site::Import(import))
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
        "field_identifier" => {
            let member = walk.member(name, of, role);
            // What an iterator of a map points to is not told from its value.
            if walk.text_of(name) == "second" { walk.guarded(member, of) } else { member }
        }
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
        if let Some(function) = field(node, "function").filter(|function| function.kind() == "identifier") {
            pasted(walk, function, arguments);
        }
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
                // `[key, value]` of a map.
                let is_pair = found.name.named_child_count() == 2;
                for (at, name) in named_children(found.name).enumerate() {
                    walk.declare_local(name, if is_pair && at == 1 { element } else { Value::Unknown });
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
