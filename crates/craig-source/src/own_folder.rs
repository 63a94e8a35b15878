//! Craig's own folders in a repository.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};

use crate::Root;

/// A folder of a project's root that belongs to Craig, such as `.aidocs`.
///
/// A repository may bring anything under the names that Craig uses. So the folder is held by a handle, nothing in it is
/// reached through a link, and what is made in it belongs to its owner alone.
#[derive(Debug)]
pub struct OwnFolder {
    path: PathBuf,
    handle: system::Handle,
}

/// The identity of a file, which distinguishes it from a replacement under the same name, as git writes them: the
/// numbers that the file system gave it, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity {
    inode: u64,
    /// Nanoseconds since the Unix epoch; 0 where the file system does not keep it.
    born_ns: u64,
}

/// The kind of entry under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Nothing,
    /// A regular file, under this name alone.
    File(FileIdentity),
    /// The same, without content.
    EmptyFile(FileIdentity),
    /// Something that Craig did not make: a link, another name of a file, a folder, a pipe.
    Foreign,
}

impl Entry {
    /// The identity of the file; none if it is not a file of Craig's.
    pub fn identity(self) -> Option<FileIdentity> {
        match self {
            Self::File(identity) | Self::EmptyFile(identity) => Some(identity),
            Self::Nothing | Self::Foreign => None,
        }
    }
}

impl OwnFolder {
    /// Opens the folder `name` of `root`. Fails when it is missing, or is a link or a file.
    pub fn open(root: &Root, name: &str) -> io::Result<Self> {
        let path = root.path().join(name);
        let handle = system::open_folder(root.path(), name).map_err(|error| refusal(&path, error))?;
        Ok(Self { path, handle })
    }

    /// The same, making it when it is missing; its permissions are its owner's alone.
    pub fn make(root: &Root, name: &str) -> io::Result<Self> {
        let folder = match Self::open(root, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                system::make_folder(root.path(), name)?;
                Self::open(root, name)?
            }
            opened => opened?,
        };
        system::restrict(&folder.handle)?;
        Ok(folder)
    }

    /// The folder's path: the root's canonical path and its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind of entry under `name`.
    pub fn entry(&self, name: &str) -> io::Result<Entry> {
        match fs::symlink_metadata(self.path.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Entry::Nothing),
            Err(error) => Err(error),
            Ok(metadata) if !metadata.is_file() || !system::has_one_name(&metadata) => Ok(Entry::Foreign),
            Ok(metadata) => {
                let born = metadata.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
                let born_ns = born.and_then(|born| u64::try_from(born.as_nanos()).ok()).unwrap_or(0);
                let identity = FileIdentity { inode: system::inode(&metadata), born_ns };
                Ok(if metadata.len() == 0 { Entry::EmptyFile(identity) } else { Entry::File(identity) })
            }
        }
    }

    /// Makes the file `name` and opens it for writing. Fails when there is anything under that name.
    pub fn create(&self, name: &str) -> io::Result<File> {
        system::create(&self.handle, name)
    }

    /// Opens the file `name` for reading. Fails for links.
    pub fn read(&self, name: &str) -> io::Result<File> {
        system::read(&self.handle, name)
    }

    /// Removes what is under `name`: a link, not what it leads to. Nothing to remove is no error; a folder is one.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match system::remove(&self.handle, name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(refusal(&self.path.join(name), error))
            }
            _ => Ok(()),
        }
    }

    /// Puts a file of these bytes in the place of `name`, in one step.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = format!("{name}.new");
        self.remove(&new)?;
        self.create(&new)?.write_all(bytes)?;
        system::rename(&self.handle, &new, name)
    }
}

fn refusal(path: &Path, error: io::Error) -> io::Error {
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    match is_link {
        true => io::Error::new(
            error.kind(),
            format!("{} is a link, and Craig follows none there", path.display()),
        ),
        false => error,
    }
}

#[cfg(unix)]
mod system {
    use std::{
        fs::{File, Metadata},
        io,
        os::fd::OwnedFd,
        os::unix::fs::MetadataExt as _,
        path::Path,
    };

    use rustix::fs::{AtFlags, Mode, OFlags};

    pub(super) type Handle = OwnedFd;

    const FOLDER: OFlags =
        OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// `root` is canonical, so that it has no link either.
    pub(super) fn open_folder(root: &Path, name: &str) -> io::Result<Handle> {
        let root = rustix::fs::open(root, FOLDER, Mode::empty())?;
        Ok(rustix::fs::openat(root, name, FOLDER, Mode::empty())?)
    }

