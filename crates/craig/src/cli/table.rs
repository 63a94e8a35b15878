//! Tables that fit the terminal: the widest of the columns that may be cut are shortened first.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::output::{Columns, LABEL, styled};
use super::visible::one_line;

/// Alignment of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Where cells are cut if the table is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Never,
    /// At the start: for paths.
    Start,
    /// At the end.
    End,
}

#[derive(Debug)]
struct Column {
    title: &'static str,
    align: Align,
    cut: Cut,
    style: Style,
}

/// A table with column titles.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// Lines before rows, by the number of the row.
    headings: Vec<(usize, String)>,
}

/// Spaces between columns.
const GAP: usize = 2;

/// Minimum width of a shortened column.
const LEAST_WIDTH: usize = 8;

impl Table {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn column(mut self, title: &'static str, align: Align, cut: Cut, style: Style) -> Self {
        self.columns.push(Column { title, align, cut, style });
        self
    }

    /// Adds a row with one cell for each column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell).into_owned()).collect());
    }

    /// Adds a line of its own before the next row, for what the following rows share.
    pub(crate) fn heading(&mut self, heading: String) {
        self.headings.push((self.rows.len(), heading));
    }

    /// The table as lines of at most `columns`, as far as cutting allows.
    pub(crate) fn render(&self, columns: Columns) -> String {
        let widths = self.widths(columns);
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.to_owned()).collect();
        let mut text = self.line(&titles, &widths, |_| LABEL);
        let mut headings = self.headings.iter().peekable();
        for (at, row) in self.rows.iter().enumerate() {
            while let Some((_, heading)) = headings.next_if(|(before, _)| *before == at) {
                text += &format!("{heading}\n");
            }
            text += &self.line(row, &widths, |column| column.style);
        }
        text
    }

    fn widths(&self, columns: Columns) -> Vec<usize> {
        let widest = |at: usize| {
            let cells = self.rows.iter().map(|row| row[at].width());
            cells.chain([self.columns[at].title.width()]).max().unwrap_or_default()
        };
        let mut widths: Vec<usize> = (0..self.columns.len()).map(widest).collect();
        let room = columns.or(usize::MAX).saturating_sub(GAP * widths.len().saturating_sub(1));
        // The names of files stay whole as long as anything else can be cut.
        let names: Vec<usize> = (0..widths.len()).map(|at| self.name_width(at)).collect();
        for least in [names, vec![LEAST_WIDTH; widths.len()]] {
            while widths.iter().sum::<usize>() > room {
                let can_give = |&at: &usize| self.columns[at].cut != Cut::Never && widths[at] > least[at];
                let Some(at) = (0..widths.len()).filter(can_give).max_by_key(|&at| widths[at]) else { break };
                widths[at] -= 1;
            }
        }
        widths
    }

    /// Minimum width of a column that leaves the last names of its paths whole.
    fn name_width(&self, at: usize) -> usize {
        let last = |row: &Vec<String>| row[at].rsplit('/').next().map_or(0, str::width) + "…/".width();
        let names = self.rows.iter().filter(|_| self.columns[at].cut == Cut::Start).map(last);
        names.max().unwrap_or_default().max(LEAST_WIDTH)
    }

    fn line(&self, cells: &[String], widths: &[usize], style: impl Fn(&Column) -> Style) -> String {
        let mut line = String::new();
        for ((cell, &width), column) in cells.iter().zip(widths).zip(&self.columns) {
            if !line.is_empty() {
                line += "  ";
            }
            let cell = cut(cell, width, column.cut);
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            let styled = styled(style(column), cell);
            match column.align {
                Align::Left => line += &(styled + &padding),
                Align::Right => line += &(padding + &styled),
            }
        }
        line.trim_end().to_owned() + "\n"
    }
}

/// `text` on one line, escaped and cut to at most `width` columns, with "…" at the cut.
pub(crate) fn cut(text: &str, width: usize, cut: Cut) -> String {
    let text = &*one_line(text);
    if cut == Cut::Never || text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let mut used = 0;
    let mut fits = |c: &char| {
        used += c.width().unwrap_or_default();
        used <= room
    };
    match cut {
        Cut::Start => {
            let kept: Vec<char> = text.chars().rev().take_while(|c| fits(c)).collect();
            format!("…{}", kept.into_iter().rev().collect::<String>())
        }
        _ => format!("{}…", text.chars().take_while(|c| fits(c)).collect::<String>()),
    }
}

/// Parts with spaces between them, on as many lines as they need, the second and later ones indented; escaped.
pub(crate) fn wrap(parts: &[String], indent: usize, columns: Columns) -> String {
    let (mut text, mut used) = (String::new(), indent);
    for part in parts {
        let part = one_line(part);
        if text.is_empty() {
            used += part.width();
        } else if used + 1 + part.width() <= columns.or(usize::MAX) {
            text.push(' ');
            used += 1 + part.width();
        } else {
            text += &format!("\n{}", " ".repeat(indent));
            used = indent + part.width();
        }
        text += &part;
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn wide_columns_give_way() {
        let mut table = Table::new()
            .column("n", Align::Right, Cut::Never, Style::new())
            .column("path", Align::Left, Cut::Start, Style::new())
            .column("why", Align::Left, Cut::End, Style::new());
        table.row(["1".into(), "a/very/long/path/to/some/file.rs".into(), "no\nreason".into()]);
        table.row(["12".into(), "b.rs".into(), "it is a reason too long to be shown".into()]);
        let plain = anstream::adapter::strip_str(&table.render(Columns(Some(40)))).to_string();
        expect![[r#"
             n  path               why
             1  …/to/some/file.rs  no\nreason
            12  b.rs               it is a reason t…
        "#]]
        .assert_eq(&plain);
        assert!(plain.lines().all(|line| line.width() <= 40));
    }

    #[test]
    fn names_of_files_stay_whole() {
        let mut table = Table::new().column("where", Align::Left, Cut::Start, Style::new()).column(
            "about",
            Align::Left,
            Cut::End,
            Style::new(),
        );
        table.row(["crates/names/src/definitions.rs:80".into(), "The state of a walk over one file".into()]);
        let plain = |width| anstream::adapter::strip_str(&table.render(Columns(Some(width)))).to_string();
        expect![[r#"
            where                about
            …/definitions.rs:80  The state of a…
            where           about
            …nitions.rs:80  The sta…
        "#]]
        .assert_eq(&(plain(36) + &plain(24)));
    }

    #[test]
    fn parts_are_wrapped_on_a_terminal_only() {
        let parts = ["one.js", "→ two.js", "→ three.js", "→ one.js"].map(str::to_owned);
        expect![[r#"
            one.js → two.js
              → three.js → one.js
            one.js
              → two.js
              → three.js
              → one.js
            one.js → two.js → three.js → one.js
        "#]]
        .assert_eq(&[Some(24), Some(4), None].map(|width| wrap(&parts, 2, Columns(width)) + "\n").concat());
    }
}
