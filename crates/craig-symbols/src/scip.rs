//! The graph as a SCIP index, the format in which code intelligence is exchanged. Source: github.com/scip-code/scip.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ::scip::symbol::format_symbol;
use ::scip::types::descriptor::Suffix;
use ::scip::types::symbol_information::Kind;
use ::scip::types::{
    Descriptor, Document, Index, Metadata, Occurrence, Package, PositionEncoding, Relationship, Symbol,
    SymbolInformation, SymbolRole, TextEncoding, ToolInfo,
};
use craig_chunk::names::{DefinitionKind, Role, Traits};
use protobuf::{EnumOrUnknown, Message, MessageField};

use super::{SymbolGraph, SymbolIx, SymbolReference};

/// What made the index.
pub(super) const TOOL: &str = "craig";

/// Where the index was made.
#[derive(Clone, Copy, Debug)]
pub struct ScipOrigin<'a> {
    /// Name of the project: the package of its symbols.
    pub project: &'a str,
    /// URI of its directory.
    pub root: &'a str,
    /// Version of Craig.
    pub version: &'a str,
}

/// A SCIP index and what is in it.
#[derive(Clone, Debug)]
pub struct ScipIndex {
    /// The index, as it is written into a file.
    pub bytes: Vec<u8>,
    /// Files in it.
    pub documents: u64,
    /// Symbols.
    pub symbols: u64,
    /// Places that define a symbol or refer to one.
    pub occurrences: u64,
}

impl SymbolGraph {
    /// A SCIP index. `text` gives the text of a file by its path; references below `min_confidence` percent are
    /// left out. Columns are bytes of UTF-8.
    pub fn scip(
        &self,
        origin: ScipOrigin<'_>,
        min_confidence: u8,
        mut text: impl FnMut(&str) -> Option<String>,
    ) -> ScipIndex {
        let export = Export { graph: self, names: self.scip_names(origin.project) };
        let mut by_file: Vec<Vec<&SymbolReference>> = vec![Vec::new(); self.files.len()];
        for reference in self.references.iter().filter(|found| found.confidence >= min_confidence) {
            by_file[reference.file as usize].push(reference);
        }
        let mut definitions: Vec<Vec<SymbolIx>> = vec![Vec::new(); self.files.len()];
        for (at, definition) in self.definitions.iter().enumerate() {
            definitions[definition.file as usize].push(at as SymbolIx);
        }
        let documents =
            (0..self.files.len()).filter(|&file| !definitions[file].is_empty() || !by_file[file].is_empty());
        let documents = documents.filter_map(|file| {
            let text = text(&self.files[file].path)?;
            Some(export.document(file, &text, &definitions[file], &by_file[file]))
        });
        let mut documents: Vec<Document> = documents.collect();
        leave_out_unknown(&mut documents);
        let index = Index { metadata: metadata(origin), documents, ..Index::default() };
        let count =
            |of: fn(&Document) -> usize| index.documents.iter().map(|document| of(document) as u64).sum();
        ScipIndex {
            documents: index.documents.len() as u64,
            symbols: count(|document| document.symbols.len()),
            occurrences: count(|document| document.occurrences.len()),
            bytes: index.write_to_bytes().unwrap_or_default(),
        }
    }

    /// The symbol of each definition, as text.
    fn scip_names(&self, project: &str) -> Vec<String> {
        // A space ends the name of a package, two are one in it.
        let project = project.replace(' ', "  ");
        let mut taken: BTreeMap<String, u32> = BTreeMap::new();
        let mut names = Vec::with_capacity(self.definitions.len());
        for (at, definition) in self.definitions.iter().enumerate() {
            if definition.traits.has(Traits::LOCAL) {
                names.push(format!("local {at}"));
                continue;
            }
            let mut symbol = Symbol {
                scheme: "craig".to_owned(),
                package: MessageField::some(Package { name: project.clone(), ..Package::default() }),
                descriptors: self.descriptors(at as SymbolIx),
                ..Symbol::default()
            };
            let name = format_symbol(symbol.clone());
            let n_before = taken.entry(name.clone()).or_default();
            *n_before += 1;
            // Overloads get a number; other definitions of one name in one place are one symbol.
            let is_overload = *n_before > 1 && suffix(definition.kind) == Suffix::Method;
            names.push(match symbol.descriptors.last_mut().filter(|_| is_overload) {
                Some(last) => {
                    last.disambiguator = format!("+{}", *n_before - 1);
                    format_symbol(symbol)
                }
                None => name,
            });
        }
        names
    }

