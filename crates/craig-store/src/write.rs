//! Writing: a batch of changed and removed files is one transaction.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::mem;
use std::ops::{Range, RangeInclusive};

use craig_chunk::{Definitions, Outline, Packed, compressed};
use craig_model::Quantized;
use craig_source::{Content, SourceFile, Withheld};
use serde_json::json;

use crate::kept;
use crate::names::{NAMES, SealedNames};
use crate::project::now;
use crate::read::{find_files, known_vectors};
use crate::sealed::sealed;
use crate::sql::{self, Connection, Insert, Kind, ToValue as _, Value, params};
use crate::{FileId, FileIdentity, IngestionRun, ProjectId, Store, StoreError, TextHash, TrackedFile};

/// The text of one chunk, by hash, and its vector unless the store has it already.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkText {
    /// Hash of the text.
    pub hash: TextHash,
    /// Vector to store; `None` if the store has one of the same embedder.
    pub vector: Option<Quantized>,
}

/// One file ready to be stored.
#[derive(Clone, Debug)]
pub struct IndexedFile {
    /// The data that was read.
    pub source: SourceFile,
    /// When it was read, nanoseconds since the Unix epoch.
    pub read_ns: i64,
    /// Its chunks; empty for files without searchable text. The rest has been packed.
    pub outline: Outline,
    /// One for each chunk of the outline, in order.
    pub texts: Vec<ChunkText>,
    identity: FileIdentity,
    /// Its text, compressed.
    content: Option<Vec<u8>>,
    definitions: Vec<u8>,
    /// Its references and names, moved out of the outline; packed, they take little memory.
    names: Option<SealedNames>,
}

impl IndexedFile {
    /// A file with its outline, and a text for each chunk of it. Packs what is stored: to be called on many threads for many files.
    ///
    /// `made` describes how files are read, see [`FileIdentity::new`].
    pub fn new(
        source: SourceFile,
        made: &str,
        read_ns: i64,
        mut outline: Outline,
        texts: Vec<ChunkText>,
    ) -> Self {
        let (references, names) = (mem::take(&mut outline.references), mem::take(&mut outline.names));
        let packed = Packed::new(&references, names);
        let text = stored_content(&source.content);
        let definitions = Definitions {
            symbols: mem::take(&mut outline.symbols),
            imports: mem::take(&mut outline.imports),
            parsed: outline.parsed,
        };
        Self {
            identity: FileIdentity::new(made, &source.path, source.hash),
            content: text.map(|text| compressed(text.as_bytes(), &[])),
            definitions: sealed(definitions.packed()),
            names: text.map(|text| SealedNames::new(text, packed)),
            source,
            read_ns,
            outline,
            texts,
        }
    }
}

/// Changes that are committed together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// New files and new versions of files.
    pub changed: Vec<IndexedFile>,
    /// Files that no longer exist.
    pub removed: Vec<FileId>,
    /// Files whose content is unchanged, with their new stamps.
    pub restamped: Vec<TrackedFile>,
    /// New files and new versions of files that the store has already: for another project, or [kept](Store::kept_versions).
    pub shared: Vec<TrackedFile>,
    /// Paths of files whose version git has as well, so that it is kept when the project changes to another.
    pub in_git: HashSet<String>,
}

/// What a batch left to the store, which does not have it any more: a purge of another project may have dropped it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Texts without a vector.
    pub texts: Vec<TextHash>,
    /// Paths of [shared](Batch::shared) files.
    pub files: Vec<String>,
}

impl Missing {
    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.files.is_empty()
    }
}

