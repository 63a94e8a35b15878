//! Archives of a project's files with everything that was read from them, so that another machine need not read them again.
//!
//! An archive is a header, one frame for each file, and the BLAKE3 of all bytes before it. It comes from elsewhere: its length,
//! hash, counts and every part of every frame are checked, and a frame has at most [`MAX_FRAME_BYTES`].

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, Write};
use std::path::Path;

use craig_chunk::{Definitions, unpacked_size};
use craig_source::ContentHash;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::check::is_vector;
use crate::names::{SealedNames, unsealed_names};
use crate::read::{ChunkSpan, Metadata, TextCheck, unpacked};
use crate::sealed::unsealed;
use crate::sql::{self, Row, params};
use crate::write::{NewChunk, NewFile, drop_unused_files, insert_embedder, store_files, store_vectors};
use crate::{FileIdentity, ProjectId, Store, StoreError, TextHash};

const MAGIC: &[u8; 8] = b"craigidx";

/// Changes when frames do.
const VERSION: u8 = 1;

/// Bytes of BLAKE3 at the end.
const HASH_BYTES: u64 = 32;

/// Bytes of one frame, and of each part of it when it is unpacked, at most.
const MAX_FRAME_BYTES: usize = 64 << 20;

/// Files that are committed together.
const GROUP_FILES: u64 = 512;

/// What an archive holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveHeader {
    /// How its files were read, see [`FileIdentity::new`].
    pub made: String,
    /// The embedder whose vectors it holds, if they are stored.
    pub embedder: Option<String>,
    /// Name of the project that it was made from.
    pub project: String,
    /// Number of its files.
    pub n_files: u64,
}

/// A file with everything that was read from it.
#[derive(Serialize, Deserialize)]
struct ArchivedFile {
    path: String,
    hash: [u8; 32],
    is_binary: bool,
    metadata: String,
    definitions: Vec<u8>,
    content: Option<Vec<u8>>,
    chunks: Vec<ArchivedChunk>,
    names: Option<SealedNames>,
}

#[derive(Serialize, Deserialize)]
struct ArchivedChunk {
    start_byte: u32,
    end_byte: u32,
    overlap_bytes: u32,
    start_line: u32,
    end_line: u32,
    kind: String,
    symbol_name: Option<String>,
    parent: Option<String>,
    text_hash: TextHash,
    vector: Option<Vec<u8>>,
}

impl Store {
    /// Writes the files of a project with everything that was read from them, and the vectors of `embedder` if those are stored.
    /// `written` gets the number of files after each group.
    pub fn export(
        &self,
        project: ProjectId,
        header: &ArchiveHeader,
        out: impl Write,
        written: &mut dyn FnMut(u64),
    ) -> Result<(), ArchiveError> {
        let mut out = HashingWriter { out: BufWriter::new(out), hasher: blake3::Hasher::new() };
        out.write_all(MAGIC)?;
        out.write_all(&[VERSION])?;
        out.frame(header)?;
        let files: Vec<i64> = self.read_all(
            "SELECT file_id FROM project_files WHERE project_id = ?1 ORDER BY path",
            &params![project],
            |row| row.get(0),
        )?;
        for (number, file) in (1..).zip(files) {
            if let Some(file) = self.archived_file(file, header.embedder.as_deref())? {
                out.frame(&file)?;
            }
            if number % GROUP_FILES == 0 {
                written(number);
            }
        }
        let hash = out.hasher.finalize();
        out.out.write_all(hash.as_bytes())?;
        Ok(out.out.flush()?)
    }

    fn archived_file(&self, file: i64, embedder: Option<&str>) -> Result<Option<ArchivedFile>, StoreError> {
        let sql = "SELECT f.path, f.file_hash, f.is_binary, f.metadata, f.definitions, f.content, n.n_lines,
                          n.referenced, n.named
                   FROM files f LEFT JOIN names n ON n.file_id = f.id WHERE f.id = ?1";
        let Some(mut found) = self.read_one(sql, &params![file], ArchivedFile::from_row)? else {
            return Ok(None);
        };
        let sql = "SELECT c.start_byte, c.end_byte, c.overlap_bytes, c.start_line, c.end_line, c.chunk_type,
                          c.symbol_name, c.parent, c.text_hash, v.vector
                   FROM chunks c
                   LEFT JOIN embedders e ON e.name = ?2
                   LEFT JOIN vectors v ON v.embedder_id = e.id AND v.text_hash = c.text_hash
                   WHERE c.file_id = ?1 ORDER BY c.chunk_id";
        found.chunks = self.read_all(sql, &params![file, embedder], ArchivedChunk::from_row)?;
        Ok(Some(found))
    }

