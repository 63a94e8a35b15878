//! Reading: tracked files for comparison, records for listings, whole files for indexing.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

use craig_chunk::{ChunkKind, Definitions, Import, Parsed, Symbol, decompressed};
use craig_model::Quantized;
use craig_source::{ContentHash, FileKind, FileStamp, FileType, Language, Withheld};
use serde::Deserialize;

use crate::sealed::unsealed;
use crate::sql::{self, Connection, Error, Row, Value, params};
use crate::{FileId, FileIdentity, ProjectId, Store, StoreError, TextHash};

/// A stored file as a delta ingestion compares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedFile {
    /// Its id.
    pub id: FileId,
    /// Path relative to the source path.
    pub path: String,
    /// Hash of the raw bytes.
    pub hash: ContentHash,
    /// File system state when it was read.
    pub stamp: FileStamp,
    /// When it was read, nanoseconds since the Unix epoch.
    pub read_ns: i64,
}

/// What is known of a file, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// Its id.
    pub id: FileId,
    /// Path relative to the source path.
    pub path: String,
    /// Binary by extension or content.
    pub is_binary: bool,
    /// Language.
    pub language: Language,
    /// Code, documentation or configuration.
    pub kind: FileKind,
    /// Coarse type.
    pub file_type: FileType,
    /// Why its text is not searched, if it is not.
    pub withheld: Option<Withheld>,
    /// Size in bytes.
    pub size: u64,
    /// Hash of the raw bytes, hex.
    pub file_hash: String,
    /// Hash of the text if it has no chunks, which would have hashes.
    pub text_hash: Option<TextHash>,
}

/// One chunk as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    /// Bytes in the file's text, overlap not counted.
    pub start_byte: u32,
    /// End, exclusive.
    pub end_byte: u32,
    /// Bytes before `start_byte` that belong to the chunk's text as well.
    pub overlap_bytes: u32,
    /// First line, 1-based.
    pub line_start: u32,
    /// Last line, inclusive.
    pub line_end: u32,
    /// Its kind.
    pub kind: ChunkKind,
    /// Symbol it defines, or heading.
    pub symbol_name: Option<String>,
    /// Qualified name of what encloses it.
    pub parent: Option<String>,
    /// Hash of its text.
    pub text_hash: TextHash,
    /// Vector of the requested embedder; `None` if the text has not been embedded with it.
    pub vector: Option<Quantized>,
}

impl StoredChunk {
    fn span(&self) -> ChunkSpan {
        ChunkSpan { start: self.start_byte, end: self.end_byte, overlap: self.overlap_bytes }
    }

    /// The chunk's text with its overlap.
    pub fn text<'t>(&self, file_text: &'t str) -> &'t str {
        let start = self.start_byte.saturating_sub(self.overlap_bytes) as usize;
        file_text.get(start..self.end_byte as usize).unwrap_or_default()
    }
}

/// A searchable file with everything that an index is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredFile {
    /// What is known of it.
    pub record: FileRecord,
    /// Its text.
    pub text: String,
    /// Chunks in file order.
    pub chunks: Vec<StoredChunk>,
    /// Definitions in file order.
    pub symbols: Vec<Symbol>,
    /// Imports in file order.
    pub imports: Vec<Import>,
    /// How it was read.
    pub parsed: Parsed,
}

impl StoredFile {
    /// This file, if its text is the one that was stored. Hashes it: to be called on many threads for many files.
    pub fn verified(self) -> Result<Self, StoreError> {
        let mut check = TextCheck::new(&self.text);
        let is_right = self.chunks.iter().all(|chunk| check.matches(chunk.span(), chunk.text_hash))
            && check.is_complete();
        if is_right { Ok(self) } else { Err(StoreError::DamagedText { path: self.record.path }) }
    }
}

