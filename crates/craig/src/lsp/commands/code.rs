//! Commands about the code of a whole folder: its map, its symbols, code similar to a place.

use std::path::Path;

use craig_engine::{MapRequest, PER_FILE, SearchRequest, SymbolRequest};
use lsp_server::RequestId;
use lsp_types::{Range, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{found, one_folder, prepared, range_of};
use crate::json::as_printed;
use crate::lsp::addresses::{path_of, uri_of};
use crate::lsp::messages::Done;
use crate::lsp::server::{Reply, Server};
use craig_engine::Refresh;

/// Which folder is mapped.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapArguments {
    /// The folder that holds it; needed where there are several.
    uri: Option<Uri>,
    /// Maximum number of tokens of the symbols' declarations.
    tokens: Option<usize>,
}

/// Which code others are compared with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RelatedArguments {
    uri: Uri,
    range: Range,
    limit: Option<usize>,
}

/// Which symbol is meant.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SymbolArguments {
    /// As for `craig symbol`: `route`, `Router.route`, `src/router.py:12`.
    name: String,
    /// The folder that holds it; needed where there are several.
    uri: Option<Uri>,
    /// Maximum number of references.
    limit: Option<usize>,
}

/// Modules with what they use, and the central symbols by file.
pub(super) fn map(server: &mut Server, id: &RequestId, arguments: MapArguments) -> anyhow::Result<Reply> {
    let code = one_folder(server, arguments.uri.as_ref())?;
    server.tasks.start(id.clone(), move |task| {
        let cancellation = task.cancellation.clone();
        let (folder, (architecture, map)) = prepared(&code, Refresh::Ingest, task, |engine, project| {
            let request = MapRequest {
                budget_tokens: arguments.tokens.unwrap_or(MapRequest::default().budget_tokens),
                cancellation: cancellation.clone(),
                ..MapRequest::default()
            };
            Ok((engine.architecture(project, &cancellation)?, engine.repo_map(project, &request)?))
        })?;
        let mut map = as_printed(&map)?;
        for file in map["files"].as_array_mut().into_iter().flatten() {
            file["uri"] = uri_in(&folder, &file["path"]);
        }
        Ok(Done::Answer(json!({ "folder": folder, "architecture": as_printed(&architecture)?, "map": map })))
    });
    Ok(Reply::Later)
}

/// What is like the code of a range.
pub(super) fn related(
    server: &mut Server,
    id: &RequestId,
    arguments: &RelatedArguments,
) -> anyhow::Result<Reply> {
    let code = one_folder(server, Some(&arguments.uri))?;
    let file = path_of(&arguments.uri).ok_or_else(|| anyhow::anyhow!("uri is not a file"))?;
    let line = arguments.range.start.line + 1;
    let limit = arguments.limit.unwrap_or(10).clamp(1, 100);
    let request = SearchRequest { limit, per_file: PER_FILE, ..SearchRequest::default() };
    server.tasks.start(id.clone(), move |task| {
        let (folder, related) = prepared(&code, Refresh::Ingest, task, |engine, project| {
            let path = engine.path_in_project(project, &code.folder, &file)?;
            engine.related(project, &path, line, &request)
        })?;
        Ok(Done::Answer(json!({ "hits": found(&folder, &related.project, &related.hits)? })))
    });
    Ok(Reply::Later)
}

/// The definition of a symbol and who refers to it.
pub(super) fn symbol(
    server: &mut Server,
    id: &RequestId,
    arguments: SymbolArguments,
) -> anyhow::Result<Reply> {
    let code = one_folder(server, arguments.uri.as_ref())?;
    server.tasks.start(id.clone(), move |task| {
        let request = SymbolRequest {
            limit: arguments.limit.unwrap_or(20).clamp(1, 1_000),
            cancellation: task.cancellation.clone(),
            ..SymbolRequest::default()
        };
        let (folder, (symbol, references)) = prepared(&code, Refresh::Ingest, task, |engine, project| {
            let symbol = engine.symbol(project, &arguments.name, &request)?;
            Ok((symbol, engine.references(project, &arguments.name, &request)?))
        })?;
        let (mut symbol, mut references) = (as_printed(&symbol)?, as_printed(&references)?);
        let subject = &mut symbol["symbol"];
        let (first, last) = (subject["line"].as_u64(), subject["line_end"].as_u64());
        subject["range"] = range_of(line_of(first), line_of(last));
        subject["uri"] = uri_in(&folder, &subject["path"]);
        for reference in references["references"].as_array_mut().into_iter().flatten() {
            reference["uri"] = uri_in(&folder, &reference["path"]);
            let line = line_of(reference["line"].as_u64());
            reference["range"] = range_of(line, line);
        }
        symbol["total"] = references["total"].take();
        symbol["references"] = references["references"].take();
        Ok(Done::Answer(symbol))
    });
    Ok(Reply::Later)
}

fn line_of(line: Option<u64>) -> u32 {
    line.and_then(|line| u32::try_from(line).ok()).unwrap_or(1)
}

fn uri_in(folder: &Path, path: &Value) -> Value {
    json!(uri_of(&folder.join(path.as_str().unwrap_or_default())))
}
