//! How the vectors of a text's tokens become one.

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
