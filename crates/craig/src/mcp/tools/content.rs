//! `get_file_content`: the text of a file, whole or in part.

use craig_engine::{FileText, Language, Withheld};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;
use crate::mcp::page::{Page, PageEnd, Paging, whole_lines};
use crate::mcp::{resources, uri};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Path, as in hits.
    path: String,
    /// Default: the workspace's.
    project: Option<String>,
    /// From 1.
    start_line: Option<usize>,
    /// Inclusive.
    end_line: Option<usize>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct Content {
    /// Name of the project.
    project: String,
    /// Path relative to the project's directory.
    path: String,
    /// Language id.
    #[schemars(with = "String")]
    language: Language,
    /// A binary file has no text.
    is_binary: bool,
    /// Why the text is withheld or not indexed.
    withheld: Option<Withheld>,
    /// Size of the file in bytes.
    size: u64,
    /// Lines of the file.
    total_lines: Option<usize>,
    /// First line of content, from 1.
    line_start: Option<usize>,
    /// Last line of content, inclusive.
    line_end: Option<usize>,
    /// Its text.
    content: Option<String>,
    /// Resource of the file.
    uri: String,
    /// Whether the index is as new as the file.
    freshness: StateName,
    #[serde(flatten)]
    page: PageEnd,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_file_content",
        title: "Read a file",
        description: "Returns the text of a file, or some lines of it, in pages. content is null for binary \
                      files and secrets such as .env.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Content>, Failure> {
    let page = Page::new(&call.arguments.paging, &call.raw)?;
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let path = call.shared.path_in_project(&project, &call.arguments.path).await?;
    let (name, file) = call
        .shared
        .run(move |engine| Ok((engine.status(&project)?.project, engine.file(&project, &path)?)))
        .await?;
    let (wanted, next) = cut(&file, &call.arguments, page)?;
    let notes = state.note(&name).into_iter().collect();
    let end = page.end_at(next, notes, || match &wanted {
        Some(wanted) => format!("lines {}-{}", wanted.line_start, wanted.line_end),
        None => String::new(),
    });
    let links = match call.caller.knows_links() {
        true => vec![resources::file_link(&name, &file.entry.path)],
        false => Vec::new(),
    };
    let fields = Content {
        uri: uri::write(&name, &file.entry.path),
        project: name,
        language: file.entry.language,
        is_binary: file.entry.is_binary,
        withheld: file.entry.withheld,
        size: file.entry.size,
        total_lines: file.content.as_ref().map(|content| content.lines().count()),
        line_start: wanted.as_ref().map(|wanted| wanted.line_start),
        line_end: wanted.as_ref().map(|wanted| wanted.line_end),
        content: wanted.map(|wanted| wanted.text.to_owned()),
        path: file.entry.path,
        freshness: state.name(),
        page: end,
    };
    Ok(Answer { fields, links })
}

/// Some lines of a file; the last may be incomplete.
struct Lines<'t> {
    text: &'t str,
    line_start: usize,
    line_end: usize,
}

/// The requested lines that fit into the page, and the byte offset at which the next page begins.
fn cut<'t>(
    file: &'t FileText,
    arguments: &Arguments,
    page: Page,
) -> Result<(Option<Lines<'t>>, Option<usize>), Failure> {
    let Some(content) = file.content.as_deref() else { return Ok((None, None)) };
    let (start, end) = range(content, arguments)?;
    // The file may have become shorter since the page before.
    let start = start.max(page.offset).min(end);
    let start = content.floor_char_boundary(start);
    let length = fitting(&content[start..end], page.budget_bytes());
    let text = &content[start..start + length];
    let line_start = content[..start].matches('\n').count() + 1;
    let n_lines = text.trim_end_matches('\n').matches('\n').count();
    let next = (start + length < end).then_some(start + length);
    Ok((Some(Lines { text, line_start, line_end: line_start + n_lines }), next))
}

/// The requested lines as a byte range of the file.
fn range(content: &str, arguments: &Arguments) -> Result<(usize, usize), Failure> {
    let n_lines = content.lines().count();
    let first = arguments.start_line.unwrap_or(1).max(1);
    let last = arguments.end_line.unwrap_or(usize::MAX);
    if last < first || (first > n_lines && first > 1) {
        return Err(Failure::new(
            format!("there are no lines {first} to {}: the file has {n_lines}", last.min(n_lines)),
            "lines are 1-based; omit start_line and end_line for the whole file",
        ));
    }
    let ends = || content.match_indices('\n').map(|(at, _)| at + 1);
    let start = if first == 1 { 0 } else { ends().nth(first - 2).unwrap_or(content.len()) };
    let end = ends().nth(last - 1).unwrap_or(content.len());
    Ok((start, end))
}

/// Bytes of whole lines that fit as JSON; of a line that is too long by itself, the part that fits.
fn fitting(text: &str, most_bytes: usize) -> usize {
    let length = whole_lines(text, most_bytes);
    if length > 0 || text.is_empty() {
        return length;
    }
    // A character takes at most six bytes as JSON.
    let part = text.floor_char_boundary((most_bytes / 6).max(4));
    part.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_fit_and_long_lines_are_cut() {
        assert_eq!(fitting("ab\ncd\n", 100), 6);
        assert_eq!(fitting("ab\ncd\n", 8), 3);
        assert_eq!(fitting(&"x".repeat(1000), 60), 10);
        assert_eq!(fitting("", 60), 0);
    }
}
