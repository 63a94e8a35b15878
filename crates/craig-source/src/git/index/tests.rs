use std::{
    fs,
    process::Command,
    time::{Duration, SystemTime},
};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// Runs git in a folder, without the settings of this machine.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let own = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let output = Command::new("git")
        .args(own)
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn write(folder: &Path, path: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "").unwrap();
}

/// A repository that tracks files of one, two and three folders.
fn repository(init: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &[&["init", "--quiet"], init].concat());
    for n in 0..90 {
        write(folder.path(), &format!("src/deep/a rather long name of file {n}.rs"));
        write(folder.path(), &format!("src/{n}.rs"));
    }
    write(folder.path(), &"long name/".repeat(300)[..2_998]);
    write(folder.path(), "é.rs");
    git(folder.path(), &["add", "--all"]);
    folder
}

/// What git lists and what is read here.
fn check(folder: &Path) {
    let listed = git(folder, &["ls-files", "-z"]);
    let listed: Vec<&str> = listed.split_terminator('\0').collect();
    let paths = TrackedPaths::read(&folder.join(".git")).unwrap();
    let read: Vec<&str> = paths.iter().map(|(name, _)| str::from_utf8(name).unwrap()).collect();
    assert_eq!(read, listed);
    assert!(listed.iter().all(|path| paths.contains(path) && !paths.contains(&format!("{path}x"))));
}

#[test]
fn every_version_and_object_format_has_the_paths_that_git_lists() {
    for format in ["sha1", "sha256"] {
        for version in ["2", "3", "4"] {
            let folder = repository(&[&format!("--object-format={format}")]);
            write(folder.path(), "intended.rs");
            git(folder.path(), &["update-index", "--index-version", version]);
            git(folder.path(), &["add", "--intent-to-add", "intended.rs"]);
            check(folder.path());
        }
    }
}

#[test]
fn a_split_index_is_read_with_its_base() {
    for version in ["2", "4"] {
        let folder = repository(&[]);
        git(folder.path(), &["update-index", "--index-version", version]);
        git(folder.path(), &["update-index", "--split-index"]);
        git(folder.path(), &["rm", "--quiet", "--cached", "src/7.rs", "src/70.rs", "é.rs"]);
        fs::write(folder.path().join("src/8.rs"), "changed").unwrap();
        write(folder.path(), "src/new.rs");
        git(folder.path(), &["add", "src/8.rs", "src/new.rs"]);
        let names = fs::read_dir(folder.path().join(".git")).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(names.into_iter().any(|name| name.to_string_lossy().starts_with("sharedindex.")));
        check(folder.path());
    }
}

#[test]
fn git_has_the_content_of_files_that_have_not_changed_since() {
    for version in ["2", "4"] {
        let folder = repository(&[]);
        let at = |path: &str| folder.path().join(path);
        let stamp = |path: &str| FileStamp::from_metadata(&fs::metadata(at(path)).unwrap());
        let has = |path: &str| TrackedPaths::read(&at(".git")).unwrap().has_content_of(path, stamp(path));
        git(folder.path(), &["update-index", "--index-version", version]);
        assert!(has("src/1.rs") && has("é.rs"));
        fs::write(at("src/1.rs"), "changed").unwrap();
        assert!(!has("src/1.rs"));
        write(folder.path(), "src/new.rs");
        assert!(!has("src/new.rs"), "git does not track it");
        let earlier = SystemTime::now() - Duration::from_secs(9);
        fs::File::open(at("src/1.rs")).unwrap().set_modified(earlier).unwrap();
        git(folder.path(), &["add", "src/1.rs"]);
        assert!(has("src/1.rs"));
        // As old as the index: it may have changed after git read it.
        fs::File::open(at(".git/index")).unwrap().set_modified(earlier).unwrap();
        assert!(!has("src/1.rs"));
    }
}

#[test]
fn folders_are_tracked_by_what_lies_in_them() {
    let folder = repository(&[]);
    let paths = TrackedPaths::read(&folder.path().join(".git")).unwrap();
    for is_there in ["", "src", "src/deep", "long name"] {
        assert!(paths.contains_below(is_there), "{is_there}");
    }
    for is_not in ["sr", "src/dee", "src/deep/a", "srcs", "zz"] {
        assert!(!paths.contains_below(is_not), "{is_not}");
    }
}

