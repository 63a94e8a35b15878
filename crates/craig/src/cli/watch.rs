//! `craig watch`: keeps a project up to date while its files change.

use std::ops::ControlFlow;
use std::time::Duration;

use craig_engine::{IngestReport, WatchEvent};
use serde::Serialize;

use super::costs::Costs;
use super::failure::Outcome;
use super::output::{BOLD, DIM, GOOD, Output, styled};
use super::progress::ProgressView;
use super::project::ProjectArg;
use super::report;
use super::session::Session;
use super::units::{count, seconds};

/// Keep a project up to date while its files change, until Ctrl-C
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
    /// Milliseconds without changes before changed files are read
    #[arg(long, value_name = "MS", default_value_t = 300)]
    debounce_ms: u64,
    #[command(flatten)]
    costs: Costs,
}

/// One line of JSON.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Watching { project: &'a str, notice: Option<&'a str> },
    Updated(&'a IngestReport),
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let handle = args.project.handle(&engine)?;
    let project = engine.project(&handle)?.name;
    let mut written = Ok(());
    let mut view = None;
    let output = &mut session.output;
    let (debounce, consent) = (Duration::from_millis(args.debounce_ms), args.costs.consent());
    engine.watch(&handle, debounce, consent, &mut |event| {
        written = match event {
            WatchEvent::Watching { notice } => report_start(&project, notice, output),
            WatchEvent::Progress(progress) => {
                view.get_or_insert_with(|| ProgressView::beside_results(output)).step(progress);
                return ControlFlow::Continue(());
            }
            WatchEvent::Updated(report) => {
                view.take().into_iter().for_each(ProgressView::finish);
                report_update(report, output)
            }
        };
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    Ok(Outcome::Complete)
}

fn report_start(project: &str, notice: Option<&str>, output: &mut Output) -> std::io::Result<()> {
    notice.into_iter().for_each(|notice| output.warn(notice));
    let line = Line::Watching { project, notice };
    output.summarize(&line, |_| format!("watching {}; press Ctrl-C to stop\n", styled(BOLD, project)))
}

/// Reports an update that changed something.
fn report_update(report: &IngestReport, output: &mut Output) -> std::io::Result<()> {
    report.notes.iter().for_each(|note| output.warn(note));
    report::warn(&report.failed, output);
    let files = report.files;
    if files.differences() == 0 {
        return Ok(());
    }
    output.summarize(&Line::Updated(report), |_| {
        format!(
            "{} {} added, {} changed, {} removed {}\n",
            styled(GOOD, "updated"),
            count(files.added),
            count(files.changed),
            count(files.removed),
            styled(DIM, format_args!("({})", seconds(report.elapsed_s))),
        )
    })
}
