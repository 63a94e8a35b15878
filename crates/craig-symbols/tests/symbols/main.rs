//! Symbols of tiny projects: files in, each definition with its references out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod c;
mod csharp;
mod fixture;
mod forms;
mod go;
mod java;
mod kotlin;
mod limits;
mod map;
mod php;
mod python;
mod ruby;
mod rust;
mod scip;
mod script;
mod stored;

use craig_symbols::{SymbolGraph, SymbolIx};
use expect_test::Expect;

/// The definitions of a project that are referred to, each with its references: `path:line role confidence`. Names are joined by
/// dots, whatever the language.
fn check(files: &str, expected: &Expect) {
    let files = fixture::files(files);
    let graph = SymbolGraph::from_texts(fixture::borrowed(&files));
    let mut out = String::new();
    for (at, definition) in graph.definitions.iter().enumerate() {
        let at = at as SymbolIx;
        let references = graph.references_to(at);
        if references.is_empty() {
            continue;
        }
        let path = &graph.files[definition.file as usize].path;
        let mut names: Vec<&str> = graph.enclosing(at).map(|at| graph.definition(at).name.as_str()).collect();
        names.reverse();
        let name = names.join(".");
        out += &format!("{} {name} {path}:{}\n", definition.kind.as_str(), definition.line);
        for found in references {
            let path = &graph.files[found.file as usize].path;
            out += &format!("    {path}:{} {} {}\n", found.line, found.role.as_str(), found.confidence);
        }
    }
    expected.assert_eq(&out);
}
