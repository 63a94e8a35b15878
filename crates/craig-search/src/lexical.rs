//! BM25 over the fields of the index.

use fixedbitset::FixedBitSet;

use crate::analysis::Field;
use crate::dense::ChunkAt;
use crate::index::{LiveSegment, Totals};
use crate::segment::{Posting, PostingsList, Segment};
use crate::top_k::TopK;

/// Term saturation and length normalisation: the usual values. Source: Robertson & Zaragoza, 2009.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Weight of a word in a symbol name, relative to one in the text, when candidates are chosen.
const SYMBOL_WEIGHT: f32 = 1.0;

/// Weight of a word in the path, likewise.
const PATH_WEIGHT: f32 = 1.0;

/// A word in more chunks than this is not used to choose candidates if a rarer one is there: it adds little, and decoding all
/// its postings would take most of the time of a search.
const MAX_SCANNED_CHUNKS: usize = 32_768;

/// The postings of one word of the query in one segment, live files only.
pub(crate) struct TermPostings<'s> {
    /// Chunks with the word in their text.
    body: Body<'s>,
    /// Chunks with the word in a name that they define.
    pub(crate) symbol: Vec<Posting>,
    /// Files with the word in their path.
    pub(crate) path: Vec<Posting>,
    /// Files with the word in their name.
    pub(crate) name: Vec<Posting>,
}

/// The chunks with a word in their text.
enum Body<'s> {
    Decoded(Vec<Posting>),
    /// Decoded where needed. Every file of the segment is live.
    Encoded(PostingsList<'s>),
}

impl Body<'_> {
    fn n_docs(&self) -> usize {
        match self {
            Self::Decoded(postings) => postings.len(),
            Self::Encoded(list) => list.n_docs() as usize,
        }
    }
}

impl TermPostings<'_> {
    /// The postings of the chunks `chunks`; `scratch` is the buffer if they have to be decoded.
    pub(crate) fn body_within<'p>(
        &'p self,
        chunks: std::ops::Range<u32>,
        scratch: &'p mut Vec<Posting>,
    ) -> &'p [Posting] {
        match &self.body {
            Body::Decoded(postings) => within(postings, chunks),
            Body::Encoded(list) => {
                scratch.clear();
                list.read_within(chunks, scratch);
                scratch
            }
        }
    }
}

/// One word of the query with its postings in all segments.
pub(crate) struct Term<'s> {
    /// Inverse document frequency over chunks.
    pub(crate) idf: f32,
    /// The same over the paths of files.
    pub(crate) path_idf: f32,
    /// The word is used to choose candidates: all its body postings are decoded.
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
    // If all words are frequent, the rarest is used.
    let rarest = n_bodies.iter().copied().filter(|&n| n > 0).min().unwrap_or_default();
    let limit = MAX_SCANNED_CHUNKS.max(rarest);
    for (term, _) in terms.iter_mut().zip(&n_bodies).filter(|&(_, &n)| n <= limit) {
        term.decode_bodies();
    }
    terms
}

/// Whether a text, a name or a path has a word.
pub(crate) fn is_known(word: &str, segments: &[LiveSegment]) -> bool {
    segments.iter().map(|segment| live_postings(word, segment)).any(|postings| {
        let of_names = [&postings.symbol, &postings.path, &postings.name];
        postings.body.n_docs() > 0 || of_names.iter().any(|postings| !postings.is_empty())
    })
}

/// Number of chunks with a word in their text, those of files that are gone included.
pub(crate) fn n_chunks_with(word: &str, segments: &[LiveSegment]) -> u64 {
    segments.iter().map(|live| u64::from(live.segment.list(Field::Body, word).n_docs())).sum()
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
        true => Body::Encoded(segment.segment.list(Field::Body, word)),
        false => Body::Decoded(segment.live_chunks(Field::Body, word)),
    };
    TermPostings {
        body,
        symbol: segment.live_chunks(Field::Symbol, word),
        path: segment.live_files(Field::Path, word),
        name: segment.live_files(Field::Name, word),
    }
}

impl Term<'_> {
    /// Whether no text of the index holds the word.
    pub(crate) fn is_unknown(&self) -> bool {
        self.n_bodies() == 0
    }

    /// Number of chunks with the word in their text.
    fn n_bodies(&self) -> usize {
        self.postings.iter().map(|postings| postings.body.n_docs()).sum()
    }

    /// The chunks of segment `number` with the word in their text; none if it is not used to choose candidates.
    fn scanned_body(&self, number: usize) -> &[Posting] {
        match &self.postings[number].body {
            Body::Decoded(read) if self.is_scanned => read,
            _ => &[],
        }
    }

    fn decode_bodies(&mut self) {
        self.is_scanned = true;
        for postings in &mut self.postings {
            if let Body::Encoded(list) = postings.body {
                let mut read = Vec::new();
                list.read(&mut read);
                postings.body = Body::Decoded(read);
            }
        }
    }
}

/// Inverse document frequency: ln(1 + (N − n + ½) / (n + ½)). Source: Robertson & Zaragoza, 2009.
pub(crate) fn idf(n_all: u64, n_with_term: usize) -> f32 {
    let (n_all, n_with_term) = (n_all as f32, n_with_term as f32);
    (1.0 + (n_all - n_with_term + 0.5).max(0.0) / (n_with_term + 0.5)).ln()
}

