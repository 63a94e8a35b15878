//! What the ranker knows of a candidate file.

use craig_source::FileKind;

use crate::analysis::{Field, parts};
use crate::index::{LiveSegment, Totals};
use crate::lexical::{Term, average_tokens, bm25, tf_of, within};
use crate::query::{Query, Shape};
use crate::segment::{Aspect, Posting, Role, Segment, file_stem, kind_number};

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// What the ranker knows of a candidate file, for one query. Plain numbers, in the order of [`FEATURE_NAMES`].
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Features { $($(#[$doc])* pub $name: f32),* }

        /// Names of the features, in order.
        pub const FEATURE_NAMES: &[&str] = &[$(stringify!($name)),*];

        impl Features {
            /// The values in the order of [`FEATURE_NAMES`].
            pub fn to_array(self) -> [f32; FEATURE_NAMES.len()] {
                [$(self.$name),*]
            }
        }
    };
}

features! {
    /// BM25 of its best chunk's text over the sum of the query's idf.
    body_best,
    /// Sum of BM25 of its three best chunks, likewise.
    body_three,
    /// BM25 of the file as one text, likewise.
    body_file,
    /// Best BM25 of the names that one chunk defines, likewise.
    symbol_best,
    /// BM25 of all names that the file defines, likewise.
    symbol_file,
    /// Share of the query's idf that its path holds.
    path_coverage,
    /// Share of the query's idf that its name holds.
    name_coverage,
    /// Share of its name's words that the query holds.
    name_precision,
    /// Its whole name is a name that the query asks for: 1 certainly, ½ perhaps.
    name_exact,
    /// It defines a name that the query asks for: 1 certainly, ½ perhaps, shared between the files that define it.
    definition_exact,
    /// Share of the query's idf that its text holds.
    coverage_file,
    /// Largest share of the query's idf that one chunk holds.
    coverage_chunk,
    /// Cosine of its best chunk.
    dense_best,
    /// Mean cosine of its three best chunks.
    dense_three,
    /// Cosine of its path.
    dense_path,
    /// Cosine of its name.
    dense_name,
    /// Cosine of the names that it defines.
    dense_symbols,
    /// Cosine of its beginning.
    dense_head,
    /// Cosine of its text.
    dense_whole,
    /// It is a test.
    is_test,
    /// It is an example.
    is_example,
    /// It is code of others.
    is_vendored,
    /// It holds declarations only.
    is_stub,
    /// It passes on the names of others.
    is_barrel,
    /// It is documentation.
    is_docs,
    /// It is configuration or data.
    is_config,
    /// ln(1 + body terms).
    log_tokens,
    /// ln(1 + definitions).
    log_definitions,
    /// Folders above it.
    depth,
    /// The query is one identifier.
    asks_symbol,
    /// The query is a question.
    asks_question,
    /// Words of the query.
    n_terms,
}

/// A candidate file, seen by the ranker.
pub(crate) struct Candidate {
    pub(crate) segment: usize,
    pub(crate) file: u32,
    pub(crate) features: Features,
    /// Chunks with a score for choosing among the chunks of one file, best first.
    pub(crate) chunks: Vec<(f32, u32)>,
}

/// Everything that features of one query are computed from.
pub(crate) struct Scene<'a> {
    pub(crate) query: &'a Query,
    pub(crate) terms: &'a [Term],
    pub(crate) names: &'a [NamePostings],
    pub(crate) segments: &'a [LiveSegment],
    pub(crate) totals: Totals,
    /// Sum of the terms' idf.
    pub(crate) idf_sum: f32,
}

/// Who defines a name that the query may ask for, by segment.
pub(crate) struct NamePostings {
    /// Chunks that define it.
    pub(crate) definitions: Vec<Vec<Posting>>,
    /// Files of that name.
    pub(crate) stems: Vec<Vec<Posting>>,
    /// 1 when surely meant as a name, else ½.
    pub(crate) weight: f32,
}

impl<'a> Scene<'a> {
    /// Computes the features of file `file` of segment `segment`.
    pub(crate) fn candidate(&self, segment: usize, file: u32) -> Candidate {
        let body = self.body(segment, file);
        let mut features = Features::default();
        self.lexical_features(&body, &mut features);
        self.name_features(segment, file, &mut features);
        self.role_features(segment, file, &mut features);
        let chunks = self.dense_features(segment, file, &body, &mut features);
        Candidate { segment, file, features, chunks }
    }

