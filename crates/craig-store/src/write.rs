//! Writing: a batch of changed and removed files is one transaction.

use std::borrow::Cow;
use std::mem;
use std::ops::{Range, RangeInclusive};

use craig_chunk::{Definitions, Outline, Packed, compressed};
use craig_model::Quantized;
use craig_source::{Content, SourceFile, Withheld};
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::json;

use crate::names::SealedNames;
use crate::project::now;
use crate::read::find_file;
use crate::sealed::sealed;
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
    /// New files and new versions of files that the store has for another project.
    pub shared: Vec<TrackedFile>,
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
        let missing = self.write(|transaction| {
            let embedder = embedder.map(|name| insert_embedder(transaction, name)).transpose()?;
            let texts = embedder.map(|embedder| missing_vectors(transaction, embedder, batch)).transpose()?;
            let files = missing_files(transaction, batch)?;
            let missing = Missing { texts: texts.unwrap_or_default(), files };
            if missing.is_empty() {
                n_deleted = write_batch(transaction, run.project, embedder, batch)?;
                let changed = batch.changed.last().map(|file| &file.source.path);
                let last = changed.or(batch.shared.last().map(|file| &file.path));
                run.write_progress(transaction, last.map(String::as_str), n_processed)?;
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

pub(crate) fn drop_unused_vectors(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM chunks)", [])?;
    Ok(())
}

/// Writes a batch; returns how many files it removed from the project.
fn write_batch(
    transaction: &Transaction<'_>,
    project: ProjectId,
    embedder: Option<i64>,
    batch: &Batch,
) -> rusqlite::Result<usize> {
    restamp(transaction, project, &batch.restamped)?;
    let mut replaced = batch.removed.clone();
    for file in &batch.shared {
        replaced.extend(write_project_file(transaction, project, file)?);
    }
    for file in &batch.changed {
        let IndexedFile { source, read_ns, .. } = file;
        let id = match find_file(transaction, file.identity)? {
            Some((id, _)) => id,
            None => file.row().write(transaction)?,
        };
        if let Some(embedder) = embedder {
            write_vectors(transaction, embedder, file)?;
        }
        let tracked = TrackedFile {
            id,
            path: source.path.clone(),
            hash: source.hash,
            stamp: source.stamp,
            read_ns: *read_ns,
        };
        replaced.extend(write_project_file(transaction, project, &tracked)?);
    }
    for file in &replaced {
        remove_file(transaction, project, *file)?;
    }
    if !(batch.changed.is_empty() && batch.shared.is_empty() && batch.removed.is_empty()) {
        increase_generation(transaction, project)?;
    }
    Ok(replaced.len())
}

fn restamp(transaction: &Transaction<'_>, project: ProjectId, files: &[TrackedFile]) -> rusqlite::Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE project_files SET size = ?3, modified_ns = ?4, changed_ns = ?5, read_ns = ?6
         WHERE project_id = ?1 AND path = ?2",
    )?;
    for TrackedFile { path, stamp, read_ns, .. } in files {
        let size = stamp.size as i64;
        update.execute(params![project, path, size, stamp.modified_ns, stamp.changed_ns, read_ns])?;
    }
    Ok(())
}

/// Makes a stored file the one at its path in a project; returns the one that it replaces.
fn write_project_file(
    transaction: &Transaction<'_>,
    project: ProjectId,
    file: &TrackedFile,
) -> rusqlite::Result<Option<FileId>> {
    let TrackedFile { id, path, hash, stamp, read_ns } = file;
    let replaced: Option<FileId> = transaction
        .prepare_cached("SELECT file_id FROM project_files WHERE project_id = ?1 AND path = ?2")?
        .query_row(params![project, path], |row| row.get(0))
        .optional()?;
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO project_files
                 (project_id, path, file_id, file_hash, n_chunks, size, modified_ns, changed_ns, read_ns)
             VALUES (?1, ?2, ?3, ?4, (SELECT n_chunks FROM files WHERE id = ?3), ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            project,
            path,
            id,
            hash.0,
            stamp.size as i64,
            stamp.modified_ns,
            stamp.changed_ns,
            read_ns,
        ])?;
    Ok(replaced.filter(|replaced| replaced != id))
}

