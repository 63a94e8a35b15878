//! The pool: the chunks that may answer, with their features.

use std::collections::HashMap;
use std::ops::Range;

use craig_source::FileKind;
use craig_text::{PathRole, is_test_module, stems};

use crate::ChunkFeatures as Features;
use crate::feature_extractor::{ChunkScores, FeatureExtractor};
use crate::frames::Frame;
use crate::ranker::score_features;
use crate::ranking::RankedFile;
use crate::segment::{ChunkRow, Segment, TextRef, kind_number};

/// Number of top-ranked files whose chunks may all be in the pool.
const N_WHOLE_FILES: usize = 10;

/// Number of top-ranked files whose chunks may be in the pool, and the number of chunks of the later ones.
const N_FILES: usize = 24;
const N_OF_OTHERS: usize = 2;

/// Files behind these that belong to the pool because the query names lines of them.
const N_FRAMED_FILES: usize = 8;

/// Chunks in the pool: of 1,449 questions, one that answers is in it for 0.94.
const N_POOLED: usize = 96;

/// Chunks in the pool of a report, whose many words tell less of each: of 61 issues of SWE-bench Lite, all functions that the
/// fix edits are in it for 0.82, in one of 96 for 0.72.
const N_POOLED_OF_REPORT: usize = 192;

/// Weights of what the pool is chosen by.
const SYMBOL_WEIGHT: f32 = 0.5;
const LABEL_WEIGHT: f32 = 0.5;
const DEFINES_WEIGHT: f32 = 0.25;
const GAP_WEIGHT: f32 = 0.03;

/// A chunk that may answer.
pub(crate) struct PooledChunk {
    /// Place of its file in the ranking, from 0.
    pub(crate) rank: usize,
    /// Number within the segment.
    pub(crate) chunk: u32,
    pub(crate) features: Features,
    /// It is a test, whatever its file is.
    pub(crate) is_test: bool,
    /// Where the query names a line of it: by how many places nearer to the innermost call it names others, too.
    pub(crate) frame: Option<usize>,
    /// Words of the longest message of its text that is in the query, as far as that was looked for.
    pub(crate) literal: usize,
}

/// What is computed of all chunks of a file at once.
struct FileChunks<'s> {
    segment: &'s Segment,
    number: usize,
    file: u32,
    chunks: Range<u32>,
    scores: &'s ChunkScores,
    defines: Vec<f32>,
}

/// Chooses the pool, to which the chunks that `frames` name belong.
pub(crate) fn pool<'a>(
    extractor: &FeatureExtractor<'a>,
    ranked: &'a [RankedFile],
    frames: &[Frame],
) -> Vec<PooledChunk> {
    let scores: Vec<f32> = ranked.iter().map(|file| file.score).collect();
    let of_scores = score_features(&scores);
    let is_framed = |(_, file): &(usize, &RankedFile)| {
        let segment = &extractor.segments[file.candidate.segment].segment;
        frames.iter().any(|frame| frame.is_of(segment.path_of(file.candidate.file)))
    };
    let framed_files = ranked.iter().enumerate().skip(N_FILES).filter(is_framed).take(N_FRAMED_FILES);
    let files: Vec<(usize, FileChunks<'_>)> = (ranked.iter().enumerate().take(N_FILES).chain(framed_files))
        .map(|(rank, file)| (rank, FileChunks::new(extractor, file)))
        .collect();
    // Each by the place of its file in `files`, and its own place there.
    let mut chosen: Vec<(f32, usize, u32)> = Vec::new();
    for (place, (rank, file)) in files.iter().enumerate() {
        let gap = GAP_WEIGHT * of_scores[*rank][GAP];
        let first = chosen.len();
        chosen.extend((0u32..).zip(file.blends()).map(|(at, blend)| (blend - gap, place, at)));
        if *rank >= N_WHOLE_FILES {
            keep_best(&mut chosen, first, N_OF_OTHERS);
        }
    }
    keep_best(&mut chosen, 0, if extractor.query.is_report() { N_POOLED_OF_REPORT } else { N_POOLED });
    let framed = framed(&files, frames);
    let missing =
        framed.iter().filter(|framed| !chosen.iter().any(|&(_, place, at)| (place, at) == **framed));
    let missing: Vec<_> = missing.map(|&(place, at)| (0.0, place, at)).collect();
    chosen.extend(missing);
    // In the order of files and lines, so that equal scores stay in it.
    chosen.sort_unstable_by_key(|&(_, place, at)| (place, at));
    let mut words = SharedWords::new(extractor);
    let unknown = extractor.terms.iter().filter(|term| term.is_unknown()).map(|term| term.idf);
    let unknown_share = unknown.sum::<f32>() / extractor.idf_sum.max(f32::MIN_POSITIVE);
    let mut pool: Vec<PooledChunk> = chosen
        .into_iter()
        .map(|(_, place, at)| {
            let (rank, ref file) = files[place];
            let mut features = file.features(extractor, at as usize, &mut words);
            features.file_rank = (rank as f32 + 1.0).ln();
            features.file_gap = of_scores[rank][GAP];
            features.file_share = of_scores[rank][SHARE];
            features.file_relevance = ranked[rank].relevance;
            features.file_coverage = ranked[rank].candidate.features.coverage_file;
            features.file_cosine = ranked[rank].candidate.features.dense_best;
            features.unknown_share = unknown_share;
            PooledChunk {
                rank,
                chunk: file.chunks.start + at,
                features,
                is_test: file.is_test(at as usize),
                frame: framed.iter().position(|framed| *framed == (place, at)),
                literal: 0,
            }
        })
        .collect();
    compare(&mut pool);
    pool
}

/// The chunk of a file that the pool would take first.
pub(crate) fn best_chunk<'a>(extractor: &FeatureExtractor<'a>, ranked: &'a RankedFile) -> Option<u32> {
    let file = FileChunks::new(extractor, ranked);
    let best = (0..).zip(file.blends()).reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(at, _): (u32, f32)| file.chunks.start + at)
}

