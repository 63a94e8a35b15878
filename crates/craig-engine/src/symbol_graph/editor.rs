//! Places of symbols for editors, whose texts may differ from what is indexed.

use std::collections::HashMap;

use craig_chunk::names::{Definition, DefinitionKind, Role, Traits};
use craig_source::Language;
use craig_store::{Project, Store};
use craig_symbols::{SymbolGraph, SymbolIx, SymbolQuery, SymbolReference};

use super::text::FileLines;
use super::{Asked, SymbolRequest};
use crate::{Engine, EngineError, GraphSymbol, References};

/// A name in a text that is open in an editor.
#[derive(Clone, Copy, Debug)]
pub struct SymbolCursor<'a> {
    /// Path of the file, relative to the project's folder.
    pub path: &'a str,
    /// Its text in the editor.
    pub text: &'a str,
    /// Line of the name, from 1.
    pub line: u32,
    /// Where the name begins in its line, in bytes.
    pub column: u32,
    /// The name.
    pub name: &'a str,
}

/// Which places are wanted of the symbol at a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolPlaces {
    /// Its definitions.
    Definitions,
    /// References to it.
    References,
    /// Types that extend or implement it; members that override it.
    Implementations,
}

/// A name in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolPlace {
    /// Path relative to the project's folder.
    pub path: String,
    /// Line, from 1, of the text in the editor if it is of the same file.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// Where the name begins, in bytes.
    pub column: u32,
    /// Bytes of the name.
    pub length: u32,
    /// How the symbol is used; `None` for a definition.
    pub role: Option<Role>,
}

/// The definition that a name is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundSymbol {
    /// Its own name, which may differ from the one at the cursor: an import may rename it.
    pub name: String,
    /// Path of its file, relative to the project's folder.
    pub path: String,
    /// Its line in `text`, from 1.
    pub line: u32,
    /// The text of its file: the editor's text for the cursor's file, otherwise the indexed text.
    pub text: String,
}

/// A definition of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedName {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: DefinitionKind,
    /// Index of what encloses it, in the same list.
    pub parent: Option<usize>,
    /// Line of the name, from 1.
    pub line: u32,
    /// Where the name begins in its line, in bytes.
    pub column: u32,
    /// First line of the definition.
    pub line_start: u32,
    /// Last line, inclusive.
    pub line_end: u32,
}

/// The definitions of a text, those that enclose others before them; nothing that is local to functions.
pub fn outlined_names(language: Language, text: &str) -> Vec<OutlinedName> {
    let names = craig_chunk::names::names(language, text);
    // A component is the whole text.
    let n_whole = usize::from(language.is_component());
    let is_shown = |definition: &Definition| !definition.traits.has(Traits::LOCAL);
    let mut shown: Vec<OutlinedName> = Vec::new();
    let mut new_index: Vec<Option<usize>> = Vec::with_capacity(names.definitions.len());
    for definition in &names.definitions {
        let parent = definition.parent.and_then(|parent| new_index.get(parent as usize).copied().flatten());
        let is_shown = new_index.len() >= n_whole && is_shown(definition);
        new_index.push(is_shown.then_some(shown.len()));
        if is_shown {
            shown.push(OutlinedName {
                name: names.text(definition.name).to_owned(),
                kind: definition.kind,
                parent,
                line: definition.line,
                column: definition.column,
                line_start: definition.line_start,
                line_end: definition.line_end.max(definition.line_start),
            });
        }
    }
    shown
}

impl Engine {
    /// Places of the symbol at a cursor, in the project as currently indexed; none if nothing is known there.
    pub fn symbol_places(
        &self,
        handle: &str,
        cursor: SymbolCursor<'_>,
        wanted: SymbolPlaces,
        request: &SymbolRequest,
    ) -> Result<Vec<SymbolPlace>, EngineError> {
        self.at_cursor(
            handle,
            cursor,
            request,
            |graph, lines| symbol_at(graph, cursor, lines),
            |asked, lines| {
                let mut places = Places { asked, cursor, lines, files: HashMap::new() };
                match wanted {
                    SymbolPlaces::Definitions => places.definitions(&asked.parts),
                    SymbolPlaces::References => places.references(request.min_confidence),
                    SymbolPlaces::Implementations => {
                        let found = implementations(asked, request.min_confidence);
                        places.definitions(&found)
                    }
                }
            },
        )
        .map(Option::unwrap_or_default)
    }

    /// The symbol at a cursor; `None` if nothing is known there.
    pub fn symbol_at(
        &self,
        handle: &str,
        cursor: SymbolCursor<'_>,
        request: &SymbolRequest,
    ) -> Result<Option<GraphSymbol>, EngineError> {
        let find = |graph: &SymbolGraph, lines| symbol_at(graph, cursor, lines);
        self.at_cursor(handle, cursor, request, find, |asked, _| Ok(asked.symbol(asked.first())))
    }

