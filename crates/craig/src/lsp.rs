//! `craig lsp`: explanations, search and context in editors, over the Language Server Protocol on stdio.

mod addresses;
mod capabilities;
mod commands;
mod configuration;
mod folders;
mod requests;
mod server;
mod symbols;
mod tasks;
mod text;
mod told;

use craig_engine::{Config, Sources};
use lsp_server::Connection;

pub(crate) use server::serve;

/// What a server is started with.
pub(crate) struct Setup {
    /// What the settings of a folder are made of.
    pub(crate) sources: Sources,
    /// What engines are built from; else why there are none, which only those who search need to know.
    pub(crate) engine: Result<Config, String>,
}

/// Serves an editor until it says goodbye or closes the connection.
pub(crate) fn run(setup: Setup) -> anyhow::Result<()> {
    let (connection, threads) = Connection::stdio();
    serve(&connection, setup)?;
    // The writer ends when the last sender is gone.
    drop(connection);
    threads.join()?;
    Ok(())
}
