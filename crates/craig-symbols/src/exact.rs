//! Occurrences from a SCIP index that a compiler or language server made: they take the place of what we bound ourselves.

use std::sync::Arc;

use ::scip::symbol::parse_symbol;
use ::scip::types::occurrence::Typed_range;
use ::scip::types::{Document, Metadata, Occurrence, PositionEncoding, SymbolRole};
use craig_chunk::names::{self, DefinitionKind, Names, Role};
use craig_source::{FileStamp, Root, read_bytes, stamp};
use craig_store::{ProjectId, Store};
use protobuf::rt::skip_field_for_tag;
use protobuf::{CodedInputStream, Message as _};
use rustc_hash::{FxHashMap, FxHashSet};

use super::table::Table;
use super::{SymbolIx, SymbolReference};
use crate::SymbolError;

/// Where indexers write it, relative to the root of a project.
const SCIP_FILE: &str = "index.scip";
/// A larger index is not read, nor a larger document of one.
const MAX_BYTES: u64 = 256 << 20;
const MAX_DOCUMENT_BYTES: usize = 8 << 20;
/// How sure a compiler is, in percent.
const SURE: u8 = 100;

/// The SCIP index of a project.
#[derive(Clone, Debug)]
pub struct ScipFile {
    root: Root,
    stamp: FileStamp,
}

impl ScipFile {
    /// The index in the root of a project, if one lies there.
    pub fn find(root: &str) -> Option<Self> {
        let root = Root::open(root).ok()?;
        let stamp = stamp(&root, SCIP_FILE).ok()?;
        Some(Self { root, stamp })
    }

    /// What the file system says of it.
    pub fn stamp(&self) -> FileStamp {
        self.stamp
    }

    /// Whether it is as new as a file.
    pub(super) fn covers(&self, file: FileStamp) -> bool {
        file.modified_ns <= self.stamp.modified_ns
    }
}

/// What the SCIP index of a project says, as little of it as is needed: a message takes a hundred times as much memory as its bytes.
#[derive(Default)]
pub(super) struct Documents {
    /// Files that the index covers.
    covered: Vec<Covered>,
    /// Symbols of files that are newer, or that the project does not have.
    changed: FxHashSet<u32>,
    symbols: Vec<Arc<str>>,
    ids: FxHashMap<Arc<str>, u32>,
}

/// A file that is no newer than the index.
struct Covered {
    path: String,
    found: Vec<Found>,
}

/// An occurrence: line from 1, byte from 0, index of its symbol, SCIP's roles.
struct Found {
    line: u32,
    column: u32,
    symbol: u32,
    roles: i32,
}

impl Found {
    fn has(&self, role: SymbolRole) -> bool {
        has(self.roles, role)
    }
}

fn has(roles: i32, role: SymbolRole) -> bool {
    roles & role as i32 != 0
}

impl Documents {
    /// Reads the index of a project that is in the store. One that is damaged or too large says nothing, nor does one that
    /// Craig made, who cannot learn from it.
    pub(super) fn read(file: &ScipFile, store: &Store, project: ProjectId) -> Result<Self, SymbolError> {
        let Ok((bytes, _)) = read_bytes(&file.root, SCIP_FILE, MAX_BYTES) else { return Ok(Self::default()) };
        let tracked = store.tracked_files(project)?.into_iter();
        let covered: FxHashSet<String> =
            tracked.filter(|tracked| file.covers(tracked.stamp)).map(|tracked| tracked.path).collect();
        let mut documents = Self::default();
        let mut add = |document: Document| {
            let path = &document.relative_path;
            let text = || Ok::<_, SymbolError>(store.file_text(project, path)?.and_then(|text| text.content));
            let columns = if covered.contains(path) { Columns::new(&document, text)? } else { None };
            documents.add(document, columns);
            Ok(())
        };
        match each_document(&bytes, &mut add) {
            Ok(Some(added)) => added.map(|()| documents),
            Ok(None) | Err(_) => Ok(Self::default()),
        }
    }

