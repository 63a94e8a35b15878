//! A search from query to hits.

use std::collections::BTreeSet;

use craig_model::{Embedder, ModelError};
use craig_store::{FileId, Store};
use fixedbitset::FixedBitSet;

use crate::filter::Filter;
use crate::hit::{Evidence, Hit, MoreRange};
use crate::index::Index;
use crate::lexical::{Term, best_chunks, keep_best, look_up};
use crate::query::Query;
use crate::ranker::{relevances, score};
use crate::scene::{Candidate, Scene, look_up_name, relate};
use crate::{FEATURE_NAMES, Features, SearchError, dense};

/// Chunks that each of the two retrievals hands to the ranker.
const N_CANDIDATES: usize = 100;

/// Files that the ranker gets for their path alone.
const N_PATH_CANDIDATES: usize = 40;

/// Places that define one asked name, at most, that the ranker gets for that alone.
const N_DEFINITIONS: usize = 30;

/// Most ranges listed beside a hit.
const MAX_MORE: usize = 4;

/// A further range of a file is told when its score is at least this share of the best's.
const MORE_SHARE: f32 = 0.6;

/// How a search answers.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Most hits.
    pub limit: usize,
    /// Most hits of one file.
    pub per_file: usize,
    /// Hits below this relevance are left out; 0..=1.
    pub min_score: f32,
    /// Files that may answer.
    pub filter: Filter,
    /// Retrievals that may find candidates, for ablations.
    pub retrieval: Retrieval,
}

/// Which retrieval finds candidates and orders them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retrieval {
    /// Both, ordered by the ranker.
    #[default]
    Ranked,
    /// BM25 alone, in its own order.
    Lexical,
    /// Cosine alone, in its own order.
    Dense,
    /// Both, fused by reciprocal rank, without the ranker.
    Fused,
}

impl Retrieval {
    /// Gives each candidate its score: higher is better.
    fn scored(self, candidates: Vec<Candidate>) -> Vec<(f32, Candidate)> {
        let scores: Vec<f32> = match self {
            Self::Ranked => candidates.iter().map(|candidate| score(&candidate.features)).collect(),
            Self::Lexical => candidates.iter().map(|candidate| candidate.features.body_best).collect(),
            Self::Dense => candidates.iter().map(|candidate| candidate.features.dense_best).collect(),
            Self::Fused => {
                let lexical = reciprocal_ranks(&candidates, |features| features.body_best);
                let dense = reciprocal_ranks(&candidates, |features| features.dense_best);
                lexical.into_iter().zip(dense).map(|(a, b)| a + b).collect()
            }
        };
        scores.into_iter().zip(candidates).collect()
    }
}

/// 1 / (60 + rank) of each candidate by `value`, ranks from 1. Source: Cormack, Clarke & Büttcher, SIGIR 2009.
fn reciprocal_ranks(candidates: &[Candidate], value: fn(&Features) -> f32) -> Vec<f32> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| value(&candidates[b].features).total_cmp(&value(&candidates[a].features)));
    let mut scores = vec![0.0; candidates.len()];
    (1..).zip(order).for_each(|(rank, candidate)| scores[candidate] = 1.0 / (60.0 + rank as f32));
    scores
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            limit: 10,
            per_file: 1,
            min_score: 0.0,
            filter: Filter::default(),
            retrieval: Retrieval::Ranked,
        }
    }
}

/// A candidate file with its features, for training and evaluation.
#[derive(Clone, Debug)]
pub struct CandidateFeatures {
    /// Path of the file.
    pub path: String,
    /// What the ranker sees.
    pub features: Features,
    /// First and last line of its best chunk.
    pub lines: (u32, u32),
}

