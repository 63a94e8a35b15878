//! Authentication: the holder of a key, somebody who has signed in at an identity provider, or any user of this machine while
//! there is neither.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use craig_engine::{Engine, EngineError};
use http::{HeaderMap, HeaderValue, header};

use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::identity::{Identity, is_token};
use crate::index_failures::{INDEX_UNREADABLE, IndexFailures, is_of_the_index};
use crate::keys::{KeyRing, KeysError, Policy};
use crate::proxy::PROJECT_HEADER;
use crate::traces::Trace;

/// Origins of pages that are served by this machine.
const OWN_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The user of all requests while there are no keys.
const LOCAL: &str = "local";

/// The sender of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Hash that names the client in logs and limits.
    pub(crate) user: Arc<str>,
    /// Id of its key, by which usage is kept.
    pub(crate) key: Arc<str>,
    /// What it may do.
    pub(crate) policy: Arc<Policy>,
    /// The trace of its request, if traces are sent.
    pub(crate) trace: Option<Trace>,
    /// The id of its request.
    pub(crate) request_id: Arc<str>,
}

impl Caller {
    pub(crate) fn new(user: &Arc<str>, key: &str, policy: &Arc<Policy>) -> Self {
        Self {
            user: Arc::clone(user),
            key: key.into(),
            policy: Arc::clone(policy),
            trace: None,
            request_id: Arc::default(),
        }
    }
}

/// Whoever sends a request to a service that the gateway guards; an extension of that request.
#[derive(Clone)]
pub struct Guest {
    /// Hash that names the guest.
    pub user: Arc<str>,
    /// The engine, with the projects that there are for the guest.
    pub engine: Arc<Engine>,
    /// The project that its header `x-craig-project` names.
    pub project: Option<String>,
    failures: Arc<IndexFailures>,
}

impl Guest {
    /// A header that is not UTF-8 names no project.
    pub(crate) fn new(caller: &Caller, gateway: &Gateway, headers: &HeaderMap) -> Self {
        let named = headers.get(PROJECT_HEADER).and_then(|name| std::str::from_utf8(name.as_bytes()).ok());
        let project = named.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let failures = Arc::clone(&gateway.index_failures);
        Self { user: Arc::clone(&caller.user), engine: gateway.engine_for(caller), project, failures }
    }

    /// Logs an error of the index and returns the message for the guest, since the original may contain the database's address.
    pub fn message_instead_of(&self, error: &EngineError) -> Option<&'static str> {
        self.failures.log(error);
        is_of_the_index(error).then_some(INDEX_UNREADABLE)
    }
}

/// Admits callers. Gates of one gateway share their keys.
pub(crate) struct Gate {
    /// Replaced when the key file has changed.
    keys: Arc<ArcSwap<Keys>>,
    /// The user of all requests while there are no keys.
    local: Arc<str>,
    anything: Arc<Policy>,
    /// The identity provider whose tokens are accepted as well as keys.
    identity: Option<Arc<Identity>>,
    origins: Vec<String>,
}

/// The content of the key file.
struct Keys {
    /// `None` while it cannot be read: then nobody is admitted.
    ring: Option<KeyRing>,
    /// Whether a key is needed even if the file holds none: other machines are served, or there were keys once.
    are_needed: bool,
}

impl Gate {
    pub(crate) fn new(
        keys: KeyRing,
        identity: Option<Arc<Identity>>,
        origins: Vec<String>,
        needs_key: bool,
    ) -> Self {
        let are_needed = needs_key || keys.has_file() || identity.is_some();
        let keys = Keys { are_needed, ring: Some(keys) };
        let keys = Arc::new(ArcSwap::from_pointee(keys));
        Self { keys, local: LOCAL.into(), anything: Arc::default(), identity, origins }
    }

    /// A gate with the same keys for another identity provider and other web origins.
    pub(crate) fn with(&self, identity: Option<Arc<Identity>>, origins: Vec<String>) -> Self {
        if identity.is_some() {
            // From now on: removing the provider must not open the gateway.
            self.keys.rcu(|keys| Keys { ring: keys.ring.clone(), are_needed: true });
        }
        let (keys, local, anything) =
            (Arc::clone(&self.keys), Arc::clone(&self.local), Arc::clone(&self.anything));
        Self { keys, local, anything, identity, origins }
    }

    pub(crate) fn identity(&self) -> Option<&Arc<Identity>> {
        self.identity.as_ref()
    }

    fn keys(&self) -> Guard<Arc<Keys>> {
        self.keys.load()
    }

    /// The number of keys, revoked ones included.
    pub(crate) fn n_keys(&self) -> usize {
        self.keys().ring.as_ref().map_or(0, |ring| ring.records().len())
    }

    /// The names of the keys by their ids.
    pub(crate) fn key_names(&self) -> BTreeMap<String, String> {
        let keys = self.keys();
        let records = keys.ring.as_ref().map_or(&[][..], KeyRing::records);
        records.iter().map(|record| (record.id.clone(), record.name.clone())).collect()
    }

    /// Whether nobody is admitted, since the key file cannot be read.
    pub(crate) fn is_closed(&self) -> bool {
        self.keys().ring.is_none()
    }

    /// Whether the keys are those of the file at `path` now.
    pub(crate) fn has_keys_of(&self, path: &Path) -> bool {
        self.keys().ring.as_ref().is_some_and(|ring| ring.is_current(path))
    }