/// A file with its text and outline, without chunks and vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedFile {
    /// What is known of it.
    pub record: FileRecord,
    /// Its text.
    pub text: String,
    /// Definitions in file order.
    pub symbols: Vec<Symbol>,
    /// Imports in file order.
    pub imports: Vec<Import>,
    /// How it was read.
    pub parsed: Parsed,
}

/// A file with its text, if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredText {
    /// What is known of the file.
    pub record: FileRecord,
    /// `None` for binary files and secrets.
    pub content: Option<String>,
}

/// A file whose text, if it has one, is still packed.
#[derive(Clone, Debug)]
pub struct PackedText {
    /// What is known of the file.
    pub record: FileRecord,
    packed: Option<Vec<u8>>,
}

impl PackedText {
    /// The file with its text. Takes most of the time of reading it: call it on many threads for many files.
    ///
    /// Fails with [`StoreError::DamagedText`] if it cannot be unpacked.
    pub fn unpacked(self) -> Result<StoredText, StoreError> {
        let content = self.packed.as_deref().map(|packed| text(packed, &self.record));
        Ok(StoredText { content: content.transpose()?, record: self.record })
    }
}

/// Where the text of a chunk is, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkPlace {
    /// The file.
    pub file: FileId,
    /// Bytes in the file's text.
    pub bytes: Range<u32>,
    /// Hash of the text.
    pub hash: TextHash,
}

impl ChunkPlace {
    /// The chunk of its file's text, if that is the right one.
    fn text(&self, file: &[u8]) -> Option<String> {
        let bytes = file.get(self.bytes.start as usize..self.bytes.end as usize)?;
        std::str::from_utf8(bytes).ok().filter(|text| TextHash::new(text) == self.hash).map(str::to_owned)
    }
}

#[derive(Deserialize)]
pub(crate) struct Metadata {
    language: Language,
    kind: FileKind,
    r#type: FileType,
    size: u64,
    withheld: Option<Withheld>,
    #[serde(default)]
    text_hash: Option<TextHash>,
}

/// The columns of a [`FileRecord`], of a file `f` of the project `?1` that is read by its id. SQLite joins in this order: a file is
/// in few projects, and a group may have thousands of members.
pub(crate) const RECORD: &str = "f.id, coalesce((
        SELECT min(m.name || '/' || p.path)
        FROM project_files p CROSS JOIN group_members g CROSS JOIN projects m
        WHERE p.file_id = f.id AND g.group_id = ?1 AND g.member_id = p.project_id AND m.id = p.project_id), f.path),
    f.is_binary, f.metadata, f.file_hash";

/// The same of a file that is read by its row `p` of `files_of_projects`.
const TRACKED_RECORD: &str = "f.id, p.path, f.is_binary, f.metadata, f.file_hash";

const TRACKED: &str = "file_id, path, file_hash, size, modified_ns, changed_ns, read_ns";

/// The row of `files_of_projects` for the project `?1` and the path `?2`. The view itself would compute the paths of all files of
/// a group.
const FILE_AT: &str = "(
    SELECT path, file_id, file_hash, size, modified_ns, changed_ns, read_ns
    FROM project_files WHERE project_id = ?1 AND path = ?2
    UNION ALL
    SELECT CAST(?2 AS TEXT), p.file_id, p.file_hash, p.size, p.modified_ns, p.changed_ns, p.read_ns
    FROM group_members g
    JOIN projects m ON m.id = g.member_id
    JOIN project_files p ON p.project_id = m.id AND p.path = substr(CAST(?2 AS TEXT), length(m.name) + 2)
    WHERE g.group_id = ?1 AND substr(CAST(?2 AS TEXT), 1, length(m.name) + 1) = m.name || '/')";

impl TrackedFile {
    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        let size = row.unsigned(3)?;
        Ok(Self {
            id: row.get(0)?,
            path: row.get(1)?,
            hash: ContentHash(row.get(2)?),
            stamp: FileStamp { size, modified_ns: row.get(4)?, changed_ns: row.get(5)? },
            read_ns: row.get(6)?,
        })
    }
}

