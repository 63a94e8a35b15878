//! `get_project_metadata`: what a project consists of, and how new its index is.

use craig_engine::{Engine, EngineError, ProjectStatus, ProjectSummary, Statistics, UpdateCheck};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Default: the workspace's.
    project: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Metadata {
    project: ProjectSummary,
    #[serde(flatten)]
    statistics: Statistics,
    last_ingestion: ProjectStatus,
    staleness: Staleness,
}

/// How the directory differs from the index.
#[derive(Serialize, JsonSchema)]
struct Staleness {
    state: Comparison,
    /// New files.
    added: usize,
    /// Changed files.
    changed: usize,
    /// Deleted files.
    removed: usize,
    /// Why the state is unknown.
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Comparison {
    UpToDate,
    Changed,
    Unknown,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_project_metadata",
        title: "Describe a project",
        description: "Returns statistics of a project: files by language, last ingestion, changes since, embedding \
                      model.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Metadata>, Failure> {
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    let metadata = move |engine: &Engine| {
        Ok(Metadata {
            project: engine.project(&project)?,
            statistics: engine.statistics(Some(&project))?,
            last_ingestion: engine.status(&project)?,
            staleness: Staleness::new(engine.check_directory(&project)),
        })
    };
    Ok(call.shared.run(metadata).await?.into())
}

impl Staleness {
    fn new(check: Result<UpdateCheck, EngineError>) -> Self {
        match check {
            Ok(check) => Self {
                state: if check.up_to_date { Comparison::UpToDate } else { Comparison::Changed },
                added: check.added.len(),
                changed: check.changed.len(),
                removed: check.removed.len(),
                reason: None,
            },
            Err(error) => Self {
                state: Comparison::Unknown,
                added: 0,
                changed: 0,
                removed: 0,
                reason: Some(error.to_string()),
            },
        }
    }
}
