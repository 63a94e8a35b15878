use std::process::Command;

use tempfile::TempDir;

use super::*;

/// A repository on this machine and the folder of its clone.
struct Place {
    folder: TempDir,
    access: GitAccess,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), access: GitAccess::default() };
        fs::create_dir(place.origin()).unwrap();
        place.git(&["init", "--quiet", "--initial-branch=trunk"]);
        place
    }

    fn with_files(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        place.commit(files);
        place
    }

    fn origin(&self) -> PathBuf {
        self.folder.path().join("origin")
    }

    fn cloned(&self) -> PathBuf {
        self.folder.path().join("clones/origin")
    }

    fn git(&self, arguments: &[&str]) {
        let author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.args(author).args(arguments).current_dir(self.origin());
        let output = command.env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR").output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = self.origin().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--message", "x"]);
    }

    fn remote(&self, reference: Option<&str>) -> Remote {
        let url = GitUrl::parse(&format!("file://{}", self.origin().display())).unwrap().unwrap();
        Remote { url, reference: reference.map(str::to_owned), depth: 1, reach: Reach::Anywhere }
    }

    fn checkout<'a>(&'a self, remote: &'a Remote) -> Checkout<'a> {
        Checkout::new(remote, &self.access, &self.cloned())
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.cloned().join(path)).ok()
    }

    fn message(&self, error: &GitError) -> String {
        error.to_string().replace(&*self.folder.path().to_string_lossy(), "BASE")
    }
}

#[test]
fn a_clone_follows_its_repository_and_rewrites_only_what_differs() {
    let place = Place::with_files(&[("a.rs", "1"), ("b/c.rs", "1"), ("gone.rs", "1"), (".hidden/x", "1")]);
    let remote = place.remote(None);
    let checkout = place.checkout(&remote);
    assert!(!checkout.exists());
    checkout.make(&mut |_| ()).unwrap();
    checkout.make(&mut |_| panic!("made once")).unwrap();
    assert_eq!(checkout.commit().unwrap(), checkout.remote_commit().unwrap());
    assert_eq!(place.read("b/c.rs").as_deref(), Some("1"));
    let time = || fs::metadata(place.cloned().join("a.rs")).unwrap().modified().unwrap();
    let before = time();

    fs::remove_file(place.origin().join("gone.rs")).unwrap();
    place.commit(&[
        ("b/c.rs", "2"),
        ("new.rs", "2"),
        (".hidden/x", "2"),
        ("big", &"x".repeat(100)),
        ("target/x", "1"),
        ("node_modules/x", "1"),
    ]);
    let newest = checkout.remote_commit().unwrap();
    assert_ne!(checkout.commit().unwrap(), newest);
    assert_eq!(checkout.fetch(&mut |_| ()).unwrap(), newest);
    let options = SourceOptions { max_file_size_bytes: 99, ..SourceOptions::default() };
    let expected = Differences {
        added: vec!["new.rs".into(), "target/x".into()],
        changed: vec![".hidden/x".into(), "b/c.rs".into()],
        removed: vec!["gone.rs".into()],
    };
    assert_eq!(checkout.differences(&options).unwrap(), expected);
    assert_eq!(place.read("b/c.rs").as_deref(), Some("1"), "fetching changes no file");

    fs::write(place.cloned().join("stray"), "x").unwrap();
    checkout.advance(&mut |_| ()).unwrap();
    assert_eq!(checkout.commit().unwrap(), newest);
    assert_eq!(
        [place.read("b/c.rs"), place.read("gone.rs"), place.read("stray")],
        [Some("2".into()), None, None]
    );
    assert_eq!(time(), before, "a file that did not change keeps its time");
}

#[test]
fn history_is_as_deep_as_asked() {
    let place = Place::with_files(&[("a", "1")]);
    place.commit(&[("a", "2")]);
    place.commit(&[("a", "3")]);
    for (depth, n_commits) in [(1, 1), (2, 2), (0, 3)] {
        let remote = Remote { depth, ..place.remote(None) };
        let checkout = place.checkout(&remote);
        checkout.make(&mut |_| ()).unwrap();
        checkout.fetch(&mut |_| ()).unwrap();
        let count = checkout.run("rev-list", &["rev-list", "--count", NEWEST], &mut |_| ()).unwrap();
        assert_eq!(String::from_utf8(count).unwrap().trim(), n_commits.to_string(), "depth {depth}");
    }
}

#[test]
fn branches_and_tags_are_followed_and_rewritten_history_too() {
    let place = Place::with_files(&[("a", "1")]);
    place.git(&["tag", "-a", "v1", "-m", "x"]);
    place.git(&["checkout", "--quiet", "-b", "side/way"]);
    place.commit(&[("a", "side")]);
    for (name, text) in [("v1", "1"), ("side/way", "side"), ("refs/heads/side/way", "side")] {
        let remote = place.remote(Some(name));
        let checkout = place.checkout(&remote);
        checkout.make(&mut |_| ()).unwrap();
        assert_eq!(checkout.commit().unwrap(), checkout.remote_commit().unwrap(), "{name}");
        assert_eq!(place.read("a").as_deref(), Some(text));
        fs::remove_dir_all(place.cloned()).unwrap();
    }
    let remote = place.remote(Some("side/way"));
    let checkout = place.checkout(&remote);
    checkout.make(&mut |_| ()).unwrap();
    fs::write(place.origin().join("a"), "forced").unwrap();
    place.git(&["commit", "--quiet", "--all", "--amend", "--message", "y"]);
    checkout.fetch(&mut |_| ()).unwrap();
    checkout.advance(&mut |_| ()).unwrap();
    assert_eq!(place.read("a").as_deref(), Some("forced"));
}