    /// Stores the files of an archive. They belong to no project until an ingestion finds them;
    /// [`drop_unused_files`](Self::drop_unused_files) removes those that none has found.
    ///
    /// Each group of files is a transaction. Fails at the first file that is not what an export writes.
    pub fn import(&mut self, mut archive: Archive, read: &mut dyn FnMut(u64)) -> Result<(), ArchiveError> {
        let ArchiveHeader { made, embedder, n_files, .. } = archive.header.clone();
        let mut n_read = 0;
        while n_read < n_files {
            let n_group = (n_files - n_read).min(GROUP_FILES);
            let group: Vec<ArchivedFile> = (0..n_group).map(|_| archive.file()).collect::<Result<_, _>>()?;
            let rows: Vec<NewFile<'_>> = group.iter().map(|file| file.row(&made)).collect();
            self.write(|connection| {
                if let Some(name) = &embedder {
                    let vectors = group.iter().flat_map(ArchivedFile::vectors);
                    store_vectors(connection, insert_embedder(connection, name)?, vectors)?;
                }
                store_files(connection, &rows).map(drop)
            })?;
            n_read += n_group;
            read(n_read);
        }
        archive.end()
    }

    /// Removes files that belong to no project.
    pub fn drop_unused_files(&mut self) -> Result<(), StoreError> {
        self.write(drop_unused_files)?;
        self.has_deleted = true;
        self.empty_log();
        Ok(())
    }
}

/// Why an archive cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Its files were read in another way.
    #[error("the archive was made by another version of craig, or with another embedder")]
    MadeOtherwise,
    /// It is not what an export writes.
    #[error("the archive cannot be used: {0}")]
    Damaged(&'static str),
    /// It was written by another version of Craig.
    #[error("the archive has format {found}, but this version of craig reads format {VERSION}")]
    Version {
        /// Its format.
        found: u8,
    },
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The database cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

const CUT_OFF: ArchiveError = ArchiveError::Damaged("it is cut off");
const ODD_FILE: ArchiveError = ArchiveError::Damaged("a file in it is not what an export writes");

struct HashingWriter<W: Write> {
    out: W,
    hasher: blake3::Hasher,
}

impl<W: Write> HashingWriter<W> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.out.write_all(bytes)
    }

    fn frame(&mut self, value: &impl Serialize) -> io::Result<()> {
        let bytes = postcard::to_stdvec(value).map_err(io::Error::other)?;
        let n_bytes = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        self.write_all(&n_bytes.to_le_bytes())?;
        self.write_all(&bytes)
    }
}

/// An archive whose bytes match its hash.
pub struct Archive {
    header: ArchiveHeader,
    frames: Frames,
}

impl Archive {
    /// Opens an archive, and verifies the hash of all its bytes.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let mut file = BufReader::new(File::open(path)?);
        let n_hashed = verify(&mut file)?;
        file.rewind()?;
        let mut frames = Frames(file.take(n_hashed));
        let [.., version] = frames.bytes::<{ MAGIC.len() + 1 }>()?;
        if version != VERSION {
            return Err(ArchiveError::Version { found: version });
        }
        Ok(Self { header: frames.next()?, frames })
    }

    /// What it holds.
    pub fn header(&self) -> &ArchiveHeader {
        &self.header
    }

    fn file(&mut self) -> Result<ArchivedFile, ArchiveError> {
        let file: ArchivedFile = self.frames.next()?;
        if file.is_plausible() { Ok(file) } else { Err(ODD_FILE) }
    }

    fn end(mut self) -> Result<(), ArchiveError> {
        match self.frames.0.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(ArchiveError::Damaged("it has more than its files")),
        }
    }
}

/// Fails unless the file ends with the hash of its bytes; returns the number of bytes before it.
fn verify(file: &mut BufReader<File>) -> Result<u64, ArchiveError> {
    let mut magic = [0; MAGIC.len()];
    if file.read_exact(&mut magic).is_err() || magic != *MAGIC {
        return Err(ArchiveError::Damaged("it is no archive of an index"));
    }
    let n_bytes = file.get_ref().metadata()?.len();
    let n_rest = n_bytes.checked_sub(HASH_BYTES + MAGIC.len() as u64).ok_or(CUT_OFF)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&magic);
    hasher.update_reader(file.take(n_rest))?;
    let mut hash = [0; HASH_BYTES as usize];
    file.read_exact(&mut hash)?;
    match hasher.finalize() == hash {
        true => Ok(n_bytes - HASH_BYTES),
        false => Err(ArchiveError::Damaged("its bytes do not match its hash")),
    }
}

/// The frames of an archive, one after the other.
struct Frames(io::Take<BufReader<File>>);

