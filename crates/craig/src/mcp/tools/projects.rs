//! `list_projects`: what is ingested.

use craig_engine::ProjectSummary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::page::{Page, PageEnd, Paging};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct Projects {
    projects: Vec<ProjectSummary>,
    /// Reference of the project that answers when none is named.
    workspace_project: Option<String>,
    #[serde(flatten)]
    page: PageEnd,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "list_projects",
        title: "List projects",
        description: "Lists the projects, and which one is the workspace's.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Projects>, Failure> {
    let page = Page::new(&call.arguments.paging, &call.raw)?;
    let projects = call.shared.run(|engine| engine.projects()).await?;
    // A workspace that is gone has no project either.
    let own = call.shared.own_project().await.unwrap_or_default();
    let notes = match (projects.is_empty(), &own) {
        (true, _) => {
            vec!["nothing is ingested yet: call trigger_ingest with the directory of a project".to_owned()]
        }
        (false, None) => vec![call.shared.no_own_project().in_a_note()],
        (false, Some(_)) => Vec::new(),
    };
    let fitting = page.fit(projects);
    let page = page.end(&fitting, "projects", notes);
    Ok(Projects { projects: fitting.items, workspace_project: own, page }.into())
}
