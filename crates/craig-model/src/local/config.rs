//! The configuration files beside a model's weights.

use serde::Deserialize;

use super::Folder;
use super::pooling::Pooling;
use crate::ModelError;

/// Tokens that are read of a text if no file has a limit.
const DEFAULT_MAX_TOKENS: usize = 512;

/// A model's configuration.
#[derive(Debug)]
pub(super) struct ModelConfig {
    /// `bert`, `model2vec`, …; empty if it is not given.
    pub(super) model_type: String,
    /// Tokens of a text that are read.
    pub(super) max_tokens: usize,
    pub(super) pooling: Pooling,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ConfigFile {
    model_type: String,
    max_position_embeddings: Option<usize>,
    seq_length: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SentenceFile {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
#[serde(default)]
struct PoolingFile {
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
}

impl Default for PoolingFile {
    fn default() -> Self {
        Self { pooling_mode_cls_token: false, pooling_mode_mean_tokens: true }
    }
}

impl ModelConfig {
    pub(super) fn read(folder: &mut Folder<'_, '_>) -> Result<Self, ModelError> {
        let config: ConfigFile = parsed(folder, "config.json")?;
        let sentence: SentenceFile = parsed(folder, "sentence_bert_config.json")?;
        let pooling: PoolingFile = parsed(folder, "1_Pooling/config.json")?;
        let pooling = match (pooling.pooling_mode_mean_tokens, pooling.pooling_mode_cls_token) {
            (true, false) => Pooling::Mean,
            (false, true) => Pooling::FirstToken,
            _ => {
                let reason = "its pooling is neither the mean of the tokens nor the first token".to_owned();
                return Err(ModelError::Unsupported { reason });
            }
        };
        let n_positions = config.max_position_embeddings.unwrap_or(DEFAULT_MAX_TOKENS);
        let max_tokens =
            sentence.max_seq_length.or(config.seq_length).unwrap_or(DEFAULT_MAX_TOKENS).min(n_positions);
        Ok(Self { model_type: config.model_type, max_tokens: max_tokens.max(8), pooling })
    }
}

fn parsed<T: Default + serde::de::DeserializeOwned>(
    folder: &mut Folder<'_, '_>,
    file: &str,
) -> Result<T, ModelError> {
    match folder.optional(file)? {
        None => Ok(T::default()),
        Some(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| ModelError::Malformed(format!("{file}: {error}")))
        }
    }
}
