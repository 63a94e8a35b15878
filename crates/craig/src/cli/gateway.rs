//! `craig gateway`: OpenAI-compatible chat with reranking and context injection over HTTP, and the keys of its clients.

use std::net::SocketAddr;

use clap::Subcommand;
use craig_gateway::usage::{self, Sums};
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
    /// Create, change, rotate or revoke the keys of clients
    Keys(KeysArgs),
    /// Show what was used, by key, model, project or day
    Usage(UsageArgs),
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
    /// Show a key, its limits and what it has used this month
    Show {
        /// Id or name of the key
        key: String,
    },
    /// Change what a key may do; a running gateway sees it within a second
    Set(SetArgs),
    /// Give a key a new value and show it once; the old one stays valid for a while
    Rotate {
        /// Id or name of the key
        key: String,
        /// How long the old value stays valid: 24h, 7d, or until a time
        #[arg(long, default_value = "24h", value_name = "TIME")]
        overlap: String,
    },
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

/// Limits of a key; `none` removes one, and the others stay as they are.
#[derive(Debug, clap::Args)]
struct SetArgs {
    /// Id or name of the key
    key: String,
    /// Requests to models per minute
    #[arg(long, value_name = "N|none", value_parser = limit::<u32>)]
    requests_per_minute: Option<Limit<u32>>,
    /// Tokens of requests and answers per minute
    #[arg(long, value_name = "N|none", value_parser = limit::<u32>)]
    tokens_per_minute: Option<Limit<u32>>,
    /// Concurrent requests to models
    #[arg(long, value_name = "N|none", value_parser = limit::<u32>)]
    concurrent: Option<Limit<u32>>,
    /// Hard budget in US dollars per month: further requests are refused
    #[arg(long, value_name = "USD|none", value_parser = limit::<f64>)]
    budget: Option<Limit<f64>>,
    /// Soft budget in US dollars per month: further answers carry a header, and the log a line
    #[arg(long, value_name = "USD|none", value_parser = limit::<f64>)]
    soft_budget: Option<Limit<f64>>,
    /// Expiry of the key: 30d, 2027-01-31T00:00:00Z, or none
    #[arg(long, value_name = "TIME|none", value_parser = limit::<String>)]
    expires: Option<Limit<String>>,
    /// Models that it may use, by the names that clients use
    #[arg(long, value_name = "NAME,…|none", value_parser = limit::<String>)]
    models: Option<Limit<String>>,
    /// Providers that it may use
    #[arg(long, value_name = "NAME,…|none", value_parser = limit::<String>)]
    providers: Option<Limit<String>>,
    /// Projects that it may search
    #[arg(long, value_name = "NAME,…|none", value_parser = limit::<String>)]
    projects: Option<Limit<String>>,
}

#[derive(Debug, clap::Args)]
struct UsageArgs {
    /// Only this key, by its id or name
    #[arg(long)]
    key: Option<String>,
    /// Only this day or month: 2027-01-31, 2027-01
    #[arg(long, value_name = "TIME")]
    day: Option<String>,
    /// Columns to group by
    #[arg(long, value_delimiter = ',', default_value = "key,model")]
    by: Vec<Part>,
}

/// A column to group usage by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Key,
    Provider,
    Model,
    Project,
    Day,
}

/// A limit, or that there is none.
#[derive(Clone, Debug)]
enum Limit<T> {
    None,
    Is(T),
}

fn limit<T: std::str::FromStr>(text: &str) -> Result<Limit<T>, String> {
    match text {
        "none" => Ok(Limit::None),
        text => text.parse().map(Limit::Is).map_err(|_| format!("{text:?} is neither a limit nor 'none'")),
    }
}

impl<T> Limit<T> {
    fn into_option(self) -> Option<T> {
        match self {
            Self::None => None,
            Self::Is(limit) => Some(limit),
        }
    }
}

impl Limit<String> {
    fn into_list(self) -> Vec<String> {
        let names = self.into_option().unwrap_or_default();
        names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    }
}

