//! Keys of clients: generated here, shown once, stored as hashes.
//!
//! A key is 256 random bits, so it cannot be guessed, and SHA-256 is enough: a slow hash such as argon2id protects passwords
//! that people choose, and would take as long as all other work for a request.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use craig_engine::{Visibility, private};
use jiff::{Span, Timestamp};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use crate::failure::Problem;

/// The prefix of keys, by which scanners for leaked secrets can recognize them.
const PREFIX: &str = "craig_";

/// Limits of a key. An unset number or an empty list does not limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Requests to models per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// Tokens of requests and answers per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u32>,
    /// Concurrent requests to models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrent_requests: Option<u32>,
    /// Hard budget: US dollars per calendar month (UTC); further requests are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monthly_usd: Option<f64>,
    /// Soft budget: US dollars per month; further answers carry a header, and the log a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_monthly_usd: Option<f64>,
    /// Models, by the names that clients use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Providers, by their configured names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<String>,
    /// Projects, by the names that requests use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
}

impl Policy {
    /// Whether nothing is limited.
    fn is_open(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn allows_provider(&self, name: &str) -> bool {
        allows(&self.providers, name)
    }

    pub(crate) fn allows_model(&self, name: &str) -> bool {
        allows(&self.models, name)
    }

    /// Fails if the key may not use the model; `None` is the provider's own choice.
    pub(crate) fn check_model(&self, model: Option<&str>) -> Result<(), Problem> {
        match model {
            _ if self.models.is_empty() => Ok(()),
            Some(model) if allows(&self.models, model) => Ok(()),
            Some(_) => Err(Problem::not_allowed("model_not_allowed", "this key may not use this model")),
            None => Err(Problem::not_allowed(
                "model_not_allowed",
                "this key may use certain models only: name one",
            )),
        }
    }

    /// What the holder of both policies may do: everything that one of them allows. Of two limits, the larger counts.
    pub(crate) fn or(self, other: Self) -> Self {
        let either = |one: Vec<String>, other: Vec<String>| match one.is_empty() || other.is_empty() {
            true => Vec::new(),
            false => one.into_iter().chain(other).collect::<BTreeSet<_>>().into_iter().collect(),
        };
        let number = |one: Option<u32>, other: Option<u32>| Some(one?.max(other?));
        let usd = |one: Option<f64>, other: Option<f64>| Some(one?.max(other?));
        Self {
            requests_per_minute: number(self.requests_per_minute, other.requests_per_minute),
            tokens_per_minute: number(self.tokens_per_minute, other.tokens_per_minute),
            concurrent_requests: number(self.concurrent_requests, other.concurrent_requests),
            monthly_usd: usd(self.monthly_usd, other.monthly_usd),
            soft_monthly_usd: usd(self.soft_monthly_usd, other.soft_monthly_usd),
            models: either(self.models, other.models),
            providers: either(self.providers, other.providers),
            projects: either(self.projects, other.projects),
        }
    }

    /// The same with the projects of another policy.
    pub(crate) fn with_projects_of(self, other: &Self) -> Self {
        let projects = Self { projects: other.projects.clone(), ..self.clone() };
        self.or(projects)
    }

    /// The projects that there are for the key.
    pub(crate) fn visibility(&self) -> Visibility {
        match self.projects.is_empty() {
            true => Visibility::All,
            false => Visibility::Only(Arc::new(self.projects.iter().cloned().collect())),
        }
    }

    /// Fails if the key may not use the project.
    pub(crate) fn check_project(&self, project: &str) -> Result<(), Problem> {
        match allows(&self.projects, project) {
            true => Ok(()),
            false => Err(Problem::not_allowed("project_not_allowed", "this key may not use this project")),
        }
    }
}

fn allows(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|allowed| allowed == name)
}

/// A rotated key, valid for a while longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replaced {
    sha256: String,
    /// Until when it is valid, RFC 3339.
    pub until: String,
}

