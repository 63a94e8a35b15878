//! Watching by the system's events.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs::{self, File},
    io, mem,
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use craig_text::path::folder;
use notify::{
    ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{CreateKind, RemoveKind},
};

use super::ChangeBatch;
use crate::{
    ContentHash, IGNORE_FILES, Root, SourceError, SourceOptions,
    git::hash_of_tracked,
    private,
    selection::Lookup,
    walk::{slash_separated, walk_with_folders},
};

/// Why the system's events cannot be relied on any more.
#[derive(Debug)]
pub(super) enum Lost {
    WatchLimit,
    Other(String),
}

/// The system's watcher and what it may be believed.
#[derive(Debug)]
pub(super) struct Events {
    watcher: RecommendedWatcher,
    incoming: Receiver<notify::Result<Event>>,
    watched: HashSet<PathBuf>,
    /// The git folders whose index is watched, each with the hash of what was tracked.
    git_folders: HashMap<PathBuf, ContentHash>,
    filter: Filter,
}

/// On systems where a watch covers one folder, only tracked folders get one: `node_modules` would use up all watches.
const ONE_WATCH_PER_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

impl Events {
    /// The outer error is the user's, the inner one a reason to poll.
    pub(super) fn start(root: &Root, options: &SourceOptions) -> Result<Result<Events, Lost>, SourceError> {
        let filter = Filter::new(root, options)?;
        let (sender, incoming) = mpsc::channel();
        Ok(notify::recommended_watcher(sender).map_err(Lost::from).and_then(|watcher| {
            let (watched, git_folders) = Default::default();
            let mut events = Events { watcher, incoming, watched, git_folders, filter };
            events.cover()?;
            Ok(events)
        }))
    }

    /// Waits for a first change until the deadline, then for quiet.
    pub(super) fn next_batch(
        &mut self,
        debounce: Duration,
        deadline: Instant,
    ) -> Result<Option<ChangeBatch>, Lost> {
        let mut pending = Pending::default();
        while pending.is_empty() {
            if self.take_one(deadline, &mut pending)? == Taken::Nothing {
                return Ok(None);
            }
        }
        let latest = Instant::now() + debounce * 10;
        let mut quiet = latest.min(Instant::now() + debounce);
        loop {
            match self.take_one(quiet, &mut pending)? {
                Taken::Change => quiet = latest.min(Instant::now() + debounce),
                Taken::Noise => {}
                Taken::Nothing => break,
            }
        }
        if pending.has_new_folder {
            self.cover()?;
        }
        Ok(Some(ChangeBatch { paths: pending.paths.into_iter().collect(), is_complete: !pending.has_gaps }))
    }

    /// Takes the next event that comes before the deadline.
    fn take_one(&mut self, deadline: Instant, pending: &mut Pending) -> Result<Taken, Lost> {
        match self.incoming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Ok(event)) => Ok(self.note(&event, pending)),
            Ok(Err(error)) => match Lost::from(error) {
                Lost::WatchLimit => Err(Lost::WatchLimit),
                Lost::Other(_) => {
                    pending.has_gaps = true;
                    Ok(Taken::Change)
                }
            },
            Err(RecvTimeoutError::Timeout) => Ok(Taken::Nothing),
            Err(RecvTimeoutError::Disconnected) => Err(Lost::Other("its watcher has stopped".to_owned())),
        }
    }

    /// Takes all events of what happened before this call: the system reports in order, and the one of `cookie` comes last.
    /// Gives whether any file may have changed.
    pub(super) fn drain_until(&mut self, cookie: &Cookie) -> Result<bool, Lost> {
        let file = cookie.make().map_err(|error| Lost::Other(error.to_string()))?;
        let deadline = Instant::now() + COOKIE_TIMEOUT;
        let mut pending = Pending::default();
        loop {
            match self.incoming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Ok(event)) if event.kind.is_create() && event.paths.contains(&file) => break,
                Ok(Ok(event)) if event.paths.iter().any(|path| path.starts_with(&cookie.folder)) => (),
                Ok(Ok(event)) => {
                    self.note(&event, &mut pending);
                }
                Ok(Err(error)) => return Err(error.into()),
                Err(error) => return Err(Lost::Other(error.to_string())),
            }
        }
        // A cookie that cannot be removed does no harm.
        let _ = fs::remove_file(&file);
        if pending.has_new_folder || pending.has_gaps {
            self.cover()?;
        }
        Ok(!pending.is_empty())
    }

    /// Has the events of `cookie` reported among the others.
    pub(super) fn watch_cookie(&mut self, cookie: &Cookie) -> Result<(), Lost> {
        Ok(self.watcher.watch(&cookie.folder, RecursiveMode::NonRecursive)?)
    }

    /// The folders that are watched, the root among them.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.watched.iter().map(PathBuf::as_path)
    }

    fn note(&mut self, event: &Event, pending: &mut Pending) -> Taken {
        pending.has_gaps |= event.need_rescan();
        let mut taken = if event.need_rescan() { Taken::Change } else { Taken::Noise };
        // Reading is no change, and Craig's own reading would wake it for ever.
        if event.kind.is_access() {
            return taken;
        }
        for path in &event.paths {
            if self.tracks_others_now(path) {
                self.filter.read_rules_again();
                pending.has_gaps = true;
                pending.has_new_folder = true;
                taken = Taken::Change;
                continue;
            }
            let is_folder = is_folder(&event.kind, path);
            if is_folder && path.is_dir() && self.watched.contains(path) && !event.kind.is_create() {
                continue;
            }
            if event.kind.is_remove() || !path.exists() {
                self.watched.retain(|folder| !folder.starts_with(path));
            }
            if let Some(relative) = self.filter.relevant(path, is_folder) {
                pending.paths.insert(relative);
                pending.has_new_folder |= is_folder || is_decisive(path);
                pending.has_gaps |= path == self.filter.root.path();
                taken = Taken::Change;
            }
        }
        taken
    }

    /// Whether `path` is an index of git that tracks other paths than it did. Git writes it also to note times of files.
    fn tracks_others_now(&mut self, path: &Path) -> bool {
        let folder = path.parent().filter(|_| path.file_name().is_some_and(|name| name == "index"));
        let Some(known) = folder.and_then(|folder| self.git_folders.get_mut(folder)) else { return false };
        let Some(now) = folder.map(hash_of_tracked) else { return false };
        mem::replace(known, now) != now
    }

    /// Watches every tracked folder that is not watched yet, and the folders with git's indexes.
    fn cover(&mut self) -> Result<(), Lost> {
        // Only a bad glob fails, and the filter was made of the same ones.
        let (_, found) = walk_with_folders(&self.filter.root, &self.filter.options).unwrap_or_default();
        if ONE_WATCH_PER_FOLDER {
            for folder in found.folders {
                self.cover_folder(folder)?;
            }
        } else {
            self.watcher.watch(self.filter.root.path(), RecursiveMode::Recursive)?;
        }
        self.git_folders.clear();
        for repository in found.repositories {
            let folder = repository.git_folder();
            if ONE_WATCH_PER_FOLDER || !folder.starts_with(self.filter.root.path()) {
                self.cover_folder(folder.to_owned())?;
            }
            self.git_folders.insert(folder.to_owned(), repository.hash());
        }
        Ok(())
    }

    fn cover_folder(&mut self, folder: PathBuf) -> Result<(), Lost> {
        if self.watched.contains(&folder) {
            return Ok(());
        }
        match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
            Ok(()) => drop(self.watched.insert(folder)),
            Err(error) if is_about_one_folder(&error) => (),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// The result of waiting for an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// A change of a tracked file, which restarts the quiet period.
    Change,
    /// Something else, such as a file that was read: others may read all the time.
    Noise,
    /// The deadline passed without an event.
    Nothing,
}

