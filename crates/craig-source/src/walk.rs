//! Finds the files of a project.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Sender},
    },
    thread,
};

use ignore::{DirEntry, WalkState};
use serde::{Deserialize, Serialize};

use crate::{
    FileStamp, Root, SourceError, SourceOptions,
    rules::{Excluded, Rules, walk_builder},
};

/// The files of a project that are tracked, and what a user should hear of the others.
///
/// All lists are sorted by the bytes of the path, so the same tree gives the same listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files to track.
    pub entries: Vec<Entry>,
    /// What could not be looked at. Each one makes an ingest partial.
    pub skipped: Vec<Skipped>,
    /// Files left out for their size: no trouble, but a surprise to whoever looks for them.
    pub too_large: Vec<Entry>,
    /// How much was left out on purpose.
    pub excluded: ExcludedCounts,
}

/// One tracked file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path relative to the root, `/`-separated.
    pub path: String,
    /// What the file system said during the walk.
    pub stamp: FileStamp,
}

/// A file or folder that could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Path relative to the root, with replacement characters where it is not UTF-8. Empty for the root.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why a file or folder could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// No permission, or a failing disk.
    #[error("cannot be read: {message}")]
    Unreadable {
        /// What the system said.
        message: String,
    },
    /// The name is not UTF-8.
    #[error("its name is not valid UTF-8; rename it to have it tracked")]
    NotUtf8,
    /// The system refuses a path of this length.
    #[error("its path is too long for this system")]
    PathTooLong,
    /// It was there a moment ago.
    #[error("it vanished during the walk")]
    Vanished,
    /// An ignore file has a line that means nothing; its other lines hold.
    #[error("an ignore file has a bad line: {message}")]
    BadIgnoreLine {
        /// Which file, which line, what is wrong.
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
    /// Files and folders left out by a glob of the options.
    pub by_glob: u64,
    /// Symbolic links.
    pub links: u64,
    /// Sockets, pipes, devices.
    pub special: u64,
}

/// Lists the files of a project.
///
/// Ignore files hold in plain directories just as in git repositories; `.pukuignore` is stronger than `.ignore`, that
/// is stronger than `.gitignore`. Links are not followed, neither to files nor to folders: what they show lies in the
/// root under its own path, or outside, where Craig has no business; so every walk ends. Files are tracked by path
/// relative to the root.
///
/// Fails only for a bad glob in the options; trouble below the root is reported in the listing.
pub fn walk(root: &Root, options: &SourceOptions) -> Result<Listing, SourceError> {
    walk_with_folders(root, options).map(|(listing, _)| listing)
}

/// Lists the files of a project, and the folders entered on the way, the root among them.
pub(crate) fn walk_with_folders(
    root: &Root,
    options: &SourceOptions,
) -> Result<(Listing, Vec<PathBuf>), SourceError> {
    let rules = Rules::new(root, options)?;
    let counts = Arc::new(Counts::default());
    let mut builder = walk_builder(root, options);
    builder.threads(thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS));
    let (root_path, filter_counts) = (root.path().to_owned(), Arc::clone(&counts));
    builder.filter_entry(move |entry| {
        let excluded = rules.exclude(relative_to(&root_path, entry.path()), is_dir(entry));
        filter_counts.count(excluded);
        excluded.is_none()
    });

    let (sender, found) = mpsc::channel();
    builder.build_parallel().run(|| {
        let sender = sender.clone();
        Box::new(move |result| {
            look_at(result, root.path(), options, &sender);
            WalkState::Continue
        })
    });
    drop(sender);
    Ok(sort_out(found.into_iter().collect(), &counts))
}

/// More threads wait for each other on the directory queue.
const MAX_THREADS: usize = 8;

/// One thing met on the walk.
enum Found {
    File(Entry),
    TooLarge(Entry),
    Folder(PathBuf),
    Link,
    Special,
    Skipped(Skipped),
}

