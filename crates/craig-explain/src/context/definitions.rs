//! The definitions of a file: its names, or its outline in languages whose names are not read.

use std::collections::BTreeSet;

use craig_chunk::names::{self, DefinitionKind, Export, GLOBAL, Names, Site, Source, Traits, Value};
use craig_chunk::{ChunkKind, Outline, Symbol, chunk};
use craig_source::Language;
use craig_text::is_identifier_char;

use super::distinct;

/// Maximum number of ancestors and of aliases to keep.
const MAX_ANCESTORS: usize = 4;
const MAX_ALIASES: usize = 4;

/// The name of what a file exports unnamed.
const UNNAMED: &str = "default";

/// What a file defines and imports.
pub(super) struct File {
    /// Those that enclose others come first.
    pub(super) definitions: Vec<Definition>,
    /// Modules that it imports, in order.
    pub(super) imports: Vec<String>,
    /// Names that it imports.
    pub(super) imported: BTreeSet<String>,
    /// Its names; empty if they are not read.
    names: Names,
}

/// A definition of a file.
pub(super) struct Definition {
    /// Its index in the names of the file.
    at: usize,
    pub(super) name: String,
    pub(super) kind: ChunkKind,
    /// Line of the name, 1-based.
    pub(super) line: usize,
    /// Last line, 1-based.
    pub(super) line_end: usize,
    /// Index of the definition that encloses it.
    parent: Option<usize>,
    /// The name of what it belongs to.
    pub(super) owner: Option<String>,
    /// Whether it is inside a function.
    is_local: bool,
}

impl File {
    pub(super) fn read(language: Language, text: &str) -> Self {
        let names = names::names(language, text);
        // The first definition of a component is the file itself.
        let n_whole = usize::from(language.is_component());
        if names.definitions.len() <= n_whole {
            Self::of_outline(&chunk(language, text))
        } else {
            Self::of_names(names, n_whole)
        }
    }

    /// The definitions of names without the first `n_left_out`.
    fn of_names(names: Names, n_left_out: usize) -> Self {
        let imported = names.imports.iter().filter_map(|import| import.local);
        Self {
            definitions: (n_left_out..names.definitions.len())
                .map(|at| Definition::of_names(&names, at, n_left_out))
                .collect(),
            imports: distinct(names.imports.iter().map(|import| names.text(import.module))),
            imported: imported.map(|name| names.text(name).to_owned()).collect(),
            names,
        }
    }

    fn of_outline(outline: &Outline) -> Self {
        let mut definitions: Vec<Definition> = Vec::with_capacity(outline.symbols.len());
        for symbol in &outline.symbols {
            let above = |of: &&Definition| of.parent.map(|at| &definitions[at]);
            let mut enclosing = std::iter::successors(definitions.last(), above);
            let parent = enclosing.find(|of| of.line_end >= symbol.line_end as usize).map(|of| of.at);
            definitions.push(Definition::of_symbol(symbol, definitions.len(), parent));
        }
        let imported = outline.imports.iter().flat_map(|import| import.names.iter().cloned());
        Self {
            definitions,
            imports: distinct(outline.imports.iter().map(|import| import.target.as_str())),
            imported: imported.collect(),
            names: Names::default(),
        }
    }

    /// Number of definitions that enclose one.
    pub(super) fn depth(&self, definition: &Definition) -> usize {
        // What encloses another precedes it: this ends.
        let above = |of: &&Definition| of.parent.and_then(|at| self.definitions.get(at));
        std::iter::successors(above(&definition), above).take(self.definitions.len()).count()
    }

    /// Names of what belongs to the same owner as a definition.
    pub(super) fn siblings(&self, definition: &Definition) -> Vec<String> {
        let is_sibling = |other: &&Definition| {
            other.name != definition.name
                && !other.name.starts_with(['#', '_'])
                && (&other.owner, other.is_local) == (&definition.owner, definition.is_local)
        };
        distinct(self.definitions.iter().filter(is_sibling).map(|sibling| sibling.name.as_str()))
    }

    /// What the owner of a definition extends or implements; for an extension, also the type that holds it.
    pub(super) fn ancestors(&self, definition: &Definition) -> Vec<String> {
        let Some(of) = self.names.definitions.get(definition.at) else { return Vec::new() };
        let owner = definition.owner.as_deref();
        let around = of.parent.map(|at| &self.names.definitions[at as usize]);
        let holder = around.filter(|around| of.owner.is_some() && around.kind.is_type());
        let is_owner = |of: &&names::Definition| of.kind.is_type() && Some(self.names.text(of.name)) == owner;
        // A member of an `impl` has the trait of that.
        let own = Some(of).filter(|of| of.owner.is_some());
        let with_supers = own.into_iter().chain(around).chain(self.names.definitions.iter().filter(is_owner));
        let supers = with_supers.flat_map(|of| &of.supers).filter_map(|of| type_name(&self.names, *of));
        let named = holder.map(|of| self.names.text(of.name)).into_iter().chain(supers);
        let mut found = distinct(named.filter(|name| Some(*name) != owner));
        found.truncate(MAX_ANCESTORS);
        found
    }

