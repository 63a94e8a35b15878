//! Ingestion: the one way from a directory to the store, for a first ingest, a delta and a watch alike.
//!
//! One thread reads, cuts and embeds with all cores; the calling thread commits. What is committed stays, so an
//! ingestion that was cut off is completed by the next one.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use craig_chunk::Chunk;
use craig_model::{Embedder, Embedding, Expense, Quantized, StaticModel};
use craig_search::SearchError;
use craig_source::{
    Content, Entry, GitUrl, Listing, RawFile, ReadError, Root, SourceFile, SourceOptions, Withheld,
    is_secret_by_name, read_raw, walk,
};
use craig_store::{
    Batch, ChunkText, FileIdentity, IndexLock, IndexedFile, IngestionRun, IngestionState, Project,
    ProjectLock, Store, StoreError, TextHash, TrackedFile,
};
use rayon::prelude::*;

use crate::consent::Consent;
use crate::cost::{EmbeddingCost, Texts};
use crate::engine::thread_pool;
use crate::options::StoredOptions;
use crate::plan::{Compare, Plan};
use crate::progress::{Phase, Progress};
use crate::project::{reload, root_of};
use crate::report::{FailedFile, FileCounts, IngestReport};
use crate::{Engine, EngineError};

/// Bytes of source that are read, cut and committed together.
const GROUP_BYTES: u64 = 6 << 20;

/// The same where embedding takes longer than reading: what is paid for is committed soon, and progress is seen.
const GROUP_BYTES_OF_SLOW_EMBEDDERS: u64 = 256 << 10;

/// Texts that are embedded in one call: few enough to be spread over the threads.
const TEXTS_A_CALL: usize = 128;

/// Files that are read together at most.
const GROUP_FILES: usize = 512;

/// What to ingest.
#[derive(Clone, Debug)]
pub struct IngestRequest {
    /// Directory.
    pub directory: std::path::PathBuf,
    /// Name of the project; the directory's name when not given.
    pub name: Option<String>,
    /// Which files are tracked.
    pub options: SourceOptions,
    /// What to do when another process ingests the same project.
    pub waiting: Waiting,
    /// What it may do without confirmation.
    pub consent: Consent,
}

/// What to do when another process ingests the same project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waiting {
    /// Wait until it is done.
    #[default]
    Wait,
    /// Fail at once and say who it is.
    Fail,
}

/// How a project is ingested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IngestMode {
    pub(crate) compare: Compare,
    pub(crate) waiting: Waiting,
    pub(crate) fetching: Fetching,
    pub(crate) consent: Consent,
}

/// Whether the files of a clone are those of its repository's newest commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fetching {
    /// They are to be.
    Newest,
    /// They are: it was cloned just now.
    Done,
    /// They may be what they are: nobody asks a server.
    Nothing,
}

impl Engine {
    /// Ingests a directory as a project. Files that the store has with the same content are left as they are.
    pub fn ingest(
        &self,
        request: &IngestRequest,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        self.ingest_directory(&mut *self.store()?, request, progress)
    }

    /// The same with a connection that the caller has.
    pub(crate) fn ingest_directory(
        &self,
        store: &mut Store,
        request: &IngestRequest,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        let root = Root::open(&request.directory)?;
        Self::check_new_source(store, &request.directory, &root, request.consent)?;
        let name = request.name.as_deref().map(checked_name).transpose()?;
        let options = StoredOptions::from_source(&request.options);
        wait_to_write(store, Waiting::Wait, progress)?;
        let project = self.register(store, &root, name, root.name(), options)?;
        let mode = IngestMode {
            compare: Compare::Content,
            waiting: request.waiting,
            fetching: Fetching::Newest,
            consent: request.consent,
        };
        self.ingest_project(store, &project, mode, None, progress)
    }

