//! Questions to the graph: definitions by qualified name, references, callers, callees, impact.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use craig_chunk::names::{DefinitionKind, Role, Traits};
use craig_chunk::separator;
use craig_source::Language;

use super::{SymbolFile, SymbolGraph, SymbolIx, SymbolReference};

/// A name of a symbol, as a person types it: `route`, `Router::route`, `Router.route`, `(*Context).JSON`,
/// `src/router.py::Router.route`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolQuery {
    /// Names from the outermost to the symbol's own.
    parts: Vec<String>,
    /// The place of the definition, if the query is `path:line`.
    place: Option<(String, u32)>,
    /// The file of the definition, or the end of its path, if the query is `path::name`.
    file: Option<String>,
}

impl SymbolQuery {
    /// Reads a query. `None` if it names nothing.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let place = text.rsplit_once(':').and_then(|(path, line)| {
            let line = line.parse().ok()?;
            (!path.is_empty() && !path.ends_with(':'))
                .then(|| (path.trim_start_matches("./").to_owned(), line))
        });
        if let Some(place) = place {
            return Some(Self { parts: Vec::new(), place: Some(place), file: None });
        }
        let (file, text) = match text.split_once("::") {
            Some((path, rest)) if path.contains('.') && Language::from_path(path).is_some() => {
                (Some(path.trim_start_matches("./").to_owned()), rest)
            }
            _ => (None, text),
        };
        let is_separator = |c: char| matches!(c, '.' | ':' | '#' | '\\' | '/' | '(' | ')' | '*' | '&' | ' ');
        let text = text.strip_suffix("()").unwrap_or(text);
        let parts: Vec<String> =
            text.split(is_separator).filter(|part| !part.is_empty()).map(str::to_owned).collect();
        (!parts.is_empty()).then_some(Self { parts, place: None, file })
    }

    /// The line of the place that is asked for, if it is a place.
    pub fn line(&self) -> Option<u32> {
        self.place.as_ref().map(|(_, line)| *line)
    }

    /// The path of that place.
    pub fn path(&self) -> Option<&str> {
        self.place.as_ref().map(|(path, _)| path.as_str())
    }

    /// The symbol's own name.
    pub fn name(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }
}

/// A file that a change of a symbol may affect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impacted {
    /// Index of the file.
    pub file: u32,
    /// Steps from the symbol: 1 where it is used itself.
    pub distance: usize,
}

/// What a change of a symbol may affect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Files, nearest first.
    pub files: Vec<Impacted>,
    /// Definitions with their distances, nearest first.
    pub symbols: Vec<(SymbolIx, usize)>,
}

impl SymbolGraph {
    /// Definitions that a query names, the likeliest first: in product code before tests, definitions before declarations, those
    /// with many references before those with few.
    pub fn find(&self, query: &SymbolQuery) -> Vec<SymbolIx> {
        if let Some((path, line)) = &query.place {
            return self.defined_at(path, *line);
        }
        let is_in_file = |at: &SymbolIx| {
            let path = self.files[self.definition(*at).file as usize].path.as_str();
            query.file.as_deref().is_none_or(|file| {
                path.strip_suffix(file).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
            })
        };
        let named = self.named(query.name()).iter().copied().filter(is_in_file);
        let mut found: Vec<SymbolIx> = named.filter(|&at| self.is_qualified(at, &query.parts)).collect();
        found.sort_by_key(|&at| {
            let definition = &self.definitions[at as usize];
            (
                self.is_test(at),
                definition.traits.has(Traits::LOCAL),
                definition.traits.has(Traits::DECLARATION),
                !self.is_directly_in(at, &query.parts),
                // A name by itself is rather that of a function than of a method.
                query.parts.len() == 1 && definition.parent.is_some(),
                rank(definition.kind),
                Reverse(self.references_to(at).len()),
                at,
            )
        });
        found
    }

    /// The definition whose name is on a line, else the innermost around it.
    fn defined_at(&self, path: &str, line: u32) -> Vec<SymbolIx> {
        let Some(file) = self.file(path) else { return Vec::new() };
        let named: Vec<SymbolIx> =
            self.definitions_in(file).filter(|&at| self.definition(at).line == line).collect();
        if !named.is_empty() {
            return named;
        }
        self.definition_around(file, line).into_iter().collect()
    }

    /// Whether what encloses a definition is the last but one name of a query, if it has several.
    fn is_directly_in(&self, at: SymbolIx, parts: &[String]) -> bool {
        let [.., outer, _] = parts else { return true };
        let parent = self.definitions[at as usize].parent;
        parent.is_some_and(|parent| self.definitions[parent as usize].name == *outer)
    }

    /// Whether the names of a query are those of a definition and what encloses it; the last of the path may stand in for it.
    fn is_qualified(&self, at: SymbolIx, parts: &[String]) -> bool {
        let Some((_, outer)) = parts.split_last() else { return false };
        let mut enclosing = self.definitions[at as usize].parent;
        for (n_left, part) in outer.iter().enumerate().rev() {
            match enclosing {
                Some(parent) if self.definitions[parent as usize].name == *part => {
                    enclosing = self.definitions[parent as usize].parent;
                }
                // Constructors and members of nested functions may leave out what is between.
                Some(parent) if self.definitions[parent as usize].parent.is_some() => {
                    return self.is_qualified_above(parent, &outer[..=n_left]);
                }
                _ => return self.is_of_module(at, &outer[..=n_left]),
            }
        }
        true
    }

