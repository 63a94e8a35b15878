//! Computes the ranker's features of candidate files.

use std::collections::HashMap;
use std::ops::Range;

use craig_source::FileKind;
use craig_text::path::{file_stem, folder, name};
use craig_text::{PathRole, PathTraits, compact, is_prefix_of_other, stems};

use crate::analysis::Field;
use crate::features::Features;
use crate::index::{LiveSegment, Totals};
use crate::lexical::{Term, TermPostings, average_tokens, bm25, idf, tf_of, within};
use crate::query::{Name, Query, Shape};
use crate::segment::{FieldEmbedding, Posting, Segment, kind_number};

/// A candidate file with its features.
pub(crate) struct Candidate {
    pub(crate) segment: usize,
    pub(crate) file: u32,
    pub(crate) features: Features,
    pub(crate) chunks: ChunkScores,
}

/// How well each chunk of a file fits a query.
#[derive(Clone)]
pub(crate) struct ChunkScores {
    pub(crate) body: BodyScores,
    pub(crate) cosines: Vec<f32>,
    /// Cosines of their paths and names.
    pub(crate) labels: Vec<f32>,
}

/// Everything that the features of one query's candidates are computed from.
pub(crate) struct FeatureExtractor<'a> {
    pub(crate) query: &'a Query,
    pub(crate) terms: &'a [Term<'a>],
    pub(crate) names: &'a [NamePostings],
    pub(crate) segments: &'a [LiveSegment],
    pub(crate) totals: Totals,
    /// Sum of the terms' idf.
    pub(crate) idf_sum: f32,
}

/// The postings of a name that the query may ask for, by segment.
pub(crate) struct NamePostings {
    /// Chunks that define it.
    pub(crate) definitions: Vec<Vec<Posting>>,
    /// Chunks that define it as a type or module.
    types: Vec<Vec<Posting>>,
    /// Files of that name.
    stems: Vec<Vec<Posting>>,
    /// Chunks whose text contains it; only for a name that joins several words of the query.
    uses: Vec<Vec<Posting>>,
    /// Inverse document frequency of its uses.
    idf: f32,
    /// Words of the query that it joins.
    n_words: usize,
    /// 1 when it is certainly meant as a name, else ½.
    weight: f32,
}

/// What counts for the cosine, and for that of names, of a text with all words of a query, where these are of scripts that have no
/// vectors. Chosen among 0.5, 0.6 and 0.8, and 0 to 0.6, on questions about repositories with Chinese, Japanese and Korean
/// comments: `docs/benchmarks.md`.
const UNREAD_COSINE: f32 = 0.8;
const UNREAD_LABEL: f32 = 0.6;

impl<'a> FeatureExtractor<'a> {
    /// Computes the features of file `file` of segment `segment`.
    pub(crate) fn candidate(&self, segment: usize, file: u32) -> Candidate {
        let chunks = self.chunk_scores(segment, file);
        let mut features = Features::default();
        self.lexical_features(&chunks.body, &mut features);
        self.name_features(segment, file, &mut features);
        self.definition_features(segment, file, &mut features);
        self.role_features(segment, file, &mut features);
        self.dense_features(segment, file, &chunks, &mut features);
        Candidate { segment, file, features, chunks }
    }

    /// How well each chunk of a file fits the query.
    pub(crate) fn chunk_scores(&self, segment: usize, file: u32) -> ChunkScores {
        let chunks = self.segment(segment).chunks_of(file);
        let mut scores = ChunkScores {
            body: self.body_scores(segment, file),
            cosines: self.segment(segment).similarities(&self.query.vector, chunks.clone()).collect(),
            labels: self.segment(segment).label_similarities(&self.query.builtin_vector, chunks).collect(),
        };
        self.add_unread_words(&mut scores);
        scores
    }

    /// Adds the share of the words that a text has, as far as they are of scripts that the built-in embedding cannot read: its
    /// cosines with them are 0 for every text.
    fn add_unread_words(&self, scores: &mut ChunkScores) {
        let idf_sum = self.idf_sum.max(f32::MIN_POSITIVE);
        let words = self.terms.iter().zip(&self.query.terms).enumerate();
        let unread = words.filter(|(_, (_, word))| !word.is_ascii());
        let unread: Vec<(usize, f32)> = unread.map(|(bit, (term, _))| (bit, term.idf / idf_sum)).collect();
        if unread.is_empty() {
            return;
        }
        let share: f32 = unread.iter().map(|(_, share)| share).sum();
        for (chunk, mask) in scores.body.masks.iter().enumerate() {
            let held = unread.iter().filter(|(bit, _)| mask >> bit & 1 == 1);
            let held: f32 = held.map(|(_, share)| share).sum();
            scores.cosines[chunk] = (1.0 - share) * scores.cosines[chunk] + UNREAD_COSINE * held;
            scores.labels[chunk] += UNREAD_LABEL * held;
        }
    }

