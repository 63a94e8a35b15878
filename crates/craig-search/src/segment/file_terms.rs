//! One stored file, tokenised and embedded: the part of indexing that runs in parallel.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use craig_chunk::{ChunkKind, Symbol};
use craig_model::{Embedding, Quantized, StaticModel};
use craig_store::{StoredChunk, StoredFile};
use craig_text::path::file_stem;
use craig_text::{compact, runs};

use super::layout::{FieldEmbedding, N_FIELD_EMBEDDINGS};
use super::postings::Posting;
use super::terms::{KeyHasher, TermKey};
use crate::analysis::{Field, terms, terms_of_run};
use crate::ivf::nearest_list;
use crate::trigrams::trigrams;

/// Weight of the path's vector in the retrieval vector of a chunk.
pub(crate) const PATH_SHARE: f32 = 0.4;

/// Number of first bytes of a file that make its [`FieldEmbedding::Head`].
const HEAD_BYTES: usize = 1_200;

/// One file, ready to be added to a segment.
pub(crate) struct FileTerms {
    pub(super) file: StoredFile,
    /// Distinct terms; postings refer to them by index.
    pub(super) vocabulary: Vec<TermKey>,
    /// (term of the vocabulary, chunk of the file) of the chunk fields, by chunk.
    pub(super) chunk_postings: Vec<(u32, Posting)>,
    /// (term of the vocabulary, occurrences) of the file fields.
    pub(super) file_postings: Vec<(u32, u32)>,
    pub(super) tokens_of_chunk: Vec<u32>,
    pub(super) labels: Vec<Quantized>,
    pub(super) field_embeddings: [Quantized; N_FIELD_EMBEDDINGS],
    /// Signs of the retrieval vectors.
    pub(super) bits: Vec<u64>,
    /// For each chunk, the IVF list of its signs.
    pub(super) lists: Vec<u16>,
    /// The filter of its trigrams.
    pub(super) trigrams: Vec<u64>,
    pub(super) dimensions: usize,
}

impl FileTerms {
    /// Tokenises and embeds `file`. Vectors of the built-in model are computed; other vectors are stored, and chunks without one of
    /// `dimensions` count as the zero vector.
    pub(crate) fn new(mut file: StoredFile, dimensions: usize, is_builtin: bool) -> Self {
        if is_builtin {
            embed_chunks(&mut file);
        }
        file.chunks.iter_mut().for_each(|chunk| {
            chunk.vector.take_if(|vector| vector.codes.len() != dimensions);
        });
        let mut collector = Collector::default();
        let mut chunk_postings = Vec::new();
        let tokens_of_chunk = collect_chunks(&file, &mut collector, &mut chunk_postings);
        let file_postings = collect_names(&file.record.path, &mut collector);
        let path = StaticModel::builtin().document(&file.record.path);
        let bits = retrieval_bits(&file, &path, dimensions, is_builtin);
        let lists = if is_builtin { nearest_lists(&bits, dimensions) } else { vec![0; file.chunks.len()] };
        let field_embeddings = field_embeddings(&file, &path, is_builtin);
        let labels = labels(&file);
        let trigrams = trigrams(&file.text);
        let vocabulary = collector.vocabulary;
        Self {
            file,
            vocabulary,
            chunk_postings,
            file_postings,
            tokens_of_chunk,
            labels,
            field_embeddings,
            bits,
            lists,
            trigrams,
            dimensions,
        }
    }
}

fn embed_chunks(file: &mut StoredFile) {
    let texts: Vec<&str> = file.chunks.iter().map(|chunk| chunk.text(&file.text)).collect();
    let vectors = StaticModel::builtin().documents(&texts);
    for (chunk, vector) in file.chunks.iter_mut().zip(vectors) {
        chunk.vector = Some(vector.quantized());
    }
}

