//! Where symbols are defined, referred to, implemented and called, and what a text defines: from the graph of the folder's
//! project, as it is indexed, for the languages that the settings name.

use std::path::PathBuf;

use craig_engine::{
    CallDirection, CallRow, Cancellation, DefinitionKind, GraphSymbol, OutlinedName, SymbolCursor,
    SymbolPlace, SymbolPlaces, SymbolRequest, SymbolRole, language, outlined_names,
};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, DocumentHighlight,
    DocumentHighlightKind, DocumentSymbol, Location, Position, Range, SymbolKind, TextDocumentPositionParams,
    Uri,
};
use serde_json::{Value, json};

use super::addresses::uri_of;
use super::folders::Code;
use super::messages::Done;
use super::server::Server;
use super::tasks::Task;
use super::text::{Encoding, offset, position};

/// Requests that are answered here.
pub(super) const METHODS: &[&str] = &[
    "textDocument/definition",
    "textDocument/references",
    "textDocument/implementation",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
];

/// Most places of an answer.
const MAX_PLACES: usize = 2_000;

/// An open text in a folder whose symbols are navigated.
struct OpenText {
    code: Code,
    folder: PathBuf,
    /// The file's path in the editor's folder.
    path: String,
    text: String,
    encoding: Encoding,
}

/// The name at a position.
struct Name {
    line: u32,
    column: u32,
    text: String,
}

/// The work that answers a request; `None` if it is not to be answered here.
pub(super) fn work(
    server: &Server,
    method: &str,
    params: Value,
) -> anyhow::Result<Option<impl FnOnce(&Task) -> anyhow::Result<Done> + Send + 'static>> {
    let uri: Uri = match method.starts_with("callHierarchy/") {
        true => serde_json::from_value(params["item"]["uri"].clone())?,
        false => serde_json::from_value(params["textDocument"]["uri"].clone())?,
    };
    let Some(text) = OpenText::new(server, &uri) else { return Ok(None) };
    let method = method.to_owned();
    Ok(Some(move |task: &Task| {
        let answer = text.answer(&method, params, &task.cancellation)?;
        Ok(Done::Answer(answer))
    }))
}

impl OpenText {
    fn new(server: &Server, uri: &Uri) -> Option<Self> {
        let (folder, path) = server.folder_of(uri)?;
        let code = folder.code.as_ref().ok()?.clone();
        // Items of call hierarchies may be in files that are not open.
        let text = server.texts.get(uri.as_str()).cloned().unwrap_or_default();
        code.navigation.covers(language(&path, &text)).then(|| Self {
            code,
            folder: folder.path.clone(),
            path,
            text,
            encoding: server.client.encoding,
        })
    }

