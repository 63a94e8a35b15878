//! The engine itself: projects, their state, their files.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use craig_insight::Analysis;
use craig_model::{Embedder, StaticModel};
use craig_search::{Index, SearchError};
use craig_source::{FileStamp, Root, SourceOptions, walk};
use craig_store::{
    DatabaseAddress, FileRecord, IngestionState, IngestionStatus, Project, ProjectCounts, ProjectKey, Store,
    StoreError, StoredText,
};
use craig_symbols::SymbolGraph;
use craig_text::shell_word;
use rayon::ThreadPool;

use crate::consent::{Consent, NewSources};
use crate::context::{ContextCache, GuessCache};
use crate::freshness::FreshnessCache;
use crate::group::names_several;
use crate::ingest::{Waiting, lock, lock_index, wait_to_write};
use crate::left_out::UnsearchedFiles;
use crate::lock::locked;
use crate::models;
use crate::options::StoredOptions;
use crate::packages::{FileImports, Manifests, PackageLibrary};
use crate::permits::Permits;
use crate::plan::{Compare, Plan};
use crate::project::{reload, root_of, unknown_file};
use crate::report::{
    FailedFile, FileEntry, FileText, LanguageShare, ProjectGlance, ProjectStatus, ProjectSummary, Statistics,
    TreeNode, UpdateCheck,
};
use crate::rerank::Rerankers;
use crate::single_flight::SingleFlight;
use crate::stores::{PooledStore, StorePool};
use crate::visibility::{ReadObserver, Visibility};
use crate::{Config, EmbedderConfig, EngineError, Explainer, Progress};

/// A database and everything that answers from it, for any number of threads at the same time.
///
/// Several engines, in one process or many, may work on the same database; in one process one is enough.
pub struct Engine {
    shared: Arc<Shared>,
    /// Which projects there are for its calls.
    pub(crate) visibility: Visibility,
    /// Gets the name of each project that a call reads, perhaps several times.
    observer: Option<ReadObserver>,
}

/// What engines of one database share, whatever each of them shows.
struct Shared {
    config: Config,
    stores: StorePool,
    /// Threads to compute on, started when something is first computed on several.
    pool: SingleFlight<(), Arc<ThreadPool>>,
    /// Loaded when something is embedded: weights take time to load, and a missing key must not stop a `list`.
    embedder: SingleFlight<(), Arc<dyn Embedder>>,
    rerankers: Rerankers,
    indexes: SingleFlight<ProjectKey, Arc<Index>>,
    /// Counts of projects, each for a generation: counting takes time in proportion to the number of files.
    counts: Mutex<HashMap<ProjectKey, (u64, ProjectCounts)>>,
    /// Each with the generation of its project.
    analyses: SingleFlight<ProjectKey, (u64, Arc<Analysis>)>,
    /// Each with the generation of its project.
    graphs: SingleFlight<ProjectKey, (u64, Arc<SymbolGraph>)>,
    manifests: SingleFlight<ProjectKey, (u64, Arc<Manifests>)>,
    /// Of the file that was last asked about, by its project.
    imports: SingleFlight<ProjectKey, (u64, Arc<FileImports>)>,
    package_libraries: SingleFlight<ProjectKey, (u64, Arc<PackageLibrary>)>,
    contexts: ContextCache,
    guesses: GuessCache,
    /// By the folder of their project.
    explainers: SingleFlight<PathBuf, Arc<Explainer>>,
    freshness: FreshnessCache,
    unsearched_files: UnsearchedFiles,
    background_refreshes: Permits,
    /// Names of the projects that were found, by their references. Held only to read or add one.
    names: Mutex<HashMap<String, String>>,
}

/// Refreshes that go on behind an answer at the same time.
const MAX_BACKGROUND_REFRESHES: usize = 4;

