//! The configuration of an engine.

use std::path::PathBuf;
use std::time::Duration;

use craig_model::{
    BreakerSettings, EmbeddingDialect, Endpoint, HostedModel, LocalOptions, ModelError, RerankDialect, Secret,
};
use craig_source::{GitAccess, GitToken, PackagePlaces, SourceOptions};
use craig_store::DatabaseAddress;

use crate::context::ContextConfig;
use crate::settings::{Environment, Settings, SettingsError};

/// Everything an [`Engine`](crate::Engine) is built from.
#[derive(Clone, Debug)]
pub struct Config {
    /// The database.
    pub database: DatabaseAddress,
    /// Whether it is an error that the database is missing; else it is made, with its folder.
    pub must_exist: bool,
    /// Whether nothing is written: what is derived from the database stays in memory.
    pub is_read_only: bool,
    /// The user's folder for what Craig keeps, by which a database inside of a workspace is known again.
    pub data_folder: Option<PathBuf>,
    /// Threads for reading, parsing and embedding; 0 means one for each core.
    pub threads: usize,
    /// Which files are tracked of a directory that is ingested by its first search.
    pub source: SourceOptions,
    /// The embedder.
    pub embedder: EmbedderConfig,
    /// The reranker.
    pub reranker: RerankerConfig,
    /// How reranking is done, by any reranker.
    pub rerank: RerankOptions,
    /// The language model, when there is one.
    pub language_model: Option<Keyed<LanguageModelConfig>>,
    /// How context is assembled for chats and inline edits.
    pub context: ContextConfig,
    /// How repositories are cloned.
    pub git: GitConfig,
    /// Where package managers keep packages.
    pub packages: PackagePlaces,
    /// Whether explanations of imported symbols quote the documentation of packages.
    pub explain_packages: bool,
}

impl Config {
    /// Everything built in; no network.
    pub fn new(database: impl Into<DatabaseAddress>) -> Self {
        Self {
            database: database.into(),
            must_exist: false,
            is_read_only: false,
            data_folder: None,
            threads: 0,
            source: SourceOptions::default(),
            embedder: EmbedderConfig::Builtin,
            reranker: RerankerConfig::Off,
            rerank: RerankOptions::default(),
            language_model: None,
            context: ContextConfig::default(),
            git: GitConfig { access: GitAccess::default(), depth: 1 },
            packages: PackagePlaces::default(),
            explain_packages: true,
        }
    }

    /// The configuration that `settings` describe; `database` is used when they name none.
    pub fn from_settings(
        settings: &Settings,
        database: impl Into<DatabaseAddress>,
    ) -> Result<Self, SettingsError> {
        let reader = Reader { settings };
        Ok(Self {
            database: settings.path("database").map_or_else(|| database.into(), DatabaseAddress::from),
            must_exist: false,
            is_read_only: false,
            data_folder: settings.data_folder().map(PathBuf::from),
            threads: settings.whole("threads").unwrap_or_default() as usize,
            source: settings.source(),
            embedder: reader.embedder()?,
            reranker: reader.reranker()?,
            rerank: RerankOptions::from_settings(settings),
            language_model: reader.language_model()?,
            context: ContextConfig::from_settings(settings)?,
            git: reader.git(),
            packages: PackagePlaces::from_environment(|name| settings.environment().get(name)),
            explain_packages: settings.is_on("explain.packages"),
        })
    }
}

/// How repositories are cloned.
#[derive(Clone, Debug)]
pub struct GitConfig {
    /// Credentials and time limit.
    pub access: GitAccess,
    /// How many commits of their history are fetched; 0 means all.
    pub depth: u32,
}

/// The embedder.
#[derive(Clone, Debug)]
pub enum EmbedderConfig {
    /// The model that is compiled in.
    Builtin,
    /// A model folder.
    Local {
        /// The folder.
        folder: PathBuf,
        /// Options beyond its files.
        options: LocalOptions,
    },
    /// A provider.
    Hosted(Keyed<HostedModel>),
}

