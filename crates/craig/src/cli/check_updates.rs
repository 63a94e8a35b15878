//! `craig check-updates`: how the directory of a project differs from the index.

use anstyle::Style;
use craig_engine::{UpdateCheck, shell_word};

use super::failure::Outcome;
use super::output::{BOLD, Columns, ERROR, GOOD, PATH, WARNING, styled};
use super::project::ProjectArg;
use super::session::Session;
use super::table::{Align, Cut, Table};
use super::units::count;
use super::{ingest, report};

/// Show how the directory of a project differs from the index
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let project = args.project.handle(&engine)?;
    let check = engine.check_updates(&project)?;
    session.output.show(&check, |columns| text(&check, columns))?;
    report::warn(&check.failed, &mut session.output);
    ingest::warn_of_settings(&engine, &project, session)?;
    Ok(Outcome::Complete)
}

fn text(check: &UpdateCheck, columns: Columns) -> String {
    if check.up_to_date {
        return format!("{} is {}\n", styled(BOLD, &check.project), styled(GOOD, "up to date"));
    }
    if check.added.is_empty() && check.changed.is_empty() && check.removed.is_empty() {
        return format!(
            "{} has a newer commit, and no tracked file differs\n{}",
            styled(BOLD, &check.project),
            advice(check)
        );
    }
    let groups: [(&str, Style, &[String]); 3] = [
        ("added", GOOD, &check.added),
        ("changed", WARNING, &check.changed),
        ("removed", ERROR, &check.removed),
    ];
    let sums: Vec<String> = groups
        .iter()
        .filter(|(_, _, paths)| !paths.is_empty())
        .map(|(what, style, paths)| format!("{} {}", count(paths.len() as u64), styled(*style, what)))
        .collect();
    let mut table = Table::new().column("change", Align::Left, Cut::Never, Style::new()).column(
        "file",
        Align::Left,
        Cut::Start,
        PATH,
    );
    for (what, _, paths) in groups {
        paths.iter().for_each(|path| table.row([what.to_owned(), path.clone()]));
    }
    format!(
        "{} differs from the index: {}\n{}{}",
        styled(BOLD, &check.project),
        sums.join(", "),
        table.render(columns),
        advice(check),
    )
}

/// The indexed and the newest commit, if there are any, and the next step.
fn advice(check: &UpdateCheck) -> String {
    let indexed = check.git.as_ref().and_then(|git| git.commit.as_deref()).unwrap_or("none");
    let commits = check.newest_commit.as_deref().filter(|newest| *newest != indexed);
    let commits = commits.map(|newest| format!("commit {indexed} is in the index, {newest} is the newest\n"));
    format!(
        "{}run 'craig ingest-delta {}' to bring the index up to date\n",
        commits.unwrap_or_default(),
        shell_word(&check.project)
    )
}
