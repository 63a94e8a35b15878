//! Hides Rust macros around items, so that the items can be read: `cfg_rt! { pub struct Handle { … } }`.
//!
//! A grammar sees only tokens inside a macro call. If a call that begins its line holds items, or branches that do, as
//! those of `cfg_if!` and `cfg_select!`, what surrounds the items is overwritten with blanks, so all offsets stay.

use std::{borrow::Cow, ops::Range};

use crate::grammar::blank::blanked;

/// `text` with what surrounds items in macro calls blanked.
pub(super) fn hidden(text: &str) -> Cow<'_, str> {
    if !text.contains("! {") {
        return Cow::Borrowed(text);
    }
    let brackets = brackets(text);
    let mut hidden: Vec<Range<usize>> = Vec::new();
    for (ix, &Brackets { open, close, .. }) in brackets.iter().enumerate() {
        let Some(call) = call_before(&text[..open]) else { continue };
        if holds_items(text, &brackets, ix) {
            hidden.extend([call..open + 1, close..close + 1]);
        } else if let Some(branches) = branches_of_items(text, &brackets, ix) {
            let mut from = call;
            for branch in branches {
                hidden.push(from..branch.start);
                from = branch.end;
            }
            hidden.push(from..close + 1);
        }
    }
    if hidden.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(blanked(text, hidden)) }
}

/// Where `name! ` begins that ends a text and begins a line.
fn call_before(text: &str) -> Option<usize> {
    let path = text.strip_suffix("! ")?;
    let before = path.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
    let is_first = matches!(before.trim_end_matches([' ', '\t']).bytes().last(), None | Some(b'\n'));
    (is_first && before.len() < path.len()).then_some(before.len())
}

/// The texts of the branches of a call that all hold items or nothing; `None` if it has others.
fn branches_of_items(text: &str, brackets: &[Brackets], ix: usize) -> Option<Vec<Range<usize>>> {
    let mut branches = Vec::new();
    let mut is_of_items = false;
    let mut at = ix + 1;
    while at < brackets[ix].next {
        let Brackets { open, close, next } = brackets[at];
        if text.as_bytes()[open] == b'{' {
            let before = text[..open].trim_ascii_end();
            let is_branch = ["=>", "]", "else"].iter().any(|end| before.ends_with(end));
            let is_empty = text[open + 1..close].trim_ascii().is_empty();
            let has_items = holds_items(text, brackets, at);
            if !is_branch || !is_empty && !has_items {
                return None;
            }
            is_of_items |= has_items;
            branches.push(open + 1..close);
        }
        at = next;
    }
    is_of_items.then_some(branches)
}

/// Whether what is first between brackets, after comments and attributes, begins an item.
fn holds_items(text: &str, brackets: &[Brackets], ix: usize) -> bool {
    let mut rest = &text[brackets[ix].open + 1..brackets[ix].close];
    let mut inner = brackets[ix + 1..brackets[ix].next].iter();
    loop {
        rest = rest.trim_ascii_start();
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else if rest.starts_with("#[") {
            let start = brackets[ix].close - rest.len();
            let Some(attribute) = inner.find(|inner| inner.open == start + 1) else { return false };
            rest = &text[attribute.close + 1..brackets[ix].close];
        } else {
            break;
        }
    }
    let rest = match rest.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')').map_or("", |(_, rest)| rest),
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_whitespace()) => rest,
        _ => rest,
    };
    let mut words = rest.split_ascii_whitespace();
    let word = words.next().and_then(|word| word.split(['<', '!']).next());
    match word {
        Some("unsafe") => words.next().is_some_and(|next| !next.starts_with('{')),
        Some(
            "fn" | "struct" | "enum" | "union" | "impl" | "trait" | "mod" | "use" | "const" | "static"
            | "type" | "async" | "extern" | "macro_rules",
        ) => true,
        _ => false,
    }
}

/// A pair of brackets.
struct Brackets {
    open: usize,
    close: usize,
    /// The number of the first pair that opens after this one closes.
    next: usize,
}

/// The pairs of brackets of a text in the order in which they open, without those in comments, strings and characters;
/// none if some do not match.
fn brackets(text: &str) -> Vec<Brackets> {
    let bytes = text.as_bytes();
    let mut found: Vec<Brackets> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        at += match byte {
            b'/' if rest.starts_with(b"//") => line(rest),
            b'/' if rest.starts_with(b"/*") => block_comment(rest),
            b'"' => string(rest),
            b'\'' => character(rest),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => word(rest),
            b'(' | b'[' | b'{' => {
                open.push(found.len());
                found.push(Brackets { open: at, close: at, next: 0 });
                1
            }
            b')' | b']' | b'}' => {
                let Some(ix) = open.pop() else { return Vec::new() };
                let next = found.len();
                let pair = &mut found[ix];
                (pair.close, pair.next) = (at, next);
                if !matches!((bytes[pair.open], byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')) {
                    return Vec::new();
                }
                1
            }
            _ => 1,
        };
    }
    if open.is_empty() { found } else { Vec::new() }
}

fn line(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len())
}

fn block_comment(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// A character, or the mark of a lifetime.
fn character(bytes: &[u8]) -> usize {
    let is_end = |byte: &u8| *byte == b'\'';
    match bytes {
        [_, b'\\', _, rest @ ..] => rest.iter().take(10).position(is_end).map_or(1, |end| end + 4),
        [_, first, rest @ ..] => {
            let n_more = (first.leading_ones() as usize).saturating_sub(1);
            if rest.get(n_more).is_some_and(is_end) { n_more + 3 } else { 1 }
        }
        _ => 1,
    }
}

/// A word, with the raw string that it begins.
fn word(bytes: &[u8]) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let end = bytes.iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len());
    if !matches!(&bytes[..end], b"r" | b"br" | b"cr") {
        return end;
    }
    let n_marks = bytes[end..].iter().take_while(|byte| **byte == b'#').count();
    let start = end + n_marks + 1;
    if bytes.get(start - 1) != Some(&b'"') {
        return end;
    }
    let closes = |at: usize| {
        bytes[at] == b'"'
            && bytes[at + 1..].iter().take_while(|byte| **byte == b'#').take(n_marks).count() == n_marks
    };
    (start..bytes.len()).find(|&at| closes(at)).map_or(bytes.len(), |at| at + 1 + n_marks)
}
