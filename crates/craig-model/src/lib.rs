//! Models that know text: embedders, rerankers, language models. Never sees a path: whoever configures a local model
//! reads its files.

mod embedding;
mod error;
mod hosted_embedder;
mod hosted_reranker;
mod http;
mod language_model;
mod llm_reranker;
mod local;
mod rerank;
mod secret;
mod static_model;
mod vocabulary;
mod words;

pub use embedding::{Embedder, Embedding, Expense, Quantized};
pub use error::{FailureClass, ModelError};
pub use hosted_embedder::{EmbeddingDialect, HostedEmbedder, HostedModel};
pub use hosted_reranker::{HostedReranker, RerankDialect};
pub use http::{Endpoint, Patience};
pub use language_model::{Cancellation, ChatModel, Generation, LanguageModel, Message, Role};
pub use llm_reranker::LlmReranker;
pub use local::{LocalOptions, ReadFile, local_embedder, local_reranker};
pub use rerank::{Document, RerankRequest, Reranker};
pub use secret::Secret;
pub use static_model::StaticModel;
pub use vocabulary::{Tokens, Vocabulary};
pub use words::{Word, identifiers, words};
