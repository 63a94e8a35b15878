//! `craig lsp`: serve editors.

use std::sync::Arc;

use craig_engine::Engine;

use super::failure::Outcome;
use super::session::Session;
use crate::lsp::Setup;

/// Serve editors over the Language Server Protocol on stdio: search, navigation, and explanations of code
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Accepted for compatibility; stdio is the only transport
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Args, session: &Session) -> anyhow::Result<Outcome> {
    crate::memory::disable_huge_pages();
    let resolved = session.settings(None).and_then(|settings| {
        let config = session.config(&settings)?;
        Ok((config, session.names_database(&settings)))
    });
    let (config, is_named) = match resolved {
        Ok((config, is_named)) => (Ok(config), is_named),
        Err(error) => (Err(error.to_string()), true),
    };
    let engine = config.as_ref().map(|config| Arc::new(Engine::new(config))).map_err(Clone::clone);
    let of_workspaces = config.ok().filter(|_| !is_named);
    crate::lsp::run(Setup { sources: session.sources(), engine, of_workspaces })?;
    Ok(Outcome::Complete)
}
