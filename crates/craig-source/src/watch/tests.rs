use std::{fs, path::Path};

use tempfile::TempDir;

use super::*;

const DEBOUNCE: Duration = Duration::from_millis(80);
const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(400);

fn write(base: &Path, path: &str, content: &str) {
    let path = base.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn watched(files: &[&str]) -> (TempDir, Watcher) {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|path| write(folder.path(), path, "first"));
    let root = Root::open(folder.path()).unwrap();
    let watcher = watch(&root, &SourceOptions::default(), DEBOUNCE).unwrap();
    assert_eq!(watcher.mode(), &WatchMode::Events);
    (folder, watcher)
}

fn paths(watcher: &mut Watcher, timeout: Duration) -> Vec<String> {
    watcher.next_batch(timeout).map(|batch| batch.paths).unwrap_or_default()
}

#[test]
fn writes_and_deletions_come_in_one_batch() {
    let (folder, mut watcher) = watched(&["a.rs", "sub/b.rs", "c.rs"]);
    write(folder.path(), "a.rs", "second");
    write(folder.path(), "sub/b.rs", "second");
    write(folder.path(), "sub/new.rs", "x");
    fs::remove_file(folder.path().join("c.rs")).unwrap();
    let batch = watcher.next_batch(LONG).unwrap();
    assert_eq!(batch.paths, ["a.rs", "c.rs", "sub/b.rs", "sub/new.rs"]);
    assert!(batch.is_complete);
    assert_eq!(watcher.next_batch(SHORT), None);
}

#[test]
fn reading_and_ignored_files_wake_nobody() {
    let (folder, mut watcher) = watched(&["a.rs", "node_modules/p/i.js", ".git/HEAD", "locked/x"]);
    write(folder.path(), ".gitignore", "*.log\nlocked/\n");
    assert_eq!(paths(&mut watcher, LONG), [".gitignore"]);

    write(folder.path(), "node_modules/p/i.js", "second");
    write(folder.path(), "node_modules/q/i.js", "new");
    write(folder.path(), ".git/HEAD", "second");
    write(folder.path(), "target/debug/x", "new");
    write(folder.path(), "debug.log", "new");
    write(folder.path(), "locked/x", "second");
    fs::read(folder.path().join("a.rs")).unwrap();
    assert_eq!(watcher.next_batch(SHORT), None);

    write(folder.path(), ".env", "A=b");
    assert_eq!(paths(&mut watcher, LONG), [".env"]);
}

#[test]
fn new_folders_are_watched_and_so_are_those_that_come_back() {
    let (folder, mut watcher) = watched(&["a.rs", "old/x.rs"]);
    for _ in 0..2 {
        write(folder.path(), "new/deep/b.rs", "x");
        assert!(paths(&mut watcher, LONG).contains(&"new".to_owned()));
        write(folder.path(), "new/deep/c.rs", "x");
        assert_eq!(paths(&mut watcher, LONG), ["new/deep/c.rs"]);
        fs::remove_dir_all(folder.path().join("new")).unwrap();
        assert!(paths(&mut watcher, LONG).contains(&"new".to_owned()));
    }
    fs::rename(folder.path().join("old"), folder.path().join("renamed")).unwrap();
    assert_eq!(paths(&mut watcher, LONG), ["old", "renamed"]);
    write(folder.path(), "renamed/x.rs", "second");
    assert_eq!(paths(&mut watcher, LONG), ["renamed/x.rs"]);
}

#[test]
fn reading_does_not_put_off_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.rs", "first");
    let root = Root::open(folder.path()).unwrap();
    let mut watcher = watch(&root, &SourceOptions::default(), Duration::from_secs(1)).unwrap();
    let path = folder.path().join("a.rs");
    let (batch_has_come, until_batch) = std::sync::mpsc::channel();
    // Ends well before the longest that a batch may be put off, ten seconds.
    let reading = std::thread::spawn(move || {
        (0..100).all(|_| {
            fs::read(&path).unwrap();
            until_batch.recv_timeout(Duration::from_millis(50)).is_err()
        })
    });
    write(folder.path(), "a.rs", "second");
    assert_eq!(paths(&mut watcher, LONG), ["a.rs"]);
    let _ = batch_has_come.send(());
    assert!(!reading.join().unwrap(), "the batch waited for the reader to end");
}

