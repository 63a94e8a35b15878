//! A search from query to hits.

use craig_model::Embedder;
use craig_store::{FileId, Store, TextHash};

use crate::candidates::{FileAt, candidate_files, files_by_vector, files_by_words};
use crate::feature_extractor::{Candidate, FeatureExtractor, add_set_features, look_up_name};
use crate::filter::Filter;
use crate::hit::{Evidence, Hit, MoreRange};
use crate::index::Index;
use crate::lexical::look_up;
use crate::query::{Query, has_words};
use crate::ranker::{relevances, scores};
use crate::{FEATURE_NAMES, Features, SearchError};

/// Candidates of the first ranking that get the features which are too slow for all.
const N_SECOND_STAGE: usize = 25;

/// From this number of chunks on, two threads search: with fewer, waking one takes longer than it saves.
const MIN_PARALLEL_CHUNKS: u64 = 131_072;

/// Most ranges listed beside a hit.
const MAX_MORE: usize = 4;

/// A further range of a file is listed if its score is at least this share of the best's.
const MORE_SHARE: f32 = 0.6;

/// Limits and variants of a search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Most hits.
    pub limit: usize,
    /// Most hits of one file.
    pub per_file: usize,
    /// Hits below this relevance are dropped; 0..=1.
    pub min_score: f32,
    /// Files that may answer.
    pub filter: Filter,
    /// How candidates are ordered, for ablations.
    pub retrieval: Retrieval,
    /// Features that are 0 for every candidate, of [`FEATURE_NAMES`], for ablations.
    pub without: Vec<&'static str>,
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

/// A file to return, with its chunks, best first.
struct Found {
    relevance: f32,
    candidate: Candidate,
    chunks: Vec<(f32, u32)>,
}

impl Retrieval {
    /// Orders candidates by score, each with its relevance.
    fn ranked(self, candidates: Vec<Candidate>) -> Vec<(f32, Candidate)> {
        let mut ranked = self.scored(candidates);
        // Stable, so that equal scores stay in the order of paths.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let scores: Vec<_> = ranked.iter().map(|&(score, _)| score).collect();
        let features: Vec<_> = ranked.iter().map(|(_, candidate)| candidate.features).collect();
        let relevances = relevances(&features, &scores);
        ranked.iter_mut().zip(relevances).for_each(|((score, _), relevance)| *score = relevance);
        ranked
    }

