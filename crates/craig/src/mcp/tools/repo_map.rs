//! `repo_map`: the declarations of a project's central symbols.

use craig_engine::{Engine, MapRequest, MappedFile, MappedSymbol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;

/// Longest map, in tokens.
const MOST_TOKENS: usize = 16_384;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Files or folders to focus on.
    #[serde(default)]
    paths: Vec<String>,
    /// Question or task to focus on.
    query: Option<String>,
    /// Default: the workspace's.
    project: Option<String>,
    /// Default 1024.
    max_tokens: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Shown {
    /// Files, the one with the most central symbol first.
    files: Vec<ShownFile>,
    /// Symbols in the map.
    shown: u64,
    /// Symbols that could be in it.
    total: u64,
    /// Whether the index is as new as the files.
    freshness: StateName,
    /// What to know about this answer.
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ShownFile {
    /// Path relative to the project's directory.
    path: String,
    /// Line and declaration of each symbol, indented by nesting: "  12: def total(self)".
    symbols: Vec<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "repo_map",
        title: "Map central symbols",
        description: "Lists the declarations of the most central types and functions, of the project or for \
                      paths or a query.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Shown>, Failure> {
    let (arguments, shared) = (&call.arguments, &call.shared);
    let project = shared.project_or_own(arguments.project.as_deref()).await?;
    let state = shared.bring_up_to_date(&project).await?;
    let mut request = MapRequest { query: arguments.query.clone(), ..MapRequest::default() };
    for path in &arguments.paths {
        request.paths.push(shared.path_in_project(&project, path).await?);
    }
    request.budget_tokens = arguments.max_tokens.unwrap_or(request.budget_tokens).min(MOST_TOKENS);
    let work = move |engine: &Engine, cancellation| {
        request.cancellation = cancellation;
        engine.repo_map(&project, &request)
    };
    let map = call.run("call", work).await?;
    let mut notes: Vec<String> = state.note(&map.project).into_iter().collect();
    let files: Vec<ShownFile> = map.files.into_iter().map(ShownFile::from).collect();
    if map.total == 0 {
        notes.push("there are no symbols: Craig reads the symbols of none of these files".into());
    }
    let (shown, total) = (map.shown, map.total);
    let note = (!notes.is_empty()).then(|| notes.join(" "));
    Ok(Shown { files, shown, total, freshness: state.name(), note }.into())
}

impl From<MappedFile> for ShownFile {
    fn from(file: MappedFile) -> Self {
        let line = |symbol: &MappedSymbol| {
            format!("{}{}: {}", "  ".repeat(symbol.depth as usize), symbol.line, symbol.signature)
        };
        Self { symbols: file.symbols.iter().map(line).collect(), path: file.path }
    }
}
