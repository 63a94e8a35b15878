//! A model2vec folder: one vector per token; a text is their weighted mean.

use rayon::prelude::*;

use super::config::ModelConfig;
use super::tensors::{Tensor, Tensors};
use super::tokens::Tokens;
use super::{LocalOptions, id};
use crate::{Embedder, Embedding, Expense, ModelError};

/// A model2vec folder.
pub(super) struct TableModel {
    id: String,
    tokens: Tokens,
    unknown: Option<u32>,
    /// Row of each token; the token's own number if there is no mapping.
    rows_of_tokens: Option<Vec<u32>>,
    rows: Vec<f32>,
    /// Weight of each token, 1 if there are none.
    weights: Option<Vec<f32>>,
    dimensions: usize,
    options: LocalOptions,
}

/// Names of the table: model2vec's, and sentence-transformers' for the same thing.
const TABLE_NAMES: [&str; 2] = ["embeddings", "embedding.weight"];

impl TableModel {
    pub(super) fn new(
        weights: &[u8],
        config: &ModelConfig,
        tokens: Tokens,
        options: &LocalOptions,
        fingerprint: blake3::Hash,
    ) -> Result<Self, ModelError> {
        let tensors = Tensors::parse(weights)?;
        let table = TABLE_NAMES.iter().find_map(|name| tensors.optional(name).transpose()).transpose()?;
        let Some(Tensor { shape, values: rows }) = table else {
            let reason =
                format!("config.json has no model_type, and model.safetensors has no {}", TABLE_NAMES[0]);
            return Err(ModelError::Unsupported { reason });
        };
        let &[n_rows, dimensions] = shape.as_slice() else {
            return Err(ModelError::Malformed("the table of vectors is not a matrix".into()));
        };
        let rows_of_tokens = tensors.optional("mapping")?;
        let rows_of_tokens =
            rows_of_tokens.map(|mapping| mapping.values.iter().map(|&row| row as u32).collect::<Vec<_>>());
        if rows_of_tokens.iter().flatten().any(|&row| row as usize >= n_rows) {
            return Err(ModelError::Malformed("a token is mapped to a row that does not exist".into()));
        }
        let weights = tensors.optional("weights")?.map(|weights| weights.values);
        let id = id("model2vec", dimensions, fingerprint, options, &config.max_tokens.to_string());
        let unknown = tokens.unknown();
        Ok(Self { id, tokens, unknown, rows_of_tokens, rows, weights, dimensions, options: options.clone() })
    }

    fn embed(&self, prefix: &str, text: &str) -> Result<Embedding, ModelError> {
        let tokens = match prefix {
            "" => self.tokens.bare(text)?,
            prefix => self.tokens.bare(&format!("{prefix}{text}"))?,
        };
        let mut sum = vec![0.0; self.dimensions];
        for &token in tokens.iter().filter(|&&token| Some(token) != self.unknown) {
            let weight =
                self.weights.as_ref().and_then(|weights| weights.get(token as usize)).unwrap_or(&1.0);
            if let Some(row) = self.row(token) {
                sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
            }
        }
        Ok(Embedding::normalized(sum))
    }

    fn row(&self, token: u32) -> Option<&[f32]> {
        let row = match &self.rows_of_tokens {
            Some(rows) => *rows.get(token as usize)?,
            None => token,
        };
        let start = row as usize * self.dimensions;
        self.rows.get(start..start + self.dimensions)
    }
}

impl Embedder for TableModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> Result<usize, ModelError> {
        Ok(self.dimensions)
    }

    /// About as fast as the built-in model.
    fn expense(&self) -> Expense {
        Expense::None
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        texts.par_iter().map(|text| self.embed(&self.options.document_prefix, text)).collect()
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, ModelError> {
        self.embed(&self.options.query_prefix, text)
    }
}
