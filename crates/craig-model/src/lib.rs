//! Models for text: embedders, rerankers, language models. Files of a local model are read by the caller.

mod builtin_reranker;
mod embedding;
mod error;
mod hosted_embedder;
mod hosted_reranker;
mod http;
mod language_model;
mod llm_reranker;
mod local;
mod rerank;
mod rerank_dialect;
mod secret;
mod static_model;
mod tls;
mod vocabulary;

pub use builtin_reranker::BuiltinReranker;
pub use embedding::{Embedder, Embedding, Expense, Quantized};
pub use error::{FailureClass, ModelError};
pub use hosted_embedder::{EmbeddingDialect, HostedEmbedder, HostedModel};
pub use hosted_reranker::HostedReranker;
pub use http::{Endpoint, Patience, message_in, retry_after, shortened};
pub use language_model::{Cancellation, ChatModel, Generation, LanguageModel, Message, Role};
pub use llm_reranker::LlmReranker;
pub use local::{LocalOptions, ReadFile, local_embedder, local_reranker};
pub use rerank::{Document, RerankRequest, Reranker};
pub use rerank_dialect::{RankedDocument, Ranking, RerankDialect};
pub use secret::Secret;
pub use static_model::StaticModel;
pub use tls::{crypto_provider, tls_client_config};
pub use vocabulary::{Tokens, Vocabulary};