impl SetArgs {
    /// Changes a key; its expiry is a time already.
    fn apply(self, expires: Option<Option<String>>, record: &mut keys::KeyRecord) {
        let policy = &mut record.policy;
        fn change<T>(limit: &mut Option<T>, to: Option<Limit<T>>) {
            if let Some(to) = to {
                *limit = to.into_option();
            }
        }
        fn list(names: &mut Vec<String>, to: Option<Limit<String>>) {
            if let Some(to) = to {
                *names = to.into_list();
            }
        }
        change(&mut policy.requests_per_minute, self.requests_per_minute);
        change(&mut policy.tokens_per_minute, self.tokens_per_minute);
        change(&mut policy.concurrent_requests, self.concurrent);
        change(&mut policy.monthly_usd, self.budget);
        change(&mut policy.soft_monthly_usd, self.soft_budget);
        list(&mut policy.models, self.models);
        list(&mut policy.providers, self.providers);
        list(&mut policy.projects, self.projects);
        if let Some(expires) = expires {
            record.expires_at = expires;
        }
    }
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
            let reread = reread(args.address, session);
            craig_gateway::serve_until_stopped(config, reread, std::io::stderr()).map_err(start_refusal)?;
        }
        Some(Command::Keys(KeysArgs { command })) => run_keys(command, &config, session)?,
        Some(Command::Usage(args)) => show_usage(&args, &config, session)?,
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
    config.files.extend(session.sources().user_file);
    Ok(config)
}

