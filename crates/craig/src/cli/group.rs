//! `craig group`: several projects as one.

use craig_engine::GroupSummary;

use super::failure::Outcome;
use super::output::{BOLD, Columns, styled};
use super::session::Session;
use super::table::{Align, Cut, Table};
use super::units::{count, counted};

/// Search several projects as one
///
/// The name of a group can be given wherever a project is expected. Paths in a group begin with the name of their
/// project.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: GroupCommand,
}

/// Members that are named after a change.
const MOST_NAMED: usize = 10;

#[derive(Debug, clap::Subcommand)]
enum GroupCommand {
    Add(AddArgs),
    Remove(RemoveArgs),
    List,
}

/// Add projects to a group; creates the group if it does not exist
#[derive(Debug, clap::Args)]
struct AddArgs {
    /// Name of the group
    group: String,
    /// Ids, references or names of the projects
    #[arg(required_unless_present = "all")]
    projects: Vec<String>,
    /// Add all projects, so that searches of all of them use one index
    #[arg(long, conflicts_with = "projects")]
    all: bool,
}

/// Remove projects from a group, or remove the group itself; the projects stay
#[derive(Debug, clap::Args)]
struct RemoveArgs {
    /// Name of the group
    group: String,
    /// Ids, references or names of the projects [default: the whole group]
    projects: Vec<String>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    match &args.command {
        GroupCommand::Add(AddArgs { group, projects, all }) => {
            let projects = match all {
                true => engine.projects()?.into_iter().map(|project| project.reference).collect(),
                false => projects.clone(),
            };
            show(&engine.add_to_group(group, &projects)?, session)
        }
        GroupCommand::Remove(RemoveArgs { group, projects }) if projects.is_empty() => {
            let removed = engine.remove_group(group)?;
            let text = |_| format!("removed the group {}\n", styled(BOLD, &removed));
            session.output.summarize(&serde_json::json!({ "removed": removed }), text)?;
            Ok(Outcome::Complete)
        }
        GroupCommand::Remove(RemoveArgs { group, projects }) => {
            show(&engine.remove_from_group(group, projects)?, session)
        }
        GroupCommand::List => {
            let groups = engine.groups()?;
            session.output.show(&groups, |columns| table(&groups, columns))?;
            Ok(Outcome::Complete)
        }
    }
}

fn show(group: &GroupSummary, session: &mut Session) -> anyhow::Result<Outcome> {
    session.output.show(group, |_| {
        format!("{}: {} ({})\n", styled(BOLD, &group.name), members(group), counted(group.files, "file"))
    })?;
    Ok(Outcome::Complete)
}

/// The names of the members, the first ones if they are many.
fn members(group: &GroupSummary) -> String {
    let names = &group.members;
    match names.len() {
        0 => "no projects".to_owned(),
        n if n > MOST_NAMED => {
            format!("{}, and {} more", names[..MOST_NAMED].join(", "), count((n - MOST_NAMED) as u64))
        }
        _ => names.join(", "),
    }
}

fn table(groups: &[GroupSummary], columns: Columns) -> String {
    if groups.is_empty() {
        return "no groups yet: 'craig group add <name> <project>...' creates one\n".to_owned();
    }
    let mut table = Table::new()
        .column("name", Align::Left, Cut::End, BOLD)
        .column("files", Align::Right, Cut::Never, Default::default())
        .column("chunks", Align::Right, Cut::Never, Default::default())
        .column("projects", Align::Left, Cut::End, Default::default());
    for group in groups {
        table.row([group.name.clone(), count(group.files), count(group.chunks), group.members.join(", ")]);
    }
    table.render(columns)
}
