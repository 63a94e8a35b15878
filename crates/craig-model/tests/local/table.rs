//! model2vec folders, made of MiniLM's real tokenizer and word vectors.

use craig_model::Expense;

use crate::weights::{Files, Tensors, dot, embedder, minilm_safetensors, tensors, to_safetensors};

const WIDTH: usize = 384;

/// A folder as model2vec writes it: a table, and what else is given.
fn folder(change: impl FnOnce(&mut Tensors)) -> Option<Files> {
    let files = minilm_safetensors()?;
    let table = tensors(&files["model.safetensors"]).remove("embeddings.word_embeddings.weight").unwrap();
    let mut tensors = Tensors::from([("embeddings".to_owned(), table)]);
    change(&mut tensors);
    let config =
        br#"{"model_type": "model2vec", "normalize": true, "seq_length": 1000000, "hidden_dim": 384}"#;
    Some(Files::from([
        ("config.json".to_owned(), config.to_vec()),
        ("tokenizer.json".to_owned(), files["tokenizer.json"].clone()),
        ("model.safetensors".to_owned(), to_safetensors(&tensors)),
    ]))
}

#[test]
fn a_text_is_the_mean_of_its_tokens() {
    let Some(files) = folder(|_| ()) else { return };
    let model = embedder(&files).unwrap();
    assert!(model.id().starts_with("model2vec-384-"), "{}", model.id());
    assert_eq!((model.dimensions().unwrap(), model.expense()), (WIDTH, Expense::None));
    let vectors = model.embed_documents(&["token", "price", "token price", ""]).unwrap();
    let rows = tensors(&files["model.safetensors"]).remove("embeddings").unwrap().1;
    // Numbers of the two words in the vocabulary of BERT.
    let (token, price) = (19204, 3976);
    let row = |at: usize| &rows[at * WIDTH..(at + 1) * WIDTH];
    for (vector, row) in [(&vectors[0], row(token)), (&vectors[1], row(price))] {
        let cosine = dot(vector.as_slice(), row) / dot(row, row).sqrt();
        assert!((cosine - 1.0).abs() < 1e-5, "{cosine}");
    }
    let sum: Vec<f32> = row(token).iter().zip(row(price)).map(|(a, b)| a + b).collect();
    assert!((dot(vectors[2].as_slice(), &sum) / dot(&sum, &sum).sqrt() - 1.0).abs() < 1e-5);
    assert!(vectors[3].is_zero());
}

#[test]
fn weights_and_mappings_of_tokens_count() {
    let Some(plain) = folder(|_| ()) else { return };
    let unweighted = embedder(&plain).unwrap();
    let price = unweighted.embed_query("price").unwrap();
    let n_tokens = 30522;
    let weighted = folder(|tensors| {
        let mut weights = vec![1.0; n_tokens];
        weights[19204] = 0.0;
        tensors.insert("weights".into(), (vec![n_tokens], weights));
    });
    let found = embedder(&weighted.unwrap()).unwrap().embed_query("token price").unwrap();
    assert!((dot(found.as_slice(), price.as_slice()) - 1.0).abs() < 1e-5);
    let mapped = folder(|tensors| {
        let mapping = (0..n_tokens).map(|token| if token == 19204 { 3976.0 } else { token as f32 }).collect();
        tensors.insert("mapping".into(), (vec![n_tokens], mapping));
    });
    let found = embedder(&mapped.unwrap()).unwrap().embed_query("token").unwrap();
    assert!((dot(found.as_slice(), price.as_slice()) - 1.0).abs() < 1e-5);
    let beyond = folder(|tensors| {
        tensors.insert("mapping".into(), (vec![n_tokens], vec![30522.0; n_tokens]));
    });
    assert!(embedder(&beyond.unwrap()).is_err());
}
