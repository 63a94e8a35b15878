//! Tells without a walk that nothing has changed.

use std::path::Path;

use super::events::{Events, Fence};
use crate::{Root, SourceOptions};

/// Stands guard over a project's files: as long as nothing has changed, nobody needs to walk over them.
///
/// It is exact where the system tells of changes in their order, on Linux and on file systems of the machine itself. Two
/// kinds of change are not told: writing into memory that is mapped from a file, and through a hard link from elsewhere.
#[derive(Debug)]
pub struct Sentinel {
    events: Events,
    fence: Fence,
}

/// More folders are not watched: a system has so many watches for all programs of a user, 8,192 on old ones.
const MAX_FOLDERS: usize = 4_096;

impl Sentinel {
    /// Stands guard from now on. `None` where the system's word is not enough: other systems than Linux, drives of the
    /// network, trees with too many folders.
    ///
    /// Files are made and removed in the folder `marks`, which several may share and which lies outside of the project.
    pub fn start(root: &Root, options: &SourceOptions, marks: &Path) -> Option<Self> {
        if !is_of_this_machine(root) {
            return None;
        }
        let mut events = Events::start(root, options).ok()?.ok()?;
        let fence = Fence::new(marks).ok()?;
        events.watch_fence(&fence).ok()?;
        let sentinel = Self { events, fence };
        (sentinel.events.folders().count() <= MAX_FOLDERS && sentinel.is_one_file_system(root))
            .then_some(sentinel)
    }

    /// Whether anything may have changed since the last call or, in the first one, since the start. `None` when the system
    /// does not tell any more: nothing is known from now on.
    pub fn may_have_changed(&mut self) -> Option<bool> {
        self.events.have_come(&self.fence).ok()
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
const OWN_FILE_SYSTEMS: [u32; 8] = [
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
fn is_of_this_machine(root: &Root) -> bool {
    // The type is of another width on each architecture; these are its low 32 bits.
    rustix::fs::statfs(root.path()).is_ok_and(|system| OWN_FILE_SYSTEMS.contains(&(system.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_of_this_machine(_: &Root) -> bool {
    false
}
