//! The configuration of providers of language models: their models and prices.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use craig_engine::{Secret, Settings};
use http::{HeaderName, header};
use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::breakers::OTHER_MODEL;
use crate::config_file::{ConfigFileError, text_of};
use crate::protocol::{ProtocolName, Usage};
use crate::watched_file::WatchedFile;

/// The key of the default provider.
const DEFAULT_KEY_VARIABLE: &str = "ZAI_API_KEY";

/// A provider of language models.
#[derive(Clone, Debug)]
pub struct Upstream {
    /// Its name in logs and metrics.
    pub name: String,
    /// Base address, without `/chat/completions`.
    pub base_url: String,
    /// Supported protocols; the gateway's own requests use the first.
    pub protocols: Vec<ProtocolName>,
    /// Its key.
    pub key: Option<Secret>,
    /// Model of a request that names none.
    pub model: Option<String>,
    /// The provider's names of models, by the names that clients use.
    pub models: BTreeMap<String, String>,
    /// Whether only listed models are served; else any name is passed on.
    pub only_listed: bool,
    /// Further headers of its requests.
    pub headers: Vec<(HeaderName, Secret)>,
    /// Its share of the requests, among the providers of a model that have one.
    pub weight: Option<f64>,
    /// Its own bounds of waits and tries, instead of those of the settings.
    pub patience: Patience,
    /// Whether it is asked for the names of its models.
    pub lists_models: bool,
}

/// Bounds of waits and tries; unset ones are those of the settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// Maximum wait for an answer, or the beginning of its stream.
    pub timeout: Option<Duration>,
    /// Time without a first byte after which the next provider is asked as well.
    pub first_byte_timeout: Option<Duration>,
    /// Attempts, including the first.
    pub tries: Option<usize>,
}

/// US dollars by model.
#[derive(Clone, Debug, Default)]
pub struct Prices(BTreeMap<String, Price>);

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Price of input tokens; 0 by default.
    #[serde(default)]
    pub input_usd_per_million_tokens: f64,
    /// Price of input tokens from the provider's cache; that of other input by default.
    pub cached_input_usd_per_million_tokens: Option<f64>,
    /// Price of input tokens written to the cache; that of other input by default.
    pub cache_write_usd_per_million_tokens: Option<f64>,
    /// Price of output tokens; 0 by default.
    #[serde(default)]
    pub output_usd_per_million_tokens: f64,
}

/// Providers that cannot be used.
#[derive(Debug, Error)]
pub enum UpstreamsError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] ConfigFileError),
    /// The variable that 'gateway.upstream_key_env' names is not set.
    #[error("'gateway.upstream_key_env' names {0}, which is not set")]
    NoKey(String),
    /// 'gateway.upstream_protocols' names something else.
    #[error("'gateway.upstream_protocols' has {0:?}: a protocol is \"chat\", \"responses\" or \"messages\"")]
    UnknownProtocol(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    upstream: Vec<Spanned<Entry>>,
    #[serde(default)]
    prices: BTreeMap<String, Spanned<Price>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    base_url: String,
    #[serde(default = "only_chat")]
    protocols: Vec<ProtocolName>,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    model: Option<String>,
    #[serde(default)]
    models: BTreeMap<String, String>,
    #[serde(default)]
    only_listed: bool,
    /// Names of environment variables by those of headers.
    #[serde(default)]
    headers_env: BTreeMap<String, String>,
    weight: Option<f64>,
    timeout_ms: Option<NonZeroU32>,
    first_byte_timeout_ms: Option<NonZeroU32>,
    tries: Option<NonZeroU32>,
    #[serde(default = "yes")]
    list_models: bool,
}

/// Headers that are the gateway's own.
const OWN_HEADERS: [HeaderName; 8] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::ACCEPT_ENCODING,
    header::TE,
    header::UPGRADE,
];

fn yes() -> bool {
    true
}

fn only_chat() -> Vec<ProtocolName> {
    vec![ProtocolName::Chat]
}

impl Upstream {
    /// The providers that `settings` name, prices, and the files that they are from.
    pub(crate) fn configured(
        settings: &Settings,
    ) -> Result<(Vec<Self>, Prices, Vec<WatchedFile>), UpstreamsError> {
        match settings.path("gateway.upstreams") {
            Some(path) => Ok(read(&path, settings)?),
            None => Ok((vec![Self::single(settings)?], Prices::default(), Vec::new())),
        }
    }

