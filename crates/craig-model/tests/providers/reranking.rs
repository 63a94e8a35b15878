//! Reranking over HTTP, in every dialect, and by a language model.

use std::sync::Arc;
use std::time::Duration;

use craig_model::{
    ChatModel, Document, FailureClass, HostedReranker, LlmReranker, ModelError, RerankDialect, RerankRequest,
    Reranker,
};
use serde_json::{Value, json};

use crate::server::{Answer, Provider};

const DOCUMENTS: [Document<'static>; 3] = [
    Document { path: None, text: "fn a() {}", score: 1.0 },
    Document { path: None, text: "fn b() {}", score: 0.5 },
    Document { path: None, text: "fn c() {}", score: 0.0 },
];

pub(crate) fn rerank(reranker: &dyn Reranker, budget: Duration) -> Result<Vec<f32>, ModelError> {
    let ranking = reranker.rerank(&RerankRequest::new("where is c", &DOCUMENTS, budget))?;
    Ok(ranking.scores(DOCUMENTS.len()))
}

fn in_dialect(dialect: RerankDialect, model: &str, answer: Value) -> (Vec<f32>, Value) {
    let provider = Provider::new(move |_, _| Answer::json(answer.clone()));
    let reranker = HostedReranker::new(provider.endpoint("/v1/rerank"), dialect, model);
    let scores = rerank(&reranker, Duration::from_secs(5)).unwrap();
    (scores, provider.asked()[0].body.clone())
}

#[test]
fn voyage_is_asked_with_top_k() {
    let answer = json!({"object": "list", "data": [
        {"index": 2, "relevance_score": 0.92}, {"index": 0, "relevance_score": 0.4}, {"index": 1, "relevance_score": 0.1}],
        "model": "rerank-2-lite", "usage": {"total_tokens": 26}});
    let (scores, body) = in_dialect(RerankDialect::Voyage, "rerank-2-lite", answer);
    assert_eq!(scores, [0.4, 0.1, 0.92]);
    let expected = json!({"model": "rerank-2-lite", "query": "where is c", "top_k": 3, "return_documents": false,
        "documents": ["fn a() {}", "fn b() {}", "fn c() {}"]});
    assert_eq!(body, expected);
}

#[test]
fn the_common_dialect_is_asked_with_top_n_and_its_logits_become_scores() {
    let answer = json!({"model": "m", "results": [
        {"index": 0, "relevance_score": -4.2}, {"index": 1, "relevance_score": 7.5}, {"index": 2, "relevance_score": 0.0}]});
    let (scores, body) = in_dialect(RerankDialect::Common, "", answer);
    assert!(scores[0] < 0.02 && scores[1] > 0.99 && scores[2] == 0.5, "{scores:?}");
    assert_eq!((&body["top_n"], body.get("model"), body.get("top_k")), (&json!(3), None, None));
}

#[test]
fn tei_gets_texts_and_gives_a_list() {
    let answer = json!([{"index": 1, "score": 0.99}, {"index": 2, "score": 0.2}, {"index": 0, "score": 0.1}]);
    let (scores, body) = in_dialect(RerankDialect::Tei, "", answer);
    assert_eq!(scores, [0.1, 0.99, 0.2]);
    assert_eq!(body["texts"].as_array().unwrap().len(), 3);
    assert_eq!((&body["raw_scores"], body.get("documents")), (&json!(false), None));
}

#[test]
fn scores_that_do_not_fit_the_documents_are_refused() {
    for answer in [
        json!({"results": []}),
        json!({"results": [0, 1, 2]}),
        json!({"data": [{"index": 0, "score": 1}, {"index": 1, "score": 1}, {"index": 3, "score": 1}]}),
        json!("sorry"),
    ] {
        let provider = Provider::new(move |_, _| Answer::json(answer.clone()));
        let reranker = HostedReranker::new(provider.endpoint("/v1/rerank"), RerankDialect::Common, "m");
        let error = rerank(&reranker, Duration::from_secs(5)).unwrap_err();
        assert_eq!(error.class(), FailureClass::BadAnswer, "{error}");
    }
}

fn language_model(answer: &'static str) -> (Provider, LlmReranker) {
    let provider = Provider::new(move |_, _| {
        Answer::json(
            json!({"choices": [{"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}]}),
        )
    });
    let chat = ChatModel::new(provider.endpoint("/v1/chat/completions"), "glm");
    (provider, LlmReranker::new(Arc::new(chat)))
}

#[test]
fn a_language_models_order_is_half_of_the_score() {
    let (provider, reranker) = language_model("```json\n[3, 1, 2]\n```");
    assert_eq!(rerank(&reranker, Duration::from_secs(5)).unwrap(), [0.75, 0.25, 0.5]);
    let body = &provider.asked()[0].body;
    assert_eq!((&body["model"], &body["temperature"]), (&json!("glm"), &json!(0)));
    assert_eq!(body["max_tokens"], 512, "a model that goes on and on is not waited for");
    let prompt = body["messages"][1]["content"].as_str().unwrap();
    assert!(
        prompt.contains("Question: where is c") && prompt.contains("excerpt 3 ---\nfn c() {}"),
        "{prompt}"
    );
}

#[test]
fn an_answer_that_is_no_order_is_an_error() {
    for answer in ["[1, 2]", "[1, 1, 2]", "The best is 3.", "[\"a\"]", ""] {
        let (_provider, reranker) = language_model(answer);
        let error = rerank(&reranker, Duration::from_secs(5)).unwrap_err();
        assert_eq!(error.class(), FailureClass::BadAnswer, "{answer:?} {error}");
    }
}
