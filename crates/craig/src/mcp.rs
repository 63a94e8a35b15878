//! The Model Context Protocol: the engine's operations as tools, resources and prompts.
//!
//! A surface: each tool converts its arguments, makes an engine call, and converts the answer. Nothing but protocol
//! messages goes to stdout.

mod answer;
mod arguments;
mod engine_calls;
mod failure;
mod freshness;
mod http;
mod jobs;
mod page;
mod prompts;
mod resources;
mod schema;
mod server;
mod sources;
mod stdio;
mod tools;
mod tracing;
mod uri;
mod workspace;

use std::ffi::OsString;
use std::net::SocketAddr;

use axum::Router;
use craig_engine::{Config, Sources};
use rmcp::ServiceExt as _;

use crate::savings::Log;

pub(crate) use http::Limits;
pub(crate) use jobs::finish;
pub(crate) use server::Server;
pub(crate) use sources::AllowedSources;
pub(crate) use tools::{Abilities, Toolset};
pub(crate) use tracing::{Tracing, TracingSettings};
pub(crate) use workspace::Base;

/// Settings of a server.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Configuration of the engine.
    pub(crate) engine: Config,
    /// Sources of a project's settings.
    pub(crate) sources: Sources,
    /// Options for subprocesses, so that they use the same database.
    pub(crate) child_arguments: Vec<OsString>,
    /// Workspace of the assistant, unless the client names another.
    pub(crate) workspace: Base,
    /// Sources that may be ingested in addition to it.
    pub(crate) allowed: AllowedSources,
    /// Whether the roots that clients name may be ingested.
    pub(crate) roots_grant_access: bool,
    /// Its abilities.
    pub(crate) abilities: Abilities,
    /// Which tools it offers of those that it may run.
    pub(crate) toolset: Toolset,
    /// Whether it lists the schemas of its answers, too.
    pub(crate) lists_output_schemas: bool,
    /// Whether a project is brought up to date before an answer.
    pub(crate) refreshes: bool,
    /// Spans of tool calls.
    pub(crate) tracing: TracingSettings,
    /// Where calls of tools are counted.
    pub(crate) answers: Option<Log>,
}

/// Serves one client on stdin and stdout, until it closes stdin.
pub(crate) fn serve_stdio(settings: Settings) -> anyhow::Result<()> {
    run(settings, async |server| {
        let running = match server.serve(stdio::Stdio::new(tokio::io::stdin(), tokio::io::stdout())).await {
            Ok(running) => running,
            // The client disconnected before it sent anything.
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
    origins: &[String],
    limits: Limits,
) -> anyhow::Result<()> {
    let gate = http::Gate::new(address, origins)?;
    let settings = Settings { roots_grant_access: gate.knows_its_clients(), ..settings };
    run(settings, async |server| http::serve(server, address, gate, limits).await)
}

/// Serves the holders of a gateway's keys: each sees the projects of its key, and only reads.
pub(crate) fn services(settings: Settings, limits: Limits) -> Router {
    http::routes_behind_a_gate(Server::new(settings, Tracing::off()), limits)
}

/// Runs a server on two threads for the protocol; the engine works on threads of its own.
///
/// When it ends, by itself or on a signal, queued jobs are handed to another process and the last spans are sent; nothing else
/// is waited for: an interrupted ingestion is completed by the next one.
fn run(settings: Settings, serve: impl AsyncFnOnce(Server) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let tracing = {
        let _context = runtime.enter();
        Tracing::connect(&settings.tracing)?
    };
    let server = Server::new(settings, tracing.clone());
    let (served, exit_code) = runtime.block_on(async {
        tokio::select! {
            served = serve(server.clone()) => (served, None),
            exit_code = signalled() => (Ok(()), Some(exit_code)),
        }
    });
    server.hand_jobs_over();
    runtime.block_on(tracing.flush());
    runtime.shutdown_background();
    if let Some(exit_code) = exit_code {
        std::process::exit(exit_code);
    }
    served
}

/// Waits for a signal that ends the program; returns the exit code for it.
#[cfg(unix)]
async fn signalled() -> i32 {
    use tokio::signal::unix::{SignalKind, signal};
    let of = async |kind: SignalKind| match signal(kind) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    };
    let kind = tokio::select! {
        () = of(SignalKind::interrupt()) => SignalKind::interrupt(),
        () = of(SignalKind::terminate()) => SignalKind::terminate(),
        () = of(SignalKind::hangup()) => SignalKind::hangup(),
    };
    128 + kind.as_raw_value()
}

#[cfg(not(unix))]
async fn signalled() -> i32 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 130,
        Err(_) => std::future::pending().await,
    }
}