    fn single(settings: &Settings) -> Result<Self, UpstreamsError> {
        let is_default = settings.is_default("gateway.upstream_url");
        let key_in = |variable: &str| settings.environment().get(variable).map(Secret::new);
        let key = match settings.text("gateway.upstream_key_env") {
            Some(named) => Some(key_in(named).ok_or_else(|| UpstreamsError::NoKey(named.to_owned()))?),
            None => is_default.then(|| key_in(DEFAULT_KEY_VARIABLE)).flatten(),
        };
        let protocol = |name: String| {
            let known = ProtocolName::ALL.into_iter().find(|protocol| protocol.name() == name);
            known.ok_or(UpstreamsError::UnknownProtocol(name))
        };
        let protocols = settings.texts("gateway.upstream_protocols").into_iter().map(protocol);
        Ok(Self {
            protocols: protocols.collect::<Result<_, _>>()?,
            name: "default".to_owned(),
            base_url: settings.text("gateway.upstream_url").unwrap_or_default().to_owned(),
            // Nothing is sent to a server that nobody has configured.
            lists_models: !is_default || key.is_some(),
            key,
            model: settings.text("gateway.upstream_model").map(str::to_owned),
            models: BTreeMap::new(),
            only_listed: false,
            headers: Vec::new(),
            weight: None,
            patience: Patience::default(),
        })
    }

    /// The provider's name of `model`; `None` if it is not served.
    pub(crate) fn own_name<'a>(&'a self, model: Option<&'a str>) -> Option<Option<&'a str>> {
        match self.configured_name(model) {
            None if model.is_some() && self.only_listed => None,
            name => Some(name.or(model)),
        }
    }

    /// The configured name of `model`, or of the default model if the request names none; `None` if it is not configured.
    pub(crate) fn configured_name(&self, model: Option<&str>) -> Option<&str> {
        let default = self.model.as_deref();
        let Some(model) = model else { return default };
        self.models.get(model).map(String::as_str).or(default.filter(|default| *default == model))
    }

    /// Whether it is configured to serve `model` by that name.
    pub(crate) fn lists(&self, model: &str) -> bool {
        self.configured_name(Some(model)).is_some()
    }

    /// The provider's names of all configured models.
    pub(crate) fn own_names(&self) -> impl Iterator<Item = &str> {
        self.models.values().map(String::as_str).chain(self.model.as_deref())
    }

    /// The names that clients can use for its models.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &str> {
        self.models.keys().map(String::as_str).chain(self.model.as_deref())
    }
}

impl Price {
    /// The prices that are set, by their names in the file.
    fn set(&self) -> impl Iterator<Item = (&'static str, f64)> {
        [
            ("input_usd_per_million_tokens", Some(self.input_usd_per_million_tokens)),
            ("cached_input_usd_per_million_tokens", self.cached_input_usd_per_million_tokens),
            ("cache_write_usd_per_million_tokens", self.cache_write_usd_per_million_tokens),
            ("output_usd_per_million_tokens", Some(self.output_usd_per_million_tokens)),
        ]
        .into_iter()
        .filter_map(|(name, price)| Some((name, price?)))
    }

    /// Fails if a price is negative or not a number.
    fn check(&self, model: &str) -> Result<(), String> {
        match self.set().find(|(_, price)| !is_zero_or_more(*price)) {
            Some((name, _)) => Err(format!("'{name}' of the price of {model:?} is not 0 or more")),
            None => Ok(()),
        }
    }
}

fn is_zero_or_more(number: f64) -> bool {
    number >= 0.0 && number.is_finite()
}

impl Prices {
    /// The models with a price that none of the providers serves by that name. The price of `other` is that of all models
    /// that are not configured.
    pub(crate) fn unused(&self, upstreams: &[Upstream]) -> Vec<String> {
        let is_used = |model: &str| {
            upstreams.iter().any(|upstream| upstream.own_names().any(|name| name == model))
                || model == OTHER_MODEL && upstreams.iter().any(|upstream| !upstream.only_listed)
        };
        self.0.keys().filter(|model| !is_used(model)).cloned().collect()
    }

    /// The price of tokens of `model`; 0 for a model without a price.
    pub(crate) fn usd(&self, model: &str, usage: Usage) -> f64 {
        let price = self.0.get(model).copied().unwrap_or_default();
        let input = price.input_usd_per_million_tokens;
        let cached = price.cached_input_usd_per_million_tokens.unwrap_or(input);
        let written = price.cache_write_usd_per_million_tokens.unwrap_or(input);
        let fresh_tokens = usage.input_tokens.saturating_sub(usage.cached_tokens + usage.cache_write_tokens);
        (input * fresh_tokens as f64
            + cached * usage.cached_tokens as f64
            + written * usage.cache_write_tokens as f64
            + price.output_usd_per_million_tokens * usage.output_tokens as f64)
            / 1e6
    }
}

