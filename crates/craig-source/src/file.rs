//! One file of a project as the rest of Craig sees it.

use serde::{Deserialize, Serialize};

use crate::{FileKind, Language};

/// BLAKE3 hash of a file's raw bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

/// What the file system says of a file: enough to notice, without reading it, that it may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Size in bytes.
    pub size: u64,
    /// Modification time, nanoseconds since the Unix epoch (negative before it).
    pub modified_ns: i64,
    /// Inode change time where the platform has one, nanoseconds since the Unix epoch, else 0.
    pub changed_ns: i64,
}

/// Coarse type of a file, as told to users.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
