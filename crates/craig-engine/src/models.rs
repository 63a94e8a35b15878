//! Builds models from what is configured: reads the folders of local ones, checks the keys of hosted ones.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use craig_model::{
    ChatModel, Embedder, HostedEmbedder, LanguageModel, ModelError, ReadFile, StaticModel, local_embedder,
};

use crate::config::{EmbedderConfig, Keyed, LanguageModelConfig};

/// The embedder.
pub(crate) fn embedder(config: &EmbedderConfig) -> Result<Arc<dyn Embedder>, ModelError> {
    match config {
        EmbedderConfig::Builtin => Ok(Arc::new(StaticModel::builtin())),
        EmbedderConfig::Local { folder, options } => {
            Ok(local_embedder(&mut *read_file(folder), options.clone())?.into())
        }
        EmbedderConfig::Hosted(hosted) => {
            let hosted = hosted.usable(|hosted| &hosted.endpoint)?;
            Ok(Arc::new(HostedEmbedder::new(hosted.clone())))
        }
    }
}

/// The language model.
pub(crate) fn language_model(
    config: &Keyed<LanguageModelConfig>,
) -> Result<Arc<dyn LanguageModel>, ModelError> {
    let LanguageModelConfig { endpoint, model } = config.usable(|config| &config.endpoint)?;
    Ok(Arc::new(ChatModel::new(endpoint.clone(), model)))
}

/// Reads the files of a model's folder, which the user named.
pub(crate) fn read_file(folder: &Path) -> Box<ReadFile<'_>> {
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
