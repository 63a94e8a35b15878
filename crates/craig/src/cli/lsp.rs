//! `craig lsp`: serve editors.

use std::sync::Arc;

use craig_engine::Engine;

use super::failure::Outcome;
use super::session::Session;
use crate::lsp::Setup;

/// Serve editors over the Language Server Protocol on stdio: documentation on hover, explanations of selected code
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Accepted and ignored: stdio is the only transport
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Args, session: &Session) -> anyhow::Result<Outcome> {
    crate::memory::disable_huge_pages();
    let config = session.settings(None).and_then(|settings| session.config(&settings));
    let engine = config.map(|config| Arc::new(Engine::new(&config))).map_err(|error| error.to_string());
    crate::lsp::run(Setup { sources: session.sources(), engine })?;
    Ok(Outcome::Complete)
}
