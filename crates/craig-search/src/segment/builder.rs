//! Builds a segment from stored files.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use craig_chunk::{ChunkKind, Symbol};
use craig_model::{Embedding, Quantized, StaticModel};
use craig_source::FileKind;
use craig_store::{StoredChunk, StoredFile};

use super::layout::{Aspect, ChunkRow, FORMAT, FileRow, Header, MAGIC, N_ASPECTS, N_SECTIONS, Role, TextRef};
use super::postings::{Posting, PostingsWriter};
use crate::analysis::{Field, compact, identifier_runs, terms, terms_of_run};

/// Share of the path's vector in the vector that a chunk is retrieved by.
const PATH_SHARE: f32 = 0.4;

/// Bytes of a file's beginning that make its [`Aspect::Head`].
const HEAD_BYTES: usize = 1_200;

type Terms = HashMap<Box<[u8]>, u32, foldhash::fast::FixedState>;

/// One file, tokenised and embedded: what can be done for many files at once.
pub(crate) struct FileTerms {
    file: StoredFile,
    vocabulary: Vec<Box<[u8]>>,
    /// (term of the vocabulary, chunk of the file) of the chunk fields, by chunk.
    chunk_postings: Vec<(u32, Posting)>,
    /// (term of the vocabulary, occurrences) of the file fields.
    file_postings: Vec<(u32, u32)>,
    tokens_of_chunk: Vec<u32>,
    labels: Vec<Quantized>,
    aspects: [Quantized; N_ASPECTS],
    bits: Vec<u64>,
    dimensions: usize,
}

impl FileTerms {
    /// Tokenises and embeds `file`; chunks without a stored vector count as the zero vector of `dimensions`.
    pub(crate) fn new(file: StoredFile, dimensions: usize) -> Self {
        let mut collector = Collector::default();
        let mut chunk_postings = Vec::new();
        let tokens_of_chunk = collect_chunks(&file, &mut collector, &mut chunk_postings);
        let file_postings = collect_names(&file.record.path, &mut collector);
        let path = StaticModel::builtin().document(&file.record.path);
        let bits = retrieval_bits(&file, &path, dimensions);
        let aspects = aspects(&file, &path);
        let labels = labels(&file);
        let vocabulary = collector.into_vocabulary();
        Self {
            file,
            vocabulary,
            chunk_postings,
            file_postings,
            tokens_of_chunk,
            labels,
            aspects,
            bits,
            dimensions,
        }
    }
}

/// Numbers the terms of one file and counts them document by document.
#[derive(Default)]
struct Collector<'t> {
    vocabulary: Terms,
    key: Vec<u8>,
    seen: Vec<u32>,
    /// Where in `body_ids` the terms of an identifier lie: code repeats its names.
    known_runs: HashMap<&'t str, (u32, u32), foldhash::fast::FixedState>,
    body_ids: Vec<u32>,
}

impl<'t> Collector<'t> {
    /// Adds the body terms of `text`.
    fn add_body(&mut self, text: &'t str) {
        for run in identifier_runs(text) {
            let (start, end) = match self.known_runs.get(run) {
                Some(&known) => known,
                None => self.learn(run),
            };
            self.seen.extend_from_slice(&self.body_ids[start as usize..end as usize]);
        }
    }

    fn learn(&mut self, run: &'t str) -> (u32, u32) {
        let before = self.seen.len();
        terms_of_run(run, &mut |term| self.add(Field::Body, term));
        let start = self.body_ids.len() as u32;
        self.body_ids.extend(self.seen.drain(before..));
        let known = (start, self.body_ids.len() as u32);
        self.known_runs.insert(run, known);
        known
    }

    fn add(&mut self, field: Field, term: &str) {
        self.key.clear();
        self.key.push(field as u8);
        self.key.extend_from_slice(term.as_bytes());
        let next = self.vocabulary.len() as u32;
        let id = match self.vocabulary.get(self.key.as_slice()) {
            Some(&id) => id,
            None => {
                self.vocabulary.insert(self.key.as_slice().into(), next);
                next
            }
        };
        self.seen.push(id);
    }

    /// The terms added since the last call, each with its number of occurrences.
    fn close(&mut self) -> impl Iterator<Item = (u32, u32)> {
        let mut seen = std::mem::take(&mut self.seen);
        seen.sort_unstable();
        let counted: Vec<_> = seen.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
        seen.clear();
        self.seen = seen;
        counted.into_iter()
    }

