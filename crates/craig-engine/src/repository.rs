//! Projects of repositories, which are cloned next to the database and followed from commit to commit.

use std::path::{Path, PathBuf};

use craig_source::{Checkout, Commit, GitUrl, Reach, Remote, Root, SourceOptions};
use craig_store::{Project, Store, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::consent::{Consent, NewSources};
use crate::ingest::{Fetching, IngestMode, Waiting, checked_name, wait_to_write};
use crate::options::StoredOptions;
use crate::plan::Compare;
use crate::progress::{Phase, Progress};
use crate::report::{IngestReport, UpdateCheck};
use crate::{Engine, EngineError};

/// Which repository to ingest.
#[derive(Clone, Debug)]
pub struct RepositoryRequest {
    /// Where it is.
    pub url: GitUrl,
    /// A branch, tag or commit; the default branch when not given.
    pub reference: Option<String>,
    /// How many commits of its history are fetched, 0 for all; as the settings say when not given.
    pub depth: Option<u32>,
    /// Name of the project; the repository's when not given.
    pub name: Option<String>,
    /// Which files are tracked.
    pub options: SourceOptions,
    /// What to do when another process ingests the same project.
    pub waiting: Waiting,
    /// What it may do without confirmation.
    pub consent: Consent,
}

/// Where the files of a project came from, when they were cloned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GitOrigin {
    /// URL of the repository, without credentials.
    pub url: String,
    /// The branch, tag or commit that is followed; null for the default branch.
    pub reference: Option<String>,
    /// The commit whose files are in the index; null until an ingestion has completed.
    pub commit: Option<String>,
    /// Which servers it may be fetched from.
    #[serde(skip)]
    pub reach: Reach,
}

impl Engine {
    /// Clones a repository, unless that was done before, and ingests its files as a project; a clone is brought to the
    /// newest commit.
    ///
    /// The clone is stored next to the database and is removed with the project.
    pub fn ingest_repository(
        &self,
        request: &RepositoryRequest,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        let remote = Remote {
            url: request.url.clone(),
            reference: request.reference.clone(),
            depth: request.depth.unwrap_or(self.config().git.depth),
            reach: match request.consent.new_sources {
                NewSources::Exact => Reach::Public,
                NewSources::Unprotected | NewSources::Any => Reach::Anywhere,
            },
        };
        remote.check()?;
        let mut store = self.store()?;
        let folder = clone_folder(&store, &remote);
        let name = request.name.as_deref().map(checked_name).transpose()?;
        refuse_clone_elsewhere(&store, &remote, &folder)?;
        refuse_taken_name(&store, name.as_deref(), &folder)?;
        let checkout = Checkout::new(&remote, &self.config().git.access, &folder);
        let is_new = !checkout.exists();
        checkout.make(&mut |line| progress(&fetching(line)))?;
        let stored = StoredOptions::from_source(&request.options).cloned_from(&remote);
        wait_to_write(&mut store, Waiting::Wait, progress)?;
        let registered = Root::open(&folder)
            .map_err(EngineError::from)
            .and_then(|root| self.register(&mut store, &root, name, &remote.url.name(), stored));
        if registered.is_err() && is_new {
            // Otherwise it would never be removed; the failure itself matters more.
            let _ = checkout.remove();
        }
        let fetching = if is_new { Fetching::Done } else { Fetching::Newest };
        let mode = IngestMode {
            compare: Compare::Content,
            waiting: request.waiting,
            fetching,
            consent: request.consent,
        };
        // With the credentials of the request, which are not stored.
        self.ingest_project(&mut store, &registered?, mode, Some(&remote.url), progress)
    }

    /// Reference of the newest project of a repository; `None` when it is not ingested.
    pub fn project_of_repository(&self, url: &GitUrl) -> Result<Option<String>, EngineError> {
        let is_of_it = |project: &Project| {
            StoredOptions::parse(&project.options)
                .remote()
                .is_some_and(|remote| remote.url.as_str() == url.as_str())
        };
        let newest = self.store()?.projects()?.into_iter().rfind(is_of_it);
        Ok(newest.map(|project| project.reference))
    }

