//! Which files are worth the ranker's look: the best of several retrievals.
//!
//! Each gives a fixed number, ties cut by path, so that the choice does not depend on how files are spread over
//! segments.

use std::cmp::Ordering;

use craig_text::PathRole;
use fixedbitset::FixedBitSet;

use crate::best::Best;
use crate::ivf::probed_lists;
use crate::dense::{ChunkAt, nearest_by_sign};
use crate::index::{LiveSegment, Totals};
use crate::lexical::{Term, best_chunks};
use crate::query::Query;
use crate::scene::Scene;
use crate::segment::{Aspect, PATH_SHARE};

/// Files by the BM25 of their best chunks, and chunks that these are chosen from: else a few large files, each with many
/// good chunks, are all there is.
const N_LEXICAL: usize = 32;
const N_LEXICAL_CHUNKS: usize = 160;

/// Files by the cosine of their best chunks, and chunks by sign that these are chosen from.
const N_DENSE: usize = 32;
const N_BY_SIGN: usize = 200;

/// Files by their paths.
const N_PATHS: usize = 16;

/// Places that define one asked name.
const N_DEFINITIONS: usize = 6;

/// A file as (segment, number in the segment).
pub(crate) type FileAt = (usize, u32);

/// Files that are worth the ranker's look, by path: those found `by_words` and `by_meaning`, and those that define a name
/// of the query.
pub(crate) fn candidate_files(
    scene: &Scene<'_>,
    allowed: &[FixedBitSet],
    by_words: Vec<FileAt>,
    by_meaning: Vec<FileAt>,
) -> Vec<FileAt> {
    let places = Places { segments: scene.segments };
    let defined = scene.names.iter().flat_map(|name| places.of_definitions(&name.definitions, allowed));
    let mut files: Vec<FileAt> = by_words.into_iter().chain(by_meaning).chain(defined).collect();
    files.sort_unstable();
    files.dedup();
    files.sort_by_cached_key(|&file| places.path(file));
    files
}

/// The files whose texts, names and paths hold the words of the query best.
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

/// The files with the chunks whose vectors are most like the query's.
pub(crate) fn files_by_meaning(
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

/// Chunks with their cosines.
fn rescored(chunks: Vec<ChunkAt>, query: &Query, places: &Places<'_>) -> Vec<(f32, ChunkAt)> {
    let rescored = |at: ChunkAt| {
        let segment = &places.segments[at.segment].segment;
        let (_, file) = places.file_of(at);
        let path = segment.aspect_similarity(&query.aspect_vector, file, Aspect::Path);
        (segment.similarity(&query.vector, at.chunk) + PATH_SHARE * path, at)
    };
    chunks.into_iter().map(rescored).collect()
}

/// Files whose path or name holds words of the query, each with the sum of their path idf.
///
/// The [`N_PATHS`] best, and all that equal the last of these.
fn best_paths(terms: &[Term<'_>], segments: &[LiveSegment], allowed: &[FixedBitSet]) -> Vec<(f32, FileAt)> {
    let mut best = Best::new(N_PATHS);
    for (number, segment) in segments.iter().enumerate() {
        let mut scores = vec![0.0f32; segment.segment.files().len()];
        for term in terms {
            let postings = &term.postings[number];
            for posting in postings.path.iter().chain(&postings.name) {
                scores[posting.doc as usize] += term.path_idf;
            }
        }
        for (file, score) in (0u32..).zip(scores) {
            if score > 0.0 && score >= best.lowest() && allowed[number][file as usize] {
                best.offer(score, (number, file));
            }
        }
    }
    best.into_vec()
}

/// Keeps the `n` highest scores; equal scores are kept in the order of `tie`.
fn keep_best<T>(scored: &mut Vec<(f32, T)>, n: usize, tie: impl Fn(&T, &T) -> Ordering) {
    if scored.len() > n {
        scored.select_nth_unstable_by(n - 1, |a, b| b.0.total_cmp(&a.0).then_with(|| tie(&a.1, &b.1)));
        scored.truncate(n);
    }
}

/// Compares files and chunks by what they are, not by where they are stored.
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

    /// The first [`N_DEFINITIONS`] files of definitions: product code first, then by path.
    fn of_definitions(
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
        let is_beside =
            |(segment, file): FileAt| self.segments[segment].segment.role(file) != PathRole::Source;
        let in_order =
            |&a: &FileAt, &b: &FileAt| is_beside(a).cmp(&is_beside(b)).then_with(|| self.compare_files(a, b));
        if files.len() > N_DEFINITIONS {
            files.select_nth_unstable_by(N_DEFINITIONS - 1, in_order);
            files.truncate(N_DEFINITIONS);
        }
        files
    }
}
