//! Embedding over HTTP: what is sent, and what comes of the answers.

use craig_model::{Embedder as _, EmbeddingDialect, Expense, FailureClass, HostedEmbedder, HostedModel};
use serde_json::{Value, json};

use crate::server::{Answer, Provider};

/// Makes an answer when it is asked for.
type MakeAnswer = fn() -> Answer;

fn hosted(provider: &Provider, dialect: EmbeddingDialect) -> HostedModel {
    HostedModel {
        endpoint: provider.endpoint("/v1/embeddings"),
        dialect,
        model: "some-model".into(),
        dimensions: None,
        query_prefix: String::new(),
        document_prefix: String::new(),
        usd_per_million_tokens: None,
    }
}

/// A server whose vectors are `[length of the text, 1, 0]`, told in reverse order.
fn provider_of_lengths() -> Provider {
    Provider::new(|body, _| {
        let inputs = body["input"].as_array().unwrap().iter().enumerate().rev();
        let data: Vec<Value> = inputs
            .map(|(index, text)| json!({"index": index, "embedding": [text.as_str().unwrap().len(), 1, 0]}))
            .collect();
        Answer::json(json!({"object": "list", "data": data, "usage": {"total_tokens": 9}}))
    })
}

#[test]
fn openai_is_asked_as_documented_and_vectors_come_in_order() {
    let provider = provider_of_lengths();
    let embedder = HostedEmbedder::new(hosted(&provider, EmbeddingDialect::OpenAi));
    let vectors = embedder.embed_documents(&["four", " ", "a longer text"]).unwrap();
    let first: Vec<f32> = vectors.iter().map(|vector| vector.as_slice()[0]).collect();
    assert!(first[0] < first[2] && (first[0] - 4.0 / 17f32.sqrt()).abs() < 1e-6, "{first:?}");
    assert!(vectors[1].is_zero(), "a text without anything to read is not sent");
    assert_eq!(vectors[1].as_slice().len(), 3);
    let asked = &provider.asked()[0];
    assert_eq!(asked.path, "/v1/embeddings");
    assert_eq!(asked.authorization.as_deref(), Some("Bearer sk-planted"));
    let expected =
        json!({"model": "some-model", "input": ["four", "a longer text"], "encoding_format": "float"});
    assert_eq!(asked.body, expected);
}

#[test]
fn voyage_gets_queries_and_documents_apart() {
    let provider = provider_of_lengths();
    let model = HostedModel { dimensions: Some(3), ..hosted(&provider, EmbeddingDialect::Voyage) };
    let embedder = HostedEmbedder::new(model);
    embedder.embed_query("where").unwrap();
    embedder.embed_documents(&["here"]).unwrap();
    let bodies: Vec<Value> = provider.asked().into_iter().map(|asked| asked.body).collect();
    let body = |input: &str, kind: &str| json!({"model": "some-model", "input": [input], "input_type": kind, "truncation": true, "output_dimension": 3});
    assert_eq!(bodies, [body("where", "query"), body("here", "document")]);
}

#[test]
fn many_texts_go_in_batches() {
    let provider = provider_of_lengths();
    let embedder = HostedEmbedder::new(hosted(&provider, EmbeddingDialect::OpenAi));
    let texts: Vec<String> = (0..300).map(|n| "x".repeat(n % 7 + 1)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed_documents(&texts).unwrap();
    let n_asked: Vec<usize> =
        provider.asked().iter().map(|asked| asked.body["input"].as_array().unwrap().len()).collect();
    assert_eq!(n_asked, [128, 128, 44]);
    for (text, vector) in texts.iter().zip(vectors) {
        let length = text.len() as f32;
        assert!((vector.as_slice()[0] - length / (length * length + 1.0).sqrt()).abs() < 1e-6);
    }
    let big = "y".repeat(150_000);
    embedder.embed_documents(&[&big, &big, &big, &big]).unwrap();
    let last: Vec<usize> =
        provider.asked()[3..].iter().map(|asked| asked.body["input"].as_array().unwrap().len()).collect();
    assert_eq!(last, [3, 1], "64,000 bytes of each are sent, and 200,000 in one request");
}

#[test]
fn prefixes_are_put_before_texts_and_change_the_id() {
    let provider = provider_of_lengths();
    let plain = HostedEmbedder::new(hosted(&provider, EmbeddingDialect::OpenAi));
    let model = HostedModel {
        query_prefix: "query: ".into(),
        document_prefix: "passage: ".into(),
        ..hosted(&provider, EmbeddingDialect::OpenAi)
    };
    let prefixed = HostedEmbedder::new(model);
    prefixed.embed_query("a").unwrap();
    prefixed.embed_documents(&["b"]).unwrap();
    let inputs: Vec<Value> = provider.asked().iter().map(|asked| asked.body["input"][0].clone()).collect();
    assert_eq!(inputs, ["query: a", "passage: b"]);
    assert_ne!(plain.id(), prefixed.id());
    assert!(plain.id().ends_with("/some-model") && plain.id().starts_with("127.0.0.1"), "{}", plain.id());
    let mut elsewhere = hosted(&provider, EmbeddingDialect::OpenAi);
    elsewhere.endpoint.url = "https://me:secret@host/models@v1/v1/embeddings".into();
    assert_eq!(HostedEmbedder::new(elsewhere).id(), "host/models@v1/some-model");
}

#[test]
fn the_length_of_vectors_is_known_or_asked_for_once() {
    let provider = provider_of_lengths();
    let unknown = HostedEmbedder::new(hosted(&provider, EmbeddingDialect::OpenAi));
    assert_eq!((unknown.dimensions().unwrap(), unknown.dimensions().unwrap()), (3, 3));
    assert_eq!(provider.asked().len(), 1);
    let known = HostedModel { model: "voyage-code-3".into(), ..hosted(&provider, EmbeddingDialect::Voyage) };
    let known = HostedEmbedder::new(known);
    assert_eq!(known.dimensions().unwrap(), 1024);
    assert_eq!(provider.asked().len(), 1);
    assert_eq!(known.expense(), Expense::Provider { usd_per_million_tokens: Some(0.18) });
    assert_eq!(unknown.expense(), Expense::Provider { usd_per_million_tokens: None });
}

#[test]
fn answers_that_do_not_fit_are_errors_and_not_retried() {
    let cases: [(MakeAnswer, &str); 6] = [
        (|| Answer::json(json!({"data": []})), "it has 0 vectors for 2 texts"),
        (|| Answer::json(json!({"ok": true})), "it has no 'data'"),
        (|| Answer::text(200, "<html>"), "it is not JSON: expected value at line 1 column 1"),
        (
            || {
                Answer::json(
                    json!({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}),
                )
            },
            "it has vector 0 twice",
        ),
        (
            || {
                Answer::json(
                    json!({"data": [{"index": 0, "embedding": ["x"]}, {"index": 1, "embedding": [1]}]}),
                )
            },
            "vector 0 is not a list of numbers",
        ),
        (
            || {
                Answer::json(
                    json!({"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]}),
                )
            },
            "a vector has 1 numbers instead of 2",
        ),
    ];
    for (answer, reason) in cases {
        let provider = Provider::with_answers(vec![answer]);
        let embedder = HostedEmbedder::new(hosted(&provider, EmbeddingDialect::OpenAi));
        let error = embedder.embed_documents(&["a", "b"]).unwrap_err();
        assert_eq!(error.to_string(), format!("the response of Test is invalid: {reason}"));
        assert_eq!(error.class(), FailureClass::BadAnswer);
        assert_eq!(provider.asked().len(), 1, "{reason}");
    }
}