impl FileRecord {
    pub(crate) fn from_row(row: Row<'_>) -> sql::Result<Self> {
        let metadata: Metadata = json_column(row, 3)?;
        Ok(Self {
            id: row.get(0)?,
            path: row.get(1)?,
            is_binary: row.get(2)?,
            language: metadata.language,
            kind: metadata.kind,
            file_type: metadata.r#type,
            withheld: metadata.withheld,
            size: metadata.size,
            file_hash: ContentHash(row.get(4)?).to_hex(),
            text_hash: metadata.text_hash,
        })
    }
}

impl Store {
    /// Every file of a project with its stamp and hash, by path.
    pub fn tracked_files(&self, project: ProjectId) -> Result<Vec<TrackedFile>, StoreError> {
        let sql = format!("SELECT {TRACKED} FROM files_of_projects WHERE project_id = ?1 ORDER BY path");
        Ok(each_once(self.read_all(&sql, &params![project], TrackedFile::from_row)?, |file| file.id))
    }

    /// These files of a project, and those without chunks, each with its stamp and hash, by path.
    pub fn tracked_files_among(
        &self,
        project: ProjectId,
        files: &[FileId],
    ) -> Result<Vec<TrackedFile>, StoreError> {
        let sql = format!(
            "SELECT {TRACKED} FROM files_of_projects
             WHERE project_id = ?1 AND (n_chunks = 0 OR file_id = ANY(?2)) ORDER BY path"
        );
        let found = self.read_all(&sql, &params![project, Value::ints(files)], TrackedFile::from_row)?;
        Ok(each_once(found, |file| file.id))
    }

    /// One file by path with its stamp and hash; `None` if it is not tracked.
    pub fn tracked_file(&self, project: ProjectId, path: &str) -> Result<Option<TrackedFile>, StoreError> {
        let sql = format!("SELECT {TRACKED} FROM {FILE_AT} AS p");
        self.read_one(&sql, &params![project, path], TrackedFile::from_row)
    }

    /// Every file of a project without its text, by path.
    pub fn file_records(&self, project: ProjectId) -> Result<Vec<FileRecord>, StoreError> {
        let sql = format!(
            "SELECT {TRACKED_RECORD} FROM files_of_projects p JOIN files f ON f.id = p.file_id WHERE p.project_id = ?1 ORDER BY p.path"
        );
        Ok(each_once(self.read_all(&sql, &params![project], FileRecord::from_row)?, |file| file.id))
    }

    /// One file by path, with its text; `None` if it is not tracked.
    ///
    /// Fails with [`StoreError::DamagedText`] if the text is not the one that was stored.
    pub fn file_text(&self, project: ProjectId, path: &str) -> Result<Option<StoredText>, StoreError> {
        let sql = format!(
            "SELECT {TRACKED_RECORD}, f.content FROM {FILE_AT} AS p JOIN files f ON f.id = p.file_id"
        );
        self.read(|connection| {
            let found = connection.one(&sql, &params![project, path], StoredText::from_row)?;
            if let Some(StoredText { record, content: Some(text) }) = &found {
                verify_text(record, text, &chunk_spans(connection, &[record.id])?)?;
            }
            Ok(found)
        })
    }

    /// Loads these files of a project with their texts; those that are gone are left out.
    ///
    /// Texts are not compared with their hashes, so they may be searched but not shown:
    /// [`load_outlines`](Self::load_outlines) compares them.
    pub fn load_texts(&self, project: ProjectId, files: &[FileId]) -> Result<Vec<StoredText>, StoreError> {
        self.load_packed_texts(project, files)?.into_iter().map(PackedText::unpacked).collect()
    }