    /// Other names under which the file exports a definition, and its name without underscores at the ends.
    pub(super) fn aliases(&self, definition: &Definition) -> Vec<String> {
        let name = definition.name.as_str();
        let exported = exports(&self.names, definition.at).map(|export| self.names.text(export.name));
        let is_other = |alias: &&str| {
            ![name, UNNAMED, GLOBAL, ""].contains(alias) && alias.chars().all(is_identifier_char)
        };
        let mut found = distinct(exported.chain([name.trim_matches('_')]).filter(is_other));
        found.truncate(MAX_ALIASES);
        found
    }
}

impl Definition {
    fn of_names(names: &Names, at: usize, n_left_out: usize) -> Self {
        let of = &names.definitions[at];
        let around = of.parent.map(|parent| names.text(names.definitions[parent as usize].name));
        // `Shape` of `void Shape::draw()` and of `fun Shape.draw()`.
        let receiver = of.owner.and_then(|owner| names.text(owner).rsplit("::").next());
        let owner = receiver.or(around.filter(|name| *name != UNNAMED));
        Self {
            at,
            name: names.text(of.name).trim_start_matches('#').to_owned(),
            kind: kind_of(of.kind),
            line: of.line as usize,
            line_end: of.line_end.max(of.line) as usize,
            parent: of.parent.and_then(|parent| (parent as usize).checked_sub(n_left_out)),
            owner: owner.map(str::to_owned),
            is_local: of.traits.has(Traits::LOCAL),
        }
    }

    fn of_symbol(symbol: &Symbol, at: usize, parent: Option<usize>) -> Self {
        // `defmodule A.B`
        let (above, name) = match symbol.name.rsplit_once('.') {
            Some((above, name)) => (Some(above), name),
            None => (None, symbol.name.as_str()),
        };
        let last = |path: &str| path.rsplit(['.', ':', '#']).find(|part| !part.is_empty()).map(str::to_owned);
        Self {
            at,
            name: name.to_owned(),
            kind: symbol.kind,
            line: symbol.line as usize,
            line_end: symbol.line_end as usize,
            parent,
            owner: symbol.parent.as_deref().or(above).and_then(last),
            is_local: false,
        }
    }
}

/// The name of a type that a value is; of a generic type that is applied, of that.
fn type_name(names: &Names, value: Value) -> Option<&str> {
    let name = match value {
        Value::Choice(at) => return type_name(names, names.choices.get(at as usize)?.values()[0]),
        Value::Itself(Source::Occurrence(at)) | Value::Instance(Source::Occurrence(at)) => {
            names.occurrences.get(at as usize)?.name
        }
        Value::Itself(Source::Definition(at)) | Value::Instance(Source::Definition(at)) => {
            names.definitions.get(at as usize)?.name
        }
        _ => return None,
    };
    Some(names.text(name))
}

/// The exports of the definition with an index, also by an assignment: `exports.run = go`.
fn exports(names: &Names, at: usize) -> impl Iterator<Item = &Export> {
    let of = names.definitions.get(at).filter(|of| of.parent.is_none() && !of.traits.has(Traits::LOCAL));
    let is_occurrence = move |value: Value| {
        let Value::Itself(Source::Occurrence(other)) = value else { return false };
        let other = names.occurrences.get(other as usize).filter(|other| other.site == Site::Bare);
        of.is_some_and(|of| other.is_some_and(|other| other.name == of.name))
    };
    names.exports.iter().filter(move |export| match export.value {
        Value::Itself(Source::Definition(exported)) => {
            let exported = exported as usize;
            exported == at || names.definitions.get(exported).is_some_and(|of| is_occurrence(of.value))
        }
        value => is_occurrence(value),
    })
}

fn kind_of(kind: DefinitionKind) -> ChunkKind {
    match kind {
        DefinitionKind::Function | DefinitionKind::Macro => ChunkKind::Function,
        DefinitionKind::Method | DefinitionKind::Constructor => ChunkKind::Method,
        DefinitionKind::Class => ChunkKind::Class,
        DefinitionKind::Interface => ChunkKind::Interface,
        DefinitionKind::Enum => ChunkKind::Enum,
        DefinitionKind::Type => ChunkKind::Type,
        DefinitionKind::Module => ChunkKind::Module,
        DefinitionKind::Field
        | DefinitionKind::EnumMember
        | DefinitionKind::Variable
        | DefinitionKind::Constant => ChunkKind::Constant,
    }
}
