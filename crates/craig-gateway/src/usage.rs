//! What each key has used, by day, provider, model and project: added up in memory, and kept in a file that several gateways of
//! a machine append to.
//!
//! A line of the file is a sum since the line before. A process that is killed loses what it had not appended yet, which is
//! that of the last 50 milliseconds. What others append is read before the next line is written, so that budgets hold for all.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use craig_engine::private;
use serde::{Deserialize, Serialize};

use crate::keys::replace;
use crate::limits::locked;

/// How long usage is collected before it is appended.
pub(crate) const FLUSH_AFTER: Duration = Duration::from_millis(50);

/// A file that is larger than this many times its sums, and than so many bytes, is written anew.
const MAX_GROWTH: usize = 4;
const MIN_COMPACTED_BYTES: u64 = 1 << 20;

/// What usage is added up by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UsageKey {
    /// Day in UTC, `2027-01-31`.
    pub day: String,
    /// Id of the client's key; `local` while there are none.
    pub key: String,
    /// Provider that answered.
    pub provider: String,
    /// Model as metrics name it.
    pub model: String,
    /// Project that the context is from; empty if there was none.
    pub project: String,
}

impl UsageKey {
    /// Its month in UTC, `2027-01`.
    pub fn month(&self) -> &str {
        self.day.get(..7).unwrap_or_default()
    }
}

/// What was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Requests that were answered.
    pub requests: u64,
    /// Tokens of requests, those from a provider's cache included.
    pub input_tokens: u64,
    /// Input tokens that were read from a cache.
    pub cached_tokens: u64,
    /// Tokens of answers.
    pub output_tokens: u64,
    /// Requests whose tokens the gateway counted itself, since the provider did not report them.
    pub estimated: u64,
    /// Their price in US dollars.
    pub usd: f64,
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.input_tokens += other.input_tokens;
        self.cached_tokens += other.cached_tokens;
        self.output_tokens += other.output_tokens;
        self.estimated += other.estimated;
        self.usd += other.usd;
    }
}

/// Usage by what it is added up by.
pub type Usages = BTreeMap<UsageKey, Sums>;

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    key: UsageKey,
    #[serde(flatten)]
    sums: Sums,
}

/// Usage of a running gateway. Requests add to what is recent, and never wait for the file.
pub(crate) struct UsageLog {
    /// The lock is held for a few instructions.
    recent: Mutex<Recent>,
    /// The lock is held while the file is read and appended to, on threads that may block.
    file: Mutex<UsageFile>,
}

#[derive(Default)]
struct Recent {
    /// What the file has not got yet.
    pending: Usages,
    /// Whether it has something that could not be appended.
    is_behind: bool,
    /// US dollars of each key in each month, everything pending included.
    spent_usd: Spent,
}

/// US dollars of each key in each month, `2027-01`.
type Spent = BTreeMap<(String, String), f64>;

fn spend(spent_usd: &mut Spent, key: &UsageKey, usd: f64) {
    *spent_usd.entry((key.key.clone(), key.month().to_owned())).or_default() += usd;
}

impl UsageLog {
    /// Reads the file; a missing one has no usage.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = UsageFile::open(path)?;
        let recent = Recent { spent_usd: file.spent_usd.clone(), ..Recent::default() };
        Ok(Self { recent: Mutex::new(recent), file: Mutex::new(file) })
    }

    /// Adds what was used; it is in the file after the next [`Self::flush`].
    pub(crate) fn add(&self, key: UsageKey, sums: Sums) {
        let mut recent = locked(&self.recent);
        spend(&mut recent.spent_usd, &key, sums.usd);
        *recent.pending.entry(key).or_default() += sums;
    }

    /// Whether something waits to be appended.
    pub(crate) fn has_pending(&self) -> bool {
        let recent = locked(&self.recent);
        recent.is_behind || !recent.pending.is_empty()
    }

    /// US dollars that a key has spent in a month, `2027-01`.
    pub(crate) fn spent_usd(&self, key: &str, month: &str) -> f64 {
        let spent = &locked(&self.recent).spent_usd;
        spent.get(&(key.to_owned(), month.to_owned())).copied().unwrap_or_default()
    }

    /// Reads what others have appended, and appends what is pending. It blocks.
    pub(crate) fn flush(&self) -> io::Result<()> {
        let mut file = locked(&self.file);
        let taken = std::mem::take(&mut locked(&self.recent).pending);
        taken.into_iter().for_each(|(key, sums)| file.add(key, sums));
        let outcome = file.flush();
        let mut spent_usd = file.spent_usd.clone();
        let mut recent = locked(&self.recent);
        recent.pending.iter().for_each(|(key, sums)| spend(&mut spent_usd, key, sums.usd));
        recent.spent_usd = spent_usd;
        recent.is_behind = file.has_pending();
        outcome
    }

    /// Everything that was used from a day on, `2027-01-31`. It blocks.
    pub(crate) fn since(&self, day: &str) -> Usages {
        let file = locked(&self.file);
        let recent = locked(&self.recent);
        let mut all = Usages::new();
        let known = file.written.iter().chain(&file.pending).chain(&recent.pending);
        for (key, sums) in known.filter(|(key, _)| key.day.as_str() >= day) {
            *all.entry(key.clone()).or_default() += *sums;
        }
        all
    }
}

