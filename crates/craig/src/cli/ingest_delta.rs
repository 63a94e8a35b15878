//! `craig ingest-delta`: brings a project up to date.

use super::costs::Costs;
use super::failure::Outcome;
use super::progress::ProgressView;
use super::project::ProjectArg;
use super::session::Session;
use super::{ingest, report};

/// Bring a project up to date by reading only changed files
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
    /// Fail if another process is ingesting the project, instead of waiting for it
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    costs: Costs,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let project = args.project.handle(&engine)?;
    let waiting = ingest::waiting(args.no_wait);
    let report = args.costs.agree(&mut session.output, |consent, output| {
        let mut view = ProgressView::for_ingestion(output);
        let report = engine.ingest_delta(&project, waiting, consent, &mut |progress| view.step(progress));
        view.finish();
        report
    });
    let outcome = report::show(&report?, &mut session.output)?;
    ingest::warn_of_settings(&engine, &project, session)?;
    Ok(outcome)
}