    /// The path of a definition: folders and file, what encloses it, itself.
    fn descriptors(&self, at: SymbolIx) -> Vec<Descriptor> {
        let definition = &self.definitions[at as usize];
        let mut outer = match definition.parent {
            // A function is no namespace: what is in it hangs on its name.
            Some(parent) => self.descriptors(parent),
            None => self.files[definition.file as usize]
                .path
                .split('/')
                .map(|part| descriptor(part, Suffix::Namespace))
                .collect(),
        };
        outer.push(descriptor(&definition.name, suffix(definition.kind)));
        outer
    }
}

/// Leaves out what refers to symbols of files that have no text: nothing in the index describes them.
fn leave_out_unknown(documents: &mut [Document]) {
    let all = documents.iter().flat_map(|document| &document.symbols);
    let known: HashSet<String> = all.map(|symbol| symbol.symbol.clone()).collect();
    for document in documents {
        document.occurrences.retain(|occurrence| known.contains(&occurrence.symbol));
        for symbol in &mut document.symbols {
            symbol.relationships.retain(|relation| known.contains(&relation.symbol));
        }
    }
}

fn metadata(origin: ScipOrigin<'_>) -> MessageField<Metadata> {
    MessageField::some(Metadata {
        tool_info: MessageField::some(ToolInfo {
            name: TOOL.to_owned(),
            version: origin.version.to_owned(),
            ..ToolInfo::default()
        }),
        project_root: origin.root.to_owned(),
        text_document_encoding: EnumOrUnknown::new(TextEncoding::UTF8),
        ..Metadata::default()
    })
}

fn descriptor(name: &str, suffix: Suffix) -> Descriptor {
    Descriptor { name: name.to_owned(), suffix: EnumOrUnknown::new(suffix), ..Descriptor::default() }
}

fn suffix(kind: DefinitionKind) -> Suffix {
    match kind {
        kind if kind.is_type() => Suffix::Type,
        DefinitionKind::Macro => Suffix::Macro,
        kind if kind.is_callable() => Suffix::Method,
        DefinitionKind::Module => Suffix::Namespace,
        _ => Suffix::Term,
    }
}

fn kind(kind: DefinitionKind) -> Kind {
    match kind {
        DefinitionKind::Function => Kind::Function,
        DefinitionKind::Method => Kind::Method,
        DefinitionKind::Constructor => Kind::Constructor,
        DefinitionKind::Class => Kind::Class,
        DefinitionKind::Interface => Kind::Interface,
        DefinitionKind::Enum => Kind::Enum,
        DefinitionKind::Type => Kind::TypeAlias,
        DefinitionKind::Field => Kind::Field,
        DefinitionKind::EnumMember => Kind::EnumMember,
        DefinitionKind::Variable => Kind::Variable,
        DefinitionKind::Constant => Kind::Constant,
        DefinitionKind::Module => Kind::Namespace,
        DefinitionKind::Macro => Kind::Macro,
    }
}

struct Export<'g> {
    graph: &'g SymbolGraph,
    names: Vec<String>,
}

