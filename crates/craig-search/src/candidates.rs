//! Candidate generation: the union of the best files of several retrievals.
//!
//! Each retrieval contributes a fixed number of files, ties broken by path, so that the candidates do not depend on how files
//! are spread over segments.

use std::cmp::Ordering;

use craig_text::PathRole;
use fixedbitset::FixedBitSet;

use crate::dense::{ChunkAt, nearest_by_sign};
use crate::feature_extractor::FeatureExtractor;
use crate::index::{LiveSegment, Totals};
use crate::ivf::probed_lists;
use crate::lexical::{Term, best_chunks};
use crate::query::Query;
use crate::segment::{FieldEmbedding, PATH_SHARE};
use crate::top_k::TopK;

/// Number of files by the BM25 of their best chunks, and of chunks that these are chosen from: with fewer chunks, a few large
/// files with many good ones would take all places.
const N_LEXICAL: usize = 32;
const N_LEXICAL_CHUNKS: usize = 160;

/// Number of files by the cosine of their best chunks, and of chunks by sign that these are chosen from.
const N_DENSE: usize = 32;
const N_BY_SIGN: usize = 200;

/// Number of files by their paths.
const N_PATHS: usize = 16;

/// Number of files that define one name of the query.
const N_DEFINITIONS: usize = 6;

/// A file as (segment, number in the segment).
pub(crate) type FileAt = (usize, u32);

/// All candidate files, ordered by path: those found `by_words` and `by_vector`, and those that define a name of the query.
pub(crate) fn candidate_files(
    extractor: &FeatureExtractor<'_>,
    allowed: &[FixedBitSet],
    by_words: Vec<FileAt>,
    by_vector: Vec<FileAt>,
) -> Vec<FileAt> {
    let places = Places { segments: extractor.segments };
    let defined = extractor.names.iter().flat_map(|name| places.definition_files(&name.definitions, allowed));
    let mut files: Vec<FileAt> = by_words.into_iter().chain(by_vector).chain(defined).collect();
    files.sort_unstable();
    files.dedup();
    files.sort_by_cached_key(|&file| places.path(file));
    files
}