    fn add(&mut self, document: Document, columns: Option<Columns>) {
        let Some(columns) = columns else {
            let is_definition = |found: &Occurrence| has(found.symbol_roles, SymbolRole::Definition);
            for found in document.occurrences.into_iter().filter(is_definition) {
                let symbol = self.id(found.symbol.into());
                self.changed.insert(symbol);
            }
            return;
        };
        let mut covered = Covered { path: document.relative_path, found: Vec::new() };
        for found in document.occurrences.into_iter().filter(|found| !found.symbol.is_empty()) {
            let Some((line, column)) = columns.place(&found) else { continue };
            let roles = found.symbol_roles;
            covered.found.push(Found { line, column, symbol: self.id(found.symbol.into()), roles });
        }
        self.covered.push(covered);
    }

    fn id(&mut self, symbol: Arc<str>) -> u32 {
        let symbols = &mut self.symbols;
        *self.ids.entry(symbol).or_insert_with_key(|symbol| {
            symbols.push(Arc::clone(symbol));
            (symbols.len() - 1) as u32
        })
    }

    /// A symbol as a key: a local one is one of its file.
    fn key(&self, file: u32, symbol: u32) -> Key {
        (self.symbols[symbol as usize].starts_with("local ").then_some(file), symbol)
    }
}

/// A symbol, with its file if it is local.
type Key = (Option<u32>, u32);

/// Field 1 and field 2 of an index, with their wire type: bytes.
const METADATA: u32 = 1 << 3 | 2;
const DOCUMENT: u32 = 2 << 3 | 2;

/// Reads the documents of an index one by one, until `add` fails; `None` if Craig made it. Those that are too large are left
/// out.
fn each_document<E>(
    bytes: &[u8],
    add: &mut impl FnMut(Document) -> Result<(), E>,
) -> protobuf::Result<Option<Result<(), E>>> {
    let mut input = CodedInputStream::from_bytes(bytes);
    while let Some(tag) = input.read_raw_tag_or_eof()? {
        match tag {
            METADATA => {
                let metadata = Metadata::parse_from_bytes(&input.read_bytes()?)?;
                if metadata.tool_info.name == super::scip::TOOL {
                    return Ok(None);
                }
            }
            DOCUMENT => {
                let bytes = input.read_bytes()?;
                if bytes.len() <= MAX_DOCUMENT_BYTES
                    && let Err(error) = add(Document::parse_from_bytes(&bytes)?)
                {
                    return Ok(Some(Err(error)));
                }
            }
            other => skip_field_for_tag(other, &mut input)?,
        }
    }
    Ok(Some(Ok(())))
}

/// A place in a file of the workspace: its index, line from 1, byte from 0.
type Place = (u32, u32, u32);

/// What a SCIP index says about files of a workspace.
#[derive(Default)]
pub(super) struct Exact {
    pub(super) references: Vec<SymbolReference>,
    /// Places that it knows.
    decided: FxHashSet<Place>,
}

impl Exact {
    /// Finds the definitions of the table that the symbols of an index are.
    pub(super) fn new(documents: &Documents, table: &Table<'_>) -> Self {
        let covered = documents.covered.iter();
        let covered = covered.filter_map(|found| Some((table.workspace.file(&found.path)? as u32, found)));
        let covered: Vec<(u32, &Covered)> = covered.collect();
        let symbols = symbols(table, documents, &covered);
        let mut exact = Self::default();
        for (file, covered) in covered {
            let known = Known::new(table, file);
            for found in covered.found.iter().filter(|found| !found.has(SymbolRole::Definition)) {
                let place = (found.line, found.column);
                let targets =
                    symbols.get(&documents.key(file, found.symbol)).map(Vec::as_slice).unwrap_or_default();
                // What refers to symbols of files that have changed since stays as we bound it.
                if documents.changed.contains(&found.symbol)
                    || targets.iter().any(|&symbol| !known.may_name(table, place, symbol))
                {
                    continue;
                }
                exact.decided.insert((file, found.line, found.column));
                let references = targets.iter().map(|&symbol| known.reference(table, symbol, found));
                exact.references.extend(references);
            }
        }
        exact
    }

