//! One matching line, with what a reader needs to know where it is.

use std::ops::Range;

use craig_chunk::Symbol;
use craig_store::OutlinedFile;
use serde::Serialize;

use super::GrepRequest;
use super::pattern::Pattern;

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GrepLine {
    /// Path relative to the project's folder.
    pub path: String,
    /// Line, 1-based.
    pub line: u32,
    /// Where its first match begins, in characters, 1-based.
    pub column: u32,
    /// The line without its end; a long one is cut around the first match, with `…` where something is missing.
    pub text: String,
    /// The matches in `text`, in bytes.
    pub matches: Vec<Range<usize>>,
    /// Qualified name of the innermost definition or section that the line is in.
    pub symbol: Option<String>,
    /// First and last line of that definition or section.
    pub symbol_lines: Option<(u32, u32)>,
    /// Lines just before it that are not shown yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Lines just after it, up to the next that matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}

impl GrepLine {
    /// Whether what is shown of this line and those around it comes right behind what is shown of `previous`.
    pub fn follows(&self, previous: &Self) -> bool {
        let last = previous.line + previous.after.len() as u32;
        self.path == previous.path && self.line - self.before.len() as u32 == last + 1
    }
}

/// The lines of a file that begin at `starts`, in bytes, ascending.
pub(super) fn of_file(
    file: &OutlinedFile,
    starts: &[usize],
    pattern: &Pattern,
    request: &GrepRequest,
) -> Vec<GrepLine> {
    let all: Vec<&str> = file.text.lines().collect();
    let numbers = line_numbers(&file.text, starts);
    let mut enclosing = Enclosing::new(&file.symbols);
    let shortened = |lines: &[&str]| -> Vec<String> {
        lines.iter().map(|line| window(line, 0, request.line_chars).text).collect()
    };
    let mut n_shown = 0;
    let mut lines = Vec::with_capacity(numbers.len());
    for (at, &number) in numbers.iter().enumerate() {
        // The line itself is at `number - 1`.
        let next = numbers.get(at + 1).map_or(all.len(), |next| next - 1);
        let before = n_shown.max((number - 1).saturating_sub(request.before));
        let after = number.saturating_add(request.after).min(next);
        n_shown = after;
        let shown = cut(all[number - 1], pattern, request.line_chars);
        let symbol = enclosing.innermost(number as u32);
        lines.push(GrepLine {
            path: file.record.path.clone(),
            line: number as u32,
            column: shown.column,
            text: shown.text,
            matches: shown.matches,
            symbol: symbol.map(|symbol| symbol.qualified_name(file.record.language)),
            symbol_lines: symbol.map(|symbol| (symbol.line, symbol.line_end)),
            before: shortened(&all[before..number - 1]),
            after: shortened(&all[number..after]),
        });
    }
    lines
}

/// The numbers of the lines that begin at `starts`.
fn line_numbers(text: &str, starts: &[usize]) -> Vec<usize> {
    let (mut number, mut counted) = (1, 0);
    let count = |&start: &usize| {
        number += text.as_bytes()[counted..start].iter().filter(|&&byte| byte == b'\n').count();
        counted = start;
        number
    };
    starts.iter().map(count).collect()
}

/// What is shown of a line.
struct Shown {
    text: String,
    column: u32,
    matches: Vec<Range<usize>>,
}

/// A line with its matches, cut around the first of them if it is long.
fn cut(line: &str, pattern: &Pattern, most_chars: usize) -> Shown {
    let first = pattern.matches(line).next().unwrap_or(0..0);
    let window = window(line, first.start, most_chars);
    let in_window = |found: Range<usize>| {
        let (start, end) = (found.start.max(window.bytes.start), found.end.min(window.bytes.end));
        (start < end)
            .then(|| start - window.bytes.start + window.shift..end - window.bytes.start + window.shift)
    };
    let matches = pattern
        .matches(line)
        .take_while(|found| found.start < window.bytes.end)
        .filter_map(in_window)
        .collect();
    let column = line[..first.start].chars().count() as u32 + 1;
    Shown { text: window.text, column, matches }
}

/// A part of a line.
struct Window {
    /// The part, with [`CUT`] where the line goes on.
    text: String,
    /// Which part it is.
    bytes: Range<usize>,
    /// Where it begins in `text`.
    shift: usize,
}

/// Marks a cut.
const CUT: char = '…';

/// The whole line, or `most_chars` characters of it that begin a bit before `place`.
fn window(line: &str, place: usize, most_chars: usize) -> Window {
    let end_of = |text: &str, n_chars: usize| text.char_indices().nth(n_chars).map(|(at, _)| at);
    if end_of(line, most_chars).is_none() {
        return Window { text: line.to_owned(), bytes: 0..line.len(), shift: 0 };
    }
    // The end of the line is filled up with what is before it.
    let start_of = |end: usize, n_chars: usize| {
        let mut back = line[..end].char_indices().rev();
        n_chars.checked_sub(1).map_or(end, |n| back.nth(n).map_or(0, |(at, _)| at))
    };
    let start = start_of(place, most_chars / 4).min(start_of(line.len(), most_chars));
    let end = end_of(&line[start..], most_chars).map_or(line.len(), |length| start + length);
    let mut text = String::with_capacity(end - start + 2 * CUT.len_utf8());
    text.extend((start > 0).then_some(CUT));
    let shift = text.len();
    text += &line[start..end];
    text.extend((end < line.len()).then_some(CUT));
    Window { text, bytes: start..end, shift }
}

/// The definitions around lines, which must be requested in ascending order.
struct Enclosing<'f> {
    rest: std::slice::Iter<'f, Symbol>,
    /// Definitions that have begun and may not have ended, in the order of their lines.
    open: Vec<&'f Symbol>,
}

