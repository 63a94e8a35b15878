//! Models that run on this machine: a folder's files in, an embedder or reranker out.
//!
//! Two kinds of folder: model2vec (a table of vectors, as safetensors) and transformers (as ONNX).

mod config;
mod embedder;
mod onnx;
mod pooling;
mod reranker;
mod table;
mod tensors;
mod tokens;

use crate::{Embedder, ModelError, Reranker};
use config::ModelConfig;
use embedder::LocalEmbedder;
use onnx::OnnxModel;
use reranker::CrossEncoder;
use table::TableModel;
use tokens::Tokens;

/// Reads a file of the model's folder by its name; `None` if there is none; fails with a reason.
pub type ReadFile<'a> = dyn FnMut(&str) -> Result<Option<Vec<u8>>, String> + 'a;

/// A user's options for a local embedder, beside what its folder says.
#[derive(Clone, Debug, Default)]
pub struct LocalOptions {
    /// Prepended to queries.
    pub query_prefix: String,
    /// Prepended to documents.
    pub document_prefix: String,
    /// Tokens of a text that are read; the folder's limit if `None`.
    pub max_tokens: Option<usize>,
}

/// Loads an embedder from a folder.
pub fn local_embedder(
    read: &mut ReadFile<'_>,
    options: LocalOptions,
) -> Result<Box<dyn Embedder>, ModelError> {
    let mut folder = Folder { read };
    let config = ModelConfig::read(&mut folder)?;
    let tokens = folder.needed("tokenizer.json")?;
    let weights = Weights::read(&mut folder, &config)?;
    let fingerprint = fingerprint(&[weights.bytes(), &tokens]);
    let tokens = Tokens::parse(&tokens, options.max_tokens.unwrap_or(config.max_tokens))?;
    Ok(match weights {
        Weights::Table(bytes) => Box::new(TableModel::new(&bytes, &config, tokens, &options, fingerprint)?),
        Weights::Onnx(bytes) => {
            Box::new(LocalEmbedder::new(OnnxModel::new(bytes)?, tokens, &config, options, fingerprint)?)
        }
    })
}

/// Loads a cross-encoder from a folder; `name` is for display.
pub fn local_reranker(read: &mut ReadFile<'_>, name: &str) -> Result<Box<dyn Reranker>, ModelError> {
    let mut folder = Folder { read };
    let config = ModelConfig::read(&mut folder)?;
    let tokens = Tokens::parse(&folder.needed("tokenizer.json")?, config.max_tokens)?;
    match Weights::read(&mut folder, &config)? {
        Weights::Onnx(bytes) => Ok(Box::new(CrossEncoder::new(OnnxModel::new(bytes)?, tokens, name))),
        Weights::Table(_) => {
            let reason =
                "a table of vectors cannot compare two texts token by token; a reranker is a cross-encoder";
            Err(ModelError::Unsupported { reason: reason.to_owned() })
        }
    }
}

/// The files of one model.
struct Folder<'a, 'r> {
    read: &'a mut ReadFile<'r>,
}

impl Folder<'_, '_> {
    fn optional(&mut self, file: &str) -> Result<Option<Vec<u8>>, ModelError> {
        (self.read)(file).map_err(|reason| ModelError::Unreadable { file: file.to_owned(), reason })
    }

    fn needed(&mut self, file: &str) -> Result<Vec<u8>, ModelError> {
        self.optional(file)?.ok_or_else(|| ModelError::MissingFile { file: file.to_owned() })
    }
}

/// Weights by their kind.
enum Weights {
    Table(Vec<u8>),
    Onnx(Vec<u8>),
}

const SAFETENSORS: &str = "model.safetensors";
const ONNX: [&str; 2] = ["model.onnx", "onnx/model.onnx"];

impl Weights {
    /// The weights that are there.
    fn read(folder: &mut Folder<'_, '_>, config: &ModelConfig) -> Result<Self, ModelError> {
        let is_table = matches!(config.model_type.as_str(), "model2vec" | "");
        if is_table && let Some(bytes) = folder.optional(SAFETENSORS)? {
            return Ok(Self::Table(bytes));
        }
        for file in ONNX {
            if let Some(bytes) = folder.optional(file)? {
                return Ok(Self::Onnx(bytes));
            }
        }
        if is_table {
            return Err(ModelError::MissingFile { file: format!("{SAFETENSORS} or {}", ONNX[0]) });
        }
        match folder.optional(SAFETENSORS)? {
            Some(_) => Err(ModelError::NeedsOnnx { model_type: config.model_type.clone() }),
            None => Err(ModelError::MissingFile { file: ONNX.join(" or ") }),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Table(bytes) | Self::Onnx(bytes) => bytes,
        }
    }
}

/// A hash of a model's files.
fn fingerprint(parts: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}

/// The id of a model, which changes with everything that changes its vectors.
fn id(
    kind: &str,
    dimensions: usize,
    fingerprint: blake3::Hash,
    options: &LocalOptions,
    rest: &str,
) -> String {
    let LocalOptions { query_prefix, document_prefix, max_tokens } = options;
    let settings = format!("{query_prefix}\0{document_prefix}\0{max_tokens:?}\0{rest}");
    let hash = self::fingerprint(&[fingerprint.as_bytes(), settings.as_bytes()]);
    format!("{kind}-{dimensions}-{}", &hash.to_hex()[..8])
}