/// The reranker.
#[derive(Clone, Debug)]
pub enum RerankerConfig {
    /// Nothing.
    Off,
    /// A cross-encoder in a model folder.
    Local {
        /// The folder.
        folder: PathBuf,
    },
    /// A provider.
    Hosted(Keyed<HostedRerank>),
    /// The language model.
    LanguageModel,
}

/// How reranking is done: how much of it, how long it may take, what is kept.
#[derive(Clone, Copy, Debug)]
pub struct RerankOptions {
    /// Number of top results to rerank.
    pub candidates: usize,
    /// Time limit, waiting and retries included.
    pub timeout: Duration,
    /// Tries at a provider, the first included.
    pub tries: usize,
    /// Reranks at the same time.
    pub max_running: usize,
    /// Reranks that wait in the queue; more are refused.
    pub max_waiting: usize,
    /// Reranks that are cached in memory, and how long they are cached.
    pub cache: (u64, Duration),
    /// When a failing provider is paused.
    pub breaker: BreakerSettings,
}

impl Default for RerankOptions {
    fn default() -> Self {
        Self {
            candidates: 20,
            timeout: Duration::from_secs(5),
            tries: 3,
            max_running: 10,
            max_waiting: 50,
            cache: (10_000, Duration::from_secs(3_600)),
            breaker: BreakerSettings::default(),
        }
    }
}

impl RerankOptions {
    fn from_settings(settings: &Settings) -> Self {
        let default = Self::default();
        let whole = |key: &str| settings.whole(&format!("gateway.{key}"));
        let count = |key: &str, default: usize| whole(key).map_or(default, |n| n as usize);
        let ms = |key: &str, default: Duration| whole(key).map_or(default, Duration::from_millis);
        Self {
            candidates: settings.whole("reranker.candidates").map_or(default.candidates, |n| n as usize),
            timeout: timeout(settings, "reranker"),
            tries: count("tries", default.tries).max(1),
            max_running: count("max_reranks", default.max_running).max(1),
            max_waiting: count("max_waiting_reranks", default.max_waiting),
            cache: (
                whole("rerank_cache_entries").unwrap_or(default.cache.0),
                whole("rerank_cache_seconds").map_or(default.cache.1, Duration::from_secs),
            ),
            breaker: BreakerSettings {
                window: ms("breaker_window_ms", default.breaker.window),
                min_requests: whole("breaker_min_requests")
                    .map_or(default.breaker.min_requests, |n| u32::try_from(n).unwrap_or(u32::MAX)),
                failure_rate: settings
                    .number("gateway.breaker_failure_rate")
                    .unwrap_or(default.breaker.failure_rate),
                probe_after: ms("breaker_probe_ms", default.breaker.probe_after),
                max_probe_after: ms("breaker_max_probe_ms", default.breaker.max_probe_after),
            },
        }
    }
}

/// A reranking model of a provider.
#[derive(Clone, Debug)]
pub struct HostedRerank {
    /// Where.
    pub endpoint: Endpoint,
    /// How.
    pub dialect: RerankDialect,
    /// Name of the model.
    pub model: String,
}

/// A chat model of a provider.
#[derive(Clone, Debug)]
pub struct LanguageModelConfig {
    /// Where.
    pub endpoint: Endpoint,
    /// Name of the model.
    pub model: String,
}

/// Something that may need a missing key: only using it is an error.
#[derive(Clone, Debug)]
pub struct Keyed<T> {
    /// What it is for.
    pub of: T,
    /// Environment variable of a required key that is missing.
    pub missing_key: Option<String>,
}

/// A provider's own address, and the environment variable of its key.
struct Provider {
    name: &'static str,
    base_url: &'static str,
    key_variable: &'static str,
}

const VOYAGE: Provider =
    Provider { name: "Voyage", base_url: "https://api.voyageai.com", key_variable: "VOYAGE_API_KEY" };
const OPENAI: Provider =
    Provider { name: "OpenAI", base_url: "https://api.openai.com", key_variable: "OPENAI_API_KEY" };

/// The language model that `settings` name.
pub(crate) fn language_model(
    settings: &Settings,
) -> Result<Option<Keyed<LanguageModelConfig>>, SettingsError> {
    Reader { settings }.language_model()
}

