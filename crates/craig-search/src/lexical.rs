//! BM25 over the fields of the index.

use fixedbitset::FixedBitSet;

use crate::analysis::Field;
use crate::dense::ChunkAt;
use crate::index::{LiveSegment, Totals};
use crate::segment::{Posting, PostingsList, Segment};

/// Term saturation and length normalisation: the usual values. Source: Robertson & Zaragoza, 2009.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// What one name word weighs beside one body word when candidates are chosen.
const SYMBOL_WEIGHT: f32 = 1.0;

/// What a word of the path weighs when candidates are chosen.
const PATH_WEIGHT: f32 = 1.0;

/// A word that more chunks hold than this is not used to choose candidates while a rarer one is: what it adds is
/// little, and reading all its places takes most of the time of a search.
const MAX_SCANNED_CHUNKS: usize = 32_768;

/// The postings of one word of the query in one segment, files that may not answer left out.
pub(crate) struct TermPostings<'s> {
    /// Chunks that hold the word in their text.
    body: Body<'s>,
    /// Chunks that hold it in a name they define.
    pub(crate) symbol: Vec<Posting>,
    /// Files that hold it in their path.
    pub(crate) path: Vec<Posting>,
    /// Files that hold it in their name.
    pub(crate) name: Vec<Posting>,
}

/// The chunks that hold a word in their text.
enum Body<'s> {
    /// Read already.
    Read(Vec<Posting>),
    /// To be read where they are wanted. Every file of the segment is live.
    Unread(PostingsList<'s>),
}

impl Body<'_> {
    fn n_docs(&self) -> usize {
        match self {
            Self::Read(postings) => postings.len(),
            Self::Unread(list) => list.n_docs() as usize,
        }
    }
}

impl TermPostings<'_> {
    /// The postings of the chunks `chunks`; `scratch` holds them when they have to be read.
    pub(crate) fn body_within<'p>(
        &'p self,
        chunks: std::ops::Range<u32>,
        scratch: &'p mut Vec<Posting>,
    ) -> &'p [Posting] {
        match &self.body {
            Body::Read(postings) => within(postings, chunks),
            Body::Unread(list) => {
                scratch.clear();
                list.read_within(chunks, scratch);
                scratch
            }
        }
    }
}

/// One word of the query, looked up everywhere.
pub(crate) struct Term<'s> {
    /// Inverse document frequency over chunks.
    pub(crate) idf: f32,
    /// The same over files, by path: a word that most paths hold tells nothing.
    pub(crate) path_idf: f32,
    /// The word helps to choose candidates: all its bodies are read.
    is_scanned: bool,
    /// One for each segment.
    pub(crate) postings: Vec<TermPostings<'s>>,
}

/// Looks the words of a query up in all segments.
///
/// Frequencies are counted over live files, so they do not depend on how files are spread over segments.
pub(crate) fn look_up<'s>(words: &[String], segments: &'s [LiveSegment], totals: Totals) -> Vec<Term<'s>> {
    let mut terms: Vec<_> = words.iter().map(|word| look_up_word(word, segments, totals)).collect();
    let n_bodies: Vec<usize> = terms.iter().map(Term::n_bodies).collect();
    // Where all words are frequent, the rarest has to do.
    let rarest = n_bodies.iter().copied().filter(|&n| n > 0).min().unwrap_or_default();
    let limit = MAX_SCANNED_CHUNKS.max(rarest);
    for (term, _) in terms.iter_mut().zip(&n_bodies).filter(|&(_, &n)| n <= limit) {
        term.read_bodies();
    }
    terms
}

fn look_up_word<'s>(word: &str, segments: &'s [LiveSegment], totals: Totals) -> Term<'s> {
    let postings: Vec<TermPostings<'s>> =
        segments.iter().map(|segment| live_postings(word, segment)).collect();
    let n_paths = postings.iter().map(|postings| postings.path.len()).sum();
    let n_symbols: usize = postings.iter().map(|postings| postings.symbol.len()).sum();
    let n_bodies: usize = postings.iter().map(|postings| postings.body.n_docs()).sum();
    Term {
        idf: idf(totals.n_chunks, n_bodies.max(n_symbols)),
        path_idf: idf(totals.n_files, n_paths),
        is_scanned: false,
        postings,
    }
}

fn live_postings<'s>(word: &str, segment: &'s LiveSegment) -> TermPostings<'s> {
    let body = match segment.live.is_full() {
        true => Body::Unread(segment.segment.list(Field::Body, word)),
        false => Body::Read(segment.live_chunks(Field::Body, word)),
    };
    TermPostings {
        body,
        symbol: segment.live_chunks(Field::Symbol, word),
        path: segment.live_files(Field::Path, word),
        name: segment.live_files(Field::Name, word),
    }
}

