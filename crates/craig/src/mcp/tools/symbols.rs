//! `read_symbol`, `call_hierarchy`: symbols, from the graph of definitions and references.

use craig_engine::{CallDirection, CallHierarchy, Engine, EngineError, Subject, SymbolRequest, SymbolText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::{State, StateName};
use crate::mcp::page::{Fitting, Page, PageEnd, Paging, whole_lines};

/// The shortest row as JSON: no page has more of them than fit.
const LEAST_BYTES: usize = 60;

/// Maximum depth of a call hierarchy.
const MOST_DEPTH: u32 = 8;

/// The arguments of both.
#[derive(Deserialize, JsonSchema)]
struct Named {
    /// "Cart.total", or a place: "src/cart.py:12".
    name: String,
    /// Default: the workspace's.
    project: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Deserialize, JsonSchema)]
struct OfCalls {
    #[serde(flatten)]
    named: Named,
    /// in: callers (default).
    direction: Option<CallDirection>,
    /// Levels (default 1).
    depth: Option<u32>,
    /// Percent, default 50.
    min_confidence: Option<u8>,
}

#[derive(Serialize, JsonSchema)]
struct Shown<T> {
    #[serde(flatten)]
    found: T,
    /// Whether the index is as new as the files.
    freshness: StateName,
    #[serde(flatten)]
    page: PageEnd,
}

pub(super) fn read_tool() -> Tool {
    let about = About {
        name: "read_symbol",
        title: "Read a symbol",
        description: "Returns only the definition of a symbol: place, signature, comment and code.",
        effect: Effect::Reads,
    };
    Tool::new(about, read)
}

pub(super) fn calls_tool() -> Tool {
    let about = About {
        name: "call_hierarchy",
        title: "Show callers or callees",
        description: "Shows the callers (in) or callees (out) of a symbol as a tree.",
        effect: Effect::Reads,
    };
    Tool::new(about, calls)
}

async fn read(call: Call<Named>) -> Result<Answer<Shown<SymbolText>>, Failure> {
    let page = Page::new(&call.arguments.paging, &call.raw)?;
    let work = |engine: &Engine, project: &str, name: &str, request: &SymbolRequest| {
        engine.symbol(project, name, request)
    };
    let (mut found, state) = asked(&call, &call.arguments, SymbolRequest::default(), work).await?;
    let mut notes = notes(&found.subject, &state);
    let length = whole_lines(&found.text, page.budget_bytes());
    let is_cut = length < found.text.len();
    if is_cut {
        found.text.truncate(length);
        let (path, end) = (&found.subject.symbol.path, found.subject.symbol.line_end);
        let next = found.line_start as usize + found.text.lines().count();
        notes.push(format!("the text is cut: read lines {next} to {end} of {path} with get_file_content"));
    }
    let mut page = page.end_at(None, notes, String::new);
    page.truncated = is_cut;
    Ok(Shown { found, freshness: state.name(), page }.into())
}

async fn calls(call: Call<OfCalls>) -> Result<Answer<Shown<CallHierarchy>>, Failure> {
    let OfCalls { named, direction, depth, min_confidence } = &call.arguments;
    let page = Page::new(&named.paging, &call.raw)?;
    let direction = direction.unwrap_or(CallDirection::In);
    let request = SymbolRequest {
        depth: depth.unwrap_or(1).clamp(1, MOST_DEPTH),
        min_confidence: confidence(*min_confidence),
        limit: limit(page),
        ..SymbolRequest::default()
    };
    let work = move |engine: &Engine, project: &str, name: &str, request: &SymbolRequest| {
        engine.call_hierarchy(project, name, direction, request)
    };
    let (mut found, state) = asked(&call, named, request, work).await?;
    let mut notes = notes(&found.subject, &state);
    notes.extend(possible(found.possible));
    if found.other_references > 0 {
        notes.push(format!("references outside calls: {}; see references", found.other_references));
    }
    let fitting = page.fit(std::mem::take(&mut found.calls));
    let page = end(page, &fitting, found.total, "rows", notes);
    found.calls = fitting.items;
    Ok(Shown { found, freshness: state.name(), page }.into())
}

/// Asks the engine about a symbol of a project that is brought up to date before.
async fn asked<A, T: Send + 'static>(
    call: &Call<A>,
    named: &Named,
    mut request: SymbolRequest,
    work: impl FnOnce(&Engine, &str, &str, &SymbolRequest) -> Result<T, EngineError> + Send + 'static,
) -> Result<(T, State), Failure> {
    let project = call.shared.project_or_own(named.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let name = call.shared.path_in_project(&project, &named.name).await?;
    let work = move |engine: &Engine, cancellation| {
        request.cancellation = cancellation;
        work(engine, &project, &name, &request)
    };
    Ok((call.run("call", work).await?, state))
}

fn confidence(given: Option<u8>) -> u8 {
    given.unwrap_or(SymbolRequest::default().min_confidence).min(100)
}

/// Rows that are enough for a page.
fn limit(page: Page) -> usize {
    // One more than a page can have shows that there are more.
    page.offset + page.budget_bytes() / LEAST_BYTES + 1
}

/// The end of a page of rows; `total` is the number of all rows.
fn end<T>(page: Page, fitting: &Fitting<T>, total: u64, noun: &str, notes: Vec<String>) -> PageEnd {
    let last = page.offset + fitting.items.len();
    page.end_at(fitting.next(), notes, || format!("{noun} {}-{last} of {total}", page.offset + 1))
}

fn notes(subject: &Subject, state: &State) -> Vec<String> {
    let mut notes: Vec<String> = state.note(&subject.project).into_iter().collect();
    if !subject.others.is_empty() {
        notes.push(
            "other symbols have the same name: to choose one, give its qualified name or path:line".into(),
        );
    }
    notes
}

fn possible(n: u64) -> Option<String> {
    (n > 0).then(|| format!("places of lower confidence: {n}; min_confidence 0 shows them"))
}
