//! The index of one project: its segments, which of their files are live, and how it is brought up to date with the store.

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use craig_model::{Embedder as _, StaticModel};
use craig_source::private;
use craig_store::{FileId, IndexLock, Project, Store, StoreError, StoredFile};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::SearchError;
use crate::analysis::Field;
use crate::ivf::N_IVF_LISTS;
use crate::segment::{FileTerms, Posting, Segment, SegmentBuilder, create_file, words_per_vector};

/// Files loaded, tokenised and added together.
const GROUP_FILES: usize = 64;

/// A segment is written when its builder has reached this size.
const SEGMENT_BYTES: usize = 96 << 20;

/// On the disk, a segment that was written because of its size has more bytes than its builder had.
const FULL_BYTES: u64 = SEGMENT_BYTES as u64;

/// From this number of segments on that are not full, the smaller ones are merged.
const MAX_SEGMENTS: usize = 6;

/// A segment is rewritten when the store has dropped at least this share of its files.
const MAX_REMOVED_SHARE: f64 = 0.3;

const MANIFEST: &str = "manifest.json";

/// An immutable searchable snapshot of one project.
#[derive(Debug)]
pub struct Index {
    pub(crate) segments: Vec<LiveSegment>,
    pub(crate) totals: Totals,
    generation: u64,
    /// The damage that has been repaired.
    repaired: Option<String>,
}

/// A segment, and which of its files are still in the store.
#[derive(Debug)]
pub(crate) struct LiveSegment {
    pub(crate) segment: Segment,
    pub(crate) live: FixedBitSet,
}

/// Sums over the live files of all segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) n_files: u64,
    pub(crate) n_chunks: u64,
    pub(crate) n_tokens: u64,
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// The project, see [`Project::owner`].
    owner: String,
    embedder: String,
    generation: u64,
    /// Number of the next segment.
    next: u64,
    segments: Vec<SegmentEntry>,
    /// XXH3 of the manifest as JSON, with 0 here.
    checksum: u64,
}

/// The field that the manifests of all formats share.
#[derive(Deserialize)]
struct ManifestFormat {
    format: u32,
}

#[derive(Clone, Serialize, Deserialize)]
struct SegmentEntry {
    file: String,
    /// The checksum of its header: identifies the segment among all that had this name.
    checksum: u64,
    /// Numbers of the segment's files that have been removed.
    removed: Vec<u32>,
}

/// How long it is waited for another process that writes the index; a stopped one would never end.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

impl Index {
    /// Opens the index of `project` in its present generation; `None` if the files on disk are stale or damaged.
    pub fn open(store: &Store, project: &Project, embedder: &str, dimensions: usize) -> Option<Self> {
        Source { store, project, embedder, dimensions }.open_current().ok().flatten()
    }

    /// Opens the index of `project` in its present generation, updating the files on disk on `pool` if they are stale, and
    /// rebuilding those that are found to be damaged when they are opened; see [`repaired`](Self::repaired).
    ///
    /// Most of a segment is verified when it is read: an index that is found to be damaged by then fails with
    /// [`SearchError::Damaged`], and [`repair`](Self::repair) rebuilds it.
    pub fn sync(
        store: &Store,
        project: &Project,
        embedder: &str,
        dimensions: usize,
        pool: &rayon::ThreadPool,
    ) -> Result<Self, SearchError> {
        match Self::open(store, project, embedder, dimensions) {
            Some(index) => Ok(index),
            None => Source { store, project, embedder, dimensions }.update(pool, Verification::Lazy),
        }
    }

    /// Like [`sync`](Self::sync), but verifies all of the index first, so that all damage is found and repaired at once.
    pub fn repair(
        store: &Store,
        project: &Project,
        embedder: &str,
        dimensions: usize,
        pool: &rayon::ThreadPool,
    ) -> Result<Self, SearchError> {
        Source { store, project, embedder, dimensions }.update(pool, Verification::Full)
    }

