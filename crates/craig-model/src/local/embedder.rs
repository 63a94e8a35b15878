//! A local transformer as an embedder.

use rayon::prelude::*;

use super::config::ModelConfig;
use super::onnx::OnnxModel;
use super::pooling::Pooling;
use super::tokens::{Tokenized, Tokens};
use super::{LocalOptions, id};
use crate::{Embedder, Embedding, Expense, ModelError};

/// A local transformer as an embedder.
pub(super) struct LocalEmbedder {
    id: String,
    dimensions: usize,
    encoder: OnnxModel,
    tokens: Tokens,
    pooling: Pooling,
    options: LocalOptions,
}

impl LocalEmbedder {
    /// Runs the model once, so that one that cannot be run is an error at once.
    pub(super) fn new(
        encoder: OnnxModel,
        tokens: Tokens,
        config: &ModelConfig,
        options: LocalOptions,
        fingerprint: blake3::Hash,
    ) -> Result<Self, ModelError> {
        let sample = encoder.embed(&[tokens.text("a text")?], config.pooling)?;
        let dimensions = sample.first().map_or(0, Vec::len);
        let rest = format!("{:?}{}", config.pooling, config.max_tokens);
        let id = id("local", dimensions, fingerprint, &options, &rest);
        Ok(Self { id, dimensions, encoder, tokens, pooling: config.pooling, options })
    }

    fn embed(&self, prefix: &str, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        let tokenize = |text: &&str| match prefix {
            "" => self.tokens.text(text),
            prefix => self.tokens.text(&format!("{prefix}{text}")),
        };
        let tokenized: Vec<Tokenized> = texts.par_iter().map(tokenize).collect::<Result<_, _>>()?;
        let vectors = self.encoder.embed(&tokenized, self.pooling)?;
        Ok(vectors.into_iter().map(Embedding::normalized).collect())
    }
}

impl Embedder for LocalEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> Result<usize, ModelError> {
        Ok(self.dimensions)
    }

    fn expense(&self) -> Expense {
        Expense::Computation
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.embed(&self.options.document_prefix, texts)
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, ModelError> {
        let embedded = self.embed(&self.options.query_prefix, &[text])?;
        embedded
            .into_iter()
            .next()
            .ok_or_else(|| ModelError::Malformed("the model returned no vector".into()))
    }
}