#[test]
fn errors_are_clear_and_leave_nothing_behind() {
    let place = Place::with_files(&[("a", "1")]);
    let empty = Place::new();
    let nowhere =
        GitUrl::parse(&format!("file://{}/nowhere", place.folder.path().display())).unwrap().unwrap();
    let unknown = GitUrl::parse("https://no-such-host.invalid/a/b").unwrap().unwrap();
    let closed = GitUrl::parse("http://127.0.0.1:9/a/b").unwrap().unwrap();
    let cases = [
        (&place, Remote { url: nowhere, ..place.remote(None) }),
        (&place, place.remote(Some("no-such-branch"))),
        (&place, place.remote(Some("--upload-pack=x"))),
        (&place, place.remote(Some("a..b"))),
        (&empty, empty.remote(None)),
        (&place, Remote { url: unknown, ..place.remote(None) }),
        (&place, Remote { url: closed, ..place.remote(None) }),
    ];
    let messages: String = cases
        .iter()
        .map(|(place, remote)| {
            let error = place.checkout(remote).make(&mut |_| ()).unwrap_err();
            assert!(!place.cloned().exists());
            assert!(!place.folder.path().join("clones/.partial").exists());
            place.message(&error) + "\n"
        })
        .collect();
    // How long a refused connection took differs.
    let messages = messages.split(" after ").next().unwrap();
    expect_test::expect![[r#"
        there is no repository at file://BASE/nowhere
        the repository file://BASE/origin has no branch or tag "no-such-branch"
        "--upload-pack=x" is not a valid branch, tag or commit
        "a..b" is not a valid branch, tag or commit
        the repository file://BASE/origin is empty
        the host of https://no-such-host.invalid/a/b cannot be resolved
        http://127.0.0.1:9/a/b cannot be reached: unable to access 'http://127.0.0.1:9/a/b/': Failed to connect to 127.0.0.1 port 9"#]].assert_eq(messages);
}

#[test]
fn what_is_half_done_is_made_anew() {
    let place = Place::with_files(&[("a", "1")]);
    let remote = place.remote(None);
    let partial = place.folder.path().join("clones/.partial");
    fs::create_dir_all(partial.join(".git")).unwrap();
    fs::write(partial.join("rest"), "x").unwrap();
    place.checkout(&remote).make(&mut |_| ()).unwrap();
    assert_eq!([place.read("a"), place.read("rest")], [Some("1".into()), None]);
}

#[test]
fn no_hook_runs_and_links_stay_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = Place::with_files(&[("a", "1")]);
    symlink("/etc/passwd", place.origin().join("link")).unwrap();
    place.commit(&[]);
    let remote = place.remote(None);
    let checkout = place.checkout(&remote);
    checkout.make(&mut |_| ()).unwrap();
    assert!(place.cloned().join("link").is_symlink());

    let (mark, hooks) = (place.folder.path().join("mark"), place.cloned().join(".git/hooks"));
    fs::create_dir_all(&hooks).unwrap();
    // Git runs it for every reference that it changes.
    let hook = hooks.join("reference-transaction");
    fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    place.commit(&[("a", "2")]);
    checkout.fetch(&mut |_| ()).unwrap();
    assert!(!mark.exists());
}

/// Commits a tree of `levels` levels of `width` folders each, all the same, around a file of so many bytes.
fn unfolding(width: usize, levels: usize, file_bytes: usize) -> Place {
    let place = Place::new();
    let feed = |arguments: &[&str], input: &str| {
        let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let mut command = Command::new("git");
        command.args(author).args(arguments).current_dir(place.origin());
        command
            .env_remove("GIT_DIR")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let file = feed(&["hash-object", "-w", "--stdin"], &"x".repeat(file_bytes));
    let mut entry = format!("100644 blob {file}");
    for _ in 0..levels {
        let rows: String = (0..width).map(|at| format!("{entry}\tentry{at}\n")).collect();
        entry = format!("040000 tree {}", feed(&["mktree"], &rows));
    }
    let tree = entry.rsplit(' ').next().unwrap();
    let commit = feed(&["commit-tree", tree, "-m", "x"], "");
    place.git(&["update-ref", "HEAD", &commit]);
    place
}

#[test]
fn commits_that_unfold_to_any_size_are_refused() {
    for (what, place) in [("10^9 files", unfolding(10, 9, 1)), ("64 GB", unfolding(40, 3, 1 << 20))] {
        let remote = place.remote(None);
        let checkout = place.checkout(&remote);
        let error = checkout.make(&mut |_| ()).unwrap_err();
        assert!(matches!(error, GitError::TooLarge { .. }), "{what}: {error}");
        assert!(!place.cloned().exists());
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_clone_whose_repository_grows_without_end_stays_as_it_is() {
    let bomb = unfolding(10, 9, 1);
    let place = Place::with_files(&[("a", "1")]);
    let remote = place.remote(None);
    let checkout = place.checkout(&remote);
    checkout.make(&mut |_| ()).unwrap();
    place.git(&[
        "fetch",
        "--quiet",
        &bomb.origin().display().to_string(),
        "+HEAD:refs/heads/trunk",
        "--update-head-ok",
    ]);
    checkout.fetch(&mut |_| ()).unwrap();
    assert!(matches!(checkout.advance(&mut |_| ()), Err(GitError::TooLarge { .. })));
    let options = SourceOptions::default();
    assert!(matches!(checkout.differences(&options), Err(SourceError::Git(GitError::TooLarge { .. }))));
    assert_eq!(place.read("a").as_deref(), Some("1"));
}