    pub(super) fn make_folder(root: &Path, name: &str) -> io::Result<()> {
        let root = rustix::fs::open(root, FOLDER, Mode::empty())?;
        match rustix::fs::mkdirat(root, name, Mode::RWXU) {
            Err(error) if error != rustix::io::Errno::EXIST => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Takes the permissions on a folder from everybody but its owner, if it is this user.
    pub(super) fn restrict(folder: &Handle) -> io::Result<()> {
        let found = rustix::fs::fstat(folder)?;
        let is_own = found.st_uid == rustix::process::geteuid().as_raw();
        if is_own && found.st_mode & 0o077 != 0 {
            rustix::fs::fchmod(folder, Mode::from_raw_mode(found.st_mode & 0o700))?;
        }
        Ok(())
    }

    pub(super) fn has_one_name(metadata: &Metadata) -> bool {
        metadata.nlink() <= 1
    }

    pub(super) fn inode(metadata: &Metadata) -> u64 {
        metadata.ino()
    }

    pub(super) fn create(folder: &Handle, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Does not wait for a writer of a pipe.
    pub(super) fn read(folder: &Handle, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?.into())
    }

    pub(super) fn remove(folder: &Handle, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?)
    }

    pub(super) fn rename(folder: &Handle, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(folder, from, folder, to)?)
    }
}

/// Uses paths that are checked before use, because the standard library has no folder handles on these systems.
#[cfg(not(unix))]
mod system {
    use std::{
        fs::{self, File, Metadata},
        io,
        path::{Path, PathBuf},
    };

    pub(super) type Handle = PathBuf;

    pub(super) fn open_folder(root: &Path, name: &str) -> io::Result<Handle> {
        let path = root.join(name);
        match fs::symlink_metadata(&path)?.is_dir() {
            true => Ok(path),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn make_folder(root: &Path, name: &str) -> io::Result<()> {
        fs::create_dir(root.join(name))
    }

    pub(super) fn restrict(_: &Handle) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn has_one_name(_: &Metadata) -> bool {
        true
    }

    pub(super) fn inode(_: &Metadata) -> u64 {
        0
    }

    pub(super) fn create(folder: &Handle, name: &str) -> io::Result<File> {
        File::create_new(folder.join(name))
    }

    pub(super) fn read(folder: &Handle, name: &str) -> io::Result<File> {
        File::open(folder.join(name))
    }

    pub(super) fn remove(folder: &Handle, name: &str) -> io::Result<()> {
        fs::remove_file(folder.join(name))
    }

    pub(super) fn rename(folder: &Handle, from: &str, to: &str) -> io::Result<()> {
        fs::rename(folder.join(from), folder.join(to))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_folder_is_its_owners_alone_and_no_link() {
        let base = tempfile::tempdir().unwrap();
        let root = Root::open(base.path()).unwrap();
        assert_eq!(OwnFolder::open(&root, ".own").unwrap_err().kind(), io::ErrorKind::NotFound);
        let own = OwnFolder::make(&root, ".own").unwrap();
        own.replace("page", b"text").unwrap();
        assert_eq!((mode(own.path()), mode(&own.path().join("page"))), (0o700, 0o600));

        fs::set_permissions(own.path(), fs::Permissions::from_mode(0o755)).unwrap();
        OwnFolder::make(&root, ".own").unwrap();
        assert_eq!(mode(own.path()), 0o700);

        symlink(own.path(), base.path().join("link")).unwrap();
        let refused = OwnFolder::make(&root, "link").unwrap_err().to_string();
        assert!(refused.contains("link is a link"), "{refused}");
    }

    #[test]
    fn links_are_replaced_and_removed_but_not_followed() {
        let base = tempfile::tempdir().unwrap();
        let own = OwnFolder::make(&Root::open(base.path()).unwrap(), ".own").unwrap();
        let outside = base.path().join("outside");
        fs::write(&outside, "mine").unwrap();
        for name in ["page", "page.new", "other"] {
            symlink(&outside, own.path().join(name)).unwrap();
        }
        assert_eq!(own.entry("other").unwrap(), Entry::Foreign);
        assert!(own.create("other").is_err() && own.read("other").is_err());
        own.replace("page", b"text").unwrap();
        own.remove("other").unwrap();
        own.remove("other").unwrap();
        assert_eq!(fs::read_to_string(own.path().join("page")).unwrap(), "text");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
        assert_eq!(own.entry("other").unwrap(), Entry::Nothing);
    }

    #[test]
    fn a_file_in_the_place_of_another_is_another() {
        let base = tempfile::tempdir().unwrap();
        let own = OwnFolder::make(&Root::open(base.path()).unwrap(), ".own").unwrap();
        own.create("file").unwrap();
        let first = own.entry("file").unwrap();
        assert!(matches!(first, Entry::EmptyFile(_)));
        fs::write(own.path().join("file"), "changed in its place").unwrap();
        assert_eq!(own.entry("file").unwrap(), Entry::File(first.identity().unwrap()));
        // A file system may give the number of a removed file to the next one.
        own.replace("file", b"").unwrap();
        assert_ne!(own.entry("file").unwrap().identity(), first.identity());
        fs::hard_link(own.path().join("file"), base.path().join("second name")).unwrap();
        assert_eq!(own.entry("file").unwrap(), Entry::Foreign);
    }
}