    /// The same with texts still packed, to be unpacked on other threads.
    pub fn load_packed_texts(
        &self,
        project: ProjectId,
        files: &[FileId],
    ) -> Result<Vec<PackedText>, StoreError> {
        let sql = format!("SELECT {RECORD}, f.content FROM files f WHERE f.id = ANY(?2)");
        let found = self.read_all(&sql, &params![project, Value::ints(files)], |row| {
            let packed = row.blob_or_null(5)?.map(<[u8]>::to_vec);
            Ok(PackedText { record: FileRecord::from_row(row)?, packed })
        })?;
        Ok(in_order(files, found, |text| text.record.id))
    }

    /// The texts of these chunks, in their order; `None` where the file is gone.
    ///
    /// Fails with [`StoreError::DamagedText`] if a text has another hash.
    pub fn chunk_texts(&self, chunks: &[ChunkPlace]) -> Result<Vec<Option<String>>, StoreError> {
        let mut of_files: HashMap<FileId, Vec<usize>> = HashMap::new();
        chunks.iter().enumerate().for_each(|(at, chunk)| of_files.entry(chunk.file).or_default().push(at));
        let sql = "SELECT id, path, content FROM files WHERE id = ANY(?1)";
        let mut texts = vec![None; chunks.len()];
        self.read(|connection| {
            connection.each(sql, &params![Value::ints(of_files.keys())], |row| {
                let text = row.blob_or_null(2)?.and_then(unpacked);
                for &at in of_files.get(&row.get(0)?).into_iter().flatten() {
                    let chunk = text.as_deref().and_then(|text| chunks[at].text(text));
                    texts[at] = Some(chunk.ok_or_else(|| Error::damaged(row.text(1).unwrap_or_default()))?);
                }
                Ok(())
            })
        })?;
        Ok(texts)
    }

    /// The stored files with these identities, in the same order, each with its number of chunks; `None` for those that are not
    /// stored.
    pub fn find_files(&self, identities: &[FileIdentity]) -> Result<Vec<Option<(FileId, u64)>>, StoreError> {
        let found = self.read(|connection| find_files(connection, identities))?;
        Ok(identities.iter().map(|identity| found.get(identity).copied()).collect())
    }

    /// Ids of the files of a project that have chunks, ascending.
    pub fn searchable_files(&self, project: ProjectId) -> Result<Vec<FileId>, StoreError> {
        let sql =
            "SELECT file_id FROM files_of_projects WHERE project_id = ?1 AND n_chunks > 0 ORDER BY file_id";
        let mut files: Vec<FileId> = self.read_all(sql, &params![project], |row| row.get(0))?;
        // Members of a group may have the same file.
        files.dedup();
        Ok(files)
    }

    /// Loads these files of a project with text, outline, chunks and the vectors of `embedder`; those that are gone are left out.
    ///
    /// Texts are not yet compared with their hashes: see [`StoredFile::verified`].
    pub fn load_files(
        &self,
        project: ProjectId,
        files: &[FileId],
        embedder: &str,
    ) -> Result<Vec<StoredFile>, StoreError> {
        self.read(|connection| {
            let sql = format!("SELECT {RECORD}, f.content, f.definitions FROM files f WHERE f.id = ANY(?2)");
            let found = connection.all(&sql, &params![project, Value::ints(files)], FileRow::from_row)?;
            let embedder = embedder_id(connection, embedder)?;
            let mut chunks = load_chunks(connection, files, embedder)?;
            let found = in_order(files, found, |file| file.record.id);
            Ok(found.into_iter().map(|row| row.with_chunks(&mut chunks)).collect())
        })
    }

    /// Loads these files of a project with text and outline; those that are gone or have no text are left out.
    ///
    /// Fails with [`StoreError::DamagedText`] if a text is not the one that was stored.
    pub fn load_outlines(
        &self,
        project: ProjectId,
        files: &[FileId],
    ) -> Result<Vec<OutlinedFile>, StoreError> {
        self.read(|connection| {
            let sql = format!("SELECT {RECORD}, f.content, f.definitions FROM files f WHERE f.id = ANY(?2)");
            let found = connection.all(&sql, &params![project, Value::ints(files)], FileRow::from_row)?;
            let spans = chunk_spans(connection, files)?;
            let outlined = |row: FileRow| row.outlined(&spans).transpose();
            in_order(files, found, |file| file.record.id).into_iter().filter_map(outlined).collect()
        })
    }

