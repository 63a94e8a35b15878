//! Hides Rust macros around items, so that the items can be read: `cfg_rt! { pub struct Handle { … } }`.
//!
//! A grammar sees only tokens inside a macro call. Where a call on a line of its own holds items, its name and braces
//! are overwritten with blanks, so all offsets stay. Relies on the closing brace being indented like the call.

use std::{borrow::Cow, ops::Range};

/// `text` with calls around items blanked.
pub(super) fn hidden(text: &str) -> Cow<'_, str> {
    if !text.contains("! {\n") {
        return Cow::Borrowed(text);
    }
    let mut hidden: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_ascii();
        let indent = &line[..line.len() - line.trim_ascii_start().len()];
        if content == "}" && open.last() == Some(&indent) {
            open.pop();
            hidden.push(start..at - 1);
        } else if is_call(content) && holds_items(&text[at..]) {
            open.push(indent);
            hidden.push(start..at - 1);
        }
    }
    blanked(text, &hidden, open.is_empty())
}

fn blanked<'t>(text: &'t str, hidden: &[Range<usize>], is_balanced: bool) -> Cow<'t, str> {
    if hidden.is_empty() || !is_balanced {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in hidden {
        bytes[range.clone()].fill(b' ');
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// `name! {` and nothing else.
fn is_call(line: &str) -> bool {
    let name = line.strip_suffix("! {").unwrap_or_default();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'))
}

/// Whether the first line that is no comment or attribute starts an item.
fn holds_items(rest: &str) -> bool {
    let mut lines = rest.lines().take(2_000).map(str::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with('#'));
    let word = first.and_then(|line| line.split([' ', '(', '<']).next());
    matches!(
        word,
        Some(
            "pub"
                | "fn"
                | "struct"
                | "enum"
                | "impl"
                | "trait"
                | "mod"
                | "use"
                | "const"
                | "static"
                | "type"
                | "async"
                | "unsafe"
                | "extern"
        )
    )
}
