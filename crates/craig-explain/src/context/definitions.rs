//! What a file defines, from the one reading of it: names where its language has them, else the outline.

use craig_chunk::names::{Definition, DefinitionIx, DefinitionKind, Names, Source, Traits, Value};
use craig_chunk::{ChunkKind, Outline, Symbol};

/// A definition of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Defined {
    pub(super) name: String,
    /// What it belongs to.
    pub(super) owner: Option<String>,
    pub(super) kind: Option<ChunkKind>,
    /// Line of the name, first and last line, from 1.
    pub(super) line: usize,
    pub(super) lines: (usize, usize),
    /// How many definitions enclose it.
    pub(super) depth: usize,
    pub(super) is_exported: bool,
    pub(super) is_private: bool,
    /// What its owner extends and implements.
    pub(super) ancestors: Vec<String>,
    /// Other names that the file exports it under.
    pub(super) aliases: Vec<String>,
}

impl Defined {
    /// Whether a line is one of it.
    pub(super) fn holds(&self, lines: (usize, usize)) -> bool {
        self.lines.0 <= lines.1 && self.lines.1 >= lines.0
    }

    pub(super) fn is_function(&self) -> bool {
        matches!(self.kind, Some(ChunkKind::Function | ChunkKind::Method))
    }

    pub(super) fn is_type(&self) -> bool {
        matches!(self.kind, Some(ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum))
    }
}

/// The definitions of a file, in file order.
pub(super) fn definitions(outline: &Outline) -> Vec<Defined> {
    let names = &outline.names;
    let mut found: Vec<Defined> = names
        .definitions
        .iter()
        .enumerate()
        .map(|(at, of)| from_names(names, at as DefinitionIx, of))
        .collect();
    let outlined: Vec<Defined> = outline.symbols.iter().map(from_outline).collect();
    for symbol in outlined {
        match found.iter_mut().find(|known| known.line == symbol.line && known.name == symbol.name) {
            Some(known) => known.owner = known.owner.take().or(symbol.owner),
            None => found.push(symbol),
        }
    }
    found.sort_by_key(|of| (of.line, of.depth));
    found
}

fn from_names(names: &Names, at: DefinitionIx, of: &Definition) -> Defined {
    let parents: Vec<&Definition> =
        std::iter::successors(of.parent, |&parent| names.definitions[parent as usize].parent)
            .map(|parent| &names.definitions[parent as usize])
            .collect();
    let written = of.owner.map(|owner| names.text(owner));
    let around =
        parents.first().filter(|parent| !parent.kind.is_callable()).map(|parent| names.text(parent.name));
    let owner = written.or(around).map(last_part).map(str::to_owned);
    let name = names.text(of.name).trim_start_matches('#').to_owned();
    let supers = parents.first().map(|parent| &parent.supers).into_iter().flatten().chain(&of.supers);
    let is_exported = |of: &Definition| of.traits.has(Traits::EXPORTED);
    let exports: Vec<&str> = names
        .exports
        .iter()
        .filter(|export| refers_to(export.value, at))
        .map(|export| names.text(export.name))
        .collect();
    let outermost = parents.last().map(|last| names.text(last.name)).unwrap_or(&name).to_owned();
    let is_listed = names.exports.iter().any(|export| names.text(export.name) == outermost);
    let mut aliases: Vec<String> = exports
        .iter()
        .filter(|other| is_identifier(other) && **other != name)
        .map(|&other| other.to_owned())
        .collect();
    aliases.extend(bare(&name));
    Defined {
        is_exported: is_exported(of)
            || parents.iter().any(|parent| is_exported(parent))
            || !exports.is_empty()
            || is_listed,
        is_private: of.traits.has(Traits::PRIVATE) || names.text(of.name).starts_with(['#', '_']),
        ancestors: distinct(supers.filter_map(|value| super_name(names, *value))),
        kind: Some(kind_of(of.kind, owner.is_some())),
        line: of.line as usize,
        lines: ((of.line_start.min(of.line)) as usize, of.line_end.max(of.line) as usize),
        depth: parents.len(),
        owner,
        name,
        aliases,
    }
}

fn from_outline(symbol: &Symbol) -> Defined {
    let written = symbol.name.trim_start_matches('#');
    // `defmodule A.B`
    let (above, name) = written.rsplit_once('.').map_or((None, written), |(above, name)| (Some(above), name));
    let parent = symbol.parent.as_deref().unwrap_or_default();
    let parts = || parent.split(['.', ':', '#']).filter(|part| !part.is_empty());
    let owner = parts().rfind(|part| *part != "prototype").or(above.map(last_part));
    Defined {
        name: name.to_owned(),
        owner: owner.map(str::to_owned),
        kind: Some(symbol.kind),
        line: symbol.line as usize,
        lines: (symbol.line as usize, symbol.line_end.max(symbol.line) as usize),
        depth: parts().count(),
        is_private: symbol.name.starts_with(['#', '_']),
        aliases: bare(name).into_iter().collect(),
        ..Defined::default()
    }
}

/// A name without the underscores around it.
fn bare(name: &str) -> Option<String> {
    let bare = name.trim_matches('_');
    (!bare.is_empty() && bare != name).then(|| bare.to_owned())
}

fn is_identifier(name: &str) -> bool {
    name != "default" && name.chars().all(craig_text::is_identifier_char)
}

fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '\\']).next().unwrap_or(name)
}

fn kind_of(kind: DefinitionKind, has_owner: bool) -> ChunkKind {
    match kind {
        DefinitionKind::Function if !has_owner => ChunkKind::Function,
        DefinitionKind::Macro => ChunkKind::Function,
        DefinitionKind::Function | DefinitionKind::Method | DefinitionKind::Constructor => ChunkKind::Method,
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

/// What a value is made from.
fn source(value: Value) -> Option<Source> {
    match value {
        Value::Itself(source) | Value::Called(source) | Value::Instance(source) => Some(source),
        _ => None,
    }
}

fn refers_to(value: Value, at: DefinitionIx) -> bool {
    matches!(value, Value::Itself(Source::Definition(of)) if of == at)
}

/// What a type that another extends or implements is called.
fn super_name(names: &Names, value: Value) -> Option<String> {
    let name = match source(value)? {
        Source::Occurrence(at) => names.occurrences.get(at as usize)?.name,
        Source::Definition(at) => names.definitions.get(at as usize)?.name,
    };
    Some(last_part(names.text(name)).to_owned()).filter(|name| !name.is_empty())
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
