//! BM25 over the fields of the index.

use fixedbitset::FixedBitSet;

use crate::analysis::Field;
use crate::dense::ChunkAt;
use crate::index::{LiveSegment, Totals};
use crate::segment::{Posting, Segment};

/// Term saturation and length normalisation: the usual values. Source: Robertson & Zaragoza, 2009.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// What one name word weighs beside one body word when candidates are chosen.
const SYMBOL_WEIGHT: f32 = 1.0;

/// What a word of the path weighs when candidates are chosen.
const PATH_WEIGHT: f32 = 1.0;

/// The postings of one word of the query in one segment, files that may not answer left out.
#[derive(Debug, Default)]
pub(crate) struct TermPostings {
    /// Chunks that hold the word in their text.
    pub(crate) body: Vec<Posting>,
    /// Chunks that hold it in a name they define.
    pub(crate) symbol: Vec<Posting>,
    /// Files that hold it in their path.
    pub(crate) path: Vec<Posting>,
    /// Files that hold it in their name.
    pub(crate) name: Vec<Posting>,
}

/// One word of the query, looked up everywhere.
pub(crate) struct Term {
    /// Inverse document frequency over chunks.
    pub(crate) idf: f32,
    /// The same over files, by path: a word that most paths hold tells nothing.
    pub(crate) path_idf: f32,
    /// One for each segment.
    pub(crate) postings: Vec<TermPostings>,
}

/// Looks the words of a query up in all segments.
///
/// Frequencies are counted over live files, so they do not depend on how files are spread over segments.
pub(crate) fn look_up(words: &[String], segments: &[LiveSegment], totals: Totals) -> Vec<Term> {
    words.iter().map(|word| look_up_word(word, segments, totals)).collect()
}

fn look_up_word(word: &str, segments: &[LiveSegment], totals: Totals) -> Term {
    let postings: Vec<TermPostings> = segments.iter().map(|segment| live_postings(word, segment)).collect();
    let n_docs =
        |field: fn(&TermPostings) -> &Vec<Posting>| postings.iter().map(|p| field(p).len()).sum::<usize>();
    let n_holding = n_docs(|p| &p.body).max(n_docs(|p| &p.symbol));
    let path_idf = idf(totals.n_files, n_docs(|p| &p.path));
    Term { idf: idf(totals.n_chunks, n_holding), path_idf, postings }
}

/// Inverse document frequency: ln(1 + (N − n + ½) / (n + ½)). Source: Robertson & Zaragoza, 2009.
pub(crate) fn idf(n_all: u64, n_holding: usize) -> f32 {
    let (n_all, n_holding) = (n_all as f32, n_holding as f32);
    (1.0 + (n_all - n_holding + 0.5).max(0.0) / (n_holding + 0.5)).ln()
}

fn live_postings(word: &str, segment: &LiveSegment) -> TermPostings {
    let mut found = TermPostings::default();
    let TermPostings { body, symbol, path, name } = &mut found;
    for (field, list) in
        [(Field::Body, body), (Field::Symbol, symbol), (Field::Path, path), (Field::Name, name)]
    {
        segment.segment.postings(field, word, list);
    }
    if !segment.live.is_full() {
        let chunks = segment.segment.chunks();
        let is_live = |posting: &Posting| segment.live[chunks[posting.doc as usize].file as usize];
        found.body.retain(is_live);
        found.symbol.retain(is_live);
        found.path.retain(|posting| segment.live[posting.doc as usize]);
        found.name.retain(|posting| segment.live[posting.doc as usize]);
    }
    found
}

/// BM25 weight of one word in one document; `relative_length` is its length over the average.
pub(crate) fn bm25(idf: f32, tf: f32, relative_length: f32) -> f32 {
    idf * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * relative_length))
}

/// The chunks of allowed files that have a score, each with its sum of BM25 over text, names and path.
pub(crate) fn scored_chunks(
    terms: &[Term],
    segments: &[LiveSegment],
    allowed: &[FixedBitSet],
    totals: Totals,
) -> Vec<(f32, ChunkAt)> {
    let mut scored = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        let scores = chunk_scores(terms, number, &segment.segment, totals);
        let chunks = segment.segment.chunks();
        let found = (0u32..)
            .zip(scores)
            .filter(|&(chunk, score)| score > 0.0 && allowed[number][chunks[chunk as usize].file as usize]);
        scored.extend(found.map(|(chunk, score)| (score, ChunkAt { segment: number, chunk })));
    }
    scored
}

fn chunk_scores(terms: &[Term], segment_number: usize, segment: &Segment, totals: Totals) -> Vec<f32> {
    let chunks = segment.chunks();
    let mut scores = vec![0.0f32; chunks.len()];
    let average = average_tokens(totals);
    for term in terms {
        let postings = &term.postings[segment_number];
        for posting in &postings.body {
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
