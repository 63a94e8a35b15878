//! Facts about texts and paths that every crate has to agree on: words and identifiers, test files, vendored and
//! generated code. No input or output, no state, no other crate of the workspace.

mod dot;
pub mod generated;
pub mod path;
mod role;
mod words;

pub use dot::{dot, dot_i8};
pub use role::{PathRole, PathTraits, is_test};
pub use words::{Word, compact, compact_into, identifiers, words};
