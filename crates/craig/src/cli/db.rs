//! `craig db`: whole databases.

use craig_engine::{Config, CopyReport, Engine};

use super::failure::Outcome;
use super::output::{PATH, styled};
use super::progress::ProgressView;
use super::session::Session;
use super::units::counted;

/// Copy a database, for example from this machine to a PostgreSQL server
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: DbCommand,
}

#[derive(Debug, clap::Subcommand)]
enum DbCommand {
    Copy(CopyArgs),
}

/// Copy all projects, and compare both databases at the end
///
/// The target must have no projects yet. If the command is interrupted, run it again to continue.
#[derive(Debug, clap::Args)]
struct CopyArgs {
    /// Database to copy: a file, or postgres://USER@HOST/DATABASE
    from: String,
    /// Database to create: a file, or postgres://USER@HOST/DATABASE
    to: String,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let DbCommand::Copy(CopyArgs { from, to }) = &args.command;
    let config = session.config(&session.settings(None)?)?;
    let open = |database: &String, must_exist| {
        let database = database.as_str().into();
        Engine::open(&Config { database, must_exist, is_read_only: must_exist, ..config.clone() })
    };
    let (from, to) = (open(from, true)?, open(to, false)?);
    let mut view = ProgressView::beside_results(&session.output);
    let copied = from.copy_database(&to, &mut |progress| view.step(progress));
    view.finish();
    let copied = copied?;
    session.output.show(&copied, |_| text(&copied))?;
    Ok(Outcome::Complete)
}

fn text(CopyReport { database, copied }: &CopyReport) -> String {
    format!(
        "copied {} with {} and {} to {}; both databases have the same content\n",
        counted(copied.projects, "project"),
        counted(copied.files, "file"),
        counted(copied.chunks, "chunk"),
        styled(PATH, database),
    )
}
