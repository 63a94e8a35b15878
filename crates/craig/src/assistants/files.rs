//! Configuration files, which are read and written atomically.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The target of a path: a link in a home directory usually leads to a folder of dotfiles, and must be preserved.
pub(super) fn real(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(path.to_owned()),
        Err(error) => Err(error),
    }
}

/// The text of a file; `None` when there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(io::Error::other("it is not UTF-8 text"))
        }
        Err(error) => Err(error),
    }
}

/// The sorted names of a folder's entries; empty if it cannot be read.
pub(super) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Writes a temporary file and renames it, so readers see the old or the new text. Permissions are preserved.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".craig-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    let permissions =
        fs::metadata(path).map_or_else(|_| of_new_files(), |metadata| Ok(metadata.permissions()))?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Only the owner gets access, since configuration may contain keys.
#[cfg(unix)]
fn of_new_files() -> io::Result<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn of_new_files() -> io::Result<Permissions> {
    Ok(fs::metadata(std::env::temp_dir())?.permissions())
}

/// Removes a file, and those of the folders that are empty afterwards.
pub(super) fn remove(path: &Path, folders: &[PathBuf]) -> io::Result<()> {
    fs::remove_file(path)?;
    // A folder that has other files by now is kept.
    folders.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    Ok(())
}

/// Missing folders above a path, outermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}
