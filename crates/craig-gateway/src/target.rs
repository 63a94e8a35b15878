//! Addresses of requests to a provider.

use craig_engine::Secret;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use crate::protocol::Protocol;

/// The address of a provider's operation, and the headers for it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) uri: Uri,
    /// The provider's key and its other headers, which no log shows.
    pub(crate) headers: HeaderMap,
    secrets: Vec<Secret>,
}

impl Target {
    /// An address that needs no key; fails if `url` is none.
    pub(crate) fn open(url: &str) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|_| format!("{url:?} is not an address"))?;
        Ok(Self { uri, headers: HeaderMap::new(), secrets: Vec::new() })
    }

    /// Fails if `url` is not an address, or the key or another value cannot be sent in a header.
    pub(crate) fn new(
        url: &str,
        key: Option<&Secret>,
        headers: &[(HeaderName, Secret)],
        protocol: &dyn Protocol,
    ) -> Result<Self, String> {
        let mut target = Self::open(url)?;
        for (name, value) in headers {
            let invalid = || format!("the value of the header {name} contains invalid characters");
            target.insert(name.clone(), value.expose(), value).ok_or_else(invalid)?;
        }
        if let Some(key) = key {
            let (name, value) = protocol.key_header(key.expose());
            let invalid = || "the key contains invalid characters".to_owned();
            target.insert(name, &value, key).ok_or_else(invalid)?;
        }
        Ok(target)
    }

    /// The same for a request whose body is a form.
    pub(crate) fn with_form(mut self) -> Self {
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        self.headers.insert(header::CONTENT_TYPE, form);
        self
    }

    fn insert(&mut self, name: HeaderName, value: &str, secret: &Secret) -> Option<()> {
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        self.secrets.push(secret.clone());
        Some(())
    }

    /// `text` without the key and the values of other headers.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| secret.redact(&text))
    }
}
