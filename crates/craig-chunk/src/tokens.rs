//! The tokens of a text, for colours: what each is follows from the grammar, without a query for each language.

use std::ops::Range;

use craig_source::Language;
use tree_sitter::Node;

use crate::trees::trees;

/// What a token is, as far as colours tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A comment, with its marks.
    Comment,
    /// A string or character literal, with its quotes.
    String,
    /// A number, `true`, `false`, `null`.
    Constant,
    /// A word of the language: `fn`, `return`.
    Keyword,
    /// The name of a type.
    Type,
}

/// The tokens of a text that have a colour, in order, without overlaps; byte ranges. Empty for languages without a grammar.
///
/// Parts of a file are read as far as the grammar recovers.
pub fn tokens(language: Language, text: &str) -> Vec<(Range<usize>, TokenKind)> {
    let mut found = Vec::new();
    for (_, tree) in trees(language, text).unwrap_or_default() {
        collect(tree.root_node(), text, &mut found);
    }
    found.sort_by_key(|(bytes, _)| bytes.start);
    let mut end = 0;
    found.retain(|(bytes, _)| {
        let is_after = bytes.start >= end && text.get(bytes.clone()).is_some();
        if is_after {
            end = bytes.end;
        }
        is_after
    });
    found
}

/// Visits each node once, without recursion: hostile files nest deeply.
fn collect(root: Node<'_>, text: &str, found: &mut Vec<(Range<usize>, TokenKind)>) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        // What is interpolated has colours of its own.
        let kind = kind(node, text).filter(|kind| *kind != TokenKind::String || !has_code(node));
        found.extend(kind.map(|kind| (node.byte_range(), kind)));
        if kind.is_none() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn has_code(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .any(|child| child.kind().contains("interpolation") || child.kind().contains("substitution"))
}

/// Grammars name their nodes alike: `line_comment`, `string_literal`, `type_identifier`; keywords are nodes without a name of
/// their own whose text is a word.
fn kind(node: Node<'_>, text: &str) -> Option<TokenKind> {
    let kind = node.kind();
    let is_leaf = node.child_count() == 0;
    if !node.is_named() {
        let is_word = kind.len() > 1 && kind.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        return match kind {
            "true" | "false" | "null" | "nil" | "None" => Some(TokenKind::Constant),
            _ => (is_leaf && is_word).then_some(TokenKind::Keyword),
        };
    }
    let has = |part: &str| kind.contains(part);
    if kind.ends_with("comment") {
        return Some(TokenKind::Comment);
    }
    if kind.starts_with("string")
        || has("string_literal")
        || has("char_literal")
        || has("template_string")
        || kind == "heredoc_body"
    {
        return Some(TokenKind::String);
    }
    let written = &text[node.byte_range()];
    let is_number = || {
        written.starts_with(|c: char| c.is_ascii_digit())
            && (has("number") || has("integer") || has("float") || has("int_") || has("literal"))
    };
    match kind {
        "true" | "false" | "null" | "nil" | "none" | "undefined" | "boolean" | "boolean_literal" => {
            Some(TokenKind::Constant)
        }
        "type_identifier" | "primitive_type" | "predefined_type" | "builtin_type" => Some(TokenKind::Type),
        "self" | "this" | "super" => Some(TokenKind::Keyword),
        _ => (is_leaf && is_number()).then_some(TokenKind::Constant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(language: Language, text: &str) -> Vec<(&str, TokenKind)> {
        tokens(language, text).into_iter().map(|(bytes, kind)| (&text[bytes], kind)).collect()
    }

    #[test]
    fn tokens_of_languages_unlike_each_other() {
        use TokenKind::{Comment, Constant, Keyword, String, Type};
        assert_eq!(
            coloured(Language::Rust, "fn f(x: Cart) -> u8 { // c\n  g(\"s\", 12) }"),
            [
                ("fn", Keyword),
                ("Cart", Type),
                ("u8", Type),
                ("// c", Comment),
                ("\"s\"", String),
                ("12", Constant)
            ]
        );
        assert_eq!(
            coloured(Language::Python, "def f():\n    return 'a' if True else 1.5  # c\n"),
            [
                ("def", Keyword),
                ("return", Keyword),
                ("'a'", String),
                ("if", Keyword),
                ("True", Constant),
                ("else", Keyword),
                ("1.5", Constant),
                ("# c", Comment)
            ]
        );
        assert_eq!(
            coloured(Language::Go, "func f() string { return `x` }"),
            [("func", Keyword), ("string", Type), ("return", Keyword), ("`x`", String)]
        );
        let typed = coloured(Language::TypeScript, "const x: Cart = `a${await f(1)}`");
        assert!(typed.contains(&("await", Keyword)) && typed.contains(&("1", Constant)), "{typed:?}");
    }

    #[test]
    fn parts_of_files_and_texts_have_tokens_in_order() {
        let part = "  return 'x'\n}\nfunction g() {\n  if (";
        let found = tokens(Language::JavaScript, part);
        assert!(found.is_sorted_by(|a, b| a.0.end <= b.0.start), "{found:?}");
        assert!(found.iter().any(|(bytes, _)| &part[bytes.clone()] == "function"));
        assert_eq!(tokens(Language::Text, "fn f() {}"), []);
    }
}
