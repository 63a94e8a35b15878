//! Builds models from what is configured: reads the folders of local ones, checks the keys of hosted ones.

use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use craig_model::{
    ChatModel, Embedder, HostedEmbedder, HostedReranker, LanguageModel, LlmReranker, ModelError, ReadFile,
    Reranker, StaticModel, gguf_language_model, local_embedder, local_reranker,
};

use crate::config::{Config, EmbedderConfig, LanguageModelConfig, RerankOptions, RerankerConfig};

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
    config: &LanguageModelConfig,
    rerank: RerankOptions,
) -> Result<ConfiguredReranker, ModelError> {
    Ok((Arc::new(LlmReranker::new(language_model(config)?)), rerank))
}

/// The language model.
pub(crate) fn language_model(config: &LanguageModelConfig) -> Result<Arc<dyn LanguageModel>, ModelError> {
    match config {
        LanguageModelConfig::Hosted(hosted) => {
            let (endpoint, model) = hosted.usable(|(endpoint, _)| endpoint)?;
            Ok(Arc::new(ChatModel::new(endpoint.clone(), model)))
        }
        LanguageModelConfig::Gguf { file } => gguf(file),
    }
}

/// The model in a GGUF file. The last one stays in memory as long as the process: loading takes seconds, and all engines of
/// a server share it.
fn gguf(file: &Path) -> Result<Arc<dyn LanguageModel>, ModelError> {
    // Held while a model is loaded, so that two who want it at once do not load it twice.
    static LOADED: Mutex<Option<(Loaded, Arc<dyn LanguageModel>)>> = Mutex::new(None);
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let (found, head) = Loaded::of(file).map_err(|error| ModelError::UnusableFile {
        file: file.display().to_string(),
        reason: if error.kind() == ErrorKind::NotFound {
            "there is no such file".to_owned()
        } else {
            error.to_string()
        },
    })?;
    if let Some((known, model)) = &*loaded
        && *known == found
    {
        return Ok(Arc::clone(model));
    }
    let model = gguf_language_model(file, &head)?;
    *loaded = Some((found, Arc::clone(&model)));
    Ok(model)
}

/// Which file a model is from, and how it was then.
#[derive(PartialEq)]
struct Loaded {
    file: PathBuf,
    n_bytes: u64,
    modified: Option<SystemTime>,
}

impl Loaded {
    /// A file as it is now, and its first bytes.
    fn of(file: &Path) -> std::io::Result<(Self, Vec<u8>)> {
        let mut head = Vec::new();
        let opened = std::fs::File::open(file)?;
        let is = opened.metadata()?;
        opened.take(8).read_to_end(&mut head)?;
        Ok((Self { file: file.to_owned(), n_bytes: is.len(), modified: is.modified().ok() }, head))
    }
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
