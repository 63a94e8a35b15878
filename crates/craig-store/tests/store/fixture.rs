//! A store with small projects, made without reading any file.

use craig_model::{Embedder, StaticModel};
use craig_source::{FileStamp, interpret};
use craig_store::{
    Batch, ChunkText, FileId, FileRecord, IndexedFile, IngestionStatus, Project, Store, TextHash, TrackedFile,
};
use tempfile::TempDir;

use crate::database::Database;

pub(crate) const EMBEDDER: &str = "test-embedder";

/// A store in a database of its own.
pub(crate) struct TestStore {
    pub(crate) database: Database,
    /// For files of a test.
    pub(crate) folder: TempDir,
    pub(crate) store: Store,
}

impl TestStore {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::new(folder.path());
        Self { store: database.open(), database, folder }
    }

    /// The same store, opened another time, as by another process.
    pub(crate) fn open_again(&self) -> Store {
        self.database.open()
    }

    pub(crate) fn project(&mut self, name: &str) -> Project {
        self.store.create_project(name, &format!("/src/{name}"), "{}").unwrap()
    }

    pub(crate) fn purge(&mut self, project: &Project) {
        let lock = self.store.lock(project).unwrap();
        self.store.purge(&lock).unwrap();
    }

    /// Commits files as one batch of a run of their own.
    pub(crate) fn apply(&mut self, project: &Project, changed: Vec<IndexedFile>, removed: Vec<FileId>) {
        apply(&mut self.store, project, changed, removed);
    }

    /// The same of files that git has.
    pub(crate) fn apply_from_git(&mut self, project: &Project, changed: Vec<IndexedFile>) {
        let in_git = changed.iter().map(|file| file.source.path.clone()).collect();
        commit(&mut self.store, project, Batch { changed, in_git, ..Batch::default() });
    }

    /// Commits files that the store has for another project.
    pub(crate) fn share(&mut self, project: &Project, shared: Vec<TrackedFile>) {
        let run = self.store.begin_ingestion(project.id, shared.len() as u64).unwrap();
        let batch = Batch { shared, ..Batch::default() };
        assert!(self.store.apply(&run, None, &batch, 0).unwrap().is_empty());
        self.store.complete_ingestion(&run).unwrap();
    }

    /// Every tracked path with its number of chunks, one a line.
    pub(crate) fn outline(&self, project: &Project) -> String {
        let line = |record: &FileRecord| {
            let files = self.store.load_files(project.id, &[record.id], EMBEDDER).unwrap();
            format!("{} {}\n", record.path, files[0].chunks.len())
        };
        self.store.file_records(project.id).unwrap().iter().map(line).collect()
    }

    pub(crate) fn file_id(&self, project: &Project, path: &str) -> FileId {
        self.store.tracked_file(project.id, path).unwrap().unwrap().id
    }

    /// Which of these texts have a vector.
    pub(crate) fn embedded<'t>(&self, texts: &[&'t str]) -> Vec<&'t str> {
        let hashes = texts.iter().map(|text| TextHash::new(text));
        let known = self.store.known_vectors(EMBEDDER, hashes).unwrap();
        texts.iter().copied().filter(|text| known.contains(&TextHash::new(text))).collect()
    }
}

pub(crate) fn apply(store: &mut Store, project: &Project, changed: Vec<IndexedFile>, removed: Vec<FileId>) {
    commit(store, project, Batch { changed, removed, ..Batch::default() });
}

fn commit(store: &mut Store, project: &Project, batch: Batch) {
    let n_files = batch.changed.len() as u64;
    let run = store.begin_ingestion(project.id, n_files).unwrap();
    let missing = store.apply(&run, Some(EMBEDDER), &batch, n_files).unwrap();
    assert!(missing.is_empty(), "every text has a vector");
    store.complete_ingestion(&run).unwrap();
}

/// A file of `text`, chunked and embedded.
pub(crate) fn file(path: &str, text: &str) -> IndexedFile {
    with_vectors(bytes(path, text.as_bytes().to_vec()))
}

/// A file without vectors, as if the store had them.
pub(crate) fn file_of_known_texts(path: &str, text: &str) -> IndexedFile {
    bytes(path, text.as_bytes().to_vec())
}

/// A file of raw bytes, chunked, without vectors.
pub(crate) fn bytes(path: &str, bytes: Vec<u8>) -> IndexedFile {
    let stamp = FileStamp { size: bytes.len() as u64, modified_ns: 1_700_000_000_000_000_000, changed_ns: 7 };
    let source = interpret(path, stamp, bytes);
    let text = source.indexed_text().unwrap_or_default().to_owned();
    let outline = craig_chunk::chunk(source.language, &text);
    let hash =
        |chunk: &craig_chunk::Chunk| ChunkText { hash: TextHash::new(chunk.text(&text)), vector: None };
    let texts = outline.chunks.iter().map(hash).collect();
    IndexedFile::new(source, "1", 1_700_000_100_000_000_000, outline, texts)
}

fn with_vectors(mut file: IndexedFile) -> IndexedFile {
    let text = file.source.indexed_text().unwrap_or_default().to_owned();
    let texts: Vec<&str> = file.outline.chunks.iter().map(|chunk| chunk.text(&text)).collect();
    let embeddings = StaticModel::builtin().embed_documents(&texts).unwrap();
    for (text, embedding) in file.texts.iter_mut().zip(embeddings) {
        text.vector = Some(embedding.quantized());
    }
    file
}

pub(crate) const QUEUE: &str = "\
//! Jobs that wait.

/// A queue of jobs.
pub struct Queue {
    jobs: Vec<Job>,
}

impl Queue {
    /// Appends a job.
    pub fn push(&mut self, job: Job) {
        self.jobs.push(job);
    }
}
";

pub(crate) const GUIDE: &str = "\
# Guide

Wörter mit Umlauten: größer, naïve, 日本語.

## Install

Run the installer.
";

/// The state of a project's newest ingestion, which a list of several projects must show as well.
pub(crate) fn status_of(store: &Store, project: &Project) -> IngestionStatus {
    let status = store.ingestion_status(project).unwrap();
    let listed = store.ingestion_statuses(std::slice::from_ref(project)).unwrap();
    assert_eq!(listed, std::slice::from_ref(&status));
    status
}
