//! A small project, made without reading any file.

use std::path::PathBuf;

use craig_model::{Embedder, StaticModel};
use craig_source::{FileStamp, interpret};
use craig_store::{Batch, ChunkText, FileId, IndexedFile, Project, Store, TextHash};
use tempfile::TempDir;

pub(crate) const EMBEDDER: &str = "test-embedder";

/// A database in a folder of its own.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) store: Store,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("craig.db")).unwrap();
        Self { folder, store }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.store.path().to_owned()
    }

    pub(crate) fn project(&mut self, name: &str) -> Project {
        self.store.create_project(name, &format!("/src/{name}"), "{}").unwrap()
    }

    /// Commits files as one batch of a run of their own.
    pub(crate) fn apply(&mut self, project: &Project, changed: Vec<IndexedFile>, removed: Vec<FileId>) {
        apply(&mut self.store, project, changed, removed);
    }

    /// Every tracked path with its number of chunks, one a line.
    pub(crate) fn outline(&self, project: &Project) -> String {
        let line = |record: &craig_store::FileRecord| {
            let files = self.store.load_files(&[record.id], EMBEDDER).unwrap();
            format!("{} {}\n", record.path, files[0].chunks.len())
        };
        self.store.file_records(project.id).unwrap().iter().map(line).collect()
    }

    pub(crate) fn file_id(&self, project: &Project, path: &str) -> FileId {
        let found = self.store.tracked_files(project.id).unwrap().into_iter().find(|file| file.path == path);
        found.unwrap().id
    }

    /// One number from the database.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        let connection = rusqlite::Connection::open(self.path()).unwrap();
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

pub(crate) fn apply(store: &mut Store, project: &Project, changed: Vec<IndexedFile>, removed: Vec<FileId>) {
    let n_files = changed.len() as u64;
    let run = store.begin_ingestion(project.id, n_files).unwrap();
    let lost = store.apply(project.id, run, EMBEDDER, &Batch { changed, removed }, n_files).unwrap();
    assert_eq!(lost, [], "every text has a vector");
    store.complete_ingestion(project.id, run, "0123").unwrap();
}

/// A file of `text`, cut and embedded.
pub(crate) fn file(path: &str, text: &str) -> IndexedFile {
    with_vectors(bytes(path, text.as_bytes().to_vec()))
}

/// A file whose vectors the store is said to have.
pub(crate) fn file_of_known_texts(path: &str, text: &str) -> IndexedFile {
    bytes(path, text.as_bytes().to_vec())
}

/// A file of raw bytes, cut, without vectors.
pub(crate) fn bytes(path: &str, bytes: Vec<u8>) -> IndexedFile {
    let stamp = FileStamp { size: bytes.len() as u64, modified_ns: 1_700_000_000_000_000_000, changed_ns: 7 };
    let source = interpret(path, stamp, bytes);
    let text = source.indexed_text().unwrap_or_default().to_owned();
    let outline = craig_chunk::chunk(source.language, &text);
    let hash = |chunk: &craig_chunk::Chunk| ChunkText { hash: TextHash::of(chunk.text(&text)), vector: None };
    let texts = outline.chunks.iter().map(hash).collect();
    IndexedFile { source, read_ns: 1_700_000_100_000_000_000, outline, texts }
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
