//! `craig docs`: the documentation of a project, and of the packages that it uses.

mod packages;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use craig_engine::{EngineError, ExplainConfig, Explainer, IndexReport};

use super::failure::Outcome;
use super::output::{BOLD, GOOD, styled};
use super::session::Session;
use super::units::{counted, seconds};

/// Manage the documentation index that 'craig explain' reads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Index the READMEs and documentation folders in .aidocs/, or update that index
    Index {
        /// Directory of the project [default: the ingested project or the git working tree that holds the current
        /// directory, else the current directory]
        #[arg(value_name = "DIR")]
        root: Option<PathBuf>,
    },
    Add(packages::AddArgs),
    List(packages::ListArgs),
    Remove(packages::RemoveArgs),
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    match &args.action {
        Action::Index { root: Some(root) } => index(root, session),
        Action::Index { root: None } => {
            let root = super::explain::root_around(Path::new("."), session);
            index(&root, session)
        }
        Action::Add(args) => packages::add(args, session),
        Action::List(args) => packages::list(args, session),
        Action::Remove(args) => packages::remove(args, session),
    }
}

fn index(root: &Path, session: &mut Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let config = ExplainConfig::for_project(&session.sources(), root).map_err(EngineError::from)?;
    let report = Explainer::open(root, &config)?.refresh()?;
    session.output.summarize(&report, |_| text(&report, started.elapsed().as_secs_f64()))?;
    super::explain::warn(&report, session);
    Ok(if report.skipped.is_empty() { Outcome::Complete } else { Outcome::Partial })
}

fn text(report: &IndexReport, elapsed_s: f64) -> String {
    let mut text = format!(
        "{} {}  {} of documentation: {} read, {} removed, took {}\n",
        styled(GOOD, "indexed"),
        styled(BOLD, counted(report.files as u64, "file")),
        counted(report.sections as u64, "section"),
        report.indexed,
        report.removed,
        seconds(elapsed_s),
    );
    if report.kinds.len() > 1 || !report.unread.is_empty() {
        text += &format!("kinds: {}\n", kinds(&report.kinds));
    }
    if !report.unread.is_empty() {
        text += &format!("other kinds, not read: {}\n", kinds(&report.unread));
    }
    text
}

/// `.md 12, .rst 3`.
fn kinds(counts: &BTreeMap<String, usize>) -> String {
    let kind = |(ending, n): (&String, &usize)| format!(".{ending} {n}");
    counts.iter().map(kind).collect::<Vec<_>>().join(", ")
}