    /// Whether the index says what is at the place of a reference.
    pub(super) fn decides(&self, found: &SymbolReference) -> bool {
        self.decided.contains(&(found.file, found.line, found.column))
    }
}

/// The definitions of symbols: by the place of their names, else by their names in the file.
fn symbols(
    table: &Table<'_>,
    documents: &Documents,
    covered: &[(u32, &Covered)],
) -> FxHashMap<Key, Vec<SymbolIx>> {
    let mut symbols: FxHashMap<Key, Vec<SymbolIx>> = FxHashMap::default();
    for &(file, covered) in covered {
        let offset = table.offsets[file as usize];
        let mut by_place: FxHashMap<(u32, u32), Vec<(SymbolIx, DefinitionKind)>> = FxHashMap::default();
        for (at, found) in table.files[file as usize].definitions.iter().enumerate() {
            by_place
                .entry((found.line, found.column))
                .or_default()
                .push((offset + at as SymbolIx, found.kind));
        }
        for found in covered.found.iter().filter(|found| found.has(SymbolRole::Definition)) {
            let symbol = &documents.symbols[found.symbol as usize];
            let here = by_place.get(&(found.line, found.column)).into_iter().flatten();
            let mut fitting: Vec<SymbolIx> =
                here.filter(|(_, kind)| fits(*kind, symbol)).map(|(at, _)| *at).collect();
            if fitting.is_empty() {
                fitting.extend(named(table, file, symbol));
            }
            let of_symbol = symbols.entry(documents.key(file, found.symbol)).or_default();
            fitting.retain(|at| !of_symbol.contains(at));
            of_symbol.extend(fitting);
        }
    }
    symbols
}

/// The member of a type that a symbol names, where an indexer takes another of its assignments for the first.
fn named(table: &Table<'_>, file: u32, symbol: &str) -> Option<SymbolIx> {
    let descriptors = parse_symbol(symbol).ok()?.descriptors;
    let [.., owner, member] = &descriptors[..] else { return None };
    let names = &table.files[file as usize];
    let at = names.definitions.iter().position(|found| {
        let parent = found.parent.and_then(|parent| names.definitions.get(parent as usize));
        names.text(found.name) == member.name
            && parent.is_some_and(|parent| names.text(parent.name) == owner.name)
    })?;
    Some(table.offsets[file as usize] + u32::try_from(at).ok()?)
}

/// Whether a definition of a kind may be that of a symbol, where a name defines several: the fields of a record are methods.
fn fits(kind: DefinitionKind, symbol: &str) -> bool {
    match symbol.as_bytes().last() {
        Some(b'#') => !kind.is_callable(),
        Some(b'.') if symbol.ends_with(").") => kind.is_callable() || kind == DefinitionKind::Field,
        _ => true,
    }
}

/// Columns of an index as bytes.
enum Columns {
    Bytes,
    Utf16(Vec<String>),
    Chars(Vec<String>),
}

impl Columns {
    /// `None` if the text of the document is needed and there is none.
    fn new(
        document: &Document,
        text: impl FnOnce() -> Result<Option<String>, SymbolError>,
    ) -> Result<Option<Self>, SymbolError> {
        let encoding = document.position_encoding.enum_value_or_default();
        if encoding == PositionEncoding::UTF8CodeUnitOffsetFromLineStart {
            return Ok(Some(Self::Bytes));
        }
        let Some(text) = text()? else { return Ok(None) };
        let lines = || text.lines().map(str::to_owned).collect();
        Ok(Some(match encoding {
            _ if text.is_ascii() => Self::Bytes,
            PositionEncoding::UTF32CodeUnitOffsetFromLineStart => Self::Chars(lines()),
            // What language servers count where nothing is said.
            _ => Self::Utf16(lines()),
        }))
    }