impl Export<'_> {
    fn document(
        &self,
        file: usize,
        text: &str,
        definitions: &[SymbolIx],
        references: &[&SymbolReference],
    ) -> Document {
        let lines: Vec<&str> = text.lines().collect();
        let mut occurrences = BTreeMap::new();
        for &at in definitions {
            let definition = &self.graph.definitions[at as usize];
            let range = range(&lines, definition.line, definition.column, &definition.name);
            let enclosing = enclosing(&lines, definition.line_start, definition.line_end);
            occurrences.insert(
                (range, self.names[at as usize].as_str()),
                (SymbolRole::Definition as i32, enclosing),
            );
        }
        let mut relations: BTreeMap<(u32, u32), BTreeSet<&str>> = BTreeMap::new();
        for found in references {
            let name = self.names[found.symbol as usize].as_str();
            if self.graph.is_definition(found) {
                relations.entry((found.line, found.column)).or_default().insert(name);
                continue;
            }
            let definition = &self.graph.definitions[found.symbol as usize];
            // A local symbol is one of its own document.
            if definition.traits.has(Traits::LOCAL) && definition.file != found.file {
                continue;
            }
            let range = range(&lines, found.line, found.column, &definition.name);
            let roles = roles(found.role, self.graph.files[file].is_test);
            occurrences.entry((range, name)).or_insert((roles, Vec::new()));
        }
        let occurrences =
            occurrences.into_iter().map(|((range, symbol), (symbol_roles, enclosing_range))| {
                let (range, symbol) = (range.to_vec(), symbol.to_owned());
                Occurrence { range, symbol, symbol_roles, enclosing_range, ..Occurrence::default() }
            });
        Document {
            language: self.graph.files[file].language.label().to_owned(),
            relative_path: self.graph.files[file].path.clone(),
            occurrences: occurrences.collect(),
            symbols: self.symbols(definitions, &relations),
            position_encoding: EnumOrUnknown::new(PositionEncoding::UTF8CodeUnitOffsetFromLineStart),
            ..Document::default()
        }
    }

    fn symbols(
        &self,
        definitions: &[SymbolIx],
        relations: &BTreeMap<(u32, u32), BTreeSet<&str>>,
    ) -> Vec<SymbolInformation> {
        let mut seen = BTreeSet::new();
        let mut symbols = Vec::new();
        for &at in definitions {
            let definition = &self.graph.definitions[at as usize];
            let name = &self.names[at as usize];
            if !seen.insert(name) {
                continue;
            }
            let bases = relations.get(&(definition.line, definition.column)).into_iter().flatten();
            let relationships = bases.filter(|base| **base != name.as_str()).map(|base| Relationship {
                symbol: (*base).to_owned(),
                is_reference: true,
                is_implementation: true,
                ..Relationship::default()
            });
            let enclosing = definition.parent.filter(|_| definition.traits.has(Traits::LOCAL));
            symbols.push(SymbolInformation {
                symbol: name.clone(),
                relationships: relationships.collect(),
                kind: EnumOrUnknown::new(kind(definition.kind)),
                display_name: definition.name.clone(),
                enclosing_symbol: enclosing.map(|at| self.names[at as usize].clone()).unwrap_or_default(),
                ..SymbolInformation::default()
            });
        }
        symbols
    }
}

/// Line, first and last byte of a name: 0-based, the last exclusive. An alias stands for the name that it renames.
fn range(lines: &[&str], line: u32, column: u32, name: &str) -> [i32; 3] {
    let rest = lines.get(line as usize - 1).and_then(|text| text.get(column as usize..)).unwrap_or_default();
    let n_bytes = if rest.starts_with(name) {
        name.len()
    } else {
        rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).unwrap_or(rest.len()).max(1)
    };
    let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    [number(line as usize - 1), number(column as usize), number(column as usize + n_bytes)]
}

fn enclosing(lines: &[&str], first: u32, last: u32) -> Vec<i32> {
    let n_bytes = lines.get(last as usize - 1).map_or(0, |line| line.len());
    let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    vec![number(first as usize - 1), 0, number(last as usize - 1), number(n_bytes)]
}

fn roles(role: Role, is_test: bool) -> i32 {
    let access = match role {
        Role::Import => SymbolRole::Import as i32,
        Role::Write => SymbolRole::WriteAccess as i32,
        _ => SymbolRole::ReadAccess as i32,
    };
    access | if is_test { SymbolRole::Test as i32 } else { 0 }
}
