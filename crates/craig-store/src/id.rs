//! Ids of stored rows. Outside of the store, an id can be compared, and kept with derived data as a number.

use craig_source::ContentHash;
use serde::{Deserialize, Serialize};

use crate::sql::{FromValue, ToValue, Value};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u64);

        impl $name {
            /// The id that [`to_u64`](Self::to_u64) returned.
            pub fn from_u64(number: u64) -> Self {
                Self(number)
            }

            /// The same number for the same id, always: to be kept with derived data, or shown.
            pub fn to_u64(self) -> u64 {
                self.0
            }
        }

        impl FromValue for $name {
            fn from_value(value: &Value<'_>) -> Option<Self> {
                i64::from_value(value).map(|number| Self(number.cast_unsigned()))
            }
        }

        impl ToValue for $name {
            fn to_value(&self) -> Value<'_> {
                Value::Int(self.0.cast_signed())
            }
        }

        impl From<&$name> for i64 {
            fn from(id: &$name) -> i64 {
                id.0.cast_signed()
            }
        }
    )*};
}

ids! {
    /// Identifies a project in one database.
    ProjectId;
    /// Identifies one version of one file, which projects with the same file share: a changed file gets another id, and no id
    /// is used for two versions.
    FileId;
}

/// First 16 bytes of the BLAKE3 hash of a chunk's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextHash([u8; 16]);

impl TextHash {
    /// Hashes a chunk's text.
    pub fn new(text: &str) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        Self(short)
    }

    /// The hash that [`to_bytes`](Self::to_bytes) returned.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The hash, to be kept with derived data.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

/// What tells stored files apart: path, content, and how they were read. Projects that agree in all of it share the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity([u8; 16]);

impl FileIdentity {
    /// The file at `path` with this content, `made` in a way that the caller describes: everything that decides about its chunks,
    /// definitions and vectors.
    pub fn new(made: &str, path: &str, hash: ContentHash) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [made, path] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.update(&hash.0).finalize().as_bytes()[..16]);
        Self(short)
    }
}

macro_rules! hashes {
    ($($name:ident),*) => {$(
        impl ToValue for $name {
            fn to_value(&self) -> Value<'_> {
                Value::Blob(&self.0)
            }
        }

        impl FromValue for $name {
            fn from_value(value: &Value<'_>) -> Option<Self> {
                FromValue::from_value(value).map(Self)
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }
    )*};
}
hashes!(TextHash, FileIdentity);
