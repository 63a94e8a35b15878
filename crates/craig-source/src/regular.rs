//! Opens only regular files: a `.gitignore` in a repository may be a link, a pipe or a device.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use crate::open::open_without_links;

/// Opens a file for reading; `None` if the path is a link or leads to anything but a regular file.
///
/// It never waits and has no side effect: a pipe would wait for its writer, and some devices act when they are opened. The
/// second check holds against a file that is replaced between the two.
pub(crate) fn open_regular(path: &Path) -> io::Result<Option<File>> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = open_without_links(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}