    /// Verifies all of the index of `project` and compares it with the store. Changes nothing.
    pub fn check(
        store: &Store,
        project: &Project,
        embedder: &str,
        dimensions: usize,
    ) -> Result<IndexHealth, SearchError> {
        Source { store, project, embedder, dimensions }.check()
    }

    /// The damage that has been repaired from the store, if any.
    pub fn repaired(&self) -> Option<&str> {
        self.repaired.as_deref()
    }

    /// Builds the index of `project` in memory, for when its folder cannot be written.
    pub fn build_in_memory(
        store: &Store,
        project: &Project,
        embedder: &str,
        dimensions: usize,
        pool: &rayon::ThreadPool,
    ) -> Result<Self, SearchError> {
        let (is_builtin, n_lists) = embedder_layout(embedder);
        let mut builder = SegmentBuilder::new(dimensions, n_lists);
        for group in store.searchable_files(project.id)?.chunks(GROUP_FILES) {
            let files = store.load_files(project.id, group, embedder)?;
            let terms: Result<Vec<FileTerms>, StoreError> = pool.install(|| {
                let terms = files
                    .into_par_iter()
                    .map(|file| Ok(FileTerms::new(file.verified()?, dimensions, is_builtin)));
                terms.collect()
            });
            terms?.into_iter().for_each(|file| builder.add(file));
        }
        let segments =
            if builder.is_empty() { Vec::new() } else { vec![LiveSegment::from_segment(builder.build())] };
        Ok(Self::from_segments(segments, project.generation))
    }

    /// Removes the files of the index of `project`, whose lock is held.
    pub fn remove(store: &Store, project: &Project, _lock: &IndexLock) -> Result<(), SearchError> {
        let folder = store.index_folder(project);
        // First: what is left if this process is killed is no index any more, and no damaged one.
        let _ = fs::remove_file(folder.join(MANIFEST));
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(SearchError::io(&folder)(error))
            }
            _ => Ok(()),
        }
    }

    /// Removes all that is of one member from the index of a group, whose lock is held: the segments that have files of it, and
    /// what is derived of the whole group. The next search indexes the other files of these segments again.
    pub fn remove_member(
        store: &Store,
        group: &Project,
        (embedder, dimensions): (&str, usize),
        member: &str,
        lock: &IndexLock,
    ) -> Result<(), SearchError> {
        let source = Source { store, project: group, embedder, dimensions };
        let Ok(Some(mut manifest)) = source.read_manifest() else { return Self::remove(store, group, lock) };
        let folder = format!("{member}/");
        manifest.segments.retain(|entry| {
            source.open_segment(entry).is_ok_and(|live| !live.segment.has_files_below(&folder))
        });
        // Of no generation that the group will have: it is not complete.
        manifest.generation = u64::MAX;
        if write_manifest(&source.folder(), &mut manifest).is_err() {
            return Self::remove(store, group, lock);
        }
        let kept = manifest.segments.iter().map(|entry| entry.file.as_str()).chain([MANIFEST]);
        remove_others(&source.folder(), &kept.collect())
    }

    /// Number of live files.
    pub fn n_files(&self) -> u64 {
        self.totals.n_files
    }

    /// The project's generation that it was built from.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// `result`, or the damage that was found while it was computed.
    pub(crate) fn unless_damaged<T>(&self, result: Result<T, SearchError>) -> Result<T, SearchError> {
        match self.segments.iter().find(|live| live.segment.is_damaged()) {
            Some(live) => Err(SearchError::Damaged { path: live.segment.path().to_owned() }),
            None => result,
        }
    }

    /// An index of `files` alone, in memory; their vectors are those of the built-in model.
    pub fn from_files(files: Vec<StoredFile>) -> Result<Self, SearchError> {
        let dimensions = StaticModel::builtin().dimensions()?;
        let terms = files.into_par_iter().map(|file| FileTerms::new(file, dimensions, true));
        let mut builder = SegmentBuilder::new(dimensions, N_IVF_LISTS);
        terms.collect::<Vec<_>>().into_iter().for_each(|file| builder.add(file));
        Ok(Self::from_segments(vec![LiveSegment::from_segment(builder.build())], 0))
    }

    /// Signs of the retrieval vectors of all chunks, for training.
    pub fn signs(&self) -> impl Iterator<Item = &[u64]> {
        self.segments.iter().flat_map(|live| {
            let words = words_per_vector(live.segment.dimensions()).max(1);
            live.segment.bits(0..live.segment.n_chunks()).chunks_exact(words)
        })
    }

    fn from_segments(segments: Vec<LiveSegment>, generation: u64) -> Self {
        let mut totals = Totals::default();
        segments.iter().for_each(|segment| segment.count(&mut totals));
        Self { segments, totals, generation, repaired: None }
    }
}

