//! Definitions, references, implementations and calls of symbols, and the definitions in a text, from the indexed
//! symbol graph of the folder's project, for the languages in the settings.

use craig_engine::{
    CallDirection, CallRow, DefinitionKind, GraphSymbol, OutlinedName, SymbolPlace, SymbolPlaces, SymbolRole,
    outlined_names, own_name,
};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, DocumentHighlight,
    DocumentHighlightKind, DocumentSymbol, Location, Position, Range, SymbolKind, TextDocumentPositionParams,
    Uri,
};
use serde_json::{Value, json};

use super::messages::Done;
use super::open_text::{InProject, MAX_PLACES, Name, OpenText, name_range};
use super::server::Server;
use super::tasks::Task;
use super::text::position;

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
    let code = server.folder_of(&uri).and_then(|(folder, _)| folder.code.as_ref().ok()).cloned();
    let Some(code) = code.filter(|code| code.navigation.covers(text.language())) else { return Ok(None) };
    let method = method.to_owned();
    Ok(Some(move |task: &Task| {
        if method == "textDocument/documentSymbol" {
            return Ok(Done::Answer(serde_json::to_value(text.document_symbols())?));
        }
        let project = InProject::open(&text, &code, &task.cancellation)?;
        let answer = project.map(|project| project.answer(&method, params)).transpose()?;
        Ok(Done::Answer(answer.unwrap_or_default()))
    }))
}

impl OpenText {
    fn document_symbols(&self) -> Vec<DocumentSymbol> {
        let names = outlined_names(self.language(), &self.text);
        let lines: Vec<&str> = self.text.lines().collect();
        // Parents precede their children: from the end, children are complete when they are reached.
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

impl InProject<'_> {
    fn answer(&self, method: &str, params: Value) -> anyhow::Result<Value> {
        match method {
            "callHierarchy/incomingCalls" => self.calls(&params, CallDirection::In),
            "callHierarchy/outgoingCalls" => self.calls(&params, CallDirection::Out),
            _ => {
                let with_declaration = params["context"]["includeDeclaration"] == json!(true);
                let place: TextDocumentPositionParams = serde_json::from_value(params)?;
                let Some(name) = self.text.name_at(place.position) else { return Ok(Value::Null) };
                match method {
                    "textDocument/definition" => self.locations(&name, &[SymbolPlaces::Definitions]),
                    "textDocument/implementation" => self.locations(&name, &[SymbolPlaces::Implementations]),
                    "textDocument/references" if with_declaration => {
                        self.locations(&name, &[SymbolPlaces::Definitions, SymbolPlaces::References])
                    }
                    "textDocument/references" => self.locations(&name, &[SymbolPlaces::References]),
                    "textDocument/documentHighlight" => self.highlights(&name),
                    _ => self.hierarchy_items(&name),
                }
            }
        }
    }

    fn places(&self, name: &Name, wanted: SymbolPlaces) -> anyhow::Result<Vec<SymbolPlace>> {
        let Some(path) = self.path() else { return Ok(Vec::new()) };
        Ok(self.engine.symbol_places(&self.project, self.cursor(&path, name), wanted, &self.request)?)
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
        let Some(path) = self.path() else { return Ok(Value::Null) };
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
        let Some(path) = self.path() else { return Ok(Value::Null) };
        let cursor = self.cursor(&path, name);
        let found = self.engine.symbol_at(&self.project, cursor, &self.request)?;
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
        let own_name = if of.is_some() { own_name(name) } else { name };
        Some(CallHierarchyItem {
            name: own_name.to_owned(),
            kind: of.map_or(SymbolKind::FILE, kind),
            tags: None,
            detail: Some(if own_name == name { path.to_owned() } else { name.to_owned() }),
            uri: self.uri(path)?,
            range: Range::new(start, Position::new(line_end.max(line), 0)),
            selection_range: Range::new(start, start),
            // It is requested again by its place.
            data: of.is_some().then(|| json!(format!("{path}:{line}"))),
        })
    }

    fn calls(&self, params: &Value, direction: CallDirection) -> anyhow::Result<Value> {
        let Some(place) = params["item"]["data"].as_str() else { return Ok(json!([])) };
        let found = self.engine.call_hierarchy(&self.project, place, direction, &self.request)?;
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