struct Reader<'s> {
    settings: &'s Settings,
}

impl Reader<'_> {
    fn embedder(&self) -> Result<EmbedderConfig, SettingsError> {
        let text = |key| self.settings.text(key).unwrap_or_default().to_owned();
        let (provider, dialect, model) = match self.settings.text("embedder.provider") {
            Some("local") => {
                let folder = self.needed_path("embedder.path", "for the provider 'local'")?;
                let options = LocalOptions {
                    query_prefix: text("embedder.query_prefix"),
                    document_prefix: text("embedder.document_prefix"),
                    max_tokens: self.settings.whole("embedder.max_tokens").map(|n| n as usize),
                };
                return Ok(EmbedderConfig::Local { folder, options });
            }
            Some("voyage") => (VOYAGE, EmbeddingDialect::Voyage, "voyage-code-3"),
            Some("openai") => (OPENAI, EmbeddingDialect::OpenAi, "text-embedding-3-small"),
            _ => return Ok(EmbedderConfig::Builtin),
        };
        let hosted = self.endpoint("embedder", Some(&provider), "embeddings")?;
        Ok(EmbedderConfig::Hosted(hosted.map(|endpoint| HostedModel {
            endpoint,
            dialect,
            model: self.settings.text("embedder.model").unwrap_or(model).to_owned(),
            dimensions: self.settings.whole("embedder.dimensions").map(|n| n as usize),
            query_prefix: text("embedder.query_prefix"),
            document_prefix: text("embedder.document_prefix"),
            usd_per_million_tokens: self.settings.number("embedder.usd_per_million_tokens"),
        })))
    }

    fn reranker(&self) -> Result<RerankerConfig, SettingsError> {
        let model = |default: &str| self.settings.text("reranker.model").unwrap_or(default).to_owned();
        match self.settings.text("reranker.provider") {
            Some("local") => {
                let folder = self.needed_path("reranker.path", "for the provider 'local'")?;
                Ok(RerankerConfig::Local { folder })
            }
            Some("llm") if matches!(self.settings.text("language_model.provider"), None | Some("none")) => {
                Err(SettingsError::Missing { key: "language_model.provider", why: "for the reranker 'llm'" })
            }
            Some("llm") => Ok(RerankerConfig::LanguageModel),
            Some("voyage") => {
                let endpoint = self.endpoint("reranker", Some(&VOYAGE), "rerank")?;
                let model = model("rerank-2-lite");
                Ok(RerankerConfig::Hosted(endpoint.map(|endpoint| HostedRerank {
                    endpoint,
                    dialect: RerankDialect::Voyage,
                    model,
                })))
            }
            Some("http") => {
                let dialect = match self.settings.text("reranker.dialect") {
                    Some("voyage") => RerankDialect::Voyage,
                    Some("tei") => RerankDialect::Tei,
                    _ => RerankDialect::Common,
                };
                let endpoint = self.endpoint("reranker", None, "rerank")?;
                let model = model("");
                let hosted = endpoint.map(|endpoint| HostedRerank { endpoint, dialect, model });
                Ok(RerankerConfig::Hosted(hosted))
            }
            _ => Ok(RerankerConfig::Off),
        }
    }

    fn language_model(&self) -> Result<Option<Keyed<LanguageModelConfig>>, SettingsError> {
        if self.settings.text("language_model.provider") != Some("openai") {
            return Ok(None);
        }
        let endpoint = self.endpoint("language_model", Some(&OPENAI), "chat/completions")?;
        let model = self.settings.text("language_model.model").unwrap_or_default().to_owned();
        Ok(Some(endpoint.map(|endpoint| LanguageModelConfig { endpoint, model })))
    }

    fn git(&self) -> GitConfig {
        let variable = self.settings.text("git.token_env").unwrap_or_default();
        let token = self.settings.environment().get(variable).filter(|token| !token.trim().is_empty());
        let host = self.settings.text("git.token_host").unwrap_or_default().to_owned();
        let patience = Duration::from_secs(self.settings.whole("git.timeout_s").unwrap_or(60));
        GitConfig {
            access: GitAccess { token: token.map(|token| (host, GitToken::new(token))), patience },
            depth: self.settings.whole("git.depth").unwrap_or(1) as u32,
        }
    }

    /// The endpoint of `section`. The default key of a provider is sent only to that provider's own address, unless the
    /// user names the variable.
    fn endpoint(
        &self,
        section: &'static str,
        provider: Option<&Provider>,
        operation: &str,
    ) -> Result<Keyed<Endpoint>, SettingsError> {
        let key = |name: &str| format!("{section}.{name}");
        let own_address = self.settings.text(&key("base_url"));
        let named_variable = self.settings.text(&key("key_env"));
        let (base_url, key_variable, provider) = match (own_address, provider) {
            (Some(address), _) => (address, named_variable, host(address).to_owned()),
            (None, Some(provider)) => {
                let variable = named_variable.unwrap_or(provider.key_variable);
                (provider.base_url, Some(variable), provider.name.to_owned())
            }
            (None, None) => {
                return Err(SettingsError::Missing {
                    key: "reranker.base_url",
                    why: "for the provider 'http'",
                });
            }
        };
        let environment: &Environment = self.settings.environment();
        let secret = key_variable.and_then(|name| environment.get(name)).map(Secret::new);
        let missing_key = key_variable.filter(|_| secret.is_none()).map(str::to_owned);
        let endpoint = Endpoint {
            provider,
            url: url(base_url, operation, self.settings.text(&key("dialect")) == Some("tei")),
            key: secret,
            key_variable: key_variable.map(str::to_owned),
            timeout: timeout(self.settings, section),
            masked: craig_source::mask_secrets,
        };
        Ok(Keyed { of: endpoint, missing_key })
    }

    fn needed_path(&self, key: &'static str, why: &'static str) -> Result<PathBuf, SettingsError> {
        self.settings.path(key).ok_or(SettingsError::Missing { key, why })
    }
}