/// One client's key, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// When it ends to be valid, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The key that it has replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Replaced>,
    /// What it may do.
    #[serde(default, skip_serializing_if = "Policy::is_open")]
    pub policy: Policy,
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
    /// A time is not written as one.
    #[error("{0:?} is not a time such as 2027-01-31T00:00:00Z, or a time from now such as 30d or 12h")]
    Time(String),
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
    valid: Vec<Valid>,
    /// When the file had last been changed before it was read.
    changed_at: Option<SystemTime>,
}

/// A key that may open, and until when.
#[derive(Clone, Debug)]
struct Valid {
    hash: Vec<u8>,
    until: Option<Timestamp>,
    policy: Arc<Policy>,
    record_index: usize,
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
        Self::from_records(records, changed_at)
            .ok_or_else(|| malformed("a hash is not SHA-256, or a time is not RFC 3339".to_owned()))
    }

    fn from_records(mut records: Vec<KeyRecord>, changed_at: Option<SystemTime>) -> Option<Self> {
        records.iter_mut().for_each(|record| record.user = hashed(&record.id).into());
        let mut valid = Vec::with_capacity(records.len());
        for (record_index, record) in
            records.iter().enumerate().filter(|(_, record)| record.revoked_at.is_none())
        {
            let policy = Arc::new(record.policy.clone());
            let expires = record.expires_at.as_deref().map(str::parse::<Timestamp>).transpose().ok()?;
            valid.push(Valid {
                hash: from_hex(&record.sha256)?,
                until: expires,
                policy: Arc::clone(&policy),
                record_index,
            });
            if let Some(replaced) = &record.replaced {
                let until: Timestamp = replaced.until.parse().ok()?;
                let until = Some(expires.map_or(until, |expires| until.min(expires)));
                valid.push(Valid { hash: from_hex(&replaced.sha256)?, until, policy, record_index });
            }
        }
        Some(Self { records, valid, changed_at })
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

    /// The record of a key that is valid now, and what it may do. Compares it with all hashes, each in constant time.
    pub(crate) fn find(&self, key: &str) -> Option<(&KeyRecord, &Arc<Policy>)> {
        let hash = digest(&SHA256, key.as_bytes());
        let mut found = None;
        for valid in &self.valid {
            if bool::from(valid.hash.ct_eq(hash.as_ref())) {
                found = Some(valid);
            }
        }
        let Valid { until, policy, record_index, .. } = found?;
        let is_over = until.is_some_and(|until| until <= Timestamp::now());
        (!is_over).then_some((&self.records[*record_index], policy))
    }
}