/// The state of an index on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexHealth {
    /// It has the content that was written, and the files that the store has.
    Sound {
        /// Its segments.
        n_segments: usize,
        /// Their bytes.
        n_bytes: u64,
    },
    /// There is none, or it is older than the store or of another version: the next search rebuilds it.
    Stale,
    /// It does not have the content that was written.
    Damaged {
        /// Where the damage is.
        what: String,
    },
}

/// How much of the existing segments is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verification {
    /// Each block when it is first read.
    Lazy,
    /// All blocks before the index is used.
    Full,
}

/// The source that an index is built from.
#[derive(Clone, Copy)]
struct Source<'a> {
    store: &'a Store,
    project: &'a Project,
    embedder: &'a str,
    dimensions: usize,
}

impl Source<'_> {
    fn folder(&self) -> PathBuf {
        self.store.index_folder(self.project)
    }

    /// The index on disk if it is of the project's generation; fails with a description of the damage.
    fn open_current(&self) -> Result<Option<Index>, String> {
        match self.read_manifest()? {
            Some(manifest) if manifest.generation == self.project.generation => {
                self.open(&manifest).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn open(&self, manifest: &Manifest) -> Result<Index, String> {
        let segments = manifest.segments.iter().map(|entry| self.open_segment(entry));
        Ok(Index::from_segments(segments.collect::<Result<_, _>>()?, manifest.generation))
    }

    fn open_segment(&self, entry: &SegmentEntry) -> Result<LiveSegment, String> {
        LiveSegment::open(&self.folder(), entry, self.dimensions)
            .map_err(|error| format!("{}: {error}", entry.file))
    }

    fn update(&self, pool: &rayon::ThreadPool, verification: Verification) -> Result<Index, SearchError> {
        let folder = self.folder();
        let _lock = self.store.lock_index(self.project, LOCK_PATIENCE)?;
        // Another process may have purged the project or brought its index up to date while this one waited.
        self.store.generation(self.project.id)?.ok_or(SearchError::ProjectGone)?;
        private::create_folder(&folder).map_err(SearchError::io(&folder))?;
        if let Ok(Some(index)) = self.open_current()
            && (verification == Verification::Lazy || self.damage_in(&index)?.is_none())
        {
            return Ok(index);
        }
        Update::new(self, &folder, verification)?.run(pool)
    }

    fn check(&self) -> Result<IndexHealth, SearchError> {
        let damaged = |what: String| Ok(IndexHealth::Damaged { what });
        let index = match self.open_current() {
            Ok(Some(index)) => index,
            Ok(None) => return Ok(IndexHealth::Stale),
            Err(what) => return damaged(what),
        };
        if let Some(what) = self.damage_in(&index)? {
            return damaged(what);
        }
        let n_bytes = index.segments.iter().map(|live| live.segment.n_bytes()).sum();
        Ok(IndexHealth::Sound { n_segments: index.segments.len(), n_bytes })
    }

    /// The damage in an index of the present generation; verifies the whole index.
    fn damage_in(&self, index: &Index) -> Result<Option<String>, SearchError> {
        if let Some(live) = index.segments.iter().find(|live| !live.segment.is_sound()) {
            let name = live.segment.path().file_name().unwrap_or_default().to_string_lossy();
            return Ok(Some(format!("{name}: a checksum is wrong")));
        }
        let mut indexed: Vec<FileId> = index.segments.iter().flat_map(LiveSegment::live_ids).collect();
        indexed.sort_unstable();
        let agrees = indexed == self.store.searchable_files(self.project.id)?;
        Ok((!agrees).then(|| "it does not hold the files that the database has".to_owned()))
    }

    /// The manifest, if there is one of this version for this project and embedder; fails with a description of the damage.
    fn read_manifest(&self) -> Result<Option<Manifest>, String> {
        let bad = |what: &dyn std::fmt::Display| format!("{MANIFEST}: {what}");
        let text = match fs::read(self.folder().join(MANIFEST)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(bad(&error)),
        };
        let ManifestFormat { format } = serde_json::from_slice(&text).map_err(|error| bad(&error))?;
        if format != FORMAT {
            return Ok(None);
        }
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| bad(&error))?;
        if manifest.checksum != manifest.checksum_of_rest() {
            return Err(bad(&"its checksum is wrong"));
        }
        if !manifest.is_plausible() {
            return Err(bad(&"it names what cannot be a segment"));
        }
        let is_ours = manifest.embedder == self.embedder && manifest.owner == self.project.owner();
        Ok(is_ours.then_some(manifest))
    }
}

impl Manifest {
    fn checksum_of_rest(&self) -> u64 {
        let rest = Self { checksum: 0, ..self.clone() };
        serde_json::to_vec(&rest).map_or(0, |json| xxhash_rust::xxh3::xxh3_64(&json))
    }

    /// Whether it names each segment once, and none outside its folder.
    fn is_plausible(&self) -> bool {
        let mut seen = HashSet::new();
        let mut is_new = |number| number < self.next && seen.insert(number);
        self.segments
            .iter()
            .map(|entry| segment_number(&entry.file))
            .all(|number| number.is_some_and(&mut is_new))
    }
}

/// The number of a segment, from its file's name.
fn segment_number(file: &str) -> Option<u64> {
    let digits = file.strip_suffix(".seg")?;
    let number = digits.parse().ok()?;
    (file == segment_file(number)).then_some(number)
}

fn segment_file(number: u64) -> String {
    format!("{number:06}.seg")
}

impl LiveSegment {
    fn open(folder: &Path, entry: &SegmentEntry, dimensions: usize) -> std::io::Result<Self> {
        let mut live =
            Self::from_segment(Segment::open(&folder.join(&entry.file), entry.checksum, dimensions)?);
        let n_files = live.live.len();
        for &file in entry.removed.iter().filter(|&&file| (file as usize) < n_files) {
            live.live.remove(file as usize);
        }
        Ok(live)
    }

    /// A segment whose files are all live.
    fn from_segment(segment: Segment) -> Self {
        let mut live = FixedBitSet::with_capacity(segment.files().len());
        live.insert_range(..);
        Self { segment, live }
    }

    fn count(&self, totals: &mut Totals) {
        let files = self.segment.files();
        totals.n_files += self.live.count_ones(..) as u64;
        for file in self.live.ones().map(|file| &files[file]) {
            totals.n_chunks += u64::from(file.n_chunks);
            totals.n_tokens += u64::from(file.n_tokens);
        }
    }

    fn n_live_chunks(&self) -> u64 {
        let mut totals = Totals::default();
        self.count(&mut totals);
        totals.n_chunks
    }

    /// The live chunks with `term` in `field`.
    pub(crate) fn live_chunks(&self, field: Field, term: &str) -> Vec<Posting> {
        let mut postings = self.segment.postings(field, term);
        if !self.live.is_full() {
            postings.retain(|posting| self.live[self.segment.file_of(posting.doc) as usize]);
        }
        postings
    }

    /// The live files with `term` in `field`.
    pub(crate) fn live_files(&self, field: Field, term: &str) -> Vec<Posting> {
        let mut postings = self.segment.postings(field, term);
        if !self.live.is_full() {
            postings.retain(|posting| self.live[posting.doc as usize]);
        }
        postings
    }

    fn live_ids(&self) -> impl Iterator<Item = FileId> + '_ {
        self.live.ones().map(|file| FileId::from_u64(self.segment.files()[file].id))
    }
}

