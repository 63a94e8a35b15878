//! Rerankers behind HTTP.

use std::time::Instant;

use super::{Ranking, RerankDialect, RerankRequest, RerankSource, Reranker};
use crate::{Endpoint, ModelError};

/// Largest answer that is read, in bytes.
const MAX_ANSWER_BYTES: u64 = 8 << 20;

/// A reranker behind HTTP. Each call is one request: retries are the [`GuardedReranker`](crate::GuardedReranker)'s.
pub struct HostedReranker {
    endpoint: Endpoint,
    dialect: RerankDialect,
    model: String,
    name: String,
}

impl HostedReranker {
    /// Makes the reranker; `model` may be empty where the server has one only.
    pub fn new(endpoint: Endpoint, dialect: RerankDialect, model: &str) -> Self {
        let name = format!("{} {model}", endpoint.provider).trim_end().to_owned();
        Self { endpoint, dialect, model: model.to_owned(), name }
    }
}

impl Reranker for HostedReranker {
    fn name(&self) -> &str {
        &self.name
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        let texts: Vec<&str> = request.documents.iter().map(|document| document.text).collect();
        let body = self.dialect.request(&self.model, request.query, &texts, request.top);
        let time_left = request.deadline.saturating_duration_since(Instant::now());
        let answer = self.endpoint.post_once(&body, time_left, MAX_ANSWER_BYTES)?;
        let ranking =
            Ranking::read(&answer, texts.len()).map_err(|reason| self.endpoint.bad_answer(reason))?;
        if ranking.ranked.is_empty() && !texts.is_empty() {
            return Err(ModelError::NoResults { provider: self.endpoint.provider.clone() });
        }
        let source = match self.dialect {
            RerankDialect::Voyage => RerankSource::Voyage,
            _ => RerankSource::Provider,
        };
        Ok(Ranking { source, ..ranking })
    }
}
