//! Brings projects up to date before they answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use craig_source::{Root, SourceOptions, left_out};
use craig_store::{Project, Store, StoreError};

use crate::consent::Consent;
use crate::freshness::{ProjectWatch, Turn};
use crate::ingest::{ANSWER_PATIENCE, IngestRequest, Waiting};
use crate::options::StoredOptions;
use crate::project::{reload, root_of};
use crate::report::{IngestReport, UpdateCheck};
use crate::{Engine, EngineError, Progress};

/// Which project is to answer, and how up to date it is to be.
#[derive(Clone, Copy, Debug)]
pub struct PrepareRequest<'a> {
    /// Id, reference or name of the project, or several; without one, the project of `directory`.
    pub handle: Option<&'a str>,
    /// A directory, which is ingested when no project holds it.
    pub directory: &'a Path,
    /// Which of its files are tracked then; as the engine's settings say when not given.
    pub options: Option<&'a SourceOptions>,
    /// What is done about changes of the directory.
    pub refresh: Refresh,
    /// How long to wait for another request that compares or ingests the project; then what is committed answers. `None`
    /// waits until it is done.
    pub max_wait: Option<Duration>,
    /// What an ingestion may do without confirmation.
    pub consent: Consent,
}

impl<'a> PrepareRequest<'a> {
    /// The project of a directory, up to date.
    pub fn for_directory(directory: &'a Path) -> Self {
        Self {
            handle: None,
            directory,
            options: None,
            refresh: Refresh::default(),
            max_wait: None,
            consent: Consent::default(),
        }
    }

    /// A project by its id, reference or name, up to date.
    pub fn for_project(handle: &'a str) -> Self {
        Self { handle: Some(handle), ..Self::for_directory(Path::new(".")) }
    }
}

/// What is done about changes of a project's directory before an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refresh {
    /// They are ingested.
    #[default]
    Ingest,
    /// They are looked for and reported.
    Compare,
    /// No check: the index is used unchanged.
    Skip,
}

/// How an index compares with its directory.
#[derive(Debug)]
pub enum Freshness {
    /// It is the same, or was a moment ago; with what was ingested for that, when the directory was walked.
    UpToDate(Option<Box<IngestReport>>),
    /// Changes are being looked for or ingested, by this process or another one.
    InProgress,
    /// Another process is writing the project: which one. It may be stopped, and then it never ends.
    Held(String),
    /// It differs, and was only to be compared.
    Changed(Box<UpdateCheck>),
    /// There is no directory to compare it with, or a link leads to another one.
    DirectoryGone,
    /// Changes of the directory cannot be written into the database: why not.
    Unwritable(String),
    /// The directory was not checked.
    Unchecked,
}

