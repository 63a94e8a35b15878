//! Writing: a batch of changed and removed files is one transaction.

use std::mem;

use craig_chunk::{Import, Outline, Packed, Parsed, Symbol};
use craig_model::Quantized;
use craig_source::{Content, FileStamp, SourceFile, Withheld};
use rusqlite::{Transaction, params};
use serde::Serialize;
use serde_json::json;

use crate::names::write_names;
use crate::project::now;
use crate::{FileId, IngestionRun, ProjectId, Store, StoreError, TextHash, TrackedFile};

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
    /// Its chunks, symbols and imports; empty for files without searchable text.
    pub outline: Outline,
    /// One for each chunk of the outline, in order.
    pub texts: Vec<ChunkText>,
    /// Its references and names, moved out of the outline; packed, they take little memory.
    packed: Packed,
}

impl IndexedFile {
    /// A file with its outline, and a text for each chunk of it.
    pub fn new(source: SourceFile, read_ns: i64, mut outline: Outline, texts: Vec<ChunkText>) -> Self {
        let (references, names) = (mem::take(&mut outline.references), mem::take(&mut outline.names));
        Self { source, read_ns, outline, texts, packed: Packed::new(&references, names) }
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
}

impl Store {
    /// Commits `batch` as one change of the project that `run` ingests, which has now processed `n_processed` files.
    ///
    /// Readers see all of it or nothing. A stored file with the same path is replaced.
    ///
    /// Returns the texts that came without a vector although the store has none: a purge of another project may have dropped it.
    /// Then nothing is committed; embed them and try again.
    pub fn apply(
        &mut self,
        run: &IngestionRun,
        embedder: &str,
        batch: &Batch,
        n_processed: u64,
    ) -> Result<Vec<TextHash>, StoreError> {
        let mut n_deleted = 0;
        let missing = self.write(|transaction| {
            let embedder = insert_embedder(transaction, embedder)?;
            let missing = missing_vectors(transaction, embedder, batch)?;
            if missing.is_empty() {
                n_deleted = write_batch(transaction, run.project, embedder, batch)?;
                let last = batch.changed.last().map(|file| file.source.path.as_str());
                run.write_progress(transaction, last, n_processed)?;
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

/// Writes a batch; returns how many rows of files it deleted.
fn write_batch(
    transaction: &Transaction<'_>,
    project: ProjectId,
    embedder: i64,
    batch: &Batch,
) -> rusqlite::Result<usize> {
    let mut n_deleted = 0;
    restamp(transaction, &batch.restamped)?;
    for file in &batch.removed {
        n_deleted += delete_file(transaction, *file)?;
    }
    for file in &batch.changed {
        n_deleted += transaction
            .prepare_cached("DELETE FROM files WHERE project_id = ?1 AND path = ?2")?
            .execute(params![project, file.source.path])?;
        write_file(transaction, project, embedder, file)?;
    }
    if !(batch.changed.is_empty() && batch.removed.is_empty()) {
        increase_generation(transaction, project)?;
    }
    Ok(n_deleted)
}

fn restamp(transaction: &Transaction<'_>, files: &[TrackedFile]) -> rusqlite::Result<()> {
    let mut update = transaction.prepare_cached(
        "UPDATE files SET size = ?2, modified_ns = ?3, changed_ns = ?4, read_ns = ?5,
                          metadata = json_set(metadata, '$.modified_date', ?6) WHERE id = ?1",
    )?;
    for TrackedFile { id, stamp, read_ns, .. } in files {
        let (size, modified_date) = (stamp.size as i64, modified_date(stamp));
        update.execute(params![id, size, stamp.modified_ns, stamp.changed_ns, read_ns, modified_date])?;
    }
    Ok(())
}

pub(crate) fn increase_generation(transaction: &Transaction<'_>, project: ProjectId) -> rusqlite::Result<()> {
    let sql = "UPDATE projects SET generation = generation + 1, last_updated = ?2 WHERE id = ?1";
    transaction.execute(sql, params![project, now()]).map(drop)
}

pub(crate) fn delete_file(transaction: &Transaction<'_>, file: FileId) -> rusqlite::Result<usize> {
    transaction.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([file])
}

/// The id of an embedder, which is added when it is new.
fn insert_embedder(transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<i64> {
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

fn write_file(
    transaction: &Transaction<'_>,
    project: ProjectId,
    embedder: i64,
    file: &IndexedFile,
) -> rusqlite::Result<()> {
    let source = &file.source;
    let file_id = transaction
        .prepare_cached(
            "INSERT INTO files (project_id, path, content, file_hash, is_binary, metadata, outline,
                                size, modified_ns, changed_ns, read_ns)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .insert(params![
            project,
            source.path,
            stored_content(&source.content),
            blake3::Hash::from_bytes(source.hash.0).to_hex().as_str(),
            source.content == Content::Binary,
            metadata(file),
            outline(&file.outline)?,
            source.stamp.size as i64,
            source.stamp.modified_ns,
            source.stamp.changed_ns,
            file.read_ns,
        ])?;
    write_chunks(transaction, file_id, file)?;
    if let Some(text) = stored_content(&source.content) {
        let n_lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        write_names(transaction, file_id, n_lines, &file.packed)?;
    }
    for text in &file.texts {
        if let Some(vector) = &text.vector {
            write_vector(transaction, embedder, text.hash, vector)?;
        }
    }
    Ok(())
}

fn write_chunks(transaction: &Transaction<'_>, file_id: i64, file: &IndexedFile) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO chunks (file_id, chunk_id, start_byte, end_byte, overlap_bytes, start_line, end_line,
                             chunk_type, symbol_name, parent, text_hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    for (number, (chunk, text)) in file.outline.chunks.iter().zip(&file.texts).enumerate() {
        insert.execute(params![
            file_id,
            number as i64,
            chunk.bytes.start as i64,
            chunk.bytes.end as i64,
            chunk.overlap_bytes as i64,
            chunk.line_start,
            chunk.line_end,
            chunk.kind.as_str(),
            chunk.symbol_name,
            chunk.parent,
            text.hash,
        ])?;
    }
    Ok(())
}

fn write_vector(
    transaction: &Transaction<'_>,
    embedder: i64,
    hash: TextHash,
    vector: &Quantized,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO vectors (embedder_id, text_hash, vector) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(params![embedder, hash, vector.to_bytes()])?;
    Ok(())
}

fn stored_content(content: &Content) -> Option<&str> {
    match content {
        Content::Text(text) | Content::Unindexed(text, _) => Some(text),
        Content::Secret | Content::Binary => None,
    }
}

/// The outline as JSON, written during the walk, since it may have thousands of symbols.
fn outline(outline: &Outline) -> rusqlite::Result<String> {
    #[derive(Serialize)]
    struct Stored<'o> {
        imports: &'o [Import],
        parsed: Parsed,
        symbols: &'o [Symbol],
    }
    let Outline { imports, parsed, symbols, .. } = outline;
    serde_json::to_string(&Stored { imports, parsed: *parsed, symbols })
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
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
        "modified_date": modified_date(&source.stamp),
        "withheld": withheld,
        "text_hash": text.map(TextHash::new),
    })
    .to_string()
}

/// RFC 3339, UTC, milliseconds; `None` for a time that is out of range.
fn modified_date(stamp: &FileStamp) -> Option<String> {
    let time = jiff::Timestamp::from_nanosecond(i128::from(stamp.modified_ns)).ok()?;
    Some(format!("{time:.3}"))
}
