//! `craig purge`: a project and all its data are removed from the index.

use std::io::{self, BufRead as _, IsTerminal as _};

use craig_engine::Engine;
use serde::Serialize;

use super::failure::{Outcome, Refusal};
use super::output::{BOLD, styled};
use super::session::Session;
use super::units::counted;

/// Remove a project and all its data from the index; its source files are not touched
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, reference or name of the project
    project: String,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// What was removed.
#[derive(Debug, Serialize)]
struct Purged {
    /// Name of the project.
    project: String,
    /// False when the user changed their mind.
    purged: bool,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let mut engine = session.engine()?;
    let status = engine.status(&args.project)?;
    if !args.yes && !is_confirmed(&status.project, &engine, session)? {
        let kept = Purged { project: status.project, purged: false };
        session.output.summarize(&kept, |_| "nothing was removed\n".to_owned())?;
        return Ok(Outcome::Complete);
    }
    let purged = Purged { project: engine.purge(&args.project)?, purged: true };
    session.output.summarize(&purged, |_| format!("removed {}\n", styled(BOLD, &purged.project)))?;
    Ok(Outcome::Complete)
}

fn is_confirmed(project: &str, engine: &Engine, session: &mut Session) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let message = format!("purge removes {project:?} for good, and there is no terminal to ask on");
        return Err(Refusal::new(message, "give --yes to remove it without being asked").into());
    }
    let n_files = engine.projects()?.iter().find(|p| p.name == project).map_or(0, |p| p.files);
    session.output.complain(&format!(
        "remove {} ({}) from the index, not from the disk? [y/N] ",
        styled(BOLD, project),
        counted(n_files, "file"),
    ));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