    fn segment(&self, segment: usize) -> &'a Segment {
        &self.segments[segment].segment
    }

    /// BM25 sums and coverages of the file's text, for each chunk and for the whole file.
    fn body_scores(&self, segment: usize, file: u32) -> BodyScores {
        let chunks = self.segment(segment).chunks_of(file);
        let n_tokens = self.segment(segment).chunk_tokens(chunks.clone());
        let average = average_tokens(self.totals);
        let average_file = (self.totals.n_tokens as f32 / self.totals.n_files.max(1) as f32).max(1.0);
        let file_length = self.segment(segment).files()[file as usize].n_tokens as f32 / average_file;
        let mut scores = BodyScores::new(n_tokens);
        let mut scratch = Vec::new();
        for (bit, term) in self.terms.iter().enumerate() {
            let postings = &term.postings[segment];
            let body = postings.body_within(chunks.clone(), &mut scratch);
            for posting in body {
                let chunk = (posting.doc - chunks.start) as usize;
                let length = n_tokens[chunk] as f32 / average;
                scores.body[chunk] += bm25(term.idf, posting.tf as f32, length);
                scores.coverage[chunk] += term.idf;
                scores.masks[chunk] |= 1 << bit;
            }
            let symbols = within(&postings.symbol, chunks.clone());
            for posting in symbols {
                let chunk = (posting.doc - chunks.start) as usize;
                scores.symbol[chunk] += bm25(term.idf, posting.tf as f32, 1.0);
                scores.masks[chunk] |= 1 << bit;
            }
            let tf_sum = |postings: &[Posting]| {
                postings.iter().map(|posting| u64::from(posting.tf)).sum::<u64>() as f32
            };
            scores.file += bm25(term.idf, tf_sum(body), file_length);
            scores.symbol_file += bm25(term.idf, tf_sum(symbols), 1.0);
            scores.coverage_file += if body.is_empty() { 0.0 } else { term.idf };
        }
        scores.divide(self.idf_sum.max(f32::MIN_POSITIVE));
        scores
    }

    fn lexical_features(&self, body: &BodyScores, features: &mut Features) {
        let three = three_largest(body.body.iter().copied());
        features.body_best = three[0].max(0.0);
        features.body_three = three.iter().filter(|score| score.is_finite()).sum();
        features.body_file = body.file;
        features.symbol_best = max(&body.symbol);
        features.symbol_file = body.symbol_file;
        features.coverage_chunk = max(&body.coverage);
        features.coverage_head = body.coverage.first().copied().unwrap_or_default();
        features.coverage_file = body.coverage_file;
    }

    fn name_features(&self, segment: usize, file: u32, features: &mut Features) {
        let path_idf_sum = self.terms.iter().map(|term| term.path_idf).sum::<f32>().max(f32::MIN_POSITIVE);
        let covered_idf = |field: fn(&'a TermPostings<'a>) -> &'a Vec<Posting>| {
            let holds = |term: &&'a Term<'a>| tf_of(field(&term.postings[segment]), file) > 0;
            self.terms.iter().filter(holds).map(|term| term.path_idf).sum::<f32>() / path_idf_sum
        };
        features.path_coverage = covered_idf(|postings| &postings.path);
        features.name_coverage = covered_idf(|postings| &postings.name);
        let path = self.segment(segment).path_of(file);
        let words: Vec<String> = stems(file_stem(path)).collect();
        let share = |is: &dyn Fn(&String) -> bool| {
            words.iter().filter(|word| is(word)).count() as f32 / words.len().max(1) as f32
        };
        features.name_precision = share(&|word| self.query.terms.contains(word));
        features.name_prefix =
            share(&|word| self.query.terms.iter().any(|term| is_prefix_of_other(word, term, 2)));
        features.name_words = words.len() as f32;
        let folder: Vec<String> = stems(name(folder(path))).collect();
        let in_folder = self.terms.iter().zip(&self.query.terms).filter(|(_, word)| folder.contains(word));
        features.folder_coverage = in_folder.map(|(term, _)| term.path_idf).sum::<f32>() / path_idf_sum;
    }

    /// Adds how often the project uses the candidate's names: too slow for all candidates, so only the best get it.
    pub(crate) fn add_popularity(&self, candidate: &mut Candidate) {
        let segment = self.segment(candidate.segment);
        let main_names = segment.text(segment.files()[candidate.file as usize].main_names);
        let uses: Vec<f32> = main_names.lines().map(|name| self.n_uses(name).ln_1p()).collect();
        candidate.features.used_most = max(&uses);
        candidate.features.used_mean = uses.iter().sum::<f32>() / uses.len().max(1) as f32;
        let name = compact(file_stem(segment.path_of(candidate.file)));
        candidate.features.name_used = self.n_uses(&name).ln_1p();
    }

    /// Number of chunks that contain a name.
    fn n_uses(&self, name: &str) -> f32 {
        let n_in = |segment: &LiveSegment| match segment.live.is_full() {
            true => segment.segment.n_postings(Field::Body, name) as usize,
            false => segment.live_chunks(Field::Body, name).len(),
        };
        self.segments.iter().map(n_in).sum::<usize>() as f32
    }

    fn definition_features(&self, segment: usize, file: u32, features: &mut Features) {
        let chunks = self.segment(segment).chunks_of(file);
        for name in self.names {
            if tf_of(&name.stems[segment], file) > 0 {
                features.name_exact = features.name_exact.max(name.weight);
            }
            let is_in = |places: &[Vec<Posting>]| !within(&places[segment], chunks.clone()).is_empty();
            let shared = |places: &[Vec<Posting>]| {
                let n_places = places.iter().map(Vec::len).sum::<usize>() as f32;
                name.weight / n_places.max(1.0).sqrt()
            };
            if is_in(&name.definitions) {
                features.n_defined += 1.0;
                features.definition_exact = features.definition_exact.max(shared(&name.definitions));
            }
            if is_in(&name.types) {
                features.type_exact = features.type_exact.max(shared(&name.types));
            }
            if name.n_words > 1 {
                let weight = name.idf / self.idf_sum.max(f32::MIN_POSITIVE);
                features.compound_body += if is_in(&name.uses) { weight } else { 0.0 };
                features.compound_symbol += if is_in(&name.definitions) { weight } else { 0.0 };
            }
        }
    }

    fn role_features(&self, segment: usize, file: u32, features: &mut Features) {
        let (query, segment) = (self.query, self.segment(segment));
        let row = &segment.files()[file as usize];
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let role = segment.role(file);
        features.is_test = flag(role == PathRole::Test);
        features.is_example = flag(role == PathRole::Example);
        features.is_vendored = flag(matches!(role, PathRole::Vendored | PathRole::Generated));
        features.is_stub = flag(role == PathRole::Stub);
        features.is_barrel = flag(role == PathRole::Barrel);
        let traits = PathTraits::from_bits(row.traits);
        features.is_other_platform = flag(traits.contains(PathTraits::OTHER_PLATFORM));
        features.is_internal = flag(traits.contains(PathTraits::INTERNAL));
        features.is_legacy = flag(traits.contains(PathTraits::LEGACY));
        features.is_entry = flag(traits.contains(PathTraits::ENTRY));
        features.is_types = flag(traits.contains(PathTraits::TYPES));
        features.is_docs = flag(row.kind == kind_number(FileKind::Docs));
        features.is_config = flag(row.kind == kind_number(FileKind::Config));
        features.log_tokens = (row.n_tokens as f32).ln_1p();
        features.log_definitions = (row.n_definitions as f32).ln_1p();
        features.log_imports = (row.n_imports as f32).ln_1p();
        features.log_chunks = (row.n_chunks as f32).ln_1p();
        features.depth = segment.path_of(file).matches('/').count() as f32;
        features.asks_symbol = flag(query.shape == Shape::Symbol);
        features.asks_question = flag(query.shape == Shape::Question);
        features.asks_report = flag(query.is_report());
        features.n_terms = query.terms.len() as f32;
    }

    fn dense_features(&self, segment: usize, file: u32, chunks: &ChunkScores, features: &mut Features) {
        let segment = self.segment(segment);
        (features.dense_best, features.dense_three) = best_and_three(chunks.cosines.iter().copied());
        (features.label_best, features.label_three) = best_and_three(chunks.labels.iter().copied());
        let field = |field| segment.field_similarity(&self.query.builtin_vector, file, field);
        features.dense_path = field(FieldEmbedding::Path);
        features.dense_name = field(FieldEmbedding::Name);
        features.dense_symbols = field(FieldEmbedding::Symbols);
        features.dense_head = field(FieldEmbedding::Head);
        features.dense_whole = field(FieldEmbedding::Whole);
        if self.query.terms.iter().any(|word| !word.is_ascii()) {
            features.dense_head = chunks.cosines.first().copied().unwrap_or_default();
            features.dense_whole = features.dense_three;
        }
    }

    /// For each of these chunks, how certainly it defines a name that the query asks for: 1, ½ if possibly, or 0.
    pub(crate) fn definers(&self, segment: usize, chunks: Range<u32>) -> Vec<f32> {
        let mut weights = vec![0.0f32; chunks.len()];
        for name in self.names {
            for posting in within(&name.definitions[segment], chunks.clone()) {
                let weight = &mut weights[(posting.doc - chunks.start) as usize];
                *weight = weight.max(name.weight);
            }
        }
        weights
    }

    /// Words of the query that are in the path of a file, as bits.
    pub(crate) fn path_mask(&self, segment: usize, file: u32) -> u64 {
        let holds = |term: &Term<'_>| u64::from(tf_of(&term.postings[segment].path, file) > 0);
        (0..).zip(self.terms).fold(0, |mask, (at, term): (u32, _)| mask | holds(term) << at)
    }
}