impl Store {
    /// Commits `batch` as one change of the project that `run` ingests, which has now processed `n_processed` files.
    ///
    /// Readers see all of it or nothing. A stored file with the same path is replaced. `embedder` is the one that the vectors are
    /// of; `None` if no vectors are stored.
    ///
    /// If something is missing, nothing is committed: embed and read it, and try again.
    pub fn apply(
        &mut self,
        run: &IngestionRun,
        embedder: Option<&str>,
        batch: &Batch,
        n_processed: u64,
    ) -> Result<Missing, StoreError> {
        let mut n_deleted = 0;
        let missing = self.write(|connection| {
            let embedder = embedder.map(|name| insert_embedder(connection, name)).transpose()?;
            let texts = embedder.map(|embedder| missing_vectors(connection, embedder, batch)).transpose()?;
            let n_chunks = n_chunks_of(connection, batch.restamped.iter().chain(&batch.shared))?;
            let is_missing = |file: &&TrackedFile| !n_chunks.contains_key(&file.id);
            let files = batch.shared.iter().filter(is_missing).map(|file| file.path.clone()).collect();
            let missing = Missing { texts: texts.unwrap_or_default(), files };
            if missing.is_empty() {
                n_deleted = write_batch(connection, run.project, embedder, batch, n_chunks)?;
                let changed = batch.changed.last().map(|file| &file.source.path);
                let last = changed.or(batch.shared.last().map(|file| &file.path));
                run.write_progress(connection, last.map(String::as_str), n_processed)?;
            }
            Ok(missing)
        })?;
        self.has_deleted |= n_deleted > 0;
        Ok(missing)
    }

    /// Removes vectors of texts that no chunk has any more.
    pub fn drop_unused_vectors(&mut self) -> Result<(), StoreError> {
        self.write(drop_unused_vectors)
    }
}

pub(crate) fn drop_unused_vectors(connection: &Connection) -> sql::Result<()> {
    let sql = "DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM chunks)";
    connection.execute(sql, &[]).map(drop)
}

/// Writes a batch; returns how many files it removed from the project. `n_chunks` has the chunks of restamped and shared files.
fn write_batch(
    connection: &Connection,
    project: ProjectId,
    embedder: Option<i64>,
    batch: &Batch,
    mut n_chunks: HashMap<FileId, u64>,
) -> sql::Result<usize> {
    let has_changed = !(batch.changed.is_empty() && batch.shared.is_empty() && batch.removed.is_empty());
    if has_changed {
        // First: of two writers of one project, the second waits here.
        increase_generation(connection, project)?;
    }
    let rows: Vec<NewFile<'_>> = batch.changed.iter().map(IndexedFile::row).collect();
    let ids = store_files(connection, &rows)?;
    n_chunks.extend(ids.iter().zip(&rows).map(|(id, row)| (*id, row.chunks.len() as u64)));
    if let Some(embedder) = embedder {
        write_vectors(connection, embedder, &batch.changed)?;
    }
    let changed: Vec<TrackedFile> =
        batch.changed.iter().zip(ids).map(|(file, id)| file.tracked(id)).collect();
    let replaced = replaced_files(connection, project, batch.shared.iter().chain(&changed))?;
    let files: Vec<&TrackedFile> = batch.restamped.iter().chain(&batch.shared).chain(&changed).collect();
    let rows: Vec<Vec<Value<'_>>> =
        files.iter().filter_map(|file| Some(tracked_row(&project, file, n_chunks.get(&file.id)?))).collect();
    connection.insert(PROJECT_FILES, &rows)?;
    kept::keep(connection, project, &files, &batch.in_git)?;
    let removed: Vec<FileId> = batch.removed.iter().chain(&replaced).copied().collect();
    if !removed.is_empty() {
        drop_from_project(connection, project, &removed)?;
    }
    Ok(removed.len())
}

/// Takes files from a project, and from the store unless it keeps them.
fn drop_from_project(connection: &Connection, project: ProjectId, files: &[FileId]) -> sql::Result<()> {
    connection.execute(
        "DELETE FROM project_files WHERE project_id = ?1 AND file_id = ANY(?2)",
        &params![project, Value::ints(files)],
    )?;
    let dropped = kept::replace(connection, project, Value::ints(files))?;
    let unused = files.iter().map(i64::from).chain(dropped);
    drop_files_without_project(connection, Value::Ints(unused.collect()))
}

const PROJECT_FILES: Insert = Insert {
    table: "project_files",
    columns: &[
        ("project_id", Kind::Int),
        ("path", Kind::Text),
        ("file_id", Kind::Int),
        ("file_hash", Kind::Blob),
        ("n_chunks", Kind::Int),
        ("size", Kind::Int),
        ("modified_ns", Kind::Int),
        ("changed_ns", Kind::Int),
        ("read_ns", Kind::Int),
    ],
    then: "ON CONFLICT (project_id, path) DO UPDATE SET
               file_id = excluded.file_id, file_hash = excluded.file_hash, n_chunks = excluded.n_chunks,
               size = excluded.size, modified_ns = excluded.modified_ns, changed_ns = excluded.changed_ns,
               read_ns = excluded.read_ns",
};

