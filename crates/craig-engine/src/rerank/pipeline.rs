//! Which reranker is used for what, and the decorators around it.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use craig_model::{
    Breaker, CacheScope, CachedReranker, Cancellation, Document, GuardedReranker, HostedReranker,
    LlmReranker, ModelError, Queue, QueuedReranker, Ranking, RerankRequest, Reranker, SharedCache,
    local_reranker,
};

use super::texts::TextRanking;
use crate::config::{Config, RerankerConfig};
use crate::lock::locked;
use crate::models::{language_model, read_file};
use crate::{Engine, EngineError};

/// What is reranked; where no reranker is configured, it decides which one is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RerankSubject {
    /// Hits of a search, which the built-in ranking has ordered already.
    Hits,
    /// Hits that become the context of a chat: worth a request to the language model.
    Context,
    /// Texts that another search found.
    Texts,
}

/// Which reranker is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RerankerChoice {
    /// The configured one.
    Configured,
    /// The language model, where no reranker is configured.
    LanguageModel,
    /// The built-in ranking.
    BuiltIn,
}

impl RerankSubject {
    /// Which reranker is used; `None` if nothing reranks it.
    pub(crate) fn reranker(self, config: &Config) -> Option<RerankerChoice> {
        match (&config.reranker, self) {
            (RerankerConfig::Off, Self::Texts) => Some(RerankerChoice::BuiltIn),
            (RerankerConfig::Off, Self::Context) if config.language_model.is_some() => {
                Some(RerankerChoice::LanguageModel)
            }
            (RerankerConfig::Off, _) => None,
            _ => Some(RerankerChoice::Configured),
        }
    }
}

/// The rerankers of a process, each built when it is first used.
#[derive(Default)]
pub(crate) struct Rerankers {
    /// By [`RerankerChoice`].
    built: [OnceLock<Arc<RerankPipeline>>; 3],
    /// Held while one is built, so that no model is loaded twice.
    building: Mutex<()>,
    /// A cache that several processes share.
    pub(crate) shared: OnceLock<Arc<dyn SharedCache>>,
}

impl Rerankers {
    pub(crate) fn get(
        &self,
        choice: RerankerChoice,
        engine: &Engine,
    ) -> Result<Arc<RerankPipeline>, EngineError> {
        let slot = &self.built[choice as usize];
        if let Some(pipeline) = slot.get() {
            return Ok(Arc::clone(pipeline));
        }
        let _building = locked(&self.building);
        // Another thread may have built it meanwhile.
        let pipeline = match slot.get() {
            Some(pipeline) => pipeline,
            None => {
                let built = Arc::new(RerankPipeline::new(engine, choice, self.shared.get().cloned())?);
                slot.get_or_init(|| built)
            }
        };
        Ok(Arc::clone(pipeline))
    }

    /// Those that were used already.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &RerankPipeline> {
        self.built.iter().filter_map(OnceLock::get).map(|pipeline| &**pipeline)
    }
}

/// Candidates that a language model sees where no reranker is configured.
const LANGUAGE_MODEL_CANDIDATES: usize = 15;

/// A reranker with its decorators: cache, queue, and for a provider retries within a circuit breaker.
pub(crate) struct RerankPipeline {
    pub(crate) reranker: Box<dyn Reranker>,
    /// How many of the first hits are reranked.
    pub(crate) candidates: usize,
    /// The time for a rerank, waiting and retries included.
    pub(crate) timeout: Duration,
    pub(crate) queue: Arc<Queue>,
    /// The model of a provider, and its circuit breaker.
    pub(crate) provider: Option<(String, Arc<Breaker>)>,
}

impl RerankPipeline {
    /// Reads the files of a local model, which runs in the engine's thread pool; checks the key of a provider.
    fn new(
        engine: &Engine,
        choice: RerankerChoice,
        shared: Option<Arc<dyn SharedCache>>,
    ) -> Result<Self, EngineError> {
        let config = engine.config();
        let options = &config.rerank;
        let mut provider = None;
        let (reranker, scope): (Box<dyn Reranker>, _) = match (choice, &config.reranker) {
            (RerankerChoice::BuiltIn, _) | (RerankerChoice::Configured, RerankerConfig::Off) => {
                (on_pool(TextRanking, engine.pool()?), CacheScope::WholeDocument)
            }
            (RerankerChoice::LanguageModel, _) | (_, RerankerConfig::LanguageModel) => {
                let none =
                    || ModelError::Unsupported { reason: "no language model is configured".to_owned() };
                let model = language_model(config.language_model.as_ref().ok_or_else(none)?)?;
                (Box::new(LlmReranker::new(model)), CacheScope::WholeDocument)
            }
            (_, RerankerConfig::Local { folder }) => {
                let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
                let pool = engine.pool()?;
                let reranker = pool.install(|| local_reranker(&mut *read_file(folder), &name))?;
                (on_pool(reranker, pool), CacheScope::Text)
            }
            (_, RerankerConfig::Hosted(hosted)) => {
                let hosted = hosted.usable(|hosted| &hosted.endpoint)?;
                let reranker = HostedReranker::new(hosted.endpoint.clone(), hosted.dialect, &hosted.model);
                let breaker = Arc::new(Breaker::new(options.breaker));
                provider = Some((hosted.model.clone(), Arc::clone(&breaker)));
                (Box::new(GuardedReranker::new(reranker, breaker, options.tries)), CacheScope::Text)
            }
        };
        let queue = Arc::new(Queue::new(options.max_running, options.max_waiting));
        let queued = QueuedReranker::new(reranker, Arc::clone(&queue));
        let (candidates, timeout) = match choice {
            RerankerChoice::LanguageModel => (LANGUAGE_MODEL_CANDIDATES, config.context.rephrase_timeout),
            _ => (options.candidates, options.timeout),
        };
        let reranker = Box::new(CachedReranker::new(queued, scope, options.cache, shared));
        Ok(Self { reranker, candidates, timeout, queue, provider })
    }

    /// Ranks documents for a query; gives the `top` best, or fewer if a provider leaves some out.
    pub(crate) fn rerank(
        &self,
        query: &str,
        documents: &[Document<'_>],
        top: usize,
        cancellation: &Cancellation,
    ) -> Result<Ranking, ModelError> {
        if documents.is_empty() {
            return Ok(Ranking::from_scores([]));
        }
        let cancellation = cancellation.clone();
        let request =
            RerankRequest { top, cancellation, ..RerankRequest::new(query, documents, self.timeout) };
        let mut ranking = self.reranker.rerank(&request)?;
        ranking.ranked.truncate(top);
        Ok(ranking)
    }
}

/// A reranker that runs in a thread pool, on as many threads as the user allows.
struct OnPool<R> {
    inner: R,
    pool: Arc<rayon::ThreadPool>,
}

fn on_pool(inner: impl Reranker + 'static, pool: Arc<rayon::ThreadPool>) -> Box<dyn Reranker> {
    Box::new(OnPool { inner, pool })
}

impl<R: Reranker> Reranker for OnPool<R> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        self.pool.install(|| self.inner.rerank(request))
    }
}
