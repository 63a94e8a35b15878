//! The configured models for texts that anybody hands in: no project, no database.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use craig_model::{Document, Embedder, ModelError, RerankRequest, Reranker};

use crate::config::{Config, RerankerConfig};
use crate::{EngineError, models, text_ranking};

/// What `config` says embeds and reranks, loaded when it is first used; may be shared between threads.
pub struct TextModels {
    config: Config,
    embedder: OnceLock<Arc<dyn Embedder>>,
    /// `None` for the built-in ranking.
    reranker: OnceLock<Option<Arc<dyn Reranker>>>,
}

/// Vectors of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// Id of the model; vectors of different ids are never compared.
    pub model: String,
    /// A vector for each text, in order, of unit length.
    pub vectors: Vec<Vec<f32>>,
}

impl TextModels {
    /// Loads nothing yet.
    pub fn new(config: &Config) -> Self {
        Self { config: config.clone(), embedder: OnceLock::new(), reranker: OnceLock::new() }
    }

    /// Embeds texts as documents are embedded.
    pub fn embed(&self, texts: &[&str]) -> Result<Embedded, EngineError> {
        let embedder = match self.embedder.get() {
            Some(embedder) => embedder,
            None => {
                let embedder = models::embedder(&self.config.embedder)?;
                self.embedder.get_or_init(|| embedder)
            }
        };
        let vectors = embedder.embed_documents(texts)?;
        let vectors = vectors.iter().map(|vector| vector.as_slice().to_vec()).collect();
        Ok(Embedded { model: embedder.id().to_owned(), vectors })
    }

    /// Scores documents for a query, in their order: with the configured reranker, else with the built-in one. A
    /// provider's reranker, which wants a client that does not block, is not asked here.
    pub fn rerank(
        &self,
        query: &str,
        documents: &[Document<'_>],
        deadline: Instant,
    ) -> Result<Vec<f32>, EngineError> {
        let reranker = match self.reranker.get() {
            Some(reranker) => reranker,
            None => {
                let reranker = self.load_reranker()?;
                self.reranker.get_or_init(|| reranker)
            }
        };
        let request = RerankRequest { query, documents, deadline };
        match reranker {
            Some(reranker) => Ok(reranker.rerank(&request)?),
            None => text_ranking::relevances(&request),
        }
    }

    fn load_reranker(&self) -> Result<Option<Arc<dyn Reranker>>, ModelError> {
        match self.config.reranker {
            RerankerConfig::Off | RerankerConfig::Hosted { .. } => Ok(None),
            _ => Ok(models::reranker(&self.config)?.map(|(reranker, _)| reranker)),
        }
    }
}