    /// Definitions of a project whose names contain `part`, ignoring ASCII case, with the paths of their files: names that equal
    /// `part` first, then those that begin with it, shorter names before longer ones, ties by path and line.
    pub fn symbols_with(
        &self,
        project: ProjectId,
        part: &str,
        limit: usize,
    ) -> Result<Vec<(String, Symbol)>, StoreError> {
        let sql = "SELECT p.path, f.definitions FROM files_of_projects p JOIN files f ON f.id = p.file_id
                   WHERE p.project_id = ?1 AND p.n_chunks > 0";
        let part = part.to_ascii_lowercase();
        let mut found = Vec::new();
        self.read(|connection| {
            connection.each(sql, &params![project], |row| {
                let path = row.text(0)?;
                for symbol in definitions_column(row, 1, path)?.symbols {
                    let name = symbol.name.to_ascii_lowercase();
                    if let Some(at) = name.find(&part) {
                        found.push((name != part, at > 0, name.chars().count(), path.to_owned(), symbol));
                    }
                }
                Ok(())
            })
        })?;
        found.sort_by(|(differs, within, length, path, symbol), other| {
            (differs, within, length, path, symbol.line).cmp(&(
                &other.0,
                &other.1,
                &other.2,
                &other.3,
                other.4.line,
            ))
        });
        found.truncate(limit);
        Ok(found.into_iter().map(|(.., path, symbol)| (path, symbol)).collect())
    }

    /// Which of `hashes` already have a vector of `embedder`.
    pub fn known_vectors(
        &self,
        embedder: &str,
        hashes: impl Iterator<Item = TextHash>,
    ) -> Result<HashSet<TextHash>, StoreError> {
        self.read(|connection| {
            let Some(embedder) = embedder_id(connection, embedder)? else { return Ok(HashSet::new()) };
            known_vectors(connection, embedder, &hashes.collect::<Vec<_>>())
        })
    }

    /// Distinct texts of a project's chunks without a vector of `embedder`: their number and their bytes.
    pub fn texts_without_vector(&self, project: ProjectId, embedder: &str) -> Result<(u64, u64), StoreError> {
        self.read(|connection| {
            let embedder = embedder_id(connection, embedder)?;
            let counts = connection.one(
                "SELECT count(*), CAST(coalesce(sum(n_bytes), 0) AS BIGINT) FROM (
                     SELECT max(c.end_byte - c.start_byte + c.overlap_bytes) AS n_bytes
                     FROM files_of_projects p JOIN chunks c ON c.file_id = p.file_id
                     WHERE p.project_id = ?1 AND NOT EXISTS (
                         SELECT 1 FROM vectors v WHERE v.embedder_id = ?2 AND v.text_hash = c.text_hash)
                     GROUP BY c.text_hash) AS texts",
                &params![project, embedder],
                |row| Ok((row.unsigned(0)?, row.unsigned(1)?)),
            )?;
            Ok(counts.unwrap_or_default())
        })
    }
}

/// The first of the files with the same id: members of a group may have the same file.
fn each_once<T>(mut files: Vec<T>, id: impl Fn(&T) -> FileId) -> Vec<T> {
    let mut seen = HashSet::with_capacity(files.len());
    files.retain(|file| seen.insert(id(file)));
    files
}

/// `found`, which has one value for each id at most, in the order of `ids`.
pub(crate) fn in_order<I: Copy + Eq + Hash, T>(ids: &[I], found: Vec<T>, id: impl Fn(&T) -> I) -> Vec<T> {
    let mut by_id: HashMap<I, T> = found.into_iter().map(|value| (id(&value), value)).collect();
    ids.iter().filter_map(|id| by_id.remove(id)).collect()
}