    /// The terms, each at its number.
    fn into_vocabulary(self) -> Vec<Box<[u8]>> {
        let mut numbered: Vec<_> = self.vocabulary.into_iter().collect();
        numbered.sort_unstable_by_key(|&(_, id)| id);
        numbered.into_iter().map(|(term, _)| term).collect()
    }
}

/// Collects the chunk fields; gives the number of body terms of each chunk.
fn collect_chunks<'t>(
    file: &'t StoredFile,
    collector: &mut Collector<'t>,
    postings: &mut Vec<(u32, Posting)>,
) -> Vec<u32> {
    let mut tokens_of_chunk = Vec::with_capacity(file.chunks.len());
    for (number, chunk) in file.chunks.iter().enumerate() {
        collector.add_body(chunk.text(&file.text));
        tokens_of_chunk.push(collector.seen.len() as u32);
        for name in definitions_in(file, number) {
            terms(name, |term| collector.add(Field::Symbol, term));
            collector.add(Field::Definition, &compact(name));
        }
        for symbol in symbols_in(file, number).filter(|symbol| is_type(symbol.kind)) {
            collector.add(Field::TypeDefinition, &compact(&symbol.name));
        }
        postings.extend(collector.close().map(|(term, tf)| (term, Posting { doc: number as u32, tf })));
    }
    tokens_of_chunk
}

fn collect_names(path: &str, collector: &mut Collector<'_>) -> Vec<(u32, u32)> {
    terms(path, |term| collector.add(Field::Path, term));
    terms(file_stem(path), |term| collector.add(Field::Name, term));
    collector.add(Field::Stem, &compact(file_stem(path)));
    collector.close().collect()
}

/// Names that chunk `number` defines; a section's heading is one.
fn definitions_in(file: &StoredFile, number: usize) -> impl Iterator<Item = &str> {
    let chunk = &file.chunks[number];
    let heading = (chunk.kind == ChunkKind::Section).then_some(chunk.symbol_name.as_deref()).flatten();
    symbols_in(file, number).map(|symbol| symbol.name.as_str()).chain(heading)
}

/// Definitions in chunk `number`: a definition belongs to the chunk of the line that names it.
fn symbols_in(file: &StoredFile, number: usize) -> impl Iterator<Item = &Symbol> {
    let chunk = &file.chunks[number];
    let next_start = file.chunks.get(number + 1).map_or(u32::MAX, |next| next.line_start);
    let lines = chunk.line_start..=chunk.line_end.min(next_start.saturating_sub(1)).max(chunk.line_start);
    let from = file.symbols.partition_point(|symbol| symbol.line < *lines.start());
    file.symbols[from..].iter().take_while(move |symbol| lines.contains(&symbol.line))
}

fn is_type(kind: ChunkKind) -> bool {
    matches!(
        kind,
        ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum | ChunkKind::Type | ChunkKind::Module
    )
}

/// The name of a file without its extension: `lib/queue.test.ts` gives `queue.test`.
pub(crate) fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rfind('.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    }
}

/// Signs of each chunk's vector with a share of the path's, `dimensions / 64` words a chunk.
fn retrieval_bits(file: &StoredFile, path: &Embedding, dimensions: usize) -> Vec<u64> {
    let shares_space = path.as_slice().len() == dimensions;
    let mut bits = Vec::with_capacity(file.chunks.len() * words_per_vector(dimensions));
    for chunk in &file.chunks {
        let mut vector = chunk.vector.as_ref().map_or_else(|| vec![0.0; dimensions], Quantized::to_f32);
        if shares_space {
            vector.iter_mut().zip(path.as_slice()).for_each(|(x, p)| *x += PATH_SHARE * p);
        }
        bits.extend(signs(&vector));
    }
    bits
}

/// Number of 64-bit words that hold the signs of one vector.
fn words_per_vector(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}

/// The sign of each component, packed: bit i of word w is component 64 · w + i.
pub(crate) fn signs(vector: &[f32]) -> impl Iterator<Item = u64> + '_ {
    vector
        .chunks(64)
        .map(|chunk| chunk.iter().enumerate().fold(0, |word, (bit, &x)| word | (u64::from(x > 0.0) << bit)))
}

