//! The files of a database, and the folder of what is derived from it: the indexes of its projects, lock files, and
//! whatever else the engine keeps there. It is next to a user's own database; for a database in a repository, it is in
//! the user's data folder.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::access::{LOG, ROLLBACK_JOURNAL, SHARED_MEMORY, with_suffix};
use crate::project::REFERENCE_LENGTH;
use crate::store::{OpenedBy, Place};
use crate::{Project, Store, StoreError};

/// Databases that are set aside under one name, at most.
const MAX_SET_ASIDE: u32 = 999;

impl Store {
    /// The folder on this machine for what is derived from the database, shared by all of its projects. It may be missing.
    pub fn derived_folder(&self) -> &Path {
        &self.place.derived_folder
    }

    /// The database's files, and the folder of what is derived from it; some may not exist yet.
    pub fn own_paths(&self) -> Vec<PathBuf> {
        let mut paths = vec![self.place.derived_folder.clone()];
        if let OpenedBy::File(_) = self.place.opened_by {
            // SQLite keeps its files next to the one that a link leads to.
            let real = self.place.path.canonicalize().unwrap_or_else(|_| self.place.path.clone());
            paths.extend(["", LOG, SHARED_MEMORY, ROLLBACK_JOURNAL].map(|ending| with_suffix(&real, ending)));
        }
        paths
    }

    /// The folder for the search index of `project`. It may be missing.
    pub fn index_folder(&self, project: &Project) -> PathBuf {
        self.place.derived_folder.join(&project.reference)
    }

    /// Folders of indexes whose projects are gone.
    pub fn orphaned_indexes(&self) -> Result<Vec<PathBuf>, StoreError> {
        // Before the projects are listed: the folder of one that is created meanwhile is no orphan.
        let folders = index_folders(&self.place.derived_folder);
        let projects = [self.projects()?, self.groups()?, self.packages()?].concat();
        let known: HashSet<&str> = projects.iter().map(|project| project.reference.as_str()).collect();
        Ok(folders
            .into_iter()
            .filter(|(reference, _)| !known.contains(reference.as_str()))
            .map(|(_, path)| path)
            .collect())
    }

    /// Files and folders of the database that others may read.
    pub fn exposed_paths(&self) -> Vec<PathBuf> {
        let own = [&self.place.path, &self.place.derived_folder];
        own.into_iter().filter(|path| is_exposed(path)).cloned().collect()
    }

    /// Bytes of the database and of everything derived from it.
    pub fn bytes_on_disk(&self) -> u64 {
        let mut seen = HashSet::new();
        let database = match self.place.opened_by {
            OpenedBy::File(_) => bytes_on_disk(&self.place.path, &mut seen),
            OpenedBy::Server(_) => self.bytes_on_server(),
        };
        database + bytes_on_disk(&self.place.derived_folder, &mut seen)
    }

    /// Renames a user's database that cannot be repaired, so that a new one is created when it is next opened; returns its new path.
    ///
    /// Returns `None` and changes nothing if it does not look like one of Craig's.
    pub fn set_aside(path: &Path) -> io::Result<Option<PathBuf>> {
        // Any other file that a user names stays where it is.
        if !Place::from_path(path).derived_folder.is_dir() {
            return Ok(None);
        }
        let names = (1..=MAX_SET_ASIDE).map(|number| with_suffix(path, &format!(".damaged-{number}")));
        let Some(free) = names.into_iter().find(|name| !name.exists()) else {
            return Err(io::Error::other("too many files have been set aside already"));
        };
        for ending in [LOG, SHARED_MEMORY] {
            // They may be missing.
            let _ = fs::rename(with_suffix(path, ending), with_suffix(&free, ending));
        }
        fs::rename(path, &free)?;
        Ok(Some(free))
    }
}

/// Folders that are named as those of indexes, each with its project's reference.
fn index_folders(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let named = folders.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let is_reference =
        |name: &str| name.len() == REFERENCE_LENGTH && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    named.filter(|(name, _)| is_reference(name)).collect()
}

/// Bytes of a file, or of everything in a folder, without files that were `seen` under another name; 0 when it is missing.
fn bytes_on_disk(path: &Path, seen: &mut HashSet<(u64, u64)>) -> u64 {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| bytes_on_disk(&entry.path(), seen)).sum()
        }
        Ok(metadata) if linked_file(&metadata).is_some_and(|file| !seen.insert(file)) => 0,
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

/// Identifies a file that has several names: worktrees share segments.
#[cfg(unix)]
fn linked_file(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.nlink() > 1).then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn linked_file(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Whether others may read a file or folder.
#[cfg(unix)]
pub(crate) fn is_exposed(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_exposed(_: &Path) -> bool {
    false
}
