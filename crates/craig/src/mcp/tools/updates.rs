//! `check_for_updates`: how a directory differs from its index.

use craig_engine::Engine;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Abilities, About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::page::{Page, Paging};
use crate::mcp::schema::{Optional, boolean, git_origin, integer, list, one_of, text, with};

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Arguments {
    /// Name, reference, id or directory of the project; without it the workspace's.
    project: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "check_for_updates",
        title: "Check for changed files",
        description: "Tells which files of the source directory were added, changed or removed since the last ingestion; a \
                      cloned repository is fetched and its newest commit compared. The index stays as it is: \
                      trigger_delta_ingest takes changes in.",
        output: output(),
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

fn output() -> Value {
    let file = with("path", text("Path"))
        .with("change", one_of("What happened", &["added", "changed", "removed", "unreadable"]))
        .with("reason", Optional(text("Why it cannot be read")))
        .object();
    with("project", text("Project"))
        .with("up_to_date", boolean("Nothing differs"))
        .with("added", integer("New files"))
        .with("changed", integer("Changed files"))
        .with("removed", integer("Files that are gone"))
        .with("files", list(file))
        .with("git", Optional(git_origin()))
        .with("newest_commit", Optional(text("Commit that the repository has now")))
        .paged()
        .object()
}

async fn answer(call: Call<Arguments>) -> Result<Answer, Failure> {
    let page = Page::new(&call.arguments.paging, &call.raw)?;
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    let asks_servers = call.shared.abilities == Abilities::All;
    let check = move |engine: &Engine| match asks_servers {
        true => engine.check_updates(&project),
        // What is fetched of a repository is kept.
        false => engine.check_directory(&project),
    };
    let check = call.shared.run(check).await?;
    let changed = [("added", &check.added), ("changed", &check.changed), ("removed", &check.removed)];
    let mut files: Vec<Value> = changed
        .iter()
        .flat_map(|(change, paths)| paths.iter().map(move |path| json!({ "path": path, "change": change })))
        .collect();
    let unreadable = check.failed.iter();
    files.extend(unreadable.map(|f| json!({ "path": f.path, "change": "unreadable", "reason": f.reason })));
    let fitting = page.fit(files);
    let mut answer = Answer::default()
        .with("project", check.project)
        .with("up_to_date", check.up_to_date)
        .with("added", check.added.len())
        .with("changed", check.changed.len())
        .with("removed", check.removed.len())
        .with("files", json!(fitting.items));
    if let Some(git) = &check.git {
        answer = answer.with("git", json!(git)).with("newest_commit", json!(check.newest_commit));
    }
    page.close(&mut answer.fields, &fitting, "files", Vec::new());
    Ok(answer)
}
