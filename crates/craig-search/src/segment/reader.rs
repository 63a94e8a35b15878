//! Reads a segment in place.
//!
//! A segment may be damaged, or written by a writer with a bug: for all bytes, reading terminates and stays inside the file.
//! Blocks are verified before they are read ([`Checks`]); damage is recorded in [`Segment::is_damaged`], which must be checked
//! before an answer is returned.

use std::ops::Range;
use std::path::{Path, PathBuf};

use craig_chunk::ChunkKind;
use craig_model::Quantized;
use craig_text::{PathRole, dot_i8};

use super::checks::{BLOCK_BYTES, Checks};
use super::file_terms::words_per_vector;
use super::layout::{
    ChunkRow, FORMAT, FieldEmbedding, FileRow, Header, MAGIC, N_FIELD_EMBEDDINGS, N_SECTIONS, Section,
    TextRef,
};
use super::postings::{Posting, PostingsList};
use super::terms::TermKey;
use crate::analysis::Field;
use crate::ivf::N_IVF_LISTS;
use crate::mapped::Mapped;

/// One immutable part of an index.
#[derive(Debug)]
pub(crate) struct Segment {
    bytes: Bytes,
    header: Header,
    path: PathBuf,
    /// `None` for a segment in memory, which is trusted.
    checks: Option<Checks>,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Mapped),
    /// Words, because sections have to be aligned.
    Owned(Vec<u64>),
}

/// Maximum number of bytes of the length of a postings list.
const MAX_LENGTH_BYTES: usize = 10;

impl Segment {
    /// Maps the segment at `path`; fails if it does not have this checksum and vectors of `dimensions`.
    ///
    /// Verifies its length, its header, its files, and that its sections are consistent; the rest when it is read.
    pub(crate) fn open(path: &Path, checksum: u64, dimensions: usize) -> std::io::Result<Self> {
        let bad = |what: &str| std::io::Error::other(what.to_owned());
        let mapped = Mapped::open(path)?;
        let header = read_header(mapped.bytes()).ok_or_else(|| bad("not a segment of this version"))?;
        let lengths = header.sections.map(|[_, len]| len as usize);
        let segment = Self {
            bytes: Bytes::Mapped(mapped),
            header,
            path: path.to_owned(),
            checks: Some(Checks::new(lengths)),
        };
        let is_whole = segment.all::<u64>(Section::Checksums).len() == n_blocks(&lengths)
            && header.checksum_with(segment.all(Section::Checksums)) == header.checksum;
        segment.rows::<FileRow>(Section::Files, 0..segment.files().len());
        match () {
            () if !is_whole || segment.is_damaged() => Err(bad("its checksum is wrong")),
            () if header.checksum != checksum => Err(bad("it is another segment")),
            () if !segment.is_consistent(dimensions) => Err(bad("its parts do not fit together")),
            () => Ok(segment),
        }
    }

