//! Macros of Rust: what they define, and the names in the tokens they are given.

use super::items::define_item;
use super::paths::{imported_name, is_root};
use tree_sitter::Node;

use super::closures::{called_method, content, is_visited};
use crate::grammar::{all_children, child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionKind, Role, Value};

/// Nested parts of paths, patterns and imports are read so far.
pub(super) const MAX_NESTED: usize = 64;

pub(super) fn macro_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let definition = define_item(walk, node, DefinitionKind::Macro);
    walk.inside(definition, |walk| {
        for rule in named_children(node).filter(|part| part.kind() == "macro_rule") {
            walk.scope(ScopeKind::Function, |walk| walk.field(rule, "right"));
        }
    });
    Value::Unknown
}

pub(super) fn macro_invocation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "macro", Role::Call);
    let mut value = Value::Unknown;
    if let Some(tree) = child(node, "token_tree") {
        value = walk.visit(tree);
    }
    let is_vec = field(node, "macro").is_some_and(|name| walk.text_of(name) == "vec");
    match value {
        Value::Called(of) | Value::Instance(of) if is_vec => Value::Collection(of),
        _ => Value::Unknown,
    }
}

/// What a macro gets: names with what stands between them. The value of what stands last.
pub(super) fn tokens<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_code = |part: &Node<'t>| !part.kind().ends_with("comment");
    let parts: Vec<Node<'t>> = all_children(node).filter(is_code).collect();
    let mut last = Value::Unknown;
    let mut path: Option<String> = None;
    let mut before = "";
    let mut next_at = 0;
    // The last name, and if it is that of a method, what that is called on.
    let (mut name, mut receiver) = ("", None);
    // The variable of a `let` whose value is read.
    let mut bound: Option<Node<'t>> = None;
    let [mut visited, _] = std::mem::take(&mut walk.callback);
    for (at, &part) in parts.iter().enumerate() {
        if at < next_at {
            if part.kind() == "identifier" {
                walk.name(part, Role::Type);
            }
            continue;
        }
        next_at = end_of_turbofish(&parts, at + 1).unwrap_or(0);
        let next = parts.get(next_at.max(at + 1));
        let text = walk.text_of(part);
        match part.kind() {
            "identifier" | "self" | "crate" | "super" | "metavariable" => {
                let is_before_path = next.is_some_and(|next| next.kind() == "::");
                let is_called = next
                    .is_some_and(|next| next.kind() == "token_tree" && walk.text_of(*next).starts_with('('));
                let role = match () {
                    () if is_called => Role::Call,
                    () if is_before_path => Role::Type,
                    () => Role::Read,
                };
                (name, receiver) = (text, Some(last).filter(|_| before == "."));
                if is_root(text) && is_before_path {
                    let root = if text == "$crate" { "crate" } else { text };
                    path = Some(path.map_or_else(|| root.to_owned(), |path| format!("{path}::{root}")));
                } else if before == "let" && !is_called {
                    walk.declare_local(part, Value::Unknown);
                    bound = Some(part).filter(|_| next.is_some_and(|next| next.kind() == "="));
                    last = Value::Unknown;
                } else if let Some(module) = path.take().filter(|_| before == "::") {
                    last = imported_name(walk, part, &module, role);
                } else if part.kind() == "metavariable" || part.kind() == "crate" || part.kind() == "super" {
                    last = Value::Unknown;
                } else if before == "." || before == "::" {
                    last = walk.member(part, last, role);
                } else if next.is_some_and(|next| matches!(next.kind(), ":" | "="))
                    && matches!(before, "" | "{" | "(" | ",")
                {
                    // The name of an argument, or the key of a literal.
                    last = Value::Unknown;
                } else {
                    last = walk.name(part, role);
                }
            }
            // `let mut name`
            "mutable_specifier" => continue,
            "token_tree" => {
                walk.callback[0] = match receiver {
                    Some(of) if is_visited(name, 0) => content(walk, of),
                    _ => Value::Unknown,
                };
                let inner = walk.scope(ScopeKind::Block, |walk| walk.visit(part));
                walk.callback[0] = Value::Unknown;
                last = match (text.as_bytes().first(), receiver.take()) {
                    (Some(b'('), Some(of)) => called_method(of, name, last),
                    (Some(b'('), None) if matches!(name, "Some" | "Ok") => inner,
                    (Some(b'('), None) => last.called(),
                    (Some(b'['), _) => last.element(),
                    (Some(b'{'), None) if name.starts_with(char::is_uppercase) => last.instance(),
                    _ => Value::Unknown,
                };
                name = "";
            }
            "|" if matches!(before, "" | "(" | "," | "=" | "{" | "move") => {
                next_at = closure_in_tokens(walk, &parts, at, std::mem::take(&mut visited));
                last = Value::Unknown;
            }
            ";" => {
                if let Some(name) = bound.take() {
                    walk.declare_local(name, last);
                }
                last = Value::Unknown;
            }
            "." | "::" | "?" | ")" | "]" | "}" | "&" | "await" => {}
            "," if next.is_some_and(|next| next.kind() == "]") => {}
            _ if part.is_named() => {
                walk.visit(part);
                last = Value::Builtin;
            }
            _ => last = Value::Unknown,
        }
        before = match part.kind() {
            "identifier" if text == "move" => "move",
            _ if part.is_named() => "name",
            kind => kind,
        };
    }
    last
}

/// Declares the parameters of a closure in the tokens of a macro, the first with a value; where its body begins.
pub(super) fn closure_in_tokens<'t>(
    walk: &mut Walk<'t>,
    parts: &[Node<'t>],
    at: usize,
    mut first: Value,
) -> usize {
    let rest = parts.iter().enumerate().skip(at + 1);
    let Some(end) = rest.clone().find(|(_, part)| part.kind() == "|").map(|(end, _)| end) else {
        return at + 1;
    };
    let mut before = "|";
    for (_, part) in rest.take_while(|(at, _)| *at < end) {
        match part.kind() {
            "identifier" if matches!(before, "|" | "," | "&" | "mut") => {
                walk.declare_local(*part, std::mem::take(&mut first));
            }
            "identifier" => {
                walk.name(*part, Role::Type);
            }
            "token_tree" => {
                walk.visit(*part);
            }
            _ => {}
        }
        before = if part.kind() == "mutable_specifier" { "mut" } else { part.kind() };
    }
    end + 1
}

/// The end of `::<…>` that begins at a token.
pub(super) fn end_of_turbofish(parts: &[Node<'_>], at: usize) -> Option<usize> {
    if parts.get(at)?.kind() != "::" || parts.get(at + 1)?.kind() != "<" {
        return None;
    }
    let mut depth = 0_i32;
    for (end, part) in parts.iter().enumerate().skip(at + 1) {
        match part.kind() {
            "<" => depth += 1,
            ">" => depth -= 1,
            ">>" => depth -= 2,
            ";" => return None,
            _ => {}
        }
        if depth <= 0 {
            return Some(end + 1);
        }
    }
    None
}
