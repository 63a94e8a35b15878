//! A search from query to hits.

use craig_model::Embedder;
use craig_store::{ChunkPlace, FileId, Store, TextHash};
use craig_text::{is_latin, originals};
use fixedbitset::FixedBitSet;

use crate::candidates::{FileAt, candidate_files, files_by_vector, files_by_words};
use crate::chunk_ranker::{about, chunk_relevances, chunk_scores, contributions};
use crate::chunks::{PooledChunk, best_chunk, pool};
use crate::conversation::follows_up;
use crate::feature_extractor::{Candidate, FeatureExtractor, NamePostings, add_set_features, look_up_name};
use crate::filter::Filter;
use crate::frames::Frame;
use crate::guesses::Guesses;
use crate::hit::{Evidence, Hit, MoreRange};
use crate::index::Index;
use crate::lexical::{Term, is_known, look_up};
use crate::phrase::{Phrase, may_be_pasted};
use crate::query::{Query, asked, has_words};
use crate::ranker::{relevances, scores};
use crate::ranking::{Prior, RankedChunk, RankedFile, Ranking, ScoredBy};
use crate::segment::{Segment, TextRef};
use crate::typos::{self, corrected, corrections};
use crate::{ChunkFeatures, Features, SearchError};

/// Candidates of the first ranking that get the features which are too slow for all.
const N_SECOND_STAGE: usize = 25;

/// From this number of chunks on, two threads search: with fewer, waking one takes longer than it saves.
const MIN_PARALLEL_CHUNKS: u64 = 131_072;

/// Chunks of the pool, the best by [`ChunkFeatures::blend`], whose texts are compared with runs of words of a pasted message.
const N_PHRASED: usize = 24;

/// Maximum number of further ranges listed with a hit.
const MAX_MORE: usize = 4;

/// A further range of a file is listed if its relevance is at least this share of the hit's.
const MORE_SHARE: f32 = 0.4;

/// Limits and variants of a search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Maximum number of hits.
    pub limit: usize,
    /// Maximum number of hits of one file. With 1, hits are in the order of their files; with more, in the order of
    /// their lines.
    pub per_file: usize,
    /// Hits below this relevance are dropped; 0..=1.
    pub min_score: f32,
    /// Files that may answer.
    pub filter: Filter,
    /// How candidates are ordered, for ablations.
    pub retrieval: Retrieval,
    /// Features that are 0 for every candidate, of [`FEATURE_NAMES`](crate::FEATURE_NAMES), for ablations.
    pub without: Vec<&'static str>,
    /// The earlier messages. A text that follows up on them is searched for with and without them, and both probabilities are
    /// averaged.
    pub history: Option<String>,
    /// The message as it was written, where the text searched for leaves code and stack traces out: the lines that its traces
    /// name count.
    pub message: Option<String>,
    /// What the caller, who knows the earlier messages, expects the code to look like: counts likewise, instead of
    /// them.
    pub guesses: Guesses,
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

/// A query with what the index knows of its words.
struct LookedUp<'s> {
    query: Query,
    terms: Vec<Term<'s>>,
    names: Vec<NamePostings>,
}

