//! Explains code from a project's own documentation, with citations, or says exactly "Not documented.".
//!
//! [`Index`] keeps the documentation of a project in `.aidocs/`; [`CodeContext`] reads a selection; [`find`] finds the places
//! that may explain it, a [`Judge`] says how likely each does, and [`explain`] quotes the likeliest. What the comment of a
//! definition says is added as a [`Comment`], and never counts as documentation.

mod activation;
mod cache;
mod candidates;
mod comment;
mod context;
mod error;
mod explain;
mod features;
mod index;
mod judge;
mod library;
mod markdown;
mod markup;
mod names;
mod namesakes;
mod page;
mod prompt;
mod sentence;
mod statements;
mod whose;

pub use activation::is_script_project;
pub use cache::{Cache, CacheKey, cache};
pub use candidates::Form;
pub use comment::Comment;
pub use context::{CodeContext, Subject};
pub use error::ExplainError;
pub use explain::{
    Bullet, Citation, Explanation, Found, Kind, MAX_BULLETS, NOT_DOCUMENTED, explain, explain_with, find,
};
pub use features::{FEATURES, Features};
pub use index::{Index, IndexReport, SkippedDocument, write_explanation};
pub use judge::{Judge, JudgeModel, judge};
pub use library::{Document, Library};
pub use markdown::Addresses;
pub use namesakes::{Definitions, Holder};
pub use page::{Page, Section};
pub use prompt::{Fault, INSTRUCTION, Judged, Prompt, Sentences};
