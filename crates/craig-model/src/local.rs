//! Models that run on this machine: a folder's files in, an embedder or reranker out.
//!
//! Three kinds of folder: model2vec (a table of vectors), BERT as safetensors, and ONNX.

mod bert;
mod config;
mod embedder;
mod encoder;
mod onnx;
mod reranker;
mod table;
mod tensors;
mod tokens;

use crate::{Embedder, ModelError, Reranker};
use bert::Bert;
use config::ModelConfig;
use embedder::LocalEmbedder;
use encoder::Encoder;
use onnx::OnnxModel;
use reranker::CrossEncoder;
use table::TableModel;
use tensors::Tensors;
use tokens::Tokens;

/// Gives the content of a file of the model's folder by its name, and `None` when there is none; fails with a reason.
pub type ReadFile<'a> = dyn FnMut(&str) -> Result<Option<Vec<u8>>, String> + 'a;

/// What the user says of a local embedder, beside what its folder says.
#[derive(Clone, Debug, Default)]
pub struct LocalOptions {
    /// Put before texts to search with.
    pub query_prefix: String,
    /// Put before texts to be found.
    pub document_prefix: String,
    /// Tokens of a text that are read; what the folder says when `None`.
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
        Weights::Bert(bytes) => {
            let bert = Bert::new(Tensors::parse(&bytes)?, &config)?;
            Box::new(LocalEmbedder::new(Box::new(bert), tokens, &config, options, fingerprint)?)
        }
        Weights::Onnx(bytes) => {
            let model = OnnxModel::new(bytes)?;
            Box::new(LocalEmbedder::new(Box::new(model), tokens, &config, options, fingerprint)?)
        }
    })
}

/// Loads a cross-encoder from a folder; `name` is what people call it.
pub fn local_reranker(read: &mut ReadFile<'_>, name: &str) -> Result<Box<dyn Reranker>, ModelError> {
    let mut folder = Folder { read };
    let config = ModelConfig::read(&mut folder)?;
    let tokens = Tokens::parse(&folder.needed("tokenizer.json")?, config.max_tokens)?;
    let encoder: Box<dyn Encoder> = match Weights::read(&mut folder, &config)? {
        Weights::Bert(bytes) => Box::new(Bert::new(Tensors::parse(&bytes)?, &config)?),
        Weights::Onnx(bytes) => Box::new(OnnxModel::new(bytes)?),
        Weights::Table(_) => {
            let reason =
                "a table of vectors cannot look at two texts together; a reranker is a cross-encoder";
            return Err(ModelError::Unsupported { reason: reason.to_owned() });
        }
    };
    Ok(Box::new(CrossEncoder::new(encoder, tokens, name)))
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

/// Weights, by what can be done with them.
enum Weights {
    Table(Vec<u8>),
    Bert(Vec<u8>),
    Onnx(Vec<u8>),
}

const SAFETENSORS: &str = "model.safetensors";
const ONNX: [&str; 2] = ["model.onnx", "onnx/model.onnx"];

impl Weights {
    /// The weights that can be run best, of those that are there.
    fn read(folder: &mut Folder<'_, '_>, config: &ModelConfig) -> Result<Self, ModelError> {
        let kind = config.model_type.as_str();
        if kind == "bert" || kind == "model2vec" || kind.is_empty() {
            match folder.optional(SAFETENSORS)? {
                Some(bytes) if kind == "bert" => return Ok(Self::Bert(bytes)),
                Some(bytes) => return Ok(Self::Table(bytes)),
                None => {}
            }
        }
        for file in ONNX {
            if let Some(bytes) = folder.optional(file)? {
                return Ok(Self::Onnx(bytes));
            }
        }
        if kind == "bert" || kind == "model2vec" || kind.is_empty() {
            return Err(ModelError::MissingFile { file: format!("{SAFETENSORS} or {}", ONNX[0]) });
        }
        let reason = format!("its config.json says {kind:?}, which needs an ONNX export as {}", ONNX[0]);
        Err(ModelError::Unsupported { reason })
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Table(bytes) | Self::Bert(bytes) | Self::Onnx(bytes) => bytes,
        }
    }
}

/// Names the version of a model by its content.
fn fingerprint(parts: &[&[u8]]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}

/// The id of a model with whatever else changes its vectors.
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