fn aspects(file: &StoredFile, path: &Embedding) -> [Quantized; N_ASPECTS] {
    let model = StaticModel::builtin();
    let mut aspects = std::array::from_fn(|_| Quantized { scale: 0.0, codes: Vec::new() });
    let names: Vec<&str> = file.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    let head = &file.text[..file.text.floor_char_boundary(HEAD_BYTES)];
    aspects[Aspect::Path as usize] = path.quantized();
    aspects[Aspect::Name as usize] = model.document(file_stem(&file.record.path)).quantized();
    aspects[Aspect::Symbols as usize] = model.document(&names.join(" ")).quantized();
    aspects[Aspect::Head as usize] = model.document(head).quantized();
    aspects[Aspect::Whole as usize] = whole(file, path.as_slice().len()).quantized();
    aspects
}

/// Most names of a file that its use elsewhere is told from.
const MAX_MAIN_NAMES: usize = 6;

/// Shorter names are words that mean something else elsewhere.
const MIN_MAIN_NAME_BYTES: usize = 5;

/// The names that other files would use a file by: its types, else what it defines at top level.
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

/// For each chunk, the vector of its path and of the names that it defines.
fn labels(file: &StoredFile) -> Vec<Quantized> {
    let label = |(number, chunk): (usize, &StoredChunk)| {
        let names = [&file.record.path, chunk.parent.as_deref().unwrap_or_default()];
        let names = names.into_iter().chain(chunk.symbol_name.as_deref()).chain(definitions_in(file, number));
        StaticModel::builtin().document(&names.collect::<Vec<_>>().join("\n")).quantized()
    };
    file.chunks.iter().enumerate().map(label).collect()
}

/// The mean of the chunks' vectors, where they are of the built-in model; else the file's text is embedded with it.
fn whole(file: &StoredFile, dimensions: usize) -> Embedding {
    let vectors = || file.chunks.iter().filter_map(|chunk| chunk.vector.as_ref());
    if vectors().any(|vector| vector.codes.len() != dimensions) {
        return StaticModel::builtin().document(&file.text);
    }
    let mut sum = vec![0.0; dimensions];
    for vector in vectors() {
        sum.iter_mut().zip(&vector.codes).for_each(|(x, &code)| *x += f32::from(code) * vector.scale);
    }
    Embedding::normalized(sum)
}

/// Collects tokenised files and writes them as one segment.
pub(crate) struct SegmentBuilder {
    dimensions: usize,
    terms: Terms,
    postings: Vec<PostingsWriter>,
    postings_bytes: usize,
    files: Vec<FileRow>,
    chunks: Vec<ChunkRow>,
    strings: Vec<u8>,
    known_strings: HashMap<Box<str>, TextRef, foldhash::fast::FixedState>,
    bits: Vec<u64>,
    codes: Vec<i8>,
    scales: Vec<f32>,
    label_codes: Vec<i8>,
    label_scales: Vec<f32>,
    aspect_codes: Vec<i8>,
    aspect_scales: Vec<f32>,
    n_body_tokens: u64,
}

impl SegmentBuilder {
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            terms: Terms::default(),
            postings: Vec::new(),
            postings_bytes: 0,
            files: Vec::new(),
            chunks: Vec::new(),
            strings: Vec::new(),
            known_strings: HashMap::default(),
            bits: Vec::new(),
            codes: Vec::new(),
            scales: Vec::new(),
            label_codes: Vec::new(),
            label_scales: Vec::new(),
            aspect_codes: Vec::new(),
            aspect_scales: Vec::new(),
            n_body_tokens: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Memory that the collected files take, in bytes, roughly.
    pub(crate) fn n_bytes(&self) -> usize {
        self.postings_bytes + self.codes.len() + self.chunks.len() * 100 + self.terms.len() * 120
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
        self.add_rows(&file.file, &file.tokens_of_chunk, first_chunk);
        self.add_vectors(&file.file, &file.bits);
        self.add_builtin_vectors(&file.labels, &file.aspects);
    }

