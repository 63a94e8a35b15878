//! People who sign in at an identity provider (OpenID Connect): whether a token is one of the provider's, and what its holder
//! may do.

mod config;
mod signature;

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{DecodingKey, Header, Validation, decode, decode_header};
use moka::sync::Cache;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::{Mutex, Semaphore};

pub use self::config::IdentityConfig;
use self::config::is_private;
use self::signature::ACCEPTED;
use crate::caller::Caller;
use crate::client::Client;
use crate::failure::Problem;
use crate::journal::{Event, Journal};
use crate::keys::hashed;
use crate::target::Target;

/// Age from which the provider's keys are read again: it withdraws keys at times.
const MAX_AGE: Duration = Duration::from_secs(600);

/// Least time between two readings of the provider's keys: anybody may send a token with an unknown key.
const MIN_PAUSE: Duration = Duration::from_secs(5);

/// Maximum wait for the provider, and most bytes of its answer.
const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BYTES: usize = 1 << 20;

/// Longest code of a provider.
const MAX_CODE_BYTES: usize = 4 << 10;

/// Codes that are exchanged at the same time.
const MAX_EXCHANGES: usize = 16;

/// Difference of clocks that is tolerated, in seconds.
const LEEWAY_SECONDS: u64 = 30;

/// How often the log names a person, and how many people are remembered as named.
const NAMED_FOR: Duration = Duration::from_secs(24 * 3_600);
const MAX_NAMED: u64 = 100_000;

/// The identity provider of a gateway.
pub(crate) struct Identity {
    pub(crate) config: IdentityConfig,
    client: Client,
    journal: Journal,
    /// `None` until it was first reached.
    provider: ArcSwapOption<Provider>,
    /// When the provider was last asked; locked while it is being asked.
    asked: Mutex<Option<Instant>>,
    /// Permits to exchange codes, since anybody may send one.
    exchanges: Semaphore,
    /// The hashes of people whom the log has named.
    named: Cache<Arc<str>, ()>,
}

/// What a provider publishes about itself.
pub(crate) struct Provider {
    pub(crate) authorization_endpoint: String,
    token_endpoint: String,
    keys: Vec<Key>,
    read_at: Instant,
}

struct Key {
    jwk: Jwk,
    decoding: DecodingKey,
}

/// The provider's description of itself, as OpenID Connect Discovery has it.
#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct KeySet {
    /// Keys of unknown kinds may be among them.
    keys: Vec<Value>,
}

/// What is read of a token.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A provider's answer to a code.
#[derive(Deserialize)]
struct Tokens {
    access_token: Option<String>,
    id_token: Option<String>,
}

/// Whether a credential has the form of a token, and so is no key.
pub(crate) fn is_token(credential: &str) -> bool {
    credential.bytes().filter(|&byte| byte == b'.').count() == 2
}

impl Identity {
    pub(crate) fn new(config: IdentityConfig, client: Client, journal: Journal) -> Self {
        signature::install();
        Self {
            config,
            client,
            journal,
            provider: ArcSwapOption::empty(),
            asked: Mutex::default(),
            exchanges: Semaphore::new(MAX_EXCHANGES),
            named: Cache::builder().max_capacity(MAX_NAMED).time_to_live(NAMED_FOR).build(),
        }
    }

    /// The holder of a token, or why the token is refused.
    pub(crate) async fn admit(self: &Arc<Self>, token: &str) -> Result<Caller, Problem> {
        let header = decode_header(token).map_err(|_| Problem::bad_token("it is malformed"))?;
        if !ACCEPTED.contains(&header.alg) {
            return Err(Problem::bad_token("its signature algorithm is not supported"));
        }
        let provider = self.provider_with(&header).await?;
        let claims = self.claims(token, &header, &provider)?;
        let groups = groups_of(&claims.others, &self.config.groups_claim);
        let policy = self.config.policy(groups.into_iter()).ok_or_else(Problem::no_group)?;
        let user: Arc<str> = hashed(&format!("{} {}", claims.iss, claims.sub)).into();
        self.name(&user, &claims);
        Ok(Caller::new(&user, &user, &Arc::new(policy)))
    }

