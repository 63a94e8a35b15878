//! What Craig keeps belongs to its owner alone, whatever the umask says, and what others could read is closed to them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::Home;

/// Runs `craig` where new files can be read and written by everybody, with its database where it is by default.
fn craig(home: &Home, args: &[&str]) {
    let mut command = Command::new("sh");
    home.prepare(&mut command);
    command.env_remove("CRAIG_DB").args(["-c", "umask 000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_craig")]);
    let output = command.args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", home.transcript(&output));
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// `folder` and everything in it.
fn below(folder: PathBuf) -> Vec<PathBuf> {
    let inside = fs::read_dir(&folder).into_iter().flatten().flat_map(|entry| below(entry.unwrap().path()));
    let inside: Vec<PathBuf> = inside.collect();
    [folder].into_iter().chain(inside).collect()
}

/// Everything that Craig keeps in this home.
fn kept(home: &Home) -> Vec<PathBuf> {
    let folders = [".local/share/craig", "shop/.aidocs", "shop/.puku"];
    folders.into_iter().flat_map(|folder| below(home.path().join(folder))).collect()
}

/// Has Craig keep all that it can keep.
fn keep_all(home: &Home) {
    craig(home, &["ingest", "shop"]);
    craig(home, &["search", "verify_token", "-p", "shop"]);
    craig(home, &["--db", "shop/.puku/embeddings.db", "ingest", "shop"]);
    craig(home, &["--db", "shop/.puku/embeddings.db", "search", "verify_token", "-p", "shop"]);
    craig(home, &["docs", "index", "shop"]);
}

#[test]
fn what_craig_keeps_can_be_read_by_its_owner_alone() {
    let home = Home::with_shop();
    keep_all(&home);
    craig(&home, &["gateway", "keys", "add", "alice"]);
    let open: Vec<_> = kept(&home).into_iter().filter(|path| mode(path) & 0o077 != 0).collect();
    assert_eq!(open, [""; 0].map(PathBuf::from));
    assert!(kept(&home).len() > 15, "{:?}", kept(&home));
}

#[test]
fn what_others_could_read_is_closed_when_it_is_opened() {
    let home = Home::with_shop();
    keep_all(&home);
    let parent = home.path().join(".local/share");
    for path in kept(&home).iter().chain([&parent]) {
        let is_folder = path.is_dir();
        fs::set_permissions(path, fs::Permissions::from_mode(if is_folder { 0o755 } else { 0o644 })).unwrap();
    }
    keep_all(&home);
    let data = home.path().join(".local/share/craig");
    let inside = ["shop/.aidocs", "shop/.aidocs/docs.db", "shop/.puku", "shop/.puku/embeddings.db"];
    let closed =
        inside.map(|path| home.path().join(path)).into_iter().chain([data.clone(), data.join("craig.db")]);
    for path in closed.chain(below(data.join("craig.db.d"))).chain(below(data.join("inside"))) {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
    // Others may be in there, too.
    assert_eq!(mode(&parent), 0o755);
}