/// An update of the files on disk from one manifest to the next.
struct Update<'a> {
    source: &'a Source<'a>,
    folder: &'a Path,
    manifest: Manifest,
    kept: Vec<(SegmentEntry, LiveSegment)>,
    missing: Vec<FileId>,
    /// Files that the project had and may have again, ascending: their segments are not rewritten.
    replaced: Vec<FileId>,
    /// Damage in the existing index.
    damage: Vec<String>,
}

impl<'a> Update<'a> {
    fn new(
        source: &'a Source<'a>,
        folder: &'a Path,
        verification: Verification,
    ) -> Result<Self, SearchError> {
        let mut damage = Vec::new();
        let manifest = source.read_manifest().unwrap_or_else(|what| {
            damage.push(what);
            None
        });
        let mut manifest =
            manifest.unwrap_or_else(|| Manifest { next: next_number(folder), ..Manifest::default() });
        manifest.format = FORMAT;
        manifest.owner = source.project.owner();
        manifest.embedder = source.embedder.to_owned();
        manifest.generation = source.project.generation;
        let mut kept = Vec::new();
        for entry in manifest.segments.drain(..) {
            match source.open_segment(&entry) {
                Ok(segment) => kept.push((entry, segment)),
                Err(what) => damage.push(what),
            }
        }
        // Damage rarely comes alone: all of it is found, repaired and reported at once.
        if verification == Verification::Full || !damage.is_empty() {
            let (sound, damaged): (Vec<_>, _) =
                kept.into_iter().partition(|(_, live): &(_, LiveSegment)| live.segment.is_sound());
            damage.extend(damaged.iter().map(|(entry, _)| format!("{}: a checksum is wrong", entry.file)));
            kept = sound;
        }
        let missing = source.store.searchable_files(source.project.id)?;
        let replaced = source.store.kept_versions(source.project.id)?;
        Ok(Self { source, folder, manifest, kept, missing, replaced, damage })
    }

