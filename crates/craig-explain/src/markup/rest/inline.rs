//! Roles, links, literals and escapes in the prose of reStructuredText.

use crate::markup::directive::{is_identifier_like, link_text, role};
use crate::markup::inline::{begins_tag, code, with_line_breaks};

/// The longest name of a role or footnote that is looked for.
const MAX_NAME_BYTES: usize = 60;

/// Renders the prose of one paragraph; none where nothing changes.
pub(super) fn inline(text: &str) -> Option<String> {
    let is_marked = text.contains(['`', '\\', '_', '[', '<']) || text.starts_with('#');
    is_marked.then(|| {
        let mut scanner = Scanner { text, at: 0, out: String::with_capacity(text.len()), closers: [true; 2] };
        if text.starts_with('#') {
            scanner.out.push('\\');
        }
        while scanner.at < text.len() {
            scanner.step();
        }
        scanner.out
    })
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    out: String,
    /// Whether there can be one backtick, or two of them, behind `at`: what is not found is looked for once.
    closers: [bool; 2],
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let next = rest.find(['`', '\\', ':', '_', '[', '<']).unwrap_or(rest.len());
        self.copy(next);
        let rest = self.rest();
        let is_read = match rest.as_bytes().first() {
            None => return,
            Some(b'\\') => self.escape(),
            Some(b'`') if rest.starts_with("``") => self.literal(),
            Some(b'`') => self.interpreted(),
            Some(b':') => self.role(),
            Some(b'_') => self.reference(),
            Some(b'<') => self.angle(),
            Some(_) => self.footnote(),
        };
        if !is_read {
            self.copy(1);
        }
    }

    fn copy(&mut self, n_bytes: usize) {
        self.out.push_str(&self.rest()[..n_bytes]);
        self.at += n_bytes;
    }

    /// Writes what was rendered of the next bytes.
    fn write(&mut self, rendered: String, n_bytes: usize) -> bool {
        let written = &self.rest()[..n_bytes];
        self.out.push_str(&with_line_breaks(rendered, written));
        self.at += n_bytes;
        true
    }

    fn escape(&mut self) -> bool {
        match self.rest()[1..].chars().next() {
            Some(c) if c == '\n' || c.is_ascii_punctuation() => {
                self.copy(usize::from(c != '\n'));
                self.at += usize::from(c == '\n');
                self.copy(1);
            }
            Some(' ') => self.at += 2,
            _ => self.at += 1,
        }
        true
    }

    /// An angle bracket, which is no tag.
    fn angle(&mut self) -> bool {
        if begins_tag(self.rest()) {
            self.out.push('\\');
        }
        self.copy(1);
        true
    }

    /// Bytes from `from` to the next `closer`, and behind it.
    fn closer(&mut self, from: usize, closer: &str) -> Option<usize> {
        if !self.closers[closer.len() - 1] {
            return None;
        }
        let found = self.rest().get(from..).and_then(|rest| rest.find(closer));
        self.closers[closer.len() - 1] = found.is_some();
        found.map(|at| from + at)
    }

    /// A double backtick: code as it is.
    fn literal(&mut self) -> bool {
        let Some(close) = self.closer(2, "``") else {
            self.out.push_str("\\`\\`");
            self.at += 2;
            return true;
        };
        let close = close + usize::from(self.rest()[close..].starts_with("```"));
        let content = self.rest()[2..close].trim();
        self.write(code(content), close + 2)
    }

    /// A single backtick without a role: a link, a name or a text.
    fn interpreted(&mut self) -> bool {
        let Some(content) = self.content(1) else { return false };
        let end = content.len() + 2;
        let after = &self.rest()[end..];
        let n_marks = if after.starts_with("__") { 2 } else { usize::from(after.starts_with('_')) };
        let rendered = match link_text(content) {
            (text, true) if n_marks > 0 => link(text, content),
            (text, _) if n_marks > 0 || !is_identifier_like(text) => without_tags(text),
            (text, _) => code(text),
        };
        self.write(rendered, end + n_marks)
    }

    /// What stands between the backtick before `from` and the next one.
    fn content(&mut self, from: usize) -> Option<&'t str> {
        let close = self.closer(from, "`")?;
        let content = &self.rest()[from..close];
        (!content.is_empty() && !content.starts_with(char::is_whitespace)).then_some(content)
    }

    /// A name between colons, then a text between backticks.
    fn role(&mut self) -> bool {
        let is_inside = self.out.ends_with(|c: char| c.is_alphanumeric() || c == ':');
        let Some(name) = role_name(self.rest()).filter(|_| !is_inside) else { return false };
        let start = name.len() + 3;
        let Some(content) = self.content(start) else { return false };
        self.write(role(name, content), start + content.len() + 1)
    }

    /// The underscore behind a word that is a link, or before a text that is the target of one.
    fn reference(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with("_`") && !self.out.ends_with(char::is_alphanumeric) {
            let Some(content) = self.content(2) else { return false };
            return self.write(content.to_owned(), content.len() + 3);
        }
        let n_marks = rest.len() - rest.trim_start_matches('_').len();
        let after = rest[n_marks..].chars().next();
        let is_end = n_marks <= 2 && after.is_none_or(|c| c.is_whitespace() || ".,;:!?)]}'\"/".contains(c));
        if is_end && self.ends_with_word() {
            self.at += n_marks;
        } else {
            self.copy(n_marks);
        }
        true
    }

    /// Whether a word without underscores was just written.
    fn ends_with_word(&self) -> bool {
        let near = self.out.floor_char_boundary(self.out.len().saturating_sub(MAX_NAME_BYTES));
        let word = self.out[near..].rsplit(|c: char| !(c.is_alphanumeric() || "_-.+".contains(c))).next();
        word.is_some_and(|word| {
            word.starts_with(char::is_alphanumeric)
                && word.ends_with(char::is_alphanumeric)
                && !word.contains('_')
        })
    }

    /// A mark of a footnote is removed, that of a citation stays.
    fn footnote(&mut self) -> bool {
        let rest = self.rest().as_bytes();
        let near = &rest[..rest.len().min(MAX_NAME_BYTES)];
        let Some(close) = near.iter().position(|&b| b == b']') else { return false };
        let name = &self.rest()[1..close];
        if !self.rest()[close..].starts_with("]_") || name.is_empty() || name.contains(char::is_whitespace) {
            return false;
        }
        if name.starts_with(|c: char| c.is_ascii_digit() || c == '#' || c == '*') {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        } else {
            self.out.push_str(name);
        }
        self.at += close + 2;
        true
    }
}

/// The name in `` :name:` ``.
fn role_name(rest: &str) -> Option<&str> {
    let near = &rest.as_bytes()[..rest.len().min(MAX_NAME_BYTES)];
    let tick = near.iter().position(|&b| b == b'`')?;
    let name = rest[..tick].strip_prefix(':')?.strip_suffix(':')?;
    let is_name = name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+:".contains(c));
    (is_name && !rest[tick..].starts_with("``")).then_some(name)
}

/// A link as Markdown has it; the text alone where the target is none that a browser knows.
fn link(text: &str, content: &str) -> String {
    let target = content[content.rfind('<').unwrap_or_default()..].trim_matches(['<', '>']);
    let target: String = target.split_whitespace().collect();
    let is_url =
        target.contains("://") || target.starts_with("mailto:") || target.starts_with(['/', '#', '.']);
    if is_url { format!("[{text}]({target})") } else { text.to_owned() }
}

/// A text whose angle brackets are no tags in Markdown.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = 0;
    for (at, _) in text.match_indices('<').filter(|(at, _)| begins_tag(&text[*at..])) {
        out.push_str(&text[last..at]);
        out.push('\\');
        last = at;
    }
    out.push_str(&text[last..]);
    out
}
