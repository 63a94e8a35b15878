//! One writer per project: operating-system locks that are released when their holders end.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use craig_source::private;

use crate::address::ServerAddress;
use crate::server::ServerLock;
use crate::store::OpenedBy;
use crate::{Project, Store, StoreError, holder};

/// The right to change a project, held until it is dropped or the process ends in whatever way.
#[derive(Debug)]
pub struct ProjectLock {
    held: HeldLock,
    /// The id is not enough: during the wait for the lock, the project may have been purged and created again.
    pub(crate) reference: String,
}

#[derive(Debug)]
enum HeldLock {
    /// A lock file on this machine, which also has the record of the newest ingestion.
    File(File),
    Server(#[expect(dead_code, reason = "it is held, not read")] Box<ServerLock>),
}

/// The right to write the index of a project, held until it is dropped or the process ends in whatever way.
#[derive(Debug)]
pub struct IndexLock {
    _file: File,
}

/// The outcome of the newest ingestion of a project, from its lock file. Unlike the database, that can be written on a
/// full disk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RecordedRun {
    /// Nothing is recorded.
    Unknown,
    /// It is running: the lock is held.
    Running,
    /// It began, and the holder of the lock is gone.
    CutOff,
    /// It was completed.
    Completed,
    /// The error that ended it.
    Failed(String),
}

impl ProjectLock {
    /// Runs an ingestion and records outside of the database that it began and how it ended, so that
    /// [`Store::ingestion_status`] knows it even if the database cannot be written, as on a full disk.
    pub fn record_run<T, E: ToString>(&self, ingest: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.record(BEGUN);
        let done = ingest();
        match &done {
            Ok(_) => self.record(COMPLETED),
            Err(error) => self.record(&format!("{FAILED}{}", error.to_string())),
        }
        done
    }

    /// Removes what was recorded.
    pub(crate) fn clear_record(&self) {
        self.record("");
    }

    fn record(&self, run: &str) {
        let run = run.replace(['\n', '\r'], " ");
        let end = run.floor_char_boundary(RECORD_BYTES - HOLDER_BYTES - 1);
        let record = padded(&run[..end], RECORD_BYTES - HOLDER_BYTES);
        let HeldLock::File(file) = &self.held else { return };
        let mut file: &File = file;
        // The ingestion itself matters more than its record.
        let _ =
            file.seek(SeekFrom::Start(HOLDER_BYTES as u64)).and_then(|_| file.write_all(record.as_bytes()));
    }
}

impl Store {
    /// Takes the write lock of `project`; fails immediately with [`StoreError::Held`] if it is held.
    pub fn try_lock(&self, project: &Project) -> Result<ProjectLock, StoreError> {
        match &self.place.opened_by {
            OpenedBy::File(_) => self.lock_project(project, File::try_lock),
            OpenedBy::Server(address) => self.lock_server_project(address, project, false),
        }
    }

    /// Takes the write lock of `project`, waiting for its holder without limit.
    pub fn lock(&self, project: &Project) -> Result<ProjectLock, StoreError> {
        match &self.place.opened_by {
            OpenedBy::File(_) => self.lock_project(project, |file| file.lock().map_err(TryLockError::Error)),
            OpenedBy::Server(address) => self.lock_server_project(address, project, true),
        }
    }

    /// Takes the right to write the index of `project`, waiting for its holder as long as `patience` allows; then fails with
    /// [`StoreError::Held`].
    ///
    /// The lock file is not in the index's folder, which may be removed while others wait.
    pub fn lock_index(&self, project: &Project, patience: Duration) -> Result<IndexLock, StoreError> {
        self.check_writable()?;
        let path = self.lock_path(&format!("{}.index", project.reference));
        let file = locked_file(&path, |file| lock_within(file, patience))?;
        Ok(IndexLock { _file: file })
    }

    /// The same, if nobody has it.
    pub(crate) fn try_lock_index(&self, project: &Project) -> Option<IndexLock> {
        self.check_writable().ok()?;
        let file = open_lock_file(&self.lock_path(&format!("{}.index", project.reference))).ok()?;
        file.try_lock().ok()?;
        Some(IndexLock { _file: file })
    }

    fn lock_project(
        &self,
        project: &Project,
        take: impl FnOnce(&File) -> Result<(), TryLockError>,
    ) -> Result<ProjectLock, StoreError> {
        let file = locked_file(&self.lock_path(&project.reference), take)?;
        Ok(ProjectLock { held: HeldLock::File(file), reference: project.reference.clone() })
    }