/// BM25 sums of one file and of each of its chunks, over the sum of the query's idf.
#[derive(Clone)]
pub(crate) struct BodyScores {
    pub(crate) body: Vec<f32>,
    pub(crate) symbol: Vec<f32>,
    pub(crate) coverage: Vec<f32>,
    /// Words of the query that are in the text or the names of each chunk, as bits.
    pub(crate) masks: Vec<u64>,
    /// Body terms of each chunk.
    pub(crate) n_tokens: Vec<u32>,
    file: f32,
    symbol_file: f32,
    coverage_file: f32,
}

impl BodyScores {
    fn new(n_tokens: &[u32]) -> Self {
        let zeros = || vec![0.0; n_tokens.len()];
        Self {
            masks: vec![0; n_tokens.len()],
            n_tokens: n_tokens.to_vec(),
            body: zeros(),
            symbol: zeros(),
            coverage: zeros(),
            file: 0.0,
            symbol_file: 0.0,
            coverage_file: 0.0,
        }
    }

    fn divide(&mut self, by: f32) {
        let each = [&mut self.body, &mut self.symbol, &mut self.coverage];
        each.into_iter().flatten().for_each(|score| *score /= by);
        [&mut self.file, &mut self.symbol_file, &mut self.coverage_file]
            .into_iter()
            .for_each(|score| *score /= by);
    }
}

