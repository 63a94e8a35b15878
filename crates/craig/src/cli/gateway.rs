//! `craig gateway`: OpenAI-compatible chat with reranking and context injection over HTTP, and the keys of its clients.

use std::net::SocketAddr;

use clap::Subcommand;
use craig_gateway::{ConfigError, GatewayConfig, StartError, UpstreamsError, keys};
use serde::Serialize;

use super::failure::{Outcome, Refusal};
use super::global::Global;
use super::output::{BOLD, Columns, DIM, styled};
use super::session::Session;
use super::table::{Align, Cut, Table};
use super::units::local_time;

/// Serve OpenAI-compatible chat with reranking and context injection over HTTP
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
    /// Create, list or revoke the keys of clients
    Keys(KeysArgs),
}

#[derive(Debug, clap::Args)]
struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Create a key and show it once
    Add {
        /// Name of the client
        name: String,
    },
    /// List all keys
    List,
    /// Revoke a key; a running gateway refuses it within a second
    Revoke {
        /// Id or name of the key
        key: String,
    },
}

/// A new key.
#[derive(Debug, Serialize)]
struct Added {
    id: String,
    name: String,
    /// The key itself, which cannot be shown again.
    key: String,
}

/// A key in the list.
#[derive(Debug, Serialize)]
struct Listed {
    id: String,
    name: String,
    /// Name of its client in logs.
    user: String,
    created_at: String,
    revoked_at: Option<String>,
}

impl Args {
    /// Whether the command serves, and so handles signals itself.
    pub(crate) fn serves(&self) -> bool {
        self.command.is_none()
    }
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let config = config(args.address, session)?;
    match args.command {
        None => {
            crate::memory::disable_huge_pages();
            craig_gateway::serve_until_stopped(config, std::io::stderr()).map_err(start_refusal)?;
        }
        Some(Command::Keys(KeysArgs { command })) => run_keys(command, &config, session)?,
    }
    Ok(Outcome::Complete)
}

fn config(address: Option<SocketAddr>, session: &Session) -> anyhow::Result<GatewayConfig> {
    let settings = session.settings(None)?;
    let engine = session.config(&settings)?;
    let keys = match settings.is_default("gateway.keys") {
        true => Global::default_keys()?,
        false => std::path::PathBuf::new(),
    };
    let mut config = GatewayConfig::from_settings(&settings, engine, keys).map_err(config_refusal)?;
    config.address = address.unwrap_or(config.address);
    Ok(config)
}

fn run_keys(command: KeysCommand, config: &GatewayConfig, session: &mut Session) -> anyhow::Result<()> {
    let file = &config.keys;
    match command {
        KeysCommand::Add { name } => {
            let (record, key) = keys::add(file, &name).map_err(keys_refusal)?;
            let added = Added { id: record.id, name: record.name, key };
            session.output.show(&added, |_| format!("{}\n", added.key))?;
            session.output.note("copy the key now: it is not stored and cannot be shown again");
        }
        KeysCommand::List => {
            let ring = keys::KeyRing::open(file).map_err(keys_refusal)?;
            let list: Vec<Listed> = ring.records().iter().map(Listed::new).collect();
            session.output.show(&list, |columns| table(&list, columns))?;
        }
        KeysCommand::Revoke { key } => {
            let listed = Listed::new(&keys::revoke(file, &key).map_err(keys_refusal)?);
            session.output.summarize(&listed, |_| format!("revoked {}\n", styled(BOLD, &listed.name)))?;
        }
    }
    Ok(())
}

impl Listed {
    fn new(record: &keys::KeyRecord) -> Self {
        Self {
            id: record.id.clone(),
            name: record.name.clone(),
            user: craig_gateway::hashed(&record.id),
            created_at: record.created_at.clone(),
            revoked_at: record.revoked_at.clone(),
        }
    }
}

fn table(list: &[Listed], columns: Columns) -> String {
    if list.is_empty() {
        return "no keys yet: 'craig gateway keys add NAME' creates one\n".to_owned();
    }
    let mut table = Table::new()
        .column("id", Align::Left, Cut::Never, DIM)
        .column("name", Align::Left, Cut::End, BOLD)
        .column("user in logs", Align::Left, Cut::Never, DIM)
        .column("made", Align::Left, Cut::Never, Default::default())
        .column("revoked", Align::Left, Cut::Never, Default::default());
    for key in list {
        let revoked = key.revoked_at.as_deref().map(local_time).unwrap_or_default();
        table.row([key.id.clone(), key.name.clone(), key.user.clone(), local_time(&key.created_at), revoked]);
    }
    table.render(columns)
}

fn config_refusal(error: ConfigError) -> anyhow::Error {
    let hint = match error {
        ConfigError::Engine(error) => return error.into(),
        ConfigError::Address(_) => "give an IP address and a port: --address 127.0.0.1:7320",
        ConfigError::Upstreams(UpstreamsError::NoKey(_)) => {
            "set it to the provider's key, or unset 'gateway.upstream_key_env' for a provider without one"
        }
        ConfigError::Upstreams(_) => "docs/gateway.md describes the file of 'gateway.upstreams'",
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
        StartError::Unguarded(_) => "without keys, the gateway serves only this machine",
        StartError::Listen { .. } => {
            "choose another port with --address, or stop the process that uses this one"
        }
        StartError::Tls(_) => {
            "both files must be PEM, and the chain must begin with the gateway's own certificate"
        }
        StartError::Upstream(_) => "check 'base_url' and the key of that provider",
        StartError::System(_) => "check the limits of this process, and the system's certificates",
    };
    Refusal::new(error.to_string(), hint).into()
}

fn keys_refusal(error: keys::KeysError) -> anyhow::Error {
    use keys::KeysError;
    let hint = match error {
        KeysError::Unknown(_) => "'craig gateway keys list' shows ids and names",
        KeysError::NameTaken(_) => "choose another name, or revoke that key first",
        KeysError::Malformed { .. } => "restore the file from a backup, or move it away and create new keys",
        KeysError::Io { .. } => "check its permissions, or set 'gateway.keys' to another file",
        KeysError::NoRandom => "try again when the system has fully started",
    };
    Refusal::new(error.to_string(), hint).into()
}
