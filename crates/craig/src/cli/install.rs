//! `craig install` and `craig uninstall`: add Craig to the configuration of coding assistants, and remove it.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::failure::{Outcome, Refusal};
use super::global::Global;
use super::output::{BOLD, GOOD, LABEL, Output, PATH, styled};
use super::question;
use super::session::Session;
use crate::assistants::{ASSISTANTS, Assistant, Change, Places, Plan, Refused, extensions};
use crate::installation::{self, EXTENSION, Installer};

/// Add Craig to the configuration of the coding assistants on this machine
///
/// Shows the changes, asks, and writes them: an MCP server, and a short note on when to use it. 'craig uninstall'
/// reverts exactly these changes.
#[derive(Debug, clap::Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    choice: Choice,
}

/// Remove Craig from the configuration of the coding assistants on this machine
#[derive(Debug, clap::Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    choice: Choice,
    /// Remove it from all assistants, and list what remains of Craig on this machine and how to remove it
    #[arg(long, conflicts_with = "agent")]
    all: bool,
}

#[derive(Debug, clap::Args)]
struct Choice {
    /// Only this assistant, even if it was not found (may be repeated) [default: all that are found]
    #[arg(long, value_name = "NAME", value_parser = ids())]
    agent: Vec<String>,
    /// Write without asking
    #[arg(long, short)]
    yes: bool,
    /// Show the changes without writing them
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

fn ids() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(ASSISTANTS.iter().map(|assistant| assistant.id))
}