/// Numbers the terms of one file and counts them document by document.
#[derive(Default)]
struct Collector<'t> {
    numbers: HashMap<TermKey, u32, BuildHasherDefault<KeyHasher>>,
    vocabulary: Vec<TermKey>,
    /// Terms of the document under way, in order.
    seen: Vec<u32>,
    /// For each term of the vocabulary, 0 between two documents.
    counts: Vec<u32>,
    /// Range in `body_ids` of the terms of each identifier seen: code repeats its names.
    known_runs: HashMap<&'t str, (u32, u32), foldhash::fast::FixedState>,
    body_ids: Vec<u32>,
}

impl<'t> Collector<'t> {
    /// Adds the body terms of `text`.
    fn add_body(&mut self, text: &'t str) {
        for run in runs(text).map(|run| run.text) {
            let (start, end) = match self.known_runs.get(run) {
                Some(&known) => known,
                None => self.add_new_run(run),
            };
            self.seen.extend_from_slice(&self.body_ids[start as usize..end as usize]);
        }
    }

    fn add_new_run(&mut self, run: &'t str) -> (u32, u32) {
        let before = self.seen.len();
        terms_of_run(run, &mut |term| self.add(Field::Body, term));
        let start = self.body_ids.len() as u32;
        self.body_ids.extend(self.seen.drain(before..));
        let known = (start, self.body_ids.len() as u32);
        self.known_runs.insert(run, known);
        known
    }

    fn add(&mut self, field: Field, term: &str) {
        let key = TermKey::new(field, term);
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.vocabulary.push(key);
            self.vocabulary.len() as u32 - 1
        });
        self.seen.push(number);
    }

    /// The terms added since the last call, in order of appearance, each with its number of occurrences.
    fn close(&mut self) -> Vec<(u32, u32)> {
        self.counts.resize(self.vocabulary.len(), 0);
        let mut counted = Vec::with_capacity(self.seen.len());
        for &term in &self.seen {
            let count = &mut self.counts[term as usize];
            if *count == 0 {
                counted.push((term, 0));
            }
            *count += 1;
        }
        for (term, count) in &mut counted {
            *count = std::mem::take(&mut self.counts[*term as usize]);
        }
        self.seen.clear();
        counted
    }
}

/// Collects the chunk fields; returns the number of body terms of each chunk.
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
        let counted = collector.close().into_iter();
        postings.extend(counted.map(|(term, tf)| (term, Posting { doc: number as u32, tf })));
    }
    tokens_of_chunk
}

fn collect_names(path: &str, collector: &mut Collector<'_>) -> Vec<(u32, u32)> {
    terms(path, |term| collector.add(Field::Path, term));
    terms(file_stem(path), |term| collector.add(Field::Name, term));
    collector.add(Field::Stem, &compact(file_stem(path)));
    collector.close()
}

/// Names that chunk `number` defines, including the heading of a section.
fn definitions_in(file: &StoredFile, number: usize) -> impl Iterator<Item = &str> {
    let chunk = &file.chunks[number];
    let heading = (chunk.kind == ChunkKind::Section).then_some(chunk.symbol_name.as_deref()).flatten();
    symbols_in(file, number).map(|symbol| symbol.name.as_str()).chain(heading)
}

/// Definitions in chunk `number`: a definition belongs to the chunk with the line of its name.
fn symbols_in(file: &StoredFile, number: usize) -> impl Iterator<Item = &Symbol> {
    let chunk = &file.chunks[number];
    let next_start = file.chunks.get(number + 1).map_or(u32::MAX, |next| next.line_start);
    let lines = chunk.line_start..=chunk.line_end.min(next_start.saturating_sub(1)).max(chunk.line_start);
    let from = file.symbols.partition_point(|symbol| symbol.line < *lines.start());
    file.symbols[from..].iter().take_while(move |symbol| lines.contains(&symbol.line))
}

pub(super) fn is_type(kind: ChunkKind) -> bool {
    matches!(
        kind,
        ChunkKind::Class | ChunkKind::Interface | ChunkKind::Enum | ChunkKind::Type | ChunkKind::Module
    )
}

