//! The engine itself: projects, their state, their files.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use craig_model::{Embedder, StaticModel};
use craig_search::{Index, SearchError};
use craig_source::{Root, SourceError, walk};
use craig_store::{
    FileRecord, IngestionState, IngestionStatus, Inside, LastRun, Project, ProjectId, Role, Store, StoreError,
};

use crate::context::ContextCache;
use crate::insight::Analyses;
use crate::lookout::Lookout;
use crate::models::{self, ConfiguredReranker};
use crate::options::StoredOptions;
use crate::plan::{Compare, Plan};
use crate::report::{
    FailedFile, FileEntry, FileText, LanguageShare, ProjectStatus, ProjectSummary, Statistics, TreeNode,
    UpdateCheck,
};
use crate::{Config, EngineError};

/// Which directories an engine makes new projects of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewSources {
    /// None that is [protected](craig_source::protected_folder): home directories, system folders.
    #[default]
    Unprotected,
    /// Any: the user has agreed.
    Any,
    /// The very directory that is named, whatever it is: somebody has looked at it, and no link may lead elsewhere now.
    Exact,
}

/// One open database and everything that answers from it.
///
/// An engine belongs to one thread; several, in one process or many, may work on the same database.
pub struct Engine {
    store: Store,
    /// Shared with the thread that produces an ingestion's groups while this one commits them.
    pool: Arc<rayon::ThreadPool>,
    config: Config,
    /// Made when something is embedded: weights take time to load, and a missing key must not stop a `list`.
    embedder: OnceCell<Arc<dyn Embedder>>,
    reranker: OnceCell<Option<ConfiguredReranker>>,
    costs_are_accepted: bool,
    new_sources: NewSources,
    indexes: HashMap<ProjectId, Arc<Index>>,
    /// Notes for the user that go with the next answer.
    notes: Vec<String>,
    /// Names of the projects that were found, by their references.
    names: RefCell<HashMap<String, String>>,
    analyses: Analyses,
    contexts: ContextCache,
    /// Shared with the other engines of a server; one that is there for one answer has none.
    lookout: Option<Arc<Lookout>>,
}

impl Engine {
    /// Opens the database of `config`, making it when missing.
    pub fn open(config: &Config) -> Result<Self, EngineError> {
        let store = open_store(config)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(config.threads)
            .build()
            .map_err(|error| EngineError::Threads(error.to_string()))?;
        Ok(Self {
            store,
            pool: Arc::new(pool),
            config: config.clone(),
            embedder: OnceCell::new(),
            reranker: OnceCell::new(),
            costs_are_accepted: false,
            new_sources: NewSources::default(),
            indexes: HashMap::new(),
            notes: Vec::new(),
            names: RefCell::default(),
            analyses: Analyses::new(),
            contexts: ContextCache::default(),
            lookout: None,
        })
    }

    /// This engine, looking for changes as [`Lookout`] allows.
    pub(crate) fn with_lookout(self, lookout: Arc<Lookout>) -> Self {
        Self { lookout: Some(lookout), ..self }
    }

    pub(crate) fn lookout(&self) -> Option<&Arc<Lookout>> {
        self.lookout.as_ref()
    }

    /// Lets ingestions cost what they cost, instead of failing with
    /// [`CostsNotAccepted`](EngineError::CostsNotAccepted).
    pub fn accept_costs(&mut self) {
        self.costs_are_accepted = true;
    }

    pub(crate) fn costs_are_accepted(&self) -> bool {
        self.costs_are_accepted
    }

    /// Which directories become projects from now on.
    pub fn set_new_sources(&mut self, new_sources: NewSources) {
        self.new_sources = new_sources;
    }