/// A file that is made to be seen: once the system has reported it, it has reported everything before.
#[derive(Debug)]
pub(super) struct Cookie {
    folder: PathBuf,
    /// Differs from those of other detectors and processes.
    file: PathBuf,
}

/// A system that reports later than this is not waited for.
const COOKIE_TIMEOUT: Duration = Duration::from_millis(200);

impl Cookie {
    /// Makes files in `folder`, which is made if need be.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        static N_COOKIES: AtomicU64 = AtomicU64::new(0);
        private::create_folder(folder)?;
        let folder = folder.canonicalize()?;
        let number = N_COOKIES.fetch_add(1, Ordering::Relaxed);
        Ok(Self { file: folder.join(format!("{}-{number}", std::process::id())), folder })
    }

    /// Makes the file. One that a killed process of the same id has left is removed first, so that a new one is reported.
    fn make(&self) -> io::Result<PathBuf> {
        match File::create_new(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&self.file)?;
                File::create_new(&self.file)?
            }
            made => made?,
        };
        Ok(self.file.clone())
    }
}

/// The changes collected for a batch.
#[derive(Default)]
struct Pending {
    paths: BTreeSet<String>,
    has_gaps: bool,
    has_new_folder: bool,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.has_gaps
    }
}

/// Separates changes to tracked files from other events.
#[derive(Debug)]
struct Filter {
    root: Root,
    options: SourceOptions,
    lookup: Lookup,
}

impl Filter {
    fn new(root: &Root, options: &SourceOptions) -> Result<Filter, SourceError> {
        Ok(Filter { root: root.clone(), options: options.clone(), lookup: Lookup::new(root, options)? })
    }

    /// The path to report, if the change is relevant.
    fn relevant(&mut self, path: &Path, is_folder: bool) -> Option<String> {
        let relative = path.strip_prefix(self.root.path()).ok()?;
        let text = slash_separated(relative)?;
        let name = relative.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let above = folder(&text);
        let (path, is_folder) = match name {
            // A folder that gets a `.git`, or loses it, may become a project of its own, or be one no more.
            ".git" => (folder(above), true),
            _ if is_decisive(relative) => (above, true),
            _ => (text.as_str(), is_folder),
        };
        if is_decisive(relative) {
            self.read_rules_again();
        }
        self.lookup.left_out(path, is_folder).is_none().then(|| text.clone())
    }

    fn read_rules_again(&mut self) {
        if let Ok(filter) = Filter::new(&self.root, &self.options) {
            *self = filter;
        }
    }
}

/// Whether a file or folder of this name decides about others.
fn is_decisive(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name == ".git" || IGNORE_FILES.contains(&name)
}

fn is_folder(kind: &EventKind, path: &Path) -> bool {
    matches!(kind, EventKind::Remove(RemoveKind::Folder) | EventKind::Create(CreateKind::Folder))
        || path.is_dir()
}

/// A folder that is gone or locked takes nothing away from the others.
fn is_about_one_folder(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
        }
        _ => false,
    }
}

impl From<notify::Error> for Lost {
    fn from(error: notify::Error) -> Lost {
        match error.kind {
            ErrorKind::MaxFilesWatch => Lost::WatchLimit,
            _ => Lost::Other(error.to_string()),
        }
    }
}
