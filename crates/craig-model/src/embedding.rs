//! The trait of embedders, and the vectors they return.

use craig_text::dot;

use crate::ModelError;

/// Turns texts into vectors whose dot product is their similarity.
pub trait Embedder: Send + Sync {
    /// Names model and version; vectors of different ids are never compared.
    fn id(&self) -> &str;

    /// Length of every vector. May send one request to a provider.
    fn dimensions(&self) -> Result<usize, ModelError>;

    /// What embedding costs.
    fn expense(&self) -> Expense;

    /// Embeds texts to be found, in order.
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError>;

    /// Embeds a text to search with.
    fn embed_query(&self, text: &str) -> Result<Embedding, ModelError>;
}

impl<E: Embedder + ?Sized> Embedder for &E {
    fn id(&self) -> &str {
        (**self).id()
    }

    fn dimensions(&self) -> Result<usize, ModelError> {
        (**self).dimensions()
    }

    fn expense(&self) -> Expense {
        (**self).expense()
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        (**self).embed_documents(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, ModelError> {
        (**self).embed_query(text)
    }
}

/// What embedding costs, so that users can be asked before it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expense {
    /// Less time than reading the texts.
    None,
    /// Seconds of computation on this machine for every thousand texts.
    Computation,
    /// Texts are sent to a provider.
    Provider {
        /// Its price in US dollars; `None` if it is unknown.
        usd_per_million_tokens: Option<f64>,
    },
}

/// A vector of unit length, or zero for a text without known words.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding(Vec<f32>);

impl Embedding {
    /// Scales `sum` to unit length; a zero vector stays zero.
    pub fn normalized(mut sum: Vec<f32>) -> Self {
        let norm = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if norm > 0.0 {
            sum.iter_mut().for_each(|x| *x /= norm);
        }
        Self(sum)
    }

    /// The components.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// The cosine of two vectors of one model; 0 where one is zero.
    pub fn cosine(&self, other: &Self) -> f32 {
        dot(&self.0, &other.0)
    }

    /// True for the vector of a text without known words.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|&x| x == 0.0)
    }

    /// One signed byte per component and one scale: loses nothing measurable in retrieval (`model/README.md`).
    pub fn quantized(&self) -> Quantized {
        let largest = self.0.iter().fold(0.0f32, |max, x| max.max(x.abs()));
        if largest == 0.0 {
            return Quantized { scale: 0.0, codes: vec![0; self.0.len()] };
        }
        let scale = largest / 127.0;
        let mut codes = vec![0; self.0.len()];
        // Older processors have no instruction that rounds.
        pulp::Arch::new().dispatch(|| {
            for (code, x) in codes.iter_mut().zip(&self.0) {
                *code = (x / scale).round() as i8;
            }
        });
        Quantized { scale, codes }
    }
}

/// An [`Embedding`] as bytes: component i is `codes[i] · scale`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// Value of a code of 1.
    pub scale: f32,
    /// Components divided by the scale.
    pub codes: Vec<i8>,
}

impl Quantized {
    /// Stored form: the scale as little-endian f32, then the codes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 + self.codes.len());
        bytes.extend_from_slice(&self.scale.to_le_bytes());
        bytes.extend(self.codes.iter().map(|&code| code as u8));
        bytes
    }

    /// Parses the output of [`Quantized::to_bytes`]; `None` if it is too short.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, codes) = bytes.split_first_chunk::<4>()?;
        Some(Self { scale: f32::from_le_bytes(*scale), codes: codes.iter().map(|&b| b as i8).collect() })
    }

    /// The components as floats.
    pub fn to_f32(&self) -> Vec<f32> {
        self.codes.iter().map(|&code| f32::from(code) * self.scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantized_vectors_keep_their_direction_when_stored() {
        let embedding = Embedding::normalized(vec![0.5, -1.0, 0.25, 0.0]);
        let stored = Quantized::from_bytes(&embedding.quantized().to_bytes()).unwrap();
        let dot: f32 = stored.to_f32().iter().zip(embedding.as_slice()).map(|(a, b)| a * b).sum();
        assert!((dot - 1.0).abs() < 0.01, "{dot}");
        assert_eq!(Quantized::from_bytes(&[1, 2]), None);
        assert!(Embedding::normalized(vec![0.0; 4]).quantized().to_f32().iter().all(|&x| x == 0.0));
    }
}
