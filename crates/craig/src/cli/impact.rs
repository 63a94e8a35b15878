//! `craig impact`: the files and symbols that a change of a symbol may affect.

use std::io;

use craig_engine::{Impact, SymbolRequest};

use super::failure::Outcome;
use super::output::{BOLD, Columns, DIM, Output, PATH, styled};
use super::session::Session;
use super::symbol_args::{self, SymbolArgs};
use super::table::{Align, Cut, Table};
use super::units::{count, counted};

/// Default number of steps.
pub(super) const DEPTH: u32 = 3;

/// Show the files and symbols that a change to a symbol may affect, nearest first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    symbol: SymbolArgs,
    /// Number of steps: 1 for direct uses of the symbol
    #[arg(long, value_name = "N", default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(1..=16))]
    depth: u32,
    /// Maximum number of rows of each table; 0 for all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let asked = args.symbol.prepare(args.limit, session)?;
    let request = SymbolRequest { depth: args.depth, ..asked.request };
    let found = asked.engine.impact(&asked.project, &asked.name, &request)?;
    show(&found, &mut session.output)?;
    Ok(asked.outcome)
}

/// Prints the affected files and symbols.
pub(super) fn show(found: &Impact, output: &mut Output) -> io::Result<()> {
    output.show(found, |columns| text(found, columns))?;
    symbol_args::note_others(&found.subject, output);
    symbol_args::note_left_out(found.symbols.len(), found.total_symbols, "symbol", 0, output);
    symbol_args::note_left_out(found.files.len(), found.total_files, "file", found.possible, output);
    if found.goes_further {
        let steps = counted(u64::from(found.depth), "step");
        output.note(format_args!(
            "code more than {steps} away may be affected, too: 'craig impact --depth N' shows it"
        ));
    }
    Ok(())
}

fn text(found: &Impact, columns: Columns) -> String {
    let heading = symbol_args::heading(&found.subject);
    if found.files.is_empty() {
        return heading + "no references found\n";
    }
    let test = |is_test: bool| if is_test { "test" } else { "" }.to_owned();
    let mut files = Table::new()
        .column("distance", Align::Right, Cut::Never, BOLD)
        .column("file", Align::Left, Cut::Start, PATH)
        .column("", Align::Left, Cut::Never, DIM);
    for file in &found.files {
        files.row([file.distance.to_string(), file.path.clone(), test(file.test)]);
    }
    let mut symbols = Table::new()
        .column("distance", Align::Right, Cut::Never, BOLD)
        .column("symbol", Align::Left, Cut::Start, Default::default())
        .column("where", Align::Left, Cut::Start, PATH)
        .column("", Align::Left, Cut::Never, DIM);
    for found in &found.symbols {
        let place = format!("{}:{}", found.symbol.path, found.symbol.line);
        symbols.row([found.distance.to_string(), found.symbol.name.clone(), place, test(found.symbol.test)]);
    }
    let about = format!(
        "a change may affect {} ({} in tests) and {} ({} of tests)",
        counted(found.total_symbols, "symbol"),
        count(found.total_test_symbols),
        counted(found.total_files, "file"),
        count(found.total_tests)
    );
    let symbols =
        if found.symbols.is_empty() { String::new() } else { format!("\n{}", symbols.render(columns)) };
    format!("{heading}{}\n\n{}{symbols}", styled(DIM, about), files.render(columns))
}