/// `None` when there is no such file.
fn changed_at(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// Adds a key for `name` without limits; returns its record, and the key, which is not stored.
pub fn add(path: &Path, name: &str) -> Result<(KeyRecord, String), KeysError> {
    add_limited(path, name, |_| ())
}

/// Like [`add`], but `limit` sets the key's limits before it is stored.
pub fn add_limited(
    path: &Path,
    name: &str,
    limit: impl FnOnce(&mut KeyRecord),
) -> Result<(KeyRecord, String), KeysError> {
    change(path, |records| {
        if records.iter().any(|record| record.name == name && record.revoked_at.is_none()) {
            return Err(KeysError::NameTaken(name.to_owned()));
        }
        let (key, sha256) = new_key()?;
        let id = random_hex::<4>().ok_or(KeysError::NoRandom)?;
        let mut record = KeyRecord {
            user: hashed(&id).into(),
            id,
            name: name.to_owned(),
            sha256,
            created_at: now(),
            revoked_at: None,
            expires_at: None,
            replaced: None,
            policy: Policy::default(),
        };
        limit(&mut record);
        records.push(record.clone());
        Ok((record, key))
    })
}

/// Revokes the key of an id or name; a running gateway sees it within a second.
pub fn revoke(path: &Path, id_or_name: &str) -> Result<KeyRecord, KeysError> {
    set(path, id_or_name, |record| record.revoked_at = Some(now()))
}

/// Changes what the key of an id or name may do.
pub fn set(
    path: &Path,
    id_or_name: &str,
    change: impl FnOnce(&mut KeyRecord),
) -> Result<KeyRecord, KeysError> {
    let changed = change_one(path, id_or_name, |record| {
        change(record);
        Ok(())
    });
    changed.map(|(record, ())| record)
}

/// Gives the key of an id or name a new value; the old one stays valid for `overlap`, such as `24h`. Returns the new key,
/// which is not stored.
pub fn rotate(path: &Path, id_or_name: &str, overlap: &str) -> Result<(KeyRecord, String), KeysError> {
    let until = time_from_now(overlap)?;
    change_one(path, id_or_name, |record| {
        let (key, sha256) = new_key()?;
        let sha256 = std::mem::replace(&mut record.sha256, sha256);
        record.replaced = Some(Replaced { sha256, until });
        Ok(key)
    })
}

/// A time, RFC 3339, or one from now, such as `30d` or `12h`, as it is stored.
pub fn time_from_now(text: &str) -> Result<String, KeysError> {
    let wrong = || KeysError::Time(text.to_owned());
    let time = match text.parse::<Timestamp>() {
        Ok(time) => time,
        Err(_) => {
            let span: Span = text.parse().map_err(|_| wrong())?;
            let zoned = Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
            zoned.checked_add(span).map_err(|_| wrong())?.timestamp()
        }
    };
    Ok(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Changes the record of a key that is not revoked; gives it as it is then.
fn change_one<T>(
    path: &Path,
    id_or_name: &str,
    apply: impl FnOnce(&mut KeyRecord) -> Result<T, KeysError>,
) -> Result<(KeyRecord, T), KeysError> {
    change(path, |records| {
        let is_meant = |record: &&mut KeyRecord| {
            (record.id == id_or_name || record.name == id_or_name) && record.revoked_at.is_none()
        };
        let record =
            records.iter_mut().find(is_meant).ok_or_else(|| KeysError::Unknown(id_or_name.to_owned()))?;
        let done = apply(record)?;
        Ok((record.clone(), done))
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

/// Replaces a file atomically by one that only its owner can read, and gives it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<fs::File> {
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private::file_options().write(true).create_new(true).open(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(new, path)?;
    Ok(file)
}

/// A key, and its SHA-256 in hex.
fn new_key() -> Result<(String, String), KeysError> {
    let key = format!("{PREFIX}{}", random_hex::<32>().ok_or(KeysError::NoRandom)?);
    let sha256 = to_hex(digest(&SHA256, key.as_bytes()).as_ref());
    Ok((key, sha256))
}

/// `N` random bytes in hex; `None` if the system gives none.
pub(crate) fn random_hex<const N: usize>() -> Option<String> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(to_hex(&bytes))
}

fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// 32 bytes that are written in hex.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
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
        assert_eq!(ring.find(&key).unwrap().0.id, record.id);
        assert_eq!(ring.find(&other).unwrap().0.name, "bob");
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

    #[test]
    fn a_rotated_key_and_the_one_before_open_until_their_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let (_, old) = add(&path, "alice").unwrap();
        let (_, new) = rotate(&path, "alice", "1h").unwrap();
        let opens = |key: &str| KeyRing::open(&path).unwrap().find(key).is_some();
        assert!(opens(&old) && opens(&new));
        let (_, newest) = rotate(&path, "alice", "2000-01-01T00:00:00Z").unwrap();
        assert_eq!([&old, &new, &newest].map(|key| opens(key)), [false, false, true]);
        let limited = set(&path, "alice", |record| {
            record.policy.models = vec!["m".into()];
            record.expires_at = Some("2000-01-01T00:00:00Z".into());
        });
        assert!(limited.is_ok() && !opens(&newest));
        assert!(matches!(rotate(&path, "alice", "soon"), Err(KeysError::Time(_))));
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
