//! Tokens for the comparison of files: without whitespace, comments and import lines; all literals of one kind are equal.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use craig_source::{CommentSyntax, Language};

/// The tokens of a file, each as a hash, with their lines.
#[derive(Default)]
pub(super) struct Tokens {
    pub(super) hashes: Vec<u32>,
    pub(super) lines: Vec<u32>,
}

/// First words of import lines: these are the same in many files.
const IMPORTS: &[&str] =
    &["import", "from", "use", "using", "package", "require", "#include", "include", "export", "open"];

/// Whether a line that begins with the word `first` only imports names: `import { a } from "b"`, but not `export class A {`.
fn is_import(first: &str, line: &str) -> bool {
    let names_are_listed = line.contains('}') && (first != "export" || line.contains(" from "));
    IMPORTS.contains(&first) && !line.contains('(') && (!line.contains('{') || names_are_listed)
}

impl Tokens {
    pub(super) fn new(language: Language, text: &str) -> Self {
        let comments = language.comments();
        let mut tokens = Self::default();
        let mut in_block = false;
        for (line, number) in text.lines().zip(1u32..) {
            let trimmed = line.trim_start();
            let first = trimmed
                .split(|c: char| !(c.is_alphanumeric() || matches!(c, '#' | '_')))
                .next()
                .unwrap_or_default();
            if in_block || !is_import(first, trimmed) {
                in_block = tokens.line(trimmed, number, comments, in_block);
            }
        }
        tokens
    }

    /// Adds a line; returns whether it ends inside a comment.
    fn line(&mut self, line: &str, number: u32, comments: CommentSyntax, mut in_block: bool) -> bool {
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            if in_block {
                let end = comments.block.map(|(_, end)| end).unwrap_or_default();
                match rest.find(end) {
                    Some(at) => rest = &rest[at + end.len()..],
                    None => return true,
                }
                in_block = false;
            } else if c.is_whitespace() {
                rest = &rest[c.len_utf8()..];
            } else if let Some((start, _)) = comments.block.filter(|(start, _)| rest.starts_with(start)) {
                rest = &rest[start.len()..];
                in_block = true;
            } else if comments.line.is_some_and(|start| rest.starts_with(start)) {
                return false;
            } else {
                let (token, length) = token(rest, c);
                self.push(token, number);
                rest = &rest[length..];
            }
        }
        in_block
    }

    fn push(&mut self, token: &str, line: u32) {
        let mut hasher = DefaultHasher::new();
        token.hash(&mut hasher);
        self.hashes.push((hasher.finish() & u64::from(u32::MAX)) as u32);
        self.lines.push(line);
    }
}

/// The token at the start of `text`, with the bytes that it takes.
fn token(text: &str, first: char) -> (&str, usize) {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
    if first.is_ascii_digit() {
        let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(text.len());
        return ("0", end);
    }
    if is_word(first) {
        let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
        return (&text[..end], end);
    }
    if matches!(first, '"' | '\'' | '`') {
        return match string_end(text, first) {
            Some(end) => ("\"\"", end),
            None => (&text[..1], 1),
        };
    }
    (&text[..first.len_utf8()], first.len_utf8())
}

/// Where a string on one line ends.
fn string_end(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
