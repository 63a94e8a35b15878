//! Loads weights that are not compiled in.

use std::path::Path;

use anyhow::{Context, Result};
use craig_model::StaticModel;

/// The model in `folder`: `static.safetensors` and `vocab.txt`. It stays in memory until the process ends.
pub(crate) fn load(folder: &Path) -> Result<&'static StaticModel> {
    let cannot_read = |name: &str| format!("cannot read {}", folder.join(name).display());
    let weights = std::fs::read(folder.join("static.safetensors"))
        .with_context(|| cannot_read("static.safetensors"))?;
    let vocabulary =
        std::fs::read_to_string(folder.join("vocab.txt")).with_context(|| cannot_read("vocab.txt"))?;
    parse(weights, vocabulary)
}

/// The model of these bytes.
pub(crate) fn parse(weights: Vec<u8>, vocabulary: String) -> Result<&'static StaticModel> {
    let model =
        StaticModel::parse(Box::leak(weights.into_boxed_slice()), Box::leak(vocabulary.into_boxed_str()))?;
    Ok(Box::leak(Box::new(model)))
}
