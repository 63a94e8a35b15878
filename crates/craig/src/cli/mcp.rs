//! `craig mcp`: the engine as tools of a coding assistant.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::failure::Outcome;
use super::session::Session;
use crate::mcp::{self, Settings};

/// Serve the Model Context Protocol: on stdin and stdout, or over HTTP
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Serve streamable HTTP at this address instead, such as 127.0.0.1:7310 (port 0: any free one)
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// Web origin whose pages may ask, beside those of this machine (may be repeated)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Workspace: its project answers where a tool is asked without one
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Answer from the index as it is, without looking for changed files first
    #[arg(long)]
    no_refresh: bool,
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.config(&session.settings(Some(&args.root))?)?;
    let child_arguments = session.arguments(&engine.database);
    let settings = Settings {
        engine,
        sources: session.sources(),
        child_arguments,
        root: args.root,
        refreshes: !args.no_refresh,
    };
    match args.http {
        None => mcp::serve_stdio(settings)?,
        Some(address) => mcp::serve_http(settings, address, args.allow_origin)?,
    }
    Ok(Outcome::Complete)
}
