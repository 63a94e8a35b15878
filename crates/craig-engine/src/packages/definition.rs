//! Finds the definition of an imported symbol among those of its package.

use std::cmp::Reverse;

use craig_chunk::doc_comment;
use craig_source::Language;
use craig_store::{Project, Store};
use craig_symbols::Ecosystem;
use craig_text::path::{file_stem, folder};

use super::exports;
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
    /// How well it fits, the best fitting part first.
    fit: Fit,
    /// The comment that documents it.
    comment: Option<String>,
}

/// How well the place of a definition fits an import. What is compared first comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Whether it is in the file of the module that exports it.
    is_module: bool,
    /// Number of segments of that module that its path has.
    n_shared: usize,
    is_outermost: bool,
    is_public: bool,
    /// What is nearer to the root of the package is likelier to be what its entry exports.
    nearness: Reverse<usize>,
}

/// The definition that an import surely means; none if several would do.
pub(super) fn find(
    store: &Store,
    corpus: &Project,
    ecosystem: Ecosystem,
    symbol: &ImportedSymbol,
    package: &str,
) -> Result<Option<Found>, EngineError> {
    let Some(imported) = symbol.path.first() else { return Ok(None) };
    let module = segments(ecosystem, symbol, package);
    let (module, exported) = exports::Exports { store, corpus, ecosystem }.origin(module, imported)?;
    let (name, owner) = match symbol.path.as_slice() {
        [.., owner, name] if symbol.path.len() == 2 => {
            (name, Some(if owner == imported { &exported } else { owner }))
        }
        [.., owner, name] => (name, Some(owner)),
        _ => (&exported, None),
    };
    let module_files = exports::files_of(ecosystem, &module);
    let mut candidates = Vec::new();
    for (path, definition) in store.symbols_with(corpus.id, name, MOST_ALIKE)? {
        let is_meant = definition.name == *name
            && fits_owner(&path, definition.parent.as_deref(), owner.map(String::as_str))
            && fits_module(ecosystem, &path, &module);
        if is_meant {
            let fit = Fit {
                is_module: module_files.contains(&path),
                n_shared: module.iter().filter(|segment| has_segment(&path, segment)).count(),
                is_outermost: definition.parent.is_none(),
                is_public: !is_internal(&path),
                nearness: Reverse(path.matches('/').count()),
            };
            candidates.push(Candidate { path, symbol: definition, fit, comment: None });
        }
    }
    let Some(best) = candidates.iter().map(|candidate| candidate.fit).max() else { return Ok(None) };
    candidates.retain(|candidate| candidate.fit == best);
    read_comments(store, corpus, &mut candidates)?;
    if candidates.iter().any(|candidate| candidate.comment.is_some()) {
        candidates.retain(|candidate| candidate.comment.is_some());
    }
    let Some(first) = only(&candidates) else { return Ok(None) };
    let Some(file) = store.file_text(corpus.id, &first.path)? else { return Ok(None) };
    Ok(Some(Found {
        path: first.path.clone(),
        language: file.record.language,
        text: file.content.unwrap_or_default(),
        line: first.symbol.line,
        name: name.clone(),
    }))
}

/// Of definitions that are overloads in one file, or copies of another file with the same comment, the one with the longest
/// comment.
fn only(candidates: &[Candidate]) -> Option<&Candidate> {
    let first = candidates.first()?;
    let is_same =
        |of: &Candidate| first.path == of.path || first.comment.is_some() && first.comment == of.comment;
    let length = |of: &&Candidate| of.comment.as_ref().map_or(0, String::len);
    let of_first = candidates.iter().rev().filter(|of| of.path == first.path);
    candidates.iter().all(is_same).then(|| of_first.max_by_key(length))?
}

/// The segments of the module that an import names, from the root of the package.
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
        Ecosystem::Go | Ecosystem::Npm => split(symbol.module.strip_prefix(package).unwrap_or_default(), "/"),
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

fn read_comments(store: &Store, corpus: &Project, candidates: &mut [Candidate]) -> Result<(), EngineError> {
    for candidate in candidates {
        let Some(file) = store.file_text(corpus.id, &candidate.path)? else { continue };
        let lines: Vec<&str> = file.content.as_deref().unwrap_or_default().lines().collect();
        let text_of = |number: u32| lines.get(number as usize - 1).copied().unwrap_or_default();
        let symbol = &candidate.symbol;
        candidate.comment =
            doc_comment(text_of, symbol.line, symbol.line, symbol.line_end).map(|found| found.text);
    }
    Ok(())
}
