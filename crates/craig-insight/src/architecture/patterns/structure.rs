//! What product code uses of itself, as far as patterns ask for it. Each answer is places, one for each file.

use std::collections::{BTreeMap, BTreeSet};

use craig_chunk::{ChunkKind, Symbol};
use craig_text::path::folder;

use super::TYPES;
use crate::Analysis;
use crate::dependencies::Place;
use crate::graph::Edge;
use crate::workspace::{FileIx, SourceFile};

pub(super) struct Structure<'a> {
    analysis: &'a Analysis,
    /// Uses of product code by product code, by the file that uses.
    uses: BTreeMap<FileIx, BTreeMap<FileIx, &'a Edge>>,
}

impl<'a> Structure<'a> {
    pub(super) fn new(analysis: &'a Analysis) -> Self {
        let files = &analysis.workspace.files;
        let mut uses: BTreeMap<FileIx, BTreeMap<FileIx, &Edge>> = BTreeMap::new();
        for edge in analysis.graph.of_product().filter(|edge| !files[edge.to].is_test) {
            uses.entry(edge.from).or_default().insert(edge.to, edge);
        }
        Self { analysis, uses }
    }

    /// Code files that are no tests.
    fn code(&self) -> impl Iterator<Item = (FileIx, &'a SourceFile)> {
        let files = self.analysis.workspace.files.iter().enumerate();
        files.filter(|(_, file)| file.is_code() && !file.is_test)
    }

