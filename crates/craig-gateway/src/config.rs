//! The configuration of a gateway.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use craig_engine::{AskModel, BreakerSettings, Config, EngineError, Secret, Settings, Value};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::config_file::ConfigFileError;
use crate::identity::IdentityConfig;
use crate::sse::Framing;
use crate::upstreams::{Prices, Upstream, UpstreamsError};
use crate::watched_file::WatchedFile;

/// The configuration of a gateway.
#[derive(Clone, Debug)]
pub struct GatewayConfig {
    /// The address it listens on.
    pub address: SocketAddr,
    /// The configuration of its engine.
    pub engine: Config,
    /// Providers of language models, the preferred one first.
    pub upstreams: Vec<Upstream>,
    /// Prices of models.
    pub prices: Prices,
    /// The status page, if there is one.
    pub admin: Option<Admin>,
    /// Services for a team, if it is a server for one: its page is served, and these routes, which get a [`Guest`](crate::Guest).
    pub team: Option<Router>,
    /// What webhooks are signed with; `None` to accept none.
    pub webhook_secret: Option<Secret>,
    /// The identity provider at which people sign in, if there is one.
    pub identity: Option<IdentityConfig>,
    /// File of the clients' hashed keys.
    pub keys: PathBuf,
    /// File of what each key has used.
    pub usage: PathBuf,
    /// Certificate chain and private key, to speak HTTPS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Address of a Redis server that shares state between gateways.
    pub redis: Option<String>,
    /// Bounds of requests, connections and waits.
    pub bounds: Bounds,
    /// Price of reranking, in US dollars.
    pub rerank_usd_per_million_tokens: f64,
    /// Requests of one key in an hour; `None` for any number.
    pub limits: HourlyLimits,
    /// The default framing of streams.
    pub framing: Framing,
    /// How much is put into conversations, and where.
    pub injection: Injection,
    /// Whether providers that cache only what is marked are asked to cache translated conversations.
    pub marks_prompt_cache: bool,
    /// Which model is asked what the code may look like, and when.
    pub guesses: GuessConfig,
    /// Secrets that are overwritten.
    pub masking: Masking,
    /// Whether `/metrics` needs no key.
    pub has_open_metrics: bool,
    /// Allowed web origins, in addition to those of this machine.
    pub origins: Vec<String>,
    /// Whether each request is logged.
    pub logs_requests: bool,
    /// Where spans and metrics for OpenTelemetry are sent, as OTLP over HTTP, without `/v1/traces`.
    pub otlp_url: Option<String>,
    /// US dollars a month, shown in the metrics for an alert rule.
    pub monthly_budget_usd: Option<f64>,
    /// Files that it was read from, and those that it names: when one changes, the gateway reads them again.
    pub files: Vec<WatchedFile>,
    /// The settings that it was made from.
    pub(crate) settings: SettingValues,
}

/// Settings by key.
pub(crate) type SettingValues = BTreeMap<&'static str, Value>;

/// Settings that a running gateway cannot change: what they are about is open, or shared by all requests.
const FIXED: [&str; 6] = [
    "gateway.address",
    "gateway.admin_address",
    "gateway.usage",
    "gateway.redis_env",
    "gateway.max_buffered",
    "gateway.max_connections",
];

/// The operator's status page.
#[derive(Clone, Debug)]
pub struct Admin {
    /// The address it is served at.
    pub address: SocketAddr,
    /// What opens it.
    pub token: Secret,
}

/// Bounds of requests, connections and waits.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Largest request, in bytes.
    pub max_body_bytes: usize,
    /// Most memory of all requests, and of answers that are read whole, in bytes.
    pub max_buffered_bytes: usize,
    /// Open connections.
    pub max_connections: usize,
    /// Maximum wait for a client.
    pub client_timeout: Duration,
    /// Maximum wait for a provider's answer, or the beginning of its stream.
    pub upstream_timeout: Duration,
    /// Time without a first byte after which the next provider is asked as well.
    pub first_byte_timeout: Duration,
    /// Longest silence within a stream.
    pub stream_idle: Duration,
    /// Longest stream.
    pub stream_total: Duration,
    /// How long connections are still accepted after the gateway was stopped, while `/readyz` reports it.
    pub drain: Duration,
    /// How long streams may go on after that.
    pub grace: Duration,
    /// Tries for each provider.
    pub tries: usize,
    /// When a failing model of a provider is paused.
    pub breaker: BreakerSettings,
}

/// Requests of one key in an hour; `None` for any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourlyLimits {
    /// Reranks.
    pub reranks: Option<u32>,
    /// Searches.
    pub searches: Option<u32>,
}

