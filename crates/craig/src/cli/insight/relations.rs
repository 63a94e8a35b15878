//! Relations for people.

use std::collections::BTreeSet;

use craig_engine::{FileEdge, Relations};

use super::{heading, rest};
use crate::cli::output::{BOLD, Columns, DIM, PATH, styled};
use crate::cli::table::{Align, Cut, Table};
use crate::cli::units::{count, counted};

pub(super) fn text(found: &Relations, limit: usize, columns: Columns) -> String {
    [
        about(found),
        edges(&USED_BY, &found.used_by, limit, columns),
        edges(&USES, &found.uses, limit, columns),
        packages(found, limit, columns),
        impact(found, limit, columns),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

fn about(found: &Relations) -> String {
    let mut text = format!("{}  {}\n", styled(BOLD, &found.target), styled(DIM, found.kind));
    for definition in &found.definitions {
        let inside = definition.parent.as_deref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        let place = format!("{}:{}-{}", definition.file, definition.line, definition.line_end);
        text += &format!(
            "  {} {}\n",
            styled(PATH, place),
            styled(DIM, format_args!("{}{inside}", definition.kind))
        );
    }
    text
}

/// The statement that uses the other file.
fn place(edge: &FileEdge) -> String {
    format!("{}:{}", edge.from_file, edge.line)
}

/// How edges are shown, the other file first.
struct Side {
    title: &'static str,
    /// Title of the column of this side.
    own: &'static str,
    other_file: fn(&FileEdge) -> &str,
    /// The columns of the other side and of this one.
    ends: fn(&FileEdge) -> (String, String),
}

const USED_BY: Side = Side {
    title: "Used by",
    own: "uses",
    other_file: |edge| &edge.from_file,
    ends: |edge| (place(edge), edge.to_file.clone()),
};

const USES: Side = Side {
    title: "Uses",
    own: "from",
    other_file: |edge| &edge.to_file,
    ends: |edge| (edge.to_file.clone(), place(edge)),
};

fn edges(side: &Side, edges: &[FileEdge], limit: usize, columns: Columns) -> String {
    if edges.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("file", Align::Left, Cut::Start, PATH)
        .column("how", Align::Left, Cut::Never, Default::default())
        .column(side.own, Align::Left, Cut::Start, DIM);
    for edge in edges.iter().take(limit) {
        let (other, own) = (side.ends)(edge);
        table.row([other, edge.kind.to_string(), own]);
    }
    let files: BTreeSet<&str> = edges.iter().map(side.other_file).collect();
    heading(side.title, counted(files.len() as u64, "file"))
        + &table.render(columns)
        + &rest(limit, edges.len(), "more use")
}

fn packages(found: &Relations, limit: usize, columns: Columns) -> String {
    if found.packages.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("package", Align::Left, Cut::End, BOLD)
        .column("places", Align::Right, Cut::Never, Default::default())
        .column("first", Align::Left, Cut::Start, PATH);
    for package in found.packages.iter().take(limit) {
        let first =
            package.uses.first().map(|place| format!("{}:{}", place.file, place.line)).unwrap_or_default();
        table.row([package.name.clone(), count(package.uses.len() as u64), first]);
    }
    heading("Packages", counted(found.packages.len() as u64, "package"))
        + &table.render(columns)
        + &rest(limit, found.packages.len(), "more package")
}

fn impact(found: &Relations, limit: usize, columns: Columns) -> String {
    if found.impact.is_empty() {
        return heading("Impact", "nothing else uses it");
    }
    let mut table = Table::new()
        .column("distance", Align::Right, Cut::Never, BOLD)
        .column("file", Align::Left, Cut::Start, PATH)
        .column("", Align::Left, Cut::Never, DIM);
    for reached in found.impact.iter().take(limit) {
        let test = if reached.is_test { "test" } else { "" };
        table.row([reached.distance.to_string(), reached.file.clone(), test.to_owned()]);
    }
    let n_tests = count(found.impact.iter().filter(|reached| reached.is_test).count() as u64);
    let about = format!(
        "a change may affect {}, {n_tests} of them tests",
        counted(found.impact.len() as u64, "file")
    );
    heading("Impact", about) + &table.render(columns) + &rest(limit, found.impact.len(), "more file")
}
