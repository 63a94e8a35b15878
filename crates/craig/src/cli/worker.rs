//! `craig worker`: ingests what the queue of jobs names.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use craig_engine::{Engine, JobRun, TakenJob, WorkerOptions};
use serde::Serialize;

use super::costs::Costs;
use super::failure::Outcome;
use super::output::{DIM, ERROR, GOOD, Output, styled};
use super::progress::ProgressView;
use super::session::Session;
use super::units::{counted, seconds};

/// How often the queue is read while no job is due.
const POLL: Duration = Duration::from_secs(2);

/// How often a worker that waits removes what purges on other machines have left here.
const TIDY: Duration = Duration::from_secs(60);

/// How long an interrupted worker tries to give its job back.
const RETURN_PATIENCE: Duration = Duration::from_secs(2);

/// The job that this process runs, for the handler of signals, which is global as well.
static RUNNING: Mutex<Option<(Arc<Engine>, TakenJob)>> = Mutex::new(None);

/// Ingest the jobs of 'craig jobs', until Ctrl-C
///
/// Any number of workers, on any number of machines, may share a database: each job is run by one of them. A worker that is
/// stopped gives its job back.
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
    let engine = Arc::new(session.engine_with(&settings)?);
    let name = args.name.clone().unwrap_or_else(name);
    let options = WorkerOptions { source: settings.source(), consent: args.costs.consent() };
    let mut outcome = Outcome::Complete;
    let mut tidied = Instant::now();
    loop {
        match run_next(&engine, &name, &options, &session.output) {
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
        if tidied.elapsed() >= TIDY {
            // A database that cannot be read was reported above.
            let _ = engine.remove_orphaned_indexes();
            tidied = Instant::now();
        }
        std::thread::sleep(POLL);
    }
}

fn run_next(
    engine: &Arc<Engine>,
    name: &str,
    options: &WorkerOptions,
    output: &Output,
) -> anyhow::Result<Option<JobRun>> {
    let Some(job) = engine.take_job(name)? else { return Ok(None) };
    *running() = Some((Arc::clone(engine), job.clone()));
    let mut view = ProgressView::beside_results(output);
    let run = engine.run_job(&job, options, &mut |progress| view.step(progress));
    view.finish();
    *running() = None;
    Ok(Some(run?))
}

/// Gives the job that this process runs back to the queue; false if it runs none, or the database does not answer soon.
pub(super) fn return_running_job() -> bool {
    let Some((engine, job)) = running().take() else { return false };
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || done.send(engine.return_job(&job).is_ok()));
    is_done.recv_timeout(RETURN_PATIENCE).unwrap_or(false)
}

fn running() -> std::sync::MutexGuard<'static, Option<(Arc<Engine>, TakenJob)>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
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
