//! Addresses of requests to a provider.

use craig_engine::Secret;
use http::{HeaderName, HeaderValue, Uri};

use crate::protocol::Protocol;

/// The address of a provider's operation, and the key for it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) uri: Uri,
    pub(crate) key_header: Option<(HeaderName, HeaderValue)>,
    key: Option<Secret>,
}

impl Target {
    /// An address that needs no key; fails if `url` is none.
    pub(crate) fn open(url: &str) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|_| format!("{url:?} is not an address"))?;
        Ok(Self { uri, key_header: None, key: None })
    }

    /// Fails if `url` is not an address, or the key cannot be sent in a header.
    pub(crate) fn new(url: &str, key: Option<Secret>, protocol: &dyn Protocol) -> Result<Self, String> {
        let header = |key: &Secret| {
            let (name, value) = protocol.key_header(key.expose());
            let mut value = HeaderValue::from_str(&value)
                .map_err(|_| "the key contains invalid characters".to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>((name, value))
        };
        Ok(Self { key_header: key.as_ref().map(header).transpose()?, key, ..Self::open(url)? })
    }

    /// `text` without the key.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }
}
