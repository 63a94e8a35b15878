//! Builds models from what is configured: reads the folders of local ones, checks the keys of hosted ones.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use craig_model::{
    ChatModel, Embedder, HostedEmbedder, HostedReranker, LanguageModel, LlmReranker, ModelError, ReadFile,
    Reranker, StaticModel, local_embedder, local_reranker,
};

use crate::config::{Config, EmbedderConfig, Keyed, LanguageModelConfig, RerankOptions, RerankerConfig};

/// A reranker, and how it is used.
pub(crate) type ConfiguredReranker = (Arc<dyn Reranker>, RerankOptions);

/// What embeds.
pub(crate) fn embedder(config: &EmbedderConfig) -> Result<Arc<dyn Embedder>, ModelError> {
    match config {
        EmbedderConfig::Builtin => Ok(Arc::new(StaticModel::builtin())),
        EmbedderConfig::Local { folder, options } => {
            Ok(local_embedder(&mut *reader(folder), options.clone())?.into())
        }
        EmbedderConfig::Hosted(hosted) => {
            let hosted = hosted.usable(|hosted| &hosted.endpoint)?;
            Ok(Arc::new(HostedEmbedder::new(hosted.clone())))
        }
    }
}

/// What looks at the first results again, and how; `None` when nothing does.
pub(crate) fn reranker(config: &Config) -> Result<Option<ConfiguredReranker>, ModelError> {
    match &config.reranker {
        RerankerConfig::Off => Ok(None),
        RerankerConfig::Local { folder, rerank } => {
            let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
            Ok(Some((local_reranker(&mut *reader(folder), &name)?.into(), *rerank)))
        }
        RerankerConfig::Hosted { model, rerank } => {
            let model = model.usable(|model| &model.endpoint)?;
            let reranker = HostedReranker::new(model.endpoint.clone(), model.dialect, &model.model);
            Ok(Some((Arc::new(reranker), *rerank)))
        }
        RerankerConfig::LanguageModel { rerank } => match &config.language_model {
            Some(chat) => Ok(Some(language_model_reranker(chat, *rerank)?)),
            None => Err(ModelError::Unsupported { reason: "no language model is configured".to_owned() }),
        },
    }
}

/// The language model as a reranker.
pub(crate) fn language_model_reranker(
    config: &Keyed<LanguageModelConfig>,
    rerank: RerankOptions,
) -> Result<ConfiguredReranker, ModelError> {
    Ok((Arc::new(LlmReranker::new(language_model(config)?)), rerank))
}

/// The language model.
pub(crate) fn language_model(
    config: &Keyed<LanguageModelConfig>,
) -> Result<Arc<dyn LanguageModel>, ModelError> {
    let LanguageModelConfig { endpoint, model } = config.usable(|config| &config.endpoint)?;
    Ok(Arc::new(ChatModel::new(endpoint.clone(), model)))
}

/// Reads the files of a model's folder, which the user named.
fn reader(folder: &Path) -> Box<ReadFile<'_>> {
    Box::new(|file| match std::fs::read(folder.join(file)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) && folder.is_dir() =>
        {
            Ok(None)
        }
        Err(error) => Err(format!("{}: {error}", folder.join(file).display())),
    })
}
