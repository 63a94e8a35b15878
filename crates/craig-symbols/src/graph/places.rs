//! What of the graph is in a file, and which definitions are one symbol.

use std::ops::RangeInclusive;

use craig_chunk::names::{DefinitionKind, Role, Traits};
use craig_source::Language;
use rayon::prelude::*;

use super::{SymbolDefinition, SymbolGraph, SymbolIx, SymbolReference};

/// Definitions around a definition that are looked at: a type in a type of its own name may enclose itself.
const MAX_ENCLOSING: usize = 32;

impl SymbolGraph {
    /// The index of the file of a path.
    pub fn file(&self, path: &str) -> Option<u32> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| at as u32)
    }

    /// A definition.
    pub fn definition(&self, at: SymbolIx) -> &SymbolDefinition {
        &self.definitions[at as usize]
    }

    /// The definitions of a file, each after what encloses it.
    pub fn definitions_in(&self, file: u32) -> impl Iterator<Item = SymbolIx> + use<> {
        let start = self.definitions.partition_point(|definition| definition.file < file);
        let end = self.definitions.partition_point(|definition| definition.file <= file);
        start as SymbolIx..end as SymbolIx
    }

    /// The innermost definition around a line of a file.
    pub fn definition_around(&self, file: u32, line: u32) -> Option<SymbolIx> {
        let lines = |at: SymbolIx| self.definition(at).line_start..=self.definition(at).line_end;
        let around = self.definitions_in(file).filter(|&at| lines(at).contains(&line));
        around.min_by_key(|&at| lines(at).end().saturating_sub(*lines(at).start()))
    }

    /// Definitions of a name, by file and place.
    pub fn named(&self, name: &str) -> &[SymbolIx] {
        let name_of = |at: SymbolIx| self.definition(at).name.as_str();
        let order = self.by_name.get_or_init(|| {
            let mut order: Vec<SymbolIx> = (0..self.definitions.len() as SymbolIx).collect();
            order.par_sort_unstable_by(|&a, &b| name_of(a).cmp(name_of(b)).then(a.cmp(&b)));
            order
        });
        let start = order.partition_point(|&at| name_of(at) < name);
        let end = order.partition_point(|&at| name_of(at) <= name);
        &order[start..end]
    }

    /// References in lines of a file, by place.
    pub fn references_in(
        &self,
        file: u32,
        lines: RangeInclusive<u32>,
    ) -> impl Iterator<Item = &SymbolReference> {
        let order = self.by_place.get_or_init(|| {
            // A place and the index in one number, which sorts without reading the references again. These are by symbol.
            let key = |(found, at): (&SymbolReference, u32)| {
                let [file, line, column, at] = [found.file, found.line, found.column, at].map(u128::from);
                file << 96 | line << 64 | column << 32 | at
            };
            let mut keys: Vec<u128> = self.references.iter().zip(0..).map(key).collect();
            keys.par_sort_unstable();
            keys.into_iter().map(|key| key as u32).collect()
        });
        let place = |at: u32| {
            let found = &self.references[at as usize];
            (found.file, found.line)
        };
        let start = order.partition_point(|&at| place(at) < (file, *lines.start()));
        let end = order.partition_point(|&at| place(at) <= (file, *lines.end()));
        order[start..end.max(start)].iter().map(|&at| &self.references[at as usize])
    }

    /// References inside of a definition, also inside of what it encloses.
    pub fn references_within(&self, symbol: SymbolIx) -> impl Iterator<Item = &SymbolReference> {
        let definition = self.definition(symbol);
        self.references_in(definition.file, definition.line_start..=definition.line_end).filter(
            move |found| found.within.is_some_and(|within| self.enclosing(within).any(|at| at == symbol)),
        )
    }

    /// Whether a reference is the definition of what overrides or implements the symbol.
    pub fn is_definition(&self, reference: &SymbolReference) -> bool {
        reference.within.is_some_and(|within| {
            let definition = self.definition(within);
            (definition.line, definition.column) == (reference.line, reference.column)
        })
    }

    /// Members of supertypes and interfaces that a member overrides or implements.
    pub fn overridden(&self, member: SymbolIx) -> impl Iterator<Item = SymbolIx> {
        let definition = self.definition(member);
        self.references_in(definition.file, definition.line..=definition.line)
            .filter(|found| found.role == Role::Override && found.column == definition.column)
            .map(|found| found.symbol)
    }

    /// A definition and what encloses it, innermost first.
    pub fn enclosing(&self, symbol: SymbolIx) -> impl Iterator<Item = SymbolIx> {
        let parent = |&at: &SymbolIx| self.definition(at).parent;
        std::iter::successors(Some(symbol), parent).take(MAX_ENCLOSING)
    }

    /// The function that runs the code of a definition: the innermost around it. Outside of functions it is the definition itself.
    pub fn run_by(&self, symbol: SymbolIx) -> SymbolIx {
        let is_function = |at: &SymbolIx| self.definition(*at).kind.is_callable();
        self.enclosing(symbol).find(is_function).unwrap_or(symbol)
    }

    /// All definitions of the symbol that a definition is of: overloads, prototypes, the parts of a type.
    pub fn parts(&self, of: SymbolIx) -> Vec<SymbolIx> {
        let named = self.named(&self.definition(of).name);
        let is_part = |&at: &SymbolIx| at == of || (self.has_one_path(of, at) && self.is_one(of, at));
        named.iter().copied().filter(is_part).collect()
    }

    /// The same without other overloads, in the languages where the number of arguments tells calls of them apart.
    pub fn parts_of_overload(&self, of: SymbolIx) -> Vec<SymbolIx> {
        let mut parts = self.parts(of);
        parts.retain(|&at| at == of || !self.is_other_overload(of, at));
        parts
    }

    fn is_other_overload(&self, a: SymbolIx, b: SymbolIx) -> bool {
        let (a, b) = (self.definition(a), self.definition(b));
        if ![a, b].iter().all(|of| of.kind.is_callable()) {
            return false;
        }
        match self.files[a.file as usize].language {
            Language::Java | Language::Kotlin | Language::CSharp => {
                a.file == b.file && ![a, b].iter().any(|of| of.traits.has(Traits::DECLARATION))
            }
            Language::C | Language::Cpp | Language::ObjectiveC | Language::Cuda => {
                a.arity.zip(b.arity).is_some_and(|(a, b)| a != b)
            }
            _ => false,
        }
    }

    /// Whether a definition is of a test: of a file of tests, or of a module of tests inside of a Rust file.
    pub fn is_test(&self, at: SymbolIx) -> bool {
        let file = &self.files[self.definition(at).file as usize];
        let is_module_of_tests = |at: SymbolIx| {
            let definition = self.definition(at);
            definition.kind == DefinitionKind::Module && craig_text::is_test_module(&definition.name)
        };
        file.is_test || file.language == Language::Rust && self.enclosing(at).any(is_module_of_tests)
    }

    /// Whether two definitions have the same qualified name.
    fn has_one_path(&self, a: SymbolIx, b: SymbolIx) -> bool {
        let names = |of| self.enclosing(of).map(|at| self.definition(at).name.as_str());
        names(a).eq(names(b))
    }

    /// Whether two definitions of one qualified name are of one symbol.
    fn is_one(&self, a: SymbolIx, b: SymbolIx) -> bool {
        let (a, b) = (self.definition(a), self.definition(b));
        let language = |of: &SymbolDefinition| self.files[of.file as usize].language;
        if a.file == b.file {
            // A field may have the name of a method. A component of a record is both.
            let has_separate_names = matches!(
                language(a),
                Language::Java | Language::Kotlin | Language::CSharp | Language::Php | Language::Rust
            );
            let is_one_place = (a.line, a.column) == (b.line, b.column);
            return !has_separate_names || is_one_place || a.kind.is_callable() == b.kind.is_callable();
        }
        let is_header_language = |language| {
            matches!(language, Language::C | Language::Cpp | Language::ObjectiveC | Language::Cuda)
        };
        let are_c = is_header_language(language(a)) && is_header_language(language(b));
        if language(a) != language(b) && !are_c {
            return false;
        }
        let are_types = [a, b].iter().all(|of| of.kind.is_type() || of.kind == DefinitionKind::Module);
        let is_partial =
            |of: &SymbolDefinition| of.traits.has(Traits::DECLARATION) || of.traits.has(Traits::EXTENSION);
        // `static` functions of two files.
        if are_c && [a, b].iter().any(|of| of.traits.has(Traits::PRIVATE)) {
            return false;
        }
        match language(a) {
            // Build tags choose between files of a package.
            Language::Go => {
                let path = |of: &SymbolDefinition| self.files[of.file as usize].path.as_str();
                craig_text::path::folder(path(a)) == craig_text::path::folder(path(b))
            }
            Language::Ruby if are_types => true,
            // The parts of a partial class are of one namespace.
            Language::CSharp if are_types => {
                let package = |of: &SymbolDefinition| &self.files[of.file as usize].package;
                package(a) == package(b)
            }
            _ => is_partial(a) || is_partial(b),
        }
    }
}