impl Engine {
    /// Creates an engine from `config`. The first call that needs the database opens it, or creates it if it is
    /// missing.
    pub fn new(config: &Config) -> Self {
        let shared = Shared {
            config: config.clone(),
            stores: StorePool::new(),
            pool: SingleFlight::default(),
            embedder: SingleFlight::default(),
            rerankers: Rerankers::default(),
            indexes: SingleFlight::default(),
            counts: Mutex::default(),
            analyses: SingleFlight::default(),
            graphs: SingleFlight::default(),
            manifests: SingleFlight::default(),
            imports: SingleFlight::default(),
            package_libraries: SingleFlight::default(),
            contexts: ContextCache::default(),
            guesses: GuessCache::default(),
            explainers: SingleFlight::default(),
            freshness: FreshnessCache::default(),
            unsearched_files: UnsearchedFiles::default(),
            background_refreshes: Permits::new(MAX_BACKGROUND_REFRESHES),
            names: Mutex::default(),
        };
        Self { shared: Arc::new(shared), visibility: Visibility::All, observer: None }
    }

    /// The same engine for somebody who may see only some of the projects: for its calls, the others do not exist.
    #[must_use]
    pub fn within(&self, visibility: Visibility) -> Self {
        Self { shared: Arc::clone(&self.shared), visibility, observer: self.observer.clone() }
    }

    /// The same engine, whose calls report the projects that they read.
    #[must_use]
    pub fn observed(&self, observer: ReadObserver) -> Self {
        let (shared, visibility) = (Arc::clone(&self.shared), self.visibility.clone());
        Self { shared, visibility, observer: Some(observer) }
    }

    /// The same, and opens the database at once: fails when it cannot be opened.
    pub fn open(config: &Config) -> Result<Self, EngineError> {
        let engine = Self::new(config);
        engine.store()?;
        Ok(engine)
    }

    /// Fails when the database cannot be opened, or its server does not answer.
    pub fn check_database(&self) -> Result<(), EngineError> {
        self.store().map(drop)
    }

    /// Fails when the directory `given`, which `root` was opened from, is not to become a project.
    pub(crate) fn check_new_source(
        store: &Store,
        given: &Path,
        root: &Root,
        consent: Consent,
    ) -> Result<(), EngineError> {
        match consent.new_sources {
            NewSources::Any => Ok(()),
            NewSources::Exact if root.path() == given => Ok(()),
            NewSources::Exact => {
                Err(EngineError::SourceReplaced { path: given.to_owned(), leads_to: root.path().to_owned() })
            }
            NewSources::Unprotected if store.project_of_path(root.as_str())?.is_some() => Ok(()),
            NewSources::Unprotected => match craig_source::protected_folder(root.path()) {
                Some(why) => Err(EngineError::ProtectedSource { path: root.path().to_owned(), why }),
                None => Ok(()),
            },
        }
    }

    /// Where the database is, which may not have been made yet.
    pub fn database(&self) -> &DatabaseAddress {
        &self.shared.config.database
    }

    pub(crate) fn config(&self) -> &Config {
        &self.shared.config
    }

    /// The explainer of the project at `root`, opened with `open` on first use. It needs no database.
    pub fn explainer(
        &self,
        root: &Path,
        open: impl FnOnce() -> Result<Explainer, EngineError>,
    ) -> Result<Arc<Explainer>, EngineError> {
        self.shared.explainers.get(root.to_owned(), |_| true, || open().map(Arc::new))
    }