    fn answer(&self, method: &str, params: Value, cancellation: &Cancellation) -> anyhow::Result<Value> {
        if method == "textDocument/documentSymbol" {
            return Ok(serde_json::to_value(self.document_symbols())?);
        }
        let engine = &self.code.engine;
        if !engine.database().exists() {
            return Ok(Value::Null);
        }
        let Some(project) = engine.project_of_directory(&self.code.folder)? else { return Ok(Value::Null) };
        let root = engine.directory_of(&project)?;
        let asked = Asked {
            text: self,
            real: self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone()),
            root,
            project,
            request: SymbolRequest {
                limit: MAX_PLACES,
                cancellation: cancellation.clone(),
                ..SymbolRequest::default()
            },
        };
        match method {
            "callHierarchy/incomingCalls" => asked.calls(&params, CallDirection::In),
            "callHierarchy/outgoingCalls" => asked.calls(&params, CallDirection::Out),
            _ => {
                let with_declaration = params["context"]["includeDeclaration"] == json!(true);
                let place: TextDocumentPositionParams = serde_json::from_value(params)?;
                let Some(name) = self.name_at(place.position) else { return Ok(Value::Null) };
                match method {
                    "textDocument/definition" => asked.locations(&name, &[SymbolPlaces::Definitions]),
                    "textDocument/implementation" => asked.locations(&name, &[SymbolPlaces::Implementations]),
                    "textDocument/references" if with_declaration => {
                        asked.locations(&name, &[SymbolPlaces::Definitions, SymbolPlaces::References])
                    }
                    "textDocument/references" => asked.locations(&name, &[SymbolPlaces::References]),
                    "textDocument/documentHighlight" => asked.highlights(&name),
                    _ => asked.hierarchy_items(&name),
                }
            }
        }
    }

    /// The identifier at a position, or that ends there.
    fn name_at(&self, at: Position) -> Option<Name> {
        let byte = offset(&self.text, at, self.encoding);
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let start = self.text[..byte].rfind(|c| !is_name(c)).map_or(0, |at| at + char_width(&self.text, at));
        let end = self.text[byte..].find(|c| !is_name(c)).map_or(self.text.len(), |n| byte + n);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        (start < end).then(|| Name {
            line: self.text[..start].matches('\n').count() as u32 + 1,
            column: (start - line_start) as u32,
            text: self.text[start..end].to_owned(),
        })
    }

    fn document_symbols(&self) -> Vec<DocumentSymbol> {
        let names = outlined_names(language(&self.path, &self.text), &self.text);
        let lines: Vec<&str> = self.text.lines().collect();
        // What encloses others precedes them: from the end, children are complete when they are reached.
        let mut children: Vec<Vec<DocumentSymbol>> = vec![Vec::new(); names.len()];
        let mut roots = Vec::new();
        for (at, name) in names.iter().enumerate().rev() {
            let mut inside = std::mem::take(&mut children[at]);
            inside.reverse();
            let symbol = self.document_symbol(name, &lines, inside);
            match name.parent.filter(|&parent| parent < at) {
                Some(parent) => children[parent].push(symbol),
                None => roots.push(symbol),
            }
        }
        roots.reverse();
        roots
    }

    fn document_symbol(
        &self,
        name: &OutlinedName,
        lines: &[&str],
        inside: Vec<DocumentSymbol>,
    ) -> DocumentSymbol {
        let line = |number: u32| lines.get((number as usize).saturating_sub(1)).copied().unwrap_or_default();
        let selection =
            name_range(line(name.line), name.line, name.column, name.name.len() as u32, self.encoding);
        let last = line(name.line_end);
        let start = Position::new(name.line_start.min(name.line).saturating_sub(1), 0);
        let end_line = name.line_end.max(name.line);
        let end =
            Position::new(end_line.saturating_sub(1), position(last, last.len(), self.encoding).character);
        #[expect(deprecated, reason = "the field must be given")]
        DocumentSymbol {
            name: name.name.clone(),
            detail: None,
            kind: kind(name.kind),
            tags: None,
            deprecated: None,
            range: Range::new(start, end.max(selection.end)),
            selection_range: selection,
            children: (!inside.is_empty()).then_some(inside),
        }
    }
}

/// A request about the project of a folder.
struct Asked<'t> {
    text: &'t OpenText,
    /// The folder without links.
    real: PathBuf,
    /// The project's directory.
    root: PathBuf,
    project: String,
    request: SymbolRequest,
}

