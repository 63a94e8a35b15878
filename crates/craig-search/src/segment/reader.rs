//! Reads a segment where it lies.

use std::ops::Range;
use std::path::Path;

use craig_chunk::ChunkKind;
use craig_model::Quantized;

use super::layout::{Aspect, ChunkRow, FORMAT, FileRow, Header, MAGIC, N_ASPECTS, Section, TextRef};
use super::postings::{Posting, PostingsList};
use super::role::Role;
use super::terms::TermKey;
use crate::analysis::Field;
use crate::cells::N_CELLS;
use crate::mapped::{Mapped, dot};

/// One immutable part of an index.
#[derive(Debug)]
pub(crate) struct Segment {
    bytes: Bytes,
    header: Header,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Mapped),
    /// In words, since sections have to be aligned.
    Owned(Vec<u64>),
}

impl Segment {
    /// Maps the segment at `path`; fails when it is no segment of this format.
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let mapped = Mapped::open(path)?;
        let header = read_header(mapped.bytes())
            .ok_or_else(|| std::io::Error::other("not a search segment of this version"))?;
        Ok(Self { bytes: Bytes::Mapped(mapped), header })
    }

    /// The segment that `bytes` are, which begin with `header`.
    pub(crate) fn in_memory(header: Header, bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(size_of::<u64>())];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self { bytes: Bytes::Owned(words), header }
    }

    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(mapped) => mapped.bytes(),
            Bytes::Owned(words) => bytemuck::cast_slice(words),
        }
    }

    fn section<T: bytemuck::Pod>(&self, section: Section) -> &[T] {
        let [start, len] = self.header.sections[section as usize];
        bytemuck::cast_slice(&self.bytes()[start as usize..(start + len) as usize])
    }

    pub(crate) fn files(&self) -> &[FileRow] {
        self.section(Section::Files)
    }

    pub(crate) fn chunks(&self) -> &[ChunkRow] {
        self.section(Section::Chunks)
    }

    /// Body terms of each chunk.
    pub(crate) fn chunk_tokens(&self) -> &[u32] {
        self.section(Section::ChunkTokens)
    }

    /// Chunks of file `file`, with their numbers in the segment.
    pub(crate) fn chunks_of(&self, file: u32) -> Range<u32> {
        let row = &self.files()[file as usize];
        row.first_chunk..row.first_chunk + row.n_chunks
    }

    pub(crate) fn text(&self, text: TextRef) -> &str {
        let strings: &[u8] = self.section(Section::Strings);
        let bytes = strings.get(text.start as usize..(text.start + text.len) as usize);
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// The path as bytes, for comparing.
    pub(crate) fn path_bytes(&self, file: u32) -> &[u8] {
        let TextRef { start, len } = self.files()[file as usize].path;
        self.section::<u8>(Section::Strings).get(start as usize..(start + len) as usize).unwrap_or_default()
    }

    pub(crate) fn path(&self, file: u32) -> &str {
        self.text(self.files()[file as usize].path)
    }

    pub(crate) fn role(&self, file: u32) -> Role {
        Role::ALL[usize::from(self.files()[file as usize].role)]
    }

    pub(crate) fn chunk_kind(&self, chunk: u32) -> ChunkKind {
        ChunkKind::ALL[usize::from(self.chunks()[chunk as usize].kind)]
    }

    /// Length of the chunk vectors.
    pub(crate) fn dimensions(&self) -> usize {
        self.header.dimensions as usize
    }

    /// Signs of the retrieval vectors, a row a chunk.
    pub(crate) fn bits(&self) -> &[u64] {
        self.section(Section::Bits)
    }

    /// The chunk of each row of signs.
    pub(crate) fn row_chunks(&self) -> &[u32] {
        self.section(Section::RowChunks)
    }

    /// The rows of `cells`, which ascend, as few ranges; those of all cells for `None`, or where there is only one.
    pub(crate) fn rows_of(&self, cells: Option<&[usize]>) -> Vec<Range<usize>> {
        let starts: &[u32] = self.section(Section::CellStarts);
        let Some(cells) = cells.filter(|_| starts.len() == N_CELLS + 1) else {
            return std::iter::once(0..self.chunks().len()).collect();
        };
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for &cell in cells {
            let rows = starts[cell] as usize..starts[cell + 1] as usize;
            match ranges.last_mut() {
                Some(last) if last.end == rows.start => last.end = rows.end,
                _ => ranges.push(rows),
            }
        }
        ranges
    }

    /// Similarity of chunk `chunk` to `query`.
    pub(crate) fn similarity(&self, query: &Quantized, chunk: u32) -> f32 {
        let (chunk, dimensions) = (chunk as usize, self.dimensions());
        let codes: &[i8] = &self.section(Section::Codes)[chunk * dimensions..(chunk + 1) * dimensions];
        let scales: &[f32] = self.section(Section::Scales);
        dot(&query.codes, codes) as f32 * query.scale * scales[chunk]
    }

    /// Similarity of the label of chunk `chunk`, its path and the names it defines, to `query`, a vector of the built-in
    /// model.
    pub(crate) fn label_similarity(&self, query: &Quantized, chunk: u32) -> f32 {
        let (row, dimensions) = (chunk as usize, self.header.aspect_dimensions as usize);
        let codes: &[i8] = &self.section(Section::LabelCodes)[row * dimensions..(row + 1) * dimensions];
        let scales: &[f32] = self.section(Section::LabelScales);
        dot(&query.codes, codes) as f32 * query.scale * scales[row]
    }

    /// Similarity of one aspect of file `file` to `query`, a vector of the built-in model.
    pub(crate) fn aspect_similarity(&self, query: &Quantized, file: u32, aspect: Aspect) -> f32 {
        let (row, dimensions) =
            (file as usize * N_ASPECTS + aspect as usize, self.header.aspect_dimensions as usize);
        let codes: &[i8] = &self.section(Section::AspectCodes)[row * dimensions..(row + 1) * dimensions];
        let scales: &[f32] = self.section(Section::AspectScales);
        dot(&query.codes, codes) as f32 * query.scale * scales[row]
    }

    /// Number of documents that hold `term` in `field`, files that are no longer live included.
    pub(crate) fn n_postings(&self, field: Field, term: &str) -> u32 {
        self.list(field, term).n_docs()
    }

    /// Reads the postings of `term` in `field`, in ascending order of documents.
    pub(crate) fn postings(&self, field: Field, term: &str) -> Vec<Posting> {
        let mut postings = Vec::new();
        self.list(field, term).read(&mut postings);
        let n_docs = if field.is_of_files() { self.files().len() } else { self.chunks().len() };
        postings.truncate(postings.partition_point(|posting| (posting.doc as usize) < n_docs));
        postings
    }

    /// The list of `term` in `field`; empty when no document holds it.
    pub(crate) fn list(&self, field: Field, term: &str) -> PostingsList<'_> {
        self.find(field, term).map(PostingsList::new).unwrap_or_default()
    }

    /// The postings section from the list of `term` in `field` on.
    fn find(&self, field: Field, term: &str) -> Option<&[u8]> {
        let terms: &[TermKey] = self.section(Section::Terms);
        let at = TermKey::new(field, term).find_in(terms)?;
        let offset = self.section::<u32>(Section::Offsets)[at];
        self.section::<u8>(Section::Postings).get(offset as usize..)
    }
}

/// The header, when the bytes are a segment of this format whose sections all lie inside it.
fn read_header(bytes: &[u8]) -> Option<Header> {
    let header: Header = bytemuck::pod_read_unaligned(bytes.get(..size_of::<Header>())?);
    let inside =
        |[start, len]: &[u64; 2]| start.checked_add(*len).is_some_and(|end| end <= bytes.len() as u64);
    let aligned = header.sections.iter().all(|[start, _]| start % 64 == 0);
    let valid = header.magic == MAGIC && header.format == FORMAT && aligned;
    (valid && header.sections.iter().all(inside)).then_some(header)
}