    /// Reads the keys; returns their number. Once the file cannot be read or is missing, nobody is admitted until it is back.
    pub(crate) fn read_keys(&self, path: &Path) -> Result<usize, KeysError> {
        let were_needed = self.keys().are_needed;
        let read = KeyRing::open(path).and_then(|ring| match were_needed && !ring.has_file() {
            true => Err(KeysError::Io { path: path.to_owned(), source: std::io::ErrorKind::NotFound.into() }),
            false => Ok(ring),
        });
        let are_needed = were_needed || read.as_ref().is_ok_and(KeyRing::has_file);
        let n_keys = read.as_ref().map_or(0, |ring| ring.records().len());
        let (ring, outcome) = match read {
            Ok(ring) => (Some(ring), Ok(n_keys)),
            Err(error) => (None, Err(error)),
        };
        self.keys.store(Arc::new(Keys { ring, are_needed }));
        outcome
    }

    /// The caller of a request, or why it is refused.
    pub(crate) async fn admit(&self, headers: &HeaderMap) -> Result<Caller, Problem> {
        self.check_origin(headers)?;
        let credential = bearer(headers);
        if let (Some(identity), Some(token)) = (&self.identity, credential.filter(|given| is_token(given))) {
            return identity.admit(token).await;
        }
        let keys = self.keys();
        let ring = keys.ring.as_ref().ok_or_else(Problem::no_keys)?;
        if !keys.are_needed {
            check_host(headers)?;
            return Ok(Caller::new(&self.local, LOCAL, &self.anything));
        }
        let found = credential.and_then(|key| ring.find(key));
        let (record, policy) = found.ok_or_else(|| match (credential, &self.identity) {
            (Some(_), _) => Problem::unknown_key(),
            (None, Some(_)) => Problem::not_signed_in(),
            (None, None) => Problem::unauthorized(),
        })?;
        Ok(Caller::new(&record.user, &record.id, policy))
    }

    /// The origin of an allowed web page, for the answer to its browser; `None` if the request is not from such a page.
    pub(crate) fn admitted_origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        self.check_origin(headers).ok()?;
        headers.get(header::ORIGIN).cloned()
    }

    /// A page of another site must not send requests in its visitor's name. The gateway's own page has its host's name.
    pub(crate) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default();
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        let own = headers.get(header::HOST).and_then(|own| own.to_str().ok());
        if is_own(host)
            || own == Some(host)
            || self.identity.as_ref().is_some_and(|identity| identity.config.url == origin)
            || origin.starts_with("vscode-")
            || self.origins.iter().any(|allowed| allowed == origin)
        {
            return Ok(());
        }
        Err(Problem::forbidden("pages of this origin are not allowed: add it to 'gateway.allow_origin'"))
    }
}

/// Without keys, only this machine is served, by its own names: any other name that resolves to it is DNS rebinding.
fn check_host(headers: &HeaderMap) -> Result<(), Problem> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    match host {
        Some(host) if !is_own(host) => {
            Err(Problem::forbidden("without keys, the gateway serves only localhost"))
        }
        _ => Ok(()),
    }
}

/// Whether `host`, with or without a port, is a name of this machine.
pub(crate) fn is_own(host: &str) -> bool {
    OWN_HOSTS
        .iter()
        .any(|own| host.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with(':')))
}

/// The key of `Authorization: Bearer …`, of `x-api-key`, as Anthropic's clients send it, or of `api-key`, as Azure's do.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = authorization.and_then(|value| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    bearer.or_else(|| ["x-api-key", "api-key"].into_iter().find_map(|name| headers.get(name)?.to_str().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    async fn admits(gate: &Gate, pairs: &[(&'static str, &str)]) -> bool {
        gate.admit(&headers(pairs)).await.is_ok()
    }

    #[tokio::test]
    async fn pages_of_other_sites_and_rebound_names_are_kept_out() {
        let gate = Gate::new(KeyRing::default(), None, vec!["https://chat.example".into()], false);
        assert!(
            admits(&gate, &[("host", "127.0.0.1:7320")]).await
                && admits(&gate, &[("host", "localhost")]).await
        );
        assert!(
            !admits(&gate, &[("host", "evil.example:7320")]).await
                && !admits(&gate, &[("host", "localhost.evil.example")]).await
        );
        assert!(!admits(&gate, &[("host", "localhost"), ("origin", "https://evil.example")]).await);
        assert!(!admits(&gate, &[("host", "localhost"), ("origin", "null")]).await);
        assert!(admits(&gate, &[("host", "localhost"), ("origin", "http://localhost:3000")]).await);
        assert!(admits(&gate, &[("host", "localhost"), ("origin", "https://chat.example")]).await);
    }

    #[tokio::test]
    async fn where_keys_are_needed_one_has_to_be_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let (_, key) = crate::keys::add(&path, "a").unwrap();
        let gate = Gate::new(KeyRing::open(&path).unwrap(), None, Vec::new(), true);
        assert!(admits(&gate, &[("authorization", &format!("Bearer {key}"))]).await);
        assert!(
            admits(&gate, &[("authorization", &format!("bearer {key}"))]).await
                && admits(&gate, &[("x-api-key", &key)]).await
        );
        assert!(admits(&gate, &[("api-key", &key)]).await);
        // The page of a server that has a name.
        let own = [("host", "craig.example"), ("origin", "https://craig.example"), ("api-key", key.as_str())];
        assert!(admits(&gate, &own).await);
        let foreign =
            [("host", "craig.example"), ("origin", "https://evil.example"), ("api-key", key.as_str())];
        assert!(!admits(&gate, &foreign).await);
        assert!(
            !admits(&gate, &[]).await
                && !admits(&gate, &[("authorization", &key)]).await
                && !admits(&gate, &[("authorization", "Bearer x")]).await
        );
    }
}
