//! Lines of a file and what is rendered of each.

use std::borrow::Cow;

/// A line as read: its indentation in columns, and the rest without blanks around it.
#[derive(Clone, Copy)]
pub(super) struct SourceLine<'t> {
    pub(super) indent: usize,
    pub(super) content: &'t str,
}

/// The lines of a file, for markups in which indentation has a meaning.
#[derive(Default)]
pub(super) struct Source<'t> {
    pub(super) lines: Vec<SourceLine<'t>>,
    /// For each line the first at or behind it that is not blank.
    next_written: Vec<u32>,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let lines: Vec<_> = text.split('\n').map(source_line).collect();
        let mut next_written = vec![u32::MAX; lines.len()];
        let mut next = u32::MAX;
        for (at, line) in lines.iter().enumerate().rev() {
            next = if line.content.is_empty() { next } else { u32::try_from(at).unwrap_or(next) };
            next_written[at] = next;
        }
        Self { lines, next_written }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line; a blank one behind the end.
    pub(super) fn line(&self, at: usize) -> SourceLine<'t> {
        self.lines.get(at).copied().unwrap_or(SourceLine { indent: 0, content: "" })
    }

    pub(super) fn is_blank(&self, at: usize) -> bool {
        self.line(at).content.is_empty()
    }

    /// The first line at or behind `at` that is not blank.
    pub(super) fn next_written(&self, at: usize) -> Option<usize> {
        let next = self.next_written.get(at).and_then(|&next| usize::try_from(next).ok());
        next.filter(|&next| next < self.lines.len())
    }

    /// Whether a line belongs to what stands on a line indented by `indent`: it is not blank, and indented more.
    pub(super) fn is_inside(&self, at: usize, indent: usize) -> bool {
        !self.is_blank(at) && self.line(at).indent > indent
    }

    /// Behind the last line of what belongs to a line indented by `indent`, blank lines at its end not counted.
    pub(super) fn end_of_body(&self, from: usize, indent: usize) -> usize {
        let mut end = from;
        let mut at = from;
        while let Some(next) = self.next_written(at).filter(|&next| self.line(next).indent > indent) {
            at = next + 1;
            end = at;
        }
        end
    }
}

fn source_line(line: &str) -> SourceLine<'_> {
    let content = line.trim();
    let blanks = &line[..line.len() - line.trim_start().len()];
    let indent =
        blanks.chars().fold(0, |columns, c| if c == '\t' { columns / 8 * 8 + 8 } else { columns + 1 });
    SourceLine { indent, content }
}

/// A rendered line; none where it is blank.
type Line<'t> = Option<Box<WrittenLine<'t>>>;

struct WrittenLine<'t> {
    indent: usize,
    /// Marks of a heading or of an entry of a list.
    marker: Cow<'t, str>,
    content: Cow<'t, str>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Code, or nothing: stays as it is.
    Verbatim,
    /// Prose that begins a paragraph.
    Begins,
    /// Prose that goes on with the paragraph of the line before.
    GoesOn,
}

/// A text being rendered, line by line.
#[derive(Default)]
pub(super) struct Rendering<'t> {
    lines: Vec<Line<'t>>,
}

impl<'t> Rendering<'t> {
    pub(super) fn with_capacity(n_lines: usize) -> Self {
        Self { lines: Vec::with_capacity(n_lines) }
    }

