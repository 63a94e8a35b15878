//! Markdown with what MkDocs, MyST, VitePress, Docusaurus, Hugo, Jekyll, Pandoc and GitHub add to it.

mod fences;
mod inline;
mod syntax;

use std::borrow::Cow;

use self::inline::inline;
pub(super) use self::syntax::{closes, fence};
use self::syntax::{definition, heading_level, is_container, is_left_out, list_content};
use super::lines::{joined, lines};

/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 24;

/// How much the body of a container of Python-Markdown is indented.
const TAB: usize = 4;

/// Renders a file.
pub(super) fn render(text: &str) -> Cow<'_, str> {
    let mut reader = Reader::new(text);
    reader.front_matter();
    while reader.at() < reader.lines.len() {
        reader.block();
    }
    joined(text, reader.out.iter().map(|line| (0, [&**line])))
}

struct Reader<'t> {
    lines: Vec<&'t str>,
    /// What was rendered of the lines before.
    out: Vec<Cow<'t, str>>,
    /// Containers whose bodies are indented: the indentation of their first lines.
    tabs: Vec<usize>,
    /// Entries of lists: the indentation of their text.
    items: Vec<usize>,
    /// Open fences of MyST whose bodies are text: mark and length.
    directives: Vec<(char, usize)>,
    was_blank: bool,
    was_code: bool,
    /// Whether the last text is a term that definitions follow.
    is_defined: bool,
    /// Level of the last heading.
    level: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let lines = lines(text);
        Self {
            out: Vec::with_capacity(lines.len()),
            lines,
            tabs: Vec::new(),
            items: Vec::new(),
            directives: Vec::new(),
            was_blank: true,
            was_code: false,
            is_defined: false,
            level: 0,
        }
    }

    /// The line to read next.
    fn at(&self) -> usize {
        self.out.len()
    }

    fn push(&mut self, line: impl Into<Cow<'t, str>>) {
        self.out.push(line.into());
    }

    fn blank(&mut self) {
        self.push("");
        self.was_blank = true;
    }

    /// Renders lines as blank ones up to line `end`.
    fn blank_until(&mut self, end: usize) {
        while self.at() < end.min(self.lines.len()) {
            self.blank();
        }
    }

    /// Metadata before the text stays as it is.
    fn front_matter(&mut self) {
        let fence = self.lines.first().map_or("", |line| line.trim_end());
        if !matches!(fence, "---" | "+++") {
            return;
        }
        let close = self.lines.iter().skip(1).position(|line| line.trim_end() == fence);
        for at in 0..close.map_or(0, |close| close + 2) {
            self.push(self.lines[at]);
        }
    }

    /// A line without the indentation of the containers that it is in.
    fn dedented(&self, line: &'t str) -> &'t str {
        let mut left = self.tabs.len() * TAB;
        let mut rest = line;
        while left > 0 {
            let width = if rest.starts_with('\t') { TAB } else { usize::from(rest.starts_with(' ')) };
            if width == 0 {
                break;
            }
            left = left.saturating_sub(width);
            rest = &rest[1..];
        }
        rest
    }

    /// Reads a line, and what it begins as far as that is one thing.
    fn block(&mut self) {
        let line = self.lines[self.at()];
        if line.trim().is_empty() {
            self.was_blank = true;
            return self.push(line);
        }
        let indent = columns(line);
        while self.tabs.last().is_some_and(|owner| indent < owner + TAB) {
            self.tabs.pop();
        }
        let line = self.dedented(line);
        if self.is_code(line) {
            self.was_code = true;
            return self.push(line);
        }
        self.was_code = false;
        if !self.fence(line) && !self.colons(line) && !self.marker(line, indent) {
            self.text(line);
            self.was_blank = false;
        }
    }

    /// Whether a line is indented code.
    fn is_code(&mut self, line: &str) -> bool {
        let indent = columns(line);
        while self.items.last().is_some_and(|content| indent < *content) {
            self.items.pop();
        }
        let text = self.items.last().copied().unwrap_or_default();
        indent >= text + TAB && (self.was_blank || self.was_code)
    }

    /// A line that is no text but marks some.
    fn marker(&mut self, line: &'t str, indent: usize) -> bool {
        let content = line.trim();
        if is_container(content) && (content.ends_with('"') || self.has_indented_body(indent)) {
            if self.tabs.len() < MAX_DEPTH {
                self.tabs.push(indent);
            }
            self.blank();
        } else if is_left_out(content) {
            self.blank();
        } else if let Some(text) = definition(line).filter(|_| self.is_defined) {
            // Lines that go on with it are indented as in a container.
            if self.tabs.len() < MAX_DEPTH {
                self.tabs.push(indent);
            }
            self.push(format!("  {}", inline(text)));
            self.was_blank = false;
        } else {
            return self.highlighted(line);
        }
        true
    }

    /// Whether the next line, or the one behind a blank line, defines what is on this one.
    fn is_term(&self) -> bool {
        let mut next = self.lines[self.at() + 1..].iter();
        let first = next.next().filter(|line| !line.trim().is_empty());
        first.or_else(|| next.next()).is_some_and(|line| definition(self.dedented(line)).is_some())
    }

    /// Whether the next line that is not blank belongs to a container that is indented by `indent`.
    fn has_indented_body(&self, indent: usize) -> bool {
        let mut next = self.lines[self.at() + 1..].iter().filter(|line| !line.trim().is_empty());
        next.next().is_some_and(|line| columns(line) >= indent + TAB)
    }

    fn text(&mut self, line: &'t str) {
        let content = line.trim_start();
        if let Some(level) = heading_level(content) {
            self.level = level;
            self.items.clear();
        }
        let width = list_content(content);
        if let Some(width) = width.filter(|_| self.items.len() < MAX_DEPTH) {
            self.items.push(columns(line) + width);
        }
        self.is_defined = width.is_none() && heading_level(content).is_none() && self.is_term();
        match self.is_defined {
            true => self.push(format!("- {}:", inline(content.trim_end()))),
            false => self.push(inline(line)),
        }
    }
}

/// Columns that a line is indented by.
fn columns(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
    blanks.fold(0, |columns, c| if c == '\t' { columns / TAB * TAB + TAB } else { columns + 1 })
}