    fn term(&mut self, term: Box<[u8]>) -> usize {
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

    fn add_rows(&mut self, file: &StoredFile, tokens_of_chunk: &[u32], first_chunk: u32) {
        let number = self.files.len() as u32;
        for (chunk, &n_tokens) in file.chunks.iter().zip(tokens_of_chunk) {
            let row = ChunkRow {
                file: number,
                start_byte: chunk.start_byte,
                end_byte: chunk.end_byte,
                overlap_bytes: chunk.overlap_bytes,
                line_start: chunk.line_start,
                line_end: chunk.line_end,
                n_tokens,
                symbol: self.string(chunk.symbol_name.as_deref().unwrap_or_default()),
                parent: self.string(chunk.parent.as_deref().unwrap_or_default()),
                kind: ChunkKind::ALL.iter().position(|&kind| kind == chunk.kind).unwrap_or_default() as u8,
                reserved: [0; 3],
            };
            self.chunks.push(row);
        }
        let n_tokens = tokens_of_chunk.iter().sum();
        self.n_body_tokens += u64::from(n_tokens);
        let row = FileRow {
            id: file.record.id.0,
            path: self.string(&file.record.path),
            language: self.string(file.record.language.id()),
            first_chunk,
            n_chunks: file.chunks.len() as u32,
            n_tokens,
            main_names: self.string(&main_names(file).join("\n")),
            n_definitions: file.symbols.len() as u32,
            n_imports: file.imports.len() as u32,
            kind: kind_number(file.record.kind),
            role: Role::of_path(&file.record.path) as u8,
            reserved: [0; 2],
        };
        self.files.push(row);
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

    fn add_builtin_vectors(&mut self, labels: &[Quantized], aspects: &[Quantized; N_ASPECTS]) {
        for label in labels {
            self.label_codes.extend_from_slice(&label.codes);
            self.label_scales.push(label.scale);
        }
        for aspect in aspects {
            self.aspect_codes.extend_from_slice(&aspect.codes);
            self.aspect_scales.push(aspect.scale);
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

    /// Writes the segment to `path`, whole or not at all: a temporary file is renamed when it is complete.
    pub(crate) fn write(self, path: &Path) -> std::io::Result<()> {
        let (terms, postings) = dictionary(self.terms, &self.postings)?;
        let sections: [&[u8]; N_SECTIONS] = [
            bytemuck::cast_slice(&self.files),
            bytemuck::cast_slice(&self.chunks),
            &self.strings,
            bytemuck::cast_slice(&self.bits),
            bytemuck::cast_slice(&self.codes),
            bytemuck::cast_slice(&self.scales),
            bytemuck::cast_slice(&self.label_codes),
            bytemuck::cast_slice(&self.label_scales),
            bytemuck::cast_slice(&self.aspect_codes),
            bytemuck::cast_slice(&self.aspect_scales),
            &terms,
            &postings,
        ];
        let header = Header {
            magic: MAGIC,
            format: FORMAT,
            dimensions: self.dimensions as u32,
            aspect_dimensions: (self.aspect_codes.len() / (N_ASPECTS * self.files.len().max(1))) as u32,
            reserved: 0,
            n_body_tokens: self.n_body_tokens,
            sections: place(&sections),
        };
        write_file(path, &header, &sections)
    }
}

/// The finite-state map from term to offset, and the postings that the offsets point into.
fn dictionary(terms: Terms, postings: &[PostingsWriter]) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let mut terms: Vec<_> = terms.into_iter().collect();
    terms.sort_unstable();
    let mut map = fst::MapBuilder::memory();
    let mut bytes = Vec::with_capacity(postings.iter().map(|list| list.n_bytes() + 2).sum());
    for (term, number) in terms {
        map.insert(term, bytes.len() as u64).map_err(std::io::Error::other)?;
        postings[number as usize].finish(&mut bytes);
    }
    Ok((map.into_inner().map_err(std::io::Error::other)?, bytes))
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

fn write_file(path: &Path, header: &Header, sections: &[&[u8]; N_SECTIONS]) -> std::io::Result<()> {
    let unfinished = path.with_extension("tmp");
    let mut out = std::io::BufWriter::with_capacity(1 << 20, std::fs::File::create(&unfinished)?);
    let mut written = 0;
    let mut put = |at: usize, bytes: &[u8]| {
        out.write_all(&[0; ALIGNMENT][..at - written])?;
        written = at + bytes.len();
        out.write_all(bytes)
    };
    put(0, bytemuck::bytes_of(header))?;
    for (section, [start, _]) in sections.iter().zip(header.sections) {
        put(start as usize, section)?;
    }
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    std::fs::rename(&unfinished, path)
}

/// The number that a kind has in a [`FileRow`].
pub(crate) fn kind_number(kind: FileKind) -> u8 {
    match kind {
        FileKind::Code => 0,
        FileKind::Docs => 1,
        FileKind::Config => 2,
    }
}