    fn segment(&self, segment: usize) -> &'a Segment {
        &self.segments[segment].segment
    }

    /// BM25 sums and coverages of the file's text, chunk by chunk and as a whole.
    fn body(&self, segment: usize, file: u32) -> BodyScores {
        let chunks = self.segment(segment).chunks_of(file);
        let rows = &self.segment(segment).chunks()[chunks.start as usize..chunks.end as usize];
        let average = average_tokens(self.totals);
        let average_file = (self.totals.n_tokens as f32 / self.totals.n_files.max(1) as f32).max(1.0);
        let file_length = self.segment(segment).files()[file as usize].n_tokens as f32 / average_file;
        let mut scores = BodyScores::new(rows.len());
        for term in self.terms {
            let postings = &term.postings[segment];
            let body = within(&postings.body, chunks.clone());
            for posting in body {
                let chunk = (posting.doc - chunks.start) as usize;
                let length = rows[chunk].n_tokens as f32 / average;
                scores.body[chunk] += bm25(term.idf, posting.tf as f32, length);
                scores.coverage[chunk] += term.idf;
            }
            let symbols = within(&postings.symbol, chunks.clone());
            for posting in symbols {
                scores.symbol[(posting.doc - chunks.start) as usize] +=
                    bm25(term.idf, posting.tf as f32, 1.0);
            }
            let tf_sum = |postings: &[Posting]| postings.iter().map(|posting| posting.tf).sum::<u32>() as f32;
            scores.file += bm25(term.idf, tf_sum(body), file_length);
            scores.symbol_file += bm25(term.idf, tf_sum(symbols), 1.0);
            scores.coverage_file += if body.is_empty() { 0.0 } else { term.idf };
        }
        scores.divide(self.idf_sum.max(f32::MIN_POSITIVE));
        scores
    }

    fn lexical_features(&self, body: &BodyScores, features: &mut Features) {
        let mut best = body.body.clone();
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        features.body_best = best.first().copied().unwrap_or_default();
        features.body_three = best.iter().take(3).sum();
        features.body_file = body.file;
        features.symbol_best = max(&body.symbol);
        features.symbol_file = body.symbol_file;
        features.coverage_chunk = max(&body.coverage);
        features.coverage_file = body.coverage_file;
    }

    fn name_features(&self, segment: usize, file: u32, features: &mut Features) {
        let held_idf = |field: fn(&crate::lexical::TermPostings) -> &Vec<Posting>| {
            let holds = |term: &&Term| tf_of(field(&term.postings[segment]), file) > 0;
            self.terms.iter().filter(holds).map(|term| term.idf).sum::<f32>()
                / self.idf_sum.max(f32::MIN_POSITIVE)
        };
        features.path_coverage = held_idf(|postings| &postings.path);
        features.name_coverage = held_idf(|postings| &postings.name);
        let name_words = parts(file_stem(self.segment(segment).path(file)));
        let n_asked = name_words.iter().filter(|word| self.query.terms.contains(word)).count();
        features.name_precision = n_asked as f32 / name_words.len().max(1) as f32;
        let chunks = self.segment(segment).chunks_of(file);
        for name in self.names {
            if tf_of(&name.stems[segment], file) > 0 {
                features.name_exact = features.name_exact.max(name.weight);
            }
            if !within(&name.definitions[segment], chunks.clone()).is_empty() {
                let n_files = name.definitions.iter().map(Vec::len).sum::<usize>() as f32;
                features.definition_exact =
                    features.definition_exact.max(name.weight / n_files.max(1.0).sqrt());
            }
        }
    }

    fn role_features(&self, segment: usize, file: u32, features: &mut Features) {
        let (query, segment) = (self.query, self.segment(segment));
        let row = &segment.files()[file as usize];
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let role = segment.role(file);
        features.is_test = flag(role == Role::Test);
        features.is_example = flag(role == Role::Example);
        features.is_vendored = flag(role == Role::Vendored);
        features.is_stub = flag(role == Role::Stub);
        features.is_barrel = flag(role == Role::Barrel);
        features.is_docs = flag(row.kind == kind_number(FileKind::Docs));
        features.is_config = flag(row.kind == kind_number(FileKind::Config));
        features.log_tokens = (row.n_tokens as f32).ln_1p();
        features.log_definitions = (row.n_definitions as f32).ln_1p();
        features.depth = segment.path(file).matches('/').count() as f32;
        features.asks_symbol = flag(query.shape == Shape::Symbol);
        features.asks_question = flag(query.shape == Shape::Question);
        features.n_terms = query.terms.len() as f32;
    }

    /// Cosines of the file; gives its chunks by their own scores, best first.
    fn dense_features(
        &self,
        segment: usize,
        file: u32,
        body: &BodyScores,
        features: &mut Features,
    ) -> Vec<(f32, u32)> {
        let (segment_number, segment) = (segment, self.segment(segment));
        let chunks = segment.chunks_of(file);
        let cosines: Vec<f32> =
            chunks.clone().map(|chunk| segment.similarity(&self.query.vector, chunk)).collect();
        let mut best = cosines.clone();
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        features.dense_best = best.first().copied().unwrap_or_default();
        features.dense_three = best.iter().take(3).sum::<f32>() / best.len().clamp(1, 3) as f32;
        let aspect = |aspect| segment.aspect_similarity(&self.query.aspect_vector, file, aspect);
        features.dense_path = aspect(Aspect::Path);
        features.dense_name = aspect(Aspect::Name);
        features.dense_symbols = aspect(Aspect::Symbols);
        features.dense_head = aspect(Aspect::Head);
        features.dense_whole = aspect(Aspect::Whole);
        let defines = |chunk: u32| {
            let weights =
                self.names.iter().filter(|name| tf_of(&name.definitions[segment_number], chunk) > 0);
            weights.map(|name| name.weight).fold(0.0, f32::max)
        };
        let score = |chunk: u32| {
            let at = (chunk - chunks.start) as usize;
            body.body[at] + 0.5 * body.symbol[at] + cosines[at] + defines(chunk)
        };
        let mut ordered: Vec<_> = chunks.clone().map(|chunk| (score(chunk), chunk)).collect();
        ordered.sort_by(|a, b| b.0.total_cmp(&a.0));
        ordered
    }
}

