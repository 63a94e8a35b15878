//! `list_projects`: what is ingested.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::page::{Page, Paging};
use crate::mcp::schema::{Optional, git_origin, integer, list, or_null, text, with};

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Arguments {
    #[serde(flatten)]
    paging: Paging,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "list_projects",
        title: "List projects",
        description: "Lists all ingested projects with their directories, sizes and dates, and which of them is the \
                      workspace's.",
        output: with("projects", list(summary()))
            .with(
                "workspace_project",
                or_null(text("Reference of the project that answers when none is named")),
            )
            .paged()
            .object(),
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

/// One project in a list.
pub(super) fn summary() -> Value {
    with("id", integer("Number of the project"))
        .with("name", text("Name"))
        .with("reference", text("Unique reference: the same in every database"))
        .with("source_path", text("Directory"))
        .with("ingestion_date", text("When it was first ingested, RFC 3339"))
        .with("last_updated", text("When its files last changed here, RFC 3339"))
        .with("content_hash", or_null(text("Hash over all files; null until one ingestion has completed")))
        .with("files", integer("Files, binary ones included"))
        .with("chunks", integer("Chunks that are searched"))
        .with("git", Optional(git_origin()))
        .object()
}

async fn answer(call: Call<Arguments>) -> Result<Answer, Failure> {
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
    let mut answer = Answer::default().with("projects", json!(fitting.items)).with("workspace_project", own);
    page.close(&mut answer.fields, &fitting, "projects", notes);
    Ok(answer)
}