    /// A connection to the database for one call. A call takes one and passes it on, so that it needs no second one.
    pub(crate) fn store(&self) -> Result<PooledStore<'_>, EngineError> {
        let mut store = self.shared.stores.get(&self.shared.config, || self.forget_all())?;
        store.show_only(self.visibility.names())?;
        Ok(store)
    }

    /// Threads to compute on, as many as the user wants to give.
    pub(crate) fn pool(&self) -> Result<Arc<ThreadPool>, EngineError> {
        self.shared.pool.get((), |_| true, || Ok(Arc::new(thread_pool(self.shared.config.threads)?)))
    }

    /// The manifests of projects, each with its generation.
    pub(crate) fn manifests(&self) -> &SingleFlight<ProjectKey, (u64, Arc<Manifests>)> {
        &self.shared.manifests
    }

    /// What files import, by project, each with the project's generation.
    pub(crate) fn imports(&self) -> &SingleFlight<ProjectKey, (u64, Arc<FileImports>)> {
        &self.shared.imports
    }

    /// The documents of packages, by package, each with its generation.
    pub(crate) fn package_libraries(&self) -> &SingleFlight<ProjectKey, (u64, Arc<PackageLibrary>)> {
        &self.shared.package_libraries
    }

    pub(crate) fn contexts(&self) -> &ContextCache {
        &self.shared.contexts
    }

    pub(crate) fn guesses(&self) -> &GuessCache {
        &self.shared.guesses
    }

    pub(crate) fn unsearched_files(&self) -> &UnsearchedFiles {
        &self.shared.unsearched_files
    }

    pub(crate) fn freshness(&self) -> &FreshnessCache {
        &self.shared.freshness
    }

    pub(crate) fn background_refreshes(&self) -> &Permits {
        &self.shared.background_refreshes
    }

    /// The embedder, loaded on first use.
    pub(crate) fn embedder(&self) -> Result<Arc<dyn Embedder>, EngineError> {
        let load = || match &self.shared.config.embedder {
            config @ EmbedderConfig::Local { .. } => Ok(self.pool()?.install(|| models::embedder(config))?),
            config => Ok(models::embedder(config)?),
        };
        self.shared.embedder.get((), |_| true, load)
    }

    pub(crate) fn rerankers(&self) -> &Rerankers {
        &self.shared.rerankers
    }

    /// Finds a project or group by its id, reference or name, or the group of several projects separated by commas. If a
    /// reference was found before and is gone, the error gives the project's name, since no user knows it by its reference.
    pub(crate) fn find(&self, store: &Store, handle: &str) -> Result<Project, EngineError> {
        if self.lists_several(store, handle) {
            return self.group_of(store, handle);
        }
        match store.project(handle) {
            Ok(project) if self.shows(store, &project)? => {
                self.observe(&project.name);
                let mut names = locked(&self.shared.names);
                if !names.contains_key(&project.reference) {
                    names.insert(project.reference.clone(), project.name.clone());
                }
                Ok(project)
            }
            Ok(_) | Err(StoreError::UnknownProject { .. }) => {
                let known_name = locked(&self.shared.names).get(handle).cloned();
                match known_name.filter(|name| self.visibility.has(name)) {
                    Some(project) => Err(EngineError::Purged { project }),
                    None => Err(self.unknown(store, handle)?),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether `handle` names several projects, which are asked as their group. A caller whose access is limited to some
    /// projects can neither create groups nor find out which exist.
    fn lists_several(&self, store: &Store, handle: &str) -> bool {
        self.visibility == Visibility::All && names_several(store, handle)
    }

    /// Reports that a project is read.
    pub(crate) fn observe(&self, project: &str) {
        if let Some(observer) = &self.observer {
            observer(project);
        }
    }

    /// Does some reading of one state of the project, whatever is committed meanwhile.
    pub(crate) fn read<T>(
        &self,
        store: &Store,
        handle: &str,
        work: impl FnOnce(&Project) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        // A snapshot lacks what is created after it, and asking several projects may create their group.
        let group = match self.lists_several(store, handle) {
            true => Some(self.find(store, handle)?.reference),
            false => None,
        };
        let _snapshot = store.snapshot()?;
        work(&self.find(store, group.as_deref().unwrap_or(handle))?)
    }

    /// The index of `project` as the store has it now. Where it cannot be written, it is made in memory. What the user
    /// should know of it is added to `notes`.
    pub(crate) fn index(
        &self,
        store: &Store,
        project: &Project,
        notes: &mut Vec<String>,
    ) -> Result<Arc<Index>, EngineError> {
        let is_current = |index: &Arc<Index>| index.generation() == project.generation;
        self.shared.indexes.get(project.key(), is_current, || {
            self.synced_index(store, project, notes)
                .or_else(|error| self.index_in_memory(store, project, error, notes))
        })
    }

    /// The index of `project` as the store has it now, unless it would have to be made first or is being made. No model is
    /// loaded or asked for it.
    pub(crate) fn index_at_hand(&self, store: &Store, project: &Project) -> Option<Arc<Index>> {
        let is_current = |index: &Arc<Index>| index.generation() == project.generation;
        let open = || {
            let EmbedderConfig::Builtin = self.shared.config.embedder else { return None };
            let embedder = StaticModel::builtin();
            Index::open(store, project, embedder.id(), embedder.dimensions().ok()?).map(Arc::new)
        };
        self.shared.indexes.at_hand(project.key(), is_current, open)
    }

    /// The projects that have an index in memory, with its generation.
    pub(crate) fn held_indexes(&self) -> Vec<(ProjectKey, u64)> {
        let indexes = self.shared.indexes.values().into_iter();
        indexes.map(|(key, index)| (key, index.generation())).collect()
    }

    /// Whether a graph of the symbols of `project` is in memory.
    pub(crate) fn holds_graph(&self, project: &Project) -> bool {
        self.shared.graphs.values().iter().any(|(key, _)| *key == project.key())
    }

    /// Brings the index of `project` up to date with the store.
    pub(crate) fn refresh_index(
        &self,
        store: &Store,
        project: &Project,
        notes: &mut Vec<String>,
    ) -> Result<(), EngineError> {
        let make = || self.synced_index(store, project, notes);
        self.shared.indexes.replace(project.key(), make)
    }

    /// Queries the index of `project`. If the index turns out to be damaged, it is rebuilt and queried again, once.
    pub(crate) fn ask_index<T>(
        &self,
        store: &Store,
        project: &Project,
        notes: &mut Vec<String>,
        ask: impl Fn(&Index) -> Result<T, SearchError>,
    ) -> Result<T, EngineError> {
        let index = self.index(store, project, notes)?;
        match ask(&index) {
            Err(SearchError::Damaged { .. }) => {
                // Others may have met the same damage, and may have repaired it.
                let is_another = |known: &Arc<Index>| !Arc::ptr_eq(known, &index);
                let repaired = self.shared.indexes.get(project.key(), is_another, || {
                    self.make_index(store, project, Index::repair, notes)
                        .or_else(|error| self.index_in_memory(store, project, error, notes))
                })?;
                Ok(ask(&repaired)?)
            }
            answered => Ok(answered?),
        }
    }

    /// Verifies the whole index of `project` and rebuilds its damaged parts.
    pub(crate) fn rebuild_index(&self, store: &Store, project: &Project) -> Result<(), EngineError> {
        let make = || self.make_index(store, project, Index::repair, &mut Vec::new());
        self.shared.indexes.replace(project.key(), make)
    }

    /// The index on disk, brought up to date if it is stale.
    fn synced_index(
        &self,
        store: &Store,
        project: &Project,
        notes: &mut Vec<String>,
    ) -> Result<Arc<Index>, EngineError> {
        let project = self.find(store, &project.reference)?;
        let embedder = self.embedder()?;
        match Index::open(store, &project, embedder.id(), embedder.dimensions()?) {
            Some(index) => Ok(Arc::new(index)),
            // Only this needs several threads.
            None => self.make_index(store, &project, Index::sync, notes),
        }
    }

    fn make_index(
        &self,
        store: &Store,
        project: &Project,
        make: fn(&Store, &Project, &str, usize, &ThreadPool) -> Result<Index, SearchError>,
        notes: &mut Vec<String>,
    ) -> Result<Arc<Index>, EngineError> {
        let project = self.find(store, &project.reference)?;
        let embedder = self.embedder()?;
        let index = make(store, &project, embedder.id(), embedder.dimensions()?, &*self.pool()?);
        let index = index.map_err(|error| match error {
            SearchError::ProjectGone => EngineError::Purged { project: project.name.clone() },
            other => other.into(),
        })?;
        if let Some(damage) = index.repaired() {
            notes.push(format!(
                "the search index of {} was damaged ({damage}) and was rebuilt from the database",
                project.name
            ));
        }
        Ok(Arc::new(index))
    }

    /// The index made in memory, if `error` is that it cannot be written, or that another process keeps it locked.
    fn index_in_memory(
        &self,
        store: &Store,
        project: &Project,
        error: EngineError,
        notes: &mut Vec<String>,
    ) -> Result<Arc<Index>, EngineError> {
        use StoreError::{Held, Lock, ReadOnly};
        match error {
            EngineError::Search(SearchError::Store(Held { holder })) => notes.push(format!(
                "the search index of {} was built in memory: {holder} is still writing the one on disk",
                project.name
            )),
            EngineError::Search(error @ (SearchError::Io { .. } | SearchError::Store(Lock { .. }))) => {
                notes.push(format!("the search index of {} was built in memory: {error}", project.name));
            }
            EngineError::Search(SearchError::Store(ReadOnly { .. })) => {}
            other => return Err(other),
        }
        let embedder = self.embedder()?;
        let (dimensions, pool) = (embedder.dimensions()?, self.pool()?);
        self.read(store, &project.reference, |project| {
            Ok(Arc::new(Index::build_in_memory(store, project, embedder.id(), dimensions, &pool)?))
        })
    }

    /// The analysis of a project as the store has it now; `load` makes one.
    pub(crate) fn analysis_of(
        &self,
        project: &Project,
        load: impl FnOnce() -> Result<(u64, Arc<Analysis>), EngineError>,
    ) -> Result<Arc<Analysis>, EngineError> {
        let is_current = |(generation, _): &(u64, Arc<Analysis>)| *generation == project.generation;
        Ok(self.shared.analyses.get(project.key(), is_current, load)?.1)
    }

    /// The graph of the symbols of a project as the store has it now; `load` makes one.
    pub(crate) fn graph_of(
        &self,
        project: &Project,
        scip: Option<FileStamp>,
        load: impl FnOnce() -> Result<SymbolGraph, EngineError>,
    ) -> Result<Arc<SymbolGraph>, EngineError> {
        let is_current = |(generation, graph): &(u64, Arc<SymbolGraph>)| {
            *generation == project.generation && graph.scip == scip
        };
        let load = || Ok::<_, EngineError>((project.generation, Arc::new(load()?)));
        Ok(self.shared.graphs.get(project.key(), is_current, load)?.1)
    }

    /// All projects by number.
    pub fn projects(&self) -> Result<Vec<ProjectSummary>, EngineError> {
        let store = self.store()?;
        let projects = self.shown_projects(&store)?;
        self.summaries(&store, projects)
    }

    fn summaries(&self, store: &Store, projects: Vec<Project>) -> Result<Vec<ProjectSummary>, EngineError> {
        let counts = self.counts_of(store, &projects)?.into_iter();
        Ok(counts.zip(projects).map(|(counts, project)| summary(counts, project)).collect())
    }

    /// Counts of files and chunks. A project is counted again only when its generation has changed.
    pub(crate) fn counts_of(
        &self,
        store: &Store,
        projects: &[Project],
    ) -> Result<Vec<ProjectCounts>, EngineError> {
        let known = locked(&self.shared.counts);
        let is_new = |project: &&Project| {
            known.get(&project.key()).is_none_or(|(generation, _)| *generation != project.generation)
        };
        let new: Vec<Project> = projects.iter().filter(is_new).cloned().collect();
        drop(known);
        let counted = if new.is_empty() { HashMap::new() } else { store.counts_of(&new)? };
        let mut known = locked(&self.shared.counts);
        for project in &new {
            let counts = counted.get(&project.id).copied().unwrap_or_default();
            known.insert(project.key(), (project.generation, counts));
        }
        let counts = projects.iter().map(|project| known.get(&project.key()));
        Ok(counts.map(|known| known.map(|(_, counts)| *counts).unwrap_or_default()).collect())
    }

    /// References of all projects, by number.
    pub fn project_references(&self) -> Result<Vec<String>, EngineError> {
        let store = self.store()?;
        let projects = self.shown_projects(&store)?.into_iter();
        Ok(projects.map(|project| project.reference).collect())
    }

    /// All projects by number, each with the state of its newest ingestion.
    pub fn projects_with_status(&self) -> Result<Vec<(ProjectSummary, ProjectStatus)>, EngineError> {
        let store = self.store()?;
        let projects = self.shown_projects(&store)?;
        let statuses = projects.iter().zip(store.ingestion_statuses(&projects)?);
        let statuses: Vec<ProjectStatus> =
            statuses.map(|(project, status)| status_of(project, status)).collect();
        Ok(self.summaries(&store, projects)?.into_iter().zip(statuses).collect())
    }

    /// One project.
    pub fn project(&self, handle: &str) -> Result<ProjectSummary, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        Ok(summary(store.counts(project.id)?, project))
    }

    /// The same in a moment, however large the project is.
    pub fn glance(&self, handle: &str) -> Result<ProjectGlance, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        Ok(ProjectGlance {
            files: store.count_files(project.id)?,
            state: store.ingestion_status(&project)?.state.into(),
            name: project.name,
        })
    }

    /// The directory of a project, without counting what is stored of it.
    pub fn directory_of(&self, handle: &str) -> Result<PathBuf, EngineError> {
        let store = self.store()?;
        Ok(self.find(&store, handle)?.source_path.into())
    }

    /// Keys of `settings` that the index of a project was certainly not built with. `settings` are those of its directory.
    pub fn unapplied_settings(
        &self,
        handle: &str,
        settings: &SourceOptions,
    ) -> Result<Vec<&'static str>, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        let is_group = project.is_group();
        Ok(if is_group { Vec::new() } else { StoredOptions::parse(&project.options).lacking(settings) })
    }

    /// The state of the newest ingestion of a project. It counts as failed if its process is gone, or if it failed
    /// without being able to write so into the database, as on a full disk.
    pub fn status(&self, handle: &str) -> Result<ProjectStatus, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        if project.is_group() {
            return self.status_of_members(&store, &project);
        }
        let status = store.ingestion_status(&project)?;
        Ok(status_of(&project, status))
    }

    /// How the source directory of a project differs from the index; nobody else is asked.
    pub fn check_directory(&self, handle: &str) -> Result<UpdateCheck, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        self.compare_directory(&store, &project)
    }

    /// The same for a project that was found.
    pub(crate) fn compare_directory(
        &self,
        store: &Store,
        project: &Project,
    ) -> Result<UpdateCheck, EngineError> {
        let root = root_of(project)?;
        let stored = StoredOptions::parse(&project.options);
        let options = stored.source();
        let listing = walk(&root, &options)?;
        self.unsearched_files().note(project, &listing);
        let plan = Plan::new(&listing, store.tracked_files(project.id)?, Compare::Stamp);
        let mut check = UpdateCheck {
            project: project.name.clone(),
            up_to_date: false,
            added: Vec::new(),
            changed: Vec::new(),
            removed: plan.removed.iter().map(|file| file.path.clone()).collect(),
            failed: listing.skipped.iter().map(FailedFile::from).collect(),
            git: stored.origin(),
            newest_commit: None,
        };
        for (entry, known) in &plan.read {
            match (known, craig_source::read_raw(&root, &entry.path, &options)) {
                (_, Err(error)) => check.failed.push(FailedFile::new(&entry.path, &error)),
                (None, Ok(_)) => check.added.push(entry.path.clone()),
                (Some(known), Ok(now)) if known.hash != now.hash => check.changed.push(entry.path.clone()),
                (Some(_), Ok(_)) => {}
            }
        }
        check.up_to_date = check.added.is_empty() && check.changed.is_empty() && check.removed.is_empty();
        Ok(check)
    }

    /// Removes a project with all its data and everything derived from it; gives its name. Waits for its ingestion to end,
    /// and shows who it waits for. If it fails, the store still has all that was ingested; the search index may be missing,
    /// and is built again.
    pub fn purge(&self, handle: &str, progress: &mut dyn FnMut(&Progress)) -> Result<String, EngineError> {
        let mut store = self.store()?;
        let project = self.find(&store, handle)?;
        store.check_writable()?;
        let lock = lock(&store, &project, Waiting::Wait, progress)?;
        // The previous holder of the lock may have purged it.
        let project = reload(&store, &project)?;
        // The index is not created again before the project is removed.
        let index_lock = lock_index(&store, &project, progress)?;
        wait_to_write(&mut store, Waiting::Wait, progress)?;
        self.forget(&project);
        self.shared.freshness.remove(&project.reference);
        let groups = store.groups_of(project.id)?;
        // First what can be made again: on a full disk, that is the room that the rest takes.
        for group in &groups {
            let index_lock = lock_index(&store, group, progress)?;
            self.forget(group);
            // What a model made that cannot be asked is removed as a whole.
            match self.embedder().and_then(|model| Ok((model.dimensions()?, model))) {
                Ok((dimensions, model)) => {
                    let made_with = (model.id(), dimensions);
                    Index::remove_member(&store, group, made_with, &project.name, &index_lock)?;
                }
                Err(_) => Index::remove(&store, group, &index_lock)?,
            }
        }
        Index::remove(&store, &project, &index_lock)?;
        store.purge(&lock)?;
        // An analysis may have been made again while the rows were deleted.
        groups.iter().chain([&project]).for_each(|changed| self.forget(changed));
        locked(&self.shared.names).remove(&project.reference);
        self.remove_clone_of(&store, &project)?;
        Ok(project.name)
    }

    /// Drops what is derived from a project and kept in memory.
    fn forget(&self, project: &Project) {
        let key = project.key();
        self.shared.indexes.remove(&key);
        self.shared.analyses.remove(&key);
        self.shared.graphs.remove(&key);
        self.shared.manifests.remove(&key);
        self.shared.imports.remove(&key);
        self.shared.package_libraries.remove(&key);
        self.shared.contexts.remove_project(&key);
        locked(&self.shared.counts).remove(&key);
        self.shared.unsearched_files.remove(&project.reference);
    }

    /// Drops what is derived from all projects: it is of another database, and may take much memory.
    fn forget_all(&self) {
        self.shared.indexes.clear();
        self.shared.analyses.clear();
        self.shared.graphs.clear();
        self.shared.manifests.clear();
        self.shared.imports.clear();
        self.shared.package_libraries.clear();
        self.shared.contexts.clear();
        locked(&self.shared.counts).clear();
        self.shared.unsearched_files.clear();
    }

    /// The tracked files of a project as a tree, binary ones included.
    pub fn tree(&self, handle: &str) -> Result<TreeNode, EngineError> {
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let mut root = TreeNode { name: project.name.clone(), ..TreeNode::default() };
            for entry in file_entries(&store, project)? {
                root.insert(&entry.path.clone(), entry);
            }
            root.sort();
            Ok(root)
        })
    }

    /// The tracked files of a project by path, binary ones included.
    pub fn files(&self, handle: &str) -> Result<Vec<FileEntry>, EngineError> {
        let store = self.store()?;
        self.read(&store, handle, |project| file_entries(&store, project))
    }

    /// One tracked file with its text.
    pub fn file(&self, handle: &str, path: &str) -> Result<FileText, EngineError> {
        let path = path.trim_start_matches("./");
        let store = self.store()?;
        self.read(&store, handle, |project| {
            let (tracked, found) =
                (store.tracked_file(project.id, path)?, store.file_text(project.id, path)?);
            match tracked.zip(found) {
                Some((tracked, StoredText { record, content })) => {
                    Ok(FileText { entry: FileEntry::new(record, tracked.stamp), content })
                }
                None => Err(unknown_file(&store, project, path)?),
            }
        })
    }

    /// Sums over one project, or over all.
    pub fn statistics(&self, handle: Option<&str>) -> Result<Statistics, EngineError> {
        let store = self.store()?;
        let projects = match handle {
            Some(handle) => vec![self.find(&store, handle)?],
            None => self.shown_projects(&store)?,
        };
        // The size of the database tells of all projects.
        let shows_all = self.visibility == Visibility::All;
        let mut sums = Statistics {
            projects: projects.len() as u64,
            database: if shows_all { store.location() } else { String::new() },
            database_bytes: if shows_all { store.bytes_on_disk() } else { 0 },
            embedder: embedders_of(&projects),
            ..Statistics::default()
        };
        for project in projects {
            sums.chunks += store.counts(project.id)?.chunks;
            store.file_records(project.id)?.iter().for_each(|record| sums.count(record));
        }
        Ok(sums)
    }
}

