//! Projects read from a store are analysed as texts are, and may be cancelled.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use craig_chunk::Outline;
use craig_chunk::names::Role;
use craig_insight::{Analysis, InsightError, ScipFile, SymbolGraph, quality, quality_of_texts};
use craig_source::{FileStamp, interpret};
use craig_store::{Batch, IndexedFile, Project, Store};
use expect_test::expect;
use protobuf::{Message as _, MessageField};
use rayon::{ThreadPool, ThreadPoolBuilder};
use scip::types::{Document, Index, Metadata, Occurrence, ToolInfo};
use tempfile::TempDir;

use crate::fixture::{borrowed, files};

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

struct Stored {
    _folder: TempDir,
    store: Store,
    project: Project,
    pool: ThreadPool,
}

/// A store with the files of a fixture, outlined and without chunks, since analyses read texts.
fn stored(fixture: &str) -> Stored {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("craig.db")).unwrap();
    let project = store.create_project("test", "/src/test", "{}").unwrap();
    let changed: Vec<IndexedFile> = files(fixture).iter().map(|(path, text)| outlined(path, text)).collect();
    let run = store.begin_ingestion(project.id, 1).unwrap();
    let batch = Batch { changed, ..Batch::default() };
    store.apply(&run, "no-embedder", &batch, 1).unwrap();
    Stored { _folder: folder, store, project, pool: ThreadPoolBuilder::new().num_threads(2).build().unwrap() }
}

fn outlined(path: &str, text: &str) -> IndexedFile {
    let stamp = FileStamp { size: text.len() as u64, modified_ns: 1_700_000_000_000_000_000, changed_ns: 7 };
    let source = interpret(path, stamp, text.as_bytes().to_vec());
    let outline = Outline { chunks: Vec::new(), ..craig_chunk::chunk(source.language, text) };
    IndexedFile::new(source, 1_700_000_100_000_000_000, outline, Vec::new())
}

fn load(stored: &Stored) -> Analysis {
    Analysis::load(&stored.store, stored.project.id, &stored.pool, &|| false).unwrap()
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn reports_of_a_store_are_those_of_its_texts() {
    let (stored, texts) = (stored(SHOP), files(SHOP));
    let (loaded, direct) = (load(&stored), Analysis::from_texts(borrowed(&texts)));
    assert_eq!(json(&loaded.dependencies()), json(&direct.dependencies()));
    assert_eq!(json(&loaded.architecture()), json(&direct.architecture()));
    let relations = loaded.relations(&stored.store, stored.project.id, "price", &stored.pool).unwrap();
    assert_eq!(json(&relations), json(&direct.relations_in(borrowed(&texts), "price").unwrap()));
    assert_eq!(relations.mentions.len(), 2);
    let measured = quality(&stored.store, stored.project.id, &stored.pool, &|| false).unwrap();
    assert_eq!(json(&measured), json(&quality_of_texts(borrowed(&texts))));
    assert_eq!(measured.notes.total, 1);
}

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
    stored.store.apply(&run, "no-embedder", &Batch { changed, ..Batch::default() }, 1).unwrap();
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

#[test]
fn an_empty_store_has_empty_reports() {
    let stored = stored("");
    let found = load(&stored).dependencies();
    assert_eq!((found.edges.len(), found.external.len()), (0, 0));
    assert_eq!(quality(&stored.store, stored.project.id, &stored.pool, &|| false).unwrap().summary.files, 0);
}

#[test]
fn a_cancelled_analysis_ends_with_an_error() {
    let many: String = (0..40).map(|at| format!("//- /a{at}.rs\nfn f() {{}}\n")).collect();
    let stored = stored(&many);
    let asked = AtomicUsize::new(0);
    let is_cancelled = || asked.fetch_add(1, Ordering::Relaxed) >= 10;
    let found = Analysis::load(&stored.store, stored.project.id, &stored.pool, &is_cancelled);
    assert!(matches!(found, Err(InsightError::Cancelled)));
    asked.store(0, Ordering::Relaxed);
    let found = quality(&stored.store, stored.project.id, &stored.pool, &is_cancelled);
    assert!(matches!(found, Err(InsightError::Cancelled)));
}

#[test]
fn an_unknown_target_of_a_store_is_an_error() {
    let stored = stored(SHOP);
    let found = load(&stored).relations(&stored.store, stored.project.id, "nowhere", &stored.pool);
    assert!(matches!(found, Err(InsightError::UnknownTarget { similar, .. }) if similar.is_empty()));
}