/// BM25 sums of one file, over the sum of the query's idf.
struct BodyScores {
    body: Vec<f32>,
    symbol: Vec<f32>,
    coverage: Vec<f32>,
    file: f32,
    symbol_file: f32,
    coverage_file: f32,
}

impl BodyScores {
    fn new(n_chunks: usize) -> Self {
        let zeros = || vec![0.0; n_chunks];
        Self {
            body: zeros(),
            symbol: zeros(),
            coverage: zeros(),
            file: 0.0,
            symbol_file: 0.0,
            coverage_file: 0.0,
        }
    }

    fn divide(&mut self, by: f32) {
        let each = [&mut self.body, &mut self.symbol, &mut self.coverage];
        each.into_iter().flatten().for_each(|score| *score /= by);
        [&mut self.file, &mut self.symbol_file, &mut self.coverage_file]
            .into_iter()
            .for_each(|score| *score /= by);
    }
}

fn max(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

/// Looks a name up as a definition and as a file name.
pub(crate) fn look_up_name(name: &crate::query::Name, segments: &[LiveSegment]) -> NamePostings {
    let live = |field: Field| {
        segments.iter().map(move |segment| {
            let mut postings = Vec::new();
            segment.segment.postings(field, &name.compact, &mut postings);
            postings
        })
    };
    let definitions = live(Field::Definition)
        .zip(segments)
        .map(|(mut postings, segment)| {
            let chunks = segment.segment.chunks();
            postings.retain(|posting| segment.live[chunks[posting.doc as usize].file as usize]);
            postings
        })
        .collect();
    let stems = live(Field::Stem)
        .zip(segments)
        .map(|(mut postings, segment)| {
            postings.retain(|posting| segment.live[posting.doc as usize]);
            postings
        })
        .collect();
    NamePostings { definitions, stems, weight: if name.certain { 1.0 } else { 0.5 } }
}
