//! Keys of clients: generated here, shown once, stored as hashes.
//!
//! A key is 256 random bits, so it cannot be guessed, and SHA-256 is enough: a slow hash such as argon2id protects passwords
//! that people choose, and would take as long as all other work for a request.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use craig_engine::private;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

/// The prefix of keys, by which scanners for leaked secrets can recognize them.
const PREFIX: &str = "craig_";

/// The stored form of a client's key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRecord {
    /// Names the key in commands.
    pub id: String,
    /// Whose it is.
    pub name: String,
    /// SHA-256 of the key, in hex.
    sha256: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// When it was revoked, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// The name of its holder in logs and limits: [`hashed`] of the id. Computed when the file is read.
    #[serde(skip)]
    pub(crate) user: Arc<str>,
}

/// The name of a key's holder in logs: a hash of the key's id.
pub fn hashed(id: &str) -> String {
    blake3::hash(id.as_bytes()).to_hex()[..12].to_owned()
}

/// A key file that cannot be used.
#[derive(Debug, Error)]
pub enum KeysError {
    /// It cannot be read or written.
    #[error("cannot use the key file {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not what was written.
    #[error("the key file {} is malformed: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is no such key.
    #[error("no key {0:?}")]
    Unknown(String),
    /// A key of that name is in use.
    #[error("a key named {0:?} already exists")]
    NameTaken(String),
    /// The system gives no random numbers.
    #[error("the system does not provide random numbers")]
    NoRandom,
}

/// The keys of one file.
#[derive(Clone, Debug, Default)]
pub struct KeyRing {
    records: Vec<KeyRecord>,
    hashes: Vec<Vec<u8>>,
    /// When the file had last been changed before it was read.
    changed_at: Option<SystemTime>,
}

impl KeyRing {
    /// Reads a key file; a missing one has no keys.
    pub fn open(path: &Path) -> Result<Self, KeysError> {
        // It may be mounted read-only.
        let _ = private::restrict(path);
        // Before reading, so that a change meanwhile is seen as one.
        let changed_at = changed_at(path);
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(KeysError::Io { path: path.to_owned(), source }),
        };
        let malformed = |reason: String| KeysError::Malformed { path: path.to_owned(), reason };
        let records: Vec<KeyRecord> =
            serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        Self::from_records(records, changed_at).ok_or_else(|| malformed("a hash is not SHA-256".to_owned()))
    }

    fn from_records(mut records: Vec<KeyRecord>, changed_at: Option<SystemTime>) -> Option<Self> {
        records.iter_mut().for_each(|record| record.user = hashed(&record.id).into());
        let hashes = records.iter().map(|record| from_hex(&record.sha256)).collect::<Option<Vec<_>>>()?;
        Some(Self { records, hashes, changed_at })
    }

    /// Whether the file is unchanged since it was read.
    pub(crate) fn is_current(&self, path: &Path) -> bool {
        self.changed_at == changed_at(path)
    }

    /// All keys, revoked ones too, oldest first.
    pub fn records(&self) -> &[KeyRecord] {
        &self.records
    }

    /// Whether no key was ever added.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether there was a file, with or without keys.
    pub(crate) fn has_file(&self) -> bool {
        self.changed_at.is_some()
    }

    /// The record of a key. Compares it with all hashes, each in constant time.
    pub(crate) fn find(&self, key: &str) -> Option<&KeyRecord> {
        let hash = digest(&SHA256, key.as_bytes());
        let mut found = None;
        for (record, known) in self.records.iter().zip(&self.hashes) {
            if bool::from(known.ct_eq(hash.as_ref())) && record.revoked_at.is_none() {
                found = Some(record);
            }
        }
        found
    }
}

