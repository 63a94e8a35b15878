//! Collects tokenised files and writes them as one segment.

use std::collections::HashMap;
use std::fs::File;
use std::hash::BuildHasherDefault;
use std::io::Write;
use std::path::Path;

use craig_chunk::{ChunkKind, Symbol};
use craig_model::Quantized;
use craig_source::{FileKind, private};
use craig_store::StoredFile;
use craig_text::path::file_stem;
use craig_text::{PathRole, PathTraits, compact, stems};

use super::checks::checksums;
use super::comments::comment_percent;
use super::file_terms::{FileTerms, is_type, words_per_vector};
use super::layout::{ChunkRow, FORMAT, FileRow, Header, MAGIC, N_FIELD_EMBEDDINGS, N_SECTIONS, TextRef};
use super::postings::{Posting, PostingsWriter};
use super::reader::Segment;
use super::terms::{KeyHasher, TermKey};

/// Maximum number of names of a file whose uses elsewhere are counted.
const MAX_MAIN_NAMES: usize = 3;

/// Shorter names are common words with other meanings elsewhere.
const MIN_MAIN_NAME_BYTES: usize = 5;

/// The names by which other files would use a file: its types, or else its top-level definitions.
fn main_names(file: &StoredFile) -> Vec<String> {
    let names = |wanted: &dyn Fn(&Symbol) -> bool| {
        let mut names: Vec<String> = Vec::new();
        for symbol in file.symbols.iter().filter(|symbol| wanted(symbol)) {
            let name = compact(&symbol.name);
            if name.len() >= MIN_MAIN_NAME_BYTES && names.len() < MAX_MAIN_NAMES && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let types = names(&|symbol| is_type(symbol.kind));
    if types.is_empty() { names(&|symbol| symbol.parent.is_none()) } else { types }
}

/// Collects tokenised files and writes them as one segment.
pub(crate) struct SegmentBuilder {
    dimensions: usize,
    terms: HashMap<TermKey, u32, BuildHasherDefault<KeyHasher>>,
    postings: Vec<PostingsWriter>,
    postings_bytes: usize,
    files: Vec<FileRow>,
    chunks: Vec<ChunkRow>,
    text_hashes: Vec<[u8; 16]>,
    chunk_tokens: Vec<u32>,
    strings: Vec<u8>,
    known_strings: HashMap<Box<str>, TextRef, foldhash::fast::FixedState>,
    bits: Vec<u64>,
    /// For each chunk, its IVF list.
    lists: Vec<u16>,
    n_lists: usize,
    codes: Vec<i8>,
    scales: Vec<f32>,
    label_codes: Vec<i8>,
    label_scales: Vec<f32>,
    field_codes: Vec<i8>,
    field_scales: Vec<f32>,
    trigrams: Vec<u64>,
}

impl SegmentBuilder {
    /// `n_lists`: 1, or [`N_IVF_LISTS`](crate::N_IVF_LISTS) for vectors of the built-in model.
    pub(crate) fn new(dimensions: usize, n_lists: usize) -> Self {
        Self {
            dimensions,
            terms: HashMap::default(),
            postings: Vec::new(),
            postings_bytes: 0,
            files: Vec::new(),
            chunks: Vec::new(),
            text_hashes: Vec::new(),
            chunk_tokens: Vec::new(),
            strings: Vec::new(),
            known_strings: HashMap::default(),
            bits: Vec::new(),
            lists: Vec::new(),
            n_lists,
            codes: Vec::new(),
            scales: Vec::new(),
            label_codes: Vec::new(),
            label_scales: Vec::new(),
            field_codes: Vec::new(),
            field_scales: Vec::new(),
            trigrams: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Approximate memory taken by the collected files, in bytes.
    pub(crate) fn n_bytes(&self) -> usize {
        self.postings_bytes + self.codes.len() + self.chunks.len() * 100 + self.terms.len() * 60
    }

    pub(crate) fn add(&mut self, file: FileTerms) {
        debug_assert_eq!(file.dimensions, self.dimensions, "one segment, one embedder");
        let (file_number, first_chunk) = (self.files.len() as u32, self.chunks.len() as u32);
        let numbers: Vec<usize> = file.vocabulary.into_iter().map(|term| self.term(term)).collect();
        for (term, Posting { doc, tf }) in file.chunk_postings {
            self.push(numbers[term as usize], Posting { doc: first_chunk + doc, tf });
        }
        for (term, tf) in file.file_postings {
            self.push(numbers[term as usize], Posting { doc: file_number, tf });
        }
        self.add_rows(&file.file, &file.tokens_of_chunk, &file.trigrams, first_chunk);
        self.add_vectors(&file.file, &file.bits);
        self.lists.extend(file.lists);
        self.add_builtin_vectors(&file.labels, &file.field_embeddings);
    }

    fn term(&mut self, term: TermKey) -> usize {
        let next = self.postings.len();
        let number = *self.terms.entry(term).or_insert(next as u32) as usize;
        if number == next {
            self.postings.push(PostingsWriter::default());
        }
        number
    }

    fn push(&mut self, term: usize, posting: Posting) {
        let list = &mut self.postings[term];
        let before = list.n_bytes();
        list.push(posting);
        self.postings_bytes += list.n_bytes() - before;
    }

    fn add_rows(&mut self, file: &StoredFile, tokens_of_chunk: &[u32], trigrams: &[u64], first_chunk: u32) {
        let number = self.files.len() as u32;
        for chunk in &file.chunks {
            let row = ChunkRow {
                file: number,
                start_byte: chunk.start_byte,
                end_byte: chunk.end_byte,
                overlap_bytes: chunk.overlap_bytes,
                line_start: chunk.line_start,
                line_end: chunk.line_end,
                symbol: self.string(chunk.symbol_name.as_deref().unwrap_or_default()),
                parent: self.string(chunk.parent.as_deref().unwrap_or_default()),
                kind: ChunkKind::ALL.iter().position(|&kind| kind == chunk.kind).unwrap_or_default() as u8,
                comment_percent: comment_percent(file.record.language, chunk.text(&file.text)),
                reserved: [0; 2],
            };
            self.chunks.push(row);
            self.text_hashes.push(chunk.text_hash.to_bytes());
        }
        self.chunk_tokens.extend_from_slice(tokens_of_chunk);
        let row = FileRow {
            id: file.record.id.to_u64(),
            path: self.string(&file.record.path),
            language: self.string(file.record.language.id()),
            first_chunk,
            n_chunks: file.chunks.len() as u32,
            n_tokens: tokens_of_chunk.iter().sum(),
            main_names: self.string(&main_names(file).join("\n")),
            n_definitions: file.symbols.len() as u32,
            n_imports: file.imports.len() as u32,
            trigrams: [self.trigrams.len() as u32, trigrams.len() as u32],
            kind: kind_number(file.record.kind),
            role: PathRole::from_path(&file.record.path) as u8,
            traits: PathTraits::from_path(&file.record.path).bits(),
            n_name_words: stems(file_stem(&file.record.path)).count().min(255) as u8,
        };
        self.files.push(row);
        self.trigrams.extend_from_slice(trigrams);
    }

    fn add_vectors(&mut self, file: &StoredFile, bits: &[u64]) {
        self.bits.extend_from_slice(bits);
        for chunk in &file.chunks {
            match &chunk.vector {
                Some(vector) => self.codes.extend_from_slice(&vector.codes),
                None => self.codes.resize(self.codes.len() + self.dimensions, 0),
            }
            self.scales.push(chunk.vector.as_ref().map_or(0.0, |vector| vector.scale));
        }
    }

    fn add_builtin_vectors(
        &mut self,
        labels: &[Quantized],
        field_embeddings: &[Quantized; N_FIELD_EMBEDDINGS],
    ) {
        for label in labels {
            self.label_codes.extend_from_slice(&label.codes);
            self.label_scales.push(label.scale);
        }
        for field in field_embeddings {
            self.field_codes.extend_from_slice(&field.codes);
            self.field_scales.push(field.scale);
        }
    }

    fn string(&mut self, text: &str) -> TextRef {
        if let Some(&known) = self.known_strings.get(text) {
            return known;
        }
        let added = TextRef { start: self.strings.len() as u32, len: text.len() as u32 };
        self.strings.extend_from_slice(text.as_bytes());
        self.known_strings.insert(text.into(), added);
        added
    }

    /// Writes the segment to `path` atomically: a temporary file is renamed when it is complete. Returns its checksum.
    pub(crate) fn write(self, path: &Path) -> std::io::Result<u64> {
        self.with_layout(|header, sections| write_file(path, header, sections).map(|()| header.checksum))
    }

    /// Builds the segment in memory.
    pub(crate) fn build(self) -> Segment {
        self.with_layout(|header, sections| Segment::in_memory(*header, &pieces(header, sections).concat()))
    }

    /// Calls `write` with the finished header and sections.
    fn with_layout<T>(self, write: impl FnOnce(&Header, &[&[u8]; N_SECTIONS]) -> T) -> T {
        let (terms, offsets, postings) = dictionary(self.terms, &self.postings);
        let (list_starts, row_chunks) = by_list(&self.lists, self.n_lists);
        let words = words_per_vector(self.dimensions);
        let row = |&chunk: &u32| &self.bits[chunk as usize * words..(chunk as usize + 1) * words];
        let bits: Vec<u64> = row_chunks.iter().flat_map(row).copied().collect();
        let sections: [&[u8]; N_SECTIONS - 1] = [
            bytemuck::cast_slice(&self.files),
            bytemuck::cast_slice(&self.chunks),
            self.text_hashes.as_flattened(),
            bytemuck::cast_slice(&self.chunk_tokens),
            &self.strings,
            bytemuck::cast_slice(&list_starts),
            bytemuck::cast_slice(&row_chunks),
            bytemuck::cast_slice(&bits),
            bytemuck::cast_slice(&self.codes),
            bytemuck::cast_slice(&self.scales),
            bytemuck::cast_slice(&self.label_codes),
            bytemuck::cast_slice(&self.label_scales),
            bytemuck::cast_slice(&self.field_codes),
            bytemuck::cast_slice(&self.field_scales),
            bytemuck::cast_slice(&terms),
            bytemuck::cast_slice(&offsets),
            &postings,
            bytemuck::cast_slice(&self.trigrams),
        ];
        let checksums = checksums(&sections);
        let mut all: [&[u8]; N_SECTIONS] = [bytemuck::cast_slice(&checksums); N_SECTIONS];
        all[..N_SECTIONS - 1].copy_from_slice(&sections);
        let mut header = Header {
            magic: MAGIC,
            format: FORMAT,
            dimensions: self.dimensions as u32,
            builtin_dimensions: (self.field_codes.len() / (N_FIELD_EMBEDDINGS * self.files.len().max(1)))
                as u32,
            reserved: 0,
            sections: place(&all),
            checksum: 0,
        };
        header.checksum = header.checksum_with(&checksums);
        write(&header, &all)
    }
}

/// Where each IVF list begins among the chunks ordered by list, and these chunks.
fn by_list(lists: &[u16], n_lists: usize) -> (Vec<u32>, Vec<u32>) {
    let mut chunks: Vec<u32> = (0..lists.len() as u32).collect();
    chunks.sort_by_key(|&chunk| lists[chunk as usize]);
    let start =
        |list: usize| chunks.partition_point(|&chunk| usize::from(lists[chunk as usize]) < list) as u32;
    ((0..=n_lists).map(start).collect(), chunks)
}

/// The terms in order, the start of the list of each, and the lists.
fn dictionary(
    terms: HashMap<TermKey, u32, BuildHasherDefault<KeyHasher>>,
    postings: &[PostingsWriter],
) -> (Vec<TermKey>, Vec<u32>, Vec<u8>) {
    let mut terms: Vec<_> = terms.into_iter().collect();
    terms.sort_unstable();
    let mut bytes = Vec::with_capacity(postings.iter().map(|list| list.n_bytes() + 2).sum());
    let mut offsets = Vec::with_capacity(terms.len());
    for &(_, number) in &terms {
        offsets.push(bytes.len() as u32);
        postings[number as usize].finish(&mut bytes);
    }
    (terms.into_iter().map(|(term, _)| term).collect(), offsets, bytes)
}

const ALIGNMENT: usize = 64;

/// Start and length of each section, in the order of [`Section`](super::layout::Section).
fn place(sections: &[&[u8]; N_SECTIONS]) -> [[u64; 2]; N_SECTIONS] {
    let mut next = size_of::<Header>().next_multiple_of(ALIGNMENT);
    sections.map(|section| {
        let start = next;
        next = (start + section.len()).next_multiple_of(ALIGNMENT);
        [start as u64, section.len() as u64]
    })
}

/// Header and sections in order, with the padding between them.
fn pieces<'s>(header: &'s Header, sections: &[&'s [u8]; N_SECTIONS]) -> Vec<&'s [u8]> {
    let mut pieces = vec![bytemuck::bytes_of(header)];
    let mut end = size_of::<Header>();
    for (section, [start, len]) in sections.iter().zip(header.sections) {
        pieces.extend([&[0; ALIGNMENT][..start as usize - end], *section]);
        end = (start + len) as usize;
    }
    pieces
}

fn write_file(path: &Path, header: &Header, sections: &[&[u8]; N_SECTIONS]) -> std::io::Result<()> {
    let unfinished = path.with_extension("tmp");
    let mut out = std::io::BufWriter::with_capacity(1 << 20, create_file(&unfinished)?);
    pieces(header, sections).into_iter().try_for_each(|piece| out.write_all(piece))?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    std::fs::rename(&unfinished, path)
}

/// Creates or truncates a file of the index, readable by its owner alone.
pub(crate) fn create_file(path: &Path) -> std::io::Result<File> {
    private::file_options().create(true).truncate(true).write(true).open(path)
}

/// The number that a kind has in a [`FileRow`].
pub(crate) fn kind_number(kind: FileKind) -> u8 {
    match kind {
        FileKind::Code => 0,
        FileKind::Docs => 1,
        FileKind::Config => 2,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_chunk_is_in_its_list_once(lists in proptest::collection::vec(0u16..9, 0..200)) {
            let (starts, rows) = by_list(&lists, 9);
            prop_assert_eq!((starts[0], starts[9], rows.len()), (0, lists.len() as u32, lists.len()));
            for list in 0..9u16 {
                let in_list = &rows[starts[usize::from(list)] as usize..starts[usize::from(list) + 1] as usize];
                let expected: Vec<u32> = (0u32..).zip(&lists).filter(|(_, of)| **of == list).map(|(chunk, _)| chunk).collect();
                prop_assert_eq!(in_list, expected);
            }
        }
    }
}
