//! The databases that this process has open: their files belong to no project, or each answer would change its own source.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Canonical paths. Locked for writing when a database is opened, for reading once for each set of rules.
static OWN: RwLock<BTreeSet<PathBuf>> = RwLock::new(BTreeSet::new());

/// From now on, no project of this process has these files and folders of a database, whether or not they exist yet.
pub fn leave_out_database(paths: impl IntoIterator<Item = PathBuf>) {
    // A path whose folder cannot be resolved is in no directory that can be walked.
    let canonical = |path: PathBuf| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    let paths = paths.into_iter().filter_map(canonical);
    OWN.write().unwrap_or_else(PoisonError::into_inner).extend(paths);
}

/// What is left out below `root`, relative to it.
pub(crate) fn below(root: &Path) -> HashSet<String> {
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    let inside = own.iter().filter_map(|path| path.strip_prefix(root).ok()?.to_str());
    inside.map(|path| path.replace('\\', "/")).collect()
}