impl Term<'_> {
    /// Chunks that hold the word in their text.
    fn n_bodies(&self) -> usize {
        self.postings.iter().map(|postings| postings.body.n_docs()).sum()
    }

    fn read_bodies(&mut self) {
        self.is_scanned = true;
        for postings in &mut self.postings {
            if let Body::Unread(list) = postings.body {
                let mut read = Vec::new();
                list.read(&mut read);
                postings.body = Body::Read(read);
            }
        }
    }
}

/// Inverse document frequency: ln(1 + (N − n + ½) / (n + ½)). Source: Robertson & Zaragoza, 2009.
pub(crate) fn idf(n_all: u64, n_holding: usize) -> f32 {
    let (n_all, n_holding) = (n_all as f32, n_holding as f32);
    (1.0 + (n_all - n_holding + 0.5).max(0.0) / (n_holding + 0.5)).ln()
}

/// BM25 weight of one word in one document; `relative_length` is its length over the average.
pub(crate) fn bm25(idf: f32, tf: f32, relative_length: f32) -> f32 {
    idf * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * relative_length))
}

/// The chunks of allowed files with the `n_wanted` highest sums of BM25 over text, names and path, and all whose sum
/// equals the lowest of these.
pub(crate) fn best_chunks(
    terms: &[Term<'_>],
    segments: &[LiveSegment],
    allowed: &[FixedBitSet],
    totals: Totals,
    n_wanted: usize,
) -> Vec<(f32, ChunkAt)> {
    let scores: Vec<Vec<f32>> = segments
        .iter()
        .enumerate()
        .map(|(number, segment)| {
            let mut scores = chunk_scores(terms, number, &segment.segment, totals);
            for file in allowed[number].zeroes() {
                let chunks = segment.segment.chunks_of(file as u32);
                scores[chunks.start as usize..chunks.end as usize].fill(0.0);
            }
            scores
        })
        .collect();
    let lowest = nth_highest(&scores, n_wanted);
    let of_segment = |(segment, scores): (usize, &Vec<f32>)| {
        let best =
            (0u32..).zip(scores.iter().copied()).filter(move |&(_, score)| score > 0.0 && score >= lowest);
        best.map(move |(chunk, score)| (score, ChunkAt { segment, chunk })).collect::<Vec<_>>()
    };
    scores.iter().enumerate().flat_map(of_segment).collect()
}

/// The `n`-th highest score, 0 when there are fewer.
fn nth_highest(scores: &[Vec<f32>], n: usize) -> f32 {
    let mut found: Vec<f32> = scores.iter().flatten().copied().filter(|&score| score > 0.0).collect();
    if found.len() < n {
        return 0.0;
    }
    *found.select_nth_unstable_by(n - 1, |a, b| b.total_cmp(a)).1
}

fn chunk_scores(terms: &[Term<'_>], segment_number: usize, segment: &Segment, totals: Totals) -> Vec<f32> {
    let chunks = segment.chunks();
    let mut scores = vec![0.0f32; chunks.len()];
    let average = average_tokens(totals);
    for term in terms {
        let postings = &term.postings[segment_number];
        let body = match &postings.body {
            Body::Read(read) if term.is_scanned => read.as_slice(),
            _ => &[],
        };
        for posting in body {
            let length = chunks[posting.doc as usize].n_tokens as f32 / average;
            scores[posting.doc as usize] += bm25(term.idf, posting.tf as f32, length);
        }
        for posting in &postings.symbol {
            scores[posting.doc as usize] += SYMBOL_WEIGHT * bm25(term.idf, posting.tf as f32, 1.0);
        }
        for posting in &postings.path {
            let of_file = segment.chunks_of(posting.doc);
            scores[of_file.start as usize..of_file.end as usize]
                .iter_mut()
                .for_each(|s| *s += PATH_WEIGHT * term.idf.min(term.path_idf));
        }
    }
    scores
}

/// Average number of body terms of a chunk.
pub(crate) fn average_tokens(totals: Totals) -> f32 {
    (totals.n_tokens as f32 / totals.n_chunks.max(1) as f32).max(1.0)
}

/// The postings of the documents `docs`, by binary search.
pub(crate) fn within(postings: &[Posting], docs: std::ops::Range<u32>) -> &[Posting] {
    let start = postings.partition_point(|posting| posting.doc < docs.start);
    let len = postings[start..].partition_point(|posting| posting.doc < docs.end);
    &postings[start..start + len]
}

/// Occurrences in one document, 0 when it is not in the list.
pub(crate) fn tf_of(postings: &[Posting], doc: u32) -> u32 {
    within(postings, doc..doc + 1).first().map_or(0, |posting| posting.tf)
}
