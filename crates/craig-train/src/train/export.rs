//! Writes a trained model in the format that `craig-model` compiles in.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use safetensors::tensor::{Dtype, TensorView};

use super::step::Parameters;

pub(super) const WEIGHTS: &str = "static.safetensors";
pub(super) const VOCABULARY: &str = "vocab.txt";

/// The weights as bytes: int8 rows, and for each row one f32 scale and one f32 query weight.
pub(super) fn weights(parameters: &Parameters) -> Result<Vec<u8>> {
    let (codes, scales) = quantized(parameters.rows.chunks_exact(parameters.dimensions));
    let query_weights: Vec<u8> =
        parameters.query_weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
    let n_rows = parameters.query_weights.len();
    let tensors = [
        ("embedding", TensorView::new(Dtype::I8, vec![n_rows, parameters.dimensions], &codes)?),
        ("scale", TensorView::new(Dtype::F32, vec![n_rows], &scales)?),
        ("query_weight", TensorView::new(Dtype::F32, vec![n_rows], &query_weights)?),
    ];
    Ok(safetensors::serialize(tensors, None::<HashMap<String, String>>)?)
}

/// Rows as bytes: int8 codes, and an f32 scale for each row.
pub(crate) fn quantized<'r>(rows: impl Iterator<Item = &'r [f32]>) -> (Vec<u8>, Vec<u8>) {
    let (mut codes, mut scales) = (Vec::new(), Vec::new());
    for row in rows {
        let scale = row.iter().fold(0.0f32, |max, x| max.max(x.abs())).max(f32::MIN_POSITIVE) / 127.0;
        codes.extend(row.iter().map(|x| (x / scale).round() as i8 as u8));
        scales.extend(scale.to_le_bytes());
    }
    (codes, scales)
}

/// Writes weights and vocabulary into `folder`.
pub(super) fn write(folder: &Path, weights: &[u8], vocabulary: &str) -> Result<()> {
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    write(WEIGHTS, weights)?;
    write(VOCABULARY, vocabulary.as_bytes())
}

#[cfg(test)]
mod tests {
    use craig_model::StaticModel;

    use super::*;

    #[test]
    fn what_is_written_is_read_as_it_was_learnt() {
        let mut parameters = Parameters::new(3, 16, 1);
        parameters.query_weights = vec![1.0, 0.5, 2.0];
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &weights(&parameters).unwrap(), "open\nthe\npool\n").unwrap();
        let model: &StaticModel = crate::model::load(folder.path()).unwrap();
        let sum: Vec<f32> = (0..16).map(|at| parameters.rows[at] + 2.0 * parameters.rows[32 + at]).collect();
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        for (got, want) in model.query("open pool").as_slice().iter().zip(sum) {
            assert!((got - want / length).abs() < 0.01);
        }
    }
}