    fn file(&self, at: FileIx) -> &'a SourceFile {
        &self.analysis.workspace.files[at]
    }

    fn place(&self, file: FileIx, line: u32) -> Place {
        Place { file: self.file(file).path.clone(), line }
    }

    fn edges(&self) -> impl Iterator<Item = &'a Edge> {
        self.uses.values().flat_map(|used| used.values().copied())
    }

    /// Whether a file uses another and names something of it.
    fn names(&self, from: FileIx, to: FileIx, name: &str) -> bool {
        let is_name = |written: &str| written.rsplit(['.', ':', '\\', '/']).next() == Some(name);
        let references = &self.file(from).references;
        self.uses.get(&from).is_some_and(|used| used.contains_key(&to))
            && (references.uses.iter().any(|used| is_name(&used.name))
                || references.imports.iter().any(|import| {
                    is_name(&import.target) || import.names.iter().any(|imported| is_name(imported))
                }))
    }

    pub(super) fn in_folders(&self, names: &[&str]) -> Vec<Place> {
        let found = self.code().filter(|(_, file)| in_folder(&file.path, names));
        found.map(|(at, _)| self.place(at, 1)).collect()
    }

    pub(super) fn symbols(&self, kinds: &[ChunkKind], is_one: impl Fn(&str) -> bool) -> Vec<Place> {
        let own = |(at, file): (FileIx, &'a SourceFile)| {
            let symbols = file.symbols.iter();
            let found = symbols.filter(|symbol| kinds.contains(&symbol.kind) && is_one(&symbol.name));
            found.map(|symbol| self.place(at, symbol.line)).collect::<Vec<Place>>()
        };
        self.code().flat_map(own).collect()
    }

    /// Types whose names end so, with their files.
    fn types(&self, ends: &[&str]) -> Vec<(FileIx, &'a Symbol)> {
        let own = |(at, file): (FileIx, &'a SourceFile)| {
            let is_one =
                move |symbol: &&Symbol| TYPES.contains(&symbol.kind) && ends_with(&symbol.name, ends);
            file.symbols.iter().filter(is_one).map(move |symbol| (at, symbol))
        };
        self.code().flat_map(own).collect()
    }

    /// Declared packages, by the manifests that declare them.
    pub(super) fn packages(&self, words: &[&str]) -> Vec<Place> {
        let declared =
            self.analysis.packages.declared.iter().filter(|declared| has_word(&declared.name, words));
        let places: BTreeSet<Place> =
            declared.map(|declared| Place { file: declared.manifest.clone(), line: 1 }).collect();
        places.into_iter().collect()
    }

    /// The first use of such a package in each file.
    pub(super) fn imports(&self, words: &[&str]) -> Vec<Place> {
        let mut found: BTreeMap<FileIx, u32> = BTreeMap::new();
        for used in self.analysis.graph.packages.iter().filter(|used| !self.file(used.file).is_test) {
            let declared = used.package.map(|package| &self.analysis.packages.declared[package]);
            if declared.is_some_and(|declared| has_word(&declared.name, words)) {
                found.entry(used.file).or_insert(used.line);
            }
        }
        found.into_iter().map(|(file, line)| self.place(file, line)).collect()
    }

    /// Files of the first folders that use the second, when those back are less than a tenth of them.
    pub(super) fn one_way(&self, above: &[&str], below: &[&str]) -> Vec<Place> {
        let is_in = |file: FileIx, names: &[&str]| in_folder(&self.file(file).path, names);
        let (mut down, mut up) = (BTreeMap::new(), BTreeSet::new());
        for edge in self.edges() {
            let from_above = is_in(edge.from, above) && !is_in(edge.from, below);
            let from_below = is_in(edge.from, below) && !is_in(edge.from, above);
            if from_above && is_in(edge.to, below) && !is_in(edge.to, above) {
                down.entry(edge.from).or_insert(edge.line);
            } else if from_below && is_in(edge.to, above) && !is_in(edge.to, below) {
                up.insert(edge.from);
            }
        }
        if up.len() * 10 > down.len() {
            return Vec::new();
        }
        down.into_iter().map(|(file, line)| self.place(file, line)).collect()
    }

    pub(super) fn kinds(&self, ends: &[&str]) -> Vec<Place> {
        let types = self.types(ends);
        let bases = by_file(&types);
        let is_kind = |kind: &Symbol, base: &Symbol| {
            base.kind == ChunkKind::Interface
                || kind.name.len() > base.name.len() && kind.name.ends_with(&base.name)
        };
        let has_base = |(file, kind): &&(FileIx, &Symbol)| {
            self.uses.get(file).into_iter().flat_map(BTreeMap::keys).any(|to| {
                let bases = bases.get(to).into_iter().flatten();
                bases.clone().any(|base| is_kind(kind, base) && self.names(*file, *to, bare(&base.name)))
            })
        };
        types.iter().filter(has_base).map(|(file, kind)| self.place(*file, kind.line)).collect()
    }

    pub(super) fn users(&self, ends: &[&str]) -> Vec<Place> {
        let types = self.types(ends);
        let defined = by_file(&types);
        let mut found: BTreeMap<FileIx, u32> = BTreeMap::new();
        for edge in self.edges().filter(|edge| !defined.contains_key(&edge.from)) {
            let types = defined.get(&edge.to).into_iter().flatten();
            if types.clone().any(|used| self.names(edge.from, edge.to, bare(&used.name))) {
                found.entry(edge.from).or_insert(edge.line);
            }
        }
        found.into_iter().map(|(file, line)| self.place(file, line)).collect()
    }

    pub(super) fn made(&self, ends: &[&str]) -> Vec<Place> {
        let mut named: BTreeMap<&str, Vec<FileIx>> = BTreeMap::new();
        for (file, source) in self.code() {
            for symbol in source.symbols.iter().filter(|symbol| TYPES.contains(&symbol.kind)) {
                named.entry(bare(&symbol.name)).or_default().push(file);
            }
        }
        let uses = |from: FileIx, to: FileIx| self.uses.get(&from).is_some_and(|used| used.contains_key(&to));
        let is_made = |(file, symbol): &(FileIx, &Symbol)| {
            let name = bare(&symbol.name);
            let end = ends.iter().find(|end| name.ends_with(**end));
            let made = end.map(|end| &name[..name.len() - end.len()]).filter(|made| !made.is_empty());
            match made {
                Some(made) => named
                    .get(made)
                    .into_iter()
                    .flatten()
                    .any(|&other| other == *file || uses(*file, other) || uses(other, *file)),
                // `Builder` inside of what it builds.
                None => symbol.parent.as_deref().is_some_and(|parent| {
                    named.contains_key(parent.rsplit(['.', ':']).next().unwrap_or(parent))
                }),
            }
        };
        let types = self.types(ends);
        types.iter().filter(|one| is_made(one)).map(|(file, symbol)| self.place(*file, symbol.line)).collect()
    }

    pub(super) fn between(&self, from: &[&str], to: &[&str]) -> Vec<Place> {
        let (from, to) = (self.types(from), self.types(to));
        let (from, to) = (by_file(&from), by_file(&to));
        let edges = self.edges().filter(|edge| {
            let used = to.get(&edge.to).filter(|_| from.contains_key(&edge.from));
            used.into_iter().flatten().any(|used| self.names(edge.from, edge.to, bare(&used.name)))
        });
        edges.map(|edge| self.place(edge.from, edge.line)).collect()
    }

    /// The files of such folders that the one file uses that uses most of them and lies outside.
    pub(super) fn together(&self, names: &[&str]) -> Vec<Place> {
        let is_in = |file: FileIx| in_folder(&self.file(file).path, names);
        let mut most: Vec<Place> = Vec::new();
        for (&from, used) in self.uses.iter().filter(|(from, _)| !is_in(**from)) {
            let inside = used.values().filter(|edge| is_in(edge.to));
            let places: Vec<Place> = inside.map(|edge| self.place(from, edge.line)).collect();
            if places.len() > most.len() {
                most = places;
            }
        }
        most
    }

    /// Files outside of both groups of folders that both use.
    pub(super) fn shared(&self, one: &[&str], other: &[&str]) -> Vec<Place> {
        let is_in = |file: FileIx, names: &[&str]| in_folder(&self.file(file).path, names);
        let used_by = |names: &[&str], others: &[&str]| -> BTreeSet<FileIx> {
            let edges = self.edges().filter(|edge| is_in(edge.from, names) && !is_in(edge.from, others));
            edges.map(|edge| edge.to).filter(|&to| !is_in(to, names) && !is_in(to, others)).collect()
        };
        let (of_one, of_other) = (used_by(one, other), used_by(other, one));
        of_one.intersection(&of_other).map(|&file| self.place(file, 1)).collect()
    }
}

fn by_file<'s>(types: &[(FileIx, &'s Symbol)]) -> BTreeMap<FileIx, Vec<&'s Symbol>> {
    let mut found: BTreeMap<FileIx, Vec<&Symbol>> = BTreeMap::new();
    for (file, symbol) in types {
        found.entry(*file).or_default().push(symbol);
    }
    found
}

fn in_folder(path: &str, names: &[&str]) -> bool {
    folder(path).split('/').any(|part| names.iter().any(|name| part.eq_ignore_ascii_case(name)))
}

fn has_word(name: &str, words: &[&str]) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part)) || words.contains(&name)
}

/// A name without its type parameters.
fn bare(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

pub(super) fn ends_with(name: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| bare(name).ends_with(end))
}

/// Whether a name is a word, or begins with it.
pub(super) fn starts_with_word(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| {
        rest.is_empty() || word.ends_with('_') || rest.starts_with(|c: char| c.is_uppercase() || c == '_')
    })
}
