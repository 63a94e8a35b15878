//! `find_related`: code that is similar to other code.

use craig_engine::{Detail, NOTHING_ALIKE, PER_FILE, ProjectHit, SearchRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hits::{FoundHit, paged, split};
use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;
use crate::mcp::page::{Page, PageEnd, Paging};

/// Default and maximum number of hits.
const DEFAULT_LIMIT: usize = 10;
const MOST_HITS: usize = 100;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Path, as in hits.
    path: String,
    /// A line of the code (default 1).
    line: Option<u32>,
    /// File, folder or pattern.
    within: Option<String>,
    /// Hits, all with code.
    limit: Option<usize>,
    /// Default: the workspace's.
    project: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct Related {
    of: Place,
    hits: Vec<FoundHit>,
    /// Further places, less similar: path, lines, symbol and score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
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
        description: "Finds code similar to the code at a line: candidates for the same change, duplicates, examples.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Related>, Failure> {
    let (arguments, shared) = (&call.arguments, &call.shared);
    let page = Page::new(&arguments.paging, &call.raw)?;
    let project = shared.project_or_own(arguments.project.as_deref()).await?;
    let state = shared.bring_up_to_date(&project).await?;
    let within = match &arguments.within {
        Some(path) => Some(shared.path_in_project(&project, path).await?),
        None => None,
    };
    let path = shared.path_in_project(&project, &arguments.path).await?;
    let line = arguments.line.unwrap_or(1);
    let request = SearchRequest {
        limit: arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST_HITS),
        per_file: PER_FILE,
        path: within,
        detail: Detail::Lines,
        ..SearchRequest::default()
    };
    let related = shared.run(move |engine| engine.related(&project, &path, line, &request)).await?;
    let mut notes: Vec<String> = state.note(&related.project).into_iter().collect();
    notes.extend(match (related.is_alike, related.hits.is_empty()) {
        (true, _) => None,
        (false, true) => Some("no other code here has a word in common with it".to_owned()),
        (false, false) => Some(NOTHING_ALIKE.to_owned()),
    });
    let hits = related.hits.into_iter();
    let hits = hits.map(|hit| ProjectHit { project: related.project.clone(), hit }).collect();
    let (hits, others) = split(hits, arguments.limit, related.is_alike, false);
    let found = |found: ProjectHit| FoundHit::new(found, true, page.budget_bytes());
    let (hits, page, links) =
        paged(page, hits.into_iter().map(found).collect(), notes, call.caller.knows_links());
    let of = Place {
        path: related.path,
        line_start: related.line_start,
        line_end: related.line_end,
        symbol_name: related.symbol_name,
    };
    Ok(Answer { fields: Related { of, hits, others, freshness: state.name(), page }, links })
}
