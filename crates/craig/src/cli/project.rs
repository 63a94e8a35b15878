//! The project that is given as an argument of a command.

use std::path::Path;

use craig_engine::{Engine, EngineError, StoreError, shell_word};

use super::failure::{Outcome, Refusal};
use super::project_selector::ProjectSelector;
use super::session::Session;

/// A project, or a directory in it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ProjectArg {
    /// Directory, or the id, reference or name of a project [default: the current directory]
    project: Option<String>,
}

/// What the argument refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// Id, reference or name of a project.
    Project(&'a str),
    /// A directory, ingested or not.
    Directory(&'a Path),
}

impl ProjectArg {
    /// Whether no project is named.
    pub(crate) fn is_default(&self) -> bool {
        self.project.is_none()
    }

    /// The directory whose settings apply, if one is named.
    pub(crate) fn directory(&self) -> Option<&Path> {
        let path = Path::new(self.project.as_deref().unwrap_or("."));
        path.is_dir().then_some(path)
    }

    /// The project of that name; a directory if there is no such project.
    pub(crate) fn place(&self, engine: &Engine) -> Result<Place<'_>, EngineError> {
        let Some(named) = &self.project else { return Ok(Place::Directory(Path::new("."))) };
        match (engine.directory_of(named), self.directory()) {
            (Err(EngineError::Store(StoreError::UnknownProject { .. })), Some(directory)) => {
                Ok(Place::Directory(directory))
            }
            (root, _) => root.map(|_| Place::Project(named)),
        }
    }

    /// A handle of the project, which must be ingested.
    pub(crate) fn handle(&self, engine: &Engine) -> anyhow::Result<String> {
        match self.place(engine)? {
            Place::Project(handle) => Ok(handle.to_owned()),
            Place::Directory(directory) => {
                let project = engine.project_of_directory(directory)?;
                Ok(project.ok_or_else(|| not_ingested(directory))?)
            }
        }
    }

    /// Brings the project up to date, or ingests a directory that is not ingested yet; returns the project's reference.
    pub(crate) fn prepare(
        &self,
        no_refresh: bool,
        session: &mut Session,
    ) -> anyhow::Result<(Engine, String, Outcome)> {
        let engine = match self.directory() {
            Some(directory) => session.engine_with(&session.settings(Some(directory))?)?,
            None => session.engine()?,
        };
        let (handle, root) = match self.place(&engine)? {
            Place::Project(handle) => (Some(handle), Path::new(".")),
            Place::Directory(directory) => (None, directory),
        };
        let selector = ProjectSelector { handle, root, no_refresh, costs: None };
        let (project, outcome) = selector.prepare(&engine, &mut session.output)?;
        Ok((engine, project, outcome))
    }

    /// `path` relative to the project. If a directory is named, `path` may be relative to that directory.
    pub(crate) fn path(&self, engine: &Engine, project: &str, path: &str) -> Result<String, EngineError> {
        match self.place(engine)? {
            Place::Project(_) => Ok(path.to_owned()),
            Place::Directory(directory) => engine.path_in_project(project, directory, Path::new(path)),
        }
    }
}

fn not_ingested(directory: &Path) -> Refusal {
    let full = directory.canonicalize();
    let message = format!("{} is not ingested", full.as_deref().unwrap_or(directory).display());
    let directory = directory.to_string_lossy();
    let hint = format!("run 'craig ingest {}', or name a project ('craig list')", shell_word(&directory));
    Refusal::new(message, hint)
}
