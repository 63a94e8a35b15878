//! Occurrences from a SCIP index that a compiler or language server made: they take the place of what we bound ourselves.

use ::scip::symbol::parse_symbol;
use ::scip::types::occurrence::Typed_range;
use ::scip::types::{Document, Index, Occurrence, PositionEncoding, SymbolRole};
use craig_chunk::names::{self, DefinitionKind, Names, Role};
use craig_source::{FileStamp, Root, read_bytes, stamp};
use craig_store::{ProjectId, Store};
use protobuf::Message as _;
use rustc_hash::{FxHashMap, FxHashSet};

use super::table::Table;
use super::{SymbolIx, SymbolReference};
use crate::InsightError;

/// Where indexers write it, relative to the root of a project.
const SCIP_FILE: &str = "index.scip";
/// A larger index is not read: it would take several times as much memory.
const MAX_BYTES: u64 = 512 << 20;
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

    /// Reads it; `None` if it is damaged or too large, or Craig made it, who cannot learn from it.
    pub(super) fn read(&self) -> Option<Index> {
        let (bytes, _) = read_bytes(&self.root, SCIP_FILE, MAX_BYTES).ok()?;
        let index = Index::parse_from_bytes(&bytes).ok()?;
        (index.metadata.tool_info.name != super::scip::TOOL).then_some(index)
    }
}

/// The documents of the SCIP index of a project.
#[derive(Default)]
pub(super) struct Documents {
    /// Of files that the index covers.
    covered: Vec<(Document, Columns)>,
    /// Of files that are newer, or that the project does not have.
    others: Vec<Document>,
}

impl Documents {
    /// Reads the index of a project that is in the store.
    pub(super) fn read(file: &ScipFile, store: &Store, project: ProjectId) -> Result<Self, InsightError> {
        let Some(index) = file.read() else { return Ok(Self::default()) };
        let tracked = store.tracked_files(project)?.into_iter();
        let covered: FxHashSet<String> =
            tracked.filter(|tracked| file.covers(tracked.stamp)).map(|tracked| tracked.path).collect();
        let mut documents = Self::default();
        for document in index.documents {
            let path = &document.relative_path;
            let text =
                || Ok::<_, InsightError>(store.file_text(project, path)?.and_then(|text| text.content));
            let columns = if covered.contains(path) { Columns::new(&document, text)? } else { None };
            match columns {
                Some(columns) => documents.covered.push((document, columns)),
                None => documents.others.push(document),
            }
        }
        Ok(documents)
    }
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
        let file = |document: &Document| Some(table.workspace.file(&document.relative_path)? as u32);
        let covered: Vec<(u32, &Columns, &Document)> = documents
            .covered
            .iter()
            .filter_map(|(document, columns)| Some((file(document)?, columns, document)))
            .collect();
        // What refers to symbols of files that have changed since stays as we bound it.
        let changed = documents.others.iter().flat_map(definitions);
        let changed: FxHashSet<&str> = changed.map(|found| found.symbol.as_str()).collect();
        let symbols = symbols(table, &covered);
        let mut exact = Self::default();
        for (file, columns, document) in covered {
            let known = Known::new(table, file);
            for found in document.occurrences.iter().filter(|found| !is_definition(found)) {
                let Some((line, column)) = columns.place(found) else { continue };
                let targets = symbols.get(&key(file, &found.symbol)).map(Vec::as_slice).unwrap_or_default();
                let is_other = |symbol| !known.may_name(table, (line, column), symbol);
                if found.symbol.is_empty()
                    || changed.contains(found.symbol.as_str())
                    || targets.iter().any(|&symbol| is_other(symbol))
                {
                    continue;
                }
                exact.decided.insert((file, line, column));
                for &symbol in targets {
                    exact.references.push(known.reference(table, symbol, (line, column), found));
                }
            }
        }
        exact
    }

    /// Whether the index says what is at the place of a reference.
    pub(super) fn decides(&self, found: &SymbolReference) -> bool {
        self.decided.contains(&(found.file, found.line, found.column))
    }
}

/// A symbol of an index: a local one is one of its document.
type Key<'i> = (Option<u32>, &'i str);

fn key(file: u32, symbol: &str) -> Key<'_> {
    (symbol.starts_with("local ").then_some(file), symbol)
}

fn is_definition(found: &Occurrence) -> bool {
    found.symbol_roles & SymbolRole::Definition as i32 != 0
}

fn definitions(document: &Document) -> impl Iterator<Item = &Occurrence> {
    document.occurrences.iter().filter(|found| is_definition(found))
}

/// The definitions of symbols: by the place of their names, else by their names in the file.
fn symbols<'i>(
    table: &Table<'_>,
    documents: &[(u32, &Columns, &'i Document)],
) -> FxHashMap<Key<'i>, Vec<SymbolIx>> {
    let mut symbols: FxHashMap<Key<'i>, Vec<SymbolIx>> = FxHashMap::default();
    for (file, columns, document) in documents {
        let offset = table.offsets[*file as usize];
        let mut by_place: FxHashMap<(u32, u32), Vec<(SymbolIx, DefinitionKind)>> = FxHashMap::default();
        for (at, found) in table.files[*file as usize].definitions.iter().enumerate() {
            by_place
                .entry((found.line, found.column))
                .or_default()
                .push((offset + at as SymbolIx, found.kind));
        }
        for found in definitions(document) {
            let here = columns.place(found).and_then(|place| by_place.get(&place));
            let fitting = here.into_iter().flatten().filter(|(_, kind)| fits(*kind, &found.symbol));
            let mut fitting: Vec<SymbolIx> = fitting.map(|(at, _)| *at).collect();
            if fitting.is_empty() {
                fitting.extend(named(table, *file, &found.symbol));
            }
            let of_symbol = symbols.entry(key(*file, &found.symbol)).or_default();
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
        text: impl FnOnce() -> Result<Option<String>, InsightError>,
    ) -> Result<Option<Self>, InsightError> {
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

    fn reference(
        &self,
        table: &Table<'_>,
        symbol: SymbolIx,
        (line, column): (u32, u32),
        found: &Occurrence,
    ) -> SymbolReference {
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
fn role(table: &Table<'_>, symbol: SymbolIx, found: &Occurrence) -> Role {
    let has = |role: SymbolRole| found.symbol_roles & role as i32 != 0;
    let kind = table.entries[symbol as usize].kind;
    match () {
        () if has(SymbolRole::Import) => Role::Import,
        () if has(SymbolRole::WriteAccess) => Role::Write,
        () if kind.is_type() => Role::Type,
        () if kind.is_callable() => Role::Call,
        () => Role::Read,
    }
}
