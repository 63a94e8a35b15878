//! One writer a project: an operating-system lock that dies with its holder.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use craig_source::private;
use thiserror::Error;

use crate::{Project, Store};

/// The right to change one project, held until dropped, or until the process ends in whatever way.
#[derive(Debug)]
pub struct ProjectLock {
    file: File,
}

/// How the newest ingestion of a project went, as its lock file says. Unlike the database, that can be written to on a full disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastRun {
    /// Nothing is known of it.
    Unknown,
    /// It is going on: somebody holds the lock.
    Running,
    /// It began, and whoever held the lock is gone.
    CutOff,
    /// It was completed.
    Completed,
    /// What ended it.
    Failed(String),
}

/// Who holds a lock, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// Process id.
    pub pid: Option<u32>,
}

/// A lock could not be taken.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process, or another thread of this one, has it.
    #[error("the project is being written by {}", holder.describe())]
    Held {
        /// Who.
        holder: LockHolder,
    },
    /// The lock file cannot be made.
    #[error("cannot make the lock file {path}: {source}")]
    Io {
        /// The lock file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl LockHolder {
    /// "process 4711", or "another process".
    pub fn describe(&self) -> String {
        self.pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    }
}

impl ProjectLock {
    /// Notes that an ingestion begins.
    pub fn note_begun(&self) {
        self.note(BEGUN);
    }

    /// Notes that it was completed.
    pub fn note_completed(&self) {
        self.note(COMPLETED);
    }

    /// Notes what ended it.
    pub fn note_failed(&self, error: &str) {
        self.note(&format!("{FAILED}{error}"));
    }

    /// Forgets what was noted, as of a project that is purged.
    pub fn note_nothing(&self) {
        self.note("");
    }

    fn note(&self, run: &str) {
        let run = run.replace(['\n', '\r'], " ");
        let end = run.floor_char_boundary(RECORD_BYTES - HOLDER_BYTES - 1);
        let record = padded(&run[..end], RECORD_BYTES - HOLDER_BYTES);
        let mut file = &self.file;
        // What cannot be noted is not known later: the ingestion itself matters more.
        let _ =
            file.seek(SeekFrom::Start(HOLDER_BYTES as u64)).and_then(|_| file.write_all(record.as_bytes()));
    }
}

impl Store {
    /// How the newest ingestion of `project` went, as it is noted beside the database. Writes nothing.
    pub fn last_run(&self, project: &Project) -> LastRun {
        let opened = private::file_options().read(true).open(self.lock_path(project));
        let Ok(mut file) = opened else { return LastRun::Unknown };
        if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return LastRun::Running;
        }
        let mut record = String::new();
        let read = file.read_to_string(&mut record);
        let noted = record.lines().nth(1).unwrap_or_default().trim_end();
        match noted.strip_prefix(FAILED) {
            _ if read.is_err() => LastRun::Unknown,
            Some(error) => LastRun::Failed(error.to_owned()),
            None if noted == BEGUN => LastRun::CutOff,
            None if noted == COMPLETED => LastRun::Completed,
            None => LastRun::Unknown,
        }
    }

    /// Takes the write lock of `project`, or says at once who has it.
    pub fn try_lock(&self, project: &Project) -> Result<ProjectLock, LockError> {
        lock(&self.lock_path(project), File::try_lock)
    }

    /// Takes the write lock of `project`, waiting for its holder as long as it takes.
    pub fn lock(&self, project: &Project) -> Result<ProjectLock, LockError> {
        lock(&self.lock_path(project), |file| file.lock().map_err(TryLockError::Error))
    }

    fn lock_path(&self, project: &Project) -> std::path::PathBuf {
        self.side_folder().join(format!("{}.lock", project.reference))
    }
}

fn lock(path: &Path, take: impl FnOnce(&File) -> Result<(), TryLockError>) -> Result<ProjectLock, LockError> {
    let io_error = |source| LockError::Io { path: path.display().to_string(), source };
    if let Some(folder) = path.parent() {
        private::create_folder(folder).map_err(io_error)?;
    }
    let mut file = private::file_options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(io_error)?;
    match take(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(LockError::Held { holder: read_holder(&mut file) }),
        Err(TryLockError::Error(source)) => return Err(io_error(source)),
    }
    // The name of the holder is a courtesy to whoever waits: the lock holds without it.
    let _ = sign(&mut file);
    Ok(ProjectLock { file })
}

/// Bytes of a lock file: who holds it in the first line, how the newest ingestion went in the second. It has all of them from the
/// beginning, so that what is noted later needs no room on the disk.
const RECORD_BYTES: usize = 512;

/// Bytes of its first line.
const HOLDER_BYTES: usize = 16;

const BEGUN: &str = "begun";
const COMPLETED: &str = "completed";
const FAILED: &str = "failed: ";

/// Writes this process's id into a lock file, and makes it as long as it has to be.
fn sign(file: &mut File) -> std::io::Result<()> {
    if file.metadata()?.len() != RECORD_BYTES as u64 {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(padded("", HOLDER_BYTES).as_bytes())?;
        file.write_all(padded("", RECORD_BYTES - HOLDER_BYTES).as_bytes())?;
    }
    file.rewind()?;
    file.write_all(padded(&std::process::id().to_string(), HOLDER_BYTES).as_bytes())
}

/// `text` with blanks and a line feed at its end, `n_bytes` in all.
fn padded(text: &str, n_bytes: usize) -> String {
    let n_blanks = n_bytes.saturating_sub(text.len() + 1);
    format!("{text}{}\n", " ".repeat(n_blanks))
}

fn read_holder(file: &mut File) -> LockHolder {
    let mut text = String::new();
    let read = file.read_to_string(&mut text).ok();
    let pid = read.and_then(|_| text.lines().next()?.trim().parse().ok());
    LockHolder { pid }
}
