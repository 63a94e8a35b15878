//! `craig symbol`: the definition of a symbol.

use craig_engine::SymbolText;

use super::failure::Outcome;
use super::output::{DIM, styled};
use super::session::Session;
use super::symbol_args::{self, SymbolArgs};
use super::units::counted;

/// Show the definition of a symbol: its comment, its code, and the number of references
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    symbol: SymbolArgs,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let asked = args.symbol.prepare(0, session)?;
    let found = asked.engine.symbol(&asked.project, &asked.name, &asked.request)?;
    session.output.show(&found, |_| text(&found))?;
    symbol_args::note_others(&found.subject, &mut session.output);
    Ok(asked.outcome)
}

fn text(found: &SymbolText) -> String {
    let mut text = symbol_args::heading(&found.subject);
    // A docstring is in the text.
    let doc = found.doc.iter().filter(|doc| !doc.lines().all(|line| found.text.contains(line.trim())));
    doc.flat_map(|doc| doc.lines())
        .for_each(|line| text += &format!("{}\n", format!("{:9}{line}", "").trim_end()));
    for (number, line) in (found.line_start..).zip(found.text.lines()) {
        let gap = if line.is_empty() { "" } else { "  " };
        text += &format!("{}{gap}{line}\n", styled(DIM, format_args!("{number:>7}")));
    }
    text += &styled(DIM, counted(found.references, "reference"));
    text + "\n"
}