/// `None` when there is no such file.
fn changed_at(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// Adds a key for `name`; returns its record, and the key, which is not stored.
pub fn add(path: &Path, name: &str) -> Result<(KeyRecord, String), KeysError> {
    change(path, |records| {
        if records.iter().any(|record| record.name == name && record.revoked_at.is_none()) {
            return Err(KeysError::NameTaken(name.to_owned()));
        }
        let key = format!("{PREFIX}{}", random_hex::<32>().ok_or(KeysError::NoRandom)?);
        let id = random_hex::<4>().ok_or(KeysError::NoRandom)?;
        let record = KeyRecord {
            user: hashed(&id).into(),
            id,
            name: name.to_owned(),
            sha256: to_hex(digest(&SHA256, key.as_bytes()).as_ref()),
            created_at: now(),
            revoked_at: None,
        };
        records.push(record.clone());
        Ok((record, key))
    })
}

/// Revokes the key of an id or name; a running gateway sees it within a second.
pub fn revoke(path: &Path, id_or_name: &str) -> Result<KeyRecord, KeysError> {
    change(path, |records| {
        let is_meant = |record: &&mut KeyRecord| {
            (record.id == id_or_name || record.name == id_or_name) && record.revoked_at.is_none()
        };
        match records.iter_mut().find(is_meant) {
            Some(record) => {
                record.revoked_at = Some(now());
                Ok(record.clone())
            }
            None => Err(KeysError::Unknown(id_or_name.to_owned())),
        }
    })
}

/// Reads, changes and replaces the file, one process at a time.
fn change<T>(
    path: &Path,
    change: impl FnOnce(&mut Vec<KeyRecord>) -> Result<T, KeysError>,
) -> Result<T, KeysError> {
    let io = |source| KeysError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        private::create_folder(folder).map_err(io)?;
    }
    let lock =
        private::file_options().create(true).write(true).open(path.with_extension("lock")).map_err(io)?;
    lock.lock().map_err(io)?;
    let mut records = KeyRing::open(path)?.records;
    let done = change(&mut records)?;
    let text = serde_json::to_string_pretty(&records).map_err(|error| io(error.into()))?;
    replace(path, text.as_bytes()).map_err(io)?;
    Ok(done)
}

/// Replaces a file atomically by one that only its owner can read.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private::file_options().write(true).create_new(true).open(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(new, path)
}

/// `N` random bytes in hex; `None` if the system gives none.
pub(crate) fn random_hex<const N: usize>() -> Option<String> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(to_hex(&bytes))
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks_exact(2);
    let bytes: Option<Vec<u8>> =
        pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect();
    bytes.filter(|bytes| bytes.len() == 32 && text.len() == 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_opens_until_it_is_revoked_and_is_never_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/keys.json");
        assert!(KeyRing::open(&path).unwrap().is_empty());
        let (record, key) = add(&path, "alice").unwrap();
        let (_, other) = add(&path, "bob").unwrap();
        let ring = KeyRing::open(&path).unwrap();
        assert_eq!(ring.find(&key).unwrap().id, record.id);
        assert_eq!(ring.find(&other).unwrap().name, "bob");
        assert!(ring.find("").is_none() && ring.find(&key[..key.len() - 1]).is_none());
        assert!(!fs::read_to_string(&path).unwrap().contains(&key[PREFIX.len()..]));
        assert!(matches!(add(&path, "alice"), Err(KeysError::NameTaken(_))));
        revoke(&path, "alice").unwrap();
        let ring = KeyRing::open(&path).unwrap();
        assert!(ring.find(&key).is_none() && !ring.is_empty());
        assert!(matches!(revoke(&path, "alice"), Err(KeysError::Unknown(_))));
    }

    #[test]
    fn a_ring_knows_whether_its_file_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let none = KeyRing::open(&path).unwrap();
        assert!(none.is_current(&path));
        add(&path, "alice").unwrap();
        let one = KeyRing::open(&path).unwrap();
        assert!(!none.is_current(&path) && one.is_current(&path));
        // File systems tell times in ticks of some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(20));
        revoke(&path, "alice").unwrap();
        assert!(!one.is_current(&path));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_its_owners() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        add(&path, "a").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn many_may_add_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        std::thread::scope(|scope| {
            for n in 0..8 {
                let path = &path;
                scope.spawn(move || add(path, &format!("user {n}")).unwrap());
            }
        });
        assert_eq!(KeyRing::open(&path).unwrap().records().len(), 8);
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        for text in ["{}", "[{\"id\":\"a\",\"name\":\"b\",\"sha256\":\"00\",\"created_at\":\"\"}]"] {
            fs::write(&path, text).unwrap();
            assert!(matches!(KeyRing::open(&path), Err(KeysError::Malformed { .. })), "{text}");
        }
    }
}
