//! `craig purge`: removes a project and all its data from the index.

use craig_engine::ProjectSummary;
use serde::Serialize;

use super::failure::{Outcome, Refusal};
use super::output::{BOLD, Output, styled};
use super::progress::ProgressView;
use super::question;
use super::session::Session;
use super::units::counted;

/// Remove a project and all its data from the index; its source files are not touched
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, reference or name of the project
    project: String,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

/// The result.
#[derive(Debug, Serialize)]
struct Purged {
    /// Name of the project.
    project: String,
    /// False if the user answered no.
    purged: bool,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let project = engine.project(&args.project)?;
    if !args.yes && !is_confirmed(&project, &mut session.output)? {
        let kept = Purged { project: project.name, purged: false };
        session.output.summarize(&kept, |_| "nothing was removed\n".to_owned())?;
        return Ok(Outcome::Complete);
    }
    let jobs = engine.jobs_of(&args.project)?;
    let mut view = ProgressView::beside_results(&session.output);
    let removed = engine.purge(&args.project, &mut |progress| view.step(progress));
    view.finish();
    let purged = Purged { project: removed?, purged: true };
    session.output.summarize(&purged, |_| format!("removed {}\n", styled(BOLD, &purged.project)))?;
    for job in jobs {
        let note = format!("job {job} will ingest it again; 'craig jobs remove {job}' prevents that");
        session.output.note(note);
    }
    Ok(Outcome::Complete)
}

fn is_confirmed(project: &ProjectSummary, output: &mut Output) -> anyhow::Result<bool> {
    if !question::can_ask() {
        let message = format!(
            "purge removes {:?} permanently, and there is no terminal for the confirmation",
            project.name
        );
        return Err(Refusal::new(message, "give --yes to remove it without confirmation").into());
    }
    let (name, n_files) = (styled(BOLD, &project.name), counted(project.files, "file"));
    Ok(question::ask(
        &format!("remove {name} ({n_files}) from the index, keeping the files on disk?"),
        output,
    )?)
}
