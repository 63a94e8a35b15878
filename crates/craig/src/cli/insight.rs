//! `craig insight`: analyses of a project without a model.

pub(crate) mod architecture;
mod dependencies;
mod quality;
mod relations;

use std::fmt::Display;
use std::io;

use clap::Subcommand;
use craig_engine::{Cancellation, Engine, EngineError, SymbolRequest};

use super::failure::Outcome;
use super::global::Format;
use super::impact;
use super::output::{BOLD, DIM, styled};
use super::project::ProjectArg;
use super::session::Session;

/// Analyse a project: architecture, dependencies, quality, relations between its parts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    analysis: Analysis,
    /// Answer from the index without looking for changed files
    #[arg(long, global = true)]
    no_refresh: bool,
    /// Maximum number of rows of each table; JSON output is always complete
    #[arg(long, short = 'n', global = true, default_value_t = 15, value_name = "N")]
    limit: usize,
    /// Print only the graph, as Mermaid text
    #[arg(long, global = true)]
    mermaid: bool,
}

#[derive(Debug, Subcommand)]
enum Analysis {
    /// Modules, layers, cycles and entry points
    Architecture(ProjectArg),
    /// Imports between files, uses of packages, and cycles
    Dependencies(ProjectArg),
    /// Complex functions, duplicated code, long files, TODO notes, tests
    Quality(ProjectArg),
    /// The dependencies and dependents of a file or folder, and the files that a change to it affects; for a symbol,
    /// the same as 'craig impact'
    Relations(Between),
}

#[derive(Debug, clap::Args)]
#[command(allow_missing_positional = true)]
struct Between {
    #[command(flatten)]
    project: ProjectArg,
    /// Path of a file or folder, or name of a symbol: 'src/cart.rs', 'src', 'Cart::total'
    target: String,
}

impl Analysis {
    fn project(&self) -> &ProjectArg {
        match self {
            Self::Architecture(project) | Self::Dependencies(project) | Self::Quality(project) => project,
            Self::Relations(between) => &between.project,
        }
    }
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let (engine, project, outcome) = args.analysis.project().prepare(args.no_refresh, session)?;
    let output = &mut session.output;
    // Ctrl-C ends the program.
    let never = Cancellation::default();
    match &args.analysis {
        Analysis::Architecture(_) => {
            let found = engine.architecture(&project, &never)?;
            chart_or(args, &found.mermaid, session, |output| {
                output.show(&found, |columns| architecture::text(&found, args.limit, columns))
            })?;
        }
        Analysis::Dependencies(_) => {
            let found = engine.dependencies(&project, &never)?;
            chart_or(args, &found.mermaid, session, |output| {
                output.show(&found, |columns| dependencies::text(&found, args.limit, columns))
            })?;
        }
        Analysis::Quality(_) => {
            let found = engine.quality(&project, &never)?;
            output.show(&found, |columns| quality::text(&found, args.limit, columns))?;
        }
        Analysis::Relations(between) => {
            let target = between.project.path(&engine, &project, &between.target)?;
            show_relations(args, &engine, &project, &target, session)?;
        }
    }
    Ok(outcome)
}

/// Relations of a file or folder, the impact of a symbol.
fn show_relations(
    args: &Args,
    engine: &Engine,
    project: &str,
    target: &str,
    session: &mut Session,
) -> anyhow::Result<()> {
    let found = engine.relations(project, target, &Cancellation::default())?;
    if found.kind == "symbol" && !args.mermaid {
        let limit = if session.output.format == Format::Json { usize::MAX } else { args.limit };
        let request = SymbolRequest { depth: impact::DEPTH, limit, ..SymbolRequest::default() };
        match engine.impact(project, target, &request) {
            Ok(found) => return Ok(impact::show(&found, &mut session.output)?),
            // Craig does not read the names of its language.
            Err(EngineError::UnknownSymbol { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    chart_or(args, &found.mermaid, session, |output| {
        output.show(&found, |columns| relations::text(&found, args.limit, columns))
    })?;
    Ok(())
}

/// Prints only the chart if it was requested, otherwise the whole answer.
fn chart_or(
    args: &Args,
    chart: &str,
    session: &mut Session,
    show: impl FnOnce(&mut super::output::Output) -> io::Result<()>,
) -> io::Result<()> {
    match args.mermaid {
        true => session.output.text(chart),
        false => show(&mut session.output),
    }
}

/// A heading with what it counts.
pub(crate) fn heading(title: &str, about: impl Display) -> String {
    format!("{}  {}\n", styled(BOLD, title), styled(DIM, about))
}

/// How many rows a table leaves out.
fn rest(shown: usize, total: usize, noun: &str) -> String {
    match total.saturating_sub(shown) {
        0 => String::new(),
        left => styled(DIM, format_args!("and {}", super::units::counted(left as u64, noun))) + "\n",
    }
}