/// The result for one assistant.
#[derive(Debug, Serialize)]
struct Row {
    agent: &'static str,
    name: &'static str,
    files: Vec<FileRow>,
    /// Whether the files now have the desired content.
    done: bool,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct FileRow {
    path: String,
    change: &'static str,
    diff: String,
}

pub(crate) fn install(args: &InstallArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let places = places()?;
    let program = installation::program()?;
    let installer = Installer::from_path(&program.canonicalize()?);
    if installer.is_temporary {
        session.output.warn(format_args!(
            "{} is in the cache of {}, which may be cleared: install Craig before you connect assistants to it",
            program.display(),
            installer.name
        ));
    }
    let chosen = chosen(&args.choice, &places)?;
    let plan = |assistant: &Assistant, journal: &Path| {
        Plan::install(assistant, &places, journal, &program.to_string_lossy())
    };
    let rows = carry_out(&chosen, &args.choice, plan, session)?;
    session.output.summarize(&rows, |_| {
        rows.iter().map(|row| summary(row, "installed; restart it to see the tools")).collect()
    })?;
    let has_editor = chosen.iter().any(|assistant| assistant.id == "vscode");
    if has_editor && extensions(&places).is_empty() {
        session.output.note(format_args!(
            "for explanations, edits and search in VS Code itself: code --install-extension {EXTENSION}"
        ));
    }
    outcome(&rows)
}

pub(crate) fn uninstall(args: &UninstallArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let places = places()?;
    let plan = |assistant: &Assistant, journal: &Path| Plan::uninstall(assistant, &places, journal);
    let chosen = match args.all {
        true => {
            let journal = journal()?;
            let has_craig =
                |assistant: &&Assistant| plan(assistant, &journal).map_or(true, |plan| !plan.is_empty());
            ASSISTANTS.iter().filter(has_craig).collect()
        }
        false => chosen(&args.choice, &places)?,
    };
    let rows = carry_out(&chosen, &args.choice, plan, session)?;
    if !args.all {
        session.output.summarize(&rows, |_| rows.iter().map(|row| summary(row, "uninstalled")).collect())?;
        return outcome(&rows);
    }
    let left = left(&places, session)?;
    let shown = Removal { agents: rows, left };
    session.output.summarize(&shown, |_| shown.text())?;
    outcome(&shown.agents)
}

/// What `uninstall --all` removed, and what remains.
#[derive(Debug, Serialize)]
struct Removal {
    agents: Vec<Row>,
    left: Vec<Left>,
}

/// A remaining part of Craig.
#[derive(Debug, Serialize)]
struct Left {
    what: &'static str,
    remedy: String,
}

impl Removal {
    fn text(&self) -> String {
        let mut text: String = self.agents.iter().map(|row| summary(row, "uninstalled")).collect();
        text += "remaining parts, and how to remove them:\n";
        for left in &self.left {
            text += &format!("  {} {}\n", styled(LABEL, format_args!("{:<11}", left.what)), left.remedy);
        }
        text
    }
}

/// Everything that remains after Craig was removed from all assistants.
fn left(places: &Places, session: &Session) -> anyhow::Result<Vec<Left>> {
    let mut left = Vec::new();
    let mut add = |what, remedy| left.push(Left { what, remedy });
    let delete = |path: &Path| format!("delete {}", path.display());
    let data = Global::data_folder()?;
    if data.exists() {
        add("indexes", delete(&data));
    }
    let settings = session.settings(None)?;
    let database = session.config(&settings)?.database;
    let own = database.file().filter(|file| file.exists() && !file.starts_with(&data));
    if let Some(file) = own.filter(|_| session.names_database(&settings)) {
        add("database", format!("{} and {}.d", delete(file), file.display()));
    }
    if let Some(file) = session.sources().user_file.filter(|file| file.exists()) {
        add("settings", delete(&file));
    }
    add(
        "workspaces",
        "delete the folders .puku (in workspaces that an editor had open) and .aidocs (also written by 'craig \
         explain' and 'craig docs index')"
            .to_owned(),
    );
    for extension in extensions(places) {
        add("extension", format!("uninstall {EXTENSION} in {}", extension.editor));
    }
    let program = installation::program()?;
    let installer = Installer::from_path(&program.canonicalize()?);
    add("program", format!("{} ({})", installer.remove, program.display()));
    Ok(left)
}

/// The journal of what was written.
fn journal() -> Result<PathBuf, Refusal> {
    Ok(Global::default_database()?.with_file_name("installed.json"))
}

fn places() -> Result<Places, Refusal> {
    let home = etcetera::home_dir().map_err(|_| {
        Refusal::new("the home directory is unknown, so assistants cannot be found", "set HOME")
    })?;
    Ok(Places::of_user(home))
}

/// Shows, confirms and carries out the plan for each assistant.
fn carry_out(
    chosen: &[&'static Assistant],
    choice: &Choice,
    plan: impl Fn(&Assistant, &Path) -> Result<Plan, Refused>,
    session: &mut Session,
) -> anyhow::Result<Vec<Row>> {
    let journal = journal()?;
    if !choice.yes && !choice.dry_run && !question::can_ask() {
        let hint = "give --yes to write without confirmation, or --dry-run to see the changes";
        return Err(Refusal::new("there is no terminal for the confirmation", hint).into());
    }
    let mut rows = Vec::new();
    for assistant in chosen {
        let row = match plan(assistant, &journal) {
            Err(refused) => Row::new(assistant, None, Err(refused.to_string())),
            Ok(plan) => {
                print_plan(assistant, &plan, choice, &mut session.output)?;
                let is_wanted = plan.is_empty()
                    || choice.yes
                    || (!choice.dry_run && is_confirmed(assistant, &mut session.output)?);
                let done = match is_wanted && !choice.dry_run {
                    true => plan.carry_out(&journal).map(|()| true).map_err(|refused| refused.to_string()),
                    false => Ok(plan.is_empty()),
                };
                Row::new(assistant, Some(&plan), done)
            }
        };
        row.error.iter().for_each(|error| session.output.warn(error));
        rows.push(row);
    }
    Ok(rows)
}

/// The named assistants, or otherwise all that were found.
fn chosen(choice: &Choice, places: &Places) -> Result<Vec<&'static Assistant>, Refusal> {
    let is_meant = |assistant: &&Assistant| match choice.agent.is_empty() {
        true => assistant.is_there(places),
        false => choice.agent.iter().any(|id| id == assistant.id),
    };
    let chosen: Vec<_> = ASSISTANTS.iter().filter(is_meant).collect();
    match chosen.is_empty() {
        false => Ok(chosen),
        true => {
            let names: Vec<&str> = ASSISTANTS.iter().map(|assistant| assistant.id).collect();
            let hint = format!("name one with --agent: {}", names.join(", "));
            Err(Refusal::new("no coding assistant was found on this machine", hint))
        }
    }
}

/// Shows the files and the lines that would change.
fn print_plan(assistant: &Assistant, plan: &Plan, choice: &Choice, output: &mut Output) -> io::Result<()> {
    if output.format == super::global::Format::Json || (choice.yes && output.is_quiet) {
        return Ok(());
    }
    let mut text = format!("{}\n", styled(BOLD, assistant.name));
    for file in &plan.files {
        text += &format!("  {} {}\n", word(file.change()), styled(PATH, file.path.display()));
        for line in file.diff().lines().filter(|line| !line.starts_with("---") && !line.starts_with("+++")) {
            text += &format!(
                "    {}\n",
                if line.starts_with('+') { styled(GOOD, line) } else { line.to_owned() }
            );
        }
    }
    output.text(&text)
}

fn is_confirmed(assistant: &Assistant, output: &mut Output) -> io::Result<bool> {
    question::ask(&format!("write these changes for {}?", assistant.name), output)
}

fn word(change: Change) -> &'static str {
    match change {
        Change::None => "unchanged",
        Change::Create => "create",
        Change::Edit => "edit",
        Change::Remove => "remove",
    }
}

impl Row {
    fn new(assistant: &Assistant, plan: Option<&Plan>, done: Result<bool, String>) -> Self {
        let files = plan.into_iter().flat_map(|plan| &plan.files).map(|file| FileRow {
            path: file.path.display().to_string(),
            change: word(file.change()),
            diff: file.diff(),
        });
        Self {
            agent: assistant.id,
            name: assistant.name,
            files: files.collect(),
            done: matches!(done, Ok(true)),
            error: done.err(),
        }
    }

    fn is_unchanged(&self) -> bool {
        self.files.iter().all(|file| file.change == word(Change::None))
    }
}

fn summary(row: &Row, done: &str) -> String {
    let what = match row.done {
        true if row.is_unchanged() => "already up to date",
        true => done,
        false => "not written",
    };
    format!("{}: {what}\n", styled(BOLD, row.name))
}

/// Partial if some were refused; an error if all were.
fn outcome(rows: &[Row]) -> anyhow::Result<Outcome> {
    let n_refused = rows.iter().filter(|row| row.error.is_some()).count();
    match n_refused {
        0 => Ok(Outcome::Complete),
        n if n < rows.len() => Ok(Outcome::Partial),
        _ => {
            Err(Refusal::new("nothing was written", "fix the files named above, then run the command again")
                .into())
        }
    }
}
