//! The project that a command answers from, brought up to date first.

use std::path::{Path, PathBuf};

use craig_engine::{Consent, Engine, EngineError, Freshness, PrepareRequest, Refresh};

use super::costs::Costs;
use super::failure::Outcome;
use super::output::Output;
use super::progress::ProgressView;
use super::report;

/// Options of commands that answer from a project.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ProjectOptions {
    /// Id, reference or name of a project or group, or several projects, as in 'a,b' [default: the project of --root]
    #[arg(long, short, conflicts_with = "root")]
    pub(crate) project: Option<String>,
    /// Directory whose project is used
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Answer from the index without looking for changed files
    #[arg(long)]
    no_refresh: bool,
    #[command(flatten)]
    pub(crate) costs: Costs,
}

impl ProjectOptions {
    pub(crate) fn selector(&self) -> ProjectSelector<'_> {
        ProjectSelector {
            handle: self.project.as_deref(),
            root: &self.root,
            no_refresh: self.no_refresh,
            costs: Some(self.costs),
        }
    }
}

/// Which project, and how it is prepared.
pub(crate) struct ProjectSelector<'a> {
    /// Id, reference or name; if `None`, the project of `root`.
    pub(crate) handle: Option<&'a str>,
    /// Directory that is ingested first if necessary.
    pub(crate) root: &'a Path,
    /// Whether to use the index without a check for changed files.
    pub(crate) no_refresh: bool,
    /// Confirmation of expensive embedding; if `None`, nobody is asked.
    pub(crate) costs: Option<Costs>,
}

impl ProjectSelector<'_> {
    /// The folder of the project in which the command runs: paths may be relative to it.
    pub(crate) fn folder(&self, engine: &Engine, project: &str) -> Result<String, EngineError> {
        match self.handle {
            Some(_) => Ok(String::new()),
            None => engine.folder_in_project(project, self.root),
        }
    }

    /// Prepares the project, with progress and warnings on stderr; returns its reference.
    pub(crate) fn prepare(
        &self,
        engine: &Engine,
        output: &mut Output,
    ) -> Result<(String, Outcome), EngineError> {
        let (project, freshness) = match self.costs {
            Some(costs) => {
                costs.agree(output, |consent, output| self.bring_up_to_date(engine, consent, output))
            }
            None => self.bring_up_to_date(engine, Consent::default(), output),
        }?;
        let (failed, notes) = match freshness {
            Freshness::UpToDate(Some(report)) => (report.failed, report.notes),
            Freshness::Held(holder) => (
                Vec::new(),
                vec![format!(
                    "answered from the index without an update: {holder} is writing to this project"
                )],
            ),
            Freshness::Unwritable(why) => (Vec::new(), vec![format!("answered from an older index: {why}")]),
            _ => (Vec::new(), Vec::new()),
        };
        notes.iter().for_each(|note| output.warn(note));
        report::warn(&failed, output);
        // A group has no directory.
        if let Ok(root) = engine.directory_of(&project) {
            output.link_paths(root);
        }
        Ok((project, if failed.is_empty() { Outcome::Complete } else { Outcome::Partial }))
    }

    fn bring_up_to_date(
        &self,
        engine: &Engine,
        consent: Consent,
        output: &Output,
    ) -> Result<(String, Freshness), EngineError> {
        let request = PrepareRequest {
            handle: self.handle,
            refresh: if self.no_refresh { Refresh::Skip } else { Refresh::Ingest },
            consent,
            ..PrepareRequest::for_directory(self.root)
        };
        let mut view = ProgressView::beside_results(output);
        let prepared = engine.prepare(&request, &mut |progress| view.step(progress));
        view.finish();
        prepared
    }
}
