//! Models that know text: embedders today, rerankers and language models beside them. Never sees a path.

mod embedding;
mod static_model;
mod words;

pub use embedding::{Embedder, Embedding, ModelError, Quantized};
pub use static_model::StaticModel;
pub use words::{Word, identifiers, words};