/// How much is put into conversations, where, and how it is remembered.
#[derive(Clone, Copy, Debug)]
pub struct Injection {
    /// Most results.
    pub results: usize,
    /// Maximum number of tokens of them.
    pub max_tokens: usize,
    /// Their position.
    pub placement: Placement,
    /// Maximum number of bytes of what was put in that are remembered, to put it in again.
    pub memory_bytes: u64,
    /// How long.
    pub memory_time: Duration,
}

/// Which model is asked what the code may look like, and when.
#[derive(Clone, Debug)]
pub struct GuessConfig {
    /// When it is asked.
    pub ask: AskModel,
    /// Its name; `None` for the model of each request.
    pub model: Option<String>,
    /// Maximum wait for its answer.
    pub timeout: Duration,
}

/// The position of context in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// A message of the user and a short reply, directly before the user's last message: roles go on alternating.
    Turn,
    /// A message of the user, directly before the last one.
    Message,
    /// At the head of the user's last message.
    Question,
}

/// The secrets that the gateway overwrites before something is sent to a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masking {
    /// None.
    Off,
    /// Secrets in the context that it adds.
    Context,
    /// Secrets in the whole conversation.
    All,
}

/// A gateway that cannot be built.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A setting is wrong.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The address to listen on is not an address.
    #[error("'gateway.address' is {0:?}, which is not an address such as 127.0.0.1:7320")]
    Address(String),
    /// The address of the status page is not an address.
    #[error("'gateway.admin_address' is {0:?}, which is not an address such as 127.0.0.1:7321")]
    AdminAddress(String),
    /// The status page has no token.
    #[error(
        "'gateway.admin_address' needs 'gateway.admin_token_env', the name of an environment variable with a token"
    )]
    NoAdminToken,
    /// The variable that 'gateway.admin_token_env' names is not set, or its value is short.
    #[error(
        "'gateway.admin_token_env' names {0}, which is not set, or is shorter than {MIN_TOKEN_BYTES} characters"
    )]
    WeakAdminToken(String),
    /// Providers cannot be read.
    #[error(transparent)]
    Upstreams(#[from] UpstreamsError),
    /// The identity provider cannot be read.
    #[error(transparent)]
    Identity(#[from] ConfigFileError),
    /// One of two settings that belong together is missing.
    #[error("'gateway.tls_cert' and 'gateway.tls_key' must both be set, and only one is")]
    HalfTls,
    /// An environment variable that a setting names is not set.
    #[error("'gateway.redis_env' names {0}, which is not set")]
    NoRedis(String),
}

/// Fewest characters of the status page's token: nobody guesses 16 random ones.
const MIN_TOKEN_BYTES: usize = 16;

impl Admin {
    fn from_settings(settings: &Settings) -> Result<Option<Self>, ConfigError> {
        let Some(address) = settings.text("gateway.admin_address") else { return Ok(None) };
        let address = address.parse().map_err(|_| ConfigError::AdminAddress(address.to_owned()))?;
        let variable = settings.text("gateway.admin_token_env").ok_or(ConfigError::NoAdminToken)?;
        let token = settings.environment().get(variable).map(Secret::new);
        let token = token.filter(|token| token.expose().len() >= MIN_TOKEN_BYTES);
        let token = token.ok_or_else(|| ConfigError::WeakAdminToken(variable.to_owned()))?;
        Ok(Some(Self { address, token }))
    }
}

/// The whole number of a setting of the gateway, 0 if it has none.
fn whole(settings: &Settings, name: &str) -> u64 {
    settings.whole(&format!("gateway.{name}")).unwrap_or_default()
}

/// The time of a setting of the gateway, at least a millisecond.
fn milliseconds(settings: &Settings, name: &str) -> Duration {
    Duration::from_millis(whole(settings, name).max(1))
}

impl Bounds {
    fn from_settings(settings: &Settings, engine: &Config) -> Self {
        let whole = |name: &str| whole(settings, name);
        let ms = |name: &str| milliseconds(settings, name);
        Self {
            max_body_bytes: whole("max_body") as usize,
            max_buffered_bytes: whole("max_buffered") as usize,
            max_connections: whole("max_connections").max(1) as usize,
            client_timeout: ms("client_timeout_ms"),
            upstream_timeout: ms("upstream_timeout_ms"),
            first_byte_timeout: ms("first_byte_timeout_ms"),
            stream_idle: ms("stream_idle_ms"),
            stream_total: ms("stream_total_ms"),
            drain: Duration::from_millis(whole("drain_ms")),
            grace: ms("grace_ms"),
            tries: engine.rerank.tries,
            breaker: engine.rerank.breaker,
        }
    }
}

impl Injection {
    fn from_settings(settings: &Settings) -> Self {
        let whole = |name: &str| whole(settings, name);
        Self {
            results: whole("inject") as usize,
            max_tokens: whole("max_context_tokens") as usize,
            placement: match settings.text("gateway.context_placement") {
                Some("message") => Placement::Message,
                Some("question") => Placement::Question,
                _ => Placement::Turn,
            },
            memory_bytes: whole("context_memory"),
            memory_time: Duration::from_secs(whole("context_memory_seconds")),
        }
    }
}

impl GatewayConfig {
    /// The configuration in `settings`; `engine` is from them as well. `default_keys` is the key file if they name none.
    pub fn from_settings(
        settings: &Settings,
        engine: Config,
        default_keys: PathBuf,
    ) -> Result<Self, ConfigError> {
        let path = |name: &str| settings.path(&format!("gateway.{name}"));
        let limit = |name: &str| u32::try_from(whole(settings, name)).ok().filter(|limit| *limit > 0);
        let address = settings.text("gateway.address").unwrap_or_default();
        let (upstreams, prices, mut files) = Upstream::configured(settings)?;
        let tls = match (path("tls_cert"), path("tls_key")) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => return Err(ConfigError::HalfTls),
        };
        let tls_files = tls.iter().flat_map(|(certificate, key)| [certificate.clone(), key.clone()]);
        files.extend(tls_files.map(WatchedFile::new));
        let sign_in = path("sign_in");
        files.extend(sign_in.clone().map(WatchedFile::new));
        let keys = path("keys").unwrap_or(default_keys);
        let redis = settings.text("gateway.redis_env").map(|variable| {
            settings
                .environment()
                .get(variable)
                .map(str::to_owned)
                .ok_or_else(|| ConfigError::NoRedis(variable.to_owned()))
        });
        Ok(Self {
            address: address.parse().map_err(|_| ConfigError::Address(address.to_owned()))?,
            rerank_usd_per_million_tokens: settings
                .number("gateway.rerank_usd_per_million_tokens")
                .unwrap_or_default(),
            admin: Admin::from_settings(settings)?,
            team: None,
            webhook_secret: None,
            identity: sign_in.map(|path| IdentityConfig::read(&path, settings)).transpose()?,
            upstreams,
            prices,
            usage: path("usage").unwrap_or_else(|| keys.with_file_name("gateway-usage.jsonl")),
            keys,
            tls,
            redis: redis.transpose()?,
            bounds: Bounds::from_settings(settings, &engine),
            limits: HourlyLimits { reranks: limit("reranks_per_hour"), searches: limit("searches_per_hour") },
            framing: match settings.text("gateway.stream_framing") {
                Some("events") => Framing::Events,
                _ => Framing::OpenAi,
            },
            injection: Injection::from_settings(settings),
            marks_prompt_cache: settings.is_on("gateway.mark_prompt_cache"),
            guesses: GuessConfig {
                ask: AskModel::from_setting(settings.text("gateway.guesses")),
                model: settings.text("gateway.guess_model").map(str::to_owned),
                timeout: milliseconds(settings, "guess_timeout_ms"),
            },
            masking: match settings.text("gateway.mask_secrets") {
                Some("off") => Masking::Off,
                Some("all") => Masking::All,
                _ => Masking::Context,
            },
            has_open_metrics: settings.is_on("gateway.open_metrics"),
            origins: settings.texts("gateway.allow_origin"),
            logs_requests: settings.is_on("gateway.log_requests"),
            otlp_url: settings.text("gateway.otlp_url").map(str::to_owned),
            monthly_budget_usd: settings.number("gateway.monthly_budget_usd"),
            files,
            settings: settings.iter().map(|(definition, value, _)| (definition.key, value.clone())).collect(),
            engine,
        })
    }

    /// Keeps what cannot change while a gateway runs as it is in `running`; returns the settings that wait for a restart.
    pub(crate) fn keep_fixed(&mut self, running: &Self) -> Vec<&'static str> {
        self.address = running.address;
        let token = self.admin.take().map(|admin| admin.token);
        self.admin = running.admin.clone().map(|admin| match token {
            Some(token) => Admin { token, ..admin },
            None => admin,
        });
        self.usage.clone_from(&running.usage);
        self.redis.clone_from(&running.redis);
        self.bounds.max_buffered_bytes = running.bounds.max_buffered_bytes;
        self.bounds.max_connections = running.bounds.max_connections;
        let mut waiting = Vec::new();
        for key in FIXED {
            let is_same = self.settings.get(key) == running.settings.get(key);
            if let Some(value) = running.settings.get(key).filter(|_| !is_same) {
                self.settings.insert(key, value.clone());
                waiting.push(key);
            }
        }
        waiting
    }
}