    fn run(mut self, pool: &rayon::ThreadPool) -> Result<Index, SearchError> {
        let first_new = self.manifest.next;
        self.adopt_segments()?;
        self.mark_live();
        self.choose_rewrites();
        if let Err(error) = self.write(pool) {
            discard_segments(self.folder, first_new);
            return Err(error);
        }
        self.remove_unreferenced_files();
        let opened = self.source.open(&self.manifest);
        let index = opened.map_err(|what| SearchError::io(self.folder)(std::io::Error::other(what)))?;
        Ok(Index { repaired: (!self.damage.is_empty()).then(|| self.damage.join(", ")), ..index })
    }

    /// Takes the segments of the project that shares most files with this one, which has none: a second worktree, a branch or a
    /// fork. They are linked where the file system can, so that they are on the disk once.
    fn adopt_segments(&mut self) -> Result<(), SearchError> {
        let Source { store, project, embedder, dimensions } = *self.source;
        if !self.kept.is_empty() {
            return Ok(());
        }
        let Some(sibling) = store.nearest_project(project.id)? else { return Ok(()) };
        let source = Source { store, project: &sibling, embedder, dimensions };
        let Ok(Some(manifest)) = source.read_manifest() else { return Ok(()) };
        for entry in manifest.segments {
            let file = segment_file(self.manifest.next);
            let (theirs, ours) = (source.folder().join(&entry.file), self.folder.join(&file));
            // Files of a segment that has been removed or is damaged are indexed again.
            if fs::hard_link(&theirs, &ours).or_else(|_| fs::copy(&theirs, &ours).map(drop)).is_err() {
                continue;
            }
            self.manifest.next += 1;
            let entry = SegmentEntry { file, removed: Vec::new(), ..entry };
            if let Ok(segment) = self.source.open_segment(&entry) {
                self.kept.push((entry, segment));
            }
        }
        Ok(())
    }

