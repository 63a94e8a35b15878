//! Rerankers behind HTTP. All dialects of `/v1/rerank` are in this file.

use serde_json::{Value, json};

use crate::rerank::in_unit_range;
use crate::{Endpoint, ModelError, Patience, RerankRequest, Reranker};

/// How a reranking provider wants to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RerankDialect {
    /// Cohere, Jina, vLLM, llama.cpp and most others: `documents`, `top_n`.
    Common,
    /// Voyage: `documents`, `top_k`.
    Voyage,
    /// Hugging Face's text-embeddings-inference: `texts`, and a bare list comes back.
    Tei,
}

/// Longest document that is sent, in bytes: rerankers read some thousand tokens of one.
const MAX_DOCUMENT_BYTES: usize = 16_000;

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
        let body = self.dialect.request(&self.model, request);
        let answer = self.endpoint.post(&body, &Patience::until(request.deadline))?;
        let scores = scores(&answer, request.documents.len());
        Ok(in_unit_range(scores.map_err(|reason| self.endpoint.bad_answer(reason))?))
    }
}

impl RerankDialect {
    /// The body that asks for a score of every document.
    fn request(self, model: &str, request: &RerankRequest<'_>) -> Value {
        let texts: Vec<&str> = request.documents.iter().map(|document| beginning(document.text)).collect();
        let n_texts = texts.len();
        let mut body = match self {
            Self::Common => json!({ "documents": texts, "top_n": n_texts, "return_documents": false }),
            Self::Voyage => json!({ "documents": texts, "top_k": n_texts, "return_documents": false }),
            Self::Tei => {
                json!({ "texts": texts, "raw_scores": false, "return_text": false, "truncate": true })
            }
        };
        body["query"] = json!(request.query);
        if !model.is_empty() {
            body["model"] = json!(model);
        }
        body
    }
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_DOCUMENT_BYTES)]
}

/// The score of each document: from `results`, `data` or a bare list, as `relevance_score` or `score`.
fn scores(answer: &Value, n_documents: usize) -> Result<Vec<f32>, String> {
    let list = [&answer["results"], &answer["data"], answer].into_iter().find_map(Value::as_array);
    let list = list.ok_or("it has no 'results', no 'data', and is no list")?;
    let mut scores = vec![None; n_documents];
    for item in list {
        let index = item["index"].as_u64().ok_or("a result has no 'index'")? as usize;
        let score = [&item["relevance_score"], &item["score"]].into_iter().find_map(Value::as_f64);
        let score =
            score.filter(|score| score.is_finite()).ok_or_else(|| format!("result {index} has no score"))?;
        match scores.get_mut(index) {
            Some(place @ None) => *place = Some(score as f32),
            Some(Some(_)) => return Err(format!("document {index} is scored twice")),
            None => return Err(format!("there is no document {index}")),
        }
    }
    let n_scored = scores.iter().flatten().count();
    let all: Option<Vec<f32>> = scores.into_iter().collect();
    all.ok_or_else(|| format!("it has {n_scored} scores for {n_documents} documents"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_an_answer_is_understood() {
        for answer in [
            json!({"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]}),
            json!({"data": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]}),
            json!([{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1}]),
        ] {
            assert_eq!(scores(&answer, 2).unwrap(), [0.1, 0.9], "{answer}");
        }
    }

    #[test]
    fn answers_that_do_not_fit_are_refused() {
        let reason = |answer: Value| scores(&answer, 2).unwrap_err();
        assert_eq!(reason(json!({"results": []})), "it has 0 scores for 2 documents");
        assert_eq!(reason(json!([{"index": 5, "score": 1.0}])), "there is no document 5");
        let twice = json!([{"index": 0, "score": 1.0}, {"index": 0, "score": 1.0}]);
        assert_eq!(reason(twice), "document 0 is scored twice");
        assert_eq!(reason(json!([{"index": 0}])), "result 0 has no score");
        assert_eq!(reason(json!({"ok": true})), "it has no 'results', no 'data', and is no list");
    }
}
