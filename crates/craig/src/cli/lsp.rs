//! `craig lsp`: serve editors.

use super::failure::Outcome;

/// Serve editors over the Language Server Protocol on stdio: documentation on hover, explanations of selections
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Accepted and ignored: stdio is the only transport
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Args) -> anyhow::Result<Outcome> {
    crate::lsp::run()?;
    Ok(Outcome::Complete)
}