    /// The project of a directory, made when missing, with these options. A directory has one project, and one name.
    pub(crate) fn register(
        &self,
        store: &mut Store,
        root: &Root,
        name: Option<String>,
        name_base: &str,
        options: StoredOptions,
    ) -> Result<Project, EngineError> {
        let known = store.project_of_path(root.as_str())?;
        let previous = known.as_ref().map(|known| StoredOptions::parse(&known.options));
        let name = match (name, known) {
            (Some(name), Some(known)) if name != known.name => {
                return Err(EngineError::DirectoryTaken {
                    directory: known.source_path,
                    project: known.name,
                });
            }
            (None, Some(known)) => known.name,
            (Some(name), _) => name,
            (None, None) => free_name(store, name_base)?,
        };
        // An invalid pattern is reported before a project is created with it.
        let source = options.source();
        if !source.extra_ignore_globs.is_empty() || !source.extra_include_globs.is_empty() {
            walk(root, &source)?;
        }
        let options = match previous {
            Some(previous) => options.made_like(&previous),
            None => options.made_with(self.embedder()?.id()),
        };
        Ok(store.create_project(&name, root.as_str(), &options.to_json())?)
    }

    /// Brings a project up to date with its directory: only files that changed are read. A clone fetches first.
    pub fn ingest_delta(
        &self,
        handle: &str,
        waiting: Waiting,
        consent: Consent,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        let mut store = self.store()?;
        let project = self.find(&store, handle)?;
        let mode = IngestMode { compare: Compare::Stamp, waiting, fetching: Fetching::Newest, consent };
        self.ingest_project(&mut store, &project, mode, None, progress)
    }

    /// The same without asking any server.
    pub(crate) fn ingest_changes(
        &self,
        store: &mut Store,
        project: &Project,
        waiting: Waiting,
        consent: Consent,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        let mode = IngestMode { compare: Compare::Stamp, waiting, fetching: Fetching::Nothing, consent };
        self.ingest_project(store, project, mode, None, progress)
    }

    pub(crate) fn ingest_project(
        &self,
        store: &mut Store,
        project: &Project,
        mode: IngestMode,
        with_credentials: Option<&GitUrl>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        let started = Instant::now();
        store.check_writable()?;
        let IngestMode { compare, waiting, fetching, .. } = mode;
        let lock = lock(store, project, waiting, progress)?;
        // The previous holder of the lock may have changed the project, or purged it.
        let project = &reload(store, project)?;
        let stored = StoredOptions::parse(&project.options);
        let commit =
            self.bring_clone_up_to_date(store, project, &stored, fetching, with_credentials, progress)?;
        let embedder = self.embedder()?;
        let is_current = stored.are_made_with(embedder.id());
        // Chunks of another version and vectors of another model are rebuilt.
        let compare = if is_current { compare } else { Compare::Nothing };
        let root = root_of(project)?;
        let options = stored.source();
        progress(&Progress::new(Phase::Listing));
        let listing = walk(&root, &options)?;
        self.unsearched_files().note(project, &listing);
        let files = DirectoryFiles { root: &root, options: &options };
        let made = stored.clone().made_with(embedder.id()).at(commit);
        let run =
            Run { project, made: &made, listing: &listing, files: &files, compare, embedder: &*embedder };
        let (tally, mut notes) = self.ingest_listed(store, &run, &stored, &lock, mode, progress)?;
        if listing.entries.is_empty() && listing.excluded.ignored > 0 {
            notes.push(
                "no file is tracked, and ignore files such as .gitignore exclude some: 'craig ingest --no-ignore' \
                 tracks them, and so does a line '!pattern' in a .pukuignore"
                    .to_owned(),
            );
        }
        if stored.are_of_another_version() {
            notes.push(
                "all files were read again, since the index was built by another version of Craig".to_owned(),
            );
        }
        Ok(IngestReport { git: made.origin(), notes, ..tally.into_report(project, started) })
    }

