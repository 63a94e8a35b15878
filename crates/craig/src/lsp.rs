//! `craig lsp`: explanations, search and context in editors, over the Language Server Protocol on stdio.

mod addresses;
mod capabilities;
mod code_actions;
mod commands;
mod configuration;
mod folders;
mod hover;
mod index;
mod messages;
mod navigation;
mod open_text;
mod server;
mod stdio;
mod symbols;
mod tasks;
mod text;

use std::sync::Arc;

use craig_engine::{Config, Engine, Sources};

pub(crate) use addresses::uri_of;
pub(crate) use server::serve;

/// Configuration of a server.
pub(crate) struct Setup {
    /// Sources of the settings of a folder.
    pub(crate) sources: Sources,
    /// Answers from the code of all folders; else why there is none, which matters only to searches.
    pub(crate) engine: Result<Arc<Engine>, String>,
    /// Configuration of an engine with a workspace's own database; none where the user names a database.
    pub(crate) of_workspaces: Option<Config>,
}

/// Serves an editor until it ends the session or closes the connection.
pub(crate) fn run(setup: Setup) -> anyhow::Result<()> {
    let (connection, threads) = stdio::connect();
    serve(&connection, setup)?;
    // The writer ends when the last sender is gone.
    drop(connection);
    threads.join()?;
    Ok(())
}