    /// The segment that `bytes` are, which begin with `header`.
    pub(crate) fn in_memory(header: Header, bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(size_of::<u64>())];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self { bytes: Bytes::Owned(words), header, path: PathBuf::new(), checks: None }
    }

    /// Whether a block that was read did not match its checksum.
    pub(crate) fn is_damaged(&self) -> bool {
        self.checks.as_ref().is_some_and(Checks::is_damaged)
    }

    /// Verifies all of it; whether it has the content that was written.
    pub(crate) fn is_sound(&self) -> bool {
        if let Some(checks) = &self.checks {
            let checksums = self.all(Section::Checksums);
            for number in 0..Section::Checksums as usize {
                let section = self.section_bytes(number);
                checks.verify(number, section, &(0..section.len()), checksums);
            }
        }
        !self.is_damaged()
    }

    /// Path of its file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn n_bytes(&self) -> u64 {
        self.bytes().len() as u64
    }

    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(mapped) => mapped.bytes(),
            Bytes::Owned(words) => bytemuck::cast_slice(words),
        }
    }

    /// The section of this number, not verified. It is inside the file: `read_header` checked that.
    fn section_bytes(&self, number: usize) -> &[u8] {
        let [start, len] = self.header.sections[number];
        &self.bytes()[start as usize..(start + len) as usize]
    }

    /// All rows of a section, not verified.
    fn all<T: bytemuck::Pod>(&self, section: Section) -> &[T] {
        bytemuck::cast_slice(self.section_bytes(section as usize))
    }

    /// Verifies the blocks of `rows` of a section.
    #[inline]
    fn touch<T>(&self, section: Section, rows: Range<usize>) {
        let bytes = rows.start * size_of::<T>()..rows.end * size_of::<T>();
        let number = section as usize;
        if let Some(checks) = self.checks.as_ref().filter(|checks| !checks.have_verified(number, &bytes)) {
            checks.verify(number, self.section_bytes(number), &bytes, self.all(Section::Checksums));
        }
    }

    /// Verified rows of a section; if it has no such rows, none, and the segment is marked as damaged.
    #[inline]
    fn rows<T: bytemuck::Pod>(&self, section: Section, rows: Range<usize>) -> &[T] {
        let Some(found) = self.all(section).get(rows.clone()) else {
            self.mark_damaged();
            return &[];
        };
        self.touch::<T>(section, rows);
        found
    }

    #[inline]
    fn row<T: bytemuck::Pod>(&self, section: Section, row: usize) -> T {
        self.rows(section, row..row + 1).first().copied().unwrap_or_else(T::zeroed)
    }

    #[cold]
    fn mark_damaged(&self) {
        if let Some(checks) = &self.checks {
            checks.mark_damaged();
        }
    }

    /// Its files. They were verified when it was opened: the chunks of each follow those of the one before.
    pub(crate) fn files(&self) -> &[FileRow] {
        self.all(Section::Files)
    }

    pub(crate) fn n_chunks(&self) -> usize {
        self.section_bytes(Section::Chunks as usize).len() / size_of::<ChunkRow>()
    }

    pub(crate) fn chunk(&self, chunk: u32) -> ChunkRow {
        self.row(Section::Chunks, chunk as usize)
    }

    /// The file of a chunk, numbered within the segment.
    #[inline]
    pub(crate) fn file_of(&self, chunk: u32) -> u32 {
        let file = self.chunk(chunk).file;
        if (file as usize) < self.files().len() {
            return file;
        }
        self.mark_damaged();
        0
    }

    /// The store's hash of the text of a chunk.
    pub(crate) fn text_hash(&self, chunk: u32) -> [u8; 16] {
        self.row(Section::TextHashes, chunk as usize)
    }

    /// Number of body terms of each of these chunks.
    pub(crate) fn chunk_tokens(&self, chunks: Range<u32>) -> &[u32] {
        self.rows(Section::ChunkTokens, chunks.start as usize..chunks.end as usize)
    }

    /// Chunks of file `file`, with their numbers in the segment.
    pub(crate) fn chunks_of(&self, file: u32) -> Range<u32> {
        let row = &self.files()[file as usize];
        row.first_chunk..row.first_chunk + row.n_chunks
    }

    pub(crate) fn text(&self, text: TextRef) -> &str {
        std::str::from_utf8(self.text_bytes(text)).unwrap_or_default()
    }

    fn text_bytes(&self, TextRef { start, len }: TextRef) -> &[u8] {
        self.rows(Section::Strings, start as usize..start as usize + len as usize)
    }

    /// The filter of the trigrams of file `file`.
    pub(crate) fn trigrams(&self, file: u32) -> &[u64] {
        let [start, len] = self.files()[file as usize].trigrams;
        self.rows(Section::Trigrams, start as usize..start as usize + len as usize)
    }

    /// The path as bytes, for comparing.
    pub(crate) fn path_bytes(&self, file: u32) -> &[u8] {
        self.text_bytes(self.files()[file as usize].path)
    }

    pub(crate) fn path_of(&self, file: u32) -> &str {
        self.text(self.files()[file as usize].path)
    }

    /// Whether a file, live or removed, lies below a folder.
    pub(crate) fn has_files_below(&self, folder: &str) -> bool {
        (0..self.files().len() as u32).any(|file| self.path_bytes(file).starts_with(folder.as_bytes()))
    }

    pub(crate) fn role(&self, file: u32) -> PathRole {
        PathRole::ALL[usize::from(self.files()[file as usize].role)]
    }

    pub(crate) fn chunk_kind(&self, chunk: u32) -> ChunkKind {
        ChunkKind::ALL.get(usize::from(self.chunk(chunk).kind)).copied().unwrap_or(ChunkKind::Block)
    }

    /// Length of the chunk vectors.
    pub(crate) fn dimensions(&self) -> usize {
        self.header.dimensions as usize
    }

    /// Signs of the retrieval vectors of these rows.
    pub(crate) fn bits(&self, rows: Range<usize>) -> &[u64] {
        let words = words_per_vector(self.dimensions());
        self.rows(Section::Bits, rows.start * words..rows.end * words)
    }

    /// The chunk of a row of signs.
    pub(crate) fn chunk_of_row(&self, row: usize) -> u32 {
        self.row(Section::RowChunks, row)
    }

    /// The rows of these IVF lists, which ascend, as few ranges; those of all lists for `None`, or where there is only one.
    pub(crate) fn rows_of(&self, lists: Option<&[usize]>) -> Vec<Range<usize>> {
        let n_starts = self.all::<u32>(Section::ListStarts).len();
        let Some(lists) = lists.filter(|_| n_starts == N_IVF_LISTS + 1) else {
            return std::iter::once(0..self.n_chunks()).collect();
        };
        let starts: &[u32] = self.rows(Section::ListStarts, 0..n_starts);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for &list in lists {
            let rows = starts[list] as usize..starts[list + 1] as usize;
            match ranges.last_mut() {
                _ if rows.start > rows.end || rows.end > self.n_chunks() => self.mark_damaged(),
                Some(last) if last.end == rows.start => last.end = rows.end,
                _ => ranges.push(rows),
            }
        }
        ranges
    }

    /// Similarity of chunk `chunk` to `query`.
    pub(crate) fn similarity(&self, query: &Quantized, chunk: u32) -> f32 {
        self.similarities(query, chunk..chunk + 1).next().unwrap_or_default()
    }

    /// Similarities of `chunks` to `query`, in their order.
    pub(crate) fn similarities<'s>(
        &'s self,
        query: &'s Quantized,
        chunks: Range<u32>,
    ) -> impl Iterator<Item = f32> + 's {
        let rows = chunks.start as usize..chunks.end as usize;
        self.dots(query, [Section::Codes, Section::Scales], self.dimensions(), rows)
    }

    /// Similarities of the labels of `chunks`, their paths and the names they define, to `query`, a vector of the built-in
    /// model.
    pub(crate) fn label_similarities<'s>(
        &'s self,
        query: &'s Quantized,
        chunks: Range<u32>,
    ) -> impl Iterator<Item = f32> + 's {
        let sections = [Section::LabelCodes, Section::LabelScales];
        let rows = chunks.start as usize..chunks.end as usize;
        self.dots(query, sections, self.header.builtin_dimensions as usize, rows)
    }

    /// Similarity of one field of file `file` to `query`, a vector of the built-in model.
    pub(crate) fn field_similarity(&self, query: &Quantized, file: u32, field: FieldEmbedding) -> f32 {
        let sections = [Section::FieldCodes, Section::FieldScales];
        let row = file as usize * N_FIELD_EMBEDDINGS + field as usize;
        let dimensions = self.header.builtin_dimensions as usize;
        self.dots(query, sections, dimensions, row..row + 1).next().unwrap_or_default()
    }

    /// Dot products of `query` and the vectors of `rows` in sections of codes and scales, which are verified once for all of
    /// them. Fewer where the segment is damaged.
    #[inline]
    fn dots<'s>(
        &'s self,
        query: &'s Quantized,
        [codes, scales]: [Section; 2],
        dimensions: usize,
        rows: Range<usize>,
    ) -> impl Iterator<Item = f32> + 's {
        let codes: &[i8] = self.rows(codes, rows.start * dimensions..rows.end * dimensions);
        let scales: &[f32] = self.rows(scales, rows);
        let vectors = codes.chunks_exact(dimensions.max(1)).zip(scales);
        vectors.map(|(codes, scale)| dot_i8(&query.codes, codes) as f32 * query.scale * scale)
    }

    /// Number of documents with `term` in `field`, including files that are no longer live.
    pub(crate) fn n_postings(&self, field: Field, term: &str) -> u32 {
        let Range { start, end } = self.find(field, term).unwrap_or_default();
        let length = self.rows(Section::Postings, start..end.min(start + MAX_LENGTH_BYTES));
        PostingsList::length(length).min(self.n_docs(field))
    }

    /// Reads the postings of `term` in `field`, in ascending order of documents.
    pub(crate) fn postings(&self, field: Field, term: &str) -> Vec<Posting> {
        let mut postings = Vec::new();
        self.list(field, term).read(&mut postings);
        postings
    }

    /// The list of `term` in `field`; empty if no document contains it.
    pub(crate) fn list(&self, field: Field, term: &str) -> PostingsList<'_> {
        match self.find(field, term) {
            Some(bytes) => PostingsList::new(self.rows(Section::Postings, bytes), self.n_docs(field)),
            None => PostingsList::default(),
        }
    }

    fn n_docs(&self, field: Field) -> u32 {
        (if field.is_of_files() { self.files().len() } else { self.n_chunks() }) as u32
    }

    /// Byte range of the list of `term` in `field` in the postings.
    fn find(&self, field: Field, term: &str) -> Option<Range<usize>> {
        let terms: &[TermKey] = self.all(Section::Terms);
        let at =
            TermKey::new(field, term).find_in(terms, |keys| self.touch::<TermKey>(Section::Terms, keys))?;
        let start = self.row::<u32>(Section::Offsets, at) as usize;
        let end = if at + 1 < terms.len() {
            self.row::<u32>(Section::Offsets, at + 1) as usize
        } else {
            self.section_bytes(Section::Postings as usize).len()
        };
        Some(start..end)
    }

    /// Whether sections have the lengths that follow from the numbers of files and chunks, and the files' chunks are contiguous.
    fn is_consistent(&self, dimensions: usize) -> bool {
        let (n_files, n_chunks) = (self.files().len(), self.n_chunks());
        let builtin_dimensions = self.header.builtin_dimensions as usize;
        let n_fields = N_FIELD_EMBEDDINGS * n_files;
        let bytes_per_chunk = [
            (Section::TextHashes, 16),
            (Section::ChunkTokens, 4),
            (Section::RowChunks, 4),
            (Section::Bits, 8 * words_per_vector(dimensions)),
            (Section::Codes, dimensions),
            (Section::Scales, 4),
            (Section::LabelCodes, builtin_dimensions),
            (Section::LabelScales, 4),
        ];
        let length = |section: Section| self.section_bytes(section as usize).len();
        let n_starts = length(Section::ListStarts) / 4;
        self.dimensions() == dimensions
            && bytes_per_chunk.into_iter().all(|(section, each)| length(section) == n_chunks * each)
            && length(Section::FieldCodes) == n_fields * builtin_dimensions
            && length(Section::FieldScales) == n_fields * 4
            && length(Section::Terms) == 2 * length(Section::Offsets)
            && (n_starts == 2 || n_starts == N_IVF_LISTS + 1)
            && self.files_are_contiguous()
    }

    fn files_are_contiguous(&self) -> bool {
        let mut next = 0u64;
        for file in self.files() {
            if u64::from(file.first_chunk) != next || usize::from(file.role) >= PathRole::ALL.len() {
                return false;
            }
            next += u64::from(file.n_chunks);
        }
        next == self.n_chunks() as u64
    }
}