    fn is_qualified_above(&self, at: SymbolIx, parts: &[String]) -> bool {
        let is_last =
            |&parent: &SymbolIx| parts.last().is_some_and(|part| *part == self.definition(parent).name);
        match self.enclosing(at).skip(1).find(is_last) {
            Some(parent) => parts.len() == 1 || self.is_qualified(parent, parts),
            None => self.is_of_module(at, parts),
        }
    }

    /// Whether names are those of the file and its folders, or of its package: `middleware.RequestID`, `crate::auth::login`.
    fn is_of_module(&self, at: SymbolIx, parts: &[String]) -> bool {
        let SymbolFile { path, package, .. } = &self.files[self.definitions[at as usize].file as usize];
        let names = module_names(path);
        let wanted: Vec<&str> = parts.iter().map(String::as_str).filter(|part| *part != "crate").collect();
        // A package of Go is the folder, a module of Python the file.
        let ends = |names: &[&str]| names.ends_with(&wanted);
        let packages: Vec<&str> = package.split(['.', '\\', ':']).filter(|part| !part.is_empty()).collect();
        let is_named =
            ends(&names) || ends(&packages) || names.split_last().is_some_and(|(_, folders)| ends(folders));
        !wanted.is_empty() && is_named && !self.is_of_other_type(at, &wanted)
    }

    /// Whether a definition is in a type, and names are those of another type of its file.
    fn is_of_other_type(&self, at: SymbolIx, names: &[&str]) -> bool {
        let is_type = |&at: &SymbolIx| self.definition(at).kind.is_type();
        let mut types = self.definitions_in(self.definition(at).file).filter(is_type);
        let is_named = |at: SymbolIx| names.last().is_some_and(|name| self.definition(at).name == *name);
        self.enclosing(at).skip(1).any(|around| is_type(&around)) && types.any(is_named)
    }

    /// References to a symbol, by place.
    pub fn references_to(&self, symbol: SymbolIx) -> &[SymbolReference] {
        let start = self.references.partition_point(|found| found.symbol < symbol);
        let end = self.references.partition_point(|found| found.symbol <= symbol);
        &self.references[start..end]
    }

    /// Qualified name of a definition, as its language joins names: `Cart.total`, `Cart::total`.
    pub fn qualified_name(&self, at: SymbolIx) -> String {
        let mut names: Vec<&str> = self.enclosing(at).map(|at| self.definition(at).name.as_str()).collect();
        names.reverse();
        names.join(separator(self.files[self.definition(at).file as usize].language))
    }

    /// The function, type or variable that holds a definition, itself included: what others use when they use it. What is nested
    /// in a function counts as the function.
    fn carrier(&self, at: SymbolIx) -> Option<SymbolIx> {
        let mut next = Some(at);
        while let Some(at) = next {
            let definition = &self.definitions[at as usize];
            let is_local = definition.traits.has(Traits::LOCAL) && definition.parent.is_some();
            let is_carrier = definition.kind.is_callable()
                || definition.kind.is_type()
                || matches!(definition.kind, DefinitionKind::Constant | DefinitionKind::Variable)
                || definition.traits.has(Traits::PROPERTY);
            if !is_local && is_carrier {
                return Some(at);
            }
            next = definition.parent;
        }
        None
    }

    /// Files that a change of the symbols may affect, with the fewest steps to each: those with references to it, those with
    /// references to the definitions around these references, and so on.
    pub fn impact(&self, symbols: &[SymbolIx], max_distance: usize, min_confidence: u8) -> Vec<Impacted> {
        self.reach(symbols, max_distance, min_confidence).files
    }

    /// Files and definitions that a change of the symbols may affect, nearest first; themselves left out.
    pub fn reach(&self, symbols: &[SymbolIx], max_distance: usize, min_confidence: u8) -> Reach {
        let mut files: BTreeMap<u32, usize> = BTreeMap::new();
        let mut seen: BTreeSet<SymbolIx> = symbols.iter().copied().collect();
        let mut reached = Vec::new();
        let mut open: Vec<SymbolIx> = symbols.to_vec();
        for distance in 1..=max_distance {
            let mut next = Vec::new();
            for symbol in open {
                let sure =
                    self.references_to(symbol).iter().filter(|found| found.confidence >= min_confidence);
                for found in sure {
                    files.entry(found.file).or_insert(distance);
                    if let Some(within) = found.within.and_then(|within| self.carrier(within))
                        && found.role != Role::Import
                        && seen.insert(within)
                    {
                        next.push(within);
                    }
                }
            }
            next.sort_unstable();
            reached.extend(next.iter().map(|&symbol| (symbol, distance)));
            open = next;
        }
        let mut impacted: Vec<Impacted> =
            files.into_iter().map(|(file, distance)| Impacted { file, distance }).collect();
        impacted.sort_by_key(|found| (found.distance, found.file));
        Reach { files: impacted, symbols: reached }
    }
}

/// The names of a module by its path: `celery app task` of `celery/app/task.py`, `cart` of `src/cart/index.ts`.
pub fn module_names(path: &str) -> Vec<&str> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    stem.split('/').filter(|name| !matches!(*name, "mod" | "index" | "__init__" | "src" | "lib")).collect()
}

/// Types come before functions, these before fields.
fn rank(kind: DefinitionKind) -> u8 {
    match kind {
        kind if kind.is_type() => 0,
        DefinitionKind::Function | DefinitionKind::Method | DefinitionKind::Macro => 1,
        DefinitionKind::Module => 2,
        DefinitionKind::Constant | DefinitionKind::Variable => 3,
        DefinitionKind::Constructor => 5,
        _ => 4,
    }
}