    /// The references to the symbol that is defined or referred to at a place of an indexed file: `line` and `column` count from
    /// 1, columns in characters. `None` if nothing is known there.
    pub fn references_at(
        &self,
        handle: &str,
        path: &str,
        (line, column): (u32, u32),
        request: &SymbolRequest,
    ) -> Result<Option<References>, EngineError> {
        let text = self.file(handle, path)?.content.unwrap_or_default();
        let Some((column, name)) = name_at(&text, line, column) else { return Ok(None) };
        let cursor = SymbolCursor { path, text: &text, line, column, name };
        let find = |graph: &SymbolGraph, lines| symbol_at(graph, cursor, lines);
        self.at_cursor(handle, cursor, request, find, |asked, _| asked.listed_references(request))
    }

    /// The symbol that the name at a cursor is surely a reference to; `None` for a definition, for what is local to a
    /// function, and in a line that was edited since the project was indexed.
    pub fn bound_symbol(
        &self,
        handle: &str,
        cursor: SymbolCursor<'_>,
        request: &SymbolRequest,
    ) -> Result<Option<BoundSymbol>, EngineError> {
        let find = |graph: &SymbolGraph, lines: LineMap| {
            let place = graph.file(cursor.path).zip(lines.stored(cursor.line))?;
            let found = reference_at(graph, place, cursor.column)?;
            let is_local = graph.definition(found.symbol).traits.has(Traits::LOCAL);
            (found.confidence >= request.min_confidence && !is_local).then_some(found.symbol)
        };
        self.at_cursor(handle, cursor, request, find, |asked, lines| {
            let definition = asked.graph.definition(asked.first());
            let path = asked.path(definition.file);
            let is_edited = path == cursor.path;
            let Some(line) = (if is_edited { lines.edited(definition.line) } else { Some(definition.line) })
            else {
                return Ok(None);
            };
            let text = match is_edited {
                true => cursor.text.to_owned(),
                false => stored_text(asked.store, asked.project, path)?,
            };
            Ok(Some(BoundSymbol { name: definition.name.clone(), path: path.to_owned(), line, text }))
        })
        .map(Option::flatten)
    }

    fn at_cursor<T>(
        &self,
        handle: &str,
        cursor: SymbolCursor<'_>,
        request: &SymbolRequest,
        find: impl FnOnce(&SymbolGraph, LineMap) -> Option<SymbolIx>,
        answer: impl FnOnce(&Asked<'_>, LineMap) -> Result<T, EngineError>,
    ) -> Result<Option<T>, EngineError> {
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let graph = self.symbol_graph(&store, project, &request.cancellation)?;
            let stored = stored_text(&store, project, cursor.path)?;
            let lines = LineMap::new(&stored, cursor.text);
            let Some(symbol) = find(&graph, lines) else { return Ok(None) };
            answer(&Asked::from_definition(&store, project, &graph, symbol), lines).map(Some)
        })
    }
}

/// Where the name around a character of a line begins, in bytes, and the name.
fn name_at(text: &str, line: u32, column: u32) -> Option<(u32, &str)> {
    let line = text.lines().nth(line.checked_sub(1)? as usize)?;
    let (at, _) = line.char_indices().nth(column.checked_sub(1)? as usize)?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = line[..at].trim_end_matches(is_name).len();
    let length = line[start..].find(|c| !is_name(c)).unwrap_or(line.len() - start);
    (length > 0).then(|| (start as u32, &line[start..start + length]))
}

fn stored_text(store: &Store, project: &Project, path: &str) -> Result<String, EngineError> {
    Ok(store.file_text(project.id, path)?.and_then(|found| found.content).unwrap_or_default())
}

/// Which lines of an edited text are which lines of the stored one: those before the first change, and after the last.
#[derive(Clone, Copy, Debug)]
struct LineMap {
    n_same_before: u32,
    n_same_after: u32,
    n_stored: u32,
    n_edited: u32,
}

