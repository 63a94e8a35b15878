//! `craig install` and `craig uninstall`: Craig in the configuration of coding assistants.

use std::io;
use std::path::PathBuf;

use serde::Serialize;

use super::failure::{Outcome, Refusal};
use super::global::Global;
use super::output::{BOLD, GOOD, Output, PATH, styled};
use super::question;
use super::session::Session;
use crate::assistants::{ASSISTANTS, Assistant, Change, Places, Plan};

/// Put Craig into the configuration of the coding assistants on this machine
///
/// Shows what would be written, asks, and writes: an MCP server, and a short note when to ask it. 'craig uninstall' undoes
/// exactly that.
#[derive(Debug, clap::Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    choice: Choice,
}

/// Take out of the configuration of coding assistants what 'craig install' put in
#[derive(Debug, clap::Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    choice: Choice,
}

#[derive(Debug, clap::Args)]
struct Choice {
    /// Only this assistant, even where it was not found (may be repeated) [default: all that are found]
    #[arg(long, value_name = "NAME", value_parser = ids())]
    agent: Vec<String>,
    /// Write without asking
    #[arg(long, short)]
    yes: bool,
    /// Show what would be written, and write nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

fn ids() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(ASSISTANTS.iter().map(|assistant| assistant.id))
}

/// What became of one assistant.
#[derive(Debug, Serialize)]
struct Row {
    agent: &'static str,
    name: &'static str,
    files: Vec<FileRow>,
    /// Whether the files are as they should be now.
    done: bool,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct FileRow {
    path: String,
    change: &'static str,
    diff: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

pub(crate) fn install(args: &InstallArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    run(&args.choice, Direction::In, session)
}

pub(crate) fn uninstall(args: &UninstallArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    run(&args.choice, Direction::Out, session)
}

fn run(choice: &Choice, direction: Direction, session: &mut Session) -> anyhow::Result<Outcome> {
    let home = etcetera::home_dir().map_err(|_| {
        Refusal::new("there is no home directory to look for assistants in", "set HOME to yours")
    })?;
    let places = Places::of_user(home);
    let journal = Global::default_database()?.with_file_name("installed.json");
    let program = program()?.to_string_lossy().into_owned();
    let chosen = chosen(choice, &places)?;
    if !choice.yes && !choice.dry_run && !question::can_ask() {
        let message = "there is no terminal to ask on";
        return Err(Refusal::new(
            message,
            "give --yes to write without being asked, or --dry-run to see what",
        )
        .into());
    }
    let mut rows = Vec::new();
    for assistant in chosen {
        let plan = match direction {
            Direction::In => Plan::install(assistant, &places, &journal, &program),
            Direction::Out => Plan::uninstall(assistant, &places, &journal),
        };
        let row = match plan {
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
    session.output.summarize(&rows, |_| rows.iter().map(|row| summary(row, direction)).collect())?;
    outcome(&rows)
}

/// This program, by the name that stays when it is replaced by a newer one: where it is found by, not what that leads to.
fn program() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let found = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|folders| std::env::split_paths(&folders).collect::<Vec<_>>());
    let mut named = found
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(own.file_name().unwrap_or_default()));
    let is_own = |path: &PathBuf| path.canonicalize().is_ok_and(|path| Some(path) == own.canonicalize().ok());
    Ok(named.find(is_own).unwrap_or(own))
}

/// The assistants that were named, else those that are there.
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
    question::ask(&format!("write this for {}?", assistant.name), output)
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

fn summary(row: &Row, direction: Direction) -> String {
    let what = match (row.done, direction) {
        (true, _) if row.is_unchanged() => "nothing to do",
        (true, Direction::In) => "installed; restart it to see the tools",
        (true, Direction::Out) => "uninstalled",
        (false, _) => "not written",
    };
    format!("{}: {what}\n", styled(BOLD, row.name))
}

/// Some were refused: partial; all: an error.
fn outcome(rows: &[Row]) -> anyhow::Result<Outcome> {
    let n_refused = rows.iter().filter(|row| row.error.is_some()).count();
    match n_refused {
        0 => Ok(Outcome::Complete),
        n if n < rows.len() => Ok(Outcome::Partial),
        _ => {
            Err(Refusal::new("nothing was written", "mend the files that are named above, then run it again")
                .into())
        }
    }
}
