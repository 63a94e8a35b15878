//! `grep`: the lines that match a regular expression, as text.

use std::fmt::Write as _;

use craig_engine::{Case, Engine, EngineError, GrepAnswer, GrepCounts, GrepLine, GrepRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::query::Filters;
use super::{About, Call, Effect, Tool};
use crate::mcp::failure::Failure;

/// Default and maximum number of lines or files.
const DEFAULT_LIMIT: usize = 100;
const MOST_ROWS: usize = 2_000;

/// Maximum number of lines shown before and after each line.
const MOST_CONTEXT: usize = 20;

/// Longer lines are cut around their first match.
const LINE_CHARS: usize = 200;

/// Bytes of an answer.
const MOST_BYTES: usize = 24_000;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Regular expression, matched within lines.
    pattern: String,
    /// true: the pattern is exact text.
    #[serde(default)]
    literal: bool,
    /// true: ignore case.
    #[serde(default)]
    ignore_case: bool,
    /// true: only whole words.
    #[serde(default)]
    whole_words: bool,
    /// Lines to show before and after each (default 0).
    #[serde(default)]
    context: usize,
    /// true: only paths, with the number of lines.
    #[serde(default)]
    files_only: bool,
    /// Default: the workspace's.
    project: Option<String>,
    #[serde(flatten)]
    filters: Filters,
    /// Maximum number of rows (default 100).
    limit: Option<usize>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "grep",
        title: "Search exact text",
        description: "Finds every line that matches a regular expression or an exact text, by file, with line number and enclosing \
                      function, and counts all: for an error message, a string, a key. Ignored and binary files are left out. \
                      Without exact words, use explore.",
        effect: Effect::Reads,
    };
    Tool::of_text(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<String, Failure> {
    let arguments = &call.arguments;
    let mut request = arguments.request();
    request.check(&arguments.pattern)?;
    let project = call.project_or_ingested(arguments.project.as_deref()).await?;
    let (state, name) = (call.shared.bring_up_to_date(&project).await?, project.clone());
    if let Some(path) = &request.path {
        request.path = Some(call.shared.path_in_project(&project, path).await?);
    }
    let (pattern, files_only) = (arguments.pattern.clone(), arguments.files_only);
    let work = move |engine: &Engine, cancellation| {
        request.cancellation = cancellation;
        text(engine, &project, &pattern, &request, files_only)
    };
    let found = call.run("search", work).await?;
    let advice = if found.is_none() { nothing_found(arguments) } else { String::new() };
    Ok(state.line(&name) + &found.unwrap_or_default() + &advice)
}

/// The matches; empty if no line matches.
fn text(
    engine: &Engine,
    project: &str,
    pattern: &str,
    request: &GrepRequest,
    files_only: bool,
) -> Result<Option<String>, EngineError> {
    let (mut text, total, notes) = if files_only {
        let found = engine.grep_counts(project, pattern, request)?;
        (files(&found), found.total_lines, found.notes)
    } else {
        let found = engine.grep(project, pattern, request)?;
        (lines(&found), found.total_lines, found.notes)
    };
    notes.iter().for_each(|note| text += &format!("note: {note}\n"));
    Ok((total > 0 || !notes.is_empty()).then_some(text))
}

fn files(found: &GrepCounts) -> String {
    let mut text = String::new();
    for file in &found.files {
        let _ = writeln!(text, "{}: {} lines", file.path, file.lines);
    }
    text + &more(found.files.len() as u64, found.total_files, "files")
}

/// The lines by file, each with the definition that it is in, unless the line before it is in the same.
fn lines(found: &GrepAnswer) -> String {
    let mut text = String::new();
    let mut n_shown = 0;
    let mut last: Option<&GrepLine> = None;
    for line in &found.lines {
        let in_file = last.filter(|last| last.path == line.path);
        if in_file.is_none() {
            let _ = writeln!(text, "{}", line.path);
        } else if in_file.is_some_and(|last| !line.follows(last)) && found.has_context() {
            text.push_str("…\n");
        }
        let first = line.line - line.before.len() as u32;
        let is_named = line.symbol.is_some() && in_file.is_none_or(|last| last.symbol != line.symbol);
        let symbol = line.symbol.as_ref().filter(|_| is_named);
        let (begin, end) = line.symbol_lines.unwrap_or_default();
        let symbol = symbol.map(|symbol| format!("  in {symbol} {begin}-{end}")).unwrap_or_default();
        write_around(&mut text, first, &line.before);
        let _ = writeln!(text, "{}\t{}{symbol}", line.line, line.text);
        write_around(&mut text, line.line + 1, &line.after);
        last = Some(line);
        n_shown += 1;
        if text.len() > MOST_BYTES {
            break;
        }
    }
    text + &more(n_shown, found.total_lines, "lines")
}

/// Context lines of a match; `first` is the number of the first one.
fn write_around(text: &mut String, first: u32, lines: &[String]) {
    for (number, line) in (first..).zip(lines) {
        let _ = writeln!(text, "{number}\t{line}");
    }
}

impl Arguments {
    fn request(&self) -> GrepRequest {
        let context = self.context.min(MOST_CONTEXT);
        GrepRequest {
            case: if self.ignore_case { Case::Insensitive } else { Case::Sensitive },
            whole_words: self.whole_words,
            literal: self.literal,
            limit: self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST_ROWS),
            before: context,
            after: context,
            line_chars: LINE_CHARS,
            ..self.filters.grep_request()
        }
    }
}

/// What is left out.
fn more(n_shown: u64, total: u64, noun: &str) -> String {
    match total - n_shown {
        0 => String::new(),
        n_more => format!("{n_more} more {noun} match: narrow the pattern or path, or raise limit\n"),
    }
}

fn nothing_found(arguments: &Arguments) -> String {
    let mut note = "no line matches".to_owned();
    if !arguments.ignore_case {
        note += "; try ignore_case";
    }
    if !arguments.literal && regex_like(&arguments.pattern) {
        note += "; literal: true matches ( ) [ ] { } . * + ? $ ^ | \\ literally";
    }
    note + "; explore finds code by meaning\n"
}

/// Whether a pattern contains syntax that has another meaning in plain text.
fn regex_like(pattern: &str) -> bool {
    pattern.contains(['(', ')', '[', ']', '{', '}', '.', '*', '+', '?', '$', '^', '|', '\\'])
}