impl Asked<'_> {
    /// The path of the open text in its project, which may begin above the folder or below it.
    fn path_in_project(&self) -> Option<String> {
        let path = self.real.join(&self.text.path);
        path.strip_prefix(&self.root).ok()?.to_str().map(|path| path.replace(std::path::MAIN_SEPARATOR, "/"))
    }

    /// The address by which the editor knows a file of the project.
    fn uri(&self, path: &str) -> Option<Uri> {
        uri_of(&self.text.folder.join(self.root.join(path).strip_prefix(&self.real).ok()?))
    }

    fn places(&self, name: &Name, wanted: SymbolPlaces) -> anyhow::Result<Vec<SymbolPlace>> {
        let Some(path) = self.path_in_project() else { return Ok(Vec::new()) };
        let engine = &self.text.code.engine;
        Ok(engine.symbol_places(&self.project, self.cursor(&path, name), wanted, &self.request)?)
    }

    fn cursor<'c>(&'c self, path: &'c str, name: &'c Name) -> SymbolCursor<'c> {
        SymbolCursor { path, text: &self.text.text, line: name.line, column: name.column, name: &name.text }
    }

    fn range(&self, place: &SymbolPlace) -> Range {
        name_range(&place.text, place.line, place.column, place.length, self.text.encoding)
    }

    fn locations(&self, name: &Name, wanted: &[SymbolPlaces]) -> anyhow::Result<Value> {
        let mut locations: Vec<Location> = Vec::new();
        for &wanted in wanted {
            let places = self.places(name, wanted)?;
            let location =
                |place: &SymbolPlace| Some(Location::new(self.uri(&place.path)?, self.range(place)));
            locations.extend(places.iter().filter_map(location));
        }
        locations.truncate(MAX_PLACES);
        Ok(serde_json::to_value(locations)?)
    }

    fn highlights(&self, name: &Name) -> anyhow::Result<Value> {
        let Some(path) = self.path_in_project() else { return Ok(Value::Null) };
        let mut places = self.places(name, SymbolPlaces::Definitions)?;
        places.extend(self.places(name, SymbolPlaces::References)?);
        let highlight = |place: &SymbolPlace| DocumentHighlight {
            range: self.range(place),
            kind: Some(match place.role {
                None | Some(SymbolRole::Write) => DocumentHighlightKind::WRITE,
                Some(_) => DocumentHighlightKind::READ,
            }),
        };
        let here = places.iter().filter(|place| place.path == path);
        Ok(serde_json::to_value(here.map(highlight).collect::<Vec<_>>())?)
    }

    fn hierarchy_items(&self, name: &Name) -> anyhow::Result<Value> {
        let Some(path) = self.path_in_project() else { return Ok(Value::Null) };
        let cursor = self.cursor(&path, name);
        let found = self.text.code.engine.symbol_at(&self.project, cursor, &self.request)?;
        let items: Vec<CallHierarchyItem> = found.iter().filter_map(|symbol| self.item(symbol)).collect();
        Ok(serde_json::to_value(items)?)
    }

    fn item(&self, symbol: &GraphSymbol) -> Option<CallHierarchyItem> {
        let GraphSymbol { name, kind, path, line, line_end, .. } = symbol;
        self.item_at(name, Some(*kind), path, *line, *line_end)
    }

    fn item_at(
        &self,
        name: &str,
        of: Option<DefinitionKind>,
        path: &str,
        line: u32,
        line_end: u32,
    ) -> Option<CallHierarchyItem> {
        let start = Position::new(line.saturating_sub(1), 0);
        let own_name = if of.is_some() { name.rsplit('.').next().unwrap_or(name) } else { name };
        Some(CallHierarchyItem {
            name: own_name.to_owned(),
            kind: of.map_or(SymbolKind::FILE, kind),
            tags: None,
            detail: Some(if own_name == name { path.to_owned() } else { name.to_owned() }),
            uri: self.uri(path)?,
            range: Range::new(start, Position::new(line_end.max(line), 0)),
            selection_range: Range::new(start, start),
            // Asked for again by its place.
            data: of.is_some().then(|| json!(format!("{path}:{line}"))),
        })
    }

    fn calls(&self, params: &Value, direction: CallDirection) -> anyhow::Result<Value> {
        let Some(place) = params["item"]["data"].as_str() else { return Ok(json!([])) };
        let engine = &self.text.code.engine;
        let found = engine.call_hierarchy(&self.project, place, direction, &self.request)?;
        let calls = found.calls.iter().filter_map(|call| {
            let item = self.item_at(&call.name, call.kind, &call.path, call.line, call.line)?;
            Some((item, ranges(call)))
        });
        Ok(match direction {
            CallDirection::In => {
                let calls = calls.map(|(from, from_ranges)| CallHierarchyIncomingCall { from, from_ranges });
                serde_json::to_value(calls.collect::<Vec<_>>())?
            }
            CallDirection::Out => {
                let calls = calls.map(|(to, from_ranges)| CallHierarchyOutgoingCall { to, from_ranges });
                serde_json::to_value(calls.collect::<Vec<_>>())?
            }
        })
    }
}

/// The lines of calls.
fn ranges(call: &CallRow) -> Vec<Range> {
    let line = |&line: &u32| Range::new(Position::new(line.saturating_sub(1), 0), Position::new(line, 0));
    call.call_lines.iter().map(line).collect()
}

/// The range of a name in a line, whose number counts from 1.
fn name_range(line: &str, number: u32, column: u32, length: u32, encoding: Encoding) -> Range {
    let at = |byte: u32| {
        Position::new(number.saturating_sub(1), position(line, byte as usize, encoding).character)
    };
    Range::new(at(column), at(column.saturating_add(length)))
}

fn char_width(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

fn kind(of: DefinitionKind) -> SymbolKind {
    match of {
        DefinitionKind::Function | DefinitionKind::Macro => SymbolKind::FUNCTION,
        DefinitionKind::Method => SymbolKind::METHOD,
        DefinitionKind::Constructor => SymbolKind::CONSTRUCTOR,
        DefinitionKind::Class | DefinitionKind::Type => SymbolKind::CLASS,
        DefinitionKind::Interface => SymbolKind::INTERFACE,
        DefinitionKind::Enum => SymbolKind::ENUM,
        DefinitionKind::EnumMember => SymbolKind::ENUM_MEMBER,
        DefinitionKind::Field => SymbolKind::FIELD,
        DefinitionKind::Variable => SymbolKind::VARIABLE,
        DefinitionKind::Constant => SymbolKind::CONSTANT,
        DefinitionKind::Module => SymbolKind::MODULE,
    }
}
