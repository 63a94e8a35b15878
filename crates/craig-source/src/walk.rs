//! Finds the files of a project.

mod queue;

use std::{
    ffi::OsStr,
    fs::{self, DirEntry},
    io,
    ops::AddAssign,
    panic,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use serde::{Deserialize, Serialize};

use crate::{
    FileStamp, Root, SourceError, SourceOptions, WhyLeftOut,
    git::Repository,
    ignore_files::Present,
    notebook::max_bytes_of,
    selection::{FolderState, Selection},
};
use queue::Queue;

/// The files of a project that are tracked, and what a user should hear of the others.
///
/// All lists are sorted by the bytes of the path, so the same tree gives the same listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files to track.
    pub entries: Vec<Entry>,
    /// Entries that could not be read. Each one makes an ingest partial.
    pub skipped: Vec<Skipped>,
    /// Files that were omitted for their size, reported because users may look for them.
    pub too_large: Vec<Entry>,
    /// Folders that are git working trees of their own: linked worktrees, and clones that are no submodules. Each is a
    /// project of its own.
    pub own_repositories: Vec<String>,
    /// How much was left out on purpose.
    pub excluded: ExcludedCounts,
}

/// One tracked file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path relative to the root, `/`-separated.
    pub path: String,
    /// The metadata of the file during the walk.
    pub stamp: FileStamp,
    /// Whether git has its content: it is as it was added or checked out.
    pub is_in_git: bool,
}

/// A file or folder that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Path relative to the root, with replacement characters where it is not UTF-8. Empty for the root.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why a file or folder could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// Permission is missing, or the disk fails.
    #[error("cannot be read: {message}")]
    Unreadable {
        /// The error of the system.
        message: String,
    },
    /// The name is not UTF-8.
    #[error("its name is not valid UTF-8; rename it so that it can be tracked")]
    NotUtf8,
    /// The system refuses a path of this length.
    #[error("its path is too long for this system")]
    PathTooLong,
    /// It was there a moment ago.
    #[error("it was deleted while the directory was listed")]
    Vanished,
    /// An ignore file has lines that mean nothing; its other lines hold.
    #[error("it has an invalid line, which excludes nothing: {message}")]
    BadIgnoreLine {
        /// Which line, what is wrong, how many more there are.
        message: String,
    },
    /// An ignore file is a link out of the project, a pipe, a device, or cannot be read.
    #[error("its rules are ignored, so files that it excludes may have been ingested: {message}")]
    UnusableIgnoreFile {
        /// What is wrong.
        message: String,
    },
    /// The list of the files that git tracks is damaged, too large, or a link.
    #[error(
        "git's list of tracked files is not used, and hidden or ignored ones may have been left out: {message}"
    )]
    UnusableGitIndex {
        /// What is wrong.
        message: String,
    },
    /// An ignore file is larger, or has more patterns, than is read.
    #[error("some of its rules are ignored, so files that they exclude may have been ingested: {message}")]
    CutIgnoreFile {
        /// From where on it does not hold.
        message: String,
    },
}

/// How many files and folders were left out on purpose. What ignore files exclude is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcludedCounts {
    /// Hidden files and folders; a folder counts once.
    pub hidden: u64,
    /// Folders that are always skipped, such as `node_modules`.
    pub skipped_folders: u64,
    /// Files and folders that ignore files exclude; a folder counts once.
    pub ignored: u64,
    /// Files and folders left out by the options: globs, names of folders.
    pub by_setting: u64,
    /// Symbolic links.
    pub links: u64,
    /// Sockets, pipes, devices.
    pub special: u64,
}

/// Lists the files of a project.
///
/// Files that git tracks are listed even if they are hidden, in a folder of build output, or matched by git's ignore
/// rules. Ignore files hold in plain directories just as in git repositories; `.pukuignore` is stronger than `.ignore`,
/// that is stronger than `.gitignore`. Submodules belong to their checkout; other working trees below the root do not.
/// Links are not followed, neither to files nor to folders: what they show lies in the root under its own path, or
/// outside, where Craig has no business; so every walk ends. Files are tracked by path relative to the root.
///
/// Fails only for a bad glob in the options; trouble below the root is reported in the listing.
pub fn walk(root: &Root, options: &SourceOptions) -> Result<Listing, SourceError> {
    walk_with_folders(root, options).map(|(listing, _)| listing)
}

