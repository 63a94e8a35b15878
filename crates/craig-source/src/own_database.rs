//! The databases that this process has open: their files belong to no project, or each answer would change its own source.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Canonical paths.
static DATABASES: RwLock<BTreeSet<PathBuf>> = RwLock::new(BTreeSet::new());

/// What the names of a database's files and folder end with: itself, SQLite's log, its index, its journal, and what is derived.
const ENDINGS: [&str; 5] = ["", "-wal", "-shm", "-journal", ".d"];

/// From now on, no project of this process has the files of the database at `path`, which must exist; nor has it the folder
/// `path.d`.
pub fn leave_out_database(path: &Path) {
    // A path that cannot be resolved is in no directory that can be walked.
    if let Ok(path) = path.canonicalize() {
        DATABASES.write().unwrap_or_else(PoisonError::into_inner).insert(path);
    }
}

/// The files and folders of databases below `root`, relative to it.
pub(crate) fn below(root: &Path) -> HashSet<String> {
    let databases = DATABASES.read().unwrap_or_else(PoisonError::into_inner);
    let inside = databases.iter().filter_map(|path| path.strip_prefix(root).ok()?.to_str());
    inside
        .map(|path| path.replace('\\', "/"))
        .flat_map(|path| ENDINGS.map(|ending| format!("{path}{ending}")))
        .collect()
}
