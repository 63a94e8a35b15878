//! AsciiDoc: headings, lists, tables, code and what stands in prose.

mod inline;

use std::borrow::Cow;
use std::collections::HashMap;

use self::inline::Inline;
use super::lines::{Rendering, Source, fence, language, leading, row_text};

/// Deepest nesting of lists that is followed.
const MAX_DEPTH: usize = 8;

/// Renders a file.
pub(super) fn render(text: &str) -> Cow<'_, str> {
    let source = Source::new(text);
    let mut reader = Reader { out: Rendering::with_capacity(source.len()), source, ..Reader::default() };
    while reader.out.len() < reader.source.len() {
        reader.line();
    }
    let mut inline = Inline::new(reader.attributes, text.len());
    reader.out.finish(text, |paragraph| inline.render(paragraph))
}

#[derive(Default)]
struct Reader<'t> {
    source: Source<'t>,
    out: Rendering<'t>,
    /// What the file defines.
    attributes: HashMap<&'t str, &'t str>,
    /// Markers of the entries that are open, outermost first.
    markers: Vec<&'t str>,
    /// The language that the line above a block says.
    language: &'t str,
    /// Columns that the line above a table says.
    n_columns: usize,
    /// Columns of the table, how many cells of its row were read, and of rows.
    table: Option<(usize, usize, usize)>,
    in_paragraph: bool,
}

impl<'t> Reader<'t> {
    fn line(&mut self) {
        let at = self.out.len();
        let content = self.source.line(at).content;
        if content.is_empty() || content == "+" {
            self.in_paragraph = false;
            self.out.blank();
        } else if let Some((name, value)) = attribute(content) {
            self.attributes.insert(name, value);
            self.out.blank();
        } else if is_fence(content) {
            self.code(content);
        } else if content == "////" {
            let end = self.end_of(content);
            self.out.blank_until((end + 1).min(self.source.len()));
        } else if content == "|===" {
            self.table =
                if self.table.is_some() { None } else { Some((std::mem::take(&mut self.n_columns), 0, 0)) };
            self.out.blank();
        } else if let Some(table) = self.table {
            self.table = Some(self.row(table, content));
        } else if is_left_out(content) {
            self.in_paragraph = false;
            self.style(content);
            self.out.blank();
        } else {
            self.text(content);
        }
    }

    /// Headings, titles of blocks, entries of lists and paragraphs.
    fn text(&mut self, content: &'t str) {
        let level = leading(content, '=');
        let title = content.strip_prefix('.').filter(|rest| !rest.starts_with([' ', '.']));
        if let Some(heading) = content[level..].strip_prefix(' ').filter(|_| (1..=6).contains(&level)) {
            self.markers.clear();
            self.in_paragraph = false;
            self.out.begin(0, format!("{} ", "#".repeat(level)), heading);
        } else if let Some((marker, shown, rest)) = entry(content) {
            let known = self.markers.iter().position(|open| *open == marker);
            self.markers.truncate(known.unwrap_or(MAX_DEPTH));
            self.markers.push(marker);
            self.out.begin(2 * (self.markers.len() - 1), "- ", format!("{shown}{rest}"));
            self.in_paragraph = true;
        } else if let Some(title) = title.filter(|_| !self.in_paragraph) {
            self.out.begin(self.indent(), "", format!("**{title}**"));
        } else if self.in_paragraph {
            self.out.go_on(self.indent(), content);
        } else {
            // Only what a `+` attaches, or what is indented, belongs to an entry.
            let at = self.out.len();
            let is_attached = at.checked_sub(1).is_some_and(|above| self.source.line(above).content == "+");
            if !is_attached && self.source.line(at).indent == 0 {
                self.markers.clear();
            }
            self.out.begin(self.indent(), "", without_label(content));
            self.in_paragraph = true;
        }
    }

    fn indent(&self) -> usize {
        2 * self.markers.len()
    }

    /// What the line above a block says of it.
    fn style(&mut self, content: &'t str) {
        let Some(inside) = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else { return };
        let mut parts = inside.split(',').map(str::trim);
        if parts.next().is_some_and(|first| first.starts_with("source") || first.is_empty()) {
            self.language = language(parts.next().filter(|part| !part.contains('=')).unwrap_or_default());
        }
        if let Some((_, columns)) = inside.split_once("cols=") {
            let columns = columns.trim_start_matches('"').split('"').next().unwrap_or_default();
            let n_times =
                |column: &str| column.split_once('*').and_then(|(n, _)| n.trim().parse().ok()).unwrap_or(1);
            self.n_columns = columns.split([',', ';']).map(n_times).fold(0_usize, usize::saturating_add);
        }
    }

