//! `craig gateway usage`: what was used, by key, provider, model, project and day.

use craig_gateway::usage::{self, Sums};
use craig_gateway::{GatewayConfig, keys};
use serde::Serialize;

use super::keys::keys_refusal;
use crate::cli::failure::Refusal;
use crate::cli::output::{BOLD, Columns};
use crate::cli::session::Session;
use crate::cli::table::{Align, Cut, Table};

#[derive(Debug, clap::Args)]
pub(super) struct UsageArgs {
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

/// Usage added up.
#[derive(Debug, Serialize)]
struct UsageRow {
    /// The names of what it is added up by, in the order that was asked for.
    by: Vec<String>,
    #[serde(flatten)]
    sums: Sums,
}

pub(super) fn read_usage(config: &GatewayConfig) -> anyhow::Result<usage::Usages> {
    usage::read(&config.usage).map_err(|source| {
        let message = format!("cannot read the file of usage {}: {source}", config.usage.display());
        Refusal::new(message, "check its permissions, or name another one in 'gateway.usage'").into()
    })
}

pub(super) fn run(args: &UsageArgs, config: &GatewayConfig, session: &mut Session) -> anyhow::Result<()> {
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
    for name in ["requests", "estimated", "tokens in", "cached", "tokens out", "US dollars"] {
        table = table.column(name, Align::Right, Cut::Never, Default::default());
    }
    for UsageRow { by, sums } in rows {
        let Sums { requests, estimated, input_tokens, cached_tokens, output_tokens, .. } = *sums;
        let numbers = [requests, estimated, input_tokens, cached_tokens, output_tokens];
        let usd = format!("{:.4}", sums.usd);
        table.row(by.iter().cloned().chain(numbers.map(|n| n.to_string())).chain([usd]));
    }
    table.render(columns)
}