/// The chunks that the query names lines of, from the innermost call: each by the place of its file and its own place there.
fn framed(files: &[(usize, FileChunks<'_>)], frames: &[Frame]) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    for frame in frames {
        for (place, (_, file)) in files.iter().enumerate() {
            if frame.is_of(file.segment.path_of(file.file)) {
                found.extend(
                    file.framed(frame).map(|at| (place, at)).filter(|framed| !found.contains(framed)),
                );
            }
        }
    }
    found
}

/// Places of the [`score_features`] of files.
const SHARE: usize = 1;
const GAP: usize = 2;

/// Keeps the `n` best of those from `first` on; of equals, those that come first.
fn keep_best(chosen: &mut Vec<(f32, usize, u32)>, first: usize, n: usize) {
    if chosen.len() > first + n {
        chosen[first..]
            .select_nth_unstable_by(n, |a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        chosen.truncate(first + n);
    }
}

impl<'s> FileChunks<'s> {
    fn new(extractor: &FeatureExtractor<'s>, ranked: &'s RankedFile) -> Self {
        let (number, file) = (ranked.candidate.segment, ranked.candidate.file);
        let segment = &extractor.segments[number].segment;
        let chunks = segment.chunks_of(file);
        let defines = extractor.definers(number, chunks.clone());
        Self { segment, number, file, chunks, scores: &ranked.candidate.chunks, defines }
    }

    /// For each chunk, what the pool is chosen by.
    fn blends(&self) -> impl Iterator<Item = f32> + '_ {
        (0..self.scores.cosines.len()).map(|at| self.blend(at))
    }

    fn blend(&self, at: usize) -> f32 {
        self.scores.body.body[at]
            + SYMBOL_WEIGHT * self.scores.body.symbol[at]
            + self.scores.cosines[at]
            + LABEL_WEIGHT * self.scores.labels[at]
            + DEFINES_WEIGHT * self.defines[at]
    }

    fn row(&self, at: usize) -> ChunkRow {
        self.segment.chunk(self.chunks.start + at as u32)
    }

    /// The chunk that a frame is in: of the function that it names, the nearest to its line; else the one with its line.
    fn framed(&self, frame: &Frame) -> Option<u32> {
        let distance = |at: u32| {
            let row = self.row(at as usize);
            row.line_start.saturating_sub(frame.line) + frame.line.saturating_sub(row.line_end)
        };
        let is_named = |at: &u32| {
            let symbol = self.segment.text(self.row(*at as usize).symbol);
            frame.function.as_deref().is_some_and(|function| symbol == function)
        };
        let all = 0..self.chunks.len() as u32;
        let named = all.clone().filter(is_named).min_by_key(|&at| distance(at));
        named.or_else(|| all.clone().find(|&at| distance(at) == 0))
    }

    /// Whether a chunk is a test by its name or by its enclosing item: Rust has `mod tests` in files of the product.
    fn is_test(&self, at: usize) -> bool {
        let row = self.row(at);
        let of_tests = |part: &str| is_test_module(part) || part.ends_with("Tests");
        let parent = self.segment.text(row.parent);
        let symbol = self.segment.text(row.symbol);
        parent.split(['.', ':', '#']).any(of_tests) || of_tests(symbol) || symbol.starts_with("test_")
    }

    /// The features of the chunk at `at`, without those that compare it with others of the pool.
    fn features(&self, extractor: &FeatureExtractor<'_>, at: usize, words: &mut SharedWords<'_>) -> Features {
        let row = self.row(at);
        let idf_sum = extractor.idf_sum.max(f32::MIN_POSITIVE);
        let name = words.shared(self.number, self.segment, row.symbol);
        let parent = words.shared(self.number, self.segment, row.parent);
        let covered = |mask: u64| {
            let idf = |(at, term): (usize, &crate::lexical::Term<'_>)| {
                if mask >> at & 1 == 1 { term.idf } else { 0.0 }
            };
            extractor.terms.iter().enumerate().map(idf).sum::<f32>() / idf_sum
        };
        let pieces = self.pieces(at, &row);
        let largest = |values: &[f32]| values[pieces.clone()].iter().copied().fold(f32::MIN, f32::max);
        let file = &self.segment.files()[self.file as usize];
        let n_chunks = self.scores.cosines.len();
        let flag = |is: bool| f32::from(u8::from(is));
        Features {
            body: self.scores.body.body[at],
            symbol: self.scores.body.symbol[at],
            coverage: self.scores.body.coverage[at],
            coverage_all: covered(
                self.scores.body.masks[at] | extractor.path_mask(self.number, self.file) | parent.mask,
            ),
            cosine: self.scores.cosines[at],
            label: self.scores.labels[at],
            defines: self.defines[at],
            name_precision: name.precision,
            parent_coverage: covered(parent.mask),
            body_symbol: largest(&self.scores.body.body),
            cosine_symbol: largest(&self.scores.cosines),
            body_before: at.checked_sub(1).map_or(0.0, |before| self.scores.body.body[before]),
            body_after: self.scores.body.body.get(at + 1).copied().unwrap_or_default(),
            kind: f32::from(row.kind),
            n_pieces: pieces.len() as f32,
            n_lines: (row.line_end + 1).saturating_sub(row.line_start) as f32,
            log_tokens: (self.scores.body.n_tokens[at] as f32).ln_1p(),
            comment_share: f32::from(row.comment_percent) / 100.0,
            position: at as f32 / n_chunks.max(1) as f32,
            log_chunks: (n_chunks as f32).ln_1p(),
            is_test: flag(self.segment.role(self.file) == PathRole::Test),
            is_docs: flag(file.kind == kind_number(FileKind::Docs)),
            n_terms: extractor.terms.len() as f32,
            mean_idf: extractor.idf_sum / extractor.terms.len().max(1) as f32,
            blend: self.blend(at),
            ..Features::default()
        }
    }

    /// The chunks around `at` that are pieces of the same symbol.
    fn pieces(&self, at: usize, row: &ChunkRow) -> Range<usize> {
        let is_piece = |other: usize| {
            let other = self.row(other);
            row.symbol.len > 0 && other.symbol == row.symbol && other.parent == row.parent
        };
        let first = (0..at).rev().take_while(|&before| is_piece(before)).last().unwrap_or(at);
        let last =
            (at + 1..self.scores.cosines.len()).take_while(|&after| is_piece(after)).last().unwrap_or(at);
        first..last + 1
    }
}

/// The overlap of names with the query, computed once per name.
struct SharedWords<'q> {
    extractor: &'q FeatureExtractor<'q>,
    known: HashMap<(usize, TextRef), Shared, foldhash::fast::FixedState>,
}

