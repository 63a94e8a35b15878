//! Where models for tests come from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use craig_model::{Embedder, LocalOptions, ModelError, Reranker, local_embedder, local_reranker};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::onnx::Writer;

/// A model's files by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Where `scripts/fetch-test-models` puts MiniLM.
pub(crate) fn minilm_folder() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(cache.join("craig-tests/all-MiniLM-L6-v2"))
}

/// MiniLM with its weights as safetensors, where somebody has fetched it.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should see what was not tested")]
pub(crate) fn minilm_safetensors() -> Option<Files> {
    let folder = minilm_folder()?;
    let names = [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
    ];
    let read = |name: &&str| Some(((*name).to_owned(), std::fs::read(folder.join(name)).ok()?));
    let files: Option<Files> = names.iter().map(read).collect();
    if files.is_none() {
        eprintln!("skipped: no MiniLM in {}: run scripts/fetch-test-models", folder.display());
    }
    files
}

/// MiniLM with its weights as ONNX, where somebody has fetched it.
pub(crate) fn minilm() -> Option<Files> {
    let mut files = minilm_safetensors()?;
    let weights = files.remove("model.safetensors")?;
    files.insert("onnx/model.onnx".into(), Writer::states(&tensors(&weights), 12));
    Some(files)
}

pub(crate) fn embedder(files: &Files) -> Result<Box<dyn Embedder>, ModelError> {
    embedder_with(files, LocalOptions::default())
}

pub(crate) fn embedder_with(files: &Files, options: LocalOptions) -> Result<Box<dyn Embedder>, ModelError> {
    local_embedder(&mut |name| Ok(files.get(name).cloned()), options)
}

pub(crate) fn reranker(files: &Files) -> Result<Box<dyn Reranker>, ModelError> {
    local_reranker(&mut |name| Ok(files.get(name).cloned()), "cross-encoder")
}

/// Numbers with a shape, by name.
pub(crate) type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// The f32 tensors of a file.
pub(crate) fn tensors(bytes: &[u8]) -> Tensors {
    let file = SafeTensors::deserialize(bytes).unwrap();
    let floats = file.tensors().into_iter().filter(|(_, view)| view.dtype() == Dtype::F32);
    floats
        .map(|(name, view)| {
            let values = view.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
            (name, (view.shape().to_vec(), values.collect()))
        })
        .collect()
}

pub(crate) fn to_safetensors(tensors: &Tensors) -> Vec<u8> {
    let bytes: BTreeMap<&String, Vec<u8>> = tensors
        .iter()
        .map(|(name, (_, values))| (name, values.iter().flat_map(|value| value.to_le_bytes()).collect()))
        .collect();
    let view = |(name, (shape, _)): (&String, &(Vec<usize>, Vec<f32>))| {
        (name.clone(), TensorView::new(Dtype::F32, shape.clone(), &bytes[name]).unwrap())
    };
    safetensors::serialize(tensors.iter().map(view), None).unwrap()
}

pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
