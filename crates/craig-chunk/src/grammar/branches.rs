//! Hides conditions of a preprocessor that a parser cannot read.
//!
//! `#if A` / `internal` / `#else` / `public` / `#endif` / `class C`, or two heads of one function with a brace each, are no
//! sentence of the language with both branches in it. Where a branch holds anything but whole statements, the directives and all
//! branches but one are overwritten with blanks, so all offsets stay.

use std::{iter, ops::Range};

use super::blank::blanked;

const CONDITIONS: [&str; 9] =
    ["if", "ifdef", "ifndef", "else", "elif", "elseif", "elifdef", "elifndef", "endif"];

/// `#if … #else … #endif`, open or read.
struct Condition {
    directives: Vec<Range<usize>>,
    /// What is between the directives.
    branches: Vec<Range<usize>>,
    /// Whether every branch so far is made of whole statements.
    is_whole: bool,
    /// Whether it starts with `#if 0`.
    starts_dead: bool,
}

/// `text` without directives, and further branches, of conditions whose branches are no whole statements; none if it has none.
pub(crate) fn whole_only(text: &str) -> Option<String> {
    let mut hidden = Vec::new();
    let mut open: Vec<Condition> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        match directive(line) {
            Some("if" | "ifdef" | "ifndef") => open.push(Condition::new(range, line)),
            Some("else" | "elif" | "elseif" | "elifdef" | "elifndef") => {
                if let Some(condition) = open.last_mut() {
                    condition.close_branch(text, range.clone());
                    condition.branches.push(range.end..range.end);
                }
            }
            Some("endif") => {
                if let Some(mut condition) = open.pop() {
                    condition.close_branch(text, range);
                    hidden.extend(condition.hidden());
                }
            }
            _ => {}
        }
    }
    (!hidden.is_empty()).then(|| blanked(text, hidden))
}

/// `text` without the directives of conditions; none if it has none.
pub(crate) fn without_directives(text: &str) -> Option<String> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        (at - line.len()..at, directive(line))
    });
    let is_of_condition = |word: &str| CONDITIONS.contains(&word);
    let hidden: Vec<_> =
        lines.filter(|(_, word)| word.is_some_and(is_of_condition)).map(|(range, _)| range).collect();
    (!hidden.is_empty()).then(|| blanked(text, hidden))
}

impl Condition {
    fn new(directive: Range<usize>, line: &str) -> Self {
        Self {
            branches: iter::once(directive.end..directive.end).collect(),
            directives: vec![directive],
            is_whole: true,
            starts_dead: line.trim_ascii().trim_start_matches(['#', ' ']) == "if 0",
        }
    }

    fn close_branch(&mut self, text: &str, directive: Range<usize>) {
        if let Some(branch) = self.branches.last_mut() {
            branch.end = directive.start;
            self.is_whole &= is_whole(&text[branch.clone()]);
        }
        self.directives.push(directive);
    }

    /// What is hidden of it.
    fn hidden(self) -> Vec<Range<usize>> {
        if self.is_whole {
            return Vec::new();
        }
        let kept = usize::from(self.starts_dead);
        let others = self.branches.into_iter().enumerate().filter(|(at, _)| *at != kept);
        others.map(|(_, branch)| branch).chain(self.directives).collect()
    }
}

/// The word of a directive.
fn directive(line: &str) -> Option<&str> {
    let rest = line.trim_ascii_start().strip_prefix('#')?.trim_ascii_start();
    rest.split(|c: char| !c.is_ascii_alphabetic()).next()
}

/// Whether a branch holds whole statements: its brackets are balanced, and it ends as a statement does.
fn is_whole(branch: &str) -> bool {
    let mut depth = 0_i32;
    let mut last = b';';
    for line in branch.lines() {
        let code = line.split("//").next().unwrap_or_default().trim_ascii();
        if code.is_empty() || code.starts_with('#') || code.starts_with("/*") || code.starts_with('*') {
            continue;
        }
        let mut quote = None;
        let mut escaped = false;
        for byte in code.bytes() {
            match (quote, byte) {
                _ if escaped => escaped = false,
                (_, b'\\') => escaped = true,
                (Some(open), byte) if open == byte => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'(' | b'[' | b'{') => depth += 1,
                (None, b')' | b']' | b'}') => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return false;
            }
            last = byte;
        }
    }
    depth == 0 && matches!(last, b';' | b'}' | b':' | b'/' | b'\\')
}
