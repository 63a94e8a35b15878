//! Dependencies for people.

use std::collections::BTreeMap;

use craig_engine::{Dependencies, Ecosystem, External};

use super::{heading, rest};
use crate::cli::output::{BOLD, Columns, DIM, PATH, styled};
use crate::cli::table::{Align, Cut, Table, wrap};
use crate::cli::units::{count, counted};

pub(super) fn text(found: &Dependencies, limit: usize, columns: Columns) -> String {
    let sums = format!(
        "{} between files, {} matched to no file or package, {}, {}\n",
        counted(found.edges.len() as u64, "import"),
        count(found.unresolved.len() as u64),
        counted(distinct(&found.external).len() as u64, "package"),
        counted(found.cycles.len() as u64, "cycle"),
    );
    [
        sums,
        packages(found, limit, columns),
        undeclared(found, limit, columns),
        depended(found, limit, columns),
        cycles(found, limit, columns),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

/// Packages, each once even if several manifests declare it, and whether an import matches it.
fn distinct(declared: &[External]) -> BTreeMap<(Ecosystem, &str), bool> {
    let mut packages = BTreeMap::new();
    for package in declared {
        *packages.entry((package.ecosystem, package.name.as_str())).or_default() |=
            !package.used_in.is_empty();
    }
    packages
}

fn packages(found: &Dependencies, limit: usize, columns: Columns) -> String {
    if found.external.is_empty() {
        return String::new();
    }
    let mut by_use: Vec<&External> = found.external.iter().collect();
    by_use.sort_by_key(|package| std::cmp::Reverse(package.used_in.len()));
    let mut table = Table::new()
        .column("package", Align::Left, Cut::End, BOLD)
        .column("version", Align::Left, Cut::End, Default::default())
        .column("scope", Align::Left, Cut::Never, Default::default())
        .column("files", Align::Right, Cut::Never, Default::default())
        .column("manifest", Align::Left, Cut::Start, PATH);
    for package in by_use.iter().take(limit) {
        table.row([
            package.name.clone(),
            package.version.clone().unwrap_or_default(),
            package.scope.as_str().to_owned(),
            match package.used_in.len() {
                0 => "-".to_owned(),
                n_files => count(n_files as u64),
            },
            package.manifest.clone(),
        ]);
    }
    let n_unmatched = distinct(&found.external).values().filter(|is_used| !**is_used).count();
    let n_unmatched = count(n_unmatched as u64);
    heading("Packages", format_args!("most used first; {n_unmatched} without a matching import (-)"))
        + &table.render(columns)
        + &rest(limit, by_use.len(), "more package")
}

fn undeclared(found: &Dependencies, limit: usize, columns: Columns) -> String {
    if found.undeclared.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .column("package", Align::Left, Cut::End, BOLD)
        .column("files", Align::Right, Cut::Never, Default::default())
        .column("first used in", Align::Left, Cut::Start, PATH);
    for package in found.undeclared.iter().take(limit) {
        let first = package.used_in.first().cloned().unwrap_or_default();
        table.row([package.name.clone(), count(package.used_in.len() as u64), first]);
    }
    heading("Undeclared", "imported, but not in a manifest")
        + &table.render(columns)
        + &rest(limit, found.undeclared.len(), "more package")
}

fn depended(found: &Dependencies, limit: usize, columns: Columns) -> String {
    if found.most_depended.is_empty() {
        return String::new();
    }
    let mut table = Table::new().column("used by", Align::Right, Cut::Never, BOLD).column(
        "file",
        Align::Left,
        Cut::Start,
        PATH,
    );
    for file in found.most_depended.iter().take(limit) {
        table.row([count(file.dependents as u64), file.file.clone()]);
    }
    heading("Most depended on", "files that use it directly") + &table.render(columns)
}

fn cycles(found: &Dependencies, limit: usize, columns: Columns) -> String {
    if found.cycles.is_empty() {
        return String::new();
    }
    let mut text = heading("Cycles", "those that occur when files are loaded come first");
    for cycle in found.cycles.iter().take(limit) {
        let files = &cycle.files;
        let holds = [
            (cycle.weakness.type_only, "types only: "),
            (cycle.weakness.lazy, "in a function: "),
            (cycle.weakness.test, "by a test: "),
        ];
        let weakness: String = holds.iter().filter(|(holds, _)| *holds).map(|(_, says)| *says).collect();
        let ring = files.iter().chain(files.first());
        let ring: Vec<String> = ring
            .enumerate()
            .map(|(at, file)| if at == 0 { format!("{weakness}{file}") } else { format!("→ {file}") })
            .collect();
        text +=
            &format!("{}  {}\n", styled(DIM, format_args!("{:>3}", files.len())), wrap(&ring, 5, columns));
    }
    text + &rest(limit, found.cycles.len(), "more cycle")
}