    /// Brings the clone of a project to the newest commit; gives the commit that its files are of then. `None` for a
    /// project that is no clone.
    pub(crate) fn bring_clone_up_to_date(
        &self,
        store: &Store,
        project: &Project,
        stored: &StoredOptions,
        fetch: Fetching,
        with_credentials: Option<&GitUrl>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Option<Commit>, EngineError> {
        let remote =
            stored.remote().filter(|remote| fetch != Fetching::Nothing && has_cloned(store, remote, project));
        let Some(remote) = remote else { return Ok(None) };
        let remote = Remote { url: with_credentials.cloned().unwrap_or(remote.url), ..remote };
        let access = &self.config().git.access;
        let checkout = Checkout::new(&remote, access, Path::new(&project.source_path));
        let report = &mut |line: &str| progress(&fetching(line));
        checkout.make(report)?;
        let mut commit = checkout.commit()?;
        if fetch == Fetching::Newest && checkout.remote_commit()? != commit {
            commit = checkout.fetch(report)?;
            checkout.advance(report)?;
        }
        Ok(Some(commit))
    }

    /// How the source directory of a project differs from the index; of a cloned one also, how its repository does.
    ///
    /// A clone is asked after over the network.
    pub fn check_updates(&self, handle: &str) -> Result<UpdateCheck, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        let mut check = self.compare_directory(&store, &project)?;
        let stored = StoredOptions::parse(&project.options);
        let remote = stored.remote().filter(|remote| has_cloned(&store, remote, &project));
        let Some(remote) = remote else { return Ok(check) };
        let checkout = Checkout::new(&remote, &self.config().git.access, Path::new(&project.source_path));
        let (newest, present) = (checkout.remote_commit()?, checkout.commit()?);
        let is_newest = present == newest && stored.commit() == Some(&newest.0);
        // The process that is ingesting it fetches as well; then only the commits are compared.
        if present != newest
            && let Ok(_lock) = store.try_lock(&project)
        {
            checkout.fetch(&mut |_| ())?;
            let differences = checkout.differences(&stored.source())?;
            merge(&mut check.added, differences.added);
            merge(&mut check.changed, differences.changed);
            merge(&mut check.removed, differences.removed);
        }
        check.up_to_date &= is_newest;
        check.newest_commit = Some(newest.0);
        Ok(check)
    }

    /// Removes the clone of a project that is gone, unless another project reads it.
    pub(crate) fn remove_clone_of(&self, store: &Store, project: &Project) -> Result<(), EngineError> {
        let Some(remote) = StoredOptions::parse(&project.options).remote() else { return Ok(()) };
        let folder = PathBuf::from(&project.source_path);
        if !has_cloned(store, &remote, project) || store.project_of_path(&project.source_path)?.is_some() {
            return Ok(());
        }
        Ok(Checkout::new(&remote, &self.config().git.access, &folder).remove()?)
    }
}

/// Fails when the repository is a project that was cloned to another folder: by a machine with another data folder.
fn refuse_clone_elsewhere(store: &Store, remote: &Remote, folder: &Path) -> Result<(), EngineError> {
    let is_of_it = |project: &Project| {
        let cloned = StoredOptions::parse(&project.options).remote();
        cloned.is_some_and(|cloned| {
            cloned.url.as_str() == remote.url.as_str() && cloned.reference == remote.reference
        })
    };
    match store.projects()?.into_iter().find(is_of_it) {
        Some(other) if Path::new(&other.source_path) != real(folder) => {
            Err(EngineError::ClonedElsewhere { project: other.name, folder: other.source_path })
        }
        _ => Ok(()),
    }
}

/// Fails when a project of another directory has the name: before anything is cloned.
fn refuse_taken_name(store: &Store, name: Option<&str>, folder: &Path) -> Result<(), EngineError> {
    let named = name.and_then(|name| store.project(name).ok().filter(|project| project.name == name));
    match named {
        Some(other) if Path::new(&other.source_path) != real(folder) => {
            Err(StoreError::NameTaken { name: other.name, source_path: other.source_path }.into())
        }
        _ => Ok(()),
    }
}

/// Whether the directory of `project` is where an engine of this database clones `remote` to. A database may
/// name any directory, but git resets, and a purge removes, only clones that Craig made.
fn has_cloned(store: &Store, remote: &Remote, project: &Project) -> bool {
    Path::new(&project.source_path) == real(&clone_folder(store, remote))
}

fn merge(into: &mut Vec<String>, paths: Vec<String>) {
    into.extend(paths);
    into.sort_unstable();
    into.dedup();
}

fn fetching(line: &str) -> Progress {
    Progress { current: line.to_owned(), ..Progress::new(Phase::Fetching) }
}

/// The folder of all clones.
pub(crate) fn clones_folder(store: &Store) -> PathBuf {
    store.derived_folder().join("clones")
}

/// Where a repository is cloned to: `<clones>/<hash of URL and reference>/<name>`.
fn clone_folder(store: &Store, remote: &Remote) -> PathBuf {
    let identity = format!("{}\0{}", remote.url, remote.reference.as_deref().unwrap_or_default());
    let key = &craig_source::ContentHash::from_content(identity.as_bytes()).to_hex()[..16];
    clones_folder(store).join(key).join(remote.url.name())
}

/// The path as a project keeps it, links followed, also where its last parts are not there yet.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(above), Some(name)) => real(above).join(name),
        _ => path.to_owned(),
    }
}
