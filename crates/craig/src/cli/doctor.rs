//! `craig doctor`: checks that everything Craig stores is intact, and reports how Craig is installed.

mod installation;

use craig_engine::{Examination, Finding, Part};
use serde::Serialize;

use super::failure::Outcome;
use super::output::{BOLD, DIM, ERROR, GOOD, LABEL, PATH, WARNING, styled};
use super::progress::ProgressView;
use super::session::Session;
use super::units::{bytes, counted};

/// Check all stored data for damage; exit code 1 if something is damaged
///
/// Checks the database, the hash of every stored text, every checksum of every search index, leftover files, and
/// permissions. Also shows the version and how it was installed, the settings that differ from the defaults, the
/// connected assistants and editors, and what to do next.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rebuild damaged indexes, reread damaged files from their sources, remove leftover files, and set aside a
    /// database that cannot be repaired
    #[arg(long)]
    repair: bool,
}

/// What is printed.
#[derive(Serialize)]
struct Shown<'a> {
    /// `None` if nothing has been stored yet.
    #[serde(flatten)]
    found: Option<&'a Examination>,
    #[serde(flatten)]
    installation: installation::Report<'a>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let settings = session.settings(None)?;
    let config = session.config(&settings)?;
    // A named database must exist; the first search creates the default one.
    let is_new = !config.database.may_exist() && !session.names_database(&settings);
    let mut found = None;
    if !is_new {
        let mut view = ProgressView::beside_results(&session.output);
        let examine = if args.repair { Examination::repair } else { Examination::examine };
        let examined = examine(&config, &mut |progress| view.step(progress));
        view.finish();
        found = Some(examined?);
    }
    let found = found.as_ref();
    // Includes the settings of the project in this directory.
    let settings = session.settings(Some(".".as_ref()))?;
    let installation = installation::Report::new(&settings, &config.database, found)?;
    let shown = Shown { found, installation };
    session
        .output
        .show(&shown, |_| format!("{}{}", found.map(text).unwrap_or_default(), shown.installation.text()))?;
    let is_sound = found.is_none_or(|found| found.is_sound);
    Ok(if is_sound { Outcome::Complete } else { Outcome::Damaged })
}

fn text(found: &Examination) -> String {
    let mut text: String = found.findings.iter().map(finding).collect();
    let state = if found.is_sound { styled(GOOD, "sound") } else { styled(ERROR, "damaged") };
    text += &format!(
        "{state}  {}: {}, {}, {} ({})\n",
        styled(BOLD, &found.database),
        counted(found.projects, "project"),
        counted(found.files, "file"),
        counted(found.segments, "index segment"),
        bytes(found.index_bytes),
    );
    text
}

fn finding(finding: &Finding) -> String {
    let (style, word) = match finding {
        Finding { is_repaired: true, .. } => (GOOD, "repaired"),
        Finding { is_damage: true, .. } => (ERROR, "damaged"),
        _ => (WARNING, "note"),
    };
    let part = match finding.part {
        Part::Database => "database",
        Part::File => "file",
        Part::Index => "index",
        Part::Leftover => "left over",
        Part::Permissions => "permissions",
    };
    let place = [
        finding.project.as_ref().map(|name| styled(BOLD, name)),
        finding.path.as_ref().map(|path| styled(PATH, path)),
    ];
    let place: Vec<String> = place.into_iter().flatten().collect();
    format!(
        "{} {} {}\n  {}\n  {}\n",
        styled(style, format_args!("{word}:")),
        styled(LABEL, part),
        place.join(" "),
        finding.problem,
        styled(DIM, &finding.remedy),
    )
}