fn look_at(
    result: Result<DirEntry, ignore::Error>,
    root: &Path,
    options: &SourceOptions,
    sender: &Sender<Found>,
) {
    // The receiver outlives the walk, so sending cannot fail.
    let tell = |found| drop(sender.send(found));
    match result {
        Ok(entry) => {
            if let Some(error) = entry.error() {
                tell(Found::Skipped(bad_ignore_line(root, entry.path(), error)));
            }
            tell(classify(&entry, root, options));
        }
        Err(error) => tell(Found::Skipped(skip(root, &error))),
    }
}

fn classify(entry: &DirEntry, root: &Path, options: &SourceOptions) -> Found {
    match entry.file_type() {
        Some(kind) if kind.is_dir() => Found::Folder(entry.path().to_owned()),
        Some(kind) if kind.is_symlink() => Found::Link,
        Some(kind) if kind.is_file() => classify_file(entry, root, options.max_file_size_bytes),
        _ => Found::Special,
    }
}

fn classify_file(entry: &DirEntry, root: &Path, max_size_bytes: u64) -> Found {
    let relative = relative_to(root, entry.path());
    let Some(path) = slash_separated(relative) else {
        return Found::Skipped(Skipped { path: lossy(relative), reason: SkipReason::NotUtf8 });
    };
    match entry.metadata() {
        Ok(metadata) if metadata.len() > max_size_bytes => {
            Found::TooLarge(Entry { path, stamp: FileStamp::of(&metadata) })
        }
        Ok(metadata) => Found::File(Entry { path, stamp: FileStamp::of(&metadata) }),
        Err(error) => Found::Skipped(Skipped { path, reason: reason(&error) }),
    }
}

pub(crate) fn skip(root: &Path, error: &ignore::Error) -> Skipped {
    let path = path_of(error).map(|path| lossy(relative_to(root, path))).unwrap_or_default();
    Skipped { path, reason: reason(error) }
}

fn reason(error: &ignore::Error) -> SkipReason {
    match error.io_error().map(io::Error::kind) {
        Some(io::ErrorKind::NotFound) => SkipReason::Vanished,
        Some(io::ErrorKind::InvalidFilename) => SkipReason::PathTooLong,
        _ => SkipReason::Unreadable {
            message: error.io_error().map_or_else(|| error.to_string(), io::Error::to_string),
        },
    }
}

fn bad_ignore_line(root: &Path, folder: &Path, error: &ignore::Error) -> Skipped {
    let message = error.to_string().replace(&format!("{}/", root.display()), "");
    Skipped { path: lossy(relative_to(root, folder)), reason: SkipReason::BadIgnoreLine { message } }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(errors) => errors.first().and_then(path_of),
        _ => None,
    }
}

fn sort_out(found: Vec<Found>, counts: &Counts) -> (Listing, Vec<PathBuf>) {
    let mut listing = Listing { excluded: counts.totals(), ..Listing::default() };
    let mut folders = Vec::new();
    for found in found {
        match found {
            Found::File(entry) => listing.entries.push(entry),
            Found::TooLarge(entry) => listing.too_large.push(entry),
            Found::Folder(path) => folders.push(path),
            Found::Link => listing.excluded.links += 1,
            Found::Special => listing.excluded.special += 1,
            Found::Skipped(skipped) => listing.skipped.push(skipped),
        }
    }
    listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.too_large.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    folders.sort_unstable();
    (listing, folders)
}

/// Counts kept by the filter, which the walker's threads share.
#[derive(Default)]
struct Counts {
    hidden: AtomicU64,
    skipped_folders: AtomicU64,
    by_glob: AtomicU64,
}

impl Counts {
    fn count(&self, excluded: Option<Excluded>) {
        let counter = match excluded {
            Some(Excluded::Hidden) => &self.hidden,
            Some(Excluded::SkippedFolder) => &self.skipped_folders,
            Some(Excluded::Glob) => &self.by_glob,
            None => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    fn totals(&self) -> ExcludedCounts {
        ExcludedCounts {
            hidden: self.hidden.load(Ordering::Relaxed),
            skipped_folders: self.skipped_folders.load(Ordering::Relaxed),
            by_glob: self.by_glob.load(Ordering::Relaxed),
            ..ExcludedCounts::default()
        }
    }
}

fn is_dir(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
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