impl<T> Keyed<T> {
    /// The models it configures; fails if a key is missing, naming the provider of the endpoint.
    pub fn usable(&self, endpoint: impl FnOnce(&T) -> &Endpoint) -> Result<&T, ModelError> {
        match &self.missing_key {
            Some(variable) => Err(ModelError::MissingKey {
                provider: endpoint(&self.of).provider.clone(),
                variable: variable.clone(),
            }),
            None => Ok(&self.of),
        }
    }

    fn map<U>(self, change: impl FnOnce(T) -> U) -> Keyed<U> {
        Keyed { of: change(self.of), missing_key: self.missing_key }
    }
}

fn timeout(settings: &Settings, section: &str) -> Duration {
    Duration::from_millis(settings.whole(&format!("{section}.timeout_ms")).unwrap_or(60_000))
}

/// The whole address of an operation: `https://host` and `https://host/v1` mean the same, and one that ends with the
/// operation is used unchanged. TEI serves without a version.
fn url(base_url: &str, operation: &str, is_unversioned: bool) -> String {
    let base = base_url.trim_end_matches('/');
    let last = base.rsplit('/').next().unwrap_or_default();
    let is_version = last.len() > 1 && last.starts_with('v') && last[1..].bytes().all(|b| b.is_ascii_digit());
    match () {
        () if base.ends_with(&format!("/{operation}")) => base.to_owned(),
        () if is_version || is_unversioned => format!("{base}/{operation}"),
        () => format!("{base}/v1/{operation}"),
    }
}

/// The whole address of a provider's operation, such as `chat/completions`, as it follows from its base address.
pub fn operation_url(base_url: &str, operation: &str) -> String {
    url(base_url, operation, false)
}

fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest);
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_completed() {
        for base in ["http://h", "http://h/", "http://h/v1", "http://h/v1/embeddings"] {
            assert_eq!(url(base, "embeddings", false), "http://h/v1/embeddings", "{base}");
        }
        assert_eq!(url("http://h/v2", "rerank", false), "http://h/v2/rerank");
        assert_eq!(url("http://h:80", "rerank", true), "http://h:80/rerank");
        assert_eq!(host("https://me:secret@host:1/v1"), "host:1");
    }
}
