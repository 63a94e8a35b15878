//! `craig scip`: the graph of symbols as a SCIP index.

use std::path::{Path, PathBuf};

use craig_engine::{Cancellation, ScipExport, SymbolRequest};
use serde::Serialize;

use super::failure::{Outcome, Refusal};
use super::output::{PATH, styled};
use super::project::ProjectArg;
use super::session::Session;
use super::units::{bytes, counted};

/// Export the symbols of a project as a SCIP index, an exchange format for code intelligence
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
    /// File to write
    #[arg(long, short, value_name = "FILE", default_value = "index.scip")]
    output: PathBuf,
    /// Minimum confidence of a reference, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = SymbolRequest::default().min_confidence,
          value_parser = clap::value_parser!(u8).range(0..=100))]
    min_confidence: u8,
    /// Export the index without checking for changed files
    #[arg(long)]
    no_refresh: bool,
}

/// The written index.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    export: &'a ScipExport,
    output: &'a Path,
    bytes: usize,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let (engine, project, outcome) = args.project.prepare(args.no_refresh, session)?;
    // Ctrl-C ends the program.
    let export = engine.scip(&project, args.min_confidence, &Cancellation::default())?;
    let output = args.output.as_path();
    std::fs::write(output, &export.bytes).map_err(|error| {
        Refusal::new(format!("cannot write {}: {error}", output.display()), "name another file with --output")
    })?;
    let written = Written { export: &export, output, bytes: export.bytes.len() };
    session.output.summarize(&written, |_| text(&written))?;
    Ok(outcome)
}

fn text(written: &Written<'_>) -> String {
    let ScipExport { documents, symbols, occurrences, .. } = written.export;
    format!(
        "{}: {}, {}, {}, {}\n",
        styled(PATH, written.output.display()),
        counted(*documents, "file"),
        counted(*symbols, "symbol"),
        counted(*occurrences, "occurrence"),
        bytes(written.bytes as u64)
    )
}