impl<'f> Enclosing<'f> {
    /// `symbols` are in file order.
    fn new(symbols: &'f [Symbol]) -> Self {
        Self { rest: symbols.iter(), open: Vec::new() }
    }

    /// The innermost definition that has the line. Lines come in their order.
    fn innermost(&mut self, line: u32) -> Option<&'f Symbol> {
        while let Some(symbol) = self.rest.as_slice().first().filter(|symbol| symbol.line <= line) {
            self.open.push(symbol);
            self.rest.next();
        }
        while self.open.last().is_some_and(|symbol| symbol.line_end < line) {
            self.open.pop();
        }
        self.open.last().copied()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(line: &str, pattern: &str, most_chars: usize, expected: Expect) {
        let pattern = Pattern::new(pattern, &GrepRequest::default()).unwrap();
        let shown = cut(line, &pattern, most_chars);
        let matches: Vec<&str> = shown.matches.iter().map(|range| &shown.text[range.clone()]).collect();
        expected.assert_eq(&format!("{}: {:?} {matches:?}", shown.column, shown.text));
    }

    #[test]
    fn long_lines_are_cut_around_the_first_match() {
        check("let x = 1;", "x", 20, expect![[r#"5: "let x = 1;" ["x"]"#]]);
        check(
            "abcdefghijklmnop token qrstuvwxyz token",
            "token",
            12,
            expect![[r#"18: "…op token qrs…" ["token"]"#]],
        );
        check("token abcdefghijklmnopqrstuvwxyz", "token", 12, expect![[r#"1: "token abcdef…" ["token"]"#]]);
        check("abcdefghijklmnopqrstuvwxyz token", "token", 12, expect![[r#"28: "…uvwxyz token" ["token"]"#]]);
        check(
            "ääääääääää token öööööööööö",
            "token|ö",
            12,
            expect![[r#"12: "…ää token ööö…" ["token", "ö", "ö", "ö"]"#]],
        );
        check("abcdefghijklmnopqrstuvwxyz", "d.*", 8, expect![[r#"4: "…bcdefghi…" ["defghi"]"#]]);
        check("abcdefghijklmnopqrstuvwxyz", "$", 8, expect![[r#"27: "…stuvwxyz" []"#]]);
    }
}