/// The facts about a project's tree that a watcher needs.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// The folders entered on the way, the root among them.
    pub(crate) folders: Vec<PathBuf>,
    /// The working trees whose index counts.
    pub(crate) repositories: Vec<Arc<Repository>>,
}

/// Lists the files of a project, and what is to be watched to notice changes.
pub(crate) fn walk_with_folders(
    root: &Root,
    options: &SourceOptions,
) -> Result<(Listing, Watched), SourceError> {
    let selection = Selection::new(root, options)?;
    let walker = Walker { root: root.path(), selection, max_file_bytes: options.max_file_size_bytes };
    Ok(walker.run())
}

/// More threads wait for each other on the queue.
const MAX_THREADS: usize = 8;

/// Files of one folder whose sizes and times are looked up by one thread at a time.
const FILES_PER_TASK: usize = 1_024;

struct Walker<'a> {
    root: &'a Path,
    selection: Selection,
    max_file_bytes: u64,
}

/// The unit of work of a thread.
enum Task {
    Folder(Folder),
    Files(Files),
}

/// A folder to enter.
struct Folder {
    /// Path relative to the root.
    path: String,
    /// The state of the folder above it, with what was decided of this one.
    towards: FolderState,
}

/// Files of one folder to look up.
struct Files {
    files: Vec<File>,
    /// The working tree that the folder belongs to.
    repository: Option<Arc<Repository>>,
}

/// A file to look up.
struct File {
    path: String,
    entry: DirEntry,
}

/// The results of one thread.
#[derive(Default)]
struct Found {
    listing: Listing,
    watched: Watched,
}

impl Walker<'_> {
    fn run(&self) -> (Listing, Watched) {
        let mut found = Found::default();
        let towards = self.selection.outside(&mut found.listing.skipped);
        found.note_repository(&towards);
        let queue = Queue::new(Task::Folder(Folder { path: String::new(), towards }));
        let n_threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        thread::scope(|scope| {
            let work = || self.work(&queue);
            // If no further thread can be started, this one does all the work.
            let others: Vec<_> = (1..n_threads)
                .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            found.join(work());
            for other in others {
                match other.join() {
                    Ok(part) => found.join(part),
                    Err(panic) => panic::resume_unwind(panic),
                }
            }
        });
        found.sorted()
    }

    fn work(&self, queue: &Queue<Task>) -> Found {
        let mut found = Found::default();
        while let Some(task) = queue.take() {
            match &*task {
                Task::Folder(folder) => self.enter(folder, queue, &mut found),
                Task::Files(files) => self.look_at_each(files, &mut found),
            }
        }
        found
    }

    fn enter(&self, folder: &Folder, queue: &Queue<Task>, found: &mut Found) {
        let path = self.root.join(&folder.path);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) => return found.skip(&folder.path, reason(&error)),
        };
        found.watched.folders.push(path);
        let mut present = Present::default();
        let mut all = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => {
                    let name = entry.file_name();
                    present.note(&name);
                    all.push((entry, name));
                }
                Err(error) => found.skip(&folder.path, reason(&error)),
            }
        }
        let troubles = &mut found.listing.skipped;
        let state = match self.selection.enter(&folder.path, present, &folder.towards, troubles) {
            Ok(state) => state,
            Err(_) => return found.listing.own_repositories.push(folder.path.clone()),
        };
        if present.has_git() {
            found.note_repository(&state);
        }
        let mut files = Vec::new();
        for (entry, name) in all {
            self.sort(entry, &name, folder, &state, &mut files, queue, found);
        }
        self.look_at_all(Files { files, repository: state.repository().cloned() }, queue, found);
    }

    /// Omits an entry, counts it, or queues it.
    #[expect(clippy::too_many_arguments, reason = "all that a folder's entry depends on, and where it goes")]
    fn sort(
        &self,
        entry: DirEntry,
        name: &OsStr,
        folder: &Folder,
        state: &FolderState,
        files: &mut Vec<File>,
        queue: &Queue<Task>,
        found: &mut Found,
    ) {
        let path = below(&folder.path, &name.to_string_lossy());
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) => return found.skip(&path, reason(&error)),
        };
        let taken = match self.selection.judge(state, &path, kind.is_dir()) {
            Ok(taken) => taken,
            Err(why) => return found.count(&why),
        };
        match kind {
            kind if kind.is_symlink() => found.listing.excluded.links += 1,
            kind if !kind.is_file() && !kind.is_dir() => found.listing.excluded.special += 1,
            _ if name.to_str().is_none() => found.skip(&path, SkipReason::NotUtf8),
            kind if kind.is_dir() => queue.add(Task::Folder(Folder { path, towards: state.towards(taken) })),
            _ => files.push(File { path, entry }),
        }
    }

    /// Looks at the files of a folder; in a very large one, other threads help.
    fn look_at_all(&self, mut all: Files, queue: &Queue<Task>, found: &mut Found) {
        while all.files.len() > FILES_PER_TASK {
            let files = all.files.split_off(all.files.len() - FILES_PER_TASK);
            queue.add(Task::Files(Files { files, repository: all.repository.clone() }));
        }
        self.look_at_each(&all, found);
    }

    fn look_at_each(&self, Files { files, repository }: &Files, found: &mut Found) {
        files.iter().for_each(|file| self.look_at(file, repository.as_deref(), found));
    }

    fn look_at(&self, file: &File, repository: Option<&Repository>, found: &mut Found) {
        let path = file.path.clone();
        match file.entry.metadata() {
            Ok(metadata) => {
                let is_too_large = metadata.len() > max_bytes_of(&path, self.max_file_bytes);
                let stamp = FileStamp::from_metadata(&metadata);
                let is_in_git = repository.is_some_and(|it| it.has_content_of(&path, stamp));
                let entry = Entry { path, stamp, is_in_git };
                let list =
                    if is_too_large { &mut found.listing.too_large } else { &mut found.listing.entries };
                list.push(entry);
            }
            Err(error) => found.skip(&path, reason(&error)),
        }
    }
}