    /// Ingests the documentation of a package as a project of its own.
    pub(crate) fn ingest_package(
        &self,
        store: &mut Store,
        project: &Project,
        listing: &Listing,
        files: &dyn SourceFiles,
        consent: Consent,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<IngestReport, EngineError> {
        let started = Instant::now();
        let lock = lock(store, project, Waiting::Wait, progress)?;
        let project = &reload(store, project)?;
        let stored = StoredOptions::parse(&project.options);
        let embedder = self.embedder()?;
        let is_current = stored.are_made_with(embedder.id());
        let compare = if is_current { Compare::Content } else { Compare::Nothing };
        let mode = IngestMode { compare, waiting: Waiting::Wait, fetching: Fetching::Nothing, consent };
        let made = stored.clone().made_with(embedder.id());
        let run = Run { project, made: &made, listing, files, compare, embedder: &*embedder };
        let (tally, notes) = self.ingest_listed(store, &run, &stored, &lock, mode, progress)?;
        Ok(IngestReport { notes, ..tally.into_report(project, started) })
    }

    /// Compares a listing with what is stored, and ingests what differs.
    fn ingest_listed(
        &self,
        store: &mut Store,
        run: &Run<'_>,
        stored: &StoredOptions,
        lock: &ProjectLock,
        mode: IngestMode,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(Tally, Vec<String>), EngineError> {
        let plan = Plan::new(run.listing, store.tracked_files(run.project.id)?, run.compare);
        if let Some(cost) = cost(store, run, stored, &plan, mode.consent)? {
            progress(&Progress { current: cost.to_string(), ..Progress::new(Phase::Embedding) });
        }
        let mut tally = Tally::new(&plan, run.listing);
        if !(plan.is_empty() && is_complete(store, run.project)?) {
            wait_to_write(store, mode.waiting, progress)?;
        }
        let notes = lock.record_run(|| self.perform(store, run, &plan, &mut tally, progress))?;
        Ok((tally, notes))
    }

    /// Carries a plan out, if there is anything to do, and brings the index up to date. Gives what the user should know of
    /// that.
    fn perform(
        &self,
        store: &mut Store,
        run: &Run<'_>,
        plan: &Plan,
        tally: &mut Tally,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Vec<String>, EngineError> {
        if plan.is_empty() && is_complete(store, run.project)? {
            return self.finish(store, run, tally, progress);
        }
        // A status row records the progress and the outcome.
        let ingestion = store.begin_ingestion(run.project.id, tally.n_total as u64)?;
        let done = self
            .commit_all(store, run, &ingestion, plan, tally, progress)
            .and_then(|()| self.finish(store, run, tally, progress));
        let notes = match done {
            Ok(notes) => notes,
            Err(error) => {
                // The error itself matters more than whether it could be noted.
                let _ = store.fail_ingestion(&ingestion, &error.to_string());
                return Err(error);
            }
        };
        store.complete_ingestion(&ingestion)?;
        Ok(notes)
    }

    /// Notes how files were made, and brings the index up to date.
    fn finish(
        &self,
        store: &mut Store,
        run: &Run<'_>,
        tally: &Tally,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Vec<String>, EngineError> {
        let Run { project, made, .. } = run;
        // Only after all files are written: an interrupted run has to write them all again.
        if made.to_json() != project.options {
            store.create_project(&project.name, &project.source_path, &made.to_json())?;
        }
        progress(&Progress { phase: Phase::Indexing, ..tally.progress() });
        let mut notes = Vec::new();
        match self.refresh_index(store, project, &mut notes) {
            // All is committed, and the next search brings the index up to date.
            Err(EngineError::Search(SearchError::Store(StoreError::Held { holder }))) => {
                notes.push(format!(
                    "the search index of {} was not updated: {holder} is writing it",
                    project.name
                ));
            }
            refreshed => refreshed?,
        }
        Ok(notes)
    }

    fn commit_all(
        &self,
        store: &mut Store,
        run: &Run<'_>,
        ingestion: &IngestionRun,
        plan: &Plan,
        tally: &mut Tally,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), EngineError> {
        // First: on a full disk there may be no second connection.
        let known = store.reopen()?;
        if run.compare == Compare::Nothing {
            store.keep_no_versions(run.project.id)?;
        }
        let batch = Batch { removed: plan.removed_ids(), ..Batch::default() };
        tally.n_processed += plan.removed.len();
        apply(store, run, ingestion, batch, tally.n_processed)?;
        progress(&tally.progress());
        // Of its own, so that no search waits behind files that are cut and embedded.
        let pool = &thread_pool(self.config().threads)?;
        let (sender, groups) = sync_channel(1);
        std::thread::scope(|scope| {
            let files = &plan.read;
            let producer = scope.spawn(move || pool.install(move || run.produce(files, &known, sender)));
            let committed = commit_groups(store, run, ingestion, groups, tally, progress);
            let produced = producer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            committed.and(produced)
        })
    }
}

/// The cost of the ingestion, if it needs consent; fails if consent was not given.
fn cost(
    store: &Store,
    run: &Run<'_>,
    stored: &StoredOptions,
    plan: &Plan,
    consent: Consent,
) -> Result<Option<EmbeddingCost>, EngineError> {
    let Run { project, files, embedder, .. } = run;
    if embedder.expense() == Expense::None {
        return Ok(None);
    }
    let (n_texts, n_bytes) = store.texts_without_vector(project.id, embedder.id())?;
    let texts = Texts { n_texts, n_bytes }.and(Texts::from_files(plan, *files));
    let before = Some(stored.embedder().to_owned()).filter(|id| !id.is_empty() && id != embedder.id());
    let cost = EmbeddingCost::new(&project.name, embedder.id(), before, embedder.expense(), texts);
    match cost.needs_consent() {
        true if !consent.costs => Err(EngineError::CostsNotAccepted(Box::new(cost))),
        needs_consent => Ok(needs_consent.then_some(cost)),
    }
}

/// Whether the newest ingestion recorded its completion; a killed one may have stored everything except that.
fn is_complete(store: &Store, project: &Project) -> Result<bool, EngineError> {
    let newest = store.ingestion_status(project)?;
    Ok(project.content_hash.is_some() && newest.state == IngestionState::Completed)
}

/// Commits groups as they come. Ends early on an error: the producer then finds nobody to send to, and stops.
fn commit_groups(
    store: &mut Store,
    run: &Run<'_>,
    ingestion: &IngestionRun,
    groups: Receiver<Group>,
    tally: &mut Tally,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), EngineError> {
    for group in groups {
        tally.count(&group, run.vectors_of().is_some());
        let Group { changed, restamped, shared, in_git, .. } = group;
        let shared = shared.into_iter().map(|(file, _)| file).collect();
        let batch = Batch { changed, restamped, shared, in_git, ..Batch::default() };
        apply(store, run, ingestion, batch, tally.n_processed)?;
        progress(&tally.progress());
    }
    Ok(())
}

/// Commits a batch, after reading the files and embedding the texts that went with another project while the batch was made.
fn apply(
    store: &mut Store,
    run: &Run<'_>,
    ingestion: &IngestionRun,
    mut batch: Batch,
    n_processed: usize,
) -> Result<(), EngineError> {
    loop {
        let missing = store.apply(ingestion, run.vectors_of(), &batch, n_processed as u64)?;
        if missing.is_empty() {
            return Ok(());
        }
        batch.shared.retain(|file| !missing.files.contains(&file.path));
        for path in &missing.files {
            // A file that cannot be read any more is left to the next ingestion.
            batch.changed.extend(run.files.read(path).ok().map(|raw| run.cut(raw, now_ns())));
        }
        let texts: HashSet<TextHash> = missing.texts.into_iter().collect();
        for file in &mut batch.changed {
            embed_texts(file, run.embedder, |text| texts.contains(&text.hash))?;
        }
    }
}

/// The directory's name, or a variation of it when another directory has it.
fn free_name(store: &Store, base: &str) -> Result<String, EngineError> {
    let taken = store.projects()?.into_iter().chain(store.groups()?);
    let taken: Vec<String> = taken.map(|project| project.name).collect();
    let base = free_name_base(base);
    let candidates = std::iter::once(base.clone()).chain((2..).map(|n| format!("{base}-{n}")));
    Ok(candidates.into_iter().find(|name| !taken.contains(name)).unwrap_or(base))
}

/// The readers and models of one run.
struct Run<'a> {
    project: &'a Project,
    /// How files are made, to be noted when all of them are.
    made: &'a StoredOptions,
    listing: &'a Listing,
    files: &'a dyn SourceFiles,
    compare: Compare,
    embedder: &'a dyn Embedder,
}

/// The listed files of a directory or of a package.
pub(crate) trait SourceFiles: Sync {
    /// Reads a file.
    fn read(&self, path: &str) -> Result<RawFile, ReadError>;

    /// Decodes a file that was read.
    fn interpret(&self, file: RawFile) -> SourceFile;
}

struct DirectoryFiles<'a> {
    root: &'a Root,
    options: &'a SourceOptions,
}

impl SourceFiles for DirectoryFiles<'_> {
    fn read(&self, path: &str) -> Result<RawFile, ReadError> {
        read_raw(self.root, path, self.options)
    }

    fn interpret(&self, file: RawFile) -> SourceFile {
        file.interpret()
    }
}

/// Files that were read together.
#[derive(Default)]
struct Group {
    changed: Vec<IndexedFile>,
    /// Files whose content turned out to be the stored one.
    restamped: Vec<TrackedFile>,
    /// Files that the store has for another project, or still has for this one, each with its number of chunks.
    shared: Vec<(TrackedFile, u64)>,
    /// Paths of files whose content git has.
    in_git: HashSet<String>,
    failed: Vec<FailedFile>,
    n_files: usize,
    n_bytes: u64,
    n_reused: u64,
    last_path: String,
}

/// A file that was read and differs from the one that the store has for this project.
struct ReadFile {
    raw: RawFile,
    read_ns: i64,
}

impl Run<'_> {
    /// Reads, chunks and embeds `files` group by group, as long as the receiver takes the groups.
    fn produce(
        &self,
        files: &[(Entry, Option<TrackedFile>)],
        known: &Store,
        groups: SyncSender<Group>,
    ) -> Result<(), EngineError> {
        let is_slow = self.embedder.expense() != Expense::None;
        for files in groups_of(files, if is_slow { GROUP_BYTES_OF_SLOW_EMBEDDERS } else { GROUP_BYTES }) {
            let mut group = self.group(files, known)?;
            self.embed(&mut group, known)?;
            if groups.send(group).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn group(&self, files: &[(Entry, Option<TrackedFile>)], known: &Store) -> Result<Group, EngineError> {
        let mut group = Group {
            n_files: files.len(),
            n_bytes: files.iter().map(|(entry, _)| entry.stamp.size).sum(),
            last_path: files.last().map(|(entry, _)| entry.path.clone()).unwrap_or_default(),
            ..Group::default()
        };
        let read = |(entry, _): &(Entry, _)| (self.files.read(&entry.path), now_ns());
        let read: Vec<_> = files.par_iter().map(read).collect();
        let mut differing = Vec::new();
        for ((entry, tracked), (read, read_ns)) in files.iter().zip(read) {
            if entry.is_in_git && read.as_ref().is_ok_and(|raw| raw.stamp == entry.stamp) {
                group.in_git.insert(entry.path.clone());
            }
            match (read, tracked) {
                (Err(error), _) => group.failed.push(FailedFile::new(&entry.path, &error)),
                (Ok(raw), Some(known)) if known.hash == raw.hash && self.compare != Compare::Nothing => {
                    group.restamped.push(TrackedFile { stamp: raw.stamp, read_ns, ..known.clone() });
                }
                (Ok(raw), _) => differing.push(ReadFile { raw, read_ns }),
            }
        }
        let new = self.share(differing, known, &mut group)?;
        group.changed = new.into_par_iter().map(|file| self.cut(file.raw, file.read_ns)).collect();
        Ok(group)
    }

    /// Moves the files that the store has already into the group; returns the others.
    fn share(
        &self,
        files: Vec<ReadFile>,
        known: &Store,
        group: &mut Group,
    ) -> Result<Vec<ReadFile>, EngineError> {
        let made = self.made.identity();
        let identity = |file: &ReadFile| FileIdentity::new(&made, &file.raw.path, file.raw.hash);
        let identities: Vec<FileIdentity> = files.iter().map(identity).collect();
        // In one snapshot the database is locked once, and not for each file.
        let _snapshot = known.snapshot()?;
        let mut new = Vec::new();
        for (file, stored) in files.into_iter().zip(known.find_files(&identities)?) {
            match stored {
                Some((id, n_chunks)) => {
                    let RawFile { path, stamp, hash, .. } = file.raw;
                    group
                        .shared
                        .push((TrackedFile { id, path, hash, stamp, read_ns: file.read_ns }, n_chunks));
                }
                None => new.push(file),
            }
        }
        Ok(new)
    }

    fn vectors_of(&self) -> Option<&str> {
        stored_vectors_of(self.embedder.id())
    }

    /// Decodes and chunks a file; files without searchable text get no chunks.
    fn cut(&self, raw: RawFile, read_ns: i64) -> IndexedFile {
        let source = self.files.interpret(raw);
        let text = source.indexed_text().unwrap_or_default();
        let mut outline = craig_chunk::chunk(source.language, text);
        // Generated code is not searched, but other code refers to it.
        if let Content::Unindexed(text, Withheld::Generated) = &source.content {
            (outline.references, outline.names) = craig_chunk::references_and_names(source.language, text);
        }
        let hash = |chunk: &Chunk| ChunkText { hash: TextHash::new(chunk.text(text)), vector: None };
        let texts = outline.chunks.iter().map(hash).collect();
        IndexedFile::new(source, &self.made.identity(), read_ns, outline, texts)
    }

    /// Embeds the texts that the store has no vector of.
    fn embed(&self, group: &mut Group, known: &Store) -> Result<(), EngineError> {
        group.n_reused = group.shared.iter().map(|(_, n_chunks)| n_chunks).sum();
        if self.vectors_of().is_none() {
            return Ok(());
        }
        let hashes = group.changed.iter().flat_map(|file| file.texts.iter().map(|text| text.hash));
        // In one snapshot the database is locked once, and not for each text.
        let snapshot = known.snapshot()?;
        let known = known.known_vectors(self.embedder.id(), hashes)?;
        drop(snapshot);
        group.n_reused +=
            group.changed.iter().flat_map(|file| &file.texts).filter(|t| known.contains(&t.hash)).count()
                as u64;
        let is_new = |text: &ChunkText| !known.contains(&text.hash);
        if self.embedder.expense() != Expense::None {
            return embed_together(&mut group.changed, self.embedder, is_new);
        }
        group.changed.par_iter_mut().try_for_each(|file| embed_texts(file, self.embedder, is_new))
    }
}

/// The embedder, if its vectors are stored: the index computes those of the built-in model.
pub(crate) fn stored_vectors_of(embedder: &str) -> Option<&str> {
    (embedder != StaticModel::builtin().id()).then_some(embedder)
}

/// Embeds the texts of a file that are `wanted`.
fn embed_texts(
    file: &mut IndexedFile,
    embedder: &dyn Embedder,
    wanted: impl Fn(&ChunkText) -> bool,
) -> Result<(), EngineError> {
    let Some(text) = file.source.indexed_text() else { return Ok(()) };
    let new: Vec<usize> = (0..file.texts.len()).filter(|&at| wanted(&file.texts[at])).collect();
    let texts: Vec<&str> = new.iter().map(|&at| file.outline.chunks[at].text(text)).collect();
    let embeddings = embedder.embed_documents(&texts).map_err(SearchError::from)?;
    for (at, embedding) in new.into_iter().zip(embeddings) {
        file.texts[at].vector = Some(embedding.quantized());
    }
    Ok(())
}

/// Embeds the texts of all files that are `wanted`, equal ones once, many in a call.
fn embed_together(
    files: &mut [IndexedFile],
    embedder: &dyn Embedder,
    wanted: impl Fn(&ChunkText) -> bool,
) -> Result<(), EngineError> {
    let mut texts: HashMap<TextHash, &str> = HashMap::new();
    for file in files.iter() {
        let Some(text) = file.source.indexed_text() else { continue };
        for (chunk, own) in file.outline.chunks.iter().zip(&file.texts).filter(|(_, own)| wanted(own)) {
            texts.insert(own.hash, chunk.text(text));
        }
    }
    let texts: Vec<(TextHash, &str)> = texts.into_iter().collect();
    let embedded = texts.par_chunks(TEXTS_A_CALL).map(|call| {
        let texts: Vec<&str> = call.iter().map(|(_, text)| *text).collect();
        embedder.embed_documents(&texts)
    });
    let embedded: Vec<Vec<Embedding>> = embedded.collect::<Result<_, _>>().map_err(SearchError::from)?;
    let vectors: HashMap<TextHash, Quantized> = texts
        .iter()
        .map(|(hash, _)| *hash)
        .zip(embedded.iter().flatten().map(Embedding::quantized))
        .collect();
    for text in files.iter_mut().flat_map(|file| &mut file.texts).filter(|text| wanted(text)) {
        text.vector = vectors.get(&text.hash).cloned();
    }
    Ok(())
}

/// Consecutive files, by number and bytes.
fn groups_of(
    files: &[(Entry, Option<TrackedFile>)],
    group_bytes: u64,
) -> impl Iterator<Item = &[(Entry, Option<TrackedFile>)]> {
    let mut rest = files;
    std::iter::from_fn(move || {
        let mut n_bytes = 0;
        let fits = |(entry, _): &&(Entry, _)| {
            n_bytes += entry.stamp.size;
            n_bytes <= group_bytes
        };
        let len = rest.iter().take(GROUP_FILES).take_while(fits).count().max(1).min(rest.len());
        let (group, others) = rest.split_at(len);
        rest = others;
        (!group.is_empty()).then_some(group)
    })
}

/// Takes the lock of a project, and shows its holder while it waits.
pub(crate) fn lock(
    store: &Store,
    project: &Project,
    waiting: Waiting,
    progress: &mut dyn FnMut(&Progress),
) -> Result<ProjectLock, EngineError> {
    match store.try_lock(project) {
        Err(StoreError::Held { holder }) if waiting == Waiting::Wait => {
            progress(&waiting_for(&format!("{holder}, which is writing this project")));
            Ok(store.lock(project)?)
        }
        other => Ok(other?),
    }
}

/// How long an answer waits for another process that writes the database or the index; then what is there answers. MCP
/// gives answers up after 1.2 seconds, and is to know why by then.
pub(crate) const ANSWER_PATIENCE: Duration = Duration::from_secs(1);

/// How long a command that has to write waits until it shows what it waits for.
const SILENCE: Duration = Duration::from_secs(2);

/// How often it waits as long again, before it gives up.
const N_WAITS: usize = 30;

/// Waits until no other process is writing the database; shows who that is. An answer waits less, and fails.
pub(crate) fn wait_to_write(
    store: &mut Store,
    waiting: Waiting,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(), EngineError> {
    match waiting {
        Waiting::Fail => Ok(store.wait_to_write(ANSWER_PATIENCE)?),
        Waiting::Wait => patiently(|| store.wait_to_write(SILENCE), "the database", progress),
    }
}

/// Takes the right to write the index of a project; shows who has it.
pub(crate) fn lock_index(
    store: &Store,
    project: &Project,
    progress: &mut dyn FnMut(&Progress),
) -> Result<IndexLock, EngineError> {
    patiently(|| store.lock_index(project, SILENCE), "the index of this project", progress)
}

/// Tries again while another process is writing; shows which one.
fn patiently<T>(
    mut attempt: impl FnMut() -> Result<T, StoreError>,
    what: &str,
    progress: &mut dyn FnMut(&Progress),
) -> Result<T, EngineError> {
    let mut done = attempt();
    for _ in 1..N_WAITS {
        let Err(StoreError::Busy { holder, .. } | StoreError::Held { holder }) = &done else { break };
        progress(&waiting_for(&format!("{holder}, which is writing {what}")));
        done = attempt();
    }
    Ok(done?)
}

fn waiting_for(whom: &str) -> Progress {
    Progress { current: whom.to_owned(), ..Progress::new(Phase::Waiting) }
}

pub(crate) fn checked_name(name: &str) -> Result<String, EngineError> {
    let refuse = |reason| Err(EngineError::BadName { name: name.to_owned(), reason });
    let trimmed = name.trim();
    if trimmed.is_empty() {
        return refuse("it is empty");
    }
    if trimmed.len() > MAX_NAME_BYTES {
        return refuse("it is longer than 200 bytes");
    }
    if trimmed.chars().any(char::is_control) {
        return refuse("it contains control characters");
    }
    if trimmed.bytes().all(|b| b.is_ascii_digit()) {
        return refuse("a number would be read as a project's id");
    }
    if trimmed.starts_with('-') {
        return refuse("it would be read as an option");
    }
    if trimmed.contains(['/', '\\']) || trimmed.starts_with('~') || [".", ".."].contains(&trimmed) {
        return refuse("it would be read as a path");
    }
    Ok(trimmed.to_owned())
}

/// A directory's name where it can be a project's.
fn free_name_base(directory: &str) -> String {
    match checked_name(directory) {
        Ok(name) => name,
        Err(_) if directory.is_empty() => "root".to_owned(),
        Err(_) => checked_name(&format!("project-{directory}")).unwrap_or_else(|_| "project".to_owned()),
    }
}

const MAX_NAME_BYTES: usize = 200;

fn now_ns() -> i64 {
    jiff::Timestamp::now().as_nanosecond() as i64
}

/// The running totals of an ingestion.
#[derive(Default)]
struct Tally {
    files: FileCounts,
    n_total: usize,
    n_processed: usize,
    n_chunks: u64,
    n_embedded: u64,
    n_reused: u64,
    n_bytes: u64,
    current: String,
    failed: Vec<FailedFile>,
    too_large: Vec<String>,
    own_repositories: Vec<String>,
    secrets: Vec<String>,
    known: HashSet<String>,
}

impl Tally {
    fn new(plan: &Plan, listing: &Listing) -> Self {
        Self {
            files: FileCounts {
                removed: plan.removed.len() as u64,
                unchanged: plan.unchanged.len() as u64,
                ..FileCounts::default()
            },
            n_total: plan.read.len() + plan.removed.len(),
            failed: listing.skipped.iter().map(FailedFile::from).collect(),
            too_large: listing.too_large.iter().map(|entry| entry.path.clone()).collect(),
            own_repositories: listing.own_repositories.clone(),
            known: plan.read.iter().filter_map(|(_, tracked)| Some(tracked.as_ref()?.path.clone())).collect(),
            ..Self::default()
        }
    }

    fn count(&mut self, group: &Group, stores_vectors: bool) {
        for file in &group.changed {
            self.count_file(&file.source.path, file.outline.chunks.len() as u64);
            let is_embedded = |text: &&ChunkText| text.vector.is_some() || !stores_vectors;
            self.n_embedded += file.texts.iter().filter(is_embedded).count() as u64;
        }
        for (file, n_chunks) in &group.shared {
            self.count_file(&file.path, *n_chunks);
        }
        self.files.unchanged += group.restamped.len() as u64;
        self.n_reused += group.n_reused;
        self.n_processed += group.n_files;
        self.n_bytes += group.n_bytes;
        self.current.clone_from(&group.last_path);
        self.failed.extend(group.failed.iter().cloned());
    }

    fn count_file(&mut self, path: &str, n_chunks: u64) {
        let is_known = self.known.contains(path);
        *(if is_known { &mut self.files.changed } else { &mut self.files.added }) += 1;
        self.n_chunks += n_chunks;
        if is_secret_by_name(path) {
            self.secrets.push(path.to_owned());
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            phase: Phase::Reading,
            processed_files: self.n_processed,
            total_files: self.n_total,
            current: self.current.clone(),
            n_bytes: self.n_bytes,
        }
    }

    fn into_report(mut self, project: &Project, started: Instant) -> IngestReport {
        self.files.total = self.files.added + self.files.changed + self.files.unchanged;
        IngestReport {
            project: project.name.clone(),
            reference: project.reference.clone(),
            id: project.id.to_u64(),
            source_path: project.source_path.clone(),
            files: self.files,
            chunks: self.n_chunks,
            vectors_embedded: self.n_embedded,
            vectors_reused: self.n_reused,
            bytes: self.n_bytes,
            elapsed_s: started.elapsed().as_secs_f64(),
            failed: self.failed,
            too_large: self.too_large,
            own_repositories: self.own_repositories,
            secrets: self.secrets,
            git: None,
            notes: Vec::new(),
        }
    }
}
