//! The index of one project: which segments there are, which of their files are live, and how it follows the store.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use craig_model::{Embedder as _, StaticModel};
use craig_source::private;
use craig_store::{FileId, Project, Store, StoredFile};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::SearchError;
use crate::analysis::Field;
use crate::cells::N_CELLS;
use crate::segment::{FileTerms, Posting, Segment, SegmentBuilder, words_per_vector};

/// Files loaded, tokenised and added together.
const GROUP_FILES: usize = 64;

/// A segment is written when its builder holds this much.
const SEGMENT_BYTES: usize = 96 << 20;

/// Above this number of segments the smaller ones are merged.
const MAX_SEGMENTS: usize = 6;

/// A segment is rewritten when more than this share of its files is gone.
const MAX_REMOVED_SHARE: f64 = 0.3;

const MANIFEST: &str = "manifest.json";

/// A searchable snapshot of one project. Cheap to share, never changes.
#[derive(Debug)]
pub struct Index {
    pub(crate) segments: Vec<LiveSegment>,
    pub(crate) totals: Totals,
    generation: u64,
}

/// A segment and which of its files still are in the store.
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

#[derive(Default, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// Whose index it is, see [`owner`].
    owner: String,
    embedder: String,
    generation: u64,
    /// Number of the next segment.
    next: u64,
    segments: Vec<SegmentEntry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct SegmentEntry {
    file: String,
    /// Files of the segment, by number, that are gone.
    removed: Vec<u32>,
}

impl Index {
    /// Gives the index of `project` as the store has it now, bringing the files on disk up to date on `pool` when they are behind.
    pub fn sync(
        store: &Store,
        project: &Project,
        embedder: &str,
        dimensions: usize,
        pool: &rayon::ThreadPool,
    ) -> Result<Self, SearchError> {
        let folder = Self::folder(store, project);
        if let Some(index) = Self::open_current(&folder, project, embedder) {
            return Ok(index);
        }
        private::create_folder(&folder).map_err(SearchError::io(&folder))?;
        let _lock = lock(&folder.join("index.lock"))?;
        // Another process may have brought it up to date while this one waited.
        if let Some(index) = Self::open_current(&folder, project, embedder) {
            return Ok(index);
        }
        Update::new(store, project, embedder, dimensions, &folder)?.run(pool)
    }

    /// Where the index of `project` lies.
    pub fn folder(store: &Store, project: &Project) -> PathBuf {
        store.side_folder().join(&project.reference)
    }

    /// Files that can be found.
    pub fn n_files(&self) -> u64 {
        self.totals.n_files
    }

    /// Generation of the store that it was made from.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    fn open_current(folder: &Path, project: &Project, embedder: &str) -> Option<Self> {
        let manifest = read_manifest(folder, project, embedder)?;
        (manifest.generation == project.generation).then(|| Self::open(folder, &manifest).ok()).flatten()
    }

    fn open(folder: &Path, manifest: &Manifest) -> std::io::Result<Self> {
        let segments = manifest.segments.iter().map(|entry| LiveSegment::open(folder, entry));
        Ok(Self::of(segments.collect::<Result<_, _>>()?, manifest.generation))
    }

    /// An index of `files` alone, kept nowhere; their vectors are those of the built-in model.
    pub fn in_memory(files: Vec<StoredFile>) -> Result<Self, SearchError> {
        let dimensions = StaticModel::builtin().dimensions()?;
        let terms = files.into_par_iter().map(|file| FileTerms::new(file, dimensions, true));
        let mut builder = SegmentBuilder::new(dimensions, N_CELLS);
        terms.collect::<Vec<_>>().into_iter().for_each(|file| builder.add(file));
        Ok(Self::of(vec![LiveSegment::whole(builder.build())], 0))
    }

    /// Signs of the retrieval vectors of all chunks, for training.
    pub fn signs(&self) -> impl Iterator<Item = &[u64]> {
        self.segments.iter().flat_map(|live| {
            let words = words_per_vector(live.segment.dimensions()).max(1);
            live.segment.bits().chunks_exact(words)
        })
    }

    fn of(segments: Vec<LiveSegment>, generation: u64) -> Self {
        let mut totals = Totals::default();
        segments.iter().for_each(|segment| segment.count(&mut totals));
        Self { segments, totals, generation }
    }
}

impl LiveSegment {
    fn open(folder: &Path, entry: &SegmentEntry) -> std::io::Result<Self> {
        let mut whole = Self::whole(Segment::open(&folder.join(&entry.file))?);
        let n_files = whole.live.len();
        for &file in entry.removed.iter().filter(|&&file| (file as usize) < n_files) {
            whole.live.remove(file as usize);
        }
        Ok(whole)
    }

