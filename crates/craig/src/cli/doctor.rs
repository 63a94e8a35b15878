//! `craig doctor`: checks that everything Craig stores is intact.

use craig_engine::{Examination, Finding, Part};

use super::failure::Outcome;
use super::output::{BOLD, DIM, ERROR, GOOD, LABEL, PATH, WARNING, styled};
use super::progress::ProgressView;
use super::session::Session;
use super::units::{bytes, counted};

/// Check all stored data for damage; exit code 1 if something is damaged
///
/// Checks the database, the hash of every stored text, every checksum of every search index, leftover files, and
/// permissions.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rebuild damaged indexes, read damaged files again from their sources, remove leftover files, and move a database that
    /// cannot be repaired out of the way
    #[arg(long)]
    repair: bool,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let config = session.config(&session.settings(None)?)?;
    let mut view = ProgressView::beside_results(&session.output);
    let examine = if args.repair { Examination::repair } else { Examination::examine };
    let found = examine(&config, &mut |progress| view.step(progress));
    view.finish();
    let found = found?;
    session.output.show(&found, |_| text(&found))?;
    Ok(if found.is_sound { Outcome::Complete } else { Outcome::Damaged })
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
