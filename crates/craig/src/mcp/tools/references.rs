//! `references`: the uses of a symbol, as text.

use std::fmt::Write as _;

use craig_engine::{
    CallDirection, CallHierarchy, Engine, EngineError, References, Subject, SymbolRequest, SymbolRole,
    UnboundLines,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{About, Call, Effect, Tool};
use crate::mcp::failure::Failure;

/// Default and maximum number of lines.
const DEFAULT_LIMIT: usize = 120;
const MOST_ROWS: usize = 2_000;

/// Maximum number of other lines with the name that are listed.
const MOST_UNBOUND: usize = 20;

/// Maximum number of levels of callers.
const MOST_DEPTH: u32 = 6;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Name, qualified if ambiguous: "Cart.total"; or place: "src/cart.py:12".
    name: String,
    /// Levels of callers: 2 adds the callers of callers (default 1).
    depth: Option<u32>,
    /// Maximum of uses (default 120).
    limit: Option<usize>,
    /// Default: the workspace's.
    project: Option<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "references",
        title: "Find references to a symbol",
        description: "Lists every bound use of a function, type, field or constant, with the enclosing \
                      function, then the other lines with the name (up to 20), so no grep is needed \
                      afterwards. Call it before changing something; depth adds the callers of callers.",
        effect: Effect::Reads,
    };
    Tool::of_text(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<String, Failure> {
    let Arguments { name, depth, limit, project } = &call.arguments;
    let limit = limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST_ROWS);
    let depth = depth.unwrap_or(1).clamp(1, MOST_DEPTH);
    let project = call.project_or_ingested(project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let name = call.shared.path_in_project(&project, name).await?;
    let work = move |engine: &Engine, cancellation| {
        let unbound = Some(MOST_UNBOUND);
        let request = SymbolRequest { depth, limit, unbound, cancellation, ..SymbolRequest::default() };
        text(engine, &project, &name, &request).map(|text| (project, text))
    };
    let (project, text) = call.run("call", work).await?;
    Ok(state.line(&project) + &text)
}

fn text(engine: &Engine, project: &str, name: &str, request: &SymbolRequest) -> Result<String, EngineError> {
    let found = engine.references(project, name, request)?;
    let mut text = heading(&found.subject);
    if request.depth == 1 {
        write_uses(&mut text, &found, &[]);
    } else {
        let request = SymbolRequest { unbound: None, ..request.clone() };
        let calls = engine.call_hierarchy(project, name, CallDirection::In, &request)?;
        write_callers(&mut text, &calls);
        write_uses(&mut text, &found, &[SymbolRole::Call]);
    }
    if let Some(unbound) = found.unbound.as_ref().filter(|_| found.references.len() as u64 == found.total) {
        write_unbound(&mut text, unbound);
    }
    Ok(text)
}

/// The symbol, and the others that share its name.
fn heading(subject: &Subject) -> String {
    let symbol = &subject.symbol;
    let mut text =
        format!("{} {}  {}:{}-{}\n", symbol.word(), symbol.name, symbol.path, symbol.line, symbol.line_end);
    if let Some(line) = subject.inner_line {
        let _ = writeln!(text, "around line {line}, which defines no name");
    }
    for other in &subject.also_defined {
        let _ = writeln!(text, "also {}:{}-{}", other.path, other.line, other.line_end);
    }
    for other in &subject.others {
        let _ = writeln!(text, "not {} {}  {}:{}", other.word(), other.name, other.path, other.line);
    }
    text
}

/// The uses by file, except some kinds.
fn write_uses(text: &mut String, found: &References, without: &[SymbolRole]) {
    let uses: Vec<_> = found.references.iter().filter(|found| !without.contains(&found.role)).collect();
    if found.references.is_empty() {
        text.push_str("no references found\n");
    }
    let (mut path, mut within) = ("", None);
    for used in &uses {
        if used.path != path {
            (path, within) = (&used.path, None);
            let _ = writeln!(text, "{path}");
        }
        if within != used.within.as_deref() {
            within = used.within.as_deref();
            let (first, last) = used.within_lines.unwrap_or((1, 1));
            let _ = match within {
                Some(within) => writeln!(text, "  {within} {first}-{last}"),
                None => writeln!(text, "  top level"),
            };
        }
        let _ = writeln!(text, "{}\t{} ({})", used.line, used.text, used.role.as_str());
    }
    let n_more = found.total.saturating_sub(found.references.len() as u64);
    if n_more > 0 {
        let _ = writeln!(text, "{n_more} more, in {} files in all: raise limit", found.total_files);
    }
}

/// Lines with the symbol's name that are not bound to it: a call whose receiver is unknown, a comment, another symbol.
fn write_unbound(text: &mut String, unbound: &UnboundLines) {
    let UnboundLines { word, lines, total } = unbound;
    if *total > MOST_UNBOUND as u64 {
        let _ = writeln!(text, "{total} more lines contain the word {word}: use grep");
        return;
    }
    let _ = match lines.is_empty() {
        true => writeln!(text, "no other line contains the word {word}"),
        false => writeln!(text, "all other lines with the word {word}"),
    };
    for line in lines {
        let (first, last) = line.within_lines.unwrap_or_default();
        let within = line.within.as_deref().map(|within| format!("  in {within} {first}-{last}"));
        let _ = writeln!(text, "{}:{}\t{}{}", line.path, line.line, line.text, within.unwrap_or_default());
    }
}

fn write_callers(text: &mut String, found: &CallHierarchy) {
    text.push_str(if found.calls.is_empty() { "no callers found\n" } else { "called by\n" });
    for caller in &found.calls {
        let again = if caller.repeated { " (above)" } else { "" };
        let indent = "  ".repeat(caller.depth as usize);
        let _ = writeln!(text, "{indent}{}{again}", caller.text(""));
    }
    let n_more = found.total.saturating_sub(found.calls.len() as u64);
    if n_more > 0 {
        let _ = writeln!(text, "  {n_more} more: raise limit");
    }
}
