//! `craig insight`: what can be told of a project without asking any model.

mod architecture;
mod dependencies;
mod quality;
mod relations;

use std::fmt::Display;
use std::io;
use std::path::Path;

use clap::Subcommand;
use craig_engine::Cancellation;

use super::failure::Outcome;
use super::output::{BOLD, DIM, styled};
use super::session::Session;
use super::wanted::Wanted;

/// Analyse a project: its architecture, dependencies, quality, and how its parts are related
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    analysis: Analysis,
    /// Answer from the index as it is, without looking for changed files first
    #[arg(long, global = true)]
    no_refresh: bool,
    /// Rows of each table; the JSON form always holds everything
    #[arg(long, short = 'n', global = true, default_value_t = 15, value_name = "N")]
    limit: usize,
    /// Print the graph alone, as Mermaid text
    #[arg(long, global = true)]
    mermaid: bool,
}

#[derive(Debug, Subcommand)]
enum Analysis {
    /// Modules, layers, entry points, and patterns with their evidence
    Architecture(Of),
    /// Imports between files, packages with the places that use them, cycles
    Dependencies(Of),
    /// Functions by complexity, duplicated code, long files, notes, tests
    Quality(Of),
    /// What a file, folder or symbol uses and is used by, and what a change of it reaches
    Relations(Between),
}

#[derive(Debug, clap::Args)]
struct Of {
    /// Id, reference or name of the project
    project: String,
}

#[derive(Debug, clap::Args)]
struct Between {
    /// Id, reference or name of the project
    project: String,
    /// Path of a file or folder, or name of a symbol: 'src/cart.rs', 'src', 'Cart::total'
    target: String,
}

impl Analysis {
    fn project(&self) -> &str {
        match self {
            Self::Architecture(of) | Self::Dependencies(of) | Self::Quality(of) => &of.project,
            Self::Relations(between) => &between.project,
        }
    }
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let wanted = Wanted {
        handle: Some(args.analysis.project()),
        root: Path::new("."),
        no_refresh: args.no_refresh,
        costs: None,
    };
    let (project, outcome) = wanted.prepare(&engine, &mut session.output)?;
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
            let found = engine.relations(&project, &between.target, &never)?;
            chart_or(args, &found.mermaid, session, |output| {
                output.show(&found, |columns| relations::text(&found, args.limit, columns))
            })?;
        }
    }
    Ok(outcome)
}

/// The chart alone where that was asked for, else the whole answer.
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
fn heading(title: &str, about: impl Display) -> String {
    format!("{}  {}\n", styled(BOLD, title), styled(DIM, about))
}

/// What a table leaves out.
fn rest(shown: usize, total: usize, noun: &str) -> String {
    match total.saturating_sub(shown) {
        0 => String::new(),
        left => styled(DIM, format_args!("and {}", super::units::counted(left as u64, noun))) + "\n",
    }
}
