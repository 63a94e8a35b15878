//! Where a text can be truncated without cutting through a statement.

use craig_source::Language;
use tree_sitter::Node;

use crate::trees::trees;

/// Most bytes that are parsed to find a place: a parse takes up to 300 bytes of memory for each byte of a text such as `((((`.
const MAX_PARSED_BYTES: usize = 64 << 10;

/// The best byte to truncate `text` at so that at most `most_bytes` are left: the end of a line; after a whole statement or
/// member if there is a grammar for the language, the outermost one in the second half. A first line that is longer is cut in
/// two. Never inside a character; the length of the text if it is not too long.
pub fn cut_point(language: Language, text: &str, most_bytes: usize) -> usize {
    if text.len() <= most_bytes {
        return text.len();
    }
    let most = text.floor_char_boundary(most_bytes);
    let parsed = &text[..text.floor_char_boundary(MAX_PARSED_BYTES)];
    let trees = if most < parsed.len() { trees(language, parsed) } else { None };
    let ends =
        trees.iter().flatten().filter_map(|(_, tree)| end_within(tree.root_node(), parsed, most)).max();
    ends.or_else(|| text[..most].rfind('\n').filter(|at| *at > 0)).unwrap_or(most)
}

/// The end of the last whole node before `most`, of the outermost level where it is in the second half; else the last of all.
fn end_within(root: Node<'_>, text: &str, most: usize) -> Option<usize> {
    let mut last = None;
    let mut node = root;
    loop {
        let mut cursor = node.walk();
        let mut crossing = None;
        for child in node.children(&mut cursor) {
            if child.start_byte() >= most {
                break;
            }
            if child.end_byte() > most {
                crossing = Some(child);
            } else if child.is_named()
                && let Some(end) = line_end(text, child.end_byte()).filter(|end| *end <= most)
            {
                last = last.max(Some(end));
            }
        }
        if last.is_some_and(|end| end >= most / 2) {
            return last;
        }
        match crossing {
            Some(inner) => node = inner,
            None => return last,
        }
    }
}

/// The end of the line, when nothing but its punctuation follows.
fn line_end(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let end = rest.find('\n').unwrap_or(rest.len());
    rest[..end].chars().all(|c| c.is_whitespace() || c == ';' || c == ',').then_some(from + end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CODE: &str = "fn long(x: u8) {\n    let a = one(\n        x,\n        y,\n    );\n    if a {\n        two();\n        three();\n    }\n}\n";

    fn check(language: Language, most: usize, expected: &str) {
        assert_eq!(&CODE[..cut_point(language, CODE, most)], expected, "{most}");
    }

    #[test]
    fn code_is_cut_after_statements() {
        let after_a = "fn long(x: u8) {\n    let a = one(\n        x,\n        y,\n    );";
        check(Language::Rust, 70, after_a);
        check(Language::Rust, after_a.len(), after_a);
        // The statement is too long for what is left: the last line of it that ends.
        check(Language::Rust, 50, "fn long(x: u8) {\n    let a = one(\n        x,");
        // The outermost that fills half of what is left is cut behind, not what begins inside of the next one.
        check(Language::Rust, 100, after_a);
        check(Language::Text, 40, "fn long(x: u8) {\n    let a = one(");
        check(Language::Text, 5, "fn lo");
        check(Language::Rust, 1_000, CODE);
    }

    #[test]
    fn of_a_long_text_only_the_beginning_is_parsed() {
        let long = format!("{}{}", CODE.repeat(2_000), "(".repeat(2_000_000));
        let cut = |most| &long[..cut_point(Language::Rust, &long, most)];
        assert_eq!(cut(CODE.len() + 70), CODE.trim_end(), "between functions");
        let lines = cut(MAX_PARSED_BYTES + 70);
        assert!(lines.len() <= MAX_PARSED_BYTES + 70 && long[lines.len()..].starts_with('\n'));
    }

    proptest! {
        #[test]
        fn what_is_left_fits(text in "[a-zé{}();\n ]{0,200}", most in 0usize..200) {
            for language in [Language::Rust, Language::Python, Language::Markdown] {
                let end = cut_point(language, &text, most);
                prop_assert!(text.is_char_boundary(end) && (end <= most || end == text.len() && text.len() <= most));
            }
        }
    }
}
