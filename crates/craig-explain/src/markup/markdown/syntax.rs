//! What a line of a dialect of Markdown is.

use super::inline::attributes;
use crate::markup::lines::leading;

/// A fence that a line opens.
#[derive(Clone, Copy)]
pub(in crate::markup) struct Fence<'t> {
    pub(in crate::markup) mark: char,
    pub(in crate::markup) length: usize,
    pub(in crate::markup) info: &'t str,
}

/// The fence at the beginning of a line that has no blanks before it.
pub(in crate::markup) fn fence(content: &str) -> Option<Fence<'_>> {
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = leading(content, mark);
    let info = content[length..].trim();
    (length > 2 && !(mark == '`' && info.contains('`'))).then_some(Fence { mark, length, info })
}

/// Whether a line closes a fence.
pub(in crate::markup) fn closes(line: &str, mark: char, length: usize) -> bool {
    let content = line.trim();
    let n_marks = leading(content, mark);
    n_marks >= length && n_marks == content.len()
}

/// `{name} argument`, as MyST says directives.
pub(super) fn myst_directive(info: &str) -> Option<(&str, &str)> {
    let (name, argument) = info.strip_prefix('{')?.split_once('}')?;
    Some((name.trim(), argument.trim()))
}

/// Whether a line may begin a container of Python-Markdown: `!!! note "Title"`, `??? tip`, `=== "Tab"`.
pub(super) fn is_container(content: &str) -> bool {
    let details = content.strip_prefix("!!!").or_else(|| content.strip_prefix("???"));
    let is_details = details.is_some_and(|rest| {
        let rest = rest.trim_start_matches('+').trim();
        let words = rest.split_once('"').map_or(rest, |(words, _)| words);
        let is_closed = words == rest || rest.len() > words.len() + 1 && rest.ends_with('"');
        !rest.is_empty() && is_closed && words.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c))
    });
    let tab = content.strip_prefix("===").map(|rest| rest.trim_start_matches(['!', '+']).trim());
    is_details || tab.is_some_and(|title| title.len() > 1 && title.starts_with('"') && title.ends_with('"'))
}

/// Whether a line says nothing: attributes, a target of links, the place of a table of contents, a snippet.
pub(super) fn is_left_out(content: &str) -> bool {
    let inside = |open: &str, close: &str| content.starts_with(open) && content.ends_with(close);
    let is_target = inside("(", ")=") && !content.contains(char::is_whitespace);
    let is_attributes = attributes(content) == Some(content.len());
    let is_toc = matches!(
        content.to_ascii_lowercase().as_str(),
        "[toc]" | "[[toc]]" | "[[_toc_]]" | "@[toc]" | "{:toc}" | "[tocstart]" | "[tocend]"
    );
    let is_snippet = content.starts_with("--8<--") || content.starts_with("<<< @");
    is_target || is_attributes || is_toc || is_snippet || is_slashes(content)
}

/// The first or last line of a block of PyMdown: `/// note | Title`.
fn is_slashes(content: &str) -> bool {
    let rest = content.trim_start_matches('/');
    let (name, title) = rest.split_once('|').unwrap_or((rest, ""));
    let is_name = name.trim().chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    content.starts_with("///") && is_name && (title.is_empty() || !name.trim().is_empty())
}

/// The text of a definition, as Pandoc and Python-Markdown have it behind a term: `:   Only read N bytes.`
pub(super) fn definition(line: &str) -> Option<&str> {
    let text = line.strip_prefix(':')?;
    text.starts_with([' ', '\t']).then(|| text.trim()).filter(|text| !text.is_empty())
}

/// The level of an ATX heading.
pub(super) fn heading_level(content: &str) -> Option<usize> {
    let level = leading(content, '#');
    let is_heading =
        (1..=6).contains(&level) && content[level..].chars().next().is_none_or(char::is_whitespace);
    is_heading.then_some(level)
}

/// How far the text of an entry of a list is from its marker.
pub(super) fn list_content(content: &str) -> Option<usize> {
    let n_digits = content.len() - content.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marks: &[char] = if n_digits > 0 { &['.', ')'] } else { &['-', '*', '+'] };
    let rest = content[n_digits..].strip_prefix(marks).filter(|_| n_digits < 10)?;
    let n_blanks = rest.len() - rest.trim_start_matches(' ').len();
    let is_entry = rest.is_empty() || rest.starts_with([' ', '\t']);
    is_entry.then_some(n_digits + 1 + if (1..=4).contains(&n_blanks) { n_blanks } else { 1 })
}