    fn lock_server_project(
        &self,
        address: &ServerAddress,
        project: &Project,
        waits: bool,
    ) -> Result<ProjectLock, StoreError> {
        self.check_writable()?;
        let held = HeldLock::Server(Box::new(self.lock_on_server(address, project, waits)?));
        Ok(ProjectLock { held, reference: project.reference.clone() })
    }

    /// How the newest ingestion of `project` went, as it was recorded. Writes nothing.
    pub(crate) fn recorded_run(&self, project: &Project) -> RecordedRun {
        if matches!(self.place.opened_by, OpenedBy::Server(_)) {
            return self.run_on_server(project);
        }
        let opened = private::file_options().read(true).open(self.lock_path(&project.reference));
        let Ok(mut file) = opened else { return RecordedRun::Unknown };
        if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return RecordedRun::Running;
        }
        let mut record = String::new();
        let read = file.read_to_string(&mut record);
        let run = record.lines().nth(1).unwrap_or_default().trim_end();
        match run.strip_prefix(FAILED) {
            _ if read.is_err() => RecordedRun::Unknown,
            Some(error) => RecordedRun::Failed(error.to_owned()),
            None if run == BEGUN => RecordedRun::CutOff,
            None if run == COMPLETED => RecordedRun::Completed,
            None => RecordedRun::Unknown,
        }
    }

    /// Whether a failure of the newest ingestion of `project` is recorded outside the database. For a database on a server,
    /// nothing is recorded there.
    pub(crate) fn has_record_of_failure(&self, project: &Project) -> bool {
        let is_on_server = matches!(self.place.opened_by, OpenedBy::Server(_));
        !is_on_server && matches!(self.recorded_run(project), RecordedRun::CutOff | RecordedRun::Failed(_))
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.place.derived_folder.join(format!("{name}.lock"))
    }
}

/// The lock file at `path`, locked by `take`; fails with who holds it instead.
fn locked_file(
    path: &Path,
    take: impl FnOnce(&File) -> Result<(), TryLockError>,
) -> Result<File, StoreError> {
    let io_error = |source| StoreError::Lock { path: path.to_owned(), source };
    let mut file = open_lock_file(path).map_err(io_error)?;
    match take(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StoreError::Held { holder: read_holder(&mut file) }),
        Err(TryLockError::Error(source)) => return Err(io_error(source)),
    }
    // The holder's id is for error messages only: the lock works without it.
    let _ = write_holder(&mut file);
    Ok(file)
}

/// Time between two tries to take a lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Locks a file as soon as nobody else has it, or fails after `patience`.
pub(crate) fn lock_within(file: &File, patience: Duration) -> Result<(), TryLockError> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if started.elapsed() < patience => {
                std::thread::sleep(RETRY_INTERVAL);
            }
            done => return done,
        }
    }
}

fn open_lock_file(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        private::create_folder(folder)?;
    }
    private::file_options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Bytes of a project's lock file: its holder in the first line, the newest ingestion in the second. It has this length from
/// the beginning, so that recording needs no room on the disk.
const RECORD_BYTES: usize = 512;

/// Bytes of its first line.
const HOLDER_BYTES: usize = 16;

const BEGUN: &str = "begun";
const COMPLETED: &str = "completed";
const FAILED: &str = "failed: ";

/// Writes this process's id into a lock file, extending it to its full length.
fn write_holder(file: &mut File) -> io::Result<()> {
    if file.metadata()?.len() != RECORD_BYTES as u64 {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(padded("", HOLDER_BYTES).as_bytes())?;
        file.write_all(padded("", RECORD_BYTES - HOLDER_BYTES).as_bytes())?;
    }
    file.rewind()?;
    file.write_all(padded(&std::process::id().to_string(), HOLDER_BYTES).as_bytes())
}

fn read_holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.read_to_string(&mut text).ok();
    let pid: Option<u32> = read.and_then(|_| text.lines().next()?.trim().parse().ok());
    pid.map_or_else(|| "another process".to_owned(), holder::process)
}

/// `text` with blanks and a line feed at its end, `n_bytes` in all.
fn padded(text: &str, n_bytes: usize) -> String {
    let n_blanks = n_bytes.saturating_sub(text.len() + 1);
    format!("{text}{}\n", " ".repeat(n_blanks))
}
