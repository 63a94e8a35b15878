//! `craig mcp`: the engine as tools of a coding assistant.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use craig_engine::{Config, Telemetry};

use super::failure::Outcome;
use super::session::Session;
use crate::mcp::{self, Abilities, AllowedSources, Base, Limits, Settings};

/// Serve the Model Context Protocol: on stdin and stdout, or over HTTP
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Serve streamable HTTP at this address instead, such as 127.0.0.1:7310 (port 0: any free one)
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// Web origin whose pages may ask, beside those of this machine (may be repeated)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Sessions of clients at the same time; a further one ends the session that was idle for longest
    #[arg(long, value_name = "N", requires = "http", default_value_t = 256)]
    max_sessions: usize,
    /// End a session that was idle for so long
    #[arg(long, value_name = "SECONDS", requires = "http", default_value_t = 1_800, value_parser = clap::value_parser!(u64).range(1..))]
    session_idle: u64,
    /// Workspace: its project answers where a tool is asked without one [default: the first root that the client names, else
    /// the working directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Directory, or beginning of a repository's URL, that assistants may have ingested beside the workspace (may be repeated)
    #[arg(long, value_name = "DIR|URL")]
    allow_source: Vec<String>,
    /// Leave out every tool that changes something, and write nothing
    #[arg(long)]
    read_only: bool,
    /// Carry out the jobs on stdin that a server had left when it ended, and do not serve
    #[arg(long, conflicts_with = "http")]
    finish_jobs: bool,
    /// Answer from the index as it is, without looking for changed files first
    #[arg(long)]
    no_refresh: bool,
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    if args.finish_jobs {
        let database = session.config(&session.settings(None)?)?.database;
        mcp::finish(&session.arguments(&database))?;
        return Ok(Outcome::Complete);
    }
    let workspace = Base::find(args.root.as_deref())?;
    let engine = session.config(&session.settings(workspace.directory())?)?;
    let child_arguments = session.arguments(&engine.database);
    let settings = Settings {
        engine: if args.read_only { without_writing(engine) } else { engine },
        sources: session.sources(),
        child_arguments,
        workspace,
        allowed: AllowedSources::parse(&args.allow_source)?,
        roots_are_leave: true,
        abilities: if args.read_only { Abilities::ReadOnly } else { Abilities::All },
        refreshes: !args.no_refresh,
    };
    match args.http {
        None => mcp::serve_stdio(settings)?,
        Some(address) => {
            let limits = Limits { sessions: args.max_sessions, idle: Duration::from_secs(args.session_idle) };
            mcp::serve_http(settings, address, &args.allow_origin, limits)?;
        }
    }
    Ok(Outcome::Complete)
}

/// An engine that keeps nothing of what it answers.
fn without_writing(mut engine: Config) -> Config {
    engine.context.telemetry = Telemetry::Off;
    engine
}
