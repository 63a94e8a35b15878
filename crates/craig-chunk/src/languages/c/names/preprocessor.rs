//! What the preprocessor of C reads: includes, macros and the names that they paste.

use tree_sitter::Node;

use crate::grammar::{field, named_children, unquoted};
use crate::names::paste::{Paste, PastePart, is_word};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionKind, Imported, Role, Site, Traits, Value};

pub(super) fn concatenated<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children(node);
    Value::Builtin
}

/// `#include` of a file brings in all its names. A system's header keeps its `<`.
pub(super) fn include<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

pub(super) fn macro_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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

/// A macro pastes no more names than this.
pub(super) const MAX_PASTES: usize = 16;

/// The names that the body of a macro pastes from its parameters.
pub(super) fn pastes(body: &str, parameters: &[&str]) -> Vec<Paste> {
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
            Some(at) => PastePart::Argument(at),
            None => PastePart::Text((*word).to_owned()),
        };
        let parts: Vec<PastePart> = words.iter().map(part).collect();
        if is_bare && parts.iter().any(|part| matches!(part, PastePart::Argument(_))) {
            found.push(Paste { parts, role: role_before(rest.as_bytes(), false) });
        }
    }
    found
}

/// The names that the call of a macro pastes together, as far as its arguments are words.
pub(super) fn pasted<'t>(walk: &mut Walk<'t>, called: Node<'t>, arguments: Node<'t>) {
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
pub(super) fn directive<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_undef = field(node, "directive").is_some_and(|name| walk.text_of(name) == "#undef");
    if let Some(argument) = field(node, "argument").filter(|_| is_undef) {
        macro_body(walk, argument);
    }
    Value::Unknown
}

/// Words of macro bodies that are no names.
pub(super) const KEYWORDS: &[&str] = &[
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

/// The names in the replacement text of a macro, which the grammar does not parse.
pub(super) fn macro_body<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let text = walk.text_of(node);
    let bytes = text.as_bytes();
    let (mut at, mut last) = (0, Value::Unknown);
    // The text before the next word: `.`, `->` or `::` makes it a member.
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

/// The length of a literal with its quotes.
pub(super) fn quoted_length(bytes: &[u8]) -> usize {
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

/// How a name is used, by the text after it.
pub(super) fn role_before(rest: &[u8], is_tag: bool) -> Role {
    let rest = rest.trim_ascii_start();
    match rest {
        _ if is_tag => Role::Type,
        [b'(', ..] => Role::Call,
        [b'=', next, ..] if *next != b'=' => Role::Write,
        _ => Role::Read,
    }
}