/// Signs of the retrieval vectors, `dimensions / 64` words a chunk: each chunk's vector plus a share of the path's.
///
/// Only vectors of the built-in model can be added to the path's, which is always of that model.
fn retrieval_bits(file: &StoredFile, path: &Embedding, dimensions: usize, is_builtin: bool) -> Vec<u64> {
    let mut bits = Vec::with_capacity(file.chunks.len() * words_per_vector(dimensions));
    for chunk in &file.chunks {
        let mut vector = chunk.vector.as_ref().map_or_else(|| vec![0.0; dimensions], Quantized::to_f32);
        if is_builtin {
            vector.iter_mut().zip(path.as_slice()).for_each(|(x, p)| *x += PATH_SHARE * p);
        }
        bits.extend(signs(&vector));
    }
    bits
}

/// For each row of signs, its IVF list.
fn nearest_lists(bits: &[u64], dimensions: usize) -> Vec<u16> {
    let mut distances = Vec::new();
    bits.chunks_exact(words_per_vector(dimensions)).map(|signs| nearest_list(signs, &mut distances)).collect()
}

/// Number of 64-bit words that hold the signs of one vector.
pub(crate) fn words_per_vector(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}

/// The sign of each component, packed: bit i of word w is component 64 · w + i.
pub(crate) fn signs(vector: &[f32]) -> impl Iterator<Item = u64> + '_ {
    vector
        .chunks(64)
        .map(|chunk| chunk.iter().enumerate().fold(0, |word, (bit, &x)| word | (u64::from(x > 0.0) << bit)))
}

fn field_embeddings(
    file: &StoredFile,
    path: &Embedding,
    is_builtin: bool,
) -> [Quantized; N_FIELD_EMBEDDINGS] {
    let model = StaticModel::builtin();
    let mut field_embeddings = std::array::from_fn(|_| Quantized { scale: 0.0, codes: Vec::new() });
    let names: Vec<&str> = file.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    let head = &file.text[..file.text.floor_char_boundary(HEAD_BYTES)];
    field_embeddings[FieldEmbedding::Path as usize] = path.quantized();
    field_embeddings[FieldEmbedding::Name as usize] =
        model.document(file_stem(&file.record.path)).quantized();
    field_embeddings[FieldEmbedding::Symbols as usize] = model.document(&names.join(" ")).quantized();
    field_embeddings[FieldEmbedding::Head as usize] = model.document(head).quantized();
    field_embeddings[FieldEmbedding::Whole as usize] =
        whole(file, path.as_slice().len(), is_builtin).quantized();
    field_embeddings
}

/// For each chunk, the vector of its path and of the names that it defines.
fn labels(file: &StoredFile) -> Vec<Quantized> {
    let label = |(number, chunk): (usize, &StoredChunk)| {
        let names = [file.record.path.as_str(), chunk.parent.as_deref().unwrap_or_default()];
        let names = names.into_iter().chain(chunk.symbol_name.as_deref()).chain(definitions_in(file, number));
        names.collect::<Vec<_>>().join("\n")
    };
    let labels: Vec<String> = file.chunks.iter().enumerate().map(label).collect();
    StaticModel::builtin().documents(&labels).iter().map(Embedding::quantized).collect()
}

/// The mean of the chunks' vectors if they are of the built-in model; else the file's text is embedded with that model.
fn whole(file: &StoredFile, dimensions: usize, is_builtin: bool) -> Embedding {
    let vectors = || file.chunks.iter().filter_map(|chunk| chunk.vector.as_ref());
    if !is_builtin {
        return StaticModel::builtin().document(&file.text);
    }
    let mut sum = vec![0.0; dimensions];
    for vector in vectors() {
        sum.iter_mut().zip(&vector.codes).for_each(|(x, &code)| *x += f32::from(code) * vector.scale);
    }
    Embedding::normalized(sum)
}
