//! `get_project_metadata`: what a project is made of, and how new its index is.

use craig_engine::{Engine, EngineError, ProjectStatus, ProjectSummary, Statistics};
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::jobs::status_schema;
use super::{About, Call, Effect, Tool, projects};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::schema::{integer, one_of, or_null, text, with};

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Arguments {
    /// Name, reference, id or directory of the project; without it the workspace's.
    project: Option<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_project_metadata",
        title: "Describe a project",
        description: "Statistics of a project: files and bytes by language, chunks, the last ingestion, whether the \
                      directory has changed since, and which model embedded it.",
        output: output(),
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

fn output() -> Value {
    let share = with("files", integer("Files")).with("bytes", integer("Bytes")).object();
    let staleness =
        with("state", one_of("How the directory compares", &["up_to_date", "changed", "unknown"]))
            .with("added", integer("New files"))
            .with("changed", integer("Changed files"))
            .with("removed", integer("Files that are gone"))
            .with("reason", or_null(text("Why it is unknown")))
            .object();
    with("project", projects::summary())
        .with("files", integer("Files, binary ones included"))
        .with("binary_files", integer("Binary files"))
        .with("bytes", integer("Bytes of source"))
        .with("chunks", integer("Chunks that are searched"))
        .with("languages", json!({ "type": "object", "additionalProperties": share }))
        .with("embedder", text("What embedded it"))
        .with("database", text("Database"))
        .with("database_bytes", integer("Bytes of the database and its indexes, all projects together"))
        .with("last_ingestion", status_schema())
        .with("staleness", staleness)
        .object()
}

async fn answer(call: Call<Arguments>) -> Result<Answer, Failure> {
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    let (summary, statistics, status, staleness) =
        call.shared.run(move |engine| look(engine, &project)).await?;
    Answer::of(&json!({
        "project": summary, "files": statistics.files, "binary_files": statistics.binary_files,
        "bytes": statistics.bytes, "chunks": statistics.chunks, "languages": statistics.languages,
        "embedder": statistics.embedder, "database": statistics.database,
        "database_bytes": statistics.database_bytes, "last_ingestion": status, "staleness": staleness,
    }))
}

type Looks = (ProjectSummary, Statistics, ProjectStatus, Value);

fn look(engine: &Engine, project: &str) -> Result<Looks, EngineError> {
    let statistics = engine.statistics(Some(project))?;
    let status = engine.status(project)?;
    let summary = engine.project(project)?;
    let staleness = staleness(engine, project);
    Ok((summary, statistics, status, staleness))
}

fn staleness(engine: &Engine, project: &str) -> Value {
    match engine.check_directory(project) {
        Ok(check) => json!({
            "state": if check.up_to_date { "up_to_date" } else { "changed" }, "added": check.added.len(),
            "changed": check.changed.len(), "removed": check.removed.len(), "reason": null,
        }),
        Err(error) => {
            json!({ "state": "unknown", "added": 0, "changed": 0, "removed": 0, "reason": error.to_string() })
        }
    }
}
