//! Databases that cannot be written, and disks without room: what is there is read, nothing is written, nothing is claimed that is not so.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::expect;

use crate::harness::{Home, skipped, write_many};

/// A folder that nobody may write to, also not root, for as long as this lives.
struct ReadOnly<'a>(&'a Path);

impl<'a> ReadOnly<'a> {
    fn mount(folder: &'a Path) -> Option<Self> {
        is_done(Command::new("mount").arg("--bind").args([folder, folder])).then_some(())?;
        let mounted = Self(folder);
        let mut remount = Command::new("mount");
        is_done(remount.args(["-o", "remount,bind,ro"]).arg(folder)).then_some(mounted)
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).output();
    }
}

fn is_done(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// A home whose project `shop` is ingested into `kept/craig.db`.
fn home_with_kept_shop() -> (Home, PathBuf) {
    let home = Home::with_shop();
    home.succeed(&["--db", "kept/craig.db", "ingest", "shop", "-q"]);
    let kept = home.path().join("kept");
    (home, kept)
}

fn kept(home: &Home, args: &[&str]) -> Output {
    home.run(&[&["--db", "kept/craig.db"], args].concat())
}

/// Paths and lengths of all files, and what they hold.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            found.extend(contents(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

const READING: [&[&str]; 8] = [
    &["list"],
    &["status", "shop"],
    &["tree", "shop"],
    &["stats", "shop"],
    &["file", "shop", "src/auth.py"],
    &["search", "verify_token", "-p", "shop"],
    &["context", "chat", "how is a token verified", "-p", "shop"],
    &["insight", "quality", "shop"],
];

#[test]
fn a_read_only_database_answers_and_stays_as_it_is() {
    let (home, folder) = home_with_kept_shop();
    let before = contents(&folder);
    let Some(mounted) = ReadOnly::mount(&folder) else {
        return skipped("nothing can be mounted read-only here: that needs root");
    };
    for command in READING {
        let done = kept(&home, command);
        assert!(done.status.success(), "{command:?}: {}", home.transcript(&done));
    }
    let found = kept(&home, &["search", "verify_token", "-p", "shop", "-n", "1"]);
    assert!(String::from_utf8_lossy(&found.stdout).contains("src/auth.py"));
    home.check(
        &["--db", "kept/craig.db", "ingest-delta", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: kept/craig.db cannot be written
            hint: check the permissions of the file and its folder, or point --db (or CRAIG_DB) to another place
        "#]],
    );
    home.check(
        &["--db", "kept/craig.db", "purge", "shop", "--yes"],
        expect![[r#"
            exit 1
            -- stderr
            error: kept/craig.db cannot be written
            hint: check the permissions of the file and its folder, or point --db (or CRAIG_DB) to another place
        "#]],
    );
    drop(mounted);
    assert_eq!(contents(&folder), before);
}

#[test]
fn a_search_of_a_read_only_database_says_that_its_index_is_older() {
    let (home, folder) = home_with_kept_shop();
    let Some(_mounted) = ReadOnly::mount(&folder) else {
        return skipped("nothing can be mounted read-only here: that needs root");
    };
    let unchanged = kept(&home, &["search", "verify_token", "-p", "shop", "-n", "1", "--kind", "code"]);
    assert_eq!(String::from_utf8_lossy(&unchanged.stderr), "");
    home.write("shop/src/new.py", "def new_function():\n    return 1\n");
    let changed = kept(&home, &["search", "verify_token", "-p", "shop", "-n", "1", "--kind", "code"]);
    assert_eq!(
        String::from_utf8_lossy(&changed.stderr),
        "warning: answered from an older index: kept/craig.db cannot be written\n"
    );
    assert_eq!(changed.status.code(), Some(0));
}

#[test]
fn an_index_that_cannot_be_written_is_made_in_memory() {
    let (home, folder) = home_with_kept_shop();
    let search = ["search", "verify_token", "-p", "shop", "--no-refresh", "--format", "json"];
    let hits = |done: Output| -> serde_json::Value {
        let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        answer["hits"].clone()
    };
    let written = hits(kept(&home, &search));
    let side_folder = folder.join("craig.db.d");
    for entry in std::fs::read_dir(&side_folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            std::fs::remove_dir_all(entry).unwrap();
        }
    }
    let Some(_mounted) = ReadOnly::mount(&folder) else {
        return skipped("nothing can be mounted read-only here: that needs root");
    };
    assert_eq!(hits(kept(&home, &search)), written);
}

/// A log that nobody can bring into the database holds the newest changes: an answer without them would be wrong.
#[test]
fn a_read_only_database_with_a_log_that_cannot_be_read_says_what_to_do() {
    let (home, folder) = home_with_kept_shop();
    std::fs::write(folder.join("craig.db-wal"), "whatever it holds").unwrap();
    let Some(_mounted) = ReadOnly::mount(&folder) else {
        return skipped("nothing can be mounted read-only here: that needs root");
    };
    home.check(
        &["--db", "kept/craig.db", "list"],
        expect![[r#"
            exit 1
            -- stderr
            error: kept/craig.db cannot be written, and its log has changes that are not yet applied
            hint: run 'craig list' once as a user with write permission, or copy kept/craig.db and its companion files to your own folder and point --db there
        "#]],
    );
}

/// The same for whoever is not root, where nothing can be mounted.
#[test]
fn a_folder_without_permission_to_write_is_read() {
    if rustix::process::geteuid().is_root() {
        return skipped("root may write whatever the permissions say; the tests with mounts are for it");
    }
    let (home, folder) = home_with_kept_shop();
    std::fs::set_permissions(&folder, Permissions::from_mode(0o500)).unwrap();
    let done = kept(&home, &["search", "verify_token", "-p", "shop"]);
    std::fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    assert!(done.status.success(), "{}", home.transcript(&done));
}

/// A disk of so many kilobytes.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(folder: &'a Path, kilobytes: u32) -> Option<Self> {
        std::fs::create_dir(folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"]).arg(folder);
        is_done(&mut mount).then_some(Self(folder))
    }

    /// Takes what room is left.
    fn fill(&self) {
        let mut file = std::fs::File::create(self.0.join("fill")).unwrap();
        while std::io::Write::write(&mut file, &[0; 4_096]).is_ok() {}
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).output();
    }
}

/// From a disk where hardly anything fits to one where everything does.
#[test]
fn on_a_full_disk_status_is_right_and_a_purge_works() {
    for kilobytes in [200, 800, 2_000, 3_000, 4_000, 6_000, 16_000] {
        let home = Home::new();
        write_many(&home.path().join("big"), 300, 0);
        let folder = home.path().join("disk");
        let Some(_disk) = SmallDisk::mount(&folder, kilobytes) else {
            return skipped("no small disk can be mounted here: that needs root");
        };
        let on_disk = |args: &[&str]| home.run(&[&["--db", "disk/craig.db"], args].concat());
        let ingested = on_disk(&["ingest", "big", "-q"]);
        let status = on_disk(&["status", "big", "--format", "json"]);
        let expected = if ingested.status.success() { "completed" } else { "failed" };
        let reported = String::from_utf8_lossy(&status.stdout).into_owned();
        let is_true = reported.contains(&format!(r#""status":"{expected}""#));
        assert!(is_true || !status.status.success() && reported.is_empty(), "{kilobytes}: {reported}");
        // Where not even a project fits, there is nothing to search or purge.
        if !status.status.success() {
            continue;
        }
        let found = on_disk(&["search", "compute_7_1", "-p", "big"]);
        assert!(found.status.success(), "{kilobytes}: {}", home.transcript(&found));
        let list = || String::from_utf8_lossy(&on_disk(&["list", "--format", "json"]).stdout).into_owned();
        let before = list();
        let purged = on_disk(&["purge", "big", "--yes"]);
        // Where the database alone fills the disk, there may be no room even for that. Then all of it is still there.
        let is_refused = !purged.status.success() && !ingested.status.success();
        assert!(is_refused || purged.status.success(), "{kilobytes}: {}", home.transcript(&purged));
        assert_eq!(list(), if is_refused { before } else { "[]\n".to_owned() }, "{kilobytes}");
    }
}

#[test]
fn a_disk_that_something_else_filled_up_can_be_read_and_purged() {
    let home = Home::with_shop();
    write_many(&home.path().join("shop/more"), 200, 0);
    let folder = home.path().join("disk");
    let Some(disk) = SmallDisk::mount(&folder, 16_000) else {
        return skipped("no small disk can be mounted here: that needs root");
    };
    home.succeed(&["--db", "disk/craig.db", "ingest", "shop", "-q"]);
    disk.fill();
    for command in READING {
        let done = home.run(&[&["--db", "disk/craig.db"], command].concat());
        assert!(done.status.success(), "{command:?}: {}", home.transcript(&done));
    }
    home.write("shop/src/new.py", "def new_function():\n    return 1\n");
    home.check(
        &["--db", "disk/craig.db", "ingest-delta", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: no space left on the disk of disk/craig.db
            hint: free some space, or point --db to another disk; then run the same command again
        "#]],
    );
    home.succeed(&["--db", "disk/craig.db", "purge", "shop", "--yes"]);
}
