//! `craig gateway`: OpenAI-compatible chat with reranking and context injection over HTTP, and the keys of its clients.

mod keys;
mod usage;

use std::net::SocketAddr;

use clap::Subcommand;
use craig_gateway::{ConfigError, GatewayConfig, StartError, UpstreamsError, WatchedFile};

use super::failure::{Outcome, Refusal};
use super::global::Global;
use super::session::Session;
use keys::{KeysArgs, keys_refusal};
use usage::UsageArgs;

/// Serve the OpenAI and Anthropic APIs over HTTP, with context and reranking
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Listen at this address (port 0: any free one) [default: 127.0.0.1:7320] [env: CRAIG_GATEWAY_ADDRESS]
    #[arg(long, value_name = "ADDRESS")]
    address: Option<SocketAddr>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create, change, rotate or revoke the keys of clients
    Keys(KeysArgs),
    /// Show usage by key, model, project or day
    Usage(UsageArgs),
}

impl Args {
    /// Whether the command serves, and so handles signals itself.
    pub(crate) fn serves(&self) -> bool {
        self.command.is_none()
    }
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let command = match args.command {
        None => {
            serve(args.address, session, |_| ())?;
            return Ok(Outcome::Complete);
        }
        Some(command) => command,
    };
    let config = config(args.address, session)?;
    match command {
        Command::Keys(args) => keys::run(args, &config, session)?,
        Command::Usage(args) => usage::run(&args, &config, session)?,
    }
    Ok(Outcome::Complete)
}

/// Serves until the process is stopped; `adapt` completes the configuration each time that it is read.
pub(super) fn serve(
    address: Option<SocketAddr>,
    session: &Session,
    adapt: impl Fn(&mut GatewayConfig) + Send + Sync + 'static,
) -> anyhow::Result<()> {
    crate::memory::disable_huge_pages();
    let adapted = move |session: &Session| -> anyhow::Result<GatewayConfig> {
        let mut config = config(address, session)?;
        adapt(&mut config);
        Ok(config)
    };
    let first = adapted(session)?;
    let global = session.global().clone();
    let reread = Box::new(move || adapted(&Session::new(global.clone())).map_err(|error| error.to_string()));
    craig_gateway::serve_until_stopped(first, reread, std::io::stderr()).map_err(start_refusal)
}

fn config(address: Option<SocketAddr>, session: &Session) -> anyhow::Result<GatewayConfig> {
    let user_file = session.sources().user_file.map(WatchedFile::new);
    let settings = session.settings(None)?;
    let engine = session.config(&settings)?;
    let keys = match settings.is_default("gateway.keys") {
        true => Global::default_keys()?,
        false => std::path::PathBuf::new(),
    };
    let mut config = GatewayConfig::from_settings(&settings, engine, keys).map_err(config_refusal)?;
    config.address = address.unwrap_or(config.address);
    config.files.extend(user_file);
    Ok(config)
}

fn config_refusal(error: ConfigError) -> anyhow::Error {
    let hint = match error {
        ConfigError::Engine(error) => return error.into(),
        ConfigError::Address(_) => "give an IP address and a port: --address 127.0.0.1:7320",
        ConfigError::AdminAddress(_) => "give an IP address and a port: 127.0.0.1:7321",
        ConfigError::NoAdminToken | ConfigError::WeakAdminToken(_) => {
            "set a variable to the output of 'openssl rand -hex 32', and name it in 'gateway.admin_token_env'"
        }
        ConfigError::Upstreams(UpstreamsError::NoKey(_)) => {
            "set it to the provider's key, or unset 'gateway.upstream_key_env' for a provider without one"
        }
        ConfigError::Upstreams(_) => "docs/gateway.md describes the file of 'gateway.upstreams'",
        ConfigError::Identity(_) => "docs/teams.md describes the file of 'gateway.sign_in'",
        ConfigError::HalfTls => "set both, or terminate TLS in a proxy before the gateway",
        ConfigError::NoRedis(_) => {
            "set it to an address such as redis://127.0.0.1:6379, or unset 'gateway.redis_env'"
        }
    };
    Refusal::new(error.to_string(), hint).into()
}

fn start_refusal(error: StartError) -> anyhow::Error {
    let hint = match error {
        StartError::Engine(error) => return error.into(),
        StartError::Keys(error) => return keys_refusal(error),
        StartError::Usage { .. } => "check its permissions, or set 'gateway.usage' to another file",
        StartError::Unguarded(_) => "without keys, the gateway serves only this machine",
        StartError::Listen { .. } => {
            "choose another port with --address, or stop the process that uses this one"
        }
        StartError::AdminListen { .. } => {
            "choose another port in 'gateway.admin_address', or stop the process that uses this one"
        }
        StartError::Tls(_) => {
            "both files must be PEM, and the chain must begin with the gateway's own certificate"
        }
        StartError::Upstream(_) => "check 'base_url' and the key of that provider",
        StartError::System(_) => "check the limits of this process, and the system's certificates",
    };
    Refusal::new(error.to_string(), hint).into()
}
