//! Opens files by paths that had no link on them when they were found: one that was put there since is not followed.

use std::{fs::File, io, path::Path};

/// Opens a file for reading. Fails with [`is_link`] when any part of its path is a link, and never waits, not even for a pipe.
#[cfg(target_os = "linux")]
pub(crate) fn open_without_links(path: &Path) -> io::Result<File> {
    use rustix::{
        fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
        io::Errno,
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(file.into()),
        // Kernels before 5.6 do not have the call, and some containers do not let it through.
        Err(Errno::NOSYS | Errno::PERM) => {
            open_with(path, OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::NONBLOCK)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn open_without_links(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    // `O_NOFOLLOW_ANY` of macOS; elsewhere only the last part is held against links.
    let any =
        if cfg!(target_vendor = "apple") { OFlags::from_bits_retain(0x2000_0000) } else { OFlags::NOFOLLOW };
    open_with(path, any | OFlags::NOCTTY | OFlags::NONBLOCK)
}

#[cfg(not(unix))]
pub(crate) fn open_without_links(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn open_with(path: &Path, flags: rustix::fs::OFlags) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

/// Whether opening failed because of a link.
pub(crate) fn is_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    let loops = Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    let loops = None;
    loops.is_some() && error.raw_os_error() == loops
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn no_part_of_a_path_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("private/deep")).unwrap();
        fs::create_dir(base.join("project")).unwrap();
        fs::write(base.join("private/deep/key"), "secret").unwrap();
        fs::write(base.join("project/file"), "text").unwrap();
        symlink(base.join("private"), base.join("project/folder")).unwrap();
        symlink(base.join("private/deep/key"), base.join("project/key")).unwrap();
        symlink("/dev/zero", base.join("project/zero")).unwrap();
        assert_eq!(
            io::read_to_string(open_without_links(&base.join("project/file")).unwrap()).unwrap(),
            "text"
        );
        for path in ["project/folder/deep/key", "project/key", "project/zero"] {
            assert!(is_link(&open_without_links(&base.join(path)).unwrap_err()), "{path}");
        }
    }
}
