//! `craig worker`: ingests what the queue of jobs names.

use std::time::Duration;

use craig_engine::{Engine, JobRun, WorkerOptions};
use serde::Serialize;

use super::costs::Costs;
use super::failure::Outcome;
use super::output::{DIM, ERROR, GOOD, Output, styled};
use super::progress::ProgressView;
use super::session::Session;
use super::units::{counted, seconds};

/// How often the queue is read while no job is due.
const POLL: Duration = Duration::from_secs(2);

/// Ingest the jobs of 'craig jobs', until Ctrl-C
///
/// Any number of workers, on any number of machines, may share a database: each job is run by one of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// End when no job is due
    #[arg(long)]
    once: bool,
    /// Name of this worker in 'craig jobs list' [default: HOSTNAME and its process]
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    costs: Costs,
}

/// One line of JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    source: &'a str,
    project: Option<&'a str>,
    files_changed: u64,
    error: Option<String>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let settings = session.settings(None)?;
    let engine = session.engine_with(&settings)?;
    let options = WorkerOptions {
        name: args.name.clone().unwrap_or_else(name),
        source: settings.source(),
        consent: args.costs.consent(),
    };
    let mut outcome = Outcome::Complete;
    loop {
        match run_next(&engine, &options, &session.output) {
            Ok(Some(run)) => {
                if run.outcome.is_err() {
                    outcome = Outcome::Partial;
                }
                report(&run, &mut session.output)?;
                continue;
            }
            Ok(None) => {}
            Err(error) if args.once => return Err(error),
            // The database may be back soon.
            Err(error) => session.output.warn(format_args!("the queue cannot be read: {error}")),
        }
        if args.once {
            return Ok(outcome);
        }
        std::thread::sleep(POLL);
    }
}

fn run_next(engine: &Engine, options: &WorkerOptions, output: &Output) -> anyhow::Result<Option<JobRun>> {
    let mut view = ProgressView::beside_results(output);
    let run = engine.run_next_job(options, &mut |progress| view.step(progress));
    view.finish();
    Ok(run?)
}

fn report(run: &JobRun, output: &mut Output) -> anyhow::Result<()> {
    let source = &run.source;
    match &run.outcome {
        Ok(report) => {
            let files_changed = report.files.differences();
            let line = Line { source, project: Some(&report.project), files_changed, error: None };
            output.summarize(&line, |_| {
                let took = styled(DIM, format_args!("({})", seconds(report.elapsed_s)));
                format!(
                    "{} {}: {} changed {took}\n",
                    styled(GOOD, "ingested"),
                    report.project,
                    counted(files_changed, "file")
                )
            })?;
        }
        Err(error) => {
            let line = Line { source, project: None, files_changed: 0, error: Some(error.to_string()) };
            output.summarize(&line, |_| format!("{} {source}: {error}\n", styled(ERROR, "failed")))?;
        }
    }
    Ok(())
}

/// `build-3, process 4711`, as far as the environment tells.
fn name() -> String {
    let process = std::process::id();
    match std::env::var("HOSTNAME") {
        Ok(host) if !host.is_empty() => format!("{host}, process {process}"),
        _ => format!("process {process}"),
    }
}