/// A row of [`PROJECT_FILES`].
fn tracked_row<'v>(project: &'v ProjectId, file: &'v TrackedFile, n_chunks: &u64) -> Vec<Value<'v>> {
    let TrackedFile { id, path, hash, stamp, read_ns } = file;
    vec![
        project.to_value(),
        path.to_value(),
        id.to_value(),
        hash.0.to_value(),
        Value::Int(n_chunks.cast_signed()),
        stamp.size.to_value(),
        stamp.modified_ns.to_value(),
        stamp.changed_ns.to_value(),
        read_ns.to_value(),
    ]
}

/// The chunks of those of these files that are stored.
fn n_chunks_of<'f>(
    connection: &Connection,
    files: impl Iterator<Item = &'f TrackedFile>,
) -> sql::Result<HashMap<FileId, u64>> {
    let ids = Value::ints(files.map(|file| &file.id));
    let sql = "SELECT id, n_chunks FROM files WHERE id = ANY(?1)";
    let found = connection.all(sql, &[ids], |row| Ok((row.get(0)?, row.unsigned(1)?)))?;
    Ok(found.into_iter().collect())
}

/// The files that are at the paths of `files` in a project now, where those are others.
fn replaced_files<'f>(
    connection: &Connection,
    project: ProjectId,
    files: impl Iterator<Item = &'f TrackedFile>,
) -> sql::Result<Vec<FileId>> {
    let new: HashMap<&str, FileId> = files.map(|file| (file.path.as_str(), file.id)).collect();
    let paths = Value::Texts(new.keys().copied().collect());
    let sql = "SELECT path, file_id FROM project_files WHERE project_id = ?1 AND path = ANY(?2)";
    let found = connection.all(sql, &params![project, paths], |row| {
        let id: FileId = row.get(1)?;
        Ok((new.get(row.text(0)?) != Some(&id)).then_some(id))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Removes those of these files that no project has or keeps.
pub(crate) fn drop_files_without_project(connection: &Connection, files: Value<'_>) -> sql::Result<()> {
    let sql = "DELETE FROM files WHERE id = ANY(?1)
               AND NOT EXISTS (SELECT 1 FROM project_files p WHERE p.file_id = files.id)
               AND NOT EXISTS (SELECT 1 FROM kept_versions k WHERE k.file_id = files.id)";
    connection.execute(sql, &[files]).map(drop)
}

/// Removes files that no project has or keeps any more.
pub(crate) fn drop_unused_files(connection: &Connection) -> sql::Result<()> {
    let sql = "DELETE FROM files WHERE id NOT IN (SELECT file_id FROM project_files)
                                   AND id NOT IN (SELECT file_id FROM kept_versions)";
    connection.execute(sql, &[]).map(drop)
}

pub(crate) fn increase_generation(connection: &Connection, project: ProjectId) -> sql::Result<()> {
    let sql = "UPDATE projects SET generation = generation + 1, last_updated = ?2 WHERE id = ?1";
    connection.execute(sql, &params![project, now()]).map(drop)
}

/// The id of an embedder, which is added when it is new.
pub(crate) fn insert_embedder(connection: &Connection, name: &str) -> sql::Result<i64> {
    connection.execute("INSERT INTO embedders (name) VALUES (?1) ON CONFLICT DO NOTHING", &params![name])?;
    let id = connection.one("SELECT id FROM embedders WHERE name = ?1", &params![name], |row| row.get(0))?;
    id.ok_or_else(|| sql::Error::Unexpected(format!("the embedder {name:?} is gone")))
}

/// Texts of `batch` that come without a vector although the store has none.
fn missing_vectors(connection: &Connection, embedder: i64, batch: &Batch) -> sql::Result<Vec<TextHash>> {
    let texts = batch.changed.iter().flat_map(|file| &file.texts);
    let hashes: Vec<TextHash> = texts.filter(|text| text.vector.is_none()).map(|text| text.hash).collect();
    let known = known_vectors(connection, embedder, &hashes)?;
    Ok(hashes.into_iter().filter(|hash| !known.contains(hash)).collect())
}

/// A row of `files` with everything that belongs to it, from an ingestion or from an archive.
pub(crate) struct NewFile<'a> {
    pub(crate) identity: FileIdentity,
    pub(crate) path: &'a str,
    pub(crate) hash: &'a [u8; 32],
    pub(crate) is_binary: bool,
    pub(crate) metadata: Cow<'a, str>,
    pub(crate) definitions: &'a [u8],
    pub(crate) content: Option<&'a [u8]>,
    pub(crate) chunks: Vec<NewChunk<'a>>,
    pub(crate) names: Option<&'a SealedNames>,
}

/// A row of `chunks`.
pub(crate) struct NewChunk<'a> {
    pub(crate) bytes: Range<usize>,
    pub(crate) overlap_bytes: usize,
    pub(crate) lines: RangeInclusive<u32>,
    pub(crate) kind: &'a str,
    pub(crate) symbol_name: Option<&'a str>,
    pub(crate) parent: Option<&'a str>,
    pub(crate) text_hash: TextHash,
}

const FILES: Insert = Insert {
    table: "files",
    columns: &[
        ("identity", Kind::Blob),
        ("path", Kind::Text),
        ("file_hash", Kind::Blob),
        ("is_binary", Kind::Bool),
        ("n_chunks", Kind::Int),
        ("metadata", Kind::Text),
        ("definitions", Kind::Blob),
        ("content", Kind::Blob),
    ],
    // On a server, another process may store the same file meanwhile.
    then: "ON CONFLICT (identity) DO NOTHING RETURNING identity, id",
};

const CHUNKS: Insert = Insert {
    table: "chunks",
    columns: &[
        ("file_id", Kind::Int),
        ("chunk_id", Kind::Int),
        ("start_byte", Kind::Int),
        ("end_byte", Kind::Int),
        ("overlap_bytes", Kind::Int),
        ("start_line", Kind::Int),
        ("end_line", Kind::Int),
        ("chunk_type", Kind::Text),
        ("symbol_name", Kind::Text),
        ("parent", Kind::Text),
        ("text_hash", Kind::Blob),
    ],
    then: "",
};

/// Stores those of these files that are not stored yet; returns the ids of all, in their order.
pub(crate) fn store_files(connection: &Connection, files: &[NewFile<'_>]) -> sql::Result<Vec<FileId>> {
    let identities: Vec<FileIdentity> = files.iter().map(|file| file.identity).collect();
    let mut known = find_files(connection, &identities)?;
    let mut seen = HashSet::new();
    let is_new = |file: &&NewFile<'_>| !known.contains_key(&file.identity) && seen.insert(file.identity);
    let new: Vec<&NewFile<'_>> = files.iter().filter(is_new).collect();
    let rows: Vec<Vec<Value<'_>>> = new.iter().map(|file| file.row()).collect();
    let stored = connection.insert_returning(FILES, &rows, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let stored: HashMap<FileIdentity, FileId> = stored.into_iter().collect();
    let added = || new.iter().filter_map(|file| Some((*file, *stored.get(&file.identity)?)));
    let chunks: Vec<Vec<Value<'_>>> = added()
        .flat_map(|(file, id)| file.chunks.iter().zip(0..).map(move |(chunk, number)| chunk.row(id, number)))
        .collect();
    connection.insert(CHUNKS, &chunks)?;
    let names: Vec<Vec<Value<'_>>> = added().filter_map(|(file, id)| Some(file.names?.row(id))).collect();
    connection.insert(NAMES, &names)?;
    if stored.len() < new.len() {
        known = find_files(connection, &identities)?;
    }
    let id = |identity| stored.get(identity).copied().or(known.get(identity).map(|(id, _)| *id));
    let gone = || sql::Error::Unexpected("a file is gone that was stored a moment ago".to_owned());
    identities.iter().map(|identity| id(identity).ok_or_else(gone)).collect()
}

impl NewFile<'_> {
    /// A row of [`FILES`].
    fn row(&self) -> Vec<Value<'_>> {
        vec![
            self.identity.to_value(),
            self.path.to_value(),
            self.hash.to_value(),
            self.is_binary.to_value(),
            Value::Int(self.chunks.len() as i64),
            self.metadata.to_value(),
            self.definitions.to_value(),
            self.content.to_value(),
        ]
    }
}

impl NewChunk<'_> {
    /// A row of [`CHUNKS`].
    fn row(&self, file: FileId, number: i64) -> Vec<Value<'_>> {
        vec![
            Value::Int(i64::from(&file)),
            Value::Int(number),
            self.bytes.start.to_value(),
            self.bytes.end.to_value(),
            self.overlap_bytes.to_value(),
            self.lines.start().to_value(),
            self.lines.end().to_value(),
            self.kind.to_value(),
            self.symbol_name.to_value(),
            self.parent.to_value(),
            self.text_hash.to_value(),
        ]
    }
}

