//! One writer a project: an operating-system lock that dies with its holder.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use craig_source::private;
use thiserror::Error;

use crate::{Project, Store};

/// The right to change one project, held until dropped, or until the process ends in whatever way.
#[derive(Debug)]
pub struct ProjectLock {
    _file: File,
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

impl Store {
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
    let _ =
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
    Ok(ProjectLock { _file: file })
}

fn read_holder(file: &mut File) -> LockHolder {
    let mut text = String::new();
    let pid = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
    LockHolder { pid }
}
