//! Quality for people.

use craig_engine::{COMPLEX, LONG_FILE_LINES, Quality};

use super::{heading, rest};
use crate::cli::output::{BOLD, Columns, DIM, LABEL, PATH, WARNING, styled};
use crate::cli::table::{Align, Cut, Table};
use crate::cli::units::{count, counted};
use crate::cli::visible::one_line;

pub(super) fn text(found: &Quality, limit: usize, columns: Columns) -> String {
    [
        sums(found),
        functions(found, limit, columns),
        clones(found, limit, columns),
        long_files(found, limit, columns),
        notes(found, limit, columns),
        tests(found, limit, columns),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

fn sums(found: &Quality) -> String {
    let sums = &found.summary;
    let rows = [
        ("code", format!("{} in {}", counted(sums.lines, "line"), counted(sums.files as u64, "file"))),
        (
            "functions",
            format!("{}, {} lines each on average", count(sums.functions as u64), sums.function_lines_mean),
        ),
        (
            "complexity",
            format!(
                "mean {}, p90 {}, {} over {COMPLEX}",
                sums.complexity_mean,
                sums.complexity_p90,
                count(sums.complex_functions as u64)
            ),
        ),
        (
            "duplicated",
            format!(
                "{}, {}%; of tests {}, {}%",
                counted(found.duplication.duplicated_lines, "line"),
                found.duplication.percent,
                counted(found.duplication.test_duplicated_lines, "line"),
                found.duplication.test_percent
            ),
        ),
        (
            "notes",
            format!("{}, {} for 1,000 lines", count(found.notes.total as u64), found.notes.per_1000_lines),
        ),
        (
            "tests",
            format!(
                "{}, {} lines for each line of code",
                counted(sums.test_files as u64, "file"),
                sums.test_lines_ratio
            ),
        ),
    ];
    let not_parsed = found.not_parsed.first().map(|first| {
        let n_files = counted(found.not_parsed.len() as u64, "file");
        ("left out", format!("functions of {n_files} that took too long to parse: {first}"))
    });
    rows.into_iter()
        .chain(not_parsed)
        .map(|(label, value)| {
            format!("{} {}\n", styled(LABEL, format_args!("{label:<10}")), one_line(&value))
        })
        .collect()
}

fn functions(found: &Quality, limit: usize, columns: Columns) -> String {
    if found.functions.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("complexity", Align::Right, Cut::Never, WARNING)
        .column("nesting", Align::Right, Cut::Never, Default::default())
        .column("lines", Align::Right, Cut::Never, Default::default())
        .column("function", Align::Left, Cut::End, BOLD)
        .column("place", Align::Left, Cut::Start, PATH);
    for function in found.functions.iter().take(limit) {
        table.row([
            function.complexity.to_string(),
            function.nesting.to_string(),
            count(function.lines.into()),
            function.name.clone(),
            format!("{}:{}", function.file, function.line_start),
        ]);
    }
    heading("Functions", "most complex first") + &table.render(columns)
}

fn clones(found: &Quality, limit: usize, columns: Columns) -> String {
    let clones = &found.duplication.clones;
    if clones.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("lines", Align::Right, Cut::Never, BOLD)
        .column("places", Align::Right, Cut::Never, Default::default())
        .column("first", Align::Left, Cut::Start, PATH)
        .column("second", Align::Left, Cut::Start, PATH);
    for clone in clones.iter().take(limit) {
        let place = |at: usize| {
            clone
                .places
                .get(at)
                .map(|place| format!("{}:{}", place.file, place.line_start))
                .unwrap_or_default()
        };
        table.row([count(clone.lines.into()), count(clone.places.len() as u64), place(0), place(1)]);
    }
    heading("Duplicated code", "most lines first")
        + &table.render(columns)
        + &rest(limit, clones.len(), "more clone")
}

fn long_files(found: &Quality, limit: usize, columns: Columns) -> String {
    if found.long_files.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("lines", Align::Right, Cut::Never, BOLD)
        .column("functions", Align::Right, Cut::Never, Default::default())
        .column("file", Align::Left, Cut::Start, PATH);
    for file in found.long_files.iter().take(limit) {
        table.row([count(u64::from(file.lines)), file.functions.to_string(), file.file.clone()]);
    }
    heading("Long files", format_args!("more than {LONG_FILE_LINES} lines"))
        + &table.render(columns)
        + &rest(limit, found.long_files.len(), "more file")
}

fn notes(found: &Quality, limit: usize, columns: Columns) -> String {
    if found.notes.places.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("tag", Align::Left, Cut::Never, WARNING)
        .column("place", Align::Left, Cut::Start, PATH)
        .column("note", Align::Left, Cut::End, DIM);
    for note in found.notes.places.iter().take(limit) {
        table.row([note.tag.to_string(), format!("{}:{}", note.file, note.line), note.text.clone()]);
    }
    heading("Notes", "left in comments")
        + &table.render(columns)
        + &rest(limit, found.notes.places.len(), "more note")
}

fn tests(found: &Quality, limit: usize, columns: Columns) -> String {
    let mut untested: Vec<_> =
        found.tests.iter().filter(|module| module.files > module.tested_files).collect();
    if untested.is_empty() {
        return String::new();
    }
    untested.sort_by_key(|module| std::cmp::Reverse(module.lines));
    let mut table = Table::new()
        .column("module", Align::Left, Cut::Start, PATH)
        .column("files", Align::Right, Cut::Never, Default::default())
        .column("with a test", Align::Right, Cut::Never, Default::default())
        .column("lines", Align::Right, Cut::Never, Default::default())
        .column("test files", Align::Right, Cut::Never, Default::default());
    for module in untested.iter().take(limit) {
        table.row([
            module.module.clone(),
            count(module.files as u64),
            count(module.tested_files as u64),
            count(module.lines),
            count(module.test_files as u64),
        ]);
    }
    heading("Tests", "modules with files that no test imports or is called after") + &table.render(columns)
}