    /// Line, from 1, and byte of an occurrence.
    fn place(&self, found: &Occurrence) -> Option<(u32, u32)> {
        let (row, column) = match (&found.range[..], &found.typed_range) {
            ([row, column, ..], _) => (*row, *column),
            (_, Some(Typed_range::SingleLineRange(range))) => (range.line, range.start_character),
            (_, Some(Typed_range::MultiLineRange(range))) => (range.start_line, range.start_character),
            _ => return None,
        };
        let (row, column) = (u32::try_from(row).ok()?, u32::try_from(column).ok()?);
        let byte = match self {
            Self::Bytes => column,
            Self::Chars(lines) => byte_of(lines.get(row as usize)?, column, |_| 1)?,
            Self::Utf16(lines) => byte_of(lines.get(row as usize)?, column, char::len_utf16)?,
        };
        Some((row.checked_add(1)?, byte))
    }
}

/// The byte of a line before which characters have so many units.
fn byte_of(line: &str, n_units: u32, units: fn(char) -> usize) -> Option<u32> {
    let mut before = 0;
    for (at, character) in line.char_indices() {
        if before >= n_units as usize {
            return u32::try_from(at).ok();
        }
        before += units(character);
    }
    u32::try_from(line.len()).ok()
}

/// What is known about the names of a file.
struct Known<'n> {
    file: u32,
    names: &'n Names,
    by_place: FxHashMap<(u32, u32), &'n names::Occurrence>,
}

impl<'n> Known<'n> {
    fn new(table: &Table<'n>, file: u32) -> Self {
        let names = &table.files[file as usize];
        let by_place = names.occurrences.iter().map(|found| ((found.line, found.column), found)).collect();
        Self { file, names, by_place }
    }

    /// Whether what is written at a place can be a name of a definition. Indexers take one name of a star import for another.
    fn may_name(&self, table: &Table<'_>, place: (u32, u32), symbol: SymbolIx) -> bool {
        let Some(read) = self.by_place.get(&place) else { return true };
        let written = self.names.text(read.name);
        let is_alias = || self.names.imports.iter().any(|import| import.local == Some(read.name));
        let is_named = |symbol: SymbolIx| table.text(table.entries[symbol as usize].name) == Some(written);
        // `new Cart()` refers to the constructor.
        is_named(symbol) || table.entries[symbol as usize].parent.is_some_and(is_named) || is_alias()
    }

    fn reference(&self, table: &Table<'_>, symbol: SymbolIx, found: &Found) -> SymbolReference {
        let (line, column) = (found.line, found.column);
        let read = self.by_place.get(&(line, column));
        let role = read.map_or_else(|| role(table, symbol, found), |read| read.role);
        let within = read.map_or_else(|| self.enclosing(line), |read| read.within);
        let within = within.map(|within| table.offsets[self.file as usize] + within);
        SymbolReference { symbol, file: self.file, line, column, role, within, confidence: SURE }
    }

    /// The innermost definition around a line.
    fn enclosing(&self, line: u32) -> Option<u32> {
        let around = |found: &names::Definition| found.line_start <= line && line <= found.line_end;
        let at = self.names.definitions.iter().rposition(around)?;
        u32::try_from(at).ok()
    }
}

/// The role of an occurrence that we did not read, by what it refers to.
fn role(table: &Table<'_>, symbol: SymbolIx, found: &Found) -> Role {
    let kind = table.entries[symbol as usize].kind;
    match () {
        () if found.has(SymbolRole::Import) => Role::Import,
        () if found.has(SymbolRole::WriteAccess) => Role::Write,
        () if kind.is_type() => Role::Type,
        () if kind.is_callable() => Role::Call,
        () => Role::Read,
    }
}
