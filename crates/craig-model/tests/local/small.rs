//! A BERT of two narrow layers with made-up weights: rerankers, and what is an error.

use std::time::{Duration, Instant};

use craig_model::{Document, FailureClass, ModelError, RerankRequest, Reranker};
use serde_json::json;

use crate::onnx::Writer;
use crate::weights::{Files, Tensors, dot, embedder, reranker};

const WIDTH: usize = 20;
const INNER: usize = 40;
const N_HEADS: usize = 2;
const WORDS: [&str; 12] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "where", "is", "token", "checked", "price", "sum", "of", "cart"];

/// Numbers that look random and are the same everywhere.
fn numbers(seed: u64, n: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1 << 24) as f32 - 0.5) * 0.6
    };
    (0..n).map(|_| next()).collect()
}

fn weights(with_classifier: bool) -> Tensors {
    let mut shapes: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![WORDS.len(), WIDTH]),
        ("embeddings.position_embeddings.weight".into(), vec![32, WIDTH]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, WIDTH]),
    ];
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    let mut linears = vec![("pooler.dense".to_owned(), WIDTH, WIDTH)];
    for layer in 0..2 {
        let name = format!("encoder.layer.{layer}");
        linears.extend(
            ["query", "key", "value"].map(|part| (format!("{name}.attention.self.{part}"), WIDTH, WIDTH)),
        );
        linears.push((format!("{name}.attention.output.dense"), WIDTH, WIDTH));
        linears.push((format!("{name}.intermediate.dense"), INNER, WIDTH));
        linears.push((format!("{name}.output.dense"), WIDTH, INNER));
        norms.extend([format!("{name}.attention.output.LayerNorm"), format!("{name}.output.LayerNorm")]);
    }
    if with_classifier {
        linears.push(("classifier".to_owned(), 1, WIDTH));
    }
    for (name, n_outputs, n_inputs) in linears {
        shapes.push((format!("{name}.weight"), vec![n_outputs, n_inputs]));
        shapes.push((format!("{name}.bias"), vec![n_outputs]));
    }
    shapes.extend(
        norms.iter().flat_map(|name| ["weight", "bias"].map(|part| (format!("{name}.{part}"), vec![WIDTH]))),
    );
    let filled = shapes.into_iter().zip(1..).map(|((name, shape), seed)| {
        let mut values = numbers(seed, shape.iter().product());
        if name.ends_with("LayerNorm.weight") {
            values.iter_mut().for_each(|value| *value += 1.0);
        }
        (name, (shape, values))
    });
    filled.collect()
}

fn files(onnx: Vec<u8>) -> Files {
    let config = json!({"model_type": "bert", "num_attention_heads": N_HEADS, "layer_norm_eps": 1e-12,
        "hidden_act": "gelu", "max_position_embeddings": 32});
    let special = |id: usize| {
        json!({"id": id, "content": WORDS[id], "special": true, "normalized": false,
        "single_word": false, "lstrip": false, "rstrip": false})
    };
    let tokenizer = json!({
        "version": "1.0", "added_tokens": [special(0), special(1), special(2), special(3)],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": WORDS.iter().enumerate().map(|(id, word)| ((*word).to_owned(), json!(id)))
                .collect::<serde_json::Map<_, _>>()},
    });
    [
        ("config.json", config.to_string().into_bytes()),
        ("tokenizer.json", tokenizer.to_string().into_bytes()),
        ("model.onnx", onnx),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .into()
}

fn rerank(reranker: &dyn Reranker, deadline: Instant) -> Result<Vec<f32>, ModelError> {
    let texts = [
        "the sum of the price",
        "token is checked",
        "cart cart cart cart cart",
        "where",
        "",
        "price of token",
    ];
    let documents = texts.map(|text| Document { path: None, text, score: 0.5 });
    let mut request = RerankRequest::new("where is the token checked", &documents, Duration::ZERO);
    request.deadline = deadline;
    Ok(reranker.rerank(&request)?.scores(documents.len()))
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// A cross-encoder's folder, and an embedder's.
fn cross_encoder() -> Files {
    files(Writer::logits(&weights(true), N_HEADS))
}

fn encoder() -> Files {
    files(Writer::states(&weights(false), N_HEADS))
}

/// Scores of another implementation, from the same weights as safetensors.
const SCORES: [f32; 6] = [0.327_300_64, 0.307_693_57, 0.320_512_26, 0.292_656_7, 0.291_120_9, 0.316_906_78];

#[test]
fn a_cross_encoder_scores_pairs() {
    let scores = rerank(&*reranker(&cross_encoder()).unwrap(), soon()).unwrap();
    assert_eq!(scores.len(), SCORES.len());
    assert!(scores.iter().zip(SCORES).all(|(score, known)| (score - known).abs() < 1e-4), "{scores:?}");
}

#[test]
fn a_text_has_one_vector_in_a_batch_with_texts_of_other_lengths() {
    let model = embedder(&encoder()).unwrap();
    assert_eq!(model.dimensions().unwrap(), WIDTH);
    let texts = ["where is the cart", "price", "sum of price of cart of token of sum of price of cart"];
    for (text, together) in texts.iter().zip(model.embed_documents(&texts).unwrap()) {
        let alone = model.embed_query(text).unwrap();
        assert!((dot(alone.as_slice(), together.as_slice()) - 1.0).abs() < 1e-5, "{text}");
    }
}

#[test]
fn a_reranker_gives_up_at_its_deadline() {
    let reranker = reranker(&cross_encoder()).unwrap();
    let error = rerank(&*reranker, Instant::now()).unwrap_err();
    assert_eq!(error.class(), FailureClass::Timeout);
}

#[test]
fn a_model_that_cannot_rerank_is_an_error() {
    let error = rerank(&*reranker(&encoder()).unwrap(), soon()).unwrap_err();
    assert!(error.to_string().contains("a reranker returns 1 or 2"), "{error}");
}

#[test]
fn damaged_weights_are_an_error() {
    let error = embedder(&files(vec![7; 100])).err().unwrap();
    assert!(error.to_string().contains("ONNX"), "{error}");
}
