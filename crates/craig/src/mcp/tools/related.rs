//! `find_related`: code that is similar to some other code.

use craig_engine::SearchRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::query::{Filters, FoundHit, paged};
use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;
use crate::mcp::page::{Page, PageEnd, Paging};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Path, as in hits.
    path: String,
    /// A line of the code to compare with (default: the first).
    line: Option<u32>,
    /// Default: the workspace's.
    project: Option<String>,
    /// Maximum number of hits (default 10).
    limit: Option<usize>,
    /// Which files are searched.
    #[serde(default)]
    only: Option<Filters>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct Related {
    of: Place,
    hits: Vec<FoundHit>,
    /// Whether the index is as new as the files.
    freshness: StateName,
    #[serde(flatten)]
    page: PageEnd,
}

/// The code that the hits are similar to.
#[derive(Serialize, JsonSchema)]
struct Place {
    /// Path relative to the project's directory.
    path: String,
    /// First line, from 1.
    line_start: u32,
    /// Last line, inclusive.
    line_end: u32,
    /// Symbol that it defines, or heading.
    symbol_name: Option<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "find_related",
        title: "Find similar code",
        description: "Finds code that is similar to the code at a line of a file: code that has to change in the same way, \
                      repetitions, other examples of an idea.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Related>, Failure> {
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
    let found = |hit| FoundHit::new(&related.project, hit, true, page.budget_bytes());
    let hits = related.hits.into_iter().map(found).collect();
    let notes = state.note(&related.project).into_iter().collect();
    let (hits, page, links) = paged(page, hits, notes, call.caller.knows_links());
    let of = Place {
        path: related.path,
        line_start: related.line_start,
        line_end: related.line_end,
        symbol_name: related.symbol_name,
    };
    Ok(Answer { fields: Related { of, hits, freshness: state.name(), page }, links })
}