    /// Fails when the directory `given`, which `root` was opened from, is not to become a project.
    pub(crate) fn check_new_source(&self, given: &Path, root: &Root) -> Result<(), EngineError> {
        match self.new_sources {
            NewSources::Any => Ok(()),
            NewSources::Exact if root.path() == given => Ok(()),
            NewSources::Exact => {
                Err(EngineError::SourceReplaced { path: given.to_owned(), leads_to: root.path().to_owned() })
            }
            NewSources::Unprotected if self.store.project_of_path(root.as_str())?.is_some() => Ok(()),
            NewSources::Unprotected => match craig_source::protected_folder(root.path()) {
                Some(why) => Err(EngineError::ProtectedSource { path: root.path().to_owned(), why }),
                None => Ok(()),
            },
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Whether another process changed a database that this one can only read.
    pub(crate) fn is_outdated(&self) -> bool {
        self.store.is_outdated()
    }

    /// Whether the disk is so full that nobody else can open the database at the same time.
    pub(crate) fn is_alone(&self) -> bool {
        self.store.is_alone()
    }

    pub(crate) fn pool(&self) -> Arc<rayon::ThreadPool> {
        Arc::clone(&self.pool)
    }

    pub(crate) fn contexts(&mut self) -> &mut ContextCache {
        &mut self.contexts
    }

    pub(crate) fn analyses(&mut self) -> &mut Analyses {
        &mut self.analyses
    }

    /// What embeds, loaded when it is first asked for.
    pub(crate) fn embedder(&self) -> Result<Arc<dyn Embedder>, EngineError> {
        if let Some(embedder) = self.embedder.get() {
            return Ok(Arc::clone(embedder));
        }
        // On the engine's own threads, as many as the user wants to give.
        let config = &self.config.embedder;
        let embedder = self.pool.install(|| models::embedder(config))?;
        Ok(Arc::clone(self.embedder.get_or_init(|| embedder)))
    }

    /// What looks at the first results again, loaded when it is first asked for; `None` when nothing does.
    pub(crate) fn reranker(&self) -> Result<Option<ConfiguredReranker>, EngineError> {
        if let Some(reranker) = self.reranker.get() {
            return Ok(reranker.clone());
        }
        let config = &self.config;
        let reranker = self.pool.install(|| models::reranker(config))?;
        Ok(self.reranker.get_or_init(|| reranker).clone())
    }

    /// Finds a project by its id, reference or name. If a reference was found before and is
    /// gone, the error gives the project's name, since no user knows it by its reference.
    pub(crate) fn find(&self, handle: &str) -> Result<Project, EngineError> {
        let mut names = self.names.borrow_mut();
        match self.store.project(handle) {
            Ok(project) => {
                if !names.contains_key(&project.reference) {
                    names.insert(project.reference.clone(), project.name.clone());
                }
                Ok(project)
            }
            Err(StoreError::UnknownProject { handle, known }) => match names.get(&handle) {
                Some(name) => Err(EngineError::Purged { project: name.clone() }),
                None => Err(StoreError::UnknownProject { handle, known }.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// Does some reading of one state of the project, whatever is committed meanwhile.
    pub(crate) fn read<T>(
        &self,
        handle: &str,
        work: impl FnOnce(&Project) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let _snapshot = self.store.snapshot()?;
        work(&self.find(handle)?)
    }

    /// The index of `project` as the store has it now. Where it cannot be written, it is made in memory.
    pub(crate) fn index(&mut self, project: &Project) -> Result<Arc<Index>, EngineError> {
        match self.indexes.get(&project.id) {
            Some(index) if index.generation() == project.generation => Ok(Arc::clone(index)),
            _ => self.refresh_index(project).or_else(|error| self.without_writing(project, error)),
        }
    }

    /// Brings the index of `project` up to date with the store.
    pub(crate) fn refresh_index(&mut self, project: &Project) -> Result<Arc<Index>, EngineError> {
        self.replace_index(project, Index::sync)
    }

    /// Asks the index of `project`. One that turns out to be damaged while it answers is made anew, once, and asked again.
    pub(crate) fn ask_index<T>(
        &mut self,
        project: &Project,
        ask: impl Fn(&Index, &Store) -> Result<T, SearchError>,
    ) -> Result<T, EngineError> {
        let index = self.index(project)?;
        match ask(&index, &self.store) {
            Err(SearchError::Damaged { .. }) => {
                let mended = self.replace_index(project, Index::repair);
                let index = mended.or_else(|error| self.without_writing(project, error))?;
                Ok(ask(&index, &self.store)?)
            }
            answered => Ok(answered?),
        }
    }

    /// Makes what is damaged of the index of `project` anew, all of which is read first.
    pub(crate) fn rebuild_index(&mut self, project: &Project) -> Result<(), EngineError> {
        self.replace_index(project, Index::repair)?;
        // Whoever calls tells of it.
        self.notes.clear();
        Ok(())
    }

    fn replace_index(
        &mut self,
        project: &Project,
        make: fn(&Store, &Project, &str, usize, &rayon::ThreadPool) -> Result<Index, SearchError>,
    ) -> Result<Arc<Index>, EngineError> {
        let project = self.find(&project.reference)?;
        let embedder = self.embedder()?;
        let index = make(&self.store, &project, embedder.id(), embedder.dimensions()?, &self.pool);
        let index = index.map_err(|error| match error {
            SearchError::ProjectGone => EngineError::Purged { project: project.name.clone() },
            other => other.into(),
        })?;
        if let Some(damage) = index.repaired() {
            self.notes.push(format!(
                "the search index of {} was damaged ({damage}) and was rebuilt from the database",
                project.name
            ));
        }
        Ok(self.keep_index(project.id, index))
    }

    /// The index made in memory, if `error` is that it cannot be written.
    fn without_writing(&mut self, project: &Project, error: EngineError) -> Result<Arc<Index>, EngineError> {
        let EngineError::Search(SearchError::Io { .. }) = error else { return Err(error) };
        let embedder = self.embedder()?;
        let dimensions = embedder.dimensions()?;
        let index = self.read(&project.reference, |project| {
            Ok(Index::build_in_memory(&self.store, project, embedder.id(), dimensions, &self.pool)?)
        })?;
        Ok(self.keep_index(project.id, index))
    }

    fn keep_index(&mut self, project: ProjectId, index: Index) -> Arc<Index> {
        let index = Arc::new(index);
        self.indexes.insert(project, Arc::clone(&index));
        index
    }

    /// What is to be told beside the next answer, once.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// All projects by number.
    pub fn projects(&self) -> Result<Vec<ProjectSummary>, EngineError> {
        let chunks = self.store.chunk_counts()?;
        let files = self.store.file_counts()?;
        let count = |counts: &HashMap<_, _>, project: &Project| counts.get(&project.id).copied().unwrap_or(0);
        let told = |project| summary(count(&files, &project), count(&chunks, &project), project);
        Ok(self.store.projects()?.into_iter().map(told).collect())
    }

    /// One project.
    pub fn project(&self, handle: &str) -> Result<ProjectSummary, EngineError> {
        let project = self.find(handle)?;
        let (files, chunks) = (self.store.file_count(project.id)?, self.store.chunk_count(project.id)?);
        Ok(summary(files, chunks, project))
    }

    /// Where the newest ingestion of a project stands. It counts as failed if its process is gone, or if it failed
    /// without being able to write so into the database, as on a full disk.
    pub fn status(&self, handle: &str) -> Result<ProjectStatus, EngineError> {
        let project = self.find(handle)?;
        let number = |status: &Option<IngestionStatus>| status.as_ref().map(|status| status.id);
        let before = self.store.ingestion_status(project.id)?;
        let last_run = self.store.last_run(&project);
        // It may have ended between the two looks, and another one may have begun.
        let status = self.store.ingestion_status(project.id)?;
        let has_begun = number(&before) != number(&status);
        Ok(project_status(project, status, if has_begun { LastRun::Running } else { last_run }))
    }

    /// How the source directory of a project differs from the index; nobody else is asked.
    pub fn check_directory(&self, handle: &str) -> Result<UpdateCheck, EngineError> {
        let project = self.find(handle)?;
        let root = root_of(&project)?;
        let stored = StoredOptions::parse(&project.options);
        let options = stored.source();
        let listing = walk(&root, &options)?;
        let plan = Plan::new(&listing, self.store.tracked_files(project.id)?, Compare::Stamp);
        let mut check = UpdateCheck {
            project: project.name,
            up_to_date: false,
            added: Vec::new(),
            changed: Vec::new(),
            removed: plan.removed.iter().map(|file| file.path.clone()).collect(),
            failed: listing.skipped.iter().map(FailedFile::from).collect(),
            git: stored.origin(),
            newest_commit: None,
        };
        for (entry, known) in &plan.read {
            match (known, craig_source::read(&root, &entry.path, &options)) {
                (_, Err(error)) => check.failed.push(FailedFile::new(&entry.path, &error)),
                (None, Ok(_)) => check.added.push(entry.path.clone()),
                (Some(known), Ok(now)) if known.hash != now.hash => check.changed.push(entry.path.clone()),
                (Some(_), Ok(_)) => {}
            }
        }
        check.up_to_date = check.added.is_empty() && check.changed.is_empty() && check.removed.is_empty();
        Ok(check)
    }

    /// Removes a project with all its data and everything derived from it; gives its name. Waits for its ingestion to end.
    /// When it fails, all that was ingested is still there.
    pub fn purge(&mut self, handle: &str) -> Result<String, EngineError> {
        let project = self.find(handle)?;
        if self.store.is_read_only() {
            return Err(StoreError::ReadOnly { path: self.store.path().to_owned() }.into());
        }
        let lock = self.store.lock(&project)?;
        // Whoever had the lock may have purged it.
        let project = self.reload(&project)?;
        // Nobody makes the index again before the project is gone.
        let index_lock = Index::lock(&self.store, &project)?;
        self.indexes.remove(&project.id);
        self.analyses.remove(&project.id);
        // First what can be made again: on a full disk, that is the room that the rest takes.
        Index::remove(&self.store, &project, &index_lock)?;
        self.store.purge(project.id)?;
        lock.note_nothing();
        self.names.borrow_mut().remove(&project.reference);
        self.remove_clone_of(&project)?;
        Ok(project.name)
    }

    /// The tracked files of a project as a tree, binary ones included.
    pub fn tree(&self, handle: &str) -> Result<TreeNode, EngineError> {
        self.read(handle, |project| {
            let mut root = TreeNode { name: project.name.clone(), ..TreeNode::default() };
            for record in self.store.file_records(project.id)? {
                root.insert(&record.path.clone(), FileEntry::from(record));
            }
            root.sort();
            Ok(root)
        })
    }

    /// The tracked files of a project by path, binary ones included.
    pub fn files(&self, handle: &str) -> Result<Vec<FileEntry>, EngineError> {
        self.read(handle, |project| {
            Ok(self.store.file_records(project.id)?.into_iter().map(FileEntry::from).collect())
        })
    }

    /// One tracked file with its text.
    pub fn file(&self, handle: &str, path: &str) -> Result<FileText, EngineError> {
        let path = path.trim_start_matches("./");
        self.read(handle, |project| match self.store.file_text(project.id, path)? {
            Some(found) => Ok(FileText { entry: found.record.into(), content: found.content }),
            None => Err(self.unknown_file(project, path)?),
        })
    }

    /// What is wrong with a path that is not tracked.
    pub(crate) fn unknown_file(&self, project: &Project, path: &str) -> Result<EngineError, EngineError> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let records = self.store.file_records(project.id)?;
        let ends = |record: &&FileRecord| record.path.rsplit('/').next() == Some(name);
        let similar = records.iter().filter(ends).take(3).map(|record| record.path.clone()).collect();
        Ok(EngineError::UnknownFile { project: project.name.clone(), path: path.to_owned(), similar })
    }

    /// Sums over one project, or over all.
    pub fn statistics(&self, handle: Option<&str>) -> Result<Statistics, EngineError> {
        let projects = match handle {
            Some(handle) => vec![self.find(handle)?],
            None => self.store.projects()?,
        };
        let mut sums = Statistics {
            projects: projects.len() as u64,
            database: self.store.path().display().to_string(),
            database_bytes: size_on_disk(self.store.path()) + size_on_disk(&self.store.side_folder()),
            embedder: embedders_of(&projects),
            ..Statistics::default()
        };
        for project in projects {
            sums.chunks += self.store.chunk_count(project.id)?;
            self.store.file_records(project.id)?.iter().for_each(|record| sums.count(record));
        }
        Ok(sums)
    }
}

/// What the vectors of these projects are of; the built-in model when there are none.
fn embedders_of(projects: &[Project]) -> String {
    let embedders =
        projects.iter().map(|project| StoredOptions::parse(&project.options).embedder().to_owned());
    let embedders: BTreeSet<String> = embedders.filter(|embedder| !embedder.is_empty()).collect();
    if embedders.is_empty() {
        return StaticModel::builtin().id().to_owned();
    }
    embedders.into_iter().collect::<Vec<_>>().join(", ")
}

/// How long the opening of a database goes on trying while others make it.
const PATIENCE_FOR_OPENING: Duration = Duration::from_secs(5);

/// The folder of a workspace in which an editor has Craig keep its index.
const WORKSPACE_FOLDER: &str = ".puku";

/// Opens a store. While another process makes the same database, SQLite says at once that it is busy instead of waiting,
/// since it cannot wait for the switch to write-ahead logging.
fn open_store(config: &Config) -> Result<Store, EngineError> {
    let inside = place_in_workspace(config)?;
    let open = || match &inside {
        Some(inside) => Store::open_inside(inside),
        None => Store::open(&config.database),
    };
    let started = Instant::now();
    loop {
        match open() {
            Err(StoreError::Busy { .. }) if started.elapsed() < PATIENCE_FOR_OPENING => {
                std::thread::sleep(Duration::from_millis(10));
            }
            opened => return Ok(opened?),
        }
    }
}

/// Where the database lies when it is in a workspace, which may have come from anybody.
fn place_in_workspace(config: &Config) -> Result<Option<Inside>, EngineError> {
    let path = &config.database;
    let folder =
        path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == WORKSPACE_FOLDER));
    let (Some(folder), Some(file)) = (folder, path.file_name()) else { return Ok(None) };
    let open_error =
        |reason: &str| StoreError::Open { path: path.clone(), source: std::io::Error::other(reason) };
    let workspace = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let data_folder = config.data_folder.clone();
    Ok(Some(Inside {
        root: Root::open(workspace)?,
        folder: WORKSPACE_FOLDER,
        file: file.to_str().ok_or_else(|| open_error("its name is not UTF-8"))?.to_owned(),
        role: Role::Workspace,
        data_folder: data_folder
            .ok_or_else(|| open_error("there is no home directory to know it again by"))?,
    }))
}

/// The source directory of a project.
/// Its path is kept without links, so a link on the way there was put there since: it is not followed.
pub(crate) fn root_of(project: &Project) -> Result<Root, EngineError> {
    let root = Root::open(&project.source_path).map_err(|error| match error {
        SourceError::RootMissing { path } => EngineError::SourceGone { project: project.name.clone(), path },
        other => other.into(),
    })?;
    match root.path() == Path::new(&project.source_path) {
        true => Ok(root),
        false => Err(EngineError::SourceReplaced {
            path: (&project.source_path).into(),
            leads_to: root.path().to_owned(),
        }),
    }
}

fn summary(files: u64, chunks: u64, project: Project) -> ProjectSummary {
    ProjectSummary {
        id: project.id.get(),
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

fn project_status(project: Project, status: Option<IngestionStatus>, last_run: LastRun) -> ProjectStatus {
    let failure = failure(&project, status.as_ref().map(|status| status.state), last_run);
    let told = status.map_or_else(ProjectStatus::pending, ProjectStatus::from);
    match failure {
        Some(error) => ProjectStatus {
            project: project.name,
            status: IngestionState::Failed.as_str(),
            error: Some(error),
            ..told
        },
        None => ProjectStatus { project: project.name, ..told },
    }
}

/// What ended the newest ingestion, where the database does not say that it failed.
fn failure(project: &Project, state: Option<IngestionState>, last_run: LastRun) -> Option<String> {
    let cut_off = || {
        format!(
            "the ingestion was cut off; what it committed is kept: run 'craig ingest-delta {}' to complete it",
            project.name
        )
    };
    match (last_run, state) {
        (LastRun::Running, _) => None,
        (LastRun::CutOff, _) => Some(cut_off()),
        (LastRun::Failed(_), Some(IngestionState::Failed)) => None,
        (LastRun::Failed(error), _) => Some(error),
        (LastRun::Unknown | LastRun::Completed, Some(IngestionState::InProgress)) => Some(cut_off()),
        (LastRun::Unknown | LastRun::Completed, _) => None,
    }
}

/// Bytes of a file, or of everything in a folder; 0 when it is not there.
fn size_on_disk(path: &Path) -> u64 {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| size_on_disk(&entry.path())).sum()
        }
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

impl From<IngestionStatus> for ProjectStatus {
    fn from(status: IngestionStatus) -> Self {
        Self {
            project: String::new(),
            status: status.state.as_str(),
            progress: status.progress,
            current_file: status.current_file,
            total_files: status.total_files,
            processed_files: status.processed_files,
            started_at: Some(status.started_at),
            completed_at: status.completed_at,
            error: status.error,
        }
    }
}

impl ProjectStatus {
    fn pending() -> Self {
        Self {
            project: String::new(),
            status: IngestionState::Pending.as_str(),
            progress: 0,
            current_file: None,
            total_files: 0,
            processed_files: 0,
            started_at: None,
            completed_at: None,
            error: None,
        }
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

impl From<FileRecord> for FileEntry {
    fn from(record: FileRecord) -> Self {
        Self {
            path: record.path,
            is_binary: record.is_binary,
            language: record.language,
            kind: record.kind,
            r#type: record.file_type,
            size: record.size,
            modified_date: record.modified_date,
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