    fn claims(&self, token: &str, header: &Header, provider: &Provider) -> Result<Claims, Problem> {
        let mut validation = Validation::new(header.alg);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&self.config.issuer]);
        validation.set_audience(&self.config.audience);
        let mut refusal = ErrorKind::InvalidSignature;
        for key in provider.keys_for(header) {
            match decode::<Claims>(token, &key.decoding, &validation) {
                Ok(token) => return Ok(token.claims),
                // A key without a name may be another one than that of the token.
                Err(error) if *error.kind() == ErrorKind::InvalidSignature => {}
                Err(error) => refusal = error.into_kind(),
            }
        }
        Err(Problem::bad_token(match refusal {
            ErrorKind::ExpiredSignature => "it has expired",
            ErrorKind::ImmatureSignature => "it is not valid yet",
            ErrorKind::InvalidIssuer => "it is from another issuer",
            ErrorKind::InvalidAudience => "it was issued for another service ('aud')",
            ErrorKind::InvalidSignature => "its signature does not match",
            _ => "a required claim is missing or malformed",
        }))
    }

    /// Logs the name of a person once; all other lines have only the hash.
    fn name(&self, user: &Arc<str>, claims: &Claims) {
        let is_new = self.named.entry(Arc::clone(user)).or_insert(()).is_fresh();
        if is_new {
            let name = ["preferred_username", "email", "name"]
                .into_iter()
                .find_map(|claim| claims.others.get(claim)?.as_str());
            let (user, subject) = (user.to_string(), claims.sub.clone());
            self.journal.log(Event::PersonAdmitted { user, subject, name: name.map(str::to_owned) });
        }
    }

    /// What is known about the provider. Asks it first if nothing is known, or if the token's key is unknown; asks it in the
    /// background if what is known is old.
    async fn provider_with(self: &Arc<Self>, header: &Header) -> Result<Arc<Provider>, Problem> {
        let known = self.provider.load_full();
        let Some(known) = known.filter(|provider| provider.keys_for(header).next().is_some()) else {
            self.refreshed().await;
            return self.provider.load_full().ok_or_else(Problem::no_identity_provider);
        };
        // After a long silence, a key may have been withdrawn long ago.
        if known.read_at.elapsed() > 2 * MAX_AGE {
            self.refreshed().await;
            return Ok(self.provider.load_full().unwrap_or(known));
        }
        let is_idle = self.asked.try_lock().is_ok_and(|asked| may_ask(*asked));
        if known.read_at.elapsed() > MAX_AGE && is_idle {
            let identity = Arc::clone(self);
            tokio::spawn(async move { identity.refresh().await });
        }
        Ok(known)
    }

    /// The provider's description.
    pub(crate) async fn provider(self: &Arc<Self>) -> Result<Arc<Provider>, Problem> {
        if self.provider.load().is_none() {
            self.refreshed().await;
        }
        self.provider.load_full().ok_or_else(Problem::no_identity_provider)
    }

    /// Waits until the provider was asked. A client that goes away ends the wait alone, so that the pause is kept.
    async fn refreshed(self: &Arc<Self>) {
        let identity = Arc::clone(self);
        // An error means a panic: what is known stays.
        let _ = tokio::spawn(async move { identity.refresh().await }).await;
    }

    /// Asks the provider, unless somebody has just done so. What is known stays if that fails.
    async fn refresh(&self) {
        let mut asked = self.asked.lock().await;
        if !may_ask(*asked) {
            return;
        }
        *asked = Some(Instant::now());
        match self.read().await {
            Ok(provider) => self.provider.store(Some(Arc::new(provider))),
            Err(reason) => self.journal.log(Event::IdentityProviderFailed { reason }),
        }
    }

    async fn read(&self) -> Result<Provider, String> {
        let issuer = &self.config.issuer;
        let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let discovery: Discovery = self.get(&address).await?;
        if discovery.issuer != *issuer {
            return Err(format!(
                "the provider calls itself {:?}, but 'issuer' is {issuer:?}",
                discovery.issuer
            ));
        }
        let Discovery { authorization_endpoint, token_endpoint, jwks_uri, .. } = discovery;
        for address in [&authorization_endpoint, &token_endpoint, &jwks_uri] {
            if !is_private(address) {
                return Err(format!("{address:?} does not begin with https://"));
            }
        }
        let set: KeySet = self.get(&jwks_uri).await?;
        let keys: Vec<Key> = set.keys.into_iter().filter_map(Key::new).collect();
        if keys.is_empty() {
            return Err(format!("{jwks_uri} has no key for signatures"));
        }
        Ok(Provider { authorization_endpoint, token_endpoint, keys, read_at: Instant::now() })
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, address: &str) -> Result<T, String> {
        let target = Target::open(address)?;
        let read = self.client.get(&target, &HeaderMap::new(), TIMEOUT, MAX_BYTES).await;
        let bytes = read.map_err(|_| format!("{address} cannot be read"))?;
        serde_json::from_slice(&bytes).map_err(|_| format!("the answer from {address} is malformed"))
    }

    /// The token for the code of somebody who has signed in on the page.
    pub(crate) async fn exchange(self: &Arc<Self>, code: &str, verifier: &str) -> Result<String, Problem> {
        let client_id = self.config.client_id.as_deref().ok_or_else(Problem::no_sign_in)?;
        if code.len() > MAX_CODE_BYTES || verifier.len() > MAX_CODE_BYTES {
            return Err(Problem::bad_token("the sign-in code is too long"));
        }
        let place = tokio::time::timeout(TIMEOUT, self.exchanges.acquire()).await;
        let _place = place.map_err(|_| {
            let message = "too many people are signing in at the moment: try again";
            Problem::too_many("too_many_sign_ins", message, Duration::from_secs(1))
        })?;
        let redirect = self.redirect_url();
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", &redirect),
            ("client_id", client_id),
        ];
        form.extend(self.config.resource.as_deref().map(|resource| ("resource", resource)));
        form.extend(self.config.client_secret.as_ref().map(|secret| ("client_secret", secret.expose())));
        let provider = self.provider().await?;
        let target = Target::open(&provider.token_endpoint).map_err(|_| Problem::no_identity_provider())?;
        let tokens = self.client.post_whole(&target.with_form(), encoded(&form), TIMEOUT, MAX_BYTES).await;
        let (_, answer) = tokens
            .map_err(|_| Problem::bad_token("the identity provider did not exchange the sign-in code"))?;
        let tokens: Tokens = serde_json::from_slice(&answer).map_err(|_| Problem::no_identity_provider())?;
        // An access token may be opaque, or for another service.
        let mut refusal =
            Problem::bad_token("the identity provider issued no token that this server can verify");
        for token in
            [tokens.access_token, tokens.id_token].into_iter().flatten().filter(|token| is_token(token))
        {
            match self.admit(&token).await {
                Ok(_) => return Ok(token),
                // The refusal of a verified token without groups is more useful than that of an unverified one.
                Err(problem) if refusal.status == StatusCode::UNAUTHORIZED => refusal = problem,
                Err(_) => {}
            }
        }
        Err(refusal)
    }

    /// Where the provider sends people back to.
    pub(crate) fn redirect_url(&self) -> String {
        format!("{}/", self.config.url)
    }

    /// The challenge of a refused request, from which MCP clients learn where to sign in (RFC 9728).
    pub(crate) fn challenge(&self, is_bad_token: bool) -> Option<HeaderValue> {
        let error = if is_bad_token { "error=\"invalid_token\", " } else { "" };
        let url = &self.config.url;
        HeaderValue::try_from(format!(
            "Bearer {error}resource_metadata=\"{url}{}\"",
            crate::sign_in::METADATA_PATH
        ))
        .ok()
    }
}

