//! `craig serve`: the gateway with the MCP server and a page, for a team.

use std::net::SocketAddr;
use std::time::Duration;

use craig_engine::Secret;

use super::failure::Outcome;
use super::gateway;
use super::session::Session;
use crate::mcp::{self, Abilities, AllowedSources, Base, Limits, Settings, Toolset, TracingSettings};

/// Environment variable with the secret of webhooks.
const WEBHOOK_SECRET: &str = "CRAIG_WEBHOOK_SECRET";

/// Serve search to a team over HTTP: a page, the MCP server and the gateway's endpoints
///
/// Everything is limited to the projects that a client's key may use ('craig gateway keys set NAME --projects a,b').
/// Answers come from the index: 'craig worker' and 'craig ingest' keep it up to date.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Listen at this address (port 0: any free one) [default: 127.0.0.1:7320] [env: CRAIG_GATEWAY_ADDRESS]
    #[arg(long, value_name = "ADDRESS")]
    address: Option<SocketAddr>,
    /// MCP tools to offer: all, core, or names separated by commas
    #[arg(long, value_name = "all|core|NAMES", default_value = "all")]
    tools: Toolset,
    /// Maximum number of MCP sessions; above it, the client with the most sessions loses the one that has been idle longest
    #[arg(long, value_name = "N", default_value_t = 4_096)]
    max_sessions: usize,
    /// End MCP sessions that have been idle this long
    #[arg(long, value_name = "SECONDS", default_value_t = 1_800, value_parser = clap::value_parser!(u64).range(1..))]
    session_idle: u64,
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let limits = Limits { sessions: args.max_sessions, idle: Duration::from_secs(args.session_idle) };
    let services = mcp::services(mcp_settings(args.tools, session)?, limits);
    gateway::serve(args.address, session, move |config| {
        config.team = Some(services.clone());
        config.webhook_secret = webhook_secret();
    })?;
    Ok(Outcome::Complete)
}

/// What webhooks are signed with.
fn webhook_secret() -> Option<Secret> {
    std::env::var(WEBHOOK_SECRET).ok().filter(|secret| !secret.is_empty()).map(|secret| Secret::new(&secret))
}

/// Settings of a server whose clients and projects are on other machines.
fn mcp_settings(toolset: Toolset, session: &Session) -> anyhow::Result<Settings> {
    let settings = session.settings(None)?;
    Ok(Settings {
        engine: session.config(&settings)?,
        sources: session.sources(),
        child_arguments: Vec::new(),
        workspace: Base::Elsewhere,
        allowed: AllowedSources::parse(&[])?,
        roots_grant_access: false,
        abilities: Abilities::ReadOnly,
        toolset,
        lists_output_schemas: false,
        refreshes: false,
        tracing: TracingSettings::default(),
        answers: None,
    })
}
