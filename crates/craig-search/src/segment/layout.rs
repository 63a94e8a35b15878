//! Layout of a segment file: a header, then sections at 64-byte boundaries.

use bytemuck::{Pod, Zeroable};

/// Version of the layout and of the content of segments: those of other versions are rebuilt.
pub(crate) const FORMAT: u32 = 16;

/// First bytes of a segment file.
pub(crate) const MAGIC: [u8; 8] = *b"craigseg";

/// Sections in the order of the file.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum Section {
    /// [`FileRow`]s.
    Files,
    /// [`ChunkRow`]s.
    Chunks,
    /// The store's hash of each chunk's text, 16 bytes.
    TextHashes,
    /// Number of body terms of each chunk, u32: not in its row, because BM25 reads it for every posting of a query.
    ChunkTokens,
    /// UTF-8 that [`TextRef`]s point into.
    Strings,
    /// The first row of each IVF list, and the end of the last, u32.
    ListStarts,
    /// The chunk of each row, u32.
    RowChunks,
    /// Rows: signs of the retrieval vectors, `dimensions / 64` words a chunk, ordered by IVF list.
    Bits,
    /// Bytes of the chunk vectors, `dimensions` a chunk.
    Codes,
    /// Scales of the chunk vectors, one f32 a chunk.
    Scales,
    /// Bytes of the label vectors, `builtin dimensions` a chunk.
    LabelCodes,
    /// Scales of the label vectors, one f32 a chunk.
    LabelScales,
    /// Bytes of the field embeddings, `N_FIELD_EMBEDDINGS · builtin dimensions` a file.
    FieldCodes,
    /// Scales of the field embeddings, `N_FIELD_EMBEDDINGS` f32 a file.
    FieldScales,
    /// Term keys, ascending.
    Terms,
    /// For each term, the start of its list in the postings, u32.
    Offsets,
    /// Postings lists.
    Postings,
    /// The filters of the files' trigrams, u64: see [`trigrams`](crate::trigrams).
    Trigrams,
    /// Checksums of the blocks of all sections above, u64.
    Checksums,
}

pub(crate) const N_SECTIONS: usize = 19;

/// The fields of a file that have an embedding of their own, by the built-in model.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum FieldEmbedding {
    /// The words of its path.
    Path,
    /// The words of its name.
    Name,
    /// The names that it defines.
    Symbols,
    /// Its first lines.
    Head,
    /// The mean of its chunks.
    Whole,
}

pub(crate) const N_FIELD_EMBEDDINGS: usize = 5;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Header {
    pub(crate) magic: [u8; 8],
    pub(crate) format: u32,
    pub(crate) dimensions: u32,
    pub(crate) builtin_dimensions: u32,
    pub(crate) reserved: u32,
    /// Start and length in bytes of each section.
    pub(crate) sections: [[u64; 2]; N_SECTIONS],
    /// XXH3 of the header with 0 here, followed by [`Section::Checksums`]: covers all of the segment.
    pub(crate) checksum: u64,
}

impl Header {
    /// The checksum of this header with these checksums of blocks.
    pub(crate) fn checksum_with(&self, checksums: &[u64]) -> u64 {
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        hasher.update(bytemuck::bytes_of(&Self { checksum: 0, ..*self }));
        hasher.update(bytemuck::cast_slice(checksums));
        hasher.digest()
    }
}

/// A string in [`Section::Strings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct TextRef {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FileRow {
    /// Id in the store.
    pub(crate) id: u64,
    pub(crate) path: TextRef,
    /// Language id.
    pub(crate) language: TextRef,
    pub(crate) first_chunk: u32,
    pub(crate) n_chunks: u32,
    /// Body terms of all its chunks.
    pub(crate) n_tokens: u32,
    /// Names of its main definitions without case and separators, one a line.
    pub(crate) main_names: TextRef,
    /// Number of definitions.
    pub(crate) n_definitions: u32,
    pub(crate) n_imports: u32,
    /// First word and number of words of its filter in [`Section::Trigrams`].
    pub(crate) trigrams: [u32; 2],
    /// Code, docs or config, as [`kind_number`](super::builder::kind_number) has it.
    pub(crate) kind: u8,
    /// [`craig_text::PathRole`] as a number.
    pub(crate) role: u8,
    /// [`craig_text::PathTraits`] as bits.
    pub(crate) traits: u8,
    /// Number of words in its name, at most 255.
    pub(crate) n_name_words: u8,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ChunkRow {
    /// File, numbered within the segment.
    pub(crate) file: u32,
    pub(crate) start_byte: u32,
    pub(crate) end_byte: u32,
    pub(crate) overlap_bytes: u32,
    pub(crate) line_start: u32,
    pub(crate) line_end: u32,
    pub(crate) symbol: TextRef,
    pub(crate) parent: TextRef,
    /// Index into `ChunkKind::ALL`.
    pub(crate) kind: u8,
    /// Lines that are comments, in percent.
    pub(crate) comment_percent: u8,
    pub(crate) reserved: [u8; 2],
}
