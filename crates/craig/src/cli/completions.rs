//! `craig completions`: completions for a shell, from the definition of the command line.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::Cli;
use super::failure::Outcome;
use super::session::Session;

/// Print shell completions
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "craig", &mut script);
    session.output.raw(&script)?;
    Ok(Outcome::Complete)
}
