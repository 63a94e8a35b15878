//! `grep`: the lines that match a regular expression.

use craig_engine::{Case, Engine, EngineError, GrepAnswer, GrepCounts, GrepFile, GrepLine, GrepRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::query::Filters;
use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;
use crate::mcp::page::{Page, PageEnd, Paging};

/// Default and maximum number of lines or files.
const DEFAULT_LIMIT: usize = 200;
const MOST_ROWS: usize = 5_000;

/// Most lines shown before and after each line.
const MOST_CONTEXT: usize = 20;

/// Longer lines are cut around their first match.
const LINE_CHARS: usize = 200;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Regular expression as in ripgrep, matched within lines: "fn \\w+_token\\(".
    pattern: String,
    /// true: the pattern is exact text, not a regular expression.
    #[serde(default)]
    literal: bool,
    /// true: upper and lower case are the same.
    #[serde(default)]
    ignore_case: bool,
    /// true: only whole words.
    #[serde(default)]
    whole_words: bool,
    /// Lines to show before and after each (default 0).
    #[serde(default)]
    context: usize,
    /// true: only the paths of the files, with the number of lines that match.
    #[serde(default)]
    files_only: bool,
    /// Name, reference, id or directory of the project; default: the workspace's.
    project: Option<String>,
    #[serde(flatten)]
    filters: Filters,
    /// Maximum number of lines or files (default 200); all are counted.
    limit: Option<usize>,
    #[serde(flatten)]
    paging: Paging,
}

/// What matches: lines, or files if only they were asked for.
#[derive(Serialize, JsonSchema)]
struct Found {
    /// By path and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<FoundLine>>,
    /// By path.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FoundFile>>,
    /// Lines that match in the whole project.
    total_lines: u64,
    /// Files with such a line.
    total_files: u64,
    /// Whether the index is as new as the files.
    freshness: StateName,
    #[serde(flatten)]
    page: PageEnd,
}

#[derive(Serialize, JsonSchema)]
struct FoundLine {
    /// Path and line, from 1: "src/auth.py:12".
    at: String,
    /// The line; a long one is cut around the match ("…").
    text: String,
    /// Definition or section that the line is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    /// Lines just before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    /// Lines just after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct FoundFile {
    /// Path relative to the project's directory.
    path: String,
    /// Lines that match.
    lines: u64,
}

/// The rows of an answer, of one of two kinds.
enum Rows {
    Lines(Vec<GrepLine>),
    Files(Vec<GrepFile>),
}

/// Rows with the number of what they were chosen from.
struct Matches {
    project: String,
    total_lines: u64,
    total_files: u64,
    rows: Rows,
    notes: Vec<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "grep",
        title: "Search exact text",
        description: "Finds every line that matches a regular expression or an exact text, with path, line and enclosing \
                      symbol, and counts all of them: for an error message, a string, a key (references of a symbol: find_references). \
                      Ignored and binary files are left out. To find code by what it does, or if you do not know the \
                      exact words, use query_code.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Found>, Failure> {
    let arguments = &call.arguments;
    let page = Page::new(&arguments.paging, &call.raw)?;
    let mut request = arguments.request();
    request.check(&arguments.pattern)?;
    let project = call.shared.project_or_own(arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    if let Some(path) = &request.path {
        request.path = Some(call.shared.path_in_project(&project, path).await?);
    }
    let (pattern, files_only) = (arguments.pattern.clone(), arguments.files_only);
    let work = move |engine: &Engine, cancellation| {
        request.cancellation = cancellation;
        Matches::find(engine, &project, &pattern, &request, files_only)
    };
    let found = call.run("search", work).await?;
    let mut notes: Vec<String> = state.note(&found.project).into_iter().collect();
    let (total_lines, total_files, freshness) = (found.total_lines, found.total_files, state.name());
    if total_lines == 0 && found.notes.is_empty() {
        notes.push(nothing_found(arguments));
    }
    notes.extend(found.notes);
    let (lines, files, page) = match found.rows {
        Rows::Lines(lines) => {
            notes.extend(more(lines.len() as u64, total_lines, "lines"));
            let fitting = page.fit(lines.into_iter().map(FoundLine::from).collect());
            let end = page.end(&fitting, "lines", notes);
            (Some(fitting.items), None, end)
        }
        Rows::Files(files) => {
            notes.extend(more(files.len() as u64, total_files, "files"));
            let row = |file: GrepFile| FoundFile { path: file.path, lines: file.lines };
            let fitting = page.fit(files.into_iter().map(row).collect());
            let end = page.end(&fitting, "files", notes);
            (None, Some(fitting.items), end)
        }
    };
    Ok(Found { lines, files, total_lines, total_files, freshness, page }.into())
}

impl Matches {
    fn find(
        engine: &Engine,
        project: &str,
        pattern: &str,
        request: &GrepRequest,
        files_only: bool,
    ) -> Result<Self, EngineError> {
        if files_only {
            let GrepCounts { project, total_lines, total_files, files, notes, .. } =
                engine.grep_counts(project, pattern, request)?;
            return Ok(Self { project, total_lines, total_files, rows: Rows::Files(files), notes });
        }
        let GrepAnswer { project, total_lines, total_files, lines, notes, .. } =
            engine.grep(project, pattern, request)?;
        Ok(Self { project, total_lines, total_files, rows: Rows::Lines(lines), notes })
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

impl From<GrepLine> for FoundLine {
    fn from(line: GrepLine) -> Self {
        Self {
            at: format!("{}:{}", line.path, line.line),
            text: line.text,
            symbol: line.symbol,
            before: line.before,
            after: line.after,
        }
    }
}

/// What the limit left out.
fn more(n_shown: u64, total: u64, noun: &str) -> Option<String> {
    (n_shown < total).then(|| {
        format!(
            "{} more {noun} match than limit allows: narrow path or language, or raise limit (at most {MOST_ROWS})",
            total - n_shown
        )
    })
}

fn nothing_found(arguments: &Arguments) -> String {
    let mut note = "no line matches".to_owned();
    if !arguments.ignore_case {
        note += "; try ignore_case";
    }
    if !arguments.literal && regex_like(&arguments.pattern) {
        note += "; literal: true takes ( ) [ ] { } . * + ? $ ^ | \\ for themselves";
    }
    note + "; query_code finds code by meaning"
}

/// Whether a pattern has something in it that a text would mean otherwise.
fn regex_like(pattern: &str) -> bool {
    pattern.contains(['(', ')', '[', ']', '{', '}', '.', '*', '+', '?', '$', '^', '|', '\\'])
}
