//! Models for text: embedders, rerankers, language models, and boosted trees. Files of a local model are read by the caller.

mod breaker;
mod embedding;
mod error;
mod hosted_embedder;
mod http;
mod language_model;
mod local;
mod rerank;
mod secret;
mod static_model;
mod tls;
mod trees;
mod vocabulary;

pub use breaker::{Admission, Breaker, BreakerOpen, BreakerSettings, BreakerState};
pub use embedding::{Embedder, Embedding, Expense, Quantized};
pub use error::{FailureClass, ModelError};
pub use hosted_embedder::{EmbeddingDialect, HostedEmbedder, HostedModel};
pub use http::{Endpoint, Patience, message_in, retry_after, shortened};
pub use language_model::{Cancellation, ChatModel, Generation, LanguageModel, Message, Role};
pub use local::{LocalOptions, ReadFile, local_embedder, local_reranker};
pub use rerank::{
    BuiltinReranker, CacheScope, CachedReranker, Document, GuardedReranker, HostedReranker, LlmReranker,
    Queue, QueuedReranker, RankedDocument, Ranking, RerankDialect, RerankRequest, RerankSource, Reranker,
    SharedCache, logistic,
};
pub use secret::Secret;
pub use static_model::StaticModel;
pub use tls::{crypto_provider, tls_client_config, tls_client_config_with_root};
pub use trees::{N_LEAVES, TREE_DEPTH, Tree, Trees, columns, tree_sums};
pub use vocabulary::{Tokens, Vocabulary};
