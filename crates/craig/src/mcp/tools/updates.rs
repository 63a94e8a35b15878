//! `check_for_updates`: how a directory differs from its index.

use craig_engine::{Engine, GitOrigin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Abilities, About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::page::{Page, PageEnd, Paging};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Default: the workspace's.
    project: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct Updates {
    /// Name of the project.
    project: String,
    /// Whether nothing differs.
    up_to_date: bool,
    /// New files.
    added: usize,
    /// Changed files.
    changed: usize,
    /// Deleted files.
    removed: usize,
    files: Vec<ChangedFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitOrigin>,
    /// Newest commit of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    newest_commit: Option<String>,
    #[serde(flatten)]
    page: PageEnd,
}

#[derive(Serialize, JsonSchema)]
struct ChangedFile {
    /// Path relative to the project's directory.
    path: String,
    change: Change,
    /// Why the file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Change {
    Added,
    Changed,
    Removed,
    Unreadable,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "check_for_updates",
        title: "Check for changed files",
        description: "Lists the files that changed since the last ingestion; of a cloned repository, also its \
                      newest commit.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Updates>, Failure> {
    let page = Page::new(&call.arguments.paging, &call.raw)?;
    let project = call.shared.project_or_own(call.arguments.project.as_deref()).await?;
    let asks_servers = call.shared.abilities == Abilities::All;
    let check = move |engine: &Engine| match asks_servers {
        true => engine.check_updates(&project),
        // Fetching a repository would write.
        false => engine.check_directory(&project),
    };
    let check = call.shared.run(check).await?;
    let (added, changed, removed) = (check.added.len(), check.changed.len(), check.removed.len());
    let with = |change: Change| move |path: String| ChangedFile { path, change, reason: None };
    let mut files: Vec<ChangedFile> = check.added.into_iter().map(with(Change::Added)).collect();
    files.extend(check.changed.into_iter().map(with(Change::Changed)));
    files.extend(check.removed.into_iter().map(with(Change::Removed)));
    files.extend(check.failed.into_iter().map(|failed| ChangedFile {
        path: failed.path,
        change: Change::Unreadable,
        reason: Some(failed.reason),
    }));
    let fitting = page.fit(files);
    let page = page.end(&fitting, "files", Vec::new());
    let fields = Updates {
        project: check.project,
        up_to_date: check.up_to_date,
        added,
        changed,
        removed,
        files: fitting.items,
        newest_commit: check.newest_commit.filter(|_| check.git.is_some()),
        git: check.git,
        page,
    };
    Ok(fields.into())
}