/// The overlap of a name with the query.
#[derive(Clone, Copy, Default)]
struct Shared {
    /// Words of the query that are in the name.
    mask: u64,
    /// Share of the words of the name that are in the query.
    precision: f32,
}

impl<'q> SharedWords<'q> {
    fn new(extractor: &'q FeatureExtractor<'q>) -> Self {
        Self { extractor, known: HashMap::default() }
    }

    fn shared(&mut self, number: usize, segment: &Segment, name: TextRef) -> Shared {
        let terms = &self.extractor.query.terms;
        *self.known.entry((number, name)).or_insert_with(|| {
            let (mut mask, mut n_words, mut n_shared) = (0u64, 0, 0);
            for word in stems(segment.text(name)) {
                n_words += 1;
                if let Some(at) = terms.iter().position(|term| *term == word) {
                    n_shared += 1;
                    mask |= 1 << at;
                }
            }
            Shared { mask, precision: n_shared as f32 / n_words.max(1) as f32 }
        })
    }
}

/// Adds the features that compare each chunk with the best of the pool and of its file.
fn compare(pool: &mut [PooledChunk]) {
    let n_files = pool.iter().map(|chunk| chunk.rank + 1).max().unwrap_or_default();
    let mut with = |value: fn(&Features) -> f32, set: fn(&mut Features, f32, f32)| {
        let mut best = f32::MIN;
        let mut of_file = vec![f32::MIN; n_files];
        for chunk in pool.iter() {
            let own = value(&chunk.features);
            best = best.max(own);
            of_file[chunk.rank] = of_file[chunk.rank].max(own);
        }
        for chunk in pool.iter_mut() {
            let own = value(&chunk.features);
            set(&mut chunk.features, best - own, of_file[chunk.rank] - own);
        }
    };
    with(|f| f.blend, |f, all, file| (f.blend_below, f.blend_below_file) = (all, file));
    with(
        |f| f.coverage_all,
        |f, all, file| {
            (f.coverage_below, f.coverage_below_file) = (all, file);
            f.best_coverage = f.coverage_all + all;
        },
    );
    with(|f| f.body_symbol, |f, all, file| (f.body_symbol_below, f.body_symbol_below_file) = (all, file));
    with(
        |f| f.cosine_symbol,
        |f, all, file| (f.cosine_symbol_below, f.cosine_symbol_below_file) = (all, file),
    );
    with(|f| f.label, |f, all, _| f.label_below = all);
    with(|f| f.cosine, |f, all, _| f.best_cosine = f.cosine + all);
    with(|f| f.file_relevance, |f, all, _| f.best_file_relevance = f.file_relevance + all);
}