/// The file, and what is known of it.
pub(crate) struct UsageFile {
    path: PathBuf,
    /// Everything that is in the file.
    written: Usages,
    /// What is not appended yet.
    pending: Usages,
    spent_usd: Spent,
    read_bytes: u64,
    n_lines: usize,
    identity: Option<u64>,
}

impl UsageFile {
    /// Reads the file; a missing one has no usage.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut usage = Self {
            path: path.to_owned(),
            written: Usages::new(),
            pending: Usages::new(),
            spent_usd: Spent::new(),
            read_bytes: 0,
            n_lines: 0,
            identity: None,
        };
        usage.flush()?;
        Ok(usage)
    }

    /// Adds what was used; it is in the file after the next [`Self::flush`].
    pub(crate) fn add(&mut self, key: UsageKey, sums: Sums) {
        spend(&mut self.spent_usd, &key, sums.usd);
        *self.pending.entry(key).or_default() += sums;
    }

    /// Whether something waits to be appended.
    pub(crate) fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Reads what others have appended, and appends what is pending.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            private::create_folder(folder)?;
        }
        let lock = private::file_options().create(true).write(true).open(self.path.with_extension("lock"))?;
        lock.lock()?;
        let mut file = private::file_options().create(true).read(true).append(true).open(&self.path)?;
        self.read_new(&mut file)?;
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        for (key, sums) in &self.pending {
            write_line(&mut text, key, *sums)?;
        }
        file.write_all(&text)?;
        self.read_bytes += text.len() as u64;
        self.n_lines += self.pending.len();
        for (key, sums) in std::mem::take(&mut self.pending) {
            *self.written.entry(key).or_default() += sums;
        }
        if self.read_bytes > MIN_COMPACTED_BYTES && self.n_lines > MAX_GROWTH * self.written.len() {
            self.compact()?;
        }
        Ok(())
    }

    /// Reads what was appended since the last time, or all of a file that another process has written anew.
    fn read_new(&mut self, file: &mut File) -> io::Result<()> {
        let metadata = file.metadata()?;
        let identity = identity(&metadata);
        if self.identity != Some(identity) || metadata.len() < self.read_bytes {
            (self.read_bytes, self.n_lines, self.identity) = (0, 0, Some(identity));
            self.written.clear();
            self.spent_usd.clear();
            self.pending.iter().for_each(|(key, sums)| spend(&mut self.spent_usd, key, sums.usd));
        }
        if metadata.len() == self.read_bytes {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.read_bytes))?;
        let mut reader = BufReader::new(&mut *file).take(metadata.len() - self.read_bytes);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            // A line that was cut off when its process was killed is skipped.
            if let Ok(Line { key, sums }) = serde_json::from_slice(&line) {
                spend(&mut self.spent_usd, &key, sums.usd);
                *self.written.entry(key).or_default() += sums;
            }
            self.n_lines += 1;
            self.read_bytes += line.len() as u64;
            if line.last() != Some(&b'\n') {
                file.write_all(b"\n")?;
                self.read_bytes += 1;
                break;
            }
            line.clear();
        }
        Ok(())
    }

    /// Writes a file of the sums in the place of the one that has all lines.
    fn compact(&mut self) -> io::Result<()> {
        let mut text = Vec::new();
        for (key, sums) in &self.written {
            write_line(&mut text, key, *sums)?;
        }
        let file = replace(&self.path, &text)?;
        self.identity = Some(identity(&file.metadata()?));
        (self.read_bytes, self.n_lines) = (text.len() as u64, self.written.len());
        Ok(())
    }
}

