//! One file of a project as the rest of Craig sees it.

use std::{fs::Metadata, time::UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FileKind, Language};

/// BLAKE3 hash of a file's raw bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hash of raw bytes.
    pub fn from_content(bytes: &[u8]) -> ContentHash {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }

    /// 64 lower-case hexadecimal digits.
    pub fn to_hex(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

/// Hash of a whole project: over all its paths and file hashes, in whatever order they come.
pub fn content_hash<'path>(files: impl IntoIterator<Item = (&'path str, ContentHash)>) -> ContentHash {
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for (path, hash) in files {
        // The length keeps one path from running into the next.
        hasher.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes()).update(&hash.0);
    }
    ContentHash(*hasher.finalize().as_bytes())
}

/// The metadata of a file that shows, without reading it, whether it may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Size in bytes.
    pub size: u64,
    /// Modification time, nanoseconds since the Unix epoch (negative before it).
    pub modified_ns: i64,
    /// Inode change time where the platform has one, nanoseconds since the Unix epoch, else 0.
    pub changed_ns: i64,
}

impl FileStamp {
    /// The stamp that the file system's metadata makes.
    pub fn from_metadata(metadata: &Metadata) -> FileStamp {
        FileStamp {
            size: metadata.len(),
            modified_ns: modified_ns(metadata),
            changed_ns: changed_ns(metadata),
        }
    }

    /// Whether a file that had this stamp when it was read at `read_ns` surely is the same, given its stamp `now`.
    ///
    /// An equal stamp proves equal content unless the file was changed so shortly before it was read that a later change
    /// could have got the same stamp.
    pub fn proves_unchanged(self, now: FileStamp, read_ns: i64) -> bool {
        let newest_change = now.modified_ns.max(now.changed_ns);
        self == now && newest_change.saturating_add(CLOCK_TICK_NS) < read_ns
    }
}

/// Coarsest tick of a file system's clock: a write within one tick of a read may leave the stamp unchanged.
const CLOCK_TICK_NS: i64 = 2_000_000_000;

fn modified_ns(metadata: &Metadata) -> i64 {
    let Ok(time) = metadata.modified() else { return 0 };
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    }
}

#[cfg(unix)]
fn changed_ns(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed_ns(_: &Metadata) -> i64 {
    0
}

/// Coarse type of a file, as shown to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileType {
    /// Text that is chunked and searched.
    Text,
    /// Image, vector images included.
    Image,
    /// Archive or compressed file.
    Archive,
    /// Executable or library.
    Executable,
    /// Sound or video.
    Media,
    /// Office document or PDF.
    Document,
    /// Binary by content.
    Binary,
}

/// Why the text of a file is not chunked and embedded although the file is tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// An environment file, private key or token: its text never leaves this crate.
    Secret,
    /// Minified code.
    Minified,
    /// Generated code or a lock file.
    Generated,
}

/// The content of a file after decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Decoded text, to be chunked.
    Text(String),
    /// Decoded text that is stored but not chunked (minified, generated).
    Unindexed(String, Withheld),
    /// A secret: tracked by name only.
    Secret,
    /// Binary data: tracked by metadata only.
    Binary,
}

/// One file, read, hashed and decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path relative to the project root, `/`-separated.
    pub path: String,
    /// File system state when it was read.
    pub stamp: FileStamp,
    /// Hash of the raw bytes.
    pub hash: ContentHash,
    /// Language by extension, name or `#!` line.
    pub language: Language,
    /// Code, documentation or configuration.
    pub kind: FileKind,
    /// Coarse type.
    pub file_type: FileType,
    /// Decoded content.
    pub content: Content,
}

impl SourceFile {
    /// The text to chunk, if any.
    pub fn indexed_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Unindexed(..) | Content::Secret | Content::Binary => None,
        }
    }

    /// Whether the file is tracked by metadata only because it is not text.
    pub fn is_binary(&self) -> bool {
        self.content == Content::Binary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projects_hash_does_not_depend_on_order_but_on_paths_and_contents() {
        let (x, y) = (ContentHash::from_content(b"x"), ContentHash::from_content(b"y"));
        let base = content_hash([("a", x), ("b", y)]);
        assert_eq!(base, content_hash([("b", y), ("a", x)]));
        for other in [vec![], vec![("a", x)], vec![("a", y), ("b", x)], vec![("a", x), ("c", y)]] {
            assert_ne!(base, content_hash(other));
        }
    }

    #[test]
    fn hex_is_the_known_hash_of_nothing() {
        assert!(ContentHash::from_content(b"").to_hex().starts_with("af1349b9f5f9a1a6"));
    }
}