impl Key {
    /// `None` if it is of an unknown kind, or not for signatures.
    fn new(json: Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(json).ok()?;
        let is_for_signatures =
            jwk.common.public_key_use.as_ref().is_none_or(|usage| *usage == PublicKeyUse::Signature);
        let decoding = is_for_signatures.then(|| DecodingKey::from_jwk(&jwk).ok()).flatten()?;
        Some(Self { jwk, decoding })
    }
}

impl Provider {
    /// The keys that may have signed a token.
    fn keys_for(&self, header: &Header) -> impl Iterator<Item = &Key> {
        self.keys.iter().filter(|key| {
            let has_name = header.kid.is_none() || key.jwk.common.key_id == header.kid;
            has_name && key.decoding.family() == header.alg.family()
        })
    }
}

/// Whether the provider may be asked again, after it was last `asked`.
fn may_ask(asked: Option<Instant>) -> bool {
    asked.is_none_or(|asked| asked.elapsed() >= MIN_PAUSE)
}

/// A person's groups: the texts of a claim, which may be nested in objects.
fn groups_of<'a>(claims: &'a Map<String, Value>, claim: &str) -> Vec<&'a str> {
    let found = claims.get(claim).or_else(|| {
        let mut parts = claim.split('.');
        let first = claims.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    });
    match found {
        Some(Value::String(group)) => vec![group],
        Some(Value::Array(groups)) => groups.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Pairs as a form sends them.
fn encoded(form: &[(&str, &str)]) -> Bytes {
    let pair =
        |(name, value): &(&str, &str)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
    form.iter().map(pair).collect::<Vec<_>>().join("&").into()
}
