//! `query_docs`: the documentation of a package, in the version that the project uses.

use craig_engine::{Detail, Engine, NO_ANSWER, PER_FILE, ProjectHit, SearchAnswer, SearchRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hits::{FoundHit, paged, split};
use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::page::{Page, PageEnd, Paging};

/// Number of hits.
const LIMIT: usize = 5;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// As declared: "express".
    package: String,
    /// Question or symbol.
    query: String,
    /// Default: the workspace's.
    project: Option<String>,
    #[serde(flatten)]
    #[schemars(skip)]
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    /// The package with its version: "npm:express@4.19.2". Paths of hits are paths in it.
    package: String,
    hits: Vec<FoundHit>,
    /// Further places that may answer, less likely: path, lines, symbol and score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    #[serde(flatten)]
    page: PageEnd,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "query_docs",
        title: "Search a package",
        description: "Searches the documentation of an installed package in its locked version, once 'craig docs \
                      add' has indexed it.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Found>, Failure> {
    let (arguments, shared) = (&call.arguments, &call.shared);
    let page = Page::new(&arguments.paging, &call.raw)?;
    let request =
        SearchRequest { limit: LIMIT, per_file: PER_FILE, detail: Detail::Lines, ..SearchRequest::default() };
    request.check(&arguments.query)?;
    let project = shared.project_or_own(arguments.project.as_deref()).await?;
    let (package, query) = (arguments.package.clone(), arguments.query.clone());
    let search =
        move |engine: &Engine| engine.search(&engine.package_named(&project, &package)?, &query, &request);
    let project = |answer: &SearchAnswer| answer.project.clone();
    let answer = call.caller.retrieval(&arguments.query, shared.run(search), project).await?;
    let max_bytes = page.budget_bytes();
    let mut notes = answer.notes;
    if !answer.is_answered {
        notes.push(NO_ANSWER.to_owned());
    }
    let package = answer.project;
    let hits = answer.hits.into_iter().map(|hit| ProjectHit { project: package.clone(), hit }).collect();
    let (hits, others) = split(hits, None, answer.is_answered, false);
    let hits = hits.into_iter().map(|found| FoundHit::new(found, true, max_bytes)).collect();
    let (hits, page, links) = paged(page, hits, notes, call.caller.knows_links());
    Ok(Answer { fields: Found { package, hits, others, page }, links })
}
