//! Tables: an entry of a list for each row.

use crate::markup::lines::row_text;

use super::Reader;
use super::syntax::is_grid;

/// A line over or under the columns of a simple table.
pub(super) fn is_simple_rule(content: &str) -> bool {
    content.starts_with('=') && content.contains("= ") && content.chars().all(|c| c == '=' || c == ' ')
}

impl<'t> Reader<'t> {
    /// The line that a simple table ends with.
    pub(super) fn table_end(&self) -> Option<usize> {
        let after = self.table_ends.partition_point(|&end| end <= self.at());
        let rule = self.source.line(self.at()).content;
        self.table_ends.get(after).copied().filter(|&end| self.source.line(end).content == rule)
    }

    /// A table whose columns are known by the gaps in its rules.
    pub(super) fn simple_table(&mut self, indent: usize) {
        let Some(end) = self.table_end() else { return };
        let starts = column_starts(self.source.line(self.at()).content);
        let rows_start = self.at() + 1;
        let header = (rows_start..end).find(|&at| is_simple_rule(self.source.line(at).content));
        self.out.blank_until(header.map_or(rows_start, |header| header + 1));
        let mut row: Vec<Vec<&'t str>> = Vec::new();
        for at in self.at()..=end {
            let line = self.source.line(at);
            let is_text = line.content.contains(|c| !"=- ".contains(c));
            let cells = cells(line.content, line.indent.saturating_sub(indent), &starts);
            let is_next = cells.first().is_some_and(|cell| !cell.is_empty());
            if !is_text || is_next {
                self.row(std::mem::take(&mut row));
            }
            if is_text {
                row.push(cells);
            } else {
                self.out.blank();
            }
        }
    }

    /// A table that is drawn.
    pub(super) fn grid_table(&mut self) {
        let start = self.at();
        let is_row = |at: usize| self.source.line(at).content.starts_with(['+', '|']);
        let end = (start..).find(|&at| !is_row(at)).unwrap_or(start);
        let is_header_rule = |at: usize| {
            let content = self.source.line(at).content;
            is_grid(content) && content.contains('=')
        };
        let header = (start..end).find(|&at| is_header_rule(at)).unwrap_or(start);
        self.out.blank_until(header);
        let mut row: Vec<Vec<&'t str>> = Vec::new();
        for at in header..end {
            let content = self.source.line(at).content;
            if content.starts_with('+') {
                self.row(std::mem::take(&mut row));
                self.out.blank();
            } else {
                row.push(content.trim_matches('|').split('|').map(str::trim).collect());
            }
        }
        self.row(row);
    }

    /// A row: on its own lines where the last of its cells alone goes on, else on the first of them.
    fn row(&mut self, lines: Vec<Vec<&'t str>>) {
        let Some(first) = lines.first() else { return };
        let out = self.top().out;
        let last = first.iter().rposition(|cell| !cell.is_empty()).unwrap_or_default();
        let goes_on =
            |line: &Vec<&str>| line.iter().enumerate().all(|(at, cell)| at == last || cell.is_empty());
        if lines[1..].iter().all(goes_on) {
            self.out.begin(out, "- ", row_text(first.iter().copied()));
            for line in &lines[1..] {
                self.out.go_on(out + 2, line.get(last).copied().unwrap_or_default());
            }
        } else {
            let cells = joined_cells(&lines);
            self.out.begin(out, "- ", row_text(cells.iter().map(String::as_str)));
            self.out.blank_until(self.at() + lines.len() - 1);
        }
    }

    /// A table that is a list of lists.
    pub(super) fn list_table(&mut self, indent: usize) {
        self.resume();
        self.out.blank();
        let mut n_header_rows = self.options(indent);
        let end = self.source.end_of_body(self.at(), indent);
        let out = self.top().out;
        let mut cell_indent = usize::MAX;
        let mut is_header = false;
        while self.at() < end {
            let line = self.source.line(self.at());
            let row = line.content.strip_prefix("* ").map(str::trim_start);
            let first = row.and_then(|row| row.strip_prefix('-')).filter(|_| line.indent < cell_indent);
            let cell = line.content.strip_prefix('-').filter(|_| line.indent == cell_indent);
            if let Some(first) = first {
                cell_indent = line.indent + line.content.len() - first.len() - 1;
                is_header = n_header_rows > 0;
                n_header_rows = n_header_rows.saturating_sub(1);
                self.cell(is_header, out, "- ", first.trim());
            } else if let Some(cell) = cell {
                self.cell(is_header, out + 2, "— ", cell.trim());
            } else {
                self.cell(is_header, out + 2, "", line.content);
            }
        }
    }

    fn cell(&mut self, is_header: bool, indent: usize, marker: &'static str, text: &'t str) {
        // Each line of a block of lines begins with a bar.
        let text = text.strip_prefix("| ").unwrap_or(text);
        if is_header || text.is_empty() {
            self.out.blank();
        } else if marker.is_empty() {
            self.out.go_on(indent, text);
        } else {
            self.out.begin(indent, marker, text);
        }
    }

    /// A table whose rows are lines with commas.
    pub(super) fn csv_table(&mut self, indent: usize) {
        self.resume();
        self.out.blank();
        let n_header_rows = self.options(indent);
        let end = self.source.end_of_body(self.at(), indent);
        let start = self.source.next_written(self.at()).unwrap_or(end).saturating_add(n_header_rows);
        self.out.blank_until(start.min(end));
        let out = self.top().out;
        while self.at() < end {
            match self.source.line(self.at()).content {
                "" => self.out.blank(),
                content => self.out.begin(out, "- ", row_text(csv_cells(content))),
            }
        }
    }
}

/// Where the columns of a simple table begin, in characters, without the first.
fn column_starts(rule: &str) -> Vec<usize> {
    let is_start = |(at, pair): (usize, &[u8])| (pair == b" =").then_some(at + 1);
    rule.as_bytes().windows(2).enumerate().filter_map(is_start).collect()
}

/// A line cut where columns begin; `shift` columns are left out of it at its start.
fn cells<'t>(line: &'t str, shift: usize, starts: &[usize]) -> Vec<&'t str> {
    let mut cells = Vec::new();
    let mut start = 0;
    let mut next = starts.iter().peekable();
    for (column, (at, _)) in line.char_indices().enumerate() {
        while next.next_if(|&&next| next <= shift + column).is_some() {
            cells.push(line[start..at].trim());
            start = at;
        }
    }
    cells.push(line[start..].trim());
    cells
}

/// What the lines of a row say, column by column.
fn joined_cells(lines: &[Vec<&str>]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for line in lines {
        for (at, cell) in line.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            joined.resize(joined.len().max(at + 1), String::new());
            if !joined[at].is_empty() {
                joined[at].push(' ');
            }
            joined[at].push_str(cell);
        }
    }
    joined
}

/// Cells of a line of comma-separated values.
fn csv_cells(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let is_comma = move |c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    };
    line.split(is_comma).map(|cell| cell.trim().trim_matches('"'))
}
