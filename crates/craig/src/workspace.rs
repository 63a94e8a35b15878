//! The index of a workspace: the database that an editor keeps in the folder itself, where the command line finds it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use craig_engine::WORKSPACE_FOLDER;

/// The database in that folder.
const DATABASE: &str = "embeddings.db";

/// The database of the workspace that contains `folder`, if an editor has created one. Links are ignored: they may come
/// with a repository and lead anywhere.
pub(crate) fn find_database(folder: &Path) -> Option<PathBuf> {
    let database = |above: &Path| {
        let own = above.join(WORKSPACE_FOLDER);
        let file = own.join(DATABASE);
        let is_there = is_real(&own, fs::Metadata::is_dir) && is_real(&file, fs::Metadata::is_file);
        is_there.then_some(file)
    };
    folder.ancestors().find_map(database)
}

/// The path of the database of the workspace in `folder`, whether it exists or not; version control ignores it.
pub(crate) fn database_in(folder: &Path) -> io::Result<PathBuf> {
    let own = folder.join(WORKSPACE_FOLDER);
    match fs::create_dir(&own) {
        Ok(()) => fs::write(own.join(".gitignore"), "*\n")?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let file = own.join(DATABASE);
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    match is_link(&own) || is_link(&file) {
        true => Err(io::Error::other(format!("{} is a link: remove it", file.display()))),
        false => Ok(file),
    }
}

fn is_real(path: &Path, is_kind: fn(&fs::Metadata) -> bool) -> bool {
    path.symlink_metadata().is_ok_and(|found| is_kind(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_found_from_folders_below() {
        let root = tempfile::tempdir().unwrap();
        let below = root.path().join("src/deep");
        fs::create_dir_all(&below).unwrap();
        assert_eq!(find_database(&below), None);
        let database = database_in(root.path()).unwrap();
        fs::write(&database, "").unwrap();
        assert_eq!(find_database(&below), Some(database.clone()));
        assert_eq!(database_in(root.path()).unwrap(), database);
        assert_eq!(fs::read_to_string(root.path().join(WORKSPACE_FOLDER).join(".gitignore")).unwrap(), "*\n");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused() {
        let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join(DATABASE), "").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), root.path().join(WORKSPACE_FOLDER)).unwrap();
        assert_eq!(find_database(root.path()), None);
        assert!(database_in(root.path()).unwrap_err().to_string().contains("is a link"));
    }
}