impl Engine {
    /// Makes a project ready to answer: the one of the request's handle, or the one that holds its directory, which is
    /// ingested when there is none. Gives its reference, and how its index compares with its directory then.
    pub fn prepare(
        &self,
        request: &PrepareRequest<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(String, Freshness), EngineError> {
        let project = match request.handle {
            Some(handle) => self.find(&*self.store()?, handle)?,
            None => match self.project_or_ingested(request, progress)? {
                (project, None) => project,
                (project, Some(freshness)) => return Ok((project.reference, freshness)),
            },
        };
        if project.is_group() {
            let freshness = self.prepare_members(&project, request, progress)?;
            return Ok((project.reference, freshness));
        }
        if let Some(freshness) = without_walk(&project, request.refresh) {
            return Ok((project.reference, freshness));
        }
        let Some(mut turn) = turn(&self.freshness().watch(&project.reference), request.max_wait) else {
            return Ok((project.reference, Freshness::InProgress));
        };
        let freshness =
            self.refresh_project(&mut turn, &project, request.refresh, request.consent, progress)?;
        Ok((project.reference, freshness))
    }

    /// Brings the index of a project up to date, or compares it with its directory, within `limit`. What takes longer goes
    /// on without the caller, which gets that it is in progress.
    pub fn refresh_within(
        self: &Arc<Self>,
        handle: &str,
        refresh: Refresh,
        limit: Duration,
    ) -> Result<Freshness, EngineError> {
        let started = Instant::now();
        let project = self.find(&*self.store()?, handle)?;
        if project.is_group() {
            return self.refresh_members_within(&project, refresh, limit);
        }
        if let Some(freshness) = without_walk(&project, refresh) {
            return Ok(freshness);
        }
        let watch = self.freshness().watch(&project.reference);
        let Some(mut turn) = watch.wait_within(limit) else { return Ok(Freshness::InProgress) };
        if turn.is_fresh(&project) {
            return Ok(Freshness::UpToDate(None));
        }
        let (sender, receiver) = channel();
        let engine = Arc::clone(self);
        let work = move || {
            // Each ingestion takes all cores and some hundred megabytes: a bound for those that nobody waits for.
            let _permit = engine.background_refreshes().acquire();
            let done = engine.refresh_project(&mut turn, &project, refresh, Consent::default(), &mut |_| {});
            drop(turn);
            // The caller may not wait any more.
            let _ = sender.send(done);
        };
        let spawned = std::thread::Builder::new().name("refresh".into()).spawn(work);
        spawned.map_err(|error| EngineError::Threads(error.to_string()))?;
        match receiver.recv_timeout(limit.saturating_sub(started.elapsed())) {
            Ok(done) => done,
            Err(RecvTimeoutError::Timeout) => Ok(Freshness::InProgress),
            // It has panicked.
            Err(RecvTimeoutError::Disconnected) => Ok(Freshness::Unchecked),
        }
    }

    /// Ingests or reports what changed, unless it is certain that nothing did. When another process ingests the project, what
    /// is committed has to do.
    fn refresh_project(
        &self,
        turn: &mut Turn,
        project: &Project,
        refresh: Refresh,
        consent: Consent,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Freshness, EngineError> {
        let mut store = self.store()?;
        // The previous holder may have brought it up to date.
        let project = &self.find(&store, &project.reference)?;
        if turn.is_fresh(project) {
            return Ok(Freshness::UpToDate(None));
        }
        store.set_patience(ANSWER_PATIENCE)?;
        turn.before_walk(project, &store.derived_folder().join("marks"));
        if refresh == Refresh::Compare {
            let check = self.compare_directory(&store, project)?;
            if !check.up_to_date {
                return Ok(Freshness::Changed(Box::new(check)));
            }
            turn.verified(project.clone());
            return Ok(Freshness::UpToDate(None));
        }
        match self.ingest_changes(&mut store, project, Waiting::Fail, consent, progress) {
            Ok(report) => {
                turn.verified(reload(&store, project)?);
                Ok(Freshness::UpToDate(Some(Box::new(report))))
            }
            Err(EngineError::Store(StoreError::Held { holder })) => Ok(Freshness::Held(holder)),
            Err(error) if error.is_of_writing() => {
                Ok(match self.compare_directory(&store, project)?.up_to_date {
                    true => Freshness::UpToDate(None),
                    false => Freshness::Unwritable(error.to_string()),
                })
            }
            Err(error) => Err(error),
        }
    }

    /// The project that holds the directory of a request. When there is none, the directory is ingested; then, or when
    /// another request is ingesting it, its freshness is known as well.
    fn project_or_ingested(
        &self,
        request: &PrepareRequest<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(Project, Option<Freshness>), EngineError> {
        let root = root_to_ingest(&*self.store()?, Root::open(request.directory)?)?;
        if request.refresh == Refresh::Skip
            && let Some(project) = project_holding(&*self.store()?, &root)?
        {
            return Ok((project, None));
        }
        // One request ingests a new directory, and the others wait: its project exists before it is complete.
        let watch = self.freshness().watch(root.as_str());
        let turn = match turn(&watch, request.max_wait) {
            Some(turn) => turn,
            None => match project_holding(&*self.store()?, &root)? {
                Some(project) => return Ok((project, Some(Freshness::InProgress))),
                None => watch.wait(),
            },
        };
        let prepared = self.ingest_new_directory(&root, request, progress);
        self.freshness().remove(root.as_str());
        drop(turn);
        prepared
    }

    fn ingest_new_directory(
        &self,
        root: &Root,
        request: &PrepareRequest<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(Project, Option<Freshness>), EngineError> {
        let mut store = self.store()?;
        if let Some(project) = project_holding(&store, root)? {
            return Ok((project, None));
        }
        let request = IngestRequest {
            // As it was named, so that an error names it likewise.
            directory: match Root::open(request.directory)? == *root {
                true => request.directory.to_owned(),
                false => root.path().to_owned(),
            },
            name: None,
            options: request.options.unwrap_or(&self.config().source).clone(),
            waiting: Waiting::Wait,
            consent: request.consent,
        };
        let report = self.ingest_directory(&mut store, &request, progress)?;
        let project = store.project(&report.reference)?;
        Ok((project, Some(Freshness::UpToDate(Some(Box::new(report))))))
    }

    /// Reference of the project that `directory` belongs to; `None` when it is not ingested. A linked worktree does not belong
    /// to the project of its main checkout, nor does a folder that a project leaves out.
    pub fn project_of_directory(&self, directory: &Path) -> Result<Option<String>, EngineError> {
        let root = Root::open(directory)?;
        let store = self.store()?;
        match project_holding(&store, &root)? {
            Some(project) if self.shows(&store, &project)? => Ok(Some(project.reference)),
            _ => Ok(None),
        }
    }

    /// The same for a file, or for a path at which nothing is any more.
    pub fn project_of_place(&self, path: &Path) -> Result<Option<String>, EngineError> {
        if path.exists() {
            return self.project_of_directory(if path.is_dir() {
                path
            } else {
                path.parent().unwrap_or(path)
            });
        }
        let projects = self.projects()?.into_iter().filter(|project| path.starts_with(&project.source_path));
        Ok(projects.max_by_key(|project| project.source_path.len()).map(|project| project.reference))
    }
}

/// The right to compare a project with its directory, if it is free within `max_wait`.
fn turn(watch: &Arc<ProjectWatch>, max_wait: Option<Duration>) -> Option<Turn> {
    match max_wait {
        Some(limit) => watch.wait_within(limit),
        None => Some(watch.wait()),
    }
}

/// The freshness of a project, as far as it is known without a walk over its directory.
fn without_walk(project: &Project, refresh: Refresh) -> Option<Freshness> {
    match refresh {
        // The files of a version of a package do not change.
        _ if project.is_package() => Some(Freshness::UpToDate(None)),
        Refresh::Skip => Some(Freshness::Unchecked),
        Refresh::Ingest | Refresh::Compare => (!is_there(project)).then_some(Freshness::DirectoryGone),
    }
}

/// The project of `root`, or of the nearest folder above it that is one and that does not leave `root` out.
fn project_holding(store: &Store, root: &Root) -> Result<Option<Project>, EngineError> {
    for project in projects_above(store, root)? {
        if project.source_path == root.as_str() || holds(&project, root.path()) {
            return Ok(Some(project));
        }
    }
    Ok(None)
}

/// The projects of `root` and of the folders above it, the nearest first.
fn projects_above(store: &Store, root: &Root) -> Result<Vec<Project>, EngineError> {
    let folders = root.path().ancestors().filter_map(Path::to_str);
    let projects = folders.filter_map(|path| store.project_of_path(path).transpose());
    Ok(projects.collect::<Result<_, _>>()?)
}

/// Whether a folder in the directory of a project is a part of it: it may be a linked worktree, or be ignored.
fn holds(project: &Project, folder: &Path) -> bool {
    let below = folder.strip_prefix(&project.source_path).ok().and_then(Path::to_str).unwrap_or_default();
    let below = below.replace(std::path::MAIN_SEPARATOR, "/");
    let options = StoredOptions::parse(&project.options).source();
    // Whatever is wrong with its directory is reported by what is done with the project.
    root_of(project).is_ok_and(|root| !matches!(left_out(&root, &options, &below), Ok(Some(_))))
        || !is_there(project)
}

/// The directory to ingest for `root`, which is in no project: the top of its working tree if that is in the directory
/// of a project, which then leaves it out.
fn root_to_ingest(store: &Store, root: Root) -> Result<Root, EngineError> {
    let Some(around) = projects_above(store, &root)?.into_iter().next() else { return Ok(root) };
    let is_below = |folder: &&Path| folder.as_os_str().len() > around.source_path.len();
    let mut folders = root.path().ancestors().take_while(is_below);
    match folders.find(is_working_tree) {
        Some(top) if !holds(&around, top) => Ok(Root::open(top)?),
        _ => Ok(root),
    }
}

/// The top of the git working tree that holds a file or folder; `None` if that is a home directory or a system folder.
pub fn working_tree_of(place: &Path) -> Option<PathBuf> {
    let place = std::path::absolute(place).ok()?;
    let top = place.ancestors().find(is_working_tree)?.canonicalize().ok()?;
    craig_source::protected_folder(&top).is_none().then_some(top)
}

fn is_working_tree(folder: &&Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// Whether the directory of a project is still the one that it was ingested from.
fn is_there(project: &Project) -> bool {
    let path = Path::new(&project.source_path);
    path.is_dir() && path.canonicalize().is_ok_and(|real| real == path)
}