#[test]
fn polling_sees_the_same() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.rs", "first");
    write(folder.path(), "b.rs", "first");
    let root = Root::open(folder.path()).unwrap();
    let mut watcher = watch_by_polling(&root, &SourceOptions::default()).unwrap();
    assert_eq!(watcher.mode(), &WatchMode::Polling { notice: None });

    write(folder.path(), "a.rs", "second");
    write(folder.path(), "sub/new.rs", "x");
    write(folder.path(), "target/x.rs", "x");
    fs::remove_file(folder.path().join("b.rs")).unwrap();
    assert_eq!(watcher.next().unwrap().paths, ["a.rs", "b.rs", "sub/new.rs"]);
    assert_eq!(watcher.next_batch(SHORT), None);
}

#[test]
fn a_lost_watcher_goes_on_polling_and_says_why() {
    let (folder, mut watcher) = watched(&["a.rs"]);
    assert_eq!(watcher.go_on_polling(Lost::WatchLimit), ChangeBatch::default());
    let WatchMode::Polling { notice: Some(notice) } = watcher.mode() else {
        panic!("still {:?}", watcher.mode())
    };
    assert!(notice.contains("fs.inotify.max_user_watches"), "{notice}");
    write(folder.path(), "a.rs", "second");
    assert_eq!(paths(&mut watcher, LONG), ["a.rs"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_detector_sees_every_change_before_the_call_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.rs", "first");
    write(folder.path(), ".gitignore", "*.log\n");
    let root = Root::open(folder.path()).unwrap();
    let cookies = tempfile::tempdir().unwrap();
    let mut detector = ChangeDetector::start(&root, &SourceOptions::default(), cookies.path()).unwrap();
    let mut has_changed = || detector.has_changes().unwrap();
    assert!(!has_changed());
    for n in 0..200 {
        write(folder.path(), "a.rs", &n.to_string());
        assert!(has_changed(), "write {n}");
        fs::read(folder.path().join("a.rs")).unwrap();
        write(folder.path(), "debug.log", &n.to_string());
        write(folder.path(), "node_modules/p/i.js", &n.to_string());
        assert!(!has_changed(), "reading and ignored files {n}");
    }
    for n in 0..20 {
        let path = format!("new{n}/deep/b.rs");
        write(folder.path(), &path, "x");
        assert!(has_changed(), "{path} is new");
        write(folder.path(), &path, "y");
        assert!(has_changed(), "{path} is changed");
        fs::remove_file(folder.path().join(&path)).unwrap();
        assert!(has_changed(), "{path} is gone");
        assert!(!has_changed());
    }
    fs::rename(folder.path().join("new0"), folder.path().join("renamed")).unwrap();
    assert!(has_changed());
    write(folder.path(), "renamed/c.rs", "x");
    assert!(has_changed());
    write(folder.path(), ".gitignore", "");
    assert!(has_changed());
    write(folder.path(), "debug.log", "tracked now");
    assert!(has_changed());
    assert_eq!(fs::read_dir(cookies.path()).unwrap().count(), 0, "no cookie is left");
}

/// Runs git in a folder, without the settings of this machine.
#[cfg(target_os = "linux")]
fn git(folder: &Path, arguments: &[&str]) {
    let own = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let mut command = std::process::Command::new("git");
    command.args(own).args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "");
    assert!(command.output().unwrap().status.success(), "git {arguments:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_detector_sees_what_becomes_tracked_and_what_becomes_a_working_tree() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    for path in ["a.rs", "build/b.rs", ".hidden/c.rs", "clone/d.rs"] {
        write(base, path, "first");
    }
    git(base, &["init", "--quiet"]);
    git(base, &["add", "a.rs"]);
    git(base, &["commit", "--quiet", "-m", "one"]);
    let root = Root::open(base).unwrap();
    let cookies = tempfile::tempdir().unwrap();
    let mut detector = ChangeDetector::start(&root, &SourceOptions::default(), cookies.path()).unwrap();
    let mut has_changed = || detector.has_changes().unwrap();
    write(base, "build/b.rs", "second");
    git(base, &["update-index", "--refresh"]);
    git(base, &["commit", "--quiet", "--allow-empty", "-m", "two"]);
    assert!(!has_changed(), "no tracked path has changed");
    git(base, &["add", "--force", "build", ".hidden"]);
    assert!(has_changed(), "files are tracked now");
    assert!(!has_changed());
    write(base, "build/b.rs", "third");
    assert!(has_changed(), "their folder is watched");
    git(base, &["rm", "--quiet", "--force", "-r", "--cached", "build"]);
    assert!(has_changed(), "they are not tracked any more");
    git(base, &["init", "--quiet", "clone"]);
    assert!(has_changed(), "a folder becomes a project of its own");
    write(base, "clone/d.rs", "second");
    assert!(!has_changed());
    fs::remove_dir_all(base.join("clone/.git")).unwrap();
    assert!(has_changed(), "and is none any more");
}
