//! `craig gateway keys`: the keys of clients and what they may do.

use clap::Subcommand;
use craig_gateway::usage::{self, Sums};
use craig_gateway::{GatewayConfig, keys};
use serde::Serialize;

use super::usage::read_usage;
use crate::cli::failure::Refusal;
use crate::cli::output::{BOLD, Columns, DIM, styled};
use crate::cli::session::Session;
use crate::cli::table::{Align, Cut, Table};
use crate::cli::units::local_time;

#[derive(Debug, clap::Args)]
pub(super) struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Create a key and show it once
    Add {
        /// Name of the client
        name: String,
        #[command(flatten)]
        limits: Limits,
    },
    /// List all keys
    List,
    /// Show a key, its limits and its usage this month
    Show {
        /// Id or name of the key
        key: String,
    },
    /// Change the limits of a key; a running gateway applies them within a second
    Set {
        /// Id or name of the key
        key: String,
        #[command(flatten)]
        limits: Limits,
    },
    /// Give a key a new value and show it once; the old one stays valid for a while
    Rotate {
        /// Id or name of the key
        key: String,
        /// How long the old value stays valid: a duration such as 24h or 7d, or a time
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
    /// The projects that it may search; empty if it may search all.
    projects: Vec<String>,
}

/// Limits of a key; `none` removes one, and the others stay as they are.
#[derive(Debug, clap::Args)]
struct Limits {
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
    /// Soft budget in US dollars per month: further answers carry a header, and it is logged once a month
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

impl Limits {
    /// Returns a function that applies these limits to a key. Fails if the expiry is not a valid time.
    fn change(self) -> Result<impl FnOnce(&mut keys::KeyRecord), keys::KeysError> {
        let expires = match &self.expires {
            None => None,
            Some(Limit::None) => Some(None),
            Some(Limit::Is(time)) => Some(Some(keys::time_from_now(time)?)),
        };
        Ok(move |record: &mut keys::KeyRecord| {
            self.change_policy(&mut record.policy);
            if let Some(expires) = expires {
                record.expires_at = expires;
            }
        })
    }

    fn change_policy(self, policy: &mut keys::Policy) {
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
    }
}

pub(super) fn run(args: KeysArgs, config: &GatewayConfig, session: &mut Session) -> anyhow::Result<()> {
    let file = &config.keys;
    match args.command {
        KeysCommand::Add { name, limits } => {
            let change = limits.change().map_err(keys_refusal)?;
            let (record, key) = keys::add_limited(file, &name, change).map_err(keys_refusal)?;
            let added = Added { id: record.id, name: record.name, key };
            session.output.show(&added, |_| format!("{}\n", added.key))?;
            session.output.note("copy the key now: it is not stored and cannot be shown again");
            note_unknown_projects(&record.policy.projects, session);
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
        KeysCommand::Set { key, limits } => {
            let change = limits.change().map_err(keys_refusal)?;
            let record = keys::set(file, &key, change).map_err(keys_refusal)?;
            let shown = shown(&key, config)?;
            session.output.show(&shown, |_| shown.text())?;
            note_unknown_projects(&record.policy.projects, session);
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

/// An unknown name may be a typo, or belong to a project that will be ingested later. Opens the database only if there are names.
fn note_unknown_projects(names: &[String], session: &mut Session) {
    if names.is_empty() {
        return;
    }
    let Ok(known) = session.project_names() else { return };
    for name in names.iter().filter(|name| !known.contains(name)) {
        session.output.note(format_args!("there is no project {name:?} yet: 'craig list' shows all"));
    }
}

impl Listed {
    fn new(record: &keys::KeyRecord) -> Self {
        Self {
            id: record.id.clone(),
            name: record.name.clone(),
            user: craig_gateway::hashed(&record.id),
            created_at: record.created_at.clone(),
            revoked_at: record.revoked_at.clone(),
            projects: record.policy.projects.clone(),
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
        .column("revoked", Align::Left, Cut::Never, Default::default())
        .column("projects", Align::Left, Cut::End, Default::default());
    for key in list {
        let revoked = key.revoked_at.as_deref().map(local_time).unwrap_or_default();
        let projects = all_unless(&key.projects);
        let made = local_time(&key.created_at);
        table.row([key.id.clone(), key.name.clone(), key.user.clone(), made, revoked, projects]);
    }
    table.render(columns)
}

/// Names that a key is limited to.
fn all_unless(names: &[String]) -> String {
    if names.is_empty() { "all".to_owned() } else { names.join(", ") }
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
        let time = |time: &Option<String>| time.as_deref().map_or_else(|| "never".to_owned(), local_time);
        let rows = [
            ("id", self.id.clone()),
            ("expires", time(&self.expires_at)),
            ("requests/minute", number(policy.requests_per_minute)),
            ("tokens/minute", number(policy.tokens_per_minute)),
            ("concurrent", number(policy.concurrent_requests)),
            ("budget/month", format!("{} (soft: {})", usd(policy.monthly_usd), usd(policy.soft_monthly_usd))),
            ("models", all_unless(&policy.models)),
            ("providers", all_unless(&policy.providers)),
            ("projects", all_unless(&policy.projects)),
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

pub(super) fn keys_refusal(error: keys::KeysError) -> anyhow::Error {
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
