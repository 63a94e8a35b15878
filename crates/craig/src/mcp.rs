//! The Model Context Protocol: the engine's operations as tools, resources and prompts.
//!
//! A surface: each tool converts its arguments, makes an engine call, and converts the answer. Nothing but protocol
//! messages goes to stdout.

mod answer;
mod arguments;
mod engines;
mod explainers;
mod failure;
mod freshness;
mod http;
mod injection;
mod jobs;
mod page;
mod prompts;
mod resources;
mod schema;
mod server;
mod tools;
mod uri;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use craig_engine::{Config, Sources};
use rmcp::ServiceExt as _;

pub(crate) use server::Server;

/// What a server is started with.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// What engines are built from.
    pub(crate) engine: Config,
    /// What the settings of a project are made of.
    pub(crate) sources: Sources,
    /// Options with which subprocesses find the same database.
    pub(crate) child_arguments: Vec<OsString>,
    /// Workspace of the assistant.
    pub(crate) root: PathBuf,
    /// Whether a project is brought up to date before an answer.
    pub(crate) refreshes: bool,
}

/// Serves one client on stdin and stdout, until it closes stdin.
pub(crate) fn serve_stdio(settings: Settings) -> anyhow::Result<()> {
    run(async {
        let running = match Server::new(settings).serve(rmcp::transport::stdio()).await {
            Ok(running) => running,
            // The client has gone away before it said anything.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        running.waiting().await?;
        Ok(())
    })
}

/// Serves any number of clients over HTTP, until the process is ended.
pub(crate) fn serve_http(
    settings: Settings,
    address: SocketAddr,
    origins: Vec<String>,
) -> anyhow::Result<()> {
    let gate = http::Gate::new(address, origins)?;
    run(http::serve(Server::new(settings), address, gate))
}

/// Runs a server on two threads for the protocol; the engine works on threads of its own.
///
/// When it has ended, nothing is waited for: an ingestion that is cut off is completed by the next one.
fn run(serving: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(serving);
    runtime.shutdown_background();
    served
}