    /// A segment with all its files.
    fn whole(segment: Segment) -> Self {
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

    /// The live chunks that hold `term` in `field`.
    pub(crate) fn live_chunks(&self, field: Field, term: &str) -> Vec<Posting> {
        let mut postings = self.segment.postings(field, term);
        if !self.live.is_full() {
            let chunks = self.segment.chunks();
            postings.retain(|posting| self.live[chunks[posting.doc as usize].file as usize]);
        }
        postings
    }

    /// The live files that hold `term` in `field`.
    pub(crate) fn live_files(&self, field: Field, term: &str) -> Vec<Posting> {
        let mut postings = self.segment.postings(field, term);
        if !self.live.is_full() {
            postings.retain(|posting| self.live[posting.doc as usize]);
        }
        postings
    }

    fn live_ids(&self) -> impl Iterator<Item = FileId> + '_ {
        self.live.ones().map(|file| FileId(self.segment.files()[file].id))
    }
}

/// Brings the files on disk from one manifest to the next.
struct Update<'a> {
    store: &'a Store,
    embedder: &'a str,
    dimensions: usize,
    folder: &'a Path,
    manifest: Manifest,
    kept: Vec<(SegmentEntry, LiveSegment)>,
    missing: Vec<FileId>,
}

impl<'a> Update<'a> {
    fn new(
        store: &'a Store,
        project: &Project,
        embedder: &'a str,
        dimensions: usize,
        folder: &'a Path,
    ) -> Result<Self, SearchError> {
        let mut manifest = read_manifest(folder, project, embedder)
            .unwrap_or_else(|| Manifest { next: next_number(folder), ..Manifest::default() });
        manifest.format = FORMAT;
        manifest.owner = owner(project);
        manifest.embedder = embedder.to_owned();
        manifest.generation = project.generation;
        let kept = manifest
            .segments
            .drain(..)
            .filter_map(|entry| LiveSegment::open(folder, &entry).ok().map(|segment| (entry, segment)))
            .collect();
        let missing = store.searchable_files(project.id)?;
        Ok(Self { store, embedder, dimensions, folder, manifest, kept, missing })
    }

    fn run(mut self, pool: &rayon::ThreadPool) -> Result<Index, SearchError> {
        self.mark_removed();
        self.choose_rewrites();
        let written = self.write_missing(pool)?;
        self.manifest.segments = self.kept.iter().map(|(entry, _)| entry.clone()).chain(written).collect();
        write_manifest(self.folder, &self.manifest)?;
        self.sweep();
        Index::open(self.folder, &self.manifest).map_err(SearchError::io(self.folder))
    }

    /// Takes out of the kept segments what the store no longer has, and out of `missing` what they have.
    fn mark_removed(&mut self) {
        let mut wanted: HashSet<FileId> = self.missing.iter().copied().collect();
        for (entry, segment) in &mut self.kept {
            let gone: Vec<usize> = segment
                .live
                .ones()
                .filter(|&file| !wanted.remove(&FileId(segment.segment.files()[file].id)))
                .collect();
            for file in gone {
                segment.live.remove(file);
                entry.removed.push(file as u32);
            }
        }
        self.missing.retain(|file| wanted.contains(file));
    }

    /// Moves the files of segments that are better written anew to `missing`.
    fn choose_rewrites(&mut self) {
        let is_hollow = |segment: &LiveSegment| {
            segment.live.count_ones(..) as f64 <= (1.0 - MAX_REMOVED_SHARE) * segment.live.len() as f64
        };
        self.kept.sort_by_key(|(_, segment)| segment.n_live_chunks());
        let crowded = self.kept.len() >= MAX_SEGMENTS;
        let mut merged_chunks = 10 * self.missing.len() as u64;
        let (missing, mut kept) = (&mut self.missing, Vec::new());
        for (entry, segment) in self.kept.drain(..) {
            let n_chunks = segment.n_live_chunks();
            // Small ones first, each at most three times what is merged already: a file is rewritten O(log n) times.
            if is_hollow(&segment) || crowded && n_chunks <= 3 * merged_chunks.max(100) {
                merged_chunks += n_chunks;
                missing.extend(segment.live_ids());
            } else {
                kept.push((entry, segment));
            }
        }
        missing.sort_unstable();
        self.kept = kept;
    }

