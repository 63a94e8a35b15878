//! Matching lines, for people and for programs that parse compiler output: `path:line:column: text`.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use craig_engine::{GrepAnswer, GrepCounts, GrepFile, GrepLine};

use crate::cli::output::{DIM, GOOD, PATH, styled};

/// The matches as text.
const MATCH: Style = AnsiColor::Red.on_default().bold();

/// The matching lines with their context lines and enclosing symbols. With context, `--` separates lines that are not
/// adjacent.
pub(super) fn lines(answer: &GrepAnswer) -> String {
    let has_context = answer.has_context();
    let mut text = String::new();
    let mut previous: Option<&GrepLine> = None;
    for line in &answer.lines {
        if has_context && previous.is_some_and(|previous| !line.follows(previous)) {
            text += &styled(DIM, "--");
            text.push('\n');
        }
        let first = line.line - line.before.len() as u32;
        text += &around(line, first, &line.before);
        text += &matching(line);
        text += &around(line, line.line + 1, &line.after);
        previous = Some(line);
    }
    text
}

/// The paths of the files, with or without the number of lines.
pub(super) fn files(answer: &GrepCounts, with_count: bool) -> String {
    let row = |file: &GrepFile| match with_count {
        true => format!("{}:{}\n", styled(PATH, &file.path), styled(GOOD, file.lines)),
        false => styled(PATH, &file.path) + "\n",
    };
    answer.files.iter().map(row).collect()
}

fn matching(line: &GrepLine) -> String {
    let place = format!("{}:{}:{}", styled(PATH, &line.path), styled(GOOD, line.line), line.column);
    let symbol = line.symbol.as_deref().map(|name| styled(DIM, format_args!("  in {name}")));
    format!("{place}: {}{}\n", highlighted(&line.text, &line.matches), symbol.unwrap_or_default())
}

/// Context lines of a match; `first` is the number of the first one.
fn around(line: &GrepLine, first: u32, texts: &[String]) -> String {
    let row = |(number, text): (u32, &String)| {
        format!("{}-{}- {}\n", styled(PATH, &line.path), styled(GOOD, number), text)
    };
    (first..).zip(texts).map(row).collect()
}

/// A line with its matches in colour.
fn highlighted(text: &str, matches: &[Range<usize>]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for found in matches {
        shown += &text[at..found.start];
        // `styled` escapes tabs, so they are replaced before.
        let parts = text[found.clone()].split('\t').map(|part| styled(MATCH, part));
        shown += &parts.collect::<Vec<_>>().join("\t");
        at = found.end;
    }
    shown + &text[at..]
}
