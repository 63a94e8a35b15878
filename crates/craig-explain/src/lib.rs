//! Explains code from a project's own documentation, with citations, or says exactly "Not documented.".
//!
//! [`Index`] keeps the documentation of a project in `.aidocs/`; [`CodeContext`] reads a selection; [`explain`] gathers
//! evidence section by section, lets the gate decide, and quotes whole sentences. What the comment of a definition says is
//! added as a [`Comment`], and never counts as documentation.

mod activation;
mod cache;
mod comment;
mod context;
mod error;
mod evidence;
mod explain;
mod extract;
mod gate;
mod index;
mod library;
mod markdown;
mod markup;
mod mentioned;
mod names;
mod namesakes;
mod page;
mod prompt;
mod sentence;

pub use activation::is_script_project;
pub use cache::{Cache, CacheKey, cache};
pub use comment::Comment;
pub use context::{CodeContext, Subject};
pub use error::ExplainError;
pub use evidence::{
    Candidate, Evidence, N_SECTION_FEATURES, N_SUBJECT_FEATURES, SECTION_FEATURES, SUBJECT_FEATURES,
    SectionFeatures, SubjectFeatures, evidence,
};
pub use explain::{Bullet, Citation, Explanation, Kind, NOT_DOCUMENTED, explain};
pub use extract::MAX_BULLETS;
pub use gate::{
    Gate, GateWeights, N_GATE_COLUMNS, N_RANK_COLUMNS, SCORE_FEATURES, Verdict, gate, gate_row, rank_rows,
};
pub use index::{Index, IndexReport, SkippedDocument, write_explanation};
pub use library::{Document, Library};
pub use markdown::Addresses;
pub use mentioned::{MENTION_FEATURES, MentionFeatures, MentionWeights};
pub use namesakes::{Definitions, Holder};
pub use page::{Page, Section};
pub use prompt::{Fault, INSTRUCTION, Judged, Prompt, Sentences};