fn write_line(text: &mut Vec<u8>, key: &UsageKey, sums: Sums) -> io::Result<()> {
    serde_json::to_writer(&mut *text, &Line { key: key.clone(), sums })?;
    text.push(b'\n');
    Ok(())
}

/// A number that a file has until another one takes its place.
#[cfg(unix)]
pub(crate) fn identity(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
pub(crate) fn identity(metadata: &Metadata) -> u64 {
    let since = metadata.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos() as u64)
}

/// The day in UTC, `2027-01-31`.
pub fn today() -> String {
    jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date().to_string()
}

/// The month in UTC, `2027-01`.
pub fn this_month() -> String {
    jiff::Timestamp::now().strftime("%Y-%m").to_string()
}

/// Everything in a file of usage.
pub fn read(path: &Path) -> io::Result<Usages> {
    Ok(UsageFile::open(path)?.written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: &str, day: &str) -> UsageKey {
        let [day, key] = [day, key].map(str::to_owned);
        UsageKey { day, key, provider: "p".into(), model: "m".into(), project: String::new() }
    }

    fn sums(usd: f64) -> Sums {
        Sums { requests: 1, input_tokens: 10, output_tokens: 2, usd, ..Sums::default() }
    }

    #[test]
    fn what_one_process_appends_the_others_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("usage.jsonl");
        let (one, other) = (UsageLog::open(&path).unwrap(), UsageLog::open(&path).unwrap());
        one.add(key("a", "2027-01-30"), sums(0.5));
        one.add(key("a", "2027-02-01"), sums(0.25));
        assert_eq!((one.spent_usd("a", "2027-01"), other.spent_usd("a", "2027-01")), (0.5, 0.0));
        one.flush().unwrap();
        other.add(key("a", "2027-01-31"), sums(1.0));
        other.flush().unwrap();
        one.flush().unwrap();
        assert_eq!((one.spent_usd("a", "2027-01"), other.spent_usd("a", "2027-01")), (1.5, 1.5));
        assert_eq!(one.spent_usd("a", "2027-02"), 0.25);
        assert_eq!(read(&path).unwrap().values().map(|sums| sums.requests).sum::<u64>(), 3);
    }

    #[test]
    fn a_line_that_was_cut_off_costs_itself_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("usage.jsonl");
        let usage = UsageLog::open(&path).unwrap();
        usage.add(key("a", "2027-01-30"), sums(0.5));
        usage.flush().unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"day\":\"2027-01-3").unwrap();
        let usage = UsageLog::open(&path).unwrap();
        usage.add(key("a", "2027-01-30"), sums(0.25));
        usage.flush().unwrap();
        assert_eq!(UsageLog::open(&path).unwrap().spent_usd("a", "2027-01"), 0.75);
    }

    #[test]
    fn a_file_of_many_lines_is_written_anew_with_the_same_sums() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("usage.jsonl");
        let (one, other) = (UsageLog::open(&path).unwrap(), UsageLog::open(&path).unwrap());
        let n_lines = 2 * MIN_COMPACTED_BYTES / 100;
        for _ in 0..n_lines {
            one.add(key("a", "2027-01-30"), sums(1.0));
            one.flush().unwrap();
        }
        assert!(path.metadata().unwrap().len() < MIN_COMPACTED_BYTES);
        other.flush().unwrap();
        assert_eq!(
            (one.spent_usd("a", "2027-01"), other.spent_usd("a", "2027-01")),
            (n_lines as f64, n_lines as f64)
        );
    }

    #[test]
    fn what_cannot_be_appended_is_kept_and_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/usage.jsonl");
        let usage = UsageLog::open(&path).unwrap();
        usage.add(key("a", "2027-01-30"), sums(0.5));
        let folder = path.parent().unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        std::fs::write(folder, "no folder").unwrap();
        assert!(usage.flush().is_err() && usage.has_pending());
        usage.add(key("a", "2027-01-31"), sums(0.25));
        assert_eq!((usage.spent_usd("a", "2027-01"), usage.since("2027-01-31").len()), (0.75, 1));
        std::fs::remove_file(folder).unwrap();
        usage.flush().unwrap();
        assert!(!usage.has_pending());
        assert_eq!(UsageLog::open(&path).unwrap().spent_usd("a", "2027-01"), 0.75);
    }
}