/// The files whose texts, names and paths match the words of the query best.
pub(crate) fn files_by_words(
    terms: &[Term<'_>],
    segments: &[LiveSegment],
    allowed: &[FixedBitSet],
    totals: Totals,
) -> Vec<FileAt> {
    let places = Places { segments };
    let chunks = best_chunks(terms, segments, allowed, totals, N_LEXICAL_CHUNKS);
    let mut paths = best_paths(terms, segments, allowed);
    keep_best(&mut paths, N_PATHS, |a, b| places.compare_files(*a, *b));
    let files = places.best_files(chunks, N_LEXICAL).into_iter().chain(paths);
    files.map(|(_, file)| file).collect()
}

/// The files with the chunks whose vectors are most similar to the query's.
pub(crate) fn files_by_vector(
    query: &Query,
    segments: &[LiveSegment],
    allowed: &[FixedBitSet],
) -> Vec<FileAt> {
    let places = Places { segments };
    let lists = probed_lists(&query.vector, n_chunks(segments, allowed));
    let near = nearest_by_sign(segments, allowed, query, lists.as_deref(), N_BY_SIGN);
    let files = places.best_files(rescored(near, query, &places), N_DENSE);
    files.into_iter().map(|(_, file)| file).collect()
}

/// Number of chunks of the allowed files.
fn n_chunks(segments: &[LiveSegment], allowed: &[FixedBitSet]) -> usize {
    let in_segment = |(live, allowed): (&LiveSegment, &FixedBitSet)| match allowed.is_full() {
        true => live.segment.n_chunks(),
        false => allowed.ones().map(|file| live.segment.files()[file].n_chunks as usize).sum(),
    };
    segments.iter().zip(allowed).map(in_segment).sum()
}

/// The chunks with their cosines.
fn rescored(chunks: Vec<ChunkAt>, query: &Query, places: &Places<'_>) -> Vec<(f32, ChunkAt)> {
    let rescored = |at: ChunkAt| {
        let segment = &places.segments[at.segment].segment;
        let (_, file) = places.file_of(at);
        let path = segment.field_similarity(&query.builtin_vector, file, FieldEmbedding::Path);
        (segment.similarity(&query.vector, at.chunk) + PATH_SHARE * path, at)
    };
    chunks.into_iter().map(rescored).collect()
}

/// Files whose path or name contains words of the query, each with the sum of their path idf: the [`N_PATHS`] best, and all
/// with the same score as the last of these.
fn best_paths(terms: &[Term<'_>], segments: &[LiveSegment], allowed: &[FixedBitSet]) -> Vec<(f32, FileAt)> {
    let mut best = TopK::new(N_PATHS);
    for (number, segment) in segments.iter().enumerate() {
        let mut scores = vec![0.0f32; segment.segment.files().len()];
        for term in terms {
            let postings = &term.postings[number];
            for posting in postings.path.iter().chain(&postings.name) {
                scores[posting.doc as usize] += term.path_idf;
            }
        }
        for (file, score) in (0u32..).zip(scores) {
            if score > 0.0 && score >= best.threshold() && allowed[number][file as usize] {
                best.offer(score, (number, file));
            }
        }
    }
    best.into_vec()
}

/// Keeps the `n` highest scores; ties are broken by `tie`.
fn keep_best<T>(scored: &mut Vec<(f32, T)>, n: usize, tie: impl Fn(&T, &T) -> Ordering) {
    if scored.len() > n {
        scored.select_nth_unstable_by(n - 1, |a, b| b.0.total_cmp(&a.0).then_with(|| tie(&a.1, &b.1)));
        scored.truncate(n);
    }
}

/// Orders files and chunks by path, independently of the segment that they are stored in.
struct Places<'a> {
    segments: &'a [LiveSegment],
}

impl Places<'_> {
    fn file_of(&self, at: ChunkAt) -> FileAt {
        (at.segment, self.segments[at.segment].segment.file_of(at.chunk))
    }

    fn path(&self, (segment, file): FileAt) -> &[u8] {
        self.segments[segment].segment.path_bytes(file)
    }

    fn compare_files(&self, a: FileAt, b: FileAt) -> Ordering {
        self.path(a).cmp(self.path(b))
    }

    /// The `n` files with the best chunks, each with the score of its best.
    fn best_files(&self, chunks: Vec<(f32, ChunkAt)>, n: usize) -> Vec<(f32, FileAt)> {
        let mut files: Vec<_> = chunks.into_iter().map(|(score, at)| (score, self.file_of(at))).collect();
        files.sort_unstable_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.total_cmp(&a.0)));
        files.dedup_by_key(|(_, file)| *file);
        keep_best(&mut files, n, |a, b| self.compare_files(*a, *b));
        files
    }

    /// The first [`N_DEFINITIONS`] files of these definitions: product code first, then by path.
    fn definition_files(
        &self,
        definitions: &[Vec<crate::segment::Posting>],
        allowed: &[FixedBitSet],
    ) -> Vec<FileAt> {
        let chunks = definitions.iter().enumerate();
        let chunks =
            chunks.flat_map(|(segment, list)| list.iter().map(move |p| ChunkAt { segment, chunk: p.doc }));
        let mut files: Vec<FileAt> = chunks
            .map(|at| self.file_of(at))
            .filter(|&(segment, file)| allowed[segment][file as usize])
            .collect();
        files.sort_unstable();
        files.dedup();
        let is_not_source =
            |(segment, file): FileAt| self.segments[segment].segment.role(file) != PathRole::Source;
        let in_order = |&a: &FileAt, &b: &FileAt| {
            is_not_source(a).cmp(&is_not_source(b)).then_with(|| self.compare_files(a, b))
        };
        if files.len() > N_DEFINITIONS {
            files.select_nth_unstable_by(N_DEFINITIONS - 1, in_order);
            files.truncate(N_DEFINITIONS);
        }
        files
    }
}