    fn write(&mut self, pool: &rayon::ThreadPool) -> Result<(), SearchError> {
        let written = self.write_missing(pool)?;
        self.manifest.segments = self.kept.iter().map(|(entry, _)| entry.clone()).chain(written).collect();
        write_manifest(self.folder, &mut self.manifest)
    }

    /// Marks the files of the kept segments that the project has as live, and the others as removed; takes the live ones out of
    /// `missing`. A file that another project shares may be live again.
    fn mark_live(&mut self) {
        let mut wanted: HashSet<FileId> = self.missing.iter().copied().collect();
        for (entry, LiveSegment { segment, live }) in &mut self.kept {
            entry.removed.clear();
            for (number, file) in segment.files().iter().enumerate() {
                let is_live = wanted.remove(&FileId::from_u64(file.id));
                live.set(number, is_live);
                if !is_live {
                    entry.removed.push(number as u32);
                }
            }
        }
        self.missing.retain(|file| wanted.contains(file));
    }

    /// Moves the files of segments that should be rewritten to `missing`.
    fn choose_rewrites(&mut self) {
        let is_replaced = |id: u64| self.replaced.binary_search(&FileId::from_u64(id)).is_ok();
        let is_hollow = |LiveSegment { segment, live }: &LiveSegment| {
            let n_stored = live.count_ones(..)
                + live.zeroes().filter(|&file| is_replaced(segment.files()[file].id)).count();
            n_stored as f64 <= (1.0 - MAX_REMOVED_SHARE) * live.len() as f64
        };
        // A segment that is written when it is full would come out as it is.
        let is_full = |LiveSegment { segment, .. }: &LiveSegment| segment.n_bytes() >= FULL_BYTES;
        self.kept.sort_by_key(|(_, segment)| segment.n_live_chunks());
        let crowded = self.kept.iter().filter(|(_, segment)| !is_full(segment)).count() >= MAX_SEGMENTS;
        let mut merged_chunks = 10 * self.missing.len() as u64;
        let (missing, mut kept) = (&mut self.missing, Vec::new());
        for (entry, segment) in self.kept.drain(..) {
            let n_chunks = segment.n_live_chunks();
            // Small segments first, each at most three times as large as what is merged already: a file is rewritten O(log n) times.
            let is_merged = crowded && !is_full(&segment) && n_chunks <= 3 * merged_chunks.max(100);
            if is_hollow(&segment) || is_merged {
                merged_chunks += n_chunks;
                missing.extend(segment.live_ids());
            } else {
                kept.push((entry, segment));
            }
        }
        missing.sort_unstable();
        self.kept = kept;
    }

