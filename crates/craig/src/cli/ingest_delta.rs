//! `craig ingest-delta`: a project is brought up to date.

use super::failure::Outcome;
use super::progress::ProgressView;
use super::session::Session;
use super::{ingest, report};

/// Bring a project up to date: only files that changed are read
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, reference or name of the project
    project: String,
    /// Fail when another process ingests the project, instead of waiting for it
    #[arg(long)]
    no_wait: bool,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let mut engine = session.engine()?;
    let mut view = ProgressView::of_ingestion(&session.output);
    let waiting = ingest::waiting(args.no_wait);
    let report = engine.ingest_delta(&args.project, waiting, &mut |progress| view.step(progress));
    view.finish();
    report::tell(&report?, &mut session.output)
}