impl Retrieval {
    /// Orders candidates by score, each with its relevance.
    fn ranked(self, candidates: Vec<Candidate>) -> Vec<RankedFile> {
        let mut ranked = self.scored(candidates);
        // Stable, so that equal scores stay in the order of paths.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let scores: Vec<_> = ranked.iter().map(|&(score, _)| score).collect();
        let features: Vec<_> = ranked.iter().map(|(_, candidate)| candidate.features).collect();
        let relevances = relevances(&features, &scores);
        let in_place = |((score, candidate), relevance)| RankedFile { score, relevance, candidate };
        ranked.into_iter().zip(relevances).map(in_place).collect()
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
            history: None,
            message: None,
            guesses: Guesses::default(),
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

/// A chunk of the pool with its features, for training and evaluation.
#[derive(Clone, Debug)]
pub struct ChunkCandidate {
    /// Path of its file.
    pub path: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// Its features.
    pub features: ChunkFeatures,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Lines that may answer, best first.
    pub hits: Vec<Hit>,
    /// How sure it is, from 0 to 1, that the query is about the project, whether or not these lines answer it. Guesses say
    /// nothing about that.
    pub about: f32,
    /// Probability, from 0 to 1, that the first of the lines that are found without guesses answers.
    pub best_unaided: f32,
    /// That words were taken for others, or that no file passes the filter.
    pub note: Option<String>,
}

impl Index {
    /// Finds the lines that answer `text`, best first; the same index always returns the same hits.
    ///
    /// Fails when `text` has no word; see [`has_words`].
    pub fn search(
        &self,
        store: &Store,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<Found, SearchError> {
        let corrections = corrections(options.message.as_deref().unwrap_or(text), &self.segments);
        let text = &*corrected(text, &corrections);
        let message = options.message.as_deref().map(|message| corrected(message, &corrections));
        let options = &SearchOptions { message, ..options.clone() };
        // With a history, a single content word is not taken for a name.
        let alone = if options.history.is_none() { asked(text) } else { text };
        let mut ranking = self.ranking(store, alone, embedder, options)?;
        let mut best_unaided = ranking.best();
        let guessed = options.guesses.appended_to(text);
        let before = options.history.as_ref();
        let before = before.filter(|_| guessed.is_none() && follows_up(text, ranking.unknown_share()));
        if let Some(more) = guessed.or_else(|| before.map(|before| format!("{before}\n{text}"))) {
            let message = Some(options.message.as_deref().unwrap_or(text).to_owned());
            let options = &SearchOptions { message, ..options.clone() };
            let other = self.ranking(store, &more, embedder, options)?;
            let about = if before.is_some() { ranking.about.max(other.about) } else { ranking.about };
            ranking = Ranking { about, ..ranking.mixed_with(other) };
            if before.is_some() {
                best_unaided = ranking.best();
            }
        }
        let hits = self.unless_damaged(self.hits(store, &ranking, options))?;
        let note = if hits.is_empty() { self.nothing_passes(&options.filter)? } else { None };
        let note = note.or_else(|| typos::note(&corrections));
        Ok(Found { hits, about: ranking.about, best_unaided, note })
    }

    /// The files and chunks that may answer `text`, in their places.
    fn ranking(
        &self,
        store: &Store,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<Ranking, SearchError> {
        self.rank(text, embedder, options, |extractor, files| {
            let (chunks, about) = self.ranked_chunks(store, text, extractor, &files, options)?;
            Ok(Ranking { files, chunks, about })
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
            Ok(ranked.into_iter().map(|file| self.describe(extractor, &file)).collect())
        })
    }

    /// The pool of `text`: the chunks that may answer, with their features, in no order that matters.
    pub fn chunk_candidates(
        &self,
        store: &Store,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
    ) -> Result<Vec<ChunkCandidate>, SearchError> {
        self.rank(text, embedder, options, |extractor, files| {
            let pool = self.pool(store, text, extractor, &files, options)?;
            let describe = |pooled: PooledChunk| {
                let candidate = &files[pooled.rank].candidate;
                let segment = &self.segments[candidate.segment].segment;
                let row = segment.chunk(pooled.chunk);
                ChunkCandidate {
                    path: segment.path_of(candidate.file).to_owned(),
                    lines: (row.line_start, row.line_end),
                    features: pooled.features,
                }
            };
            Ok(pool.into_iter().map(describe).collect())
        })
    }

    /// The files that may answer `text`, best first, each with its relevance, 0 to 1.
    pub fn relevances(&self, text: &str, embedder: &dyn Embedder) -> Result<Vec<(FileId, f32)>, SearchError> {
        self.rank(text, embedder, &SearchOptions::default(), |_, ranked| {
            let id = |candidate: &Candidate| {
                FileId::from_u64(self.segments[candidate.segment].segment.files()[candidate.file as usize].id)
            };
            Ok(ranked.iter().map(|file| (id(&file.candidate), file.relevance)).collect())
        })
    }

    fn describe(&self, extractor: &FeatureExtractor<'_>, file: &RankedFile) -> CandidateFeatures {
        let segment = &self.segments[file.candidate.segment].segment;
        let lines = best_chunk(extractor, file).map(|chunk| {
            let row = segment.chunk(chunk);
            (row.line_start, row.line_end)
        });
        CandidateFeatures {
            path: segment.path_of(file.candidate.file).to_owned(),
            features: file.candidate.features,
            lines: lines.unwrap_or_default(),
        }
    }

    /// Ranks the candidate files of `text`, and passes them with the extractors to `make_answer`.
    fn rank<T>(
        &self,
        text: &str,
        embedder: &dyn Embedder,
        options: &SearchOptions,
        make_answer: impl FnOnce(&FeatureExtractor<'_>, Vec<RankedFile>) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        if !has_words(text) {
            return Err(SearchError::EmptyQuery);
        }
        let mut query = Query::new(text, embedder)?;
        self.drop_accidental_pairs(&mut query);
        let allowed = self.passing_files(&options.filter)?;
        let words = || {
            let looked_up = self.look_up(&query);
            let files = files_by_words(&looked_up.0, &self.segments, &allowed, self.totals);
            (looked_up, files)
        };
        let vectors = || files_by_vector(&query, &self.segments, &allowed);
        let (((terms, names), by_words), by_vector) = self.join_if_large(words, vectors);
        let looked_up = LookedUp { query, terms, names };
        let extractor = looked_up.extractor(self);
        let files = candidate_files(&extractor, &allowed, by_words, by_vector);
        let candidates = self.extract_candidates(&extractor, &files, &options.without);
        self.unless_damaged(make_answer(&extractor, options.retrieval.ranked(candidates)))
    }

    /// The live files of each segment that pass.
    pub(crate) fn passing_files(&self, filter: &Filter) -> Result<Vec<FixedBitSet>, SearchError> {
        let filter = filter.for_paths(self.paths())?;
        Ok(self.segments.iter().map(|segment| filter.files(segment)).collect())
    }

    /// A message for the user that no file passes a filter; `None` if one does.
    fn nothing_passes(&self, filter: &Filter) -> Result<Option<String>, SearchError> {
        if filter.passes_everything() || self.passing_files(filter)?.iter().any(|files| !files.is_clear()) {
            return Ok(None);
        }
        let filter = filter.for_paths(self.paths())?;
        Ok(Some(filter.nothing_passes(self.paths().any(|path| filter.passes_path(path)))))
    }

    /// Paths of the live files.
    fn paths(&self) -> impl Iterator<Item = &str> + Clone {
        self.segments.iter().flat_map(|live| {
            let is_live = |file: &u32| live.live[*file as usize];
            (0..live.segment.files().len() as u32).filter(is_live).map(|file| live.segment.path_of(file))
        })
    }

    /// Leaves out what no text has of a script that is split into pairs: the end of one word and the beginning of the next
    /// happen to make a pair.
    fn drop_accidental_pairs(&self, query: &mut Query) {
        let is_known = |term: &String| term.is_ascii() || is_known(term, &self.segments);
        if query.terms.iter().any(is_known) {
            query.terms.retain(is_known);
        }
    }

    /// Statistics of the index about the words and names of a query.
    fn look_up(&self, query: &Query) -> (Vec<Term<'_>>, Vec<NamePostings>) {
        let names = query.names.iter().map(|name| look_up_name(name, &self.segments, self.totals));
        (look_up(&query.terms, &self.segments, self.totals), names.collect())
    }

    /// The pool with all its features.
    fn pool(
        &self,
        store: &Store,
        text: &str,
        extractor: &FeatureExtractor<'_>,
        files: &[RankedFile],
        options: &SearchOptions,
    ) -> Result<Vec<PooledChunk>, SearchError> {
        let message = options.message.as_deref().unwrap_or(text);
        let frames = Frame::all(message);
        let mut pool = pool(extractor, files, &frames);
        if may_be_pasted(text) {
            // Guessed lines are as good as those of a message for runs of words, but they are no literals.
            let (phrase, message) = (Phrase::new(text), Phrase::new(message));
            let mut order: Vec<usize> = (0..pool.len()).collect();
            order.sort_by(|&a, &b| pool[b].features.blend.total_cmp(&pool[a].features.blend));
            // No more words of a literal can be in a message than it has.
            let has_literals = !extractor.query.is_report() && message.n_words() >= MIN_LITERAL_WORDS;
            let n_read = if has_literals { order.len() } else { N_PHRASED };
            order.truncate(n_read);
            let chunks = order.iter().map(|&at| (&files[pool[at].rank].candidate, pool[at].chunk));
            let texts = self.texts(store, chunks)?;
            for (place, (at, text)) in order.into_iter().zip(texts).enumerate() {
                let Some(text) = text else { continue };
                if has_literals {
                    pool[at].literal = message.literal(&text);
                }
                if place < N_PHRASED {
                    pool[at].features.phrase = phrase.longest_run(&text) as f32;
                }
            }
        }
        Ok(pool)
    }

    /// The chunks that may answer, best first, then the best chunk of each file that has none among them; and how sure it is
    /// that the query is about the project.
    fn ranked_chunks(
        &self,
        store: &Store,
        text: &str,
        extractor: &FeatureExtractor<'_>,
        files: &[RankedFile],
        options: &SearchOptions,
    ) -> Result<(Vec<RankedChunk>, f32), SearchError> {
        let pool = match options.retrieval {
            Retrieval::Ranked => self.pool(store, text, extractor, files, options)?,
            _ => Vec::new(),
        };
        let query = extractor.query;
        let longest = pool.iter().map(|chunk| chunk.literal).max().unwrap_or_default().max(MIN_LITERAL_WORDS);
        let is_rare = pool.iter().filter(|chunk| chunk.literal == longest).count() <= MAX_LITERAL_CHUNKS;
        let translated = self.translated(text, files);
        let longest_run = only_longest_run(&pool);
        let prior = |at: usize, chunk: &PooledChunk| Prior {
            role: role_prior(query, &files[chunk.rank].candidate.features, chunk),
            translated: if translated[chunk.rank] { TRANSLATED } else { 0.0 },
            named: chunk.frame.map_or(0.0, named_prior),
            literal: match () {
                () if is_rare && chunk.literal == longest => LITERAL,
                () if longest_run == Some(at) => LONGEST_RUN,
                () => 0.0,
            },
        };
        let features: Vec<ChunkFeatures> = pool.iter().map(|chunk| chunk.features).collect();
        let priors: Vec<Prior> = pool.iter().enumerate().map(|(at, chunk)| prior(at, chunk)).collect();
        let scored = chunk_scores(query.kind, &features).into_iter().zip(priors).zip(pool);
        let mut scored: Vec<(f32, PooledChunk, Prior)> =
            scored.map(|((score, prior), chunk)| (score + prior.sum(), chunk, prior)).collect();
        // Stable, so that equal scores stay in the order of files and lines.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let scores: Vec<f32> = scored.iter().map(|&(score, ..)| score).collect();
        let features: Vec<ChunkFeatures> = scored.iter().map(|(_, chunk, _)| chunk.features).collect();
        let relevances = chunk_relevances(query.kind, &features, &scores);
        let about = about(query.kind, &features, &relevances);
        let in_place = |((_, chunk, prior), relevance): ((f32, PooledChunk, Prior), f32)| RankedChunk {
            rank: chunk.rank,
            chunk: chunk.chunk,
            relevance,
            scored_by: Some(ScoredBy { kind: query.kind, features: chunk.features, prior }),
        };
        let mut chunks: Vec<RankedChunk> = scored.into_iter().zip(relevances).map(in_place).collect();
        let least = chunks.last().map_or(1.0, |last| last.relevance);
        let mut is_in = vec![false; files.len()];
        chunks.iter().for_each(|chunk| is_in[chunk.rank] = true);
        for (rank, file) in files.iter().enumerate().filter(|(rank, _)| !is_in[*rank]) {
            let Some(chunk) = best_chunk(extractor, file) else { continue };
            let relevance = least.min(file.relevance);
            chunks.push(RankedChunk { rank, chunk, relevance, scored_by: None });
        }
        Ok((chunks, about))
    }

    /// Which of the files are documents that others of them are the originals of; none if the query is written in another
    /// script than the Latin one itself. The folder `it` of code, and `user_id.rs`, are in no language.
    fn translated(&self, query: &str, files: &[RankedFile]) -> Vec<bool> {
        if query.chars().any(|c| c.is_alphabetic() && !is_latin(c)) {
            return vec![false; files.len()];
        }
        let path =
            |file: &RankedFile| self.segments[file.candidate.segment].segment.path_of(file.candidate.file);
        let is_found = |original: &String| files.iter().any(|file| path(file) == original);
        let is_one = |file: &RankedFile| {
            file.candidate.features.is_docs > 0.0 && originals(path(file)).iter().any(is_found)
        };
        files.iter().map(is_one).collect()
    }

    /// As many of the chunks as are wanted, with their texts.
    fn hits(
        &self,
        store: &Store,
        Ranking { files, chunks, .. }: &Ranking,
        options: &SearchOptions,
    ) -> Result<Vec<Hit>, SearchError> {
        let mut n_of = vec![0; files.len()];
        let mut chosen: Vec<(usize, &RankedChunk)> = Vec::new();
        for (at, chunk) in chunks.iter().enumerate() {
            n_of[chunk.rank] += 1;
            if n_of[chunk.rank] <= options.per_file && chunk.relevance >= options.min_score {
                chosen.push((at, chunk));
            }
        }
        if options.per_file == 1 {
            // A request for one hit per file asks for files, so the order of files also counts.
            chosen.sort_by(|(_, a), (_, b)| file_order(b).total_cmp(&file_order(a)));
        }
        let mut hits = Vec::new();
        let mut least = 1.0f32;
        n_of.fill(0);
        let mut chosen = &*chosen;
        while hits.len() < options.limit && !chosen.is_empty() {
            let (wanted, others) = chosen.split_at(chosen.len().min(options.limit - hits.len()));
            let places = wanted.iter().map(|(_, chunk)| (&files[chunk.rank].candidate, chunk.chunk));
            for ((at, chunk), text) in wanted.iter().zip(self.texts(store, places)?) {
                n_of[chunk.rank] += 1;
                // Its file may be gone: then another one takes its place.
                let Some(text) = text else { continue };
                let mut hit = self.hit(&files[chunk.rank], chunk, text);
                // The probabilities agree with the order.
                least = least.min(hit.score);
                hit.score = least;
                if n_of[chunk.rank] == options.per_file {
                    hit.more = self.more(&files[chunk.rank], &chunks[*at..]);
                }
                hits.push(hit);
            }
            chosen = others;
        }
        Ok(hits)
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

    /// The texts of chunks with their overlap; `None` when the file is gone.
    fn texts<'c>(
        &self,
        store: &Store,
        chunks: impl Iterator<Item = (&'c Candidate, u32)>,
    ) -> Result<Vec<Option<String>>, SearchError> {
        let place = |(candidate, chunk): (&Candidate, u32)| {
            let segment = &self.segments[candidate.segment].segment;
            let row = segment.chunk(chunk);
            ChunkPlace {
                file: FileId::from_u64(segment.files()[candidate.file as usize].id),
                bytes: row.start_byte.saturating_sub(row.overlap_bytes)..row.end_byte,
                hash: TextHash::from_bytes(segment.text_hash(chunk)),
            }
        };
        Ok(store.chunk_texts(&chunks.map(place).collect::<Vec<_>>())?)
    }

    /// A hit with its text.
    fn hit(&self, file: &RankedFile, chunk: &RankedChunk, mut content: String) -> Hit {
        let RankedFile { candidate, relevance, .. } = file;
        let segment = &self.segments[candidate.segment].segment;
        let row = segment.chunk(chunk.chunk);
        // The chunk's own lines alone: the overlap is of the chunk before, and no line number counts it.
        let overlap = row.overlap_bytes.min(row.start_byte) as usize;
        drop(content.drain(..content.floor_char_boundary(overlap)));
        Hit {
            path: segment.path_of(candidate.file).to_owned(),
            line_start: row.line_start,
            line_end: row.line_end,
            language: segment.text(segment.files()[candidate.file as usize].language).to_owned(),
            chunk_type: segment.chunk_kind(chunk.chunk),
            symbol_name: some_text(segment, row.symbol),
            symbol_lines: None,
            parent: some_text(segment, row.parent),
            score: chunk.relevance,
            file_score: *relevance,
            content,
            evidence: chunk.scored_by.map(evidence).unwrap_or_default(),
            more: Vec::new(),
        }
    }

    /// The next chunks of the file of the first of `chunks`, as places.
    fn more(&self, file: &RankedFile, chunks: &[RankedChunk]) -> Vec<MoreRange> {
        let segment = &self.segments[file.candidate.segment].segment;
        let Some((shown, others)) = chunks.split_first() else { return Vec::new() };
        let of_file = others.iter().filter(|chunk| chunk.rank == shown.rank);
        let near = of_file.take_while(|chunk| chunk.relevance >= MORE_SHARE * shown.relevance).take(MAX_MORE);
        let range = |chunk: &RankedChunk| {
            let row = segment.chunk(chunk.chunk);
            MoreRange {
                line_start: row.line_start,
                line_end: row.line_end,
                symbol_name: some_text(segment, row.symbol),
                score: chunk.relevance,
            }
        };
        near.map(range).collect()
    }
}

impl LookedUp<'_> {
    fn extractor<'a>(&'a self, index: &'a Index) -> FeatureExtractor<'a> {
        FeatureExtractor {
            query: &self.query,
            terms: &self.terms,
            names: &self.names,
            segments: &index.segments,
            totals: index.totals,
            idf_sum: self.terms.iter().map(|term| term.idf).sum(),
        }
    }
}

/// Added to the score of chunks of tests, of examples and of what is vendored or generated. Most labelled repositories are
/// without these, so it cannot be learned from their questions.
const BESIDE_PRODUCT: f32 = -0.6;

/// Added to the score of chunks of a translation whose original is found, too.
const TRANSLATED: f32 = -3.0;

fn role_prior(query: &Query, file: &Features, chunk: &PooledChunk) -> f32 {
    let is_beside = chunk.is_test || file.is_test.max(file.is_example).max(file.is_vendored) > 0.0;
    if is_beside && !query.asks_for_roles() { BESIDE_PRODUCT } else { 0.0 }
}

/// The bonus of a chunk that contains a line named by the query, as in a stack trace: largest for the innermost call,
/// and for each of the next ones less, down to a third.
const NAMED: f32 = 3.0;
const NAMED_STEP: f32 = 0.25;

fn named_prior(place: usize) -> f32 {
    (NAMED - NAMED_STEP * place as f32).max(NAMED / 3.0)
}

/// The bonus of a chunk with the longest message of the query, from this number of words on, if few have it. The text
/// of an issue has many.
const LITERAL: f32 = 3.0;
const MIN_LITERAL_WORDS: usize = 4;
const MAX_LITERAL_CHUNKS: usize = 2;

/// Otherwise, the bonus of the only chunk with this many words of the query in a row.
const LONGEST_RUN: f32 = 1.5;
const MIN_RUN_WORDS: f32 = 4.0;

/// The one chunk that has a longer run of the query's words than any other.
fn only_longest_run(pool: &[PooledChunk]) -> Option<usize> {
    let longest = pool.iter().map(|chunk| chunk.features.phrase).fold(0.0, f32::max);
    let mut with = (0..pool.len()).filter(|&at| pool[at].features.phrase >= longest);
    let first = with.next().filter(|_| longest >= MIN_RUN_WORDS);
    if with.next().is_some() { None } else { first }
}

/// A text of a segment; `None` if it is empty.
fn some_text(segment: &Segment, text: TextRef) -> Option<String> {
    Some(segment.text(text).to_owned()).filter(|text| !text.is_empty())
}

fn ablate(candidates: &mut [Candidate], names: &[&str]) {
    if !names.is_empty() {
        candidates.iter_mut().for_each(|candidate| candidate.features = candidate.features.without(names));
    }
}

/// The order of files: the log-odds that their best chunk answers, reduced by the number of files ranked before.
fn file_order(chunk: &RankedChunk) -> f32 {
    let relevance = chunk.relevance.clamp(1e-4, 1.0 - 1e-4);
    (relevance / (1.0 - relevance)).ln() - (1.0 + chunk.rank as f32).ln()
}

/// The contributions to the score of a chunk, the largest first.
fn evidence(ScoredBy { kind, features, prior }: ScoredBy) -> Vec<Evidence> {
    let prior = [
        ("beside the product", prior.role),
        ("a translation", prior.translated),
        ("a line that the query names", prior.named),
        ("words in a row", prior.literal),
    ];
    let prior = prior.into_iter().filter(|(_, value)| *value != 0.0);
    let mut signals: Vec<_> = prior.chain(contributions(kind, features)).collect();
    signals.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    signals.into_iter().map(|(signal, value)| Evidence { signal: signal.to_owned(), value }).collect()
}
