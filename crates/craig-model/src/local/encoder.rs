//! What runs a transformer: our own forward pass of BERT, or an ONNX runtime.

use super::tokens::Tokenized;
use crate::ModelError;

/// A transformer that reads tokens.
pub(super) trait Encoder: Send + Sync {
    /// One vector a text, in order, not normalised.
    fn embed(&self, texts: &[Tokenized], pooling: Pooling) -> Result<Vec<Vec<f32>>, ModelError>;

    /// One number a pair of texts, in order: how well they fit, as a logit.
    fn judge(&self, pairs: &[Tokenized]) -> Result<Vec<f32>, ModelError>;
}

/// How the vectors of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// That of the first, which stands for the whole text.
    FirstToken,
}

impl Pooling {
    /// Pools the rows of `states`, each `dimensions` long.
    pub(super) fn pool(self, states: &[f32], dimensions: usize) -> Vec<f32> {
        match self {
            Self::FirstToken => states[..dimensions].to_vec(),
            Self::Mean => {
                let mut mean = vec![0.0; dimensions];
                for row in states.chunks_exact(dimensions) {
                    mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
                }
                let n_rows = (states.len() / dimensions).max(1) as f32;
                mean.iter_mut().for_each(|sum| *sum /= n_rows);
                mean
            }
        }
    }
}

/// A pair's logit from the numbers that a classifier gives: one is it, of two the second is for "fits".
pub(super) fn logit(outputs: &[f32]) -> Option<f32> {
    match outputs {
        [logit] => Some(*logit),
        [against, in_favour] => Some(in_favour - against),
        _ => None,
    }
}
