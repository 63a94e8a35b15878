//! A key that cannot be printed by accident.

use std::fmt;

/// An API key. It is written to its own header and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key without the white space around it, which files and shells leave.
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    /// The key itself, for its header.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without the key, which some servers repeat in their errors.
    pub fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Secret::new(" sk-123\n");
        assert_eq!(format!("{key:?}"), "Secret");
        assert_eq!(key.redact("bad key sk-123!"), "bad key [key]!");
        assert_eq!(key.expose(), "sk-123");
    }
}
