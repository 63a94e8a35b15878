//! What to search for, told from what people write.

mod chat;
mod inline;
mod prose;
mod reference;
mod words;

pub use chat::ChatQuery;
pub use inline::{Basis, InlineQuery};
pub use reference::Reference;