/// Reads the configuration again from the same sources.
fn reread(address: Option<SocketAddr>, session: &Session) -> craig_gateway::Reread {
    let global = session.global().clone();
    Box::new(move || {
        config(address, &Session::new(global.clone())).map_err(|error| error.to_string())
    })
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
        KeysCommand::Show { key } => {
            let shown = shown(&key, config)?;
            session.output.show(&shown, |_| shown.text())?;
        }
        KeysCommand::Set(args) => {
            let expires = match args.expires.clone() {
                None => None,
                Some(Limit::None) => Some(None),
                Some(Limit::Is(time)) => Some(Some(keys::time_from_now(&time).map_err(keys_refusal)?)),
            };
            let key = args.key.clone();
            keys::set(file, &key, |record| args.apply(expires, record)).map_err(keys_refusal)?;
            let shown = shown(&key, config)?;
            session.output.show(&shown, |_| shown.text())?;
        }
        KeysCommand::Rotate { key, overlap } => {
            let (record, key) = keys::rotate(file, &key, &overlap).map_err(keys_refusal)?;
            let until = record.replaced.map(|replaced| local_time(&replaced.until)).unwrap_or_default();
            let added = Added { id: record.id, name: record.name, key };
            session.output.show(&added, |_| format!("{}\n", added.key))?;
            session.output.note(format_args!("keep it now; the old one stays valid until {until}"));
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

/// A key, what it may do and what it has used this month.
#[derive(Debug, Serialize)]
struct Shown {
    id: String,
    name: String,
    expires_at: Option<String>,
    /// Until when the value before the last rotation is valid.
    replaced_until: Option<String>,
    policy: keys::Policy,
    used_this_month: Sums,
}

fn shown(key: &str, config: &GatewayConfig) -> anyhow::Result<Shown> {
    let ring = keys::KeyRing::open(&config.keys).map_err(keys_refusal)?;
    let is_meant = |record: &&keys::KeyRecord| record.id == key || record.name == key;
    // Of several keys of a name, the newest is not revoked.
    let record = ring.records().iter().rev().find(is_meant);
    let record = record.ok_or_else(|| keys_refusal(keys::KeysError::Unknown(key.to_owned())))?;
    let month = usage::this_month();
    let mut used_this_month = Sums::default();
    for (of, sums) in read_usage(config)? {
        if of.key == record.id && of.month() == month {
            used_this_month += sums;
        }
    }
    Ok(Shown {
        id: record.id.clone(),
        name: record.name.clone(),
        expires_at: record.expires_at.clone(),
        replaced_until: record.replaced.as_ref().map(|replaced| replaced.until.clone()),
        policy: record.policy.clone(),
        used_this_month,
    })
}

impl Shown {
    fn text(&self) -> String {
        let Self { policy, used_this_month: used, .. } = self;
        let number = |limit: Option<u32>| limit.map_or_else(|| "any".to_owned(), |limit| limit.to_string());
        let usd = |limit: Option<f64>| limit.map_or_else(|| "any".to_owned(), |usd| format!("${usd:.2}"));
        let names = |names: &[String]| if names.is_empty() { "all".to_owned() } else { names.join(", ") };
        let time = |time: &Option<String>| time.as_deref().map_or_else(|| "never".to_owned(), local_time);
        let rows = [
            ("id", self.id.clone()),
            ("expires", time(&self.expires_at)),
            ("requests/minute", number(policy.requests_per_minute)),
            ("tokens/minute", number(policy.tokens_per_minute)),
            ("concurrent", number(policy.concurrent_requests)),
            ("budget/month", format!("{} (soft: {})", usd(policy.monthly_usd), usd(policy.soft_monthly_usd))),
            ("models", names(&policy.models)),
            ("providers", names(&policy.providers)),
            ("projects", names(&policy.projects)),
            (
                "used this month",
                format!(
                    "{} requests, {} tokens in ({} cached), {} out, ${:.4}",
                    used.requests, used.input_tokens, used.cached_tokens, used.output_tokens, used.usd
                ),
            ),
        ];
        let rows = rows.iter().map(|(name, value)| {
            format!("{:<18} {}\n", styled(DIM, name), styled(Default::default(), value))
        });
        format!("{}\n{}", styled(BOLD, &self.name), rows.collect::<String>())
    }
}

/// Usage added up.
#[derive(Debug, Serialize)]
struct UsageRow {
    /// The names of what it is added up by, in the order that was asked for.
    by: Vec<String>,
    #[serde(flatten)]
    sums: Sums,
}

fn read_usage(config: &GatewayConfig) -> anyhow::Result<usage::Usages> {
    usage::read(&config.usage).map_err(|source| {
        let message = format!("cannot read the file of usage {}: {source}", config.usage.display());
        Refusal::new(message, "check its permissions, or name another one in 'gateway.usage'").into()
    })
}

fn show_usage(args: &UsageArgs, config: &GatewayConfig, session: &mut Session) -> anyhow::Result<()> {
    let ring = keys::KeyRing::open(&config.keys).map_err(keys_refusal)?;
    let name_of = |id: &str| {
        let record = ring.records().iter().find(|record| record.id == id);
        record.map_or_else(|| id.to_owned(), |record| record.name.clone())
    };
    let mut sums: std::collections::BTreeMap<Vec<String>, Sums> = Default::default();
    for (of, used) in read_usage(config)? {
        let name = name_of(&of.key);
        let is_meant = args.key.as_ref().is_none_or(|key| *key == of.key || *key == name)
            && args.day.as_ref().is_none_or(|day| of.day.starts_with(day.as_str()));
        if !is_meant {
            continue;
        }
        let part = |part: &Part| match part {
            Part::Key => name.clone(),
            Part::Provider => of.provider.clone(),
            Part::Model => of.model.clone(),
            Part::Project => of.project.clone(),
            Part::Day => of.day.clone(),
        };
        *sums.entry(args.by.iter().map(part).collect()).or_default() += used;
    }
    let rows: Vec<UsageRow> = sums.into_iter().map(|(by, sums)| UsageRow { by, sums }).collect();
    Ok(session.output.show(&rows, |columns| usage_table(&args.by, &rows, columns))?)
}

fn usage_table(by: &[Part], rows: &[UsageRow], columns: Columns) -> String {
    if rows.is_empty() {
        return "no usage recorded\n".to_owned();
    }
    let mut table = Table::new();
    for part in by {
        let name = match part {
            Part::Key => "key",
            Part::Provider => "provider",
            Part::Model => "model",
            Part::Project => "project",
            Part::Day => "day",
        };
        table = table.column(name, Align::Left, Cut::End, BOLD);
    }
    for name in ["requests", "tokens in", "cached", "tokens out", "US dollars"] {
        table = table.column(name, Align::Right, Cut::Never, Default::default());
    }
    for UsageRow { by, sums } in rows {
        let numbers = [sums.requests, sums.input_tokens, sums.cached_tokens, sums.output_tokens];
        let usd = format!("{:.4}", sums.usd);
        table.row(by.iter().cloned().chain(numbers.map(|n| n.to_string())).chain([usd]));
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
        StartError::Usage { .. } => "check its permissions, or set 'gateway.usage' to another file",
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
        KeysError::Time(_) => "write a time as RFC 3339, or from now as a number and a unit: 30d, 12h",
    };
    Refusal::new(error.to_string(), hint).into()
}