fn max(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

/// The largest of `values`, and the mean of the three largest; 0 where there are none.
fn best_and_three(values: impl Iterator<Item = f32>) -> (f32, f32) {
    let three = three_largest(values);
    let found = three.iter().filter(|value| value.is_finite());
    let n_found = found.clone().count();
    if n_found == 0 { (0.0, 0.0) } else { (three[0], found.sum::<f32>() / n_found as f32) }
}

/// The three largest of `values`, descending, filled up with −∞.
fn three_largest(values: impl Iterator<Item = f32>) -> [f32; 3] {
    values.fold([f32::NEG_INFINITY; 3], |[a, b, c], value| match () {
        () if value > a => [value, a, b],
        () if value > b => [a, value, b],
        () if value > c => [a, b, value],
        () => [a, b, c],
    })
}

/// Adds the features that depend on the whole set of candidates.
pub(crate) fn add_set_features(candidates: &mut [Candidate], segments: &[LiveSegment]) {
    let paths: Vec<&str> = candidates.iter().map(|c| segments[c.segment].segment.path_of(c.file)).collect();
    let mut in_folder: HashMap<&str, u32> = HashMap::new();
    for path in &paths {
        *in_folder.entry(folder(path)).or_default() += 1;
    }
    let n_in = |folder: &str| in_folder.get(folder).copied().unwrap_or_default() as f32;
    for (candidate, path) in candidates.iter_mut().zip(&paths) {
        let own_folder = path.rsplit_once('.').map_or(*path, |(without_extension, _)| without_extension);
        candidate.features.hub = n_in(own_folder).ln_1p();
        candidate.features.siblings = (n_in(folder(path)) - 1.0).max(0.0).ln_1p();
    }
}

/// Looks a name up as a definition, as a file name and, when it joins several words, in the texts.
pub(crate) fn look_up_name(name: &Name, segments: &[LiveSegment], totals: Totals) -> NamePostings {
    let of_chunks =
        |field| segments.iter().map(|segment| segment.live_chunks(field, &name.compact)).collect();
    let uses: Vec<Vec<Posting>> =
        if name.n_words > 1 { of_chunks(Field::Body) } else { segments.iter().map(|_| Vec::new()).collect() };
    NamePostings {
        definitions: of_chunks(Field::Definition),
        types: of_chunks(Field::TypeDefinition),
        stems: segments.iter().map(|segment| segment.live_files(Field::Stem, &name.compact)).collect(),
        idf: idf(totals.n_chunks, uses.iter().map(Vec::len).sum()),
        uses,
        n_words: name.n_words,
        weight: if name.is_certain { 1.0 } else { 0.5 },
    }
}
