//! Derives search queries from messages and instructions.

mod chat;
mod inline;
mod prose;
mod reference;
mod words;

pub use chat::ChatQuery;
pub use inline::{Basis, InlineQuery};
pub use reference::Reference;