    /// Writes the missing files as segments: one thread loads, the pool tokenises, one thread builds.
    fn write_missing(&mut self, pool: &rayon::ThreadPool) -> Result<Vec<SegmentEntry>, SearchError> {
        let Source { store, project, embedder, dimensions, .. } = *self.source;
        let (to_tokenise, loaded) = sync_channel::<Vec<StoredFile>>(1);
        let (to_build, tokenised) = sync_channel::<Result<Vec<FileTerms>, StoreError>>(1);
        let missing = std::mem::take(&mut self.missing);
        let (is_builtin, n_lists) = embedder_layout(embedder);
        let mut writer = Writer {
            folder: self.folder,
            dimensions,
            n_lists,
            next: &mut self.manifest.next,
            written: Vec::new(),
        };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for group in loaded {
                    let terms = pool.install(|| {
                        group
                            .into_par_iter()
                            .map(|file| Ok(FileTerms::new(file.verified()?, dimensions, is_builtin)))
                            .collect()
                    });
                    if to_build.send(terms).is_err() {
                        return;
                    }
                }
            });
            let built = scope.spawn(move || writer.run(&tokenised).map(|()| writer.written));
            for group in missing.chunks(GROUP_FILES) {
                // A closed channel means that the writer failed: joining it below returns its error.
                if to_tokenise.send(store.load_files(project.id, group, embedder)?).is_err() {
                    break;
                }
            }
            drop(to_tokenise);
            built.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Removes segment files that the manifest does not name. Processes that still read them keep their mapping.
    fn remove_unreferenced_files(&self) {
        let named: HashSet<&str> = self.manifest.segments.iter().map(|entry| entry.file.as_str()).collect();
        for entry in fs::read_dir(self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_segment = name.ends_with(".seg") || name.ends_with(".tmp");
            if is_segment && !named.contains(name) {
                // Files that cannot be removed now are removed by the next update.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

struct Writer<'a> {
    folder: &'a Path,
    dimensions: usize,
    n_lists: usize,
    next: &'a mut u64,
    written: Vec<SegmentEntry>,
}

impl Writer<'_> {
    fn run(&mut self, groups: &Receiver<Result<Vec<FileTerms>, StoreError>>) -> Result<(), SearchError> {
        let (dimensions, n_lists) = (self.dimensions, self.n_lists);
        let empty = || SegmentBuilder::new(dimensions, n_lists);
        let mut builder = empty();
        for group in groups {
            group?.into_iter().for_each(|file| builder.add(file));
            if builder.n_bytes() >= SEGMENT_BYTES {
                self.write(std::mem::replace(&mut builder, empty()))?;
            }
        }
        if builder.is_empty() { Ok(()) } else { self.write(builder) }
    }

    fn write(&mut self, builder: SegmentBuilder) -> Result<(), SearchError> {
        let file = segment_file(*self.next);
        *self.next += 1;
        let path = self.folder.join(&file);
        let checksum = builder.write(&path).map_err(SearchError::io(&path))?;
        self.written.push(SegmentEntry { file, checksum, removed: Vec::new() });
        Ok(())
    }
}

/// Whether `embedder` is the built-in model, and the number of IVF lists for its vectors.
fn embedder_layout(embedder: &str) -> (bool, usize) {
    // Vectors of another model cannot be compared with those of paths, even with as many dimensions.
    let is_builtin = embedder == StaticModel::builtin().id();
    (is_builtin, if is_builtin { N_IVF_LISTS } else { 1 })
}

/// Version of the manifest and of the segments that it names.
const FORMAT: u32 = crate::segment::FORMAT;

/// Removes the files in `folder` that have none of these names.
fn remove_others(folder: &Path, kept: &HashSet<&str>) -> Result<(), SearchError> {
    let remove = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry?;
        let is_kept = entry.file_name().to_str().is_some_and(|name| kept.contains(name));
        if is_kept { Ok(()) } else { fs::remove_file(entry.path()) }
    };
    let removed = fs::read_dir(folder).and_then(|mut entries| entries.try_for_each(remove));
    removed.map_err(SearchError::io(folder))
}

/// A number that no segment in `folder` has: other processes may still read those.
fn next_number(folder: &Path) -> u64 {
    let numbers = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".seg")?.parse::<u64>().ok());
    numbers.max().map_or(0, |last| last + 1)
}

/// Removes the files of an update that failed, so that they do not keep a full disk full.
fn discard_segments(folder: &Path, first: u64) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        let number = name.strip_suffix(".seg").or_else(|| name.strip_suffix(".tmp"));
        if number == Some("manifest") || number.and_then(|n| n.parse().ok()).is_some_and(|n: u64| n >= first)
        {
            // Files that cannot be removed now are removed by the next update.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn write_manifest(folder: &Path, manifest: &mut Manifest) -> Result<(), SearchError> {
    manifest.checksum = manifest.checksum_of_rest();
    let path = folder.join(MANIFEST);
    let unfinished = folder.join("manifest.tmp");
    serde_json::to_vec(manifest)
        .map_err(std::io::Error::other)
        .and_then(|bytes| create_file(&unfinished)?.write_all(&bytes))
        .and_then(|()| fs::rename(&unfinished, &path))
        .map_err(SearchError::io(&path))
}

#[cfg(fuzzing)]
pub mod fuzzing;
#[cfg(test)]
mod tests;