#[test]
fn a_conflict_and_a_sparse_index_are_read() {
    let folder = repository(&[]);
    let at = folder.path();
    git(at, &["commit", "--quiet", "-m", "one"]);
    for (branch, text) in [("left", "l"), ("right", "r")] {
        git(at, &["checkout", "--quiet", "-B", branch, "HEAD"]);
        git(at, &["reset", "--quiet", "--hard", if branch == "left" { "HEAD" } else { "left~1" }]);
        fs::write(at.join("src/1.rs"), text).unwrap();
        git(at, &["commit", "--quiet", "--all", "-m", branch]);
    }
    let merge = Command::new("git").args(["merge", "--quiet", "left"]).current_dir(at).output().unwrap();
    assert!(!merge.status.success());
    let paths = TrackedPaths::read(&at.join(".git")).unwrap();
    assert_eq!(paths.iter().filter(|(name, _)| *name == b"src/1.rs").count(), 1);
    git(at, &["reset", "--quiet", "--hard"]);
    git(at, &["sparse-checkout", "set", "--cone", "--sparse-index", "long name"]);
    let paths = TrackedPaths::read(&at.join(".git")).unwrap();
    assert!(paths.contains("é.rs") && paths.contains_below("src") && !paths.contains("src/1.rs"));
}

#[test]
fn an_index_that_is_no_regular_file_or_too_large_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let read = || TrackedPaths::read(folder.path());
    assert_eq!(read().unwrap().len(), 0);
    let index = folder.path().join("index");
    fs::File::create(&index).unwrap().set_len(MAX_INDEX_BYTES + 1).unwrap();
    assert_eq!(read().unwrap_err(), BadIndex::TooLarge);
    fs::remove_file(&index).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/dev/zero", &index).unwrap();
        assert_eq!(read().unwrap_err(), BadIndex::NotRegular);
        fs::remove_file(&index).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &index, rustix::fs::Mode::RWXU).unwrap();
        assert_eq!(read().unwrap_err(), BadIndex::NotRegular);
    }
}

/// Each entry of a version 4 index may repeat a long name in a few bytes.
#[test]
fn names_that_unpack_to_more_than_the_limit_are_refused() {
    let mut bytes = b"DIRC\0\0\0\x04\0\x10\0\0".to_vec();
    let entry = |flags: u16, name: &[u8]| [&[0; 60][..], &flags.to_be_bytes(), &[0], name, &[0]].concat();
    bytes.extend(entry(0x0FFF, &[b'a'; 100_000]));
    (1..0x10_0000_u32).for_each(|n| bytes.extend(entry(0x0FFF, &[b'a' + (n % 26) as u8])));
    bytes.extend([0; 20]);
    assert!(Index::parse(&bytes).is_none());
}

proptest! {
    #[test]
    fn any_damage_ends(changes in prop::collection::vec((0_usize..4_000, any::<u8>()), 0..6), cut in 0_usize..4_000) {
        let mut bytes = b"DIRC\0\0\0\x04\0\0\0\x30".to_vec();
        for n in 0..48_u8 {
            bytes.extend([&[0; 60][..], &[0, 9, if n == 0 { 0 } else { 9 }], b"src/f", &[b'a' + n / 26, b'a' + n % 26, b'r', b's', 0]].concat());
        }
        bytes.extend(b"link\0\0\0\x30");
        bytes.extend([7; 20]);
        bytes.extend([0, 0, 0, 64, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0]);
        bytes.extend([0; 20]);
        let whole = Index::parse(&bytes).map(|index| (index.paths.len(), index.link.is_some()));
        prop_assert_eq!(whole, Some((48, true)));
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len().saturating_sub(cut / 4));
        if let Some(index) = Index::parse(&bytes) {
            prop_assert!(index.paths.iter().all(|(name, _)| index.paths.contains_below("") && !name.is_empty()));
            index.link.map(|link| link.deleted(1_000));
        }
    }
}
