//! `craig lsp`: explanations in editors, over the Language Server Protocol on stdio.

mod folders;
mod requests;
mod server;
mod text;

use lsp_server::Connection;

/// Serves an editor until it says goodbye or closes the connection.
pub(crate) fn run() -> anyhow::Result<()> {
    let (connection, threads) = Connection::stdio();
    server::serve(&connection)?;
    // The writer ends when the last sender is gone.
    drop(connection);
    threads.join()?;
    Ok(())
}