/// Threads to compute on, 0 for one for each core.
pub(crate) fn thread_pool(n_threads: usize) -> Result<ThreadPool, EngineError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build();
    pool.map_err(|error| EngineError::Threads(error.to_string()))
}

/// The embedder of these projects' vectors; the built-in model if there are none.
fn embedders_of(projects: &[Project]) -> String {
    let embedders =
        projects.iter().map(|project| StoredOptions::parse(&project.options).embedder().to_owned());
    let embedders: BTreeSet<String> = embedders.filter(|embedder| !embedder.is_empty()).collect();
    if embedders.is_empty() {
        return StaticModel::builtin().id().to_owned();
    }
    embedders.into_iter().collect::<Vec<_>>().join(", ")
}

fn status_of(project: &Project, status: IngestionStatus) -> ProjectStatus {
    let error = match status.state {
        IngestionState::CutOff => Some(format!(
            "the ingestion was interrupted; committed files are kept: run 'craig ingest-delta {}' to complete it",
            shell_word(&project.name)
        )),
        _ => status.error,
    };
    ProjectStatus {
        project: project.name.clone(),
        status: status.state.into(),
        progress: status.progress,
        current_file: status.current_file,
        total_files: status.total_files,
        processed_files: status.processed_files,
        started_at: status.started_at,
        completed_at: status.completed_at,
        error,
    }
}

