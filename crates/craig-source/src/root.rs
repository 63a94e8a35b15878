//! The folder of a project: checked once, canonical from then on.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::SourceError;

/// The root of a project: an existing, readable directory with a canonical UTF-8 path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Root {
    path: PathBuf,
}

impl Root {
    /// Checks a directory and makes its path canonical: absolute, without links, `.` and `..`.
    ///
    /// Fails if it is missing, a file, unreadable, too long or not UTF-8; each error includes advice.
    pub fn open(path: impl AsRef<Path>) -> Result<Root, SourceError> {
        let given = path.as_ref();
        let path = given.canonicalize().map_err(|error| refusal(given, error))?;
        if path.to_str().is_none() {
            return Err(SourceError::RootNotUtf8 { path });
        }
        if !path.is_dir() {
            return Err(SourceError::RootIsFile { path: given.to_owned() });
        }
        fs::read_dir(&path).map_err(|error| refusal(given, error))?;
        Ok(Root { path })
    }

    /// The canonical path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The canonical path as text.
    pub fn as_str(&self) -> &str {
        self.path.to_str().unwrap_or_default()
    }

    /// The directory's own name, a fair first name for the project. Empty for `/`.
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// Linux's `PATH_MAX`. A longer path fails part by part, as if it were missing, so its length is checked first.
const MAX_PATH_BYTES: usize = 4_096;

fn refusal(given: &Path, error: io::Error) -> SourceError {
    let path = given.to_owned();
    let length_bytes = given.as_os_str().len();
    match error.kind() {
        io::ErrorKind::InvalidFilename => SourceError::RootTooLong { length_bytes },
        io::ErrorKind::NotFound if length_bytes >= MAX_PATH_BYTES => {
            SourceError::RootTooLong { length_bytes }
        }
        io::ErrorKind::NotFound => SourceError::RootMissing { path },
        io::ErrorKind::NotADirectory => SourceError::RootIsFile { path },
        io::ErrorKind::PermissionDenied => SourceError::RootUnreadable { path, source: error },
        _ => SourceError::RootUnusable { path, source: error },
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn message(path: impl AsRef<Path>, base: &Path) -> String {
        let error = Root::open(path).unwrap_err().to_string();
        error.replace(&*base.to_string_lossy(), "BASE")
    }

    #[test]
    fn errors_about_the_root_say_what_to_do() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path();
        fs::write(base.join("file"), "").unwrap();
        symlink("loop", base.join("loop")).unwrap();

        let missing = message(base.join("nowhere"), base);
        let file = message(base.join("file"), base);
        let below_file = message(base.join("file/below"), base);
        let circle = message(base.join("loop"), base);
        let long = message(base.join("d/".repeat(2500)), Path::new("BASE"));
        expect_test::expect![[r#"
            no such directory: BASE/nowhere; check the spelling, or give an absolute path
            BASE/file is a file; give the directory that contains it
            BASE/file/below is a file; give the directory that contains it
            cannot open the directory BASE/loop: Too many levels of symbolic links (os error 40)
            "#]]
        .assert_eq(&format!("{missing}\n{file}\n{below_file}\n{circle}\n"));
        assert!(long.starts_with("the directory's path is too long for this system (50"), "{long}");
    }

    #[test]
    fn a_link_and_spaces_lead_to_the_canonical_path() {
        let base = tempfile::tempdir().unwrap();
        let real = base.path().canonicalize().unwrap().join("a project");
        fs::create_dir(&real).unwrap();
        symlink(&real, base.path().join("link")).unwrap();

        let root = Root::open(base.path().join("link/../link/.")).unwrap();
        assert_eq!(root.path(), real);
        assert_eq!(root.name(), "a project");
    }

    #[test]
    fn a_root_that_is_no_text_is_refused() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let base = tempfile::tempdir().unwrap();
        let bad = base.path().join(OsStr::from_bytes(b"caf\xe9"));
        fs::create_dir(&bad).unwrap();
        assert!(matches!(Root::open(&bad), Err(SourceError::RootNotUtf8 { .. })));
    }
}
