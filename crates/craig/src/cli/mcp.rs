//! `craig mcp`: the engine as tools of a coding assistant.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use craig_engine::{Config, Telemetry};

use super::failure::Outcome;
use super::global::Global;
use super::session::Session;
use crate::mcp::{self, Abilities, AllowedSources, Base, Limits, Settings, Toolset, TracingSettings};
use crate::savings::Log;

/// Serve the Model Context Protocol over stdio or HTTP
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Serve streamable HTTP at this address, such as 127.0.0.1:7310 (port 0: any free port)
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// Web origin whose pages may connect, in addition to those of this machine (may be repeated)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Maximum number of client sessions; when it is reached, a new session ends the one that has been idle longest
    #[arg(long, value_name = "N", requires = "http", default_value_t = 256)]
    max_sessions: usize,
    /// End sessions that have been idle this long
    #[arg(long, value_name = "SECONDS", requires = "http", default_value_t = 1_800, value_parser = clap::value_parser!(u64).range(1..))]
    session_idle: u64,
    /// Workspace: its project answers calls that name no project [default: the client's first root, or otherwise the
    /// working directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Directory or prefix of repository URLs that assistants may ingest in addition to the workspace (may be repeated)
    #[arg(long, value_name = "DIR|URL")]
    allow_source: Vec<String>,
    /// Tools to offer: all, core (explore, grep, read_file and references, for everyday coding), or names
    /// separated by commas
    #[arg(long, value_name = "all|core|NAMES", default_value = "all")]
    tools: Toolset,
    /// Also list the schemas of the tools' answers, for programs that validate answers; language models never see them
    #[arg(long)]
    output_schemas: bool,
    /// Offer only tools that read, and write nothing
    #[arg(long)]
    read_only: bool,
    /// Run the queued jobs of a server that has ended, read from stdin, instead of serving
    #[arg(long, conflicts_with = "http")]
    finish_jobs: bool,
    /// Answer from the index without looking for changed files
    #[arg(long)]
    no_refresh: bool,
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    if args.finish_jobs {
        let database = session.config(&session.settings(None)?)?.database;
        mcp::finish(&session.arguments(&database))?;
        return Ok(Outcome::Complete);
    }
    crate::memory::disable_huge_pages();
    let workspace = Base::find(args.root.as_deref())?;
    let own = session.settings(workspace.directory())?;
    let engine = session.config(&own)?;
    // Other people's assistants are not counted, and a server that only reads writes nothing.
    let answers = args.http.is_none() && !args.read_only && own.is_on("telemetry.enabled");
    let child_arguments = session.arguments(&engine.database);
    let settings = Settings {
        engine: if args.read_only { without_writing(engine) } else { engine },
        sources: session.sources(),
        child_arguments,
        workspace,
        allowed: AllowedSources::parse(&args.allow_source)?,
        roots_grant_access: true,
        abilities: if args.read_only { Abilities::ReadOnly } else { Abilities::All },
        toolset: args.tools,
        lists_output_schemas: args.output_schemas,
        refreshes: !args.no_refresh,
        tracing: TracingSettings {
            otlp_url: own.text("mcp.otlp_url").map(str::to_owned),
            records_questions: own.is_on("telemetry.texts"),
        },
        answers: answers.then(Global::answers_folder).and_then(Result::ok).map(Log::new),
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

/// The engine's configuration for a server that records no statistics of its answers.
fn without_writing(mut engine: Config) -> Config {
    engine.context.telemetry = Telemetry::Off;
    engine.must_exist = true;
    engine.is_read_only = true;
    engine
}
