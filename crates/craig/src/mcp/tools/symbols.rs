//! `read_symbol`, `find_references`, `call_hierarchy`: symbols, from the graph of definitions and references.

use craig_engine::{
    CallDirection, CallHierarchy, Engine, EngineError, ReferenceLine, References, Subject, SymbolRequest,
    SymbolRole, SymbolText,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::{State, StateName};
use crate::mcp::page::{Fitting, Page, PageEnd, Paging, whole_lines};

/// The shortest row as JSON: no page has more of them than fit.
const LEAST_BYTES: usize = 60;

/// Most levels of a call hierarchy.
const MOST_DEPTH: u32 = 8;

/// What all three ask.
#[derive(Deserialize, JsonSchema)]
struct Named {
    /// Name, qualified where several have it: "Cart.total"; or place: "src/cart.py:12".
    name: String,
    /// Default: the workspace's.
    project: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Deserialize, JsonSchema)]
struct OfReferences {
    #[serde(flatten)]
    named: Named,
    /// Only these uses.
    #[serde(default)]
    kind: Vec<SymbolRole>,
    /// Percent, default 50; 0 for all that may be meant.
    min_confidence: Option<u8>,
}

#[derive(Deserialize, JsonSchema)]
struct OfCalls {
    #[serde(flatten)]
    named: Named,
    /// in: callers (default); out: callees.
    direction: Option<CallDirection>,
    /// Levels (default 1).
    depth: Option<u32>,
    /// Percent, default 50.
    min_confidence: Option<u8>,
}

/// The references to a symbol, by file.
#[derive(Serialize, JsonSchema)]
struct ReferencesByFile {
    #[serde(flatten)]
    subject: Subject,
    /// Files in which the symbol is mentioned.
    files: Vec<FileReferences>,
    /// References of at least the confidence asked for, listed or not.
    total: u64,
    /// Files that they are in.
    total_files: u64,
    /// Places that may refer to the symbol with less confidence, left out.
    possible: u64,
}

#[derive(Serialize, JsonSchema)]
struct FileReferences {
    /// Path relative to the project's folder.
    path: String,
    /// Whether it is a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
    /// Places in it, by line.
    lines: Vec<LineReference>,
}

#[derive(Serialize, JsonSchema)]
struct LineReference {
    /// Line, from 1.
    line: u32,
    /// How the symbol is used: call, type, read, write, import, inherit, implement, override.
    role: SymbolRole,
    /// How sure it is that this symbol is meant, in percent.
    confidence: u8,
    /// Qualified name of the definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<String>,
    /// The line, without indentation; a long one is cut.
    text: String,
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
        description: "Returns the definition of a function, type, field or constant by its name: place, signature, comment \
                      and text. Use it when you know a name; query_code if you only know what the code does.",
        effect: Effect::Reads,
    };
    Tool::new(about, read)
}

pub(super) fn references_tool() -> Tool {
    let about = About {
        name: "find_references",
        title: "Find references to a symbol",
        description: "Lists the places that refer to a symbol, with line, role (call, type, read, write, import, inherit, \
                      implement, override), enclosing symbol and confidence. Unlike grep, it leaves out comments, strings and other \
                      symbols of the same name. Use it before you rename or change something.",
        effect: Effect::Reads,
    };
    Tool::new(about, references)
}

pub(super) fn calls_tool() -> Tool {
    let about = About {
        name: "call_hierarchy",
        title: "Show callers or callees",
        description: "Shows who calls a symbol (in) or what it calls (out), as a tree of some levels: how code is reached, \
                      what it sets off, what a change of behaviour affects.",
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
        notes.push(format!("the text is cut: get_file_content reads lines {next} to {end} of {path}"));
    }
    let mut page = page.end_at(None, notes, String::new);
    page.truncated = is_cut;
    Ok(Shown { found, freshness: state.name(), page }.into())
}

async fn references(call: Call<OfReferences>) -> Result<Answer<Shown<ReferencesByFile>>, Failure> {
    let OfReferences { named, kind, min_confidence } = &call.arguments;
    let page = Page::new(&named.paging, &call.raw)?;
    let request = SymbolRequest {
        roles: kind.clone(),
        min_confidence: confidence(*min_confidence),
        limit: limit(page),
        ..SymbolRequest::default()
    };
    let work = |engine: &Engine, project: &str, name: &str, request: &SymbolRequest| {
        engine.references(project, name, request)
    };
    let (found, state) = asked(&call, named, request, work).await?;
    let References { subject, references, total, total_files, possible: n_possible } = found;
    let mut notes = notes(&subject, &state);
    notes.extend(possible(n_possible));
    let fitting = page.fit(references);
    let page = end(page, &fitting, total, "references", notes);
    let files = by_file(fitting.items);
    let found = ReferencesByFile { subject, files, total, total_files, possible: n_possible };
    Ok(Shown { found, freshness: state.name(), page }.into())
}

/// References in the order of their files, each file once.
fn by_file(references: Vec<ReferenceLine>) -> Vec<FileReferences> {
    let mut files: Vec<FileReferences> = Vec::new();
    for ReferenceLine { path, test, line, role, confidence, within, text, .. } in references {
        let found = LineReference { line, role, confidence, within, text };
        match files.last_mut().filter(|file| file.path == path) {
            Some(file) => file.lines.push(found),
            None => files.push(FileReferences { path, test, lines: vec![found] }),
        }
    }
    files
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
        notes.push(format!("references that are no calls: {}; see find_references", found.other_references));
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

/// The end of a page of rows, of which there are `total` in all.
fn end<T>(page: Page, fitting: &Fitting<T>, total: u64, noun: &str, notes: Vec<String>) -> PageEnd {
    let last = page.offset + fitting.items.len();
    page.end_at(fitting.next(), notes, || format!("{noun} {}-{last} of {total}", page.offset + 1))
}

fn notes(subject: &Subject, state: &State) -> Vec<String> {
    let mut notes: Vec<String> = state.note(&subject.project).into_iter().collect();
    if !subject.others.is_empty() {
        notes.push(
            "others have that name, too: to ask about one, give its qualified name or path:line".into(),
        );
    }
    notes
}

fn possible(n: u64) -> Option<String> {
    (n > 0).then(|| format!("possible places that are less sure: {n}; min_confidence 0 shows them"))
}