    /// Number of lines rendered.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn blank(&mut self) {
        self.verbatim(0, "");
    }

    /// Renders lines as blank ones up to line `end`.
    pub(super) fn blank_until(&mut self, end: usize) {
        while self.len() < end {
            self.blank();
        }
    }

    pub(super) fn verbatim(&mut self, indent: usize, content: impl Into<Cow<'t, str>>) {
        self.push(indent, "".into(), content.into(), Kind::Verbatim);
    }

    /// Prose that begins a paragraph, behind a marker.
    pub(super) fn begin(
        &mut self,
        indent: usize,
        marker: impl Into<Cow<'t, str>>,
        content: impl Into<Cow<'t, str>>,
    ) {
        self.push(indent, marker.into(), content.into(), Kind::Begins);
    }

    /// Prose that goes on with the paragraph of the line before, if that is prose.
    pub(super) fn go_on(&mut self, indent: usize, content: impl Into<Cow<'t, str>>) {
        let is_prose = self.lines.last().is_some_and(|line| kind_of(line) != Kind::Verbatim);
        let kind = if is_prose { Kind::GoesOn } else { Kind::Begins };
        self.push(indent, "".into(), content.into(), kind);
    }

    fn push(&mut self, indent: usize, marker: Cow<'t, str>, content: Cow<'t, str>, kind: Kind) {
        let is_blank = marker.is_empty() && content.is_empty();
        self.lines.push((!is_blank).then(|| Box::new(WrittenLine { indent, marker, content, kind })));
    }

    /// Writes on the last line, which is blank; false, and nothing is written, where it is not.
    pub(super) fn write_on_blank(&mut self, indent: usize, content: &str) -> bool {
        let is_blank = self.lines.last().is_some_and(Option::is_none);
        if is_blank {
            self.lines.pop();
            self.verbatim(indent, content.to_owned());
        }
        is_blank
    }

    /// The rendered text: `inline` renders the prose of a paragraph, of as many lines as it is given.
    pub(super) fn finish(
        mut self,
        text: &'t str,
        mut inline: impl FnMut(&str) -> Option<String>,
    ) -> Cow<'t, str> {
        let mut start = 0;
        while start < self.lines.len() {
            let next = &self.lines[start + 1..];
            let end = start + 1 + next.iter().take_while(|line| kind_of(line) == Kind::GoesOn).count();
            if kind_of(&self.lines[start]) != Kind::Verbatim {
                render_paragraph(&mut self.lines[start..end], &mut inline);
            }
            start = end;
        }
        joined(text, self.lines.iter().map(parts))
    }
}

fn kind_of(line: &Line<'_>) -> Kind {
    line.as_ref().map_or(Kind::Verbatim, |line| line.kind)
}

/// Renders the lines of a paragraph, none of which is blank.
fn render_paragraph(lines: &mut [Line<'_>], inline: &mut impl FnMut(&str) -> Option<String>) {
    let written = lines.iter().flatten().map(|line| &*line.content).collect::<Vec<_>>().join("\n");
    let Some(rendered) = inline(&written) else { return };
    let rendered: Vec<&str> = rendered.split('\n').collect();
    if rendered.len() == lines.len() {
        for (line, rendered) in lines.iter_mut().flatten().zip(rendered) {
            line.content = rendered.trim().to_owned().into();
        }
    }
}

/// The indentation and the parts of a line.
fn parts<'l>(line: &'l Line<'_>) -> (usize, [&'l str; 2]) {
    line.as_ref().map_or((0, [""; 2]), |line| (line.indent, [&*line.marker, &*line.content]))
}

/// Joins rendered lines to a text with the line ends of `text`, and with as many lines.
pub(super) fn joined<'t, 'l, const N: usize>(
    text: &'t str,
    rendered: impl IntoIterator<Item = (usize, [&'l str; N])>,
) -> Cow<'t, str> {
    let mut rendered = rendered.into_iter();
    let mut joined = String::with_capacity(text.len() + 16);
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            joined.push('\n');
        }
        let (indent, parts) = rendered.next().unwrap_or((0, [""; N]));
        if parts.iter().any(|part| !part.is_empty()) {
            joined.extend(std::iter::repeat_n(' ', indent));
        }
        joined.extend(parts);
        if line.ends_with('\r') {
            joined.push('\r');
        }
    }
    if joined == text { Cow::Borrowed(text) } else { Cow::Owned(joined) }
}

/// The lines of a text without their ends.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
}

/// A fence that no line of `code` closes.
pub(super) fn fence<'l>(code: impl Iterator<Item = &'l str>) -> String {
    let longest = code.map(|line| leading(line.trim_start(), '`')).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// How often `mark` stands at the beginning of a text.
pub(super) fn leading(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

/// The word that follows a fence: what a language is called, or nothing.
pub(super) fn language(written: &str) -> &str {
    let end = written.find(|c: char| !(c.is_ascii_alphanumeric() || "+#.-_".contains(c)));
    &written[..end.unwrap_or(written.len())]
}

/// The cells of a row as one line of text.
pub(super) fn row_text<'c>(cells: impl IntoIterator<Item = &'c str>) -> String {
    cells.into_iter().map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" — ")
}
