//! Graphs of projects that are read from a store: kept, damaged, outdated, and replaced by a SCIP index.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use craig_chunk::names::Role;
use craig_store::Batch;
use craig_symbols::{ScipFile, SymbolGraph};
use expect_test::expect;
use protobuf::{Message as _, MessageField};
use scip::types::{Document, Index, Metadata, Occurrence, ToolInfo};

use crate::fixture::{Stored, borrowed, files, outlined, stored};

const SHOP: &str = r#"
//- /package.json
{ "name": "shop", "dependencies": { "zod": "^3" } }
//- /src/cart.ts
import { z } from "zod"
import { price } from "./price"
// TODO: taxes
export function total(n: number) { return n > 1 ? price(n) : 0 }
//- /src/price.ts
export function price(n: number) { return n }
//- /README.md
# Shop
"#;

#[test]
fn the_graph_of_a_store_is_that_of_its_texts_also_when_it_was_kept() {
    let (stored, texts) = (stored(SHOP), files(SHOP));
    let graph = SymbolGraph::load(&stored.store, stored.project.id, None, &stored.pool, &|| false).unwrap();
    assert_eq!(graph, SymbolGraph::from_texts(borrowed(&texts)));
    assert!(!graph.references.is_empty());
    let kept = graph.to_bytes();
    assert_eq!(SymbolGraph::from_bytes(&kept).as_ref(), Some(&graph));
    for at in 0..kept.len() {
        assert_eq!(SymbolGraph::from_bytes(&kept[..at]), None, "cut off at {at}");
        let mut changed = kept.clone();
        changed[at] ^= 0x41;
        // Whatever it is, its indexes are within bounds.
        if let Some(graph) = SymbolGraph::from_bytes(&changed) {
            graph.references.iter().for_each(|found| {
                assert!((found.symbol as usize) < graph.definitions.len());
                assert!((found.file as usize) < graph.files.len());
            });
        }
    }
}

#[test]
fn a_kept_graph_that_is_damaged_or_outdated_is_made_again() {
    let mut stored = stored(SHOP);
    let project = |stored: &Stored| stored.store.project("test").unwrap();
    let open = |stored: &Stored| {
        SymbolGraph::open(&stored.store, &project(stored), None, &stored.pool, &|| false).unwrap()
    };
    let graph = open(&stored);
    let path = stored.store.index_folder(&project(&stored)).join("symbols");
    let kept = std::fs::read(&path).unwrap();
    assert_eq!(open(&stored), graph);
    for at in [0, kept.len() / 2, kept.len() - 1] {
        let mut damaged = kept.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(open(&stored), graph);
        assert_eq!(std::fs::read(&path).unwrap(), kept, "it was made again");
    }
    let run = stored.store.begin_ingestion(stored.project.id, 1).unwrap();
    let changed =
        vec![outlined("src/price.ts", "export function price(n: number) { return n * 2 }\nprice(1)\n")];
    stored.store.apply(&run, None, &Batch { changed, ..Batch::default() }, 1).unwrap();
    assert_ne!(open(&stored), graph);
    assert_ne!(std::fs::read(&path).unwrap(), kept);
}

const SHAPES: &str = r#"
//- /src/shape.py
class Circle:
    def area(self): return 1
class Square:
    def area(self): return 2
//- /src/draw.py
def draw(shape):
    return "é", shape.area(), other(shape)
//- /src/new.py
def more(shape):
    return shape.area()
"#;

/// An index of what `shape` is in `draw`, in columns of UTF-16, with an error, and a file that is no more.
fn scip_of_shapes(tool: &str) -> Vec<u8> {
    let occurrence = |line, column, symbol: &str, symbol_roles| Occurrence {
        range: vec![line, column, column + 4],
        symbol: symbol.to_owned(),
        symbol_roles,
        ..Occurrence::default()
    };
    let document = |path: &str, occurrences| Document {
        relative_path: path.to_owned(),
        occurrences,
        ..Document::default()
    };
    let area = "scip-python python shapes 1 `src.shape`/Square#area().";
    let documents = vec![
        document("src/shape.py", vec![occurrence(3, 8, area, 1)]),
        document(
            "src/draw.py",
            vec![occurrence(1, 22, area, 0), occurrence(1, 30, area, 0), occurrence(9, 9, area, 0)],
        ),
        document("src/gone.py", vec![occurrence(0, 0, area, 0)]),
    ];
    let tool_info = ToolInfo { name: tool.to_owned(), ..ToolInfo::default() };
    let metadata = Metadata { tool_info: MessageField::some(tool_info), ..Metadata::default() };
    let index = Index { metadata: MessageField::some(metadata), documents, ..Index::default() };
    index.write_to_bytes().unwrap()
}

/// What calls methods, with the index in a folder, if there is one.
fn calls_of_methods(stored: &Stored, folder: &Path) -> String {
    let project = stored.store.project("test").unwrap();
    let scip = ScipFile::find(folder.to_str().unwrap());
    let graph = SymbolGraph::open(&stored.store, &project, scip.as_ref(), &stored.pool, &|| false).unwrap();
    let mut out = String::new();
    for found in graph.references.iter().filter(|found| found.role == Role::Call) {
        let of = graph.definition(found.symbol);
        let owner = graph.definition(of.parent.unwrap()).name.clone();
        let (path, line) = (&graph.files[found.file as usize].path, found.line);
        writeln!(out, "{path}:{line} {owner}.{} {}%", of.name, found.confidence).unwrap();
    }
    out
}

#[test]
fn a_scip_index_that_is_as_new_as_the_files_takes_the_place_of_what_was_bound() {
    let (stored, folder) = (stored(SHAPES), tempfile::tempdir().unwrap());
    let bound = calls_of_methods(&stored, folder.path());
    expect![[r#"
        src/draw.py:2 Circle.area 35%
        src/new.py:2 Circle.area 35%
        src/draw.py:2 Square.area 35%
        src/new.py:2 Square.area 35%
    "#]]
    .assert_eq(&bound);
    let path = folder.path().join("index.scip");
    std::fs::write(&path, scip_of_shapes("scip-python")).unwrap();
    expect![[r#"
        src/new.py:2 Circle.area 35%
        src/draw.py:2 Square.area 100%
        src/new.py:2 Square.area 35%
    "#]]
    .assert_eq(&calls_of_methods(&stored, folder.path()));

    let write = |bytes: &[u8]| std::fs::write(&path, bytes).unwrap();
    write(b"no index");
    assert_eq!(calls_of_methods(&stored, folder.path()), bound, "a damaged one says nothing");
    write(&scip_of_shapes("craig"));
    assert_eq!(calls_of_methods(&stored, folder.path()), bound, "nor does one of our own");
    write(&scip_of_shapes("scip-python"));
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    assert_eq!(calls_of_methods(&stored, folder.path()), bound, "nor one that is older than the files");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(calls_of_methods(&stored, folder.path()), bound);
}