/// Number of blocks of the sections that have checksums.
fn n_blocks(lengths: &[usize; N_SECTIONS]) -> usize {
    lengths[..Section::Checksums as usize].iter().map(|length| length.div_ceil(BLOCK_BYTES)).sum()
}

/// Bytes of a row of each section, in their order.
const ROW_BYTES: [usize; N_SECTIONS] =
    [size_of::<FileRow>(), size_of::<ChunkRow>(), 16, 4, 1, 4, 4, 8, 1, 4, 1, 4, 1, 4, 8, 4, 1, 8, 8];

/// The header, if the bytes are a segment of this format whose sections are whole rows and whose last section ends the file.
fn read_header(bytes: &[u8]) -> Option<Header> {
    let header: Header = bytemuck::pod_read_unaligned(bytes.get(..size_of::<Header>())?);
    let n_bytes = bytes.len() as u64;
    let fits = |([start, len], row): (&[u64; 2], usize)| {
        start % 64 == 0 && len % row as u64 == 0 && start.checked_add(*len).is_some_and(|end| end <= n_bytes)
    };
    let [last_start, last_len] = header.sections[N_SECTIONS - 1];
    let is_ours = header.magic == MAGIC && header.format == FORMAT;
    let fit = header.sections.iter().zip(ROW_BYTES).all(fits);
    (is_ours && fit && last_start + last_len == n_bytes).then_some(header)
}