impl IndexedFile {
    /// This file in a project, stored with this id.
    fn tracked(&self, id: FileId) -> TrackedFile {
        let Self { source, read_ns, .. } = self;
        TrackedFile {
            id,
            path: source.path.clone(),
            hash: source.hash,
            stamp: source.stamp,
            read_ns: *read_ns,
        }
    }

    fn row(&self) -> NewFile<'_> {
        let chunks = self.outline.chunks.iter().zip(&self.texts).map(|(chunk, text)| NewChunk {
            bytes: chunk.bytes.clone(),
            overlap_bytes: chunk.overlap_bytes,
            lines: chunk.line_start..=chunk.line_end,
            kind: chunk.kind.as_str(),
            symbol_name: chunk.symbol_name.as_deref(),
            parent: chunk.parent.as_deref(),
            text_hash: text.hash,
        });
        NewFile {
            identity: self.identity,
            path: &self.source.path,
            hash: &self.source.hash.0,
            is_binary: self.source.content == Content::Binary,
            metadata: metadata(self).into(),
            definitions: &self.definitions,
            content: self.content.as_deref(),
            chunks: chunks.collect(),
            names: self.names.as_ref(),
        }
    }
}

fn write_vectors(connection: &Connection, embedder: i64, files: &[IndexedFile]) -> sql::Result<()> {
    let texts = files.iter().flat_map(|file| &file.texts);
    let vectors: Vec<(TextHash, Vec<u8>)> =
        texts.filter_map(|text| Some((text.hash, text.vector.as_ref()?.to_bytes()))).collect();
    store_vectors(connection, embedder, vectors.iter().map(|(hash, vector)| (*hash, vector.as_slice())))
}