/// Removes a file from a project, and from the store if no other project has it.
fn remove_file(transaction: &Transaction<'_>, project: ProjectId, file: FileId) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM project_files WHERE file_id = ?1 AND project_id = ?2")?
        .execute(params![file, project])?;
    transaction
        .prepare_cached(
            "DELETE FROM files WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM project_files WHERE file_id = ?1)",
        )?
        .execute([file])?;
    Ok(())
}

/// Removes files that no project has any more.
pub(crate) fn drop_unused_files(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM files WHERE id NOT IN (SELECT file_id FROM project_files)", [])?;
    Ok(())
}

pub(crate) fn increase_generation(transaction: &Transaction<'_>, project: ProjectId) -> rusqlite::Result<()> {
    let sql = "UPDATE projects SET generation = generation + 1, last_updated = ?2 WHERE id = ?1";
    transaction.execute(sql, params![project, now()]).map(drop)
}

/// The id of an embedder, which is added when it is new.
pub(crate) fn insert_embedder(transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<i64> {
    transaction.execute("INSERT INTO embedders (name) VALUES (?1) ON CONFLICT DO NOTHING", [name])?;
    transaction.query_row("SELECT id FROM embedders WHERE name = ?1", [name], |row| row.get(0))
}

/// Texts of `batch` that come without a vector although the store has none.
fn missing_vectors(
    transaction: &Transaction<'_>,
    embedder: i64,
    batch: &Batch,
) -> rusqlite::Result<Vec<TextHash>> {
    let mut find =
        transaction.prepare_cached("SELECT 1 FROM vectors WHERE embedder_id = ?1 AND text_hash = ?2")?;
    let mut missing = Vec::new();
    for text in batch.changed.iter().flat_map(|file| &file.texts).filter(|text| text.vector.is_none()) {
        if !find.exists(params![embedder, text.hash])? {
            missing.push(text.hash);
        }
    }
    Ok(missing)
}

/// Paths of shared files that the store does not have any more.
fn missing_files(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<Vec<String>> {
    let mut find = transaction.prepare_cached("SELECT 1 FROM files WHERE id = ?1")?;
    let mut missing = Vec::new();
    for file in &batch.shared {
        if !find.exists([file.id])? {
            missing.push(file.path.clone());
        }
    }
    Ok(missing)
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

impl NewFile<'_> {
    /// Stores the file, which is not stored yet.
    pub(crate) fn write(&self, transaction: &Transaction<'_>) -> rusqlite::Result<FileId> {
        let id = transaction
            .prepare_cached(
                "INSERT INTO files (identity, path, file_hash, is_binary, n_chunks, metadata, definitions, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .insert(params![
                self.identity,
                self.path,
                self.hash,
                self.is_binary,
                self.chunks.len() as i64,
                self.metadata,
                self.definitions,
                self.content,
            ])?;
        for (number, chunk) in self.chunks.iter().enumerate() {
            chunk.write(transaction, id, number)?;
        }
        if let Some(names) = self.names {
            names.write(transaction, id)?;
        }
        Ok(FileId::from_u64(id.cast_unsigned()))
    }
}

impl NewChunk<'_> {
    fn write(&self, transaction: &Transaction<'_>, file: i64, number: usize) -> rusqlite::Result<()> {
        transaction
            .prepare_cached(
                "INSERT INTO chunks (file_id, chunk_id, start_byte, end_byte, overlap_bytes, start_line, end_line,
                                     chunk_type, symbol_name, parent, text_hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                file,
                number as i64,
                self.bytes.start as i64,
                self.bytes.end as i64,
                self.overlap_bytes as i64,
                self.lines.start(),
                self.lines.end(),
                self.kind,
                self.symbol_name,
                self.parent,
                self.text_hash,
            ])
            .map(drop)
    }
}

impl IndexedFile {
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

fn write_vectors(transaction: &Transaction<'_>, embedder: i64, file: &IndexedFile) -> rusqlite::Result<()> {
    for text in &file.texts {
        if let Some(vector) = &text.vector {
            write_vector(transaction, embedder, text.hash, &vector.to_bytes())?;
        }
    }
    Ok(())
}

/// Stores the bytes of a vector, unless the text has one.
pub(crate) fn write_vector(
    transaction: &Transaction<'_>,
    embedder: i64,
    hash: TextHash,
    vector: &[u8],
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO vectors (embedder_id, text_hash, vector) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(params![embedder, hash, vector])?;
    Ok(())
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
