//! Finds code: lexical and dense candidates, code-aware ranking, calibrated relevance.
//!
//! The index is derived from the store and can be thrown away at any time: [`Index::sync`] makes it anew. It is a list
//! of immutable segments, each one memory-mapped file, and the set of files that have since been removed from them.

mod analysis;
mod best;
mod candidates;
mod definitions;
mod dense;
mod error;
mod features;
mod filter;
mod hit;
mod index;
mod ivf;
mod lexical;
mod mapped;
mod query;
mod ranker;
mod scene;
mod search;
mod segment;

pub use definitions::Description;
pub use error::SearchError;
pub use features::{FEATURE_NAMES, Features};
pub use filter::{Filter, KindFilter};
pub use hit::{Evidence, Hit, MoreRange};
#[cfg(fuzzing)]
pub use index::fuzzing;
pub use index::{Index, IndexHealth, IndexLock};
pub use ivf::N_IVF_LISTS;
pub use query::has_words;
pub use ranker::{
    FeatureValues, RankerWeights, RelevanceWeights, STANDING_NAMES, ScoreWeights, shares, standings,
};
pub use search::{CandidateFeatures, Retrieval, SearchOptions};