impl Index {
    /// Finds the files that answer `text`, best first, ties by path; the same index always gives the same hits.
    ///
    /// Fails when `text` is blank. A text without a known word finds nothing.
    pub fn search(
        &self,
        store: &Store,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<Vec<Hit>, SearchError> {
        let (_, ranked) = self.ranked(text, embedder, options)?;
        let mut hits = Vec::new();
        for (relevance, candidate) in ranked {
            if hits.len() >= options.limit || relevance < options.min_score {
                break;
            }
            for place in 0..options.per_file.min(candidate.chunks.len()) {
                if hits.len() < options.limit {
                    hits.extend(self.hit(store, &candidate, place, relevance, options.per_file)?);
                }
            }
        }
        Ok(hits)
    }

    /// The candidates of `text` with their features, in ranked order.
    pub fn candidates(
        &self,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<Vec<CandidateFeatures>, SearchError> {
        let (_, ranked) = self.ranked(text, embedder, options)?;
        Ok(ranked.into_iter().map(|(_, candidate)| self.describe(&candidate)).collect())
    }

    fn describe(&self, candidate: &Candidate) -> CandidateFeatures {
        let segment = &self.segments[candidate.segment].segment;
        let row = &segment.chunks()[candidate.chunks[0].1 as usize];
        CandidateFeatures {
            path: segment.path(candidate.file).to_owned(),
            features: candidate.features,
            lines: (row.line_start, row.line_end),
        }
    }

    fn ranked(
        &self,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<(Query, Vec<(f32, Candidate)>), SearchError> {
        if text.trim().is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        let query = Query::new(text, embedder).map_err(|error: ModelError| SearchError::Model(error))?;
        let allowed: Vec<_> = self.segments.iter().map(|segment| options.filter.files(segment)).collect();
        let terms = look_up(&query.terms, &self.segments, self.totals);
        let names: Vec<_> =
            query.names.iter().map(|name| look_up_name(name, &self.segments, self.totals)).collect();
        let scene = Scene {
            query: &query,
            terms: &terms,
            names: &names,
            segments: &self.segments,
            totals: self.totals,
            idf_sum: terms.iter().map(|term| term.idf).sum(),
        };
        let files = self.candidate_files(&scene, &allowed);
        let mut candidates: Vec<_> =
            files.into_iter().map(|(segment, file)| scene.candidate(segment, file)).collect();
        relate(&mut candidates, &self.segments);
        let mut ranked = options.retrieval.scored(candidates);
        let path = |candidate: &Candidate| self.segments[candidate.segment].segment.path(candidate.file);
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| path(&a.1).cmp(path(&b.1))));
        let relevances = relevances(&ranked.iter().map(|&(score, _)| score).collect::<Vec<_>>());
        ranked.iter_mut().zip(relevances).for_each(|((score, _), relevance)| *score = relevance);
        Ok((query, ranked))
    }

    /// Files that are worth the ranker's look, as (segment, file).
    fn candidate_files(&self, scene: &Scene<'_>, allowed: &[FixedBitSet]) -> BTreeSet<(usize, u32)> {
        let segments = &self.segments;
        let lexical = best_chunks(scene.terms, segments, allowed, self.totals, N_CANDIDATES);
        let dense = dense::nearest_by_sign(segments, allowed, scene.query, N_CANDIDATES);
        let defined = scene.names.iter().flat_map(|name| {
            let places = name.definitions.iter().enumerate();
            places
                .flat_map(|(segment, list)| list.iter().map(move |posting| (segment, posting.doc)))
                .take(N_DEFINITIONS)
        });
        let of_chunk =
            |segment: usize, chunk: u32| (segment, segments[segment].segment.chunks()[chunk as usize].file);
        lexical
            .iter()
            .chain(&dense)
            .map(|at| of_chunk(at.segment, at.chunk))
            .chain(defined.map(|(segment, chunk)| of_chunk(segment, chunk)))
            .chain(best_paths(scene.terms, segments.len()))
            .filter(|&(segment, file)| allowed[segment][file as usize])
            .collect()
    }

    fn hit(
        &self,
        store: &Store,
        candidate: &Candidate,
        place: usize,
        relevance: f32,
        per_file: usize,
    ) -> Result<Option<Hit>, SearchError> {
        let segment = &self.segments[candidate.segment].segment;
        let file = &segment.files()[candidate.file as usize];
        let (best, _) = candidate.chunks[0];
        let (own, chunk) = candidate.chunks[place];
        let row = &segment.chunks()[chunk as usize];
        let start = row.start_byte.saturating_sub(row.overlap_bytes);
        let Some(content) = store.text_range(FileId(file.id), start, row.end_byte)? else { return Ok(None) };
        let share = |own: f32| if best > 0.0 { (own / best).clamp(0.0, 1.0) } else { 1.0 };
        let text = |reference| Some(segment.text(reference).to_owned()).filter(|text| !text.is_empty());
        let others = candidate.chunks.iter().skip(per_file).take(MAX_MORE);
        let more = others.filter(|_| place == 0).filter(|(own, _)| share(*own) >= MORE_SHARE).map(
            |&(own, chunk)| {
                let row = &segment.chunks()[chunk as usize];
                MoreRange {
                    line_start: row.line_start,
                    line_end: row.line_end,
                    symbol_name: text(row.symbol),
                    score: relevance * share(own),
                }
            },
        );
        Ok(Some(Hit {
            path: segment.path(candidate.file).to_owned(),
            line_start: row.line_start,
            line_end: row.line_end,
            language: segment.text(file.language).to_owned(),
            chunk_type: segment.chunk_kind(chunk),
            symbol_name: text(row.symbol),
            parent: text(row.parent),
            score: relevance * share(own),
            content,
            evidence: evidence(&candidate.features),
            more: more.collect(),
        }))
    }
}

/// Files whose path holds the most of the query's idf.
fn best_paths(terms: &[Term], n_segments: usize) -> impl Iterator<Item = (usize, u32)> {
    let mut scored = Vec::new();
    for segment in 0..n_segments {
        let mut of_file = std::collections::BTreeMap::new();
        for term in terms {
            for posting in &term.postings[segment].path {
                *of_file.entry(posting.doc).or_insert(0.0) += term.path_idf;
            }
            for posting in &term.postings[segment].name {
                *of_file.entry(posting.doc).or_insert(0.0) += term.path_idf;
            }
        }
        scored.extend(of_file.into_iter().map(|(file, score): (u32, f32)| (score, (segment, file))));
    }
    keep_best(&mut scored, N_PATH_CANDIDATES);
    scored.into_iter().map(|(_, file)| file)
}

/// The features that are not zero, largest first.
fn evidence(features: &Features) -> Vec<Evidence> {
    let mut evidence: Vec<_> = FEATURE_NAMES
        .iter()
        .zip(features.to_array())
        .filter(|&(_, value)| value != 0.0)
        .map(|(name, value)| Evidence { signal: (*name).to_owned(), value })
        .collect();
    evidence.sort_by(|a, b| b.value.total_cmp(&a.value));
    evidence
}
