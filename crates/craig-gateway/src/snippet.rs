//! Found code, and the text that puts it into a conversation.

use std::fmt::Write as _;

use craig_engine::{Hit, Language};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use schemars::JsonSchema;
use serde::Deserialize;

/// A piece of code that may help to answer.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "Result")]
pub(crate) struct Snippet {
    pub(crate) content: String,
    /// Path relative to the workspace.
    pub(crate) file: String,
    /// How near it is to the question, 0 to 1.
    pub(crate) score: Option<f32>,
    /// First line, from 1.
    #[serde(alias = "lineStart")]
    pub(crate) line_start: Option<u32>,
    /// Last line, inclusive.
    #[serde(alias = "lineEnd")]
    pub(crate) line_end: Option<u32>,
}

/// Bytes that make one token of the usual tokenizers, of code.
pub(crate) const BYTES_A_TOKEN: usize = 3;

const INTRODUCTION: &str = "Similar code patterns in your workspace:\n";

/// What is left out of header values: anything but printable ASCII, and what separates the entries.
const NOT_IN_HEADERS: &AsciiSet = &CONTROLS.add(b' ').add(b';').add(b'%').add(b'"');

impl From<Hit> for Snippet {
    fn from(hit: Hit) -> Self {
        Self {
            content: hit.content,
            file: hit.path,
            score: Some(hit.score),
            line_start: Some(hit.line_start),
            line_end: Some(hit.line_end),
        }
    }
}

impl Snippet {
    /// `file:first-last`, as headers may hold it.
    pub(crate) fn reference(&self) -> String {
        let file = utf8_percent_encode(&self.file, NOT_IN_HEADERS);
        match (self.line_start, self.line_end) {
            (Some(start), Some(end)) => format!("{file}:{start}-{end}"),
            (Some(start), None) => format!("{file}:{start}"),
            _ => file.to_string(),
        }
    }
}

/// Snippets as the text of one message, within `max_tokens`; gives the text and how many of the snippets are in it. One
/// that does not fit is cut after its last line that does, and ends the text.
pub(crate) fn message(snippets: &[Snippet], max_tokens: usize) -> (String, usize) {
    let max_bytes = max_tokens.saturating_mul(BYTES_A_TOKEN);
    let mut text = INTRODUCTION.to_owned();
    for (at, snippet) in snippets.iter().enumerate() {
        let (head, foot) = frame(snippet);
        let room = max_bytes.saturating_sub(text.len() + head.len() + foot.len());
        let content = whole_lines(&snippet.content, room);
        if content.is_empty() {
            return (text, at);
        }
        text.extend([head.as_str(), content, &foot]);
        if content.len() < snippet.content.trim_end().len() {
            return (text, at + 1);
        }
    }
    (text, snippets.len())
}

/// What stands before and after a snippet's content.
fn frame(snippet: &Snippet) -> (String, String) {
    let fence = fence_for(&snippet.content);
    let file: String = snippet.file.chars().filter(|c| !c.is_control()).collect();
    let language = Language::from_path(&file).map_or("", Language::id);
    let mut head = format!("\nFrom: {file}");
    if let Some(score) = snippet.score {
        // Writing to a string cannot fail.
        let _ = write!(head, " (relevance: {:.0}%)", score.clamp(0.0, 1.0) * 100.0);
    }
    let _ = writeln!(head, "\n{fence}{language}");
    (head, format!("\n{fence}\n"))
}

/// A fence that `content` does not close.
fn fence_for(content: &str) -> String {
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat((longest + 1).max(3))
}

/// The first lines of `text` that fit into `max_bytes`, without the last line break.
fn whole_lines(text: &str, max_bytes: usize) -> &str {
    let text = text.trim_end();
    if text.len() <= max_bytes {
        return text;
    }
    let fitting = &text[..text.floor_char_boundary(max_bytes)];
    fitting.rfind('\n').map_or("", |end| &fitting[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(file: &str, content: &str, score: f32) -> Snippet {
        let (line_start, line_end) = (Some(1), Some(content.lines().count() as u32));
        Snippet { content: content.into(), file: file.into(), score: Some(score), line_start, line_end }
    }

    #[test]
    fn the_text_is_the_documented_one() {
        let snippets = [
            snippet("src/validation/schema.ts", "const a = 1\nconst b = 2\n", 0.92),
            snippet("a.py", "x = 1", 0.87),
        ];
        expect_test::expect![[r#"
            Similar code patterns in your workspace:

            From: src/validation/schema.ts (relevance: 92%)
            ```typescript
            const a = 1
            const b = 2
            ```

            From: a.py (relevance: 87%)
            ```python
            x = 1
            ```
        "#]]
        .assert_eq(&message(&snippets, 1_000).0);
    }

    #[test]
    fn code_cannot_leave_its_fence_nor_a_name_its_line() {
        let text = message(&[snippet("a\nb.md", "```rust\n```\n````", 1.0)], 1_000).0;
        assert!(
            text.contains("From: ab.md (")
                && text.contains("\n`````markdown\n")
                && text.ends_with("\n`````\n"),
            "{text}"
        );
    }

    #[test]
    fn a_budget_is_kept_in_whole_lines() {
        let long = (0..100).map(|n| format!("line {n}\n")).collect::<String>();
        for max_tokens in [0, 10, 30, 40, 100, 200, 1_000] {
            let (text, n_in) = message(&[snippet("a.rs", &long, 0.5), snippet("b.rs", "x", 0.4)], max_tokens);
            assert!(n_in == 0 || text.len() <= max_tokens * BYTES_A_TOKEN, "{max_tokens}: {}", text.len());
            assert!(n_in == 2 || max_tokens < 1_000);
            let cut = text.lines().rfind(|line| line.starts_with("line"));
            assert!(cut.is_none_or(|line| long.lines().any(|whole| whole == line)), "{max_tokens}: {cut:?}");
        }
    }

    #[test]
    fn references_fit_into_a_header() {
        assert_eq!(snippet("src/a b;ä.rs", "x\ny", 0.1).reference(), "src/a%20b%3B%C3%A4.rs:1-2");
    }
}
