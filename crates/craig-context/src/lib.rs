//! Context for chats and inline edits: derives queries, selects blocks within a token budget, and formats them.
//!
//! Pure: searching and reading are the engine's. [`ChatQuery`] and [`InlineQuery`] say what to search for; [`Block`]s are
//! made of hits, [`fitted`] into a budget and written as Markdown.

mod block;
mod budget;
mod format;
mod inline;
mod query;
mod tokens;
mod truncate;

pub use block::{Block, SourceText, enclosing, merged};
pub use budget::{Fitted, fitted, fitted_text};
pub use format::Format;
pub use inline::{Selection, boost};
pub use query::{Basis, ChatQuery, InlineQuery, Reference};
pub use tokens::{ENCODINGS, Tokenizer};
pub use truncate::truncate;
