//! `craig list`: all projects.

use craig_engine::ProjectSummary;

use super::failure::Outcome;
use super::output::{BOLD, Columns, DIM, PATH};
use super::session::Session;
use super::table::{Align, Cut, Table};
use super::units::{count, local_time};

/// List all projects
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(session: &mut Session) -> anyhow::Result<Outcome> {
    let projects = session.engine()?.projects()?;
    session.output.show(&projects, |columns| text(&projects, columns))?;
    Ok(Outcome::Complete)
}

fn text(projects: &[ProjectSummary], columns: Columns) -> String {
    if projects.is_empty() {
        return "no projects yet: 'craig ingest <directory>' creates one\n".to_owned();
    }
    let mut table = Table::new()
        .column("id", Align::Right, Cut::Never, DIM)
        .column("name", Align::Left, Cut::End, BOLD)
        .column("reference", Align::Left, Cut::Never, DIM)
        .column("files", Align::Right, Cut::Never, Default::default())
        .column("chunks", Align::Right, Cut::Never, Default::default())
        .column("updated", Align::Left, Cut::Never, Default::default())
        .column("source", Align::Left, Cut::Start, PATH);
    for project in projects {
        table.row([
            project.id.to_string(),
            project.name.clone(),
            project.reference.clone(),
            count(project.files),
            count(project.chunks),
            local_time(&project.last_updated),
            project.git.as_ref().map_or_else(|| project.source_path.clone(), |git| git.url.clone()),
        ]);
    }
    table.render(columns)
}
