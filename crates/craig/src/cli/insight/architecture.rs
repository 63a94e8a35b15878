//! Architecture for people.

use craig_engine::{Architecture, EntryPoint, ModuleUse};

use super::{heading, rest};
use crate::cli::output::{BOLD, Columns, DIM, LABEL, PATH, styled};
use crate::cli::table::{Align, Cut, Table, wrap};
use crate::cli::units::{count, counted};

pub(super) fn text(found: &Architecture, limit: usize, columns: Columns) -> String {
    [
        modules(found, columns),
        layers(found, columns),
        violations(found, columns),
        entries(&found.entry_points, limit, columns),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

fn modules(found: &Architecture, columns: Columns) -> String {
    let mut table = Table::new()
        .column("module", Align::Left, Cut::Start, PATH)
        .column("files", Align::Right, Cut::Never, Default::default())
        .column("lines", Align::Right, Cut::Never, Default::default())
        .column("uses", Align::Left, Cut::End, Default::default())
        .column("about", Align::Left, Cut::End, DIM);
    for module in &found.modules {
        table.row([
            module.path.clone(),
            count(module.files as u64),
            count(module.lines),
            used(&module.uses),
            module.about.as_ref().map(|about| about.text.clone()).unwrap_or_default(),
        ]);
    }
    heading("Modules", counted(found.modules.len() as u64, "module")) + &table.render(columns)
}

fn used(uses: &[ModuleUse]) -> String {
    const MOST: usize = 3;
    // Dependencies that only tests use are omitted, except in modules of tests, which have no others.
    let n_product = uses.iter().filter(|used| used.count > 0).count();
    let uses = if n_product > 0 { &uses[..n_product] } else { uses };
    let names: Vec<&str> = uses.iter().take(MOST).map(|used| used.module.as_str()).collect();
    let more = if uses.len() > MOST { format!(" +{}", uses.len() - MOST) } else { String::new() };
    names.join(", ") + &more
}

fn layers(found: &Architecture, columns: Columns) -> String {
    let mut text = heading("Layers", "each uses those below it; imports of types do not count");
    for layer in found.layers.iter().rev() {
        let group = |names: &Vec<String>| {
            if names.len() > 1 { format!("[{}]", names.join(" ⇄ ")) } else { names.join("") }
        };
        let last = layer.groups.len().saturating_sub(1);
        let names = layer.groups.iter().enumerate();
        let names: Vec<String> =
            names.map(|(at, names)| group(names) + if at < last { "," } else { "" }).collect();
        let level = styled(LABEL, format_args!("{:>3}", layer.level));
        text += &format!("{level}  {}\n", wrap(&names, 5, columns));
    }
    text
}

fn violations(found: &Architecture, columns: Columns) -> String {
    if found.violations.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("uses", Align::Right, Cut::Never, BOLD)
        .column("against", Align::Right, Cut::Never, Default::default())
        .column("module", Align::Left, Cut::Start, PATH)
        .column("uses one above", Align::Left, Cut::Start, PATH)
        .column("first place", Align::Left, Cut::Start, DIM);
    for violation in &found.violations {
        let place = violation.places.first();
        table.row([
            count(violation.count as u64),
            count(violation.against as u64),
            violation.from.clone(),
            violation.to.clone(),
            place.map(|place| format!("{}:{}", place.file, place.line)).unwrap_or_default(),
        ]);
    }
    heading("Against the layers", "few uses compared with the other direction") + &table.render(columns)
}

/// The table of entry points.
pub(crate) fn entries(found: &[EntryPoint], limit: usize, columns: Columns) -> String {
    if found.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("kind", Align::Left, Cut::Never, BOLD)
        .column("place", Align::Left, Cut::Start, PATH)
        .column("reaches", Align::Right, Cut::Never, Default::default())
        .column("evidence", Align::Left, Cut::End, DIM);
    for entry in found.iter().take(limit) {
        let line = entry.line.map(|line| format!(":{line}")).unwrap_or_default();
        let starter = entry.started_by.first().map(|path| format!("; started by {path}")).unwrap_or_default();
        table.row([
            entry.kind.to_string(),
            format!("{}{line}", entry.file),
            count(entry.reach as u64),
            format!("{}{starter}", entry.evidence),
        ]);
    }
    heading(
        "Entry points",
        format_args!("{}, the most important first", counted(found.len() as u64, "place")),
    ) + &table.render(columns)
        + &rest(limit, found.len(), "more place")
}
