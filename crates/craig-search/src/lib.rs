//! Finds code: lexical and dense candidates, code-aware ranking, calibrated relevance.
//!
//! The index is derived from the store and can be deleted at any time: [`Index::sync`] rebuilds it. It is a list of immutable
//! segments, each one memory-mapped file, and the set of files that have since been removed from them.

mod analysis;
mod candidates;
mod chunk_features;
mod chunk_ranker;
mod chunks;
mod conversation;
mod definitions;
mod dense;
mod error;
mod feature_extractor;
mod features;
mod filter;
mod frames;
mod guesses;
mod hit;
mod index;
mod ivf;
mod lexical;
mod mapped;
mod path_filter;
mod phrase;
mod query;
mod ranker;
mod ranking;
mod search;
mod segment;
mod top_k;
mod trigrams;
mod typos;

pub use chunk_features::{CHUNK_FEATURE_NAMES, ChunkFeatures};
pub use chunk_ranker::{
    ABOUT_FEATURE_NAMES, AboutWeights, ChunkRankerWeights, about_features, replace_chunk_ranker,
};
pub use definitions::Description;
pub use error::SearchError;
pub use features::{FEATURE_NAMES, Features};
pub use filter::{Filter, KindFilter};
pub use guesses::Guesses;
pub use hit::{Evidence, Hit, MoreRange};
#[cfg(fuzzing)]
pub use index::fuzzing;
pub use index::{Index, IndexHealth};
pub use ivf::N_IVF_LISTS;
pub use path_filter::{PathBase, PathFilter};
pub use query::{QueryKind, has_words};
pub use ranker::{
    FeatureValues, RankerWeights, RelevanceWeights, SCORE_FEATURE_NAMES, ScoreWeights, score_features, shares,
};
pub use search::{CandidateFeatures, ChunkCandidate, Found, Retrieval, SearchOptions};
pub use trigrams::{OTHER_FORMS, Required};