    /// The candidates with their scores: higher is better.
    fn scored(self, candidates: Vec<Candidate>) -> Vec<(f32, Candidate)> {
        let scores: Vec<f32> = match self {
            Self::Ranked => ranker_scores(&candidates),
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

fn ranker_scores(candidates: &[Candidate]) -> Vec<f32> {
    scores(&candidates.iter().map(|candidate| candidate.features).collect::<Vec<_>>())
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
            without: Vec::new(),
        }
    }
}

/// A candidate file with its features, for training and evaluation.
#[derive(Clone, Debug)]
pub struct CandidateFeatures {
    /// Path of the file.
    pub path: String,
    /// Its features.
    pub features: Features,
    /// First and last line of its best chunk.
    pub lines: (u32, u32),
}

impl Index {
    /// Finds the files that answer `text`, best first, ties by path; the same index always returns the same hits.
    ///
    /// Fails when `text` has no word; see [`has_words`].
    pub fn search(
        &self,
        store: &Store,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<Vec<Hit>, SearchError> {
        self.rank(text, embedder, options, |extractor, ranked| {
            let mut hits = Vec::new();
            for (relevance, candidate) in ranked {
                if hits.len() >= options.limit || relevance < options.min_score {
                    break;
                }
                let n_left = (options.limit - hits.len()).min(options.per_file);
                let found = Found { relevance, chunks: extractor.ordered_chunks(&candidate), candidate };
                for place in 0..n_left.min(found.chunks.len()) {
                    hits.extend(self.hit(store, &found, place, options.per_file)?);
                }
            }
            Ok(hits)
        })
    }

    /// The candidates of `text` with their features, in ranked order.
    pub fn candidates(
        &self,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<Vec<CandidateFeatures>, SearchError> {
        self.rank(text, embedder, options, |extractor, ranked| {
            Ok(ranked.into_iter().map(|(_, candidate)| self.describe(extractor, &candidate)).collect())
        })
    }

    /// The files that may answer `text`, best first, each with its relevance, 0 to 1.
    pub fn relevances(&self, text: &str, embedder: &dyn Embedder) -> Result<Vec<(FileId, f32)>, SearchError> {
        self.rank(text, embedder, &SearchOptions::default(), |_, ranked| {
            let id = |candidate: &Candidate| {
                FileId::from_u64(self.segments[candidate.segment].segment.files()[candidate.file as usize].id)
            };
            Ok(ranked.iter().map(|(relevance, candidate)| (id(candidate), *relevance)).collect())
        })
    }

    fn describe(&self, extractor: &FeatureExtractor<'_>, candidate: &Candidate) -> CandidateFeatures {
        let segment = &self.segments[candidate.segment].segment;
        let lines = extractor.ordered_chunks(candidate).first().map(|&(_, chunk)| {
            let row = segment.chunk(chunk);
            (row.line_start, row.line_end)
        });
        CandidateFeatures {
            path: segment.path_of(candidate.file).to_owned(),
            features: candidate.features,
            lines: lines.unwrap_or_default(),
        }
    }

    /// Ranks the candidates of `text`, and passes them with their relevance and the extractor to `make_answer`.
    fn rank<T>(
        &self,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
        make_answer: impl FnOnce(&FeatureExtractor<'_>, Vec<(f32, Candidate)>) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        if !has_words(text) {
            return Err(SearchError::EmptyQuery);
        }
        let query = Query::new(text, embedder)?;
        let allowed: Vec<_> = self.segments.iter().map(|segment| options.filter.files(segment)).collect();
        let words = || {
            let terms = look_up(&query.terms, &self.segments, self.totals);
            let names = query.names.iter().map(|name| look_up_name(name, &self.segments, self.totals));
            let files = files_by_words(&terms, &self.segments, &allowed, self.totals);
            (names.collect::<Vec<_>>(), terms, files)
        };
        let vectors = || files_by_vector(&query, &self.segments, &allowed);
        let ((names, terms, by_words), by_vector) = self.join_if_large(words, vectors);
        let extractor = FeatureExtractor {
            query: &query,
            terms: &terms,
            names: &names,
            segments: &self.segments,
            totals: self.totals,
            idf_sum: terms.iter().map(|term| term.idf).sum(),
        };
        let files = candidate_files(&extractor, &allowed, by_words, by_vector);
        let candidates = self.extract_candidates(&extractor, &files, &options.without);
        self.unless_damaged(make_answer(&extractor, options.retrieval.ranked(candidates)))
    }

    /// Runs both, in parallel if the index is large enough for that to pay.
    fn join_if_large<A, B: Send>(&self, own: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
        if self.totals.n_chunks < MIN_PARALLEL_CHUNKS {
            return (own(), other());
        }
        let mut result = None;
        let own = rayon::in_place_scope(|scope| {
            scope.spawn(|_| result = Some(other()));
            own()
        });
        (own, result.expect("a scope ends when everything in it has"))
    }

    /// Candidates with all their features, by path among those of equal score.
    fn extract_candidates(
        &self,
        extractor: &FeatureExtractor<'_>,
        files: &[FileAt],
        without: &[&str],
    ) -> Vec<Candidate> {
        let extract = |files: &[FileAt]| -> Vec<_> {
            files.iter().map(|&(segment, file)| extractor.candidate(segment, file)).collect()
        };
        let (first, second) = files.split_at(files.len() / 2);
        let (mut candidates, others) = self.join_if_large(|| extract(first), || extract(second));
        candidates.extend(others);
        add_set_features(&mut candidates, &self.segments);
        ablate(&mut candidates, without);
        let scores = ranker_scores(&candidates);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        order.iter().take(N_SECOND_STAGE).for_each(|&at| extractor.add_popularity(&mut candidates[at]));
        ablate(&mut candidates, without);
        candidates
    }

    fn hit(
        &self,
        store: &Store,
        found: &Found,
        place: usize,
        per_file: usize,
    ) -> Result<Option<Hit>, SearchError> {
        let Found { relevance, candidate, chunks } = found;
        let segment = &self.segments[candidate.segment].segment;
        let file = &segment.files()[candidate.file as usize];
        let (best, _) = chunks[0];
        let (own, chunk) = chunks[place];
        let row = segment.chunk(chunk);
        let bytes = row.start_byte.saturating_sub(row.overlap_bytes)..row.end_byte;
        let hash = TextHash::from_bytes(segment.text_hash(chunk));
        let Some(content) = store.chunk_text(FileId::from_u64(file.id), bytes, hash)? else {
            return Ok(None);
        };
        let share = |own: f32| if best > 0.0 { (own / best).clamp(0.0, 1.0) } else { 1.0 };
        let text = |reference| Some(segment.text(reference).to_owned()).filter(|text| !text.is_empty());
        let others = chunks.iter().skip(per_file).take(MAX_MORE);
        let more = others.filter(|_| place == 0).filter(|(own, _)| share(*own) >= MORE_SHARE).map(
            |&(own, chunk)| {
                let row = segment.chunk(chunk);
                MoreRange {
                    line_start: row.line_start,
                    line_end: row.line_end,
                    symbol_name: text(row.symbol),
                    score: relevance * share(own),
                }
            },
        );
        Ok(Some(Hit {
            path: segment.path_of(candidate.file).to_owned(),
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

fn ablate(candidates: &mut [Candidate], names: &[&str]) {
    if !names.is_empty() {
        candidates.iter_mut().for_each(|candidate| candidate.features = candidate.features.without(names));
    }
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