/// The stored files with these identities, each with its number of chunks.
pub(crate) fn find_files(
    connection: &Connection,
    identities: &[FileIdentity],
) -> sql::Result<HashMap<FileIdentity, (FileId, u64)>> {
    let sql = "SELECT identity, id, n_chunks FROM files WHERE identity = ANY(?1)";
    let identities = Value::blobs(identities.iter().map(AsRef::as_ref));
    let found =
        connection.all(sql, &[identities], |row| Ok((row.get(0)?, (row.get(1)?, row.unsigned(2)?))))?;
    Ok(found.into_iter().collect())
}

/// Which of `hashes` have a vector of this embedder.
pub(crate) fn known_vectors(
    connection: &Connection,
    embedder: i64,
    hashes: &[TextHash],
) -> sql::Result<HashSet<TextHash>> {
    let sql = "SELECT text_hash FROM vectors WHERE embedder_id = ?1 AND text_hash = ANY(?2)";
    let hashes = Value::blobs(hashes.iter().map(AsRef::as_ref));
    Ok(connection.all(sql, &params![embedder, hashes], |row| row.get(0))?.into_iter().collect())
}

/// A row of the table of files.
struct FileRow {
    record: FileRecord,
    text: Option<String>,
    definitions: Definitions,
}

impl StoredText {
    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        let record = FileRecord::from_row(row)?;
        Ok(Self { content: text_column(row, 5, &record)?, record })
    }
}

impl FileRow {
    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        let record = FileRecord::from_row(row)?;
        let definitions = definitions_column(row, 6, &record.path)?;
        Ok(Self { text: text_column(row, 5, &record)?, record, definitions })
    }

    fn with_chunks(self, chunks: &mut HashMap<FileId, Vec<StoredChunk>>) -> StoredFile {
        let Definitions { symbols, imports, parsed } = self.definitions;
        StoredFile {
            chunks: chunks.remove(&self.record.id).unwrap_or_default(),
            record: self.record,
            text: self.text.unwrap_or_default(),
            symbols,
            imports,
            parsed,
        }
    }

    fn outlined(self, spans: &ChunkSpans) -> sql::Result<Option<OutlinedFile>> {
        let Self { record, text, definitions: Definitions { symbols, imports, parsed } } = self;
        let Some(text) = text else { return Ok(None) };
        verify_text(&record, &text, spans)?;
        Ok(Some(OutlinedFile { record, text, symbols, imports, parsed }))
    }
}

/// The chunks of these files with the vectors of an embedder, in file order.
fn load_chunks(
    connection: &Connection,
    files: &[FileId],
    embedder: Option<i64>,
) -> sql::Result<HashMap<FileId, Vec<StoredChunk>>> {
    let sql = "SELECT c.start_byte, c.end_byte, c.overlap_bytes, c.start_line, c.end_line, c.chunk_type,
                      c.symbol_name, c.parent, c.text_hash, v.vector, c.file_id
               FROM chunks c LEFT JOIN vectors v ON v.embedder_id = ?2 AND v.text_hash = c.text_hash
               WHERE c.file_id = ANY(?1) ORDER BY c.file_id, c.chunk_id";
    let mut chunks: HashMap<FileId, Vec<StoredChunk>> = HashMap::new();
    connection.each(sql, &params![Value::ints(files), embedder], |row| {
        chunks.entry(row.get(10)?).or_default().push(chunk_from_row(row)?);
        Ok(())
    })?;
    Ok(chunks)
}

fn chunk_from_row(row: Row<'_>) -> sql::Result<StoredChunk> {
    let kind = row.text(5)?;
    let vector = row.blob_or_null(9)?.and_then(Quantized::from_bytes);
    Ok(StoredChunk {
        start_byte: row.get(0)?,
        end_byte: row.get(1)?,
        overlap_bytes: row.get(2)?,
        line_start: row.get(3)?,
        line_end: row.get(4)?,
        kind: ChunkKind::from_name(kind).unwrap_or(ChunkKind::Block),
        symbol_name: row.get(6)?,
        parent: row.get(7)?,
        text_hash: row.get(8)?,
        vector,
    })
}