    /// Writes the missing files as segments: one thread reads, all cores tokenise, one thread builds.
    fn write_missing(&mut self, pool: &rayon::ThreadPool) -> Result<Vec<SegmentEntry>, SearchError> {
        let (store, embedder, dimensions) = (self.store, self.embedder, self.dimensions);
        let (to_tokenise, loaded) = sync_channel::<Vec<StoredFile>>(1);
        let (to_build, tokenised) = sync_channel::<Vec<FileTerms>>(1);
        let missing = std::mem::take(&mut self.missing);
        // Vectors of another model may have as many dimensions, and still mean nothing beside those of paths.
        let is_builtin = embedder == StaticModel::builtin().id();
        let mut writer = Writer {
            folder: self.folder,
            dimensions,
            n_cells: if is_builtin { N_CELLS } else { 1 },
            next: &mut self.manifest.next,
            written: Vec::new(),
        };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for group in loaded {
                    let terms = pool.install(|| {
                        group
                            .into_par_iter()
                            .map(|file| FileTerms::new(file, dimensions, is_builtin))
                            .collect()
                    });
                    if to_build.send(terms).is_err() {
                        return;
                    }
                }
            });
            let built = scope.spawn(move || writer.run(&tokenised).map(|()| writer.written));
            for group in missing.chunks(GROUP_FILES) {
                // A closed channel means that the writer failed: its error is what joins below.
                if to_tokenise.send(store.load_files(group, embedder)?).is_err() {
                    break;
                }
            }
            drop(to_tokenise);
            built.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Removes files of segments that the manifest no longer names. Processes that still read them keep their mapping.
    fn sweep(&self) {
        let named: HashSet<&str> = self.manifest.segments.iter().map(|entry| entry.file.as_str()).collect();
        for entry in fs::read_dir(self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_segment = name.ends_with(".seg") || name.ends_with(".tmp");
            if is_segment && !named.contains(name) {
                // What cannot be removed now is removed by the next update.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

struct Writer<'a> {
    folder: &'a Path,
    dimensions: usize,
    n_cells: usize,
    next: &'a mut u64,
    written: Vec<SegmentEntry>,
}

impl Writer<'_> {
    fn run(&mut self, groups: &Receiver<Vec<FileTerms>>) -> Result<(), SearchError> {
        let (dimensions, n_cells) = (self.dimensions, self.n_cells);
        let empty = || SegmentBuilder::new(dimensions, n_cells);
        let mut builder = empty();
        for group in groups {
            group.into_iter().for_each(|file| builder.add(file));
            if builder.n_bytes() >= SEGMENT_BYTES {
                self.write(std::mem::replace(&mut builder, empty()))?;
            }
        }
        if builder.is_empty() { Ok(()) } else { self.write(builder) }
    }

    fn write(&mut self, builder: SegmentBuilder) -> Result<(), SearchError> {
        let file = format!("{:06}.seg", *self.next);
        *self.next += 1;
        let path = self.folder.join(&file);
        builder.write(&path).map_err(SearchError::io(&path))?;
        self.written.push(SegmentEntry { file, removed: Vec::new() });
        Ok(())
    }
}

/// Changes with the meaning of the manifest or of the segments that it names.
const FORMAT: u32 = crate::segment::FORMAT;

fn read_manifest(folder: &Path, project: &Project, embedder: &str) -> Option<Manifest> {
    let text = fs::read(folder.join(MANIFEST)).ok()?;
    let manifest: Manifest = serde_json::from_slice(&text).ok()?;
    let is_usable = manifest.format == FORMAT && manifest.embedder == embedder;
    (is_usable && manifest.owner == owner(project)).then_some(manifest)
}

/// Tells a project from one of the same name and directory in a database that lay here before: ids and generations
/// begin anew with every database, and an index may outlive its own.
fn owner(project: &Project) -> String {
    format!("{} of {}", project.id.get(), project.ingestion_date)
}

/// A number that no segment in `folder` has: processes may still read what lies there.
fn next_number(folder: &Path) -> u64 {
    let numbers = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".seg")?.parse::<u64>().ok());
    numbers.max().map_or(0, |last| last + 1)
}

fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), SearchError> {
    let path = folder.join(MANIFEST);
    let unfinished = folder.join("manifest.tmp");
    serde_json::to_vec(manifest)
        .map_err(std::io::Error::other)
        .and_then(|bytes| create_file(&unfinished)?.write_all(&bytes))
        .and_then(|()| fs::rename(&unfinished, &path))
        .map_err(SearchError::io(&path))
}

/// Makes or empties a file of the index, for its owner alone.
pub(crate) fn create_file(path: &Path) -> std::io::Result<File> {
    private::file_options().create(true).truncate(true).write(true).open(path)
}

fn lock(path: &Path) -> Result<File, SearchError> {
    let open = || {
        let file = private::file_options().create(true).write(true).open(path)?;
        file.lock()?;
        Ok(file)
    };
    open().map_err(SearchError::io(path))
}