fn summary(ProjectCounts { files, chunks }: ProjectCounts, project: Project) -> ProjectSummary {
    ProjectSummary {
        id: project.id.to_u64(),
        files,
        chunks,
        git: StoredOptions::parse(&project.options).origin(),
        name: project.name,
        reference: project.reference,
        source_path: project.source_path,
        ingestion_date: project.ingestion_date,
        last_updated: project.last_updated,
        content_hash: project.content_hash,
    }
}

impl Statistics {
    fn count(&mut self, record: &FileRecord) {
        self.files += 1;
        self.bytes += record.size;
        if record.is_binary {
            self.binary_files += 1;
            return;
        }
        let share: &mut LanguageShare = self.languages.entry(record.language.id().to_owned()).or_default();
        share.files += 1;
        share.bytes += record.size;
    }
}

/// The tracked files of a project by path.
fn file_entries(store: &Store, project: &Project) -> Result<Vec<FileEntry>, EngineError> {
    let (records, tracked) = (store.file_records(project.id)?, store.tracked_files(project.id)?);
    Ok(records.into_iter().zip(tracked).map(|(record, file)| FileEntry::new(record, file.stamp)).collect())
}

impl FileEntry {
    fn new(record: FileRecord, stamp: FileStamp) -> Self {
        let modified = jiff::Timestamp::from_nanosecond(i128::from(stamp.modified_ns));
        Self {
            path: record.path,
            is_binary: record.is_binary,
            language: record.language,
            kind: record.kind,
            r#type: record.file_type,
            size: record.size,
            modified_date: modified.ok().map(|time| format!("{time:.3}")),
            withheld: record.withheld,
            file_hash: record.file_hash,
        }
    }
}

impl TreeNode {
    fn insert(&mut self, path: &str, file: FileEntry) {
        let (name, rest) = path.split_once('/').map_or((path, None), |(name, rest)| (name, Some(rest)));
        // Records come in path order, so a folder that exists already is the last child.
        let is_open = self.children.last().is_some_and(|child| child.name == name && child.file.is_none());
        if !is_open {
            self.children.push(Self { name: name.to_owned(), ..Self::default() });
        }
        let Some(child) = self.children.last_mut() else { return };
        match rest {
            Some(rest) => child.insert(rest, file),
            None => child.file = Some(file),
        }
    }

    fn sort(&mut self) {
        self.children
            .sort_by(|a, b| a.file.is_some().cmp(&b.file.is_some()).then_with(|| a.name.cmp(&b.name)));
        self.children.iter_mut().for_each(Self::sort);
    }
}
