//! A local cross-encoder: reads the query and a document together.

use std::time::Instant;

use super::onnx::OnnxModel;
use super::tokens::Tokens;
use crate::rerank::logistic;
use crate::{ModelError, Ranking, RerankRequest, Reranker};

/// Documents that are scored between two checks of the deadline.
const AT_ONCE: usize = 4;

/// A local cross-encoder.
pub(super) struct CrossEncoder {
    encoder: OnnxModel,
    tokens: Tokens,
    name: String,
}

impl CrossEncoder {
    pub(super) fn new(encoder: OnnxModel, tokens: Tokens, name: &str) -> Self {
        Self { encoder, tokens, name: name.to_owned() }
    }
}

impl Reranker for CrossEncoder {
    fn name(&self) -> &str {
        &self.name
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        let started = Instant::now();
        let mut scores = Vec::with_capacity(request.documents.len());
        for documents in request.documents.chunks(AT_ONCE) {
            if Instant::now() >= request.deadline {
                return Err(ModelError::TimedOut { provider: self.name.clone(), waited: started.elapsed() });
            }
            if request.cancellation.is_cancelled() {
                return Err(ModelError::Cancelled { provider: self.name.clone() });
            }
            let pairs: Vec<_> = documents
                .iter()
                .map(|document| self.tokens.pair(request.query, document.text))
                .collect::<Result<_, _>>()?;
            scores.extend(self.encoder.score_pairs(&pairs)?.into_iter().map(logistic));
        }
        Ok(Ranking::from_scores(scores))
    }
}
