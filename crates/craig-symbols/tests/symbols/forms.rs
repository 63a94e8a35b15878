//! The forms of `evals/forms`, each a small project with the lines that refer to one symbol: those that are not bound yet are listed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use craig_chunk::names::Role;
use craig_symbols::{SymbolGraph, SymbolQuery};
use expect_test::expect_file;

use crate::fixture;

/// References below this are not listed without being asked for.
const LISTED: u8 = 70;

#[test]
fn forms_that_are_not_bound_yet() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/forms");
    let mut failing = BTreeSet::new();
    let mut n_cells = 0;
    for form in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for cell in fs::read_dir(&form).unwrap().map(|entry| entry.unwrap().path()) {
            n_cells += 1;
            if !passes(&fs::read_to_string(&cell).unwrap()) {
                failing.insert(cell.strip_prefix(&folder).unwrap().with_extension("").display().to_string());
            }
        }
    }
    let list: String = failing.iter().map(|cell| format!("{cell}\n")).collect();
    expect_file!["forms.txt"].assert_eq(&format!("{} of {n_cells} pass\n{list}", n_cells - failing.len()));
}

/// Whether exactly the lines marked `<ref>` refer to what the line marked `<def>` defines.
fn passes(cell: &str) -> bool {
    let (mut defined, mut expected) = (None, BTreeSet::new());
    // Only files of a folder are searched for what makes a header one of C++.
    let is_cpp = cell.contains(".cpp\n");
    let cell =
        if is_cpp { cell.replace(".h\n", ".hpp\n").replace(".h\"", ".hpp\"") } else { cell.to_owned() };
    let mut files = fixture::files(&cell);
    for (path, text) in &mut files {
        let mut plain = String::new();
        for (line, number) in text.lines().zip(1..) {
            match marker(line) {
                Some((_, true)) => defined = Some((path.clone(), number)),
                Some((_, false)) => drop(expected.insert((path.clone(), number))),
                None => {}
            }
            plain += marker(line).map_or(line, |(before, _)| before);
            plain.push('\n');
        }
        *text = plain;
    }
    let Some((path, line)) = defined else { return false };
    let graph = SymbolGraph::from_texts(fixture::borrowed(&files));
    let query = SymbolQuery::parse(&format!("{path}:{line}")).unwrap();
    let Some(&symbol) = graph.find(&query).first().filter(|&&at| graph.definition(at).line == line) else {
        return false;
    };
    let place = |file: u32, line: u32| (graph.files[file as usize].path.clone(), line);
    let parts = graph.parts_of_overload(symbol);
    let definitions = parts.iter().map(|&at| graph.definition(at));
    let mut left_out: BTreeSet<_> = definitions.map(|of| place(of.file, of.line)).collect();
    let mut found = BTreeSet::new();
    for reference in
        parts.iter().flat_map(|&at| graph.references_to(at)).filter(|found| found.confidence >= LISTED)
    {
        let at = place(reference.file, reference.line);
        match reference.role {
            Role::Override | Role::Implement => left_out.insert(at),
            _ => found.insert(at),
        };
    }
    left_out.retain(|at| !expected.contains(at));
    found.retain(|at| !left_out.contains(at));
    found == expected
}

/// What stands before the marker of a line, and whether that is the definition's.
fn marker(line: &str) -> Option<(&str, bool)> {
    let (before, is_definition) = match line.split_once(" <def>") {
        Some((before, _)) => (before, true),
        None => (line.split_once(" <ref>")?.0, false),
    };
    let before = ["//", "#", "/*"].into_iter().find_map(|comment| before.strip_suffix(comment))?;
    Some((before.trim_end(), is_definition))
}
