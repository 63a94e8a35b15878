//! Finds the definition of an imported symbol among those of its package.

use std::cmp::Reverse;

use craig_chunk::doc_comment;
use craig_chunk::names::{Imported, names};
use craig_source::Language;
use craig_store::{Project, Store};
use craig_symbols::Ecosystem;
use craig_text::path::{file_stem, folder};

use super::imports::ImportedSymbol;
use crate::EngineError;

/// Definitions of one name that are looked at.
const MOST_ALIKE: usize = 300;

/// A definition in a package.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) language: Language,
    pub(super) text: String,
    pub(super) line: u32,
    pub(super) name: String,
}

/// A definition that may be meant.
struct Candidate {
    path: String,
    symbol: craig_chunk::Symbol,
    /// Number of segments of the import that its path has.
    n_shared: usize,
    /// Whether the module that is imported exports it from its file.
    is_reexported: bool,
    /// The comment that documents it.
    comment: Option<String>,
}

/// The definition that an import surely means; none if several would do, or none has a comment or document.
pub(super) fn find(
    store: &Store,
    corpus: &Project,
    ecosystem: Ecosystem,
    symbol: &ImportedSymbol,
    package: &str,
) -> Result<Option<Found>, EngineError> {
    let Some((name, owners)) = symbol.path.split_last() else { return Ok(None) };
    let segments = segments(ecosystem, symbol, package);
    let exporters = exporters(store, corpus, ecosystem, symbol)?;
    let mut candidates = Vec::new();
    for (path, definition) in store.symbols_with(corpus.id, name, MOST_ALIKE)? {
        let is_meant = definition.name == *name
            && fits_owner(&path, definition.parent.as_deref(), owners.last().map(String::as_str))
            && fits_module(ecosystem, &path, &segments);
        if !is_meant {
            continue;
        }
        let n_shared = segments.iter().filter(|segment| has_segment(&path, segment)).count();
        let is_reexported = exporters.iter().any(|module| has_segment(&path, module));
        candidates.push(Candidate { path, symbol: definition, n_shared, is_reexported, comment: None });
    }
    let rank = |of: &Candidate| (of.is_reexported, of.n_shared, of.symbol.parent.is_none(), !is_internal(&of.path));
    let Some(best) = candidates.iter().map(rank).max() else { return Ok(None) };
    candidates.retain(|candidate| rank(candidate) == best);
    read_comments(store, corpus, &mut candidates)?;
    if candidates.iter().any(|candidate| candidate.comment.is_some()) {
        candidates.retain(|candidate| candidate.comment.is_some());
    }
    candidates.sort_by_key(|of| (of.path.matches('/').count(), Reverse(of.path.contains(".d.ts")), of.path.clone()));
    let first = candidates.first();
    let is_same = |of: &Candidate| {
        first.is_some_and(|first| first.path == of.path || first.comment.is_some() && first.comment == of.comment)
    };
    let Some(first) = first.filter(|_| candidates.iter().all(is_same)) else { return Ok(None) };
    let Some(file) = store.file_text(corpus.id, &first.path)? else { return Ok(None) };
    Ok(Some(Found {
        path: first.path.clone(),
        language: file.record.language,
        text: file.content.unwrap_or_default(),
        line: first.symbol.line,
        name: name.clone(),
    }))
}

/// What an import says of the place in the package, from the outside to the inside.
fn segments(ecosystem: Ecosystem, symbol: &ImportedSymbol, package: &str) -> Vec<String> {
    let split = |text: &str, by: &str| -> Vec<String> {
        text.split(by).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    match ecosystem {
        Ecosystem::PyPi => split(&symbol.module, "."),
        Ecosystem::Cargo => split(&symbol.module, "::").into_iter().skip(1).collect(),
        Ecosystem::Maven => {
            let mut segments = split(&symbol.module, ".");
            segments.extend(symbol.path.first().cloned());
            segments
        }
        Ecosystem::Go | Ecosystem::Npm => {
            split(symbol.module.strip_prefix(package).unwrap_or_default(), "/")
        }
        _ => Vec::new(),
    }
}

/// Whether a file can hold what is imported. In Go and on the JVM, packages are folders; elsewhere, modules export names of
/// other files.
fn fits_module(ecosystem: Ecosystem, path: &str, segments: &[String]) -> bool {
    match ecosystem {
        Ecosystem::Go => folder(path) == segments.join("/"),
        Ecosystem::Maven => {
            let (class, package) = segments.split_last().map_or(("", &[][..]), |(last, rest)| (last, rest));
            let is_in_package = folder(path).ends_with(&package.join("/"));
            is_in_package && (file_stem(path) == class || !path.ends_with(".java"))
        }
        _ => true,
    }
}

/// Whether a definition belongs to the owner that code names: a type, or a module, which is a file or a folder.
fn fits_owner(path: &str, parent: Option<&str>, owner: Option<&str>) -> bool {
    let parent = parent.map(|parent| parent.rsplit([':', '.', '#', '/']).next().unwrap_or(parent));
    match (owner, parent) {
        (Some(owner), Some(parent)) => parent == owner || without_arguments(parent) == owner,
        (Some(owner), None) => has_segment(path, owner),
        (None, _) => true,
    }
}

/// `Vec` of `Vec<T>`.
fn without_arguments(name: &str) -> &str {
    name.split(['<', '[', '(']).next().unwrap_or(name).trim()
}

/// Whether a file or one of its folders is called so.
fn has_segment(path: &str, name: &str) -> bool {
    file_stem(path) == name || folder(path).split('/').any(|part| part == name)
}

/// Whether others are not to use what a file defines, as its name or folder shows.
fn is_internal(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('_') && !part.starts_with("__") || part == "internal")
}

/// The modules from which the imported module exports the symbol: the last segment of each.
fn exporters(
    store: &Store,
    corpus: &Project,
    ecosystem: Ecosystem,
    symbol: &ImportedSymbol,
) -> Result<Vec<String>, EngineError> {
    let Some(first) = symbol.path.first() else { return Ok(Vec::new()) };
    let entries = match ecosystem {
        Ecosystem::PyPi => {
            let module = symbol.module.replace('.', "/");
            vec![format!("{module}/__init__.py"), format!("{module}.py")]
        }
        Ecosystem::Cargo => vec!["src/lib.rs".to_owned()],
        _ => Vec::new(),
    };
    let mut found = Vec::new();
    for entry in entries {
        let Some(file) = store.file_text(corpus.id, &entry)? else { continue };
        let names = names(file.record.language, file.content.as_deref().unwrap_or_default());
        let exported = names.imports.iter().filter(|import| match import.what {
            Imported::Name(name) => names.text(name) == first,
            _ => false,
        });
        found.extend(exported.filter_map(|import| {
            let module = names.text(import.module);
            module.rsplit(['.', ':', '/']).find(|part| !part.is_empty()).map(str::to_owned)
        }));
    }
    Ok(found)
}

fn read_comments(store: &Store, corpus: &Project, candidates: &mut [Candidate]) -> Result<(), EngineError> {
    for candidate in candidates {
        let Some(file) = store.file_text(corpus.id, &candidate.path)? else { continue };
        let lines: Vec<&str> = file.content.as_deref().unwrap_or_default().lines().collect();
        let text_of = |number: u32| lines.get(number as usize - 1).copied().unwrap_or_default();
        let symbol = &candidate.symbol;
        candidate.comment = doc_comment(text_of, symbol.line, symbol.line, symbol.line_end).map(|found| found.text);
    }
    Ok(())
}
