//! A search from query to hits.

use craig_model::Embedder;
use craig_store::{FileId, Store, TextHash};

use crate::candidates::{FileAt, candidate_files, files_by_meaning, files_by_words};
use crate::filter::Filter;
use crate::hit::{Evidence, Hit, MoreRange};
use crate::index::Index;
use crate::lexical::look_up;
use crate::query::{Query, has_words};
use crate::ranker::{relevances, scores};
use crate::scene::{Candidate, Scene, look_up_name, relate};
use crate::{FEATURE_NAMES, Features, SearchError};

/// Candidates that are looked at more closely after a first ranking.
const N_CLOSER: usize = 25;

/// Chunks from which on two threads search: with fewer, waking one takes longer than it saves.
const MANY_CHUNKS: u64 = 131_072;

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

/// A file to be told, with its chunks, best first.
struct Found {
    relevance: f32,
    candidate: Candidate,
    chunks: Vec<(f32, u32)>,
}

impl Retrieval {
    /// Orders candidates, and gives each its relevance.
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

    /// Gives each candidate its score: higher is better.
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
    /// What the ranker sees.
    pub features: Features,
    /// First and last line of its best chunk.
    pub lines: (u32, u32),
}

impl Index {
    /// Finds the files that answer `text`, best first, ties by path; the same index always gives the same hits.
    ///
    /// Fails when `text` has no word; see [`has_words`].
    pub fn search(
        &self,
        store: &Store,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<Vec<Hit>, SearchError> {
        self.rank(text, embedder, options, |scene, ranked| {
            let mut hits = Vec::new();
            for (relevance, candidate) in ranked {
                if hits.len() >= options.limit || relevance < options.min_score {
                    break;
                }
                let room = (options.limit - hits.len()).min(options.per_file);
                let found = Found { relevance, chunks: scene.ordered_chunks(&candidate), candidate };
                for place in 0..room.min(found.chunks.len()) {
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
        self.rank(text, embedder, options, |scene, ranked| {
            Ok(ranked.into_iter().map(|(_, candidate)| self.describe(scene, &candidate)).collect())
        })
    }

    /// The files that may answer `text`, best first, each with its relevance, 0 to 1.
    pub fn relevances(&self, text: &str, embedder: &dyn Embedder) -> Result<Vec<(FileId, f32)>, SearchError> {
        self.rank(text, embedder, &SearchOptions::default(), |_, ranked| {
            let id = |candidate: &Candidate| {
                FileId(self.segments[candidate.segment].segment.files()[candidate.file as usize].id)
            };
            Ok(ranked.iter().map(|(relevance, candidate)| (id(candidate), *relevance)).collect())
        })
    }

    fn describe(&self, scene: &Scene<'_>, candidate: &Candidate) -> CandidateFeatures {
        let segment = &self.segments[candidate.segment].segment;
        let lines = scene.ordered_chunks(candidate).first().map(|&(_, chunk)| {
            let row = segment.chunk(chunk);
            (row.line_start, row.line_end)
        });
        CandidateFeatures {
            path: segment.path_of(candidate.file).to_owned(),
            features: candidate.features,
            lines: lines.unwrap_or_default(),
        }
    }

    /// Ranks the candidates of `text`, each with its relevance, and hands them on with what they were ranked by.
    fn rank<T>(
        &self,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
        hand_on: impl FnOnce(&Scene<'_>, Vec<(f32, Candidate)>) -> Result<T, SearchError>,
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
        let meaning = || files_by_meaning(&query, &self.segments, &allowed);
        let ((names, terms, by_words), by_meaning) = self.at_once(words, meaning);
        let scene = Scene {
            query: &query,
            terms: &terms,
            names: &names,
            segments: &self.segments,
            totals: self.totals,
            idf_sum: terms.iter().map(|term| term.idf).sum(),
        };
        let files = candidate_files(&scene, &allowed, by_words, by_meaning);
        let candidates = self.candidates_of(&scene, &files, &options.without);
        self.answered(hand_on(&scene, options.retrieval.ranked(candidates)))
    }

    /// Does both, `other` on another thread where the index is so large that this is worth it.
    fn at_once<A, B: Send>(&self, own: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
        if self.totals.n_chunks < MANY_CHUNKS {
            return (own(), other());
        }
        let mut theirs = None;
        let own = rayon::in_place_scope(|scope| {
            scope.spawn(|_| theirs = Some(other()));
            own()
        });
        (own, theirs.expect("a scope ends when everything in it has"))
    }

    /// Candidates with all their features, by path among those of equal score.
    fn candidates_of(&self, scene: &Scene<'_>, files: &[FileAt], without: &[&str]) -> Vec<Candidate> {
        let seen = |files: &[FileAt]| -> Vec<_> {
            files.iter().map(|&(segment, file)| scene.candidate(segment, file)).collect()
        };
        let (some, others) = files.split_at(files.len() / 2);
        let (mut candidates, others) = self.at_once(|| seen(some), || seen(others));
        candidates.extend(others);
        relate(&mut candidates, &self.segments);
        leave_out(&mut candidates, without);
        let scores = ranker_scores(&candidates);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        order.iter().take(N_CLOSER).for_each(|&at| scene.add_popularity(&mut candidates[at]));
        leave_out(&mut candidates, without);
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
        let hash = TextHash(segment.text_hash(chunk));
        let Some(content) = store.chunk_text(FileId(file.id), bytes, hash)? else { return Ok(None) };
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

fn leave_out(candidates: &mut [Candidate], names: &[&str]) {
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