impl LineMap {
    fn new(stored: &str, edited: &str) -> Self {
        let (stored, edited): (Vec<&str>, Vec<&str>) = (stored.lines().collect(), edited.lines().collect());
        let before = stored.iter().zip(&edited).take_while(|(a, b)| a == b).count();
        let rest = stored.len().min(edited.len()) - before;
        let after =
            stored.iter().rev().zip(edited.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        Self {
            n_same_before: before as u32,
            n_same_after: after as u32,
            n_stored: stored.len() as u32,
            n_edited: edited.len() as u32,
        }
    }

    /// The stored line of an edited one, both from 1.
    fn stored(self, edited: u32) -> Option<u32> {
        self.mapped(edited, self.n_edited, self.n_stored)
    }

    /// The edited line of a stored one.
    fn edited(self, stored: u32) -> Option<u32> {
        self.mapped(stored, self.n_stored, self.n_edited)
    }

    fn mapped(self, line: u32, n_from: u32, n_to: u32) -> Option<u32> {
        if line <= self.n_same_before {
            return Some(line);
        }
        let from_end = n_from.checked_sub(line)?;
        (from_end < self.n_same_after).then(|| n_to - from_end)
    }
}

/// What is defined or referred to at a cursor; in a line that was edited, what has that name.
fn symbol_at(graph: &SymbolGraph, cursor: SymbolCursor<'_>, lines: LineMap) -> Option<SymbolIx> {
    let place = graph.file(cursor.path).zip(lines.stored(cursor.line));
    let Some((file, line)) = place else {
        return graph.find(&SymbolQuery::parse(cursor.name)?).first().copied();
    };
    let referred = reference_at(graph, (file, line), cursor.column);
    let defined = || {
        let mut all = graph.definitions_in(file);
        all.find(|&at| graph.definition(at).line == line && graph.definition(at).name == cursor.name)
    };
    match referred {
        Some(found) if !graph.is_definition(found) => Some(found.symbol),
        _ => defined(),
    }
}

/// The likeliest reference at a column of a line.
fn reference_at(graph: &SymbolGraph, (file, line): (u32, u32), column: u32) -> Option<&SymbolReference> {
    let there = graph.references_in(file, line..=line).filter(|found| found.column == column);
    there.max_by_key(|found| (found.confidence, std::cmp::Reverse(found.symbol)))
}

/// Types that extend or implement a type, and members that override a member.
fn implementations(asked: &Asked<'_>, min_confidence: u8) -> Vec<SymbolIx> {
    let (found, _) = asked.references(min_confidence, &[Role::Inherit, Role::Implement, Role::Override]);
    let defined_around = |file: u32, line: u32, is_override: bool| {
        let graph = asked.graph;
        let fits = |at: &SymbolIx| {
            let definition = graph.definition(*at);
            match is_override {
                true => definition.line == line,
                false => {
                    definition.kind.is_type() && (definition.line_start..=definition.line_end).contains(&line)
                }
            }
        };
        // The innermost type around a name in its head.
        graph.definitions_in(file).filter(fits).max_by_key(|&at| graph.definition(at).line)
    };
    let mut symbols: Vec<SymbolIx> = found
        .iter()
        .filter_map(|found| defined_around(found.file, found.line, found.role == Role::Override))
        .collect();
    symbols.sort_unstable();
    symbols.dedup();
    symbols
}

/// Reads places from texts: that of the editor for its file, the stored ones for others.
struct Places<'a> {
    asked: &'a Asked<'a>,
    cursor: SymbolCursor<'a>,
    lines: LineMap,
    files: HashMap<u32, FileLines>,
}

impl Places<'_> {
    fn definitions(&mut self, symbols: &[SymbolIx]) -> Result<Vec<SymbolPlace>, EngineError> {
        let mut places = Vec::with_capacity(symbols.len());
        for &symbol in symbols {
            let definition = self.asked.graph.definition(symbol);
            let name = definition.name.as_str();
            let column = |text: &str| craig_text::whole_words(text, name).next().map(|found| found as u32);
            places.extend(self.place(definition.file, definition.line, None, column)?);
        }
        Ok(places)
    }

    fn references(&mut self, min_confidence: u8) -> Result<Vec<SymbolPlace>, EngineError> {
        let (found, _) = self.asked.references(min_confidence, &[]);
        let mut places = Vec::with_capacity(found.len());
        for found in found {
            places.extend(self.place(found.file, found.line, Some(found.role), |_| Some(found.column))?);
        }
        Ok(places)
    }

    /// The name at a stored line; `None` if that line was edited since.
    fn place(
        &mut self,
        file: u32,
        stored_line: u32,
        role: Option<Role>,
        column: impl Fn(&str) -> Option<u32>,
    ) -> Result<Option<SymbolPlace>, EngineError> {
        let path = self.asked.path(file);
        let is_edited = path == self.cursor.path;
        let line = if is_edited { self.lines.edited(stored_line) } else { Some(stored_line) };
        let Some(line) = line else { return Ok(None) };
        let lines = match self.files.entry(file) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => place.insert(match is_edited {
                true => FileLines::new(self.cursor.text.to_owned()),
                false => FileLines::read(self.asked.store, self.asked.project, path)?,
            }),
        };
        let text = lines.line(line);
        let column = column(text).unwrap_or_default();
        let rest = text.get(column as usize..).unwrap_or_default();
        let end = rest.find(|c| !craig_text::is_identifier_char(c));
        let length = end.unwrap_or(rest.len()) as u32;
        Ok(Some(SymbolPlace { path: path.to_owned(), line, text: text.to_owned(), column, length, role }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_an_edit_are_known() {
        let map = LineMap::new("a\nb\nc\nd\n", "a\nx\ny\nc\nd\n");
        let stored: Vec<Option<u32>> = (1..=6).map(|line| map.stored(line)).collect();
        assert_eq!(stored, [Some(1), None, None, Some(3), Some(4), None]);
        let edited: Vec<Option<u32>> = (1..=5).map(|line| map.edited(line)).collect();
        assert_eq!(edited, [Some(1), None, Some(4), Some(5), None]);
        let same = LineMap::new("a\na\n", "a\na\n");
        assert_eq!((same.stored(2), same.edited(2), same.stored(3)), (Some(2), Some(2), None));
        assert_eq!(LineMap::new("", "a\n").stored(1), None);
    }
}
