//! MiniLM-L6 with its real weights.

use craig_model::{Expense, LocalOptions};

use crate::weights::{dot, embedder, embedder_with, minilm, minilm_safetensors, reranker};

/// First and last numbers of vectors, from a reference implementation in numpy.
const CHECKS: [(&str, [f32; 4], f32); 3] = [
    ("This is an example sentence", [0.06766, 0.0635, 0.04871, 0.0793], -0.04223),
    ("where are tokens checked", [0.02997, -0.0505, -0.04818, 0.00428], -0.05392),
    (
        "def verify_token(token, secret):\n    return sign(token) == secret",
        [-0.08865, 0.01444, -0.01886, 0.04107],
        -0.05659,
    ),
];

#[test]
fn vectors_are_those_of_the_reference() {
    let Some(files) = minilm() else { return };
    let model = embedder(&files).unwrap();
    assert_eq!((model.dimensions().unwrap(), model.expense()), (384, Expense::Computation));
    let texts = CHECKS.map(|(text, ..)| text);
    for ((text, start, last), vector) in CHECKS.iter().zip(model.embed_documents(&texts).unwrap()) {
        let vector = vector.as_slice();
        for (got, want) in vector.iter().zip(start).chain([(&vector[383], last)]) {
            assert!((got - want).abs() < 2e-5, "{text:?}: {:?} … {}", &vector[..4], vector[383]);
        }
    }
}

#[test]
fn a_text_has_one_vector_whatever_it_is_embedded_with() {
    let Some(files) = minilm() else { return };
    let model = embedder(&files).unwrap();
    let long = "let total = prices.iter().sum::<u64>();\n".repeat(100);
    let texts = ["fn a() {}", &long, "", "größe 日本語", "fn b(x: u8) -> u8 { x }"];
    let together = model.embed_documents(&texts).unwrap();
    for (text, together) in texts.iter().zip(&together) {
        let alone = model.embed_query(text).unwrap();
        let cosine = dot(alone.as_slice(), together.as_slice());
        assert!((cosine - 1.0).abs() < 1e-5, "{text:?} {cosine}");
    }
    let other_end = format!("{long} something else at the end");
    let cut = model.embed_query(&other_end).unwrap();
    assert!((dot(cut.as_slice(), together[1].as_slice()) - 1.0).abs() < 1e-5, "256 tokens are read");
}

#[test]
fn whatever_changes_vectors_changes_the_id() {
    let Some(mut files) = minilm() else { return };
    let id = |options| embedder_with(&files, options).unwrap().id().to_owned();
    let plain = id(LocalOptions::default());
    assert!(plain.starts_with("local-384-"), "{plain}");
    assert_eq!(plain, id(LocalOptions::default()));
    assert_ne!(plain, id(LocalOptions { query_prefix: "query: ".into(), ..LocalOptions::default() }));
    assert_ne!(plain, id(LocalOptions { max_tokens: Some(64), ..LocalOptions::default() }));
    let weights = files.get_mut("onnx/model.onnx").unwrap();
    *weights.last_mut().unwrap() ^= 1;
    assert_ne!(plain, embedder(&files).unwrap().id());
}

#[test]
fn a_folder_that_lacks_something_is_an_error() {
    let Some(mut files) = minilm() else { return };
    let message = |files: &_| embedder(files).err().unwrap().to_string();
    files.remove("onnx/model.onnx").unwrap();
    assert_eq!(message(&files), "the model folder has no model.onnx or onnx/model.onnx");
    files.insert("model.onnx".into(), vec![7; 1000]);
    assert!(message(&files).starts_with("model weights are malformed: ONNX"), "{}", message(&files));
    files.remove("tokenizer.json");
    assert_eq!(message(&files), "the model folder has no tokenizer.json");
}

#[test]
fn a_transformer_as_safetensors_says_how_to_get_onnx() {
    let Some(files) = minilm_safetensors() else { return };
    for error in [embedder(&files).err().unwrap(), reranker(&files).err().unwrap()] {
        assert_eq!(
            error.to_string(),
            "the model folder has a bert model as model.safetensors, and no model.onnx or onnx/model.onnx"
        );
        assert!(error.hint().unwrap().contains("optimum-cli export onnx"), "{:?}", error.hint());
    }
}
