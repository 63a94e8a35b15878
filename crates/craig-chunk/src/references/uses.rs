//! Names that may be defined in other files without being imported by their name.

use std::collections::BTreeMap;

use craig_source::Language;
use tree_sitter::Node;

use super::{Descent, go};
use crate::grammar::{line, text};

/// Names longer than this are generated or no names.
const MAX_NAME_BYTES: usize = 200;

/// Collects the names that a node of a kind uses; returns whether to visit its children.
pub(super) fn collect(
    language: Language,
    (node, kind): (Node<'_>, &str),
    ancestors: &[Node<'_>],
    source: &str,
    used: &mut BTreeMap<String, u32>,
) -> Descent {
    match language {
        Language::Rust => rust(node, kind, source, used),
        Language::Go if go::declaration(node, ancestors, source, used) => Descent::Beside,
        Language::Java => java(node, kind, source, used),
        Language::Kotlin | Language::Scala => leaf(node, kind, source, used, |_| true),
        Language::CSharp => leaf(node, kind, source, used, starts_upper),
        Language::Php => qualified((node, kind), source, used, &["qualified_name"], &["name"]),
        Language::Ruby => qualified((node, kind), source, used, &["scope_resolution"], &["constant"]),
        Language::Elixir => qualified((node, kind), source, used, &["alias"], &[]),
        _ => Descent::Inside,
    }
}

/// Whether a node is too long to be a qualified name, even broken over lines. Such names nest: the text of each level is read.
fn is_too_long(node: Node<'_>) -> bool {
    node.end_byte() - node.start_byte() > 8 * MAX_NAME_BYTES
}

pub(super) fn note(name: &str, at: u32, used: &mut BTreeMap<String, u32>) {
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return;
    }
    match used.get_mut(name) {
        Some(first) => *first = at.min(*first),
        None => drop(used.insert(name.to_owned(), at)),
    }
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn starts_lower(name: &str) -> bool {
    name.starts_with(|c: char| c.is_lowercase() || c == '_')
}

fn rust(node: Node<'_>, kind: &str, source: &str, used: &mut BTreeMap<String, u32>) -> Descent {
    match kind {
        "scoped_identifier" | "scoped_type_identifier" if !is_too_long(node) => {
            let path = text(node, source).split('<').next().unwrap_or_default();
            let path: String = path.split_whitespace().collect();
            let path = path.trim_end_matches("::").trim_start_matches("::");
            if starts_lower(path) {
                note(path, line(node), used);
            }
            Descent::Inside
        }
        "token_tree" => {
            tokens(text(node, source), line(node), used);
            Descent::Beside
        }
        _ => Descent::Inside,
    }
}

/// Paths among the tokens of a macro, which no grammar reads.
fn tokens(tokens: &str, first_line: u32, used: &mut BTreeMap<String, u32>) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    for (row, text) in tokens.lines().enumerate() {
        let at = first_line.saturating_add(u32::try_from(row).unwrap_or(u32::MAX));
        for path in text.split(|c: char| !is_part(c)) {
            let path = path.trim_matches(':');
            if path.contains("::") && !path.contains(":::") && starts_lower(path) {
                note(path, at, used);
            }
        }
    }
}

fn java(node: Node<'_>, kind: &str, source: &str, used: &mut BTreeMap<String, u32>) -> Descent {
    match kind {
        "type_identifier" => note(text(node, source), line(node), used),
        "identifier" if starts_upper(text(node, source)) => note(text(node, source), line(node), used),
        "scoped_type_identifier" | "field_access"
            if !is_too_long(node) && starts_lower(text(node, source)) =>
        {
            let name: String = text(node, source).split_whitespace().collect();
            if name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_')) && name.contains('.') {
                note(&name, line(node), used);
            }
        }
        _ => {}
    }
    Descent::Inside
}

fn leaf(
    node: Node<'_>,
    kind: &str,
    source: &str,
    used: &mut BTreeMap<String, u32>,
    is_wanted: impl Fn(&str) -> bool,
) -> Descent {
    if kind.ends_with("identifier") && node.named_child_count() == 0 {
        let name = text(node, source);
        if is_wanted(name) {
            note(name, line(node), used);
        }
    }
    Descent::Inside
}

/// Whole qualified names, or the plain ones outside of them.
fn qualified(
    (node, kind): (Node<'_>, &str),
    source: &str,
    used: &mut BTreeMap<String, u32>,
    whole: &[&str],
    plain: &[&str],
) -> Descent {
    let name = text(node, source);
    if whole.contains(&kind) {
        note(name.trim_start_matches("::"), line(node), used);
        return Descent::Beside;
    }
    if plain.contains(&kind) && starts_upper(name) {
        note(name, line(node), used);
    }
    Descent::Inside
}