fn read(
    path: &Path,
    settings: &Settings,
) -> Result<(Vec<Upstream>, Prices, Vec<WatchedFile>), ConfigFileError> {
    let mut files = vec![WatchedFile::new(path.to_owned())];
    let text = text_of(path)?;
    let file: File = toml::from_str(&text).map_err(|error| malformed_file(path, &text, &error))?;
    if file.upstream.is_empty() {
        return Err(ConfigFileError::malformed(path, "it has no [[upstream]]".to_owned()));
    }
    for (model, price) in &file.prices {
        let price_at = |reason| ConfigFileError::at(path, &text, price.span().start, reason);
        price.get_ref().check(model).map_err(price_at)?;
    }
    let mut upstreams = Vec::with_capacity(file.upstream.len());
    for entry in file.upstream {
        let start = entry.span().start;
        let malformed = |reason: String| ConfigFileError::at(path, &text, start, reason);
        let entry = entry.into_inner();
        if upstreams.iter().any(|other: &Upstream| other.name == entry.name) {
            return Err(malformed(format!("two upstreams have the name {:?}", entry.name)));
        }
        let is_address = entry.base_url.starts_with("http://") || entry.base_url.starts_with("https://");
        if !is_address {
            return Err(malformed(format!(
                "'base_url' of {:?} does not begin with http:// or https://",
                entry.name
            )));
        }
        if entry.protocols.is_empty() {
            return Err(malformed(format!("'protocols' of {:?} is empty", entry.name)));
        }
        files.extend(entry.key_file.clone().map(WatchedFile::new));
        let key = key_of(&entry, settings).map_err(malformed)?;
        let headers = headers_of(&entry, settings).map_err(malformed)?;
        if entry.weight.is_some_and(|weight| !is_zero_or_more(weight)) {
            return Err(malformed(format!("'weight' of {:?} is not 0 or more", entry.name)));
        }
        let ms = |ms: Option<NonZeroU32>| ms.map(|ms| Duration::from_millis(ms.get().into()));
        upstreams.push(Upstream {
            name: entry.name,
            base_url: entry.base_url,
            protocols: entry.protocols,
            key,
            model: entry.model,
            models: entry.models,
            only_listed: entry.only_listed,
            headers,
            weight: entry.weight,
            patience: Patience {
                timeout: ms(entry.timeout_ms),
                first_byte_timeout: ms(entry.first_byte_timeout_ms),
                tries: entry.tries.map(|tries| tries.get() as usize),
            },
            lists_models: entry.list_models && !entry.only_listed,
        });
    }
    let prices = file.prices.into_iter().map(|(model, price)| (model, price.into_inner()));
    Ok((upstreams, Prices(prices.collect()), files))
}

/// The error of a file that is no list of providers, with the name of the provider whose entry is wrong.
fn malformed_file(path: &Path, text: &str, error: &toml::de::Error) -> ConfigFileError {
    let at = error.span().map_or(0, |span| span.start);
    let provider = provider_at(text, at).map(|name| format!("provider {name:?}: ")).unwrap_or_default();
    ConfigFileError::at(path, text, at, format!("{provider}{}", error.message()))
}

/// The name of the provider whose entry has the byte at `at`.
fn provider_at(text: &str, at: usize) -> Option<String> {
    let file = DeTable::parse(text).ok()?;
    let entries = file.get_ref().get("upstream")?.get_ref().as_array()?;
    let has_it = |entry: &&Spanned<DeValue<'_>>| {
        let mut fields = entry.get_ref().as_table().into_iter().flatten();
        entry.span().contains(&at)
            || fields.any(|(name, value)| (name.span().start..value.span().end).contains(&at))
    };
    let entry = entries.iter().find(has_it)?;
    entry.get_ref().get("name")?.get_ref().as_str().map(str::to_owned)
}

fn key_of(entry: &Entry, settings: &Settings) -> Result<Option<Secret>, String> {
    let Entry { name, key_env, key_file, .. } = entry;
    match (key_env, key_file) {
        (Some(_), Some(_)) => Err(format!("{name:?} has both 'key_env' and 'key_file'")),
        (Some(variable), None) => match settings.environment().get(variable) {
            Some(key) => Ok(Some(Secret::new(key))),
            None => Err(format!("'key_env' of {name:?} names {variable}, which is not set")),
        },
        (None, Some(file)) => {
            text_of(file).map(|key| Some(Secret::new(&key))).map_err(|error| error.to_string())
        }
        (None, None) => Ok(None),
    }
}

/// The further headers of a provider's requests, with values from the environment.
fn headers_of(entry: &Entry, settings: &Settings) -> Result<Vec<(HeaderName, Secret)>, String> {
    let header = |(header, variable): (&String, &String)| {
        let provider = &entry.name;
        let name: HeaderName =
            header.parse().map_err(|_| format!("{header:?} of {provider:?} is not a header"))?;
        if OWN_HEADERS.contains(&name) {
            return Err(format!(
                "'headers_env' of {provider:?} has {header:?}, which the gateway sets itself"
            ));
        }
        match settings.environment().get(variable) {
            Some(value) => Ok((name, Secret::new(value))),
            None => Err(format!("'headers_env' of {provider:?} names {variable}, which is not set")),
        }
    };
    entry.headers_env.iter().map(header).collect()
}
