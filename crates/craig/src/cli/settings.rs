//! `craig settings`: the effective settings, and the source of each.

use std::borrow::Cow;
use std::path::PathBuf;

use anstyle::Style;
use craig_engine::{DatabaseAddress, Origin, Settings, Value};
use serde::Serialize;

use super::failure::Outcome;
use super::output::{BOLD, Columns, DIM};
use super::session::Session;
use super::table::{Align, Cut, Table};

/// Show all settings, with the source of each value
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Directory whose .craig.toml is read
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Only settings that are set explicitly
    #[arg(long)]
    changed: bool,
}

/// A row of the output.
#[derive(Debug, Serialize)]
pub(super) struct Shown<'a> {
    key: &'a str,
    value: Cow<'a, Value>,
    #[serde(flatten)]
    origin: &'a Origin,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let settings = session.settings(Some(&args.root))?;
    let shown = shown(&settings, args.changed);
    session.output.show(&shown, |columns| text(&shown, columns))?;
    Ok(Outcome::Complete)
}

/// Settings that are set somewhere, even to their default.
pub(super) fn changed(settings: &Settings) -> Vec<Shown<'_>> {
    shown(settings, true)
}

fn shown(settings: &Settings, only_changed: bool) -> Vec<Shown<'_>> {
    let all = settings.iter().map(|(definition, value, origin)| Shown {
        key: definition.key,
        value: without_password(value),
        origin,
    });
    all.filter(|shown| !only_changed || *shown.origin != Origin::Default).collect()
}

/// The value as it may be shown: the address of a server may contain a password, although it is refused then.
fn without_password(value: &Value) -> Cow<'_, Value> {
    match value {
        Value::Text(text) => match DatabaseAddress::from(text.as_str()) {
            DatabaseAddress::Server(address) => Cow::Owned(Value::Text(address.to_string())),
            DatabaseAddress::File(_) => Cow::Borrowed(value),
        },
        _ => Cow::Borrowed(value),
    }
}

impl Shown<'_> {
    /// The setting on one line, with its origin.
    pub(super) fn line(&self) -> String {
        format!("{} = {} ({})", self.key, self.value, place(self.origin))
    }
}

fn text(shown: &[Shown<'_>], columns: Columns) -> String {
    if shown.is_empty() {
        return "all settings have their default values\n".to_owned();
    }
    let mut table = Table::new()
        .column("setting", Align::Left, Cut::Never, BOLD)
        .column("value", Align::Left, Cut::End, Style::new())
        .column("from", Align::Left, Cut::Start, DIM);
    for setting in shown {
        table.row([setting.key.to_owned(), setting.value.to_string(), place(setting.origin)]);
    }
    table.render(columns)
}

fn place(origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::User(path) | Origin::Project(path) => path.display().to_string(),
        Origin::Environment(variable) => variable.clone(),
        Origin::Flag => "command line".to_owned(),
    }
}