impl Frames {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], ArchiveError> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).map_err(|_| CUT_OFF)?;
        Ok(bytes)
    }

    fn next<T: DeserializeOwned>(&mut self) -> Result<T, ArchiveError> {
        let n_bytes = u32::from_le_bytes(self.bytes()?) as usize;
        if n_bytes > MAX_FRAME_BYTES {
            return Err(ODD_FILE);
        }
        let mut frame = Vec::new();
        if (&mut self.0).take(n_bytes as u64).read_to_end(&mut frame)? < n_bytes {
            return Err(CUT_OFF);
        }
        match postcard::take_from_bytes(&frame) {
            Ok((value, [])) => Ok(value),
            _ => Err(ODD_FILE),
        }
    }
}

impl ArchivedFile {
    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        let n_lines: Option<u32> = row.get(6)?;
        let names = n_lines.map(|n_lines| {
            Ok::<_, sql::Error>(SealedNames { n_lines, referenced: row.get(7)?, named: row.get(8)? })
        });
        Ok(Self {
            path: row.get(0)?,
            hash: row.get(1)?,
            is_binary: row.get(2)?,
            metadata: row.get(3)?,
            definitions: row.get(4)?,
            content: row.get(5)?,
            names: names.transpose()?,
            chunks: Vec::new(),
        })
    }

    /// Whether its parts can be unpacked and fit together. What its path and content would be read as is not known here.
    fn is_plausible(&self) -> bool {
        let is_described = serde_json::from_str::<Metadata>(&self.metadata).is_ok();
        is_described && self.has_its_text() && self.has_its_definitions() && self.has_its_names()
    }

    fn has_its_definitions(&self) -> bool {
        let definitions = small(&self.definitions).and_then(unsealed).and_then(Definitions::from_packed);
        definitions.is_some_and(|definitions| {
            definitions.symbols.iter().all(|symbol| are_lines(symbol.line, symbol.line_end))
        })
    }

    fn has_its_text(&self) -> bool {
        let Some(content) = &self.content else { return self.chunks.is_empty() };
        let Some(text) = small(content).and_then(unpacked).and_then(|bytes| String::from_utf8(bytes).ok())
        else {
            return false;
        };
        let mut check = TextCheck::new(&text);
        self.chunks.iter().all(|chunk| {
            check.matches(chunk.span(), chunk.text_hash)
                && are_lines(chunk.start_line, chunk.end_line)
                && chunk.vector.as_deref().is_none_or(is_vector)
        }) && check.is_complete()
    }

    fn has_its_names(&self) -> bool {
        self.names.as_ref().is_none_or(|SealedNames { referenced, named, .. }| {
            let parts = small(referenced).zip(small(named));
            parts.is_some_and(|(referenced, named)| unsealed_names(referenced, named).is_some())
        })
    }

    fn vectors(&self) -> impl Iterator<Item = (TextHash, &[u8])> {
        self.chunks.iter().filter_map(|chunk| Some((chunk.text_hash, chunk.vector.as_deref()?)))
    }

    fn row(&self, made: &str) -> NewFile<'_> {
        NewFile {
            identity: FileIdentity::new(made, &self.path, ContentHash(self.hash)),
            path: &self.path,
            hash: &self.hash,
            is_binary: self.is_binary,
            metadata: self.metadata.as_str().into(),
            definitions: &self.definitions,
            content: self.content.as_deref(),
            chunks: self.chunks.iter().map(ArchivedChunk::row).collect(),
            names: self.names.as_ref(),
        }
    }
}

/// Packed bytes unless they would be unpacked to more than a frame may have.
fn small(packed: &[u8]) -> Option<&[u8]> {
    (unpacked_size(packed).unwrap_or_default() <= MAX_FRAME_BYTES).then_some(packed)
}

fn are_lines(first: u32, last: u32) -> bool {
    1 <= first && first <= last
}

impl ArchivedChunk {
    fn from_row(row: Row<'_>) -> sql::Result<Self> {
        Ok(Self {
            start_byte: row.get(0)?,
            end_byte: row.get(1)?,
            overlap_bytes: row.get(2)?,
            start_line: row.get(3)?,
            end_line: row.get(4)?,
            kind: row.get(5)?,
            symbol_name: row.get(6)?,
            parent: row.get(7)?,
            text_hash: row.get(8)?,
            vector: row.get(9)?,
        })
    }

    fn span(&self) -> ChunkSpan {
        ChunkSpan { start: self.start_byte, end: self.end_byte, overlap: self.overlap_bytes }
    }

    fn row(&self) -> NewChunk<'_> {
        NewChunk {
            bytes: self.start_byte as usize..self.end_byte as usize,
            overlap_bytes: self.overlap_bytes as usize,
            lines: self.start_line..=self.end_line,
            kind: &self.kind,
            symbol_name: self.symbol_name.as_deref(),
            parent: self.parent.as_deref(),
            text_hash: self.text_hash,
        }
    }
}
