//! `find_related`: code that is like some other code.

use craig_engine::SearchRequest;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::query::{Filters, hit, tell, told};
use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::STATES;
use crate::mcp::page::{Page, Paging};
use crate::mcp::schema::{integer, list, one_of, or_null, text, with};

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Arguments {
    /// Path of the file, as in hits.
    path: String,
    /// Line in the code that others should be like (default: the first).
    line: Option<u32>,
    /// Name, reference, id or directory of the project; without it the workspace's.
    project: Option<String>,
    /// Most hits (default 10).
    limit: Option<usize>,
    /// Which files may answer.
    #[serde(default)]
    only: Option<Filters>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "find_related",
        title: "Find similar code",
        description: "Finds code that is like the code at a line of a file: things that must change alike, repetitions, \
                      examples of the same idea.",
        output: output(),
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

fn output() -> Value {
    let of = with("path", text("Path"))
        .with("line_start", integer("First line"))
        .with("line_end", integer("Last line"))
        .with("symbol_name", or_null(text("Symbol")))
        .object();
    with("of", of)
        .with("hits", list(hit()))
        .with("freshness", one_of("Whether the index is as new as the files", &STATES))
        .paged()
        .object()
}

async fn answer(call: Call<Arguments>) -> Result<Answer, Failure> {
    let arguments = call.arguments;
    let page = Page::new(&arguments.paging, &call.raw)?;
    let project = call.shared.project_or_own(arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let request = SearchRequest {
        limit: arguments.limit.unwrap_or(10).clamp(1, 100),
        ..arguments.only.map(|only| only.request()).unwrap_or_default()
    };
    let line = arguments.line.unwrap_or(1);
    let path = call.shared.path_in_project(&project, &arguments.path).await?;
    let related = call.shared.run(move |engine| engine.related(&project, &path, line, &request)).await?;
    let hits: Vec<Value> =
        related.hits.iter().map(|hit| tell(&related.project, hit, true, page.budget_bytes())).collect();
    let of = json!({
        "path": related.path, "line_start": related.line_start, "line_end": related.line_end,
        "symbol_name": related.symbol_name,
    });
    let answer = Answer::default().with("of", of).with("freshness", state.name());
    let notes = state.note(&related.project).into_iter().collect();
    Ok(told(answer, page, hits, notes, call.caller.knows_links()))
}