    /// The line that is like a delimiter, or the end.
    fn end_of(&self, delimiter: &str) -> usize {
        let marks = if delimiter.starts_with("```") { "```" } else { delimiter };
        let mut behind = self.out.len() + 1..self.source.len();
        behind.find(|&at| self.source.line(at).content == marks).unwrap_or(self.source.len())
    }

    fn code(&mut self, delimiter: &'t str) {
        let end = self.end_of(delimiter);
        let marks = fence((self.out.len() + 1..end).map(|at| self.source.line(at).content));
        let own = std::mem::take(&mut self.language);
        let language =
            if own.is_empty() { language(delimiter.trim_start_matches(['`', '-', '.'])) } else { own };
        let indent = self.indent();
        self.out.verbatim(indent, format!("{marks}{language}"));
        while self.out.len() < end {
            let line = self.source.line(self.out.len());
            self.out.verbatim(indent + line.indent, line.content);
        }
        if end < self.source.len() {
            self.out.verbatim(indent, marks);
        }
        self.in_paragraph = false;
    }

    /// A line of a table: an entry of a list for each row; the first row of several is its head.
    fn row(&mut self, table: (usize, usize, usize), content: &'t str) -> (usize, usize, usize) {
        let (n_columns, column, n_rows) = table;
        let Some(at) = content.find('|').filter(|&at| at < 6 && !content[..at].contains(' ')) else {
            self.out.go_on(2, content);
            return table;
        };
        let cells: Vec<&str> = content[at + 1..].split('|').map(str::trim).collect();
        let n_columns = if n_columns == 0 { cells.len() } else { n_columns };
        let text = row_text(cells.iter().copied());
        let is_head = n_rows == 0
            && column == 0
            && cells.len() >= n_columns
            && self.source.is_blank(self.out.len() + 1);
        match column {
            _ if text.is_empty() || is_head => self.out.blank(),
            0 => self.out.begin(0, "- ", text),
            _ => self.out.begin(2, "— ", text),
        }
        let end = column.saturating_add(cells.len());
        (n_columns, end % n_columns, n_rows + end / n_columns)
    }
}

/// `:name: value`
fn attribute(content: &str) -> Option<(&str, &str)> {
    let (name, value) = content.strip_prefix(':')?.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_!".contains(c));
    (is_name && (value.is_empty() || value.starts_with(' '))).then_some((name, value.trim()))
}

fn is_fence(content: &str) -> bool {
    content.starts_with("```")
        || content.len() >= 4 && ['-', '.'].iter().any(|&mark| leading(content, mark) == content.len())
}

/// Lines that are no text: comments, attributes of blocks, macros, and marks around blocks of text.
fn is_left_out(content: &str) -> bool {
    let is_mark = |mark| content.len() >= 4 && leading(content, mark) == content.len();
    let macro_name = content.split_once("::").filter(|(_, rest)| rest.ends_with(']')).map(|(name, _)| name);
    content.starts_with("//")
        || content == "--"
        || ['=', '*', '_', '+'].into_iter().any(is_mark)
        || content.starts_with('[') && content.ends_with(']') && !content.starts_with("[ ")
        || macro_name.is_some_and(|name| name.chars().all(|c| c.is_ascii_lowercase()))
}

/// The marker of an entry of a list, what is shown of it, and its text.
fn entry(content: &str) -> Option<(&str, String, &str)> {
    let (marker, rest) = content.split_once(' ').unwrap_or((content, ""));
    let is_marker = marker == "-"
        || ['*', '.'].iter().any(|&mark| !marker.is_empty() && leading(marker, mark) == marker.len())
        || marker.starts_with('<') && marker.ends_with('>') && marker.len() < 6
        || marker.ends_with('.') && marker.len() < 5 && marker.starts_with(|c: char| c.is_ascii_digit());
    if is_marker && !rest.is_empty() {
        let kind = if marker.starts_with(|c: char| c == '<' || c.is_ascii_digit()) { "1." } else { marker };
        return Some((kind, String::new(), rest.trim_start()));
    }
    let at = content.find(":: ").or_else(|| content.strip_suffix("::").map(str::len))?;
    let (term, text) = (content[..at].trim_end_matches(':'), content[at..].trim_start_matches(':').trim());
    let shown = if term.contains('`') { format!("{term}: ") } else { format!("**{term}**: ") };
    (!term.is_empty()).then_some(("::", shown, text))
}

/// Text without the word before it that says how important it is.
fn without_label(content: &str) -> &str {
    let labels = ["NOTE: ", "TIP: ", "IMPORTANT: ", "WARNING: ", "CAUTION: "];
    labels.iter().find_map(|label| content.strip_prefix(label)).unwrap_or(content)
}
