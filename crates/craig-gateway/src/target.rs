//! Where requests to a provider go.

use craig_engine::Secret;
use http::{HeaderValue, Uri};

/// The address of a provider's operation, and the key for it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) uri: Uri,
    pub(crate) authorization: Option<HeaderValue>,
    key: Option<Secret>,
}

impl Target {
    /// Fails if `url` is not an address, or the key cannot be sent in a header.
    pub(crate) fn new(url: &str, key: Option<Secret>) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|_| format!("{url:?} is not an address"))?;
        let header = |key: &Secret| {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
                .map_err(|_| "the key has characters that cannot be sent".to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        };
        Ok(Self { uri, authorization: key.as_ref().map(header).transpose()?, key })
    }

    /// `text` without the key.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }
}
