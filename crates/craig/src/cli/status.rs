//! `craig status`: the status of the newest ingestion of a project.

use craig_engine::{IngestionState, ProjectStatus};

use super::failure::Outcome;
use super::ingest;
use super::output::{BOLD, ERROR, GOOD, LABEL, WARNING, styled};
use super::project::ProjectArg;
use super::session::Session;
use super::units::{count, local_time};
use super::visible::one_line;

/// Show the status of the newest ingestion of a project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let project = args.project.handle(&engine)?;
    let status = engine.status(&project)?;
    session.output.show(&status, |_| text(&status))?;
    ingest::warn_of_settings(&engine, &project, session)?;
    Ok(Outcome::Complete)
}

fn text(status: &ProjectStatus) -> String {
    let (state, style) = match status.status {
        IngestionState::Completed => ("completed", GOOD),
        IngestionState::Failed => ("failed", ERROR),
        IngestionState::InProgress => ("in progress", WARNING),
        IngestionState::Pending => ("pending", WARNING),
    };
    let mut rows = vec![
        ("project", styled(BOLD, &status.project)),
        ("status", styled(style, state)),
        (
            "progress",
            format!(
                "{}%, {} of {} files",
                status.progress,
                count(status.processed_files),
                count(status.total_files)
            ),
        ),
    ];
    let optional = [
        ("current", status.current_file.clone()),
        ("started", status.started_at.as_deref().map(local_time)),
        ("ended", status.completed_at.as_deref().map(local_time)),
        ("error", status.error.clone()),
    ];
    rows.extend(
        optional.into_iter().filter_map(|(label, value)| Some((label, one_line(&value?).into_owned()))),
    );
    rows.iter()
        .map(|(label, value)| format!("{} {value}\n", styled(LABEL, format_args!("{label:<9}"))))
        .collect()
}
