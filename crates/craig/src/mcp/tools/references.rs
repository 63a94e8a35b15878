//! `references`: who uses a symbol, as text.

use std::fmt::Write as _;

use craig_engine::{
    CallDirection, CallHierarchy, Engine, EngineError, GraphSymbol, GrepLine, GrepRequest, ReferenceLine,
    References, Subject, SymbolRequest, SymbolRole,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{About, Call, Effect, Tool};
use crate::mcp::failure::Failure;

/// Lines of an answer.
const MOST_ROWS: usize = 120;

/// Other lines that have the name are listed if there are no more.
const MOST_UNBOUND: u64 = 20;

/// Most levels of callers.
const MOST_DEPTH: u32 = 6;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Name, qualified where several have it: "Cart.total"; or place: "src/cart.py:12".
    name: String,
    /// Levels of callers: 2 for the callers of its callers, too (default 1).
    depth: Option<u32>,
    /// Default: the workspace's.
    project: Option<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "references",
        title: "Find references to a symbol",
        description: "Lists every use of a function, type, field or constant with its enclosing function, by what the name is bound to; \
                      then the other lines that have the name, so that no grep is needed after it. Call it before changing \
                      something; depth follows the callers of its callers.",
        effect: Effect::Reads,
    };
    Tool::of_text(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<String, Failure> {
    let Arguments { name, depth, project } = &call.arguments;
    let depth = depth.unwrap_or(1).clamp(1, MOST_DEPTH);
    let project = call.project_or_ingested(project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let name = call.shared.path_in_project(&project, name).await?;
    let work = move |engine: &Engine, cancellation| {
        let request = SymbolRequest { depth, limit: MOST_ROWS, cancellation, ..SymbolRequest::default() };
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
        let calls = engine.call_hierarchy(project, name, CallDirection::In, request)?;
        write_callers(&mut text, &calls);
        write_uses(&mut text, &found, &[SymbolRole::Call]);
    }
    if found.references.len() as u64 == found.total {
        write_unbound(&mut text, engine, project, &found)?;
    }
    Ok(text)
}

/// What the symbol is, and which others have its name.
fn heading(subject: &Subject) -> String {
    let symbol = &subject.symbol;
    let mut text = format!(
        "{} {}  {}:{}-{}\n",
        symbol.kind.as_str(),
        symbol.name,
        symbol.path,
        symbol.line,
        symbol.line_end
    );
    if let Some(line) = subject.inner_line {
        let _ = writeln!(text, "around line {line}, where no name is defined");
    }
    for other in &subject.also_defined {
        let _ = writeln!(text, "also {}:{}-{}", other.path, other.line, other.line_end);
    }
    for other in &subject.others {
        let _ = writeln!(text, "not {} {}  {}:{}", other.kind.as_str(), other.name, other.path, other.line);
    }
    text
}

/// The uses by file, but those of some kinds.
fn write_uses(text: &mut String, found: &References, without: &[SymbolRole]) {
    let uses: Vec<_> = found.references.iter().filter(|found| !without.contains(&found.role)).collect();
    if found.references.is_empty() {
        text.push_str("nothing refers to it\n");
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
        let _ = writeln!(text, "{n_more} more in {} files in all", found.total_files);
    }
}

/// Lines that have the symbol's name and are not bound to it: a call whose receiver is unknown, a comment, another symbol.
fn write_unbound(
    text: &mut String,
    engine: &Engine,
    project: &str,
    found: &References,
) -> Result<(), EngineError> {
    let symbol = &found.subject.symbol;
    let name = symbol.name.rsplit(['.', ':']).next().unwrap_or(&symbol.name);
    let request =
        GrepRequest { literal: true, whole_words: true, limit: MOST_ROWS, ..GrepRequest::default() };
    let words = engine.grep(project, name, &request)?;
    let is_bound = |line: &&GrepLine| {
        let is_reference = |used: &ReferenceLine| used.path == line.path && used.line == line.line;
        let is_definition = |other: &GraphSymbol| other.path == line.path && other.line == line.line;
        let of_name = [symbol].into_iter().chain(&found.subject.also_defined).chain(&found.subject.others);
        found.references.iter().any(is_reference) || of_name.into_iter().any(is_definition)
    };
    let unbound: Vec<&GrepLine> = words.lines.iter().filter(|line| !is_bound(line)).collect();
    let n_unseen = words.total_lines.saturating_sub(words.lines.len() as u64);
    if unbound.len() as u64 + n_unseen > MOST_UNBOUND {
        let _ =
            writeln!(text, "{} more lines have the word {name}: see grep", unbound.len() as u64 + n_unseen);
        return Ok(());
    }
    let _ = match unbound.is_empty() {
        true => writeln!(text, "no other line has the word {name}"),
        false => writeln!(text, "all other lines with the word {name}"),
    };
    for line in unbound {
        let (first, last) = line.symbol_lines.unwrap_or_default();
        let within = line.symbol.as_deref().map(|symbol| format!("  in {symbol} {first}-{last}"));
        let within = within.unwrap_or_default();
        let _ = writeln!(text, "{}:{}\t{}{within}", line.path, line.line, line.text.trim());
    }
    Ok(())
}

fn write_callers(text: &mut String, found: &CallHierarchy) {
    text.push_str(if found.calls.is_empty() { "nothing calls it\n" } else { "called by\n" });
    for caller in &found.calls {
        let lines: Vec<_> = caller.call_lines.iter().map(u32::to_string).collect();
        let name = if caller.kind.is_some() { caller.name.as_str() } else { "top level" };
        let again = if caller.repeated { " (above)" } else { "" };
        let indent = "  ".repeat(caller.depth as usize);
        let place = format!("{}:{}-{}", caller.path, caller.line, caller.line_end);
        let _ = writeln!(text, "{indent}{name}  {place} at {}{again}", lines.join(", "));
    }
    let n_more = found.total.saturating_sub(found.calls.len() as u64);
    if n_more > 0 {
        let _ = writeln!(text, "  {n_more} more");
    }
}
