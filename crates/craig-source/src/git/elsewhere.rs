//! Local repositories that borrow content from elsewhere.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The first path that leads out of the repository at `repository` among those that git reads to clone it: a link, or a
/// file that names another repository. Craig's own clones have none.
pub fn repository_leads_elsewhere(repository: &Path) -> Option<PathBuf> {
    let own = repository.join(".git");
    let folder = if own.symlink_metadata().is_ok() { own } else { repository.to_owned() };
    // A `.git` that is a file leads to a repository elsewhere.
    if !folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Some(folder);
    }
    let elsewhere = ["commondir", "objects/info/alternates", "objects/info/http-alternates"];
    let found = elsewhere.iter().map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok());
    found.or_else(|| {
        ["HEAD", "packed-refs", "objects", "refs", "reftable"]
            .iter()
            .find_map(|name| link_in(folder.join(name)))
    })
}

/// The first link at `path` or below it, however deep.
fn link_in(path: PathBuf) -> Option<PathBuf> {
    let mut paths = vec![path];
    while let Some(path) = paths.pop() {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => return Some(path),
            Ok(metadata) if metadata.is_dir() => {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                paths.extend(entries.map(|entry| entry.path()));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_alternates_lead_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let leads = |name: &str| repository_leads_elsewhere(&base.join(name)).is_some();
        for name in [
            "plain/.git/objects/ab",
            "bare/objects",
            "alternates/objects/info",
            "linked/objects",
            "worktree/.git",
        ] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        fs::create_dir(base.join("file")).unwrap();
        fs::write(base.join("file/.git"), "gitdir: ../plain/.git").unwrap();
        fs::write(base.join("alternates/objects/info/alternates"), "../../plain/.git/objects").unwrap();
        fs::write(base.join("worktree/.git/commondir"), "../../plain/.git").unwrap();
        assert!(!leads("plain") && !leads("bare"));
        assert!(leads("file") && leads("alternates") && leads("worktree"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../../plain/.git/objects/ab", base.join("linked/objects/ab"))
                .unwrap();
            assert!(leads("linked"));
        }
    }
}