fn embedder_id(connection: &Connection, name: &str) -> sql::Result<Option<i64>> {
    connection.one("SELECT id FROM embedders WHERE name = ?1", &params![name], |row| row.get(0))
}

fn json_column<T: for<'de> Deserialize<'de>>(row: Row<'_>, column: usize) -> sql::Result<T> {
    serde_json::from_str(row.text(column)?).map_err(|error| Error::Unexpected(error.to_string()))
}

/// The text of a file, if it has one.
fn text_column(row: Row<'_>, column: usize, record: &FileRecord) -> sql::Result<Option<String>> {
    row.blob_or_null(column)?.map(|packed| text(packed, record).map_err(Error::Store)).transpose()
}

fn text(packed: &[u8], record: &FileRecord) -> Result<String, StoreError> {
    let text = unpacked(packed).and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| StoreError::DamagedText { path: record.path.clone() })
}

/// The bytes of a text; `None` if it is damaged. An empty text is stored as well.
pub(crate) fn unpacked(content: &[u8]) -> Option<Vec<u8>> {
    decompressed(content, &[])
}

fn definitions_column(row: Row<'_>, column: usize, path: &str) -> sql::Result<Definitions> {
    let definitions = unsealed(row.blob(column)?).and_then(Definitions::from_packed);
    definitions.ok_or_else(|| Error::damaged(path))
}

/// The places and hashes of the chunks of files, in file order.
type ChunkSpans = HashMap<FileId, Vec<(ChunkSpan, TextHash)>>;

fn chunk_spans(connection: &Connection, files: &[FileId]) -> sql::Result<ChunkSpans> {
    let sql = "SELECT start_byte, end_byte, overlap_bytes, text_hash, file_id FROM chunks
               WHERE file_id = ANY(?1) ORDER BY file_id, chunk_id";
    let mut spans = ChunkSpans::new();
    connection.each(sql, &params![Value::ints(files)], |row| {
        let span = ChunkSpan { start: row.get(0)?, end: row.get(1)?, overlap: row.get(2)? };
        spans.entry(row.get(4)?).or_default().push((span, row.get(3)?));
        Ok(())
    })?;
    Ok(spans)
}

/// Fails if `text` does not have the hashes of the file's chunks, or the one of the file if it has no chunks.
fn verify_text(record: &FileRecord, text: &str, spans: &ChunkSpans) -> sql::Result<()> {
    let spans = spans.get(&record.id).map_or(&[][..], Vec::as_slice);
    let mut check = TextCheck::new(text);
    let is_right = match record.text_hash {
        Some(hash) if spans.is_empty() => TextHash::new(text) == hash,
        _ => spans.iter().all(|(span, hash)| check.matches(*span, *hash)) && check.is_complete(),
    };
    if is_right { Ok(()) } else { Err(Error::damaged(&record.path)) }
}

/// The bytes of a chunk in its file's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkSpan {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) overlap: u32,
}

/// Compares a text with the hashes of its chunks, which cover it in order.
pub(crate) struct TextCheck<'t> {
    text: &'t str,
    next: usize,
}

impl<'t> TextCheck<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, next: 0 }
    }

    /// Whether the next chunk of the text has this span and hash.
    pub(crate) fn matches(&mut self, span: ChunkSpan, hash: TextHash) -> bool {
        let (start, end) = (span.start as usize, span.end as usize);
        let follows = start == self.next;
        self.next = end;
        let text = start.checked_sub(span.overlap as usize).and_then(|start| self.text.get(start..end));
        follows && text.is_some_and(|text| TextHash::new(text) == hash)
    }

    /// Whether the chunks cover the text; a text without chunks cannot be compared.
    pub(crate) fn is_complete(&self) -> bool {
        self.next == 0 || self.next == self.text.len()
    }
}
