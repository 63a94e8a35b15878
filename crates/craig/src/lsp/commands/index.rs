//! Commands about the index of the workspace's code.

use craig_engine::{ProjectSummary, Statistics};
use lsp_server::RequestId;
use lsp_types::Uri;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{code_of, folder_of, with_hint};
use crate::json::as_printed;
use crate::lsp::folders::{Code, Folder};
use crate::lsp::messages::Done;
use crate::lsp::server::{Reply, Server};

/// Which folders' indexes are brought up to date.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IngestArguments {
    /// Only the folder that holds it; all folders when not given.
    uri: Option<Uri>,
    /// Whether to rebuild them.
    #[serde(default)]
    rebuild: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PauseArguments {
    paused: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusArguments {
    /// Only the folder that holds it; all folders when not given.
    uri: Option<Uri>,
}

/// Starts it; notifications say how far it is.
pub(super) fn ingest(server: &Server, arguments: &IngestArguments) -> anyhow::Result<Reply> {
    for folder in folders(server, arguments.uri.as_ref())? {
        code_of(folder)?;
        let index = folder.index.iter();
        index.for_each(|index| if arguments.rebuild { index.rebuild() } else { index.look() });
    }
    Ok(Reply::Now(Value::Null))
}

pub(super) fn pause(server: &Server, arguments: &PauseArguments) -> Reply {
    server
        .folders
        .iter()
        .filter_map(|folder| folder.index.as_ref())
        .for_each(|index| index.pause(arguments.paused));
    Reply::Now(Value::Null)
}

/// The current state of the index of each folder.
pub(super) fn status(
    server: &mut Server,
    id: &RequestId,
    arguments: &StatusArguments,
) -> anyhow::Result<Reply> {
    let folders = folders(server, arguments.uri.as_ref())?;
    let code = folders.into_iter().map(code_of).collect::<anyhow::Result<Vec<Code>>>()?;
    server.tasks.start(id.clone(), move |_| {
        let rows = code.iter().map(status_of).collect::<anyhow::Result<Vec<Value>>>()?;
        Ok(Done::Answer(json!({ "folders": rows })))
    });
    Ok(Reply::Later)
}

fn status_of(code: &Code) -> anyhow::Result<Value> {
    let read = || -> Result<Option<(ProjectSummary, Statistics)>, craig_engine::EngineError> {
        let Some(project) = code.engine.project_of_directory(&code.folder)? else { return Ok(None) };
        Ok(Some((code.engine.project(&project)?, code.engine.statistics(Some(&project))?)))
    };
    let mut row =
        json!({ "folder": code.folder, "database": code.engine.database().to_string(), "project": null });
    if let Some((project, statistics)) = read().map_err(with_hint)? {
        row["project"] = as_printed(&project)?;
        row["statistics"] = as_printed(&statistics)?;
    }
    Ok(row)
}

fn folders<'s>(server: &'s Server, uri: Option<&Uri>) -> anyhow::Result<Vec<&'s Folder>> {
    match uri {
        Some(uri) => Ok(vec![folder_of(server, uri)?]),
        None => Ok(server.folders.iter().collect()),
    }
}