const VECTORS: Insert = Insert {
    table: "vectors",
    columns: &[("embedder_id", Kind::Int), ("text_hash", Kind::Blob), ("vector", Kind::Blob)],
    then: "ON CONFLICT DO NOTHING",
};

/// Stores the bytes of vectors, unless their texts have some.
pub(crate) fn store_vectors<'v>(
    connection: &Connection,
    embedder: i64,
    vectors: impl Iterator<Item = (TextHash, &'v [u8])>,
) -> sql::Result<()> {
    let vectors: Vec<(TextHash, &[u8])> = vectors.collect();
    let rows: Vec<Vec<Value<'_>>> = vectors
        .iter()
        .map(|(hash, vector)| vec![Value::Int(embedder), hash.to_value(), Value::Blob(vector)])
        .collect();
    connection.insert(VECTORS, &rows)
}

fn stored_content(content: &Content) -> Option<&str> {
    match content {
        Content::Text(text) | Content::Unindexed(text, _) => Some(text),
        Content::Secret | Content::Binary => None,
    }
}

fn metadata(IndexedFile { source, outline, .. }: &IndexedFile) -> String {
    let withheld = match &source.content {
        Content::Secret => Some(Withheld::Secret),
        Content::Unindexed(_, why) => Some(*why),
        Content::Text(_) | Content::Binary => None,
    };
    // Chunks have hashes of their texts; a text without chunks has one of its own.
    let text = stored_content(&source.content).filter(|_| outline.chunks.is_empty());
    json!({
        "language": source.language,
        "kind": source.kind,
        "type": source.file_type,
        "size": source.stamp.size,
        "withheld": withheld,
        "text_hash": text.map(TextHash::new),
    })
    .to_string()
}
