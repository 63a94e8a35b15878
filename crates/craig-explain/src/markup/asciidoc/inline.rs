//! Macros, links, marks and attributes in the prose of AsciiDoc.

use std::collections::HashMap;

use crate::markup::inline::{code, with_line_breaks};

/// Longest name and value of an attribute that is written where its name stands.
const MAX_NAME_BYTES: usize = 60;
const MAX_VALUE_BYTES: usize = 200;

/// Longest macro, reference or run of marked text.
const MAX_BYTES: usize = 600;

/// Renders paragraphs with the attributes of a file.
pub(super) struct Inline<'t> {
    attributes: HashMap<&'t str, &'t str>,
    /// Bytes that values of attributes may still take: the text grows at most to twice its size.
    budget: usize,
}

impl<'t> Inline<'t> {
    pub(super) fn new(attributes: HashMap<&'t str, &'t str>, n_bytes: usize) -> Self {
        Self { attributes, budget: n_bytes + 10_000 }
    }

    /// Renders the prose of one paragraph; none where nothing changes.
    pub(super) fn render(&mut self, text: &str) -> Option<String> {
        text.contains(['`', '{', '<', '[', '*', '+']).then(|| {
            let mut out = String::with_capacity(text.len());
            let mut rest = text;
            while let Some(at) = rest.find(['`', '{', '<', '[', '*', '+']) {
                out.push_str(&rest[..at]);
                rest = &rest[at..];
                let (rendered, n_bytes) = self.marked(&mut out, rest).unwrap_or((rest[..1].to_owned(), 1));
                out.push_str(&with_line_breaks(rendered, &rest[..n_bytes]));
                rest = &rest[n_bytes..];
            }
            out + rest
        })
    }

    /// What the mark at the beginning of a text is rendered as, and how many bytes that takes.
    fn marked(&mut self, out: &mut String, rest: &str) -> Option<(String, usize)> {
        let begins_word = !out.ends_with(char::is_alphanumeric);
        match rest.as_bytes()[0] {
            b'`' => {
                let marks = if rest.starts_with("``") { "``" } else { "`" };
                let (inside, n_bytes) = between(rest, marks, marks)?;
                let bare = inside.strip_prefix('+').and_then(|inside| inside.strip_suffix('+'));
                let inside = bare.map_or_else(|| self.with_values(inside), str::to_owned);
                Some((code(inside.trim()), n_bytes))
            }
            b'{' => {
                let (name, n_bytes) = between(&rest[..rest.floor_char_boundary(MAX_NAME_BYTES)], "{", "}")?;
                Some((self.value(name)?.to_owned(), n_bytes))
            }
            b'<' => {
                let (inside, n_bytes) = between(rest, "<<", ">>")?;
                let text = inside.split_once(',').map_or(inside.trim_start_matches('#'), |(_, text)| text);
                Some((text.trim().to_owned(), n_bytes))
            }
            b'[' if rest.starts_with("[[") => {
                between(rest, "[[", "]]").map(|(_, n_bytes)| (String::new(), n_bytes))
            }
            b'[' => {
                let start = macro_start(out)?;
                let (inside, n_bytes) = between(rest, "[", "]")?;
                let rendered = rendered_macro(&out[start..], self.with_values(inside).trim());
                out.truncate(start);
                Some((rendered, n_bytes))
            }
            b'*' if rest.starts_with("**") => Some(("**".to_owned(), 2)),
            b'*' if begins_word => {
                let (inside, n_bytes) = between(rest, "*", "*").filter(|(inside, _)| is_tight(inside))?;
                Some((format!("**{}**", self.with_values(inside)), n_bytes))
            }
            b'+' if out.ends_with(' ') && rest[1..].starts_with('\n') || rest.len() == 1 => {
                Some((String::new(), 1))
            }
            b'+' if begins_word => {
                let marks = ["+++", "++", "+"].into_iter().find(|marks| rest.starts_with(marks))?;
                let (inside, n_bytes) = between(rest, marks, marks).filter(|(inside, _)| is_tight(inside))?;
                Some((inside.to_owned(), n_bytes))
            }
            _ => None,
        }
    }

    fn value(&mut self, name: &str) -> Option<&'t str> {
        let value = *self.attributes.get(name)?;
        self.budget = self.budget.checked_sub(value.len()).filter(|_| value.len() <= MAX_VALUE_BYTES)?;
        Some(value)
    }

    /// A text with the values of the attributes in it.
    fn with_values(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            shown.push_str(&rest[..at]);
            rest = &rest[at..];
            let name = between(&rest[..rest.floor_char_boundary(MAX_NAME_BYTES)], "{", "}");
            let value = name.and_then(|(name, n_bytes)| Some((self.value(name)?, n_bytes)));
            let (value, n_bytes) = value.unwrap_or(("{", 1));
            shown.push_str(value);
            rest = &rest[n_bytes..];
        }
        shown + rest
    }
}

/// What stands between marks at the beginning of a text, and how many bytes that takes with them.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<(&'t str, usize)> {
    let near = &text[..text.floor_char_boundary(MAX_BYTES)];
    let inside = near.strip_prefix(open)?;
    let end = inside.find(close).filter(|&end| end > 0)?;
    Some((&inside[..end], open.len() + end + close.len()))
}

fn is_tight(inside: &str) -> bool {
    !inside.starts_with(char::is_whitespace) && !inside.ends_with(char::is_whitespace)
}

/// Where the word that a text ends with begins, if brackets behind it make it a macro or an address: `xref:a.adoc`.
fn macro_start(text: &str) -> Option<usize> {
    let near = text.len() - text.len().min(MAX_BYTES);
    let near = text.ceil_char_boundary(near);
    let word = text[near..]
        .rfind(|c: char| c.is_whitespace() || "(,\"".contains(c))
        .map_or(near, |at| near + at + 1);
    let name = text[word..].split_once(':')?.0;
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric())).then_some(word)
}

/// What is read of a macro, `name:target[text]`.
fn rendered_macro(written: &str, text: &str) -> String {
    let (name, target) = written.split_once(':').unwrap_or((written, ""));
    let label = text.split(",role=").next().unwrap_or(text).trim_end_matches('^').trim_matches('"');
    match name {
        "image" | "icon" | "anchor" | "indexterm" | "footnote" => String::new(),
        _ if target.starts_with("//") && label.is_empty() => written.to_owned(),
        _ if target.starts_with("//") => format!("[{label}]({written})"),
        _ if label.is_empty() => target.trim_matches(['#', '+']).to_owned(),
        _ => label.to_owned(),
    }
}