/// BM25 weight of one word in one document; `relative_length` is its length over the average.
pub(crate) fn bm25(idf: f32, tf: f32, relative_length: f32) -> f32 {
    idf * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * relative_length))
}

/// The chunks of allowed files with the `n_wanted` highest sums of BM25 over text, names and path, and all ties with the lowest
/// of these.
pub(crate) fn best_chunks(
    terms: &[Term<'_>],
    segments: &[LiveSegment],
    allowed: &[FixedBitSet],
    totals: Totals,
    n_wanted: usize,
) -> Vec<(f32, ChunkAt)> {
    let mut best = TopK::new(n_wanted);
    for (number, (live, allowed)) in segments.iter().zip(allowed).enumerate() {
        let is_full = allowed.is_full();
        let is_allowed = |chunk: u32| is_full || allowed[live.segment.file_of(chunk) as usize];
        let mut scan = Scan::new(terms, number, &live.segment, totals);
        while let Some((first, scores)) = scan.next_window() {
            for (few_first, few) in (first..).step_by(SKIP_CHUNKS).zip(scores.chunks(SKIP_CHUNKS)) {
                let highest = highest(few);
                if highest <= 0.0 || highest < best.threshold() {
                    continue;
                }
                for (chunk, &score) in (few_first..).zip(few) {
                    if score > 0.0 && score >= best.threshold() && is_allowed(chunk) {
                        best.offer(score, ChunkAt { segment: number, chunk });
                    }
                }
            }
        }
    }
    best.into_vec()
}

/// Chunks that are skipped together when none of them scores high enough.
const SKIP_CHUNKS: usize = 32;

/// The highest of some scores, none of which is negative: as numbers, their bits are in the same order, and every
/// processor compares several at once.
fn highest(scores: &[f32]) -> f32 {
    f32::from_bits(scores.iter().map(|score| score.to_bits() as i32).max().unwrap_or_default() as u32)
}

/// Chunks that are scored together: their scores stay in the L1 cache.
const WINDOW_CHUNKS: u32 = 4096;

/// Adds up the scores of the chunks of one segment, window by window, files never cut.
struct Scan<'p> {
    segment: &'p Segment,
    average_tokens: f32,
    postings: Vec<Unscored<'p>>,
    /// First file of the next window.
    file: usize,
    scores: Vec<f32>,
}

/// The postings of one word that lie behind the windows scored so far.
struct Unscored<'p> {
    idf: f32,
    path_idf: f32,
    body: &'p [Posting],
    symbol: &'p [Posting],
    path: &'p [Posting],
}

impl<'p> Scan<'p> {
    fn new(terms: &'p [Term<'_>], number: usize, segment: &'p Segment, totals: Totals) -> Self {
        let unscored = |term: &'p Term<'_>| Unscored {
            idf: term.idf,
            path_idf: term.path_idf,
            body: term.scanned_body(number),
            symbol: &term.postings[number].symbol,
            path: &term.postings[number].path,
        };
        Self {
            segment,
            average_tokens: average_tokens(totals),
            postings: terms.iter().map(unscored).collect(),
            file: 0,
            scores: Vec::new(),
        }
    }

    /// The scores of the chunks of the next window, and the first of these chunks; `None` at the end.
    fn next_window(&mut self) -> Option<(u32, &[f32])> {
        let files = self.segment.files();
        let first = files.get(self.file)?.first_chunk;
        // The file that the window would be cut in still belongs to it.
        let end_file = files.partition_point(|file| file.first_chunk < first.saturating_add(WINDOW_CHUNKS));
        let end = files.get(end_file).map_or(self.segment.n_chunks() as u32, |file| file.first_chunk);
        let n_tokens = self.segment.chunk_tokens(first..end);
        self.scores.clear();
        self.scores.resize((end - first) as usize, 0.0);
        for word in &mut self.postings {
            for posting in take_below(&mut word.body, end) {
                let length = n_tokens[(posting.doc - first) as usize] as f32 / self.average_tokens;
                self.scores[(posting.doc - first) as usize] += bm25(word.idf, posting.tf as f32, length);
            }
            for posting in take_below(&mut word.symbol, end) {
                self.scores[(posting.doc - first) as usize] +=
                    SYMBOL_WEIGHT * bm25(word.idf, posting.tf as f32, 1.0);
            }
            for posting in take_below(&mut word.path, end_file as u32) {
                let of_file = self.segment.chunks_of(posting.doc);
                self.scores[(of_file.start - first) as usize..(of_file.end - first) as usize]
                    .iter_mut()
                    .for_each(|score| *score += PATH_WEIGHT * word.idf.min(word.path_idf));
            }
        }
        self.file = end_file;
        Some((first, &self.scores))
    }
}

/// Takes the postings of the documents below `end` from the front of `postings`.
fn take_below<'p>(postings: &mut &'p [Posting], end: u32) -> &'p [Posting] {
    let (below, rest) =
        postings.split_at(postings.iter().position(|posting| posting.doc >= end).unwrap_or(postings.len()));
    *postings = rest;
    below
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
