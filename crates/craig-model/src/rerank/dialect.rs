//! The dialects of `/v1/rerank`: what a request looks like, and how an answer is read. Nothing here sends anything.

use serde_json::{Value, json};

use super::{RankedDocument, Ranking, in_unit_range};

/// How a reranking provider wants to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RerankDialect {
    /// Cohere, Jina, vLLM, llama.cpp and most others: `documents`, `top_n`.
    Common,
    /// Voyage: `documents`, `top_k`. It ignores `top_n`.
    Voyage,
    /// Hugging Face's text-embeddings-inference: `texts`, and a bare list of all comes back.
    Tei,
}

/// Longest document that is sent, in bytes: rerankers read some thousand tokens of one.
const MAX_DOCUMENT_BYTES: usize = 16_000;

/// Longest query that is sent, in bytes: Voyage's small models read 2,000 tokens of one.
const MAX_QUERY_BYTES: usize = 6_000;

impl RerankDialect {
    /// The body that asks for the `top` best of `documents`; `model` may be empty where the server has one only.
    pub(crate) fn request(self, model: &str, query: &str, documents: &[&str], top: usize) -> Value {
        let texts: Vec<&str> = documents.iter().map(|text| beginning(text, MAX_DOCUMENT_BYTES)).collect();
        let mut body = match self {
            Self::Common => json!({ "documents": texts, "top_n": top, "return_documents": false }),
            Self::Voyage => json!({ "documents": texts, "top_k": top, "return_documents": false }),
            Self::Tei => {
                json!({ "texts": texts, "raw_scores": false, "return_text": false, "truncate": true })
            }
        };
        body["query"] = json!(beginning(query, MAX_QUERY_BYTES));
        if !model.is_empty() {
            body["model"] = json!(model);
        }
        body
    }
}

fn beginning(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

impl Ranking {
    /// Reads a provider's answer, whatever its dialect: the list in `results`, `data` or the bare answer, with
    /// `relevance_score` or `score`.
    ///
    /// Fails, and says why, for a document that was not sent, one that comes twice, and a score that is no number.
    pub(crate) fn read(answer: &Value, n_documents: usize) -> Result<Self, String> {
        let list = [&answer["results"], &answer["data"], answer].into_iter().find_map(Value::as_array);
        let list = list.ok_or("it has no 'results', no 'data', and is no list")?;
        let mut is_seen = vec![false; n_documents];
        let mut ranked = Vec::with_capacity(list.len());
        for item in list {
            let document = read_item(item)?;
            match is_seen.get_mut(document.index) {
                Some(seen @ false) => *seen = true,
                Some(true) => return Err(format!("document {} is scored twice", document.index)),
                None => return Err(format!("there is no document {}", document.index)),
            }
            ranked.push(document);
        }
        let scores = in_unit_range(ranked.iter().map(|document| document.score).collect());
        ranked.iter_mut().zip(scores).for_each(|(document, score)| document.score = score);
        Ok(Self::new(ranked, answer["usage"]["total_tokens"].as_u64()))
    }
}

fn read_item(item: &Value) -> Result<RankedDocument, String> {
    let index = item["index"].as_u64().ok_or("a result has no 'index'")? as usize;
    let score = [&item["relevance_score"], &item["score"]].into_iter().find_map(Value::as_f64);
    match score.filter(|score| score.is_finite()) {
        Some(score) => Ok(RankedDocument { index, score: score as f32 }),
        None => Err(format!("result {index} has no score")),
    }
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
            let ranking = Ranking::read(&answer, 2).unwrap();
            assert_eq!(ranking.scores(2), [0.1, 0.9], "{answer}");
            assert_eq!(ranking.ranked[0].index, 1);
        }
    }

    #[test]
    fn answers_that_do_not_fit_are_refused() {
        let reason = |answer: Value| Ranking::read(&answer, 2).unwrap_err();
        assert_eq!(reason(json!([{"index": 5, "score": 1.0}])), "there is no document 5");
        let twice = json!([{"index": 0, "score": 1.0}, {"index": 0, "score": 1.0}]);
        assert_eq!(reason(twice), "document 0 is scored twice");
        assert_eq!(reason(json!([{"index": 0}])), "result 0 has no score");
        assert_eq!(reason(json!({"ok": true})), "it has no 'results', no 'data', and is no list");
    }

    #[test]
    fn best_documents_come_first_and_tokens_are_read() {
        let answer = json!({"data": [{"index": 0, "relevance_score": 0.2}, {"index": 2, "relevance_score": 0.8}],
            "usage": {"total_tokens": 41}});
        let ranking = Ranking::read(&answer, 3).unwrap();
        assert_eq!(ranking.ranked.iter().map(|document| document.index).collect::<Vec<_>>(), [2, 0]);
        assert_eq!(ranking.total_tokens, Some(41));
    }

    #[test]
    fn each_dialect_asks_in_its_own_words() {
        let of = |dialect: RerankDialect| dialect.request("m", "q", &["a", "b"], 1);
        assert_eq!(
            (&of(RerankDialect::Voyage)["top_k"], &of(RerankDialect::Voyage)["top_n"]),
            (&json!(1), &Value::Null)
        );
        assert_eq!(
            (&of(RerankDialect::Common)["top_n"], &of(RerankDialect::Common)["top_k"]),
            (&json!(1), &Value::Null)
        );
        assert_eq!(of(RerankDialect::Tei)["texts"], json!(["a", "b"]));
        let long = "é".repeat(20_000);
        let body = RerankDialect::Voyage.request("", &long, &[&long], 1);
        assert!(body["query"].as_str().unwrap().len() <= MAX_QUERY_BYTES && body.get("model").is_none());
        assert!(body["documents"][0].as_str().unwrap().len() <= MAX_DOCUMENT_BYTES);
    }
}
