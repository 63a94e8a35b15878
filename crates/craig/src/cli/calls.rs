//! `craig callers` and `craig callees`: the callers and callees of a symbol.

use craig_engine::{CallDirection, CallHierarchy, CallRow, SymbolRequest, shell_word};

use super::failure::Outcome;
use super::output::{DIM, GOOD, PATH, styled};
use super::session::Session;
use super::symbol_args::{self, SymbolArgs, unbound_lines};
use super::units::counted;

/// Show the callers of a symbol as a tree
#[derive(Debug, clap::Args)]
pub(crate) struct CallersArgs {
    #[command(flatten)]
    calls: Calls,
}

/// Show the symbols of the project that a symbol calls, as a tree
#[derive(Debug, clap::Args)]
pub(crate) struct CalleesArgs {
    #[command(flatten)]
    calls: Calls,
}

#[derive(Debug, clap::Args)]
struct Calls {
    #[command(flatten)]
    symbol: SymbolArgs,
    /// Number of levels, at most 16
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=16))]
    depth: u32,
    /// Maximum number of rows to show; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100)]
    limit: usize,
}

pub(crate) fn callers(args: &CallersArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    run(&args.calls, CallDirection::In, session)
}

pub(crate) fn callees(args: &CalleesArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    run(&args.calls, CallDirection::Out, session)
}

fn run(args: &Calls, direction: CallDirection, session: &mut Session) -> anyhow::Result<Outcome> {
    let asked = args.symbol.prepare(args.limit, session)?;
    let unbound = (direction == CallDirection::In).then_some(0);
    let request = SymbolRequest { depth: args.depth, unbound, ..asked.request };
    let found = asked.engine.call_hierarchy(&asked.project, &asked.name, direction, &request)?;
    let output = &mut session.output;
    let unbound = found.unbound.as_ref().filter(|unbound| unbound.total > found.total);
    let name = shell_word(&asked.name);
    let unbound =
        unbound.map(|lines| format!("{}: 'craig references {name} --all' lists them", unbound_lines(lines)));
    output.show(&found, |_| text(&found, unbound.as_deref()))?;
    symbol_args::note_others(&found.subject, output);
    symbol_args::note_left_out(found.calls.len(), found.total, "row", found.possible, output);
    if found.other_references > 0 {
        let others = counted(found.other_references, "reference");
        output.note(format_args!("{others} outside calls: see craig references"));
    }
    if let Some(unbound) = unbound.filter(|_| !found.calls.is_empty()) {
        output.note(unbound);
    }
    Ok(asked.outcome)
}

fn text(found: &CallHierarchy, unbound: Option<&str>) -> String {
    let mut text = symbol_args::heading(&found.subject);
    if found.calls.is_empty() {
        let unbound = unbound.map(|unbound| format!("; {unbound}")).unwrap_or_default();
        text += &match found.direction {
            CallDirection::In => format!("no callers found{unbound}\n"),
            CallDirection::Out => "no callees found in this project\n".to_owned(),
        };
    }
    found.calls.iter().for_each(|call| text += &row(call));
    text
}

fn row(call: &CallRow) -> String {
    let indent = "  ".repeat(call.depth as usize);
    let place = match call.kind {
        Some(_) => format!("{}  {}:{}", call.name, styled(PATH, &call.path), styled(GOOD, call.line)),
        None => styled(PATH, &call.path),
    };
    let noun = if call.call_lines.len() == 1 { "line" } else { "lines" };
    let mut about = format!("{noun} {}, {}%", call.lines_text(), call.confidence);
    if call.test {
        about += ", test";
    }
    if call.repeated {
        about += ", shown elsewhere";
    }
    format!("{indent}{place}  {}\n", styled(DIM, about))
}
