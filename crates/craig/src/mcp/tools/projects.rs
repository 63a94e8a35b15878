//! `list_projects`: what is ingested.

use craig_engine::{GroupSummary, ProjectSummary};
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
    /// Several projects as one: the name of a group can be given wherever a project is wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupSummary>,
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
    let (projects, groups) = call.shared.run(|engine| Ok((engine.projects()?, engine.groups()?))).await?;
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
    Ok(Projects { projects: fitting.items, groups, workspace_project: own, page }.into())
}
