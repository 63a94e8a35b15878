//! Tokens for the comparison of files: without whitespace, comments and import lines; all literals of one kind are equal.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use craig_source::{CommentSyntax, Language};

use super::clones::{LEAST_TOKENS, RUN};

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

/// What a line may begin inside of.
#[derive(Clone, Copy)]
enum Inside {
    Code,
    Comment,
    /// A string in triple quotes, with these.
    Text(&'static str),
}

/// The tokens of a text, and the bytes of its comments, by line.
pub(super) fn read(language: Language, text: &str) -> (Tokens, Vec<Range<usize>>) {
    let mut reading = Reading {
        comments: language.comments(),
        tokens: Tokens::default(),
        found: Vec::new(),
        inside: Inside::Code,
    };
    let mut start = 0;
    for (line, number) in text.split_inclusive('\n').zip(1u32..) {
        let trimmed = line.trim_start();
        let first = trimmed
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '#' | '_')))
            .next()
            .unwrap_or_default();
        let is_kept = !matches!(reading.inside, Inside::Code) || !is_import(first, trimmed);
        reading.line(trimmed.trim_end(), start + line.len() - trimmed.len(), is_kept.then_some(number));
        start += line.len();
    }
    (reading.tokens.without_repetitions(), reading.found)
}

struct Reading {
    comments: CommentSyntax,
    tokens: Tokens,
    found: Vec<Range<usize>>,
    inside: Inside,
}

impl Reading {
    /// Reads a line that starts at a byte, and keeps its tokens if it has a number.
    fn line(&mut self, line: &str, start: usize, number: Option<u32>) {
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let at = start + line.len() - rest.len();
            match self.inside {
                Inside::Comment => {
                    let close = self.comments.block.map(|(_, close)| close).unwrap_or_default();
                    let end = rest.find(close).map(|end| end + close.len());
                    self.found.push(at..at + end.unwrap_or(rest.len()));
                    rest = &rest[end.unwrap_or(rest.len())..];
                    self.inside = if end.is_some() { Inside::Code } else { Inside::Comment };
                }
                Inside::Text(quotes) => {
                    let end = rest.find(quotes).map(|end| end + quotes.len());
                    rest = &rest[end.unwrap_or(rest.len())..];
                    self.inside = if end.is_some() { Inside::Code } else { self.inside };
                }
                Inside::Code if c.is_whitespace() => rest = &rest[c.len_utf8()..],
                Inside::Code => {
                    let open =
                        self.comments.block.map(|(open, _)| open).filter(|open| rest.starts_with(open));
                    if let Some(open) = open {
                        self.found.push(at..at + open.len());
                        rest = &rest[open.len()..];
                        self.inside = Inside::Comment;
                    } else if self.comments.line.is_some_and(|mark| rest.starts_with(mark)) {
                        self.found.push(at..at + rest.len());
                        return;
                    } else if let Some(quotes) = TRIPLE.into_iter().find(|quotes| rest.starts_with(quotes)) {
                        self.tokens.push("\"\"", number);
                        rest = &rest[quotes.len()..];
                        self.inside = Inside::Text(quotes);
                    } else {
                        let (token, length) = token(rest, c);
                        self.tokens.push(token, number);
                        rest = &rest[length..];
                    }
                }
            }
        }
    }
}

/// Quotes of strings that may span lines in every language that has them.
const TRIPLE: [&str; 2] = ["\"\"\"", "'''"];

impl Tokens {
    fn push(&mut self, token: &str, line: Option<u32>) {
        let Some(line) = line else { return };
        let mut hasher = DefaultHasher::new();
        token.hash(&mut hasher);
        self.hashes.push((hasher.finish() & u64::from(u32::MAX)) as u32);
        self.lines.push(line);
    }

    /// Of a piece that follows on itself, as the items of a long list of literals do, only the last is kept: a repetition of
    /// less than a clone is no clone.
    fn without_repetitions(self) -> Self {
        let hashes = &self.hashes;
        let mut kept = Self::default();
        let mut at = 0;
        while at < hashes.len() {
            let repeated = (1..LEAST_TOKENS).map(|period| (repeated(hashes, at, period), period));
            let longest = repeated.filter(|(n, period)| *n >= RUN.max(*period)).map(|(n, _)| n).max();
            if let Some(n) = longest {
                at += n;
            } else {
                kept.hashes.push(hashes[at]);
                kept.lines.push(self.lines[at]);
                at += 1;
            }
        }
        kept
    }
}

/// How many tokens from `at` on are those that follow a period later.
fn repeated(hashes: &[u32], at: usize, period: usize) -> usize {
    let later = hashes.get(at + period..).unwrap_or_default();
    hashes[at..].iter().zip(later).take_while(|(token, later)| token == later).count()
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
