//! Vectors of any texts by the configured embedder: no project, no database.

use crate::{Engine, EngineError};

/// Vectors of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// Id of the model; vectors of different ids are never compared.
    pub model: String,
    /// A vector for each text, in order, of unit length.
    pub vectors: Vec<Vec<f32>>,
}

impl Engine {
    /// Embeds texts as documents are embedded.
    pub fn embed(&self, texts: &[&str]) -> Result<Embedded, EngineError> {
        let embedder = self.embedder()?;
        let vectors = embedder.embed_documents(texts)?;
        let vectors = vectors.iter().map(|vector| vector.as_slice().to_vec()).collect();
        Ok(Embedded { model: embedder.id().to_owned(), vectors })
    }
}
