//! The one way in: a batch of changed and removed files, committed whole.

use craig_chunk::Outline;
use craig_model::Quantized;
use craig_source::{Content, FileStamp, SourceFile, Withheld};
use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::project::now;
use crate::{FileId, ProjectId, Store, StoreError};

/// First 16 bytes of the BLAKE3 hash of a chunk's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextHash(pub [u8; 16]);

impl TextHash {
    /// Hashes a chunk's text.
    pub fn of(text: &str) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        Self(short)
    }
}

/// The text of one chunk, by hash, and its vector unless the store has it already.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkText {
    /// Hash of the text.
    pub hash: TextHash,
    /// Vector to store; `None` when the store has one of the same embedder.
    pub vector: Option<Quantized>,
}

/// One file ready to be stored.
#[derive(Clone, Debug)]
pub struct IndexedFile {
    /// What was read.
    pub source: SourceFile,
    /// When it was read, nanoseconds since the Unix epoch.
    pub read_ns: i64,
    /// How it was cut; empty for files without searchable text.
    pub outline: Outline,
    /// One for each chunk of the outline, in order.
    pub texts: Vec<ChunkText>,
}

/// Changes that are committed together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// New files and new versions of files.
    pub changed: Vec<IndexedFile>,
    /// Files that are gone.
    pub removed: Vec<FileId>,
}

impl Store {
    /// Commits `batch` as one change of `project`, and that ingestion `run` has now processed `n_processed` files.
    ///
    /// Readers see all of it or nothing. A file that was stored before under the same path is replaced.
    ///
    /// Gives the texts that were said to have a vector and have none: whoever purges another project may have dropped
    /// it since. Then nothing is committed; embed them and try again.
    pub fn apply(
        &mut self,
        project: ProjectId,
        run: i64,
        embedder: &str,
        batch: &Batch,
        n_processed: u64,
    ) -> Result<Vec<TextHash>, StoreError> {
        let mut n_deleted = 0;
        let lost = self.write(|transaction| {
            let embedder = embedder_id(transaction, embedder)?;
            let lost = lost_vectors(transaction, embedder, batch)?;
            if !lost.is_empty() {
                return Ok(lost);
            }
            for file in &batch.removed {
                n_deleted +=
                    transaction.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([file.0])?;
            }
            for file in &batch.changed {
                n_deleted += delete_file(transaction, project, &file.source.path)?;
                write_file(transaction, project, embedder, file)?;
            }
            if !(batch.changed.is_empty() && batch.removed.is_empty()) {
                transaction.execute(
                    "UPDATE projects SET generation = generation + 1, last_updated = ?2 WHERE id = ?1",
                    params![project.0, now()],
                )?;
            }
            let last = batch.changed.last().map(|file| file.source.path.as_str());
            note_progress(transaction, run, last, n_processed)?;
            Ok(lost)
        })?;
        self.has_deleted |= n_deleted > 0;
        Ok(lost)
    }

    /// Updates the stamps of files whose content is unchanged.
    pub fn restamp(&mut self, stamps: &[(FileId, FileStamp, i64)]) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut update = transaction.prepare_cached(
                "UPDATE files SET size = ?2, modified_ns = ?3, changed_ns = ?4, read_ns = ?5,
                                  metadata = json_set(metadata, '$.modified_date', ?6) WHERE id = ?1",
            )?;
            for (file, stamp, read_ns) in stamps {
                update.execute(params![
                    file.0,
                    stamp.size as i64,
                    stamp.modified_ns,
                    stamp.changed_ns,
                    read_ns,
                    modified_date(stamp),
                ])?;
            }
            Ok(())
        })
    }

    /// Stores vectors of texts that are already chunked, for a change of embedder.
    pub fn add_vectors(
        &mut self,
        embedder: &str,
        vectors: &[(TextHash, Quantized)],
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            let embedder = embedder_id(transaction, embedder)?;
            vectors.iter().try_for_each(|(hash, vector)| write_vector(transaction, embedder, *hash, vector))
        })
    }

    /// Forgets vectors of texts that no chunk has any more.
    pub fn drop_unused_vectors(&mut self) -> Result<(), StoreError> {
        self.write(drop_unused_vectors)
    }
}

pub(crate) fn drop_unused_vectors(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM chunks)", [])?;
    Ok(())
}

fn embedder_id(transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<i64> {
    transaction.execute("INSERT INTO embedders (name) VALUES (?1) ON CONFLICT DO NOTHING", [name])?;
    transaction.query_row("SELECT id FROM embedders WHERE name = ?1", [name], |row| row.get(0))
}

/// Texts of `batch` that come without a vector although the store has none.
fn lost_vectors(
    transaction: &Transaction<'_>,
    embedder: i64,
    batch: &Batch,
) -> rusqlite::Result<Vec<TextHash>> {
    let mut find =
        transaction.prepare_cached("SELECT 1 FROM vectors WHERE embedder_id = ?1 AND text_hash = ?2")?;
    let mut lost = Vec::new();
    for text in batch.changed.iter().flat_map(|file| &file.texts).filter(|text| text.vector.is_none()) {
        if !find.exists(params![embedder, text.hash.0])? {
            lost.push(text.hash);
        }
    }
    Ok(lost)
}

fn delete_file(transaction: &Transaction<'_>, project: ProjectId, path: &str) -> rusqlite::Result<usize> {
    transaction
        .prepare_cached("DELETE FROM files WHERE project_id = ?1 AND path = ?2")?
        .execute(params![project.0, path])
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
            project.0,
            source.path,
            stored_content(&source.content),
            blake3::Hash::from_bytes(source.hash.0).to_hex().as_str(),
            source.content == Content::Binary,
            metadata(file),
            json!({"symbols": file.outline.symbols, "imports": file.outline.imports, "parsed": file.outline.parsed})
                .to_string(),
            source.stamp.size as i64,
            source.stamp.modified_ns,
            source.stamp.changed_ns,
            file.read_ns,
        ])?;
    write_chunks(transaction, file_id, file)?;
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
            text.hash.0,
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
        .execute(params![embedder, hash.0, vector.to_bytes()])?;
    Ok(())
}

fn note_progress(
    transaction: &Transaction<'_>,
    run: i64,
    current_file: Option<&str>,
    n_processed: u64,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE ingestion_status SET
                current_file = coalesce(?2, current_file),
                processed_files = min(total_files, ?3),
                progress = min(100, 100 * ?3 / max(1, total_files))
             WHERE id = ?1",
        )?
        .execute(params![run, current_file, n_processed as i64])?;
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
    // Chunks have the hashes of their texts: a text that is not cut has one of its own.
    let text = stored_content(&source.content).filter(|_| outline.chunks.is_empty());
    json!({
        "language": source.language,
        "kind": source.kind,
        "type": source.file_type,
        "size": source.stamp.size,
        "modified_date": modified_date(&source.stamp),
        "withheld": withheld,
        "text_hash": text.map(TextHash::of),
    })
    .to_string()
}

/// RFC 3339, UTC, milliseconds; `None` for a time that no calendar has.
fn modified_date(stamp: &FileStamp) -> Option<String> {
    let time = jiff::Timestamp::from_nanosecond(i128::from(stamp.modified_ns)).ok()?;
    Some(format!("{time:.3}"))
}
