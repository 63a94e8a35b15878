//! The position of a folder relative to a project's root.

use std::borrow::Cow;

/// Converts a path relative to the root into one relative to a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the root: so many bytes are cut off.
    Below(usize),
    /// Above the root: this goes before.
    Above(String),
}

impl Place {
    /// The place of a folder of the root, given by its path relative to the root.
    pub(crate) fn below(folder: &str) -> Self {
        Self::Below(if folder.is_empty() { 0 } else { folder.len() + 1 })
    }

    /// A path relative to the folder; `None` if it does not lie in it.
    pub(crate) fn path<'p>(&self, relative: &'p str) -> Option<Cow<'p, str>> {
        match self {
            Self::Below(n_bytes) => Some(Cow::Borrowed(relative.get(*n_bytes..)?)),
            Self::Above(prefix) => Some(Cow::Owned(format!("{prefix}{relative}"))),
        }
    }
}
