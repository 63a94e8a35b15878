//! Files and folders that only their owner can read, since Craig stores copies of private code.

use std::{
    fs::{self, DirBuilder, Metadata, OpenOptions},
    io,
    path::Path,
};

/// Has everything that this process and the programs that it starts make belong to its owner alone, such as the files that git
/// checks out.
pub fn restrict_new_files() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Makes `folder`, and those above it that are missing, for their owner alone. Folders that exist stay as they are.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Options to open a file of Craig's own: one that is made belongs to its owner alone, and a link is not followed.
pub fn file_options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has options to set"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    }
    options
}

/// Takes the permissions on a file or folder from everybody but its owner; returns whether anybody had some.
///
/// Links, and what belongs to another user, are left as they are. Fails when it is missing or cannot be changed.
pub fn restrict(path: &Path) -> io::Result<bool> {
    let metadata = fs::symlink_metadata(path)?;
    let is_open = is_open_to_others(&metadata);
    if is_open {
        remove_permissions_of_others(path, &metadata)?;
    }
    Ok(is_open)
}

/// The same for a folder and everything in it. One that is closed already is not looked into.
pub fn restrict_tree(folder: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(folder)?;
    if !is_open_to_others(&metadata) {
        return Ok(());
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(folder)? {
            restrict_tree(&entry?.path())?;
        }
    }
    // Last: a folder that is closed has been gone through to its end.
    remove_permissions_of_others(folder, &metadata)
}

#[cfg(unix)]
fn is_open_to_others(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    is_own && !metadata.is_symlink() && metadata.mode() & 0o077 != 0
}

#[cfg(unix)]
fn remove_permissions_of_others(path: &Path, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    fs::set_permissions(path, fs::Permissions::from_mode(metadata.mode() & 0o700))
}

/// Other systems keep a user's folders to themselves.
#[cfg(not(unix))]
fn is_open_to_others(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn remove_permissions_of_others(_: &Path, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_belongs_to_its_owner_alone() {
        let base = tempfile::tempdir().unwrap();
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let folder = base.path().join("a/b");
        create_folder(&folder).unwrap();
        let file = folder.join("file");
        file_options().create_new(true).write(true).open(&file).unwrap();
        let modes = [base.path(), &base.path().join("a"), &folder, &file].map(mode);
        assert_eq!(modes, [0o755, 0o700, 0o700, 0o600]);
        symlink(&file, folder.join("link")).unwrap();
        assert!(file_options().write(true).open(folder.join("link")).is_err());
    }

    #[test]
    fn what_is_open_is_closed_with_everything_in_it_and_links_are_left() {
        let base = tempfile::tempdir().unwrap();
        let (outside, tree) = (base.path().join("outside"), base.path().join("tree"));
        fs::write(&outside, "").unwrap();
        fs::create_dir_all(tree.join("folder")).unwrap();
        fs::write(tree.join("folder/program"), "").unwrap();
        symlink(&outside, tree.join("link")).unwrap();
        for (path, mode) in
            [("tree", 0o755), ("tree/folder", 0o775), ("tree/folder/program", 0o755), ("outside", 0o644)]
        {
            fs::set_permissions(base.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
        }
        restrict_tree(&tree).unwrap();
        let modes = [tree.as_path(), &tree.join("folder"), &tree.join("folder/program"), &outside].map(mode);
        assert_eq!(modes, [0o700, 0o700, 0o700, 0o644]);
        assert!(!restrict(&tree.join("link")).unwrap() && restrict(&outside).unwrap());
        assert_eq!(mode(&outside), 0o600);
    }
}
