//! Rerankers behind HTTP.

use crate::{Endpoint, ModelError, Patience, Ranking, RerankDialect, RerankRequest, Reranker};

/// A reranker behind HTTP.
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

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Vec<f32>, ModelError> {
        let texts: Vec<&str> = request.documents.iter().map(|document| document.text).collect();
        let body = self.dialect.request(&self.model, request.query, &texts, texts.len());
        let answer = self.endpoint.post(&body, &Patience::until(request.deadline))?;
        let scores = Ranking::read(&answer, texts.len()).and_then(|ranking| ranking.scores(texts.len()));
        scores.map_err(|reason| self.endpoint.bad_answer(reason))
    }
}
