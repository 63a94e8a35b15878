//! Detects without a walk whether any file of a project has changed.

use std::path::Path;

use super::events::{Cookie, Events};
use crate::{Root, SourceOptions};

/// Detects changes of a project's files: as long as there are none, nobody needs to walk over them.
///
/// It is exact where the system reports changes in their order, on Linux and on local file systems. Two kinds of change
/// are not reported: writes into memory that is mapped from a file, and writes through a hard link from elsewhere.
#[derive(Debug)]
pub struct ChangeDetector {
    events: Events,
    cookie: Cookie,
}

/// More folders are not watched: a system has so many watches for all programs of a user, 8,192 on old ones.
const MAX_FOLDERS: usize = 4_096;

impl ChangeDetector {
    /// Watches from now on. `None` if the system's events cannot be relied on: other systems than Linux, network
    /// drives, trees with too many folders.
    ///
    /// Cookie files are made and removed in the folder `cookies`, which several detectors may share and which is
    /// outside of the project.
    pub fn start(root: &Root, options: &SourceOptions, cookies: &Path) -> Option<Self> {
        if !is_local(root) {
            return None;
        }
        let mut events = Events::start(root, options).ok()?.ok()?;
        let cookie = Cookie::new(cookies).ok()?;
        events.watch_cookie(&cookie).ok()?;
        let detector = Self { events, cookie };
        let is_exact = detector.events.folders().count() <= MAX_FOLDERS && detector.is_one_file_system(root);
        is_exact.then_some(detector)
    }

    /// Whether anything may have changed since the last call or, in the first one, since the start. `None` when the system
    /// reports no changes any more: nothing is known from now on.
    pub fn has_changes(&mut self) -> Option<bool> {
        self.events.drain_until(&self.cookie).ok()
    }

    #[cfg(unix)]
    fn is_one_file_system(&self, root: &Root) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let device = |path: &Path| path.metadata().ok().map(|metadata| metadata.dev());
        let own = device(root.path());
        self.events.folders().all(|folder| device(folder) == own)
    }

    #[cfg(not(unix))]
    fn is_one_file_system(&self, _: &Root) -> bool {
        true
    }
}

/// File systems on which nobody but this machine writes, by the numbers of Linux's `magic.h`.
#[cfg(target_os = "linux")]
const LOCAL_FILE_SYSTEMS: [u32; 8] = [
    0xEF53,      // ext2, ext3, ext4
    0x9123_683E, // Btrfs
    0x5846_5342, // XFS
    0x0102_1994, // tmpfs
    0x2FC1_2FC1, // ZFS
    0xF2F5_2010, // F2FS
    0xCA45_1A4E, // bcachefs
    0x794C_7630, // overlayfs, of containers
];

#[cfg(target_os = "linux")]
fn is_local(root: &Root) -> bool {
    // The type is of another width on each architecture; these are its low 32 bits.
    rustix::fs::statfs(root.path()).is_ok_and(|system| LOCAL_FILE_SYSTEMS.contains(&(system.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_local(_: &Root) -> bool {
    false
}
