//! Symbols of the workspace: definitions of its code, as far as it is ingested, and sections of its documentation.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use craig_engine::{DocumentationLibrary, EngineError, Symbol};
use lsp_types::{Location, Position, Range, SymbolInformation, SymbolKind, WorkspaceSymbolParams};
use serde_json::Value;

use super::addresses::uri_of;
use super::folders::Code;
use super::messages::Done;
use super::server::Server;
use super::tasks::Task;
use super::text::{Encoding, position};

/// Maximum number of symbols of an answer.
const MAX_SYMBOLS: usize = 100;

/// A folder to be searched for symbols.
struct Place {
    folder: PathBuf,
    library: Option<Arc<DocumentationLibrary>>,
    code: Option<Code>,
}

/// The work that answers a request for symbols.
pub(super) fn work(
    server: &Server,
    params: Value,
) -> anyhow::Result<impl FnOnce(&Task) -> anyhow::Result<Done> + Send + 'static> {
    let params: WorkspaceSymbolParams = serde_json::from_value(params)?;
    let place = |folder: &super::folders::Folder| Place {
        folder: folder.path.clone(),
        library: folder.library.clone(),
        code: folder.code.as_ref().ok().cloned(),
    };
    let places: Vec<Place> = server.folders.iter().map(place).collect();
    let encoding = server.client.encoding;
    Ok(move |_: &Task| Ok(Done::Answer(serde_json::to_value(symbols(&places, &params.query, encoding)?)?)))
}

/// The best of all folders: names that are the query first, then those that begin with it, shorter ones before longer ones,
/// code before documentation.
fn symbols(places: &[Place], query: &str, encoding: Encoding) -> anyhow::Result<Vec<SymbolInformation>> {
    let mut found = Vec::new();
    for place in places {
        if let Some(code) = &place.code {
            found.extend(defined(code, &place.folder, query)?);
        }
        found.extend(
            place.library.iter().flat_map(|library| sections(library, &place.folder, query, encoding)),
        );
    }
    let wanted = query.to_lowercase();
    found.sort_by_cached_key(|symbol| {
        let name = symbol.name.to_lowercase();
        (name != wanted, !name.starts_with(&wanted), name.chars().count())
    });
    // Headings are among the definitions of documents that are ingested, too.
    let mut seen = HashSet::new();
    found.retain(|symbol| {
        let Location { uri, range } = &symbol.location;
        seen.insert((uri.as_str().to_owned(), range.start.line))
    });
    found.truncate(MAX_SYMBOLS);
    Ok(found)
}

/// Definitions of the project that holds a folder; none when it is not ingested, or there is no database.
fn defined(code: &Code, folder: &Path, query: &str) -> Result<Vec<SymbolInformation>, EngineError> {
    if !code.engine.database().may_exist() {
        return Ok(Vec::new());
    }
    let engine = &code.engine;
    let Some(project) = engine.project_of_directory(&code.folder)? else { return Ok(Vec::new()) };
    let root = engine.directory_of(&project)?;
    let symbols = engine.symbols(&project, query, MAX_SYMBOLS)?;
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    // The names that the editor knows its files by are those of its folder.
    let place = |path: &str| Some(folder.join(root.join(path).strip_prefix(&real).ok()?));
    Ok(symbols.into_iter().filter_map(|symbol| definition(&place(&symbol.path)?, symbol)).collect())
}

fn definition(path: &Path, symbol: Symbol) -> Option<SymbolInformation> {
    let kind = match symbol.kind.as_str() {
        "function" => SymbolKind::FUNCTION,
        "method" => SymbolKind::METHOD,
        "class" => SymbolKind::CLASS,
        "interface" | "trait" => SymbolKind::INTERFACE,
        "enum" => SymbolKind::ENUM,
        "module" => SymbolKind::MODULE,
        "constant" => SymbolKind::CONSTANT,
        "section" => SymbolKind::STRING,
        "import" => return None,
        _ => SymbolKind::VARIABLE,
    };
    let start = Position::new(symbol.line.saturating_sub(1), 0);
    let location = Location::new(uri_of(path)?, Range::new(start, Position::new(symbol.line_end, 0)));
    Some(information(symbol.name, kind, location, symbol.parent.unwrap_or(symbol.path)))
}

/// Sections of the documentation whose headings hold the query.
fn sections(
    library: &DocumentationLibrary,
    folder: &Path,
    query: &str,
    encoding: Encoding,
) -> Vec<SymbolInformation> {
    let wanted = query.to_lowercase();
    let mut found = Vec::new();
    for document in library.documents() {
        let page = &document.page;
        for section in &page.sections {
            let heading = section.outline.heading.replace('`', "");
            if !heading.to_lowercase().contains(&wanted) {
                continue;
            }
            let Some(uri) = uri_of(&folder.join(&page.path)) else { continue };
            let bytes = &section.outline.bytes;
            let end = page.text[..bytes.end].trim_end().len().max(bytes.start);
            let of = |byte| position(&page.text, byte, encoding);
            let location = Location::new(uri, Range::new(of(bytes.start), of(end)));
            found.push(information(heading, SymbolKind::STRING, location, page.path.clone()));
        }
    }
    found
}

fn information(name: String, kind: SymbolKind, location: Location, container: String) -> SymbolInformation {
    #[expect(deprecated, reason = "the field must be given")]
    SymbolInformation { name, kind, tags: None, deprecated: None, location, container_name: Some(container) }
}
