//! How a segment lies in its file: a header, then sections at 64-byte boundaries.

use bytemuck::{Pod, Zeroable};

/// Changes with every change of the layout or of what goes into a segment: older ones are rebuilt.
pub(crate) const FORMAT: u32 = 11;

/// First bytes of a segment file.
pub(crate) const MAGIC: [u8; 8] = *b"craigseg";

/// Sections in the order in which they lie in the file.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum Section {
    /// [`FileRow`]s.
    Files,
    /// [`ChunkRow`]s.
    Chunks,
    /// The store's hash of each chunk's text, 16 bytes.
    TextHashes,
    /// Body terms of each chunk, u32: apart from its row, since all postings of a query are weighed by it.
    ChunkTokens,
    /// UTF-8 that [`TextRef`]s point into.
    Strings,
    /// Where the rows of each IVF list begin, and where the last ends, u32.
    ListStarts,
    /// The chunk of each row, u32.
    RowChunks,
    /// Rows: signs of the retrieval vectors, `dimensions / 64` words a chunk, ordered by IVF list.
    Bits,
    /// Bytes of the chunk vectors, `dimensions` a chunk.
    Codes,
    /// Scales of the chunk vectors, one f32 a chunk.
    Scales,
    /// Bytes of the label vectors, `aspect dimensions` a chunk.
    LabelCodes,
    /// Scales of the label vectors, one f32 a chunk.
    LabelScales,
    /// Bytes of the aspect vectors, `N_ASPECTS · aspect dimensions` a file.
    AspectCodes,
    /// Scales of the aspect vectors, `N_ASPECTS` f32 a file.
    AspectScales,
    /// Term keys, ascending.
    Terms,
    /// For each term, where its list begins in the postings, u32.
    Offsets,
    /// Postings lists.
    Postings,
    /// Checksums of the blocks of all sections before, u64.
    Checksums,
}

pub(crate) const N_SECTIONS: usize = 18;

/// What a file is seen as by the ranker, beside its chunks: one vector of the built-in model each.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum Aspect {
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

pub(crate) const N_ASPECTS: usize = 5;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Header {
    pub(crate) magic: [u8; 8],
    pub(crate) format: u32,
    pub(crate) dimensions: u32,
    pub(crate) aspect_dimensions: u32,
    pub(crate) reserved: u32,
    /// Start and length in bytes of each section.
    pub(crate) sections: [[u64; 2]; N_SECTIONS],
    /// XXH3 of the header with 0 here, followed by [`Section::Checksums`]: it stands for all of the segment.
    pub(crate) checksum: u64,
}

impl Header {
    /// What its checksum has to be beside these checksums of blocks.
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
    pub(crate) id: i64,
    pub(crate) path: TextRef,
    /// Language id.
    pub(crate) language: TextRef,
    pub(crate) first_chunk: u32,
    pub(crate) n_chunks: u32,
    /// Body terms of all its chunks.
    pub(crate) n_tokens: u32,
    /// Names of its main definitions without case and separators, line by line.
    pub(crate) main_names: TextRef,
    /// Definitions in it.
    pub(crate) n_definitions: u32,
    pub(crate) n_imports: u32,
    /// Code, docs or config: index into `FileKind`'s order.
    pub(crate) kind: u8,
    /// [`craig_text::PathRole`] as a number.
    pub(crate) role: u8,
    /// [`Traits`](super::role::Traits) as bits.
    pub(crate) traits: u8,
    /// Words of its name, 255 standing for more.
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
    pub(crate) reserved: [u8; 3],
}
