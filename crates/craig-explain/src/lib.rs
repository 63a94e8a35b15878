//! Explains code from a project's own documentation, with citations, or says exactly "Not documented.".
//!
//! [`Index`] keeps the documentation of a project in `.aidocs/`; [`CodeContext`] reads a selection; [`explain`] ranks the
//! [`passages`] that may explain it, and quotes the likeliest. The comment of a definition is added as a [`Comment`], and
//! never counts as documentation.

mod activation;
mod cache;
mod comment;
mod context;
mod error;
mod explain;
mod index;
mod library;
mod markdown;
mod markup;
mod names;
mod namesakes;
mod page;
mod passage;
mod prompt;
mod sentence;

pub use activation::is_script_project;
pub use cache::{Cache, CacheKey, cache};
pub use comment::Comment;
pub use context::{CodeContext, Subject};
pub use error::ExplainError;
pub use explain::{Bullet, Citation, Explanation, Kind, MAX_BULLETS, NOT_DOCUMENTED, explain, explain_by};
pub use index::{Index, IndexReport, SkippedDocument, write_explanation};
pub use library::{Document, Library};
pub use markdown::Addresses;
pub use namesakes::{Definitions, Holder};
pub use page::{Page, Section};
pub use passage::{FEATURES, Features, N_FEATURES, Passage, PassageRanker, PassageWeights, passages};
pub use prompt::{Fault, INSTRUCTION, Judged, Prompt, Sentences};
