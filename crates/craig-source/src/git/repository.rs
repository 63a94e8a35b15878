//! A working tree of git: where its own data is, and what it tracks.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::index::{BadIndex, TrackedPaths};
use crate::{ContentHash, FileStamp, place::Place, regular::open_regular};

/// A working tree at the root of a project, around it or below it.
#[derive(Debug)]
pub(crate) struct Repository {
    place: Place,
    git_folder: PathBuf,
    paths: TrackedPaths,
}

impl Repository {
    /// The working tree at `folder`, which contains a `.git` and is at `place`; `None` if it is not a repository.
    ///
    /// Fails if its index cannot be used.
    pub(crate) fn open(folder: &Path, place: Place) -> Result<Option<Repository>, BadIndex> {
        // A `.git` may be a link, as in working trees of Android's `repo`.
        let Some(git_folder) = git_folder(&folder.join(".git")).and_then(|path| path.canonicalize().ok())
        else {
            return Ok(None);
        };
        let paths = TrackedPaths::read(&git_folder)?;
        Ok(Some(Repository { place, git_folder, paths }))
    }

    /// Whether git tracks the file at a path relative to the project's root.
    pub(crate) fn tracks_file(&self, relative: &str) -> bool {
        self.place.path(relative).is_some_and(|path| self.paths.contains(&path))
    }

    /// Whether git has the content of the file at a path relative to the project's root, which has this stamp.
    pub(crate) fn has_content_of(&self, relative: &str, stamp: FileStamp) -> bool {
        self.place.path(relative).is_some_and(|path| self.paths.has_content_of(&path, stamp))
    }

    /// Whether git tracks anything in a folder, or the folder as a submodule.
    pub(crate) fn tracks_below(&self, relative: &str) -> bool {
        self.place.path(relative).is_some_and(|path| self.paths.contains_below(&path))
    }

    /// The folder with the index.
    pub(crate) fn git_folder(&self) -> &Path {
        &self.git_folder
    }

    /// Hash of the tracked paths.
    pub(crate) fn hash(&self) -> ContentHash {
        self.paths.hash()
    }
}

/// Hash of the paths that the repository with this git folder tracks now: of none if its index cannot be used.
pub(crate) fn hash_of_tracked(git_folder: &Path) -> ContentHash {
    TrackedPaths::read(git_folder).unwrap_or_default().hash()
}

/// The folder with a working tree's own data: its `.git`, or where that leads if it is a file (a linked worktree, a
/// submodule).
pub(crate) fn git_folder(git: &Path) -> Option<PathBuf> {
    if fs::metadata(git).ok()?.is_dir() {
        return Some(git.to_owned());
    }
    Some(git.parent()?.join(first_line(git)?.strip_prefix("gitdir: ")?))
}

/// The folder that a linked worktree shares with its main checkout; `None` of other working trees.
pub(crate) fn common_folder(git_folder: &Path) -> Option<PathBuf> {
    first_line(&git_folder.join("commondir")).map(|common| git_folder.join(common))
}

/// The file with the ignore rules of the repository whose `.git` this is.
pub(crate) fn exclude_file(git: &Path) -> Option<PathBuf> {
    let git_folder = git_folder(git)?;
    Some(common_folder(&git_folder).unwrap_or(git_folder).join("info/exclude"))
}

fn first_line(path: &Path) -> Option<String> {
    const MAX_LINE_BYTES: u64 = 4_096;
    let mut text = String::new();
    open_regular(path).ok()??.take(MAX_LINE_BYTES).read_to_string(&mut text).ok()?;
    text.lines().next().map(str::to_owned)
}
