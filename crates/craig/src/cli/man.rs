//! `craig man`: manual pages, from the definition of the command line.

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use super::Cli;
use super::failure::{Outcome, Refusal};
use super::session::Session;

/// Print the manual page of craig or of one of its commands
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Command, such as 'search'
    command: Option<String>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let mut root = Cli::command();
    root.build();
    let mut page = Vec::new();
    Man::new(chosen(&root, args.command.as_deref())?).render(&mut page)?;
    session.output.raw(&page)?;
    Ok(Outcome::Complete)
}

fn chosen(root: &Command, name: Option<&str>) -> Result<Command, Refusal> {
    let Some(name) = name else { return Ok(root.clone()) };
    match root.find_subcommand(name) {
        Some(command) => Ok(command.clone()),
        None => Err(Refusal::new(format!("no command {name:?}"), "'craig --help' lists them")),
    }
}