impl Found {
    fn skip(&mut self, path: &str, reason: SkipReason) {
        self.listing.skipped.push(Skipped { path: path.to_owned(), reason });
    }

    /// Files that ignore files exclude are not counted.
    fn count(&mut self, why: &WhyLeftOut) {
        let counts = &mut self.listing.excluded;
        match why {
            WhyLeftOut::Hidden => counts.hidden += 1,
            WhyLeftOut::BuildOutput | WhyLeftOut::Dependencies => counts.skipped_folders += 1,
            WhyLeftOut::Ignored => counts.ignored += 1,
            WhyLeftOut::Setting => counts.by_setting += 1,
            _ => {}
        }
    }

    fn note_repository(&mut self, state: &FolderState) {
        self.watched.repositories.extend(state.repository().cloned());
    }

    fn join(&mut self, mut other: Found) {
        self.listing.entries.append(&mut other.listing.entries);
        self.listing.too_large.append(&mut other.listing.too_large);
        self.listing.skipped.append(&mut other.listing.skipped);
        self.listing.excluded += other.listing.excluded;
        self.listing.own_repositories.append(&mut other.listing.own_repositories);
        self.watched.folders.append(&mut other.watched.folders);
        self.watched.repositories.append(&mut other.watched.repositories);
    }

    fn sorted(mut self) -> (Listing, Watched) {
        let listing = &mut self.listing;
        listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        listing.too_large.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        listing.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        listing.own_repositories.sort_unstable();
        self.watched.folders.sort_unstable();
        (self.listing, self.watched)
    }
}

impl AddAssign for ExcludedCounts {
    fn add_assign(&mut self, other: Self) {
        self.hidden += other.hidden;
        self.skipped_folders += other.skipped_folders;
        self.ignored += other.ignored;
        self.by_setting += other.by_setting;
        self.links += other.links;
        self.special += other.special;
    }
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

pub(crate) fn reason(error: &io::Error) -> SkipReason {
    match error.kind() {
        io::ErrorKind::NotFound => SkipReason::Vanished,
        io::ErrorKind::InvalidFilename => SkipReason::PathTooLong,
        _ => SkipReason::Unreadable { message: error.to_string() },
    }
}

/// A path below the root without the root; the path itself when it is not below.
pub(crate) fn relative_to<'path>(root: &Path, path: &'path Path) -> &'path Path {
    path.strip_prefix(root).unwrap_or(path)
}

/// A relative path as Craig keeps it. `None` when it is not UTF-8.
pub(crate) fn slash_separated(relative: &Path) -> Option<String> {
    let path = relative.to_str()?;
    Some(if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() })
}

pub(crate) fn lossy(relative: &Path) -> String {
    let path: &OsStr = relative.as_os_str();
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
