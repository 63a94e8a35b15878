//! Repositories by URL, with the git of this machine.

use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect;
use serde_json::Value;

use crate::git_server::GitServer;
use crate::harness::Home;

/// A home with the repository `origin`.
struct Place {
    home: Home,
}

impl Place {
    fn new() -> Self {
        let place = Self { home: Home::new() };
        std::fs::create_dir(place.origin()).unwrap();
        place.git(&["init", "--quiet", "--initial-branch=trunk"]);
        place.commit(&[
            (
                "src/auth.py",
                "def verify_token(token):\n    \"\"\"Checks a token.\"\"\"\n    return token == 1\n",
            ),
            ("src/cart.py", "def total(items):\n    return sum(items)\n"),
            ("README.md", "# Shop\n\nSells things.\n"),
        ]);
        place
    }

    fn origin(&self) -> PathBuf {
        self.home.path().join("origin")
    }

    fn url(&self) -> String {
        format!("file://{}", self.origin().display())
    }

    fn git(&self, arguments: &[&str]) -> String {
        git_in(&self.origin(), arguments)
    }

    fn commit(&self, files: &[(&str, &str)]) {
        files.iter().for_each(|(path, text)| self.home.write(&format!("origin/{path}"), text));
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--message", "x"]);
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let reported = self.home.succeed(&[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&reported).unwrap()
    }

    /// Everything below the database, as one text.
    fn everything_stored(&self) -> String {
        let mut text = String::new();
        let mut folders = vec![self.home.path()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(entry.path()),
                    false => text += &String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()),
                }
            }
        }
        text
    }
}

fn git_in(folder: &Path, arguments: &[&str]) -> String {
    let author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(author).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_repository_is_cloned_followed_and_removed() {
    let place = Place::new();
    let first = place.git(&["rev-parse", "HEAD"]);
    let report = place.json(&["ingest", &place.url()]);
    assert_eq!(report["project"], "origin");
    assert_eq!(report["files"]["added"], 3);
    assert_eq!(report["git"]["commit"], first.as_str());
    assert_eq!(place.json(&["check-updates", "origin"])["up_to_date"], true);
    let answer = place.json(&["search", "--project", "origin", "verify_token"]);
    assert_eq!(answer["hits"][0]["path"], "src/auth.py");

    Home::let_files_age();
    place.git(&["rm", "--quiet", "README.md"]);
    place.commit(&[
        ("src/cart.py", "def total(items):\n    return 2\n"),
        ("src/new.py", "A = 1\n"),
        ("node_modules/x", "1"),
    ]);
    let second = place.git(&["rev-parse", "HEAD"]);
    let check = place.json(&["check-updates", "origin"]);
    assert_eq!(check["up_to_date"], false);
    assert_eq!(
        [&check["added"][0], &check["changed"][0], &check["removed"][0]],
        ["src/new.py", "src/cart.py", "README.md"]
    );
    assert_eq!([&check["git"]["commit"], &check["newest_commit"]], [first.as_str(), second.as_str()]);
    assert_eq!(
        place.json(&["search", "--project", "origin", "total"])["hits"][0]["content"]
            .as_str()
            .unwrap()
            .lines()
            .last(),
        Some("    return sum(items)")
    );

    let delta = place.json(&["ingest-delta", "origin"]);
    assert_eq!(delta["files"].to_string(), r#"{"added":1,"changed":1,"removed":1,"total":3,"unchanged":1}"#);
    assert_eq!(delta["git"]["commit"], second.as_str());
    assert_eq!(place.json(&["check-updates", "origin"])["up_to_date"], true);

    let clones = place.home.path().join("craig.db.d/clones");
    assert_eq!(std::fs::read_dir(&clones).unwrap().count(), 1);
    place.home.succeed(&["purge", "--yes", "origin"]);
    assert_eq!(std::fs::read_dir(&clones).unwrap().count(), 0);
}

#[test]
fn reports_about_a_repository() {
    let place = Place::new();
    let url = place.url();
    let reported = |args: &[&str]| {
        let reported = place.home.transcript(&place.home.run(args));
        let hash = regex::Regex::new("[0-9a-f]{40}").unwrap().replace_all(&reported, "COMMIT").into_owned();
        regex::Regex::new("clones/[0-9a-f]{16}").unwrap().replace_all(&hash, "clones/KEY").into_owned()
    };
    let mut all = reported(&["ingest", &url, "--quiet", "--format", "json"]);
    place.commit(&[("b.py", "B = 1\n"), ("src/cart.py", "C = 1\n")]);
    all += &reported(&["check-updates", "origin"]);
    all += &reported(&["ingest-delta", "origin"]);
    place.commit(&[("node_modules/x", "1")]);
    all += &reported(&["check-updates", "origin"]);
    all += &reported(&["list"]);
    expect![[r#"
        exit 0
        -- stdout
        {
          "project": "origin",
          "reference": "REFERENCE",
          "id": 1,
          "source_path": "HOME/craig.db.d/clones/KEY/origin",
          "files": {
            "total": 3,
            "added": 3,
            "changed": 0,
            "removed": 0,
            "unchanged": 0
          },
          "chunks": 3,
          "vectors_embedded": 3,
          "vectors_reused": 0,
          "bytes": 135,
          "elapsed_s": NUMBER,
          "failed": [],
          "too_large": [],
          "secrets": [],
          "git": {
            "url": "file://HOME/origin",
            "reference": null,
            "commit": "COMMIT"
          }
        }
        exit 0
        -- stdout
        origin differs from the index: 1 added, 1 changed
        change   file
        added    b.py
        changed  src/cart.py
        commit COMMIT is in the index, COMMIT is the newest
        run 'craig ingest-delta origin' to bring the index up to date
        exit 0
        -- stdout
          0%  0/4 files
        100%  4/4 files  DURATION  RATE  src/cart.py
        ingested origin  (REFERENCE, id 1, HOME/craig.db.d/clones/KEY/origin)
          4 files: 1 added, 1 changed, 2 unchanged
          file://HOME/origin at REFERENCE
          2 chunks from 107 B: 2 embedded, 0 reused
          took DURATION
        exit 0
        -- stdout
        origin has a newer commit, and no tracked file differs
        commit COMMIT is in the index, COMMIT is the newest
        run 'craig ingest-delta origin' to bring the index up to date
        exit 0
        -- stdout
        id  name    reference     files  chunks  updated              source
         1  origin  REFERENCE      4       4  TIME  file://HOME/origin
    "#]]
    .assert_eq(&all);
}

#[test]
fn branches_are_projects_that_share_vectors() {
    let place = Place::new();
    place.git(&["checkout", "--quiet", "-b", "side"]);
    place.commit(&[("src/side.py", "def only_here():\n    return 3\n")]);
    let trunk = place.json(&["ingest", &place.url(), "--branch", "trunk"]);
    let side = place.json(&["ingest", &place.url(), "--branch", "side", "--name", "side"]);
    assert_eq!([&trunk["vectors_embedded"], &side["vectors_embedded"]], [&trunk["chunks"], &Value::from(1)]);
    assert_eq!(side["vectors_reused"], trunk["chunks"]);
    let clones = place.home.path().join("craig.db.d/clones");
    assert_eq!(std::fs::read_dir(&clones).unwrap().count(), 2);

    // A worktree of the same repository has nothing new either.
    place.git(&["worktree", "add", "--quiet", "../tree", "trunk"]);
    let tree = place.json(&["ingest", "tree"]);
    assert_eq!([&tree["vectors_embedded"], &tree["vectors_reused"]], [&Value::from(0), &trunk["chunks"]]);
    assert_eq!(tree["git"], Value::Null);
}

#[test]
fn a_clone_that_is_gone_or_was_edited_is_made_right() {
    let place = Place::new();
    let report = place.json(&["ingest", &place.url()]);
    let clone = PathBuf::from(report["source_path"].as_str().unwrap());
    std::fs::write(clone.join("src/cart.py"), "edited").unwrap();
    place.commit(&[("c.py", "C = 1\n")]);
    let delta = place.json(&["ingest-delta", "origin"]);
    assert_eq!(delta["files"]["added"], 1);
    assert!(std::fs::read_to_string(clone.join("src/cart.py")).unwrap().contains("total"));
    std::fs::remove_dir_all(&clone).unwrap();
    let again = place.json(&["ingest-delta", "origin"]);
    assert_eq!([&again["files"]["unchanged"], &again["files"]["changed"]], [4, 0]);
}

#[test]
fn hostile_urls_are_refused_with_what_to_do() {
    let place = Place::new();
    let mark = place.home.path().join("mark");
    let command = format!("ext::touch {}", mark.display());
    let empty = place.home.path().join("empty.git");
    git_in(&place.home.path(), &["init", "--quiet", "--bare", "empty.git"]);
    let cases: Vec<Vec<String>> = [
        vec![&*command],
        vec!["ssh://-oProxyCommand=touch%20mark/x"],
        vec!["ftp://host/x"],
        vec!["https://host/x?token=1"],
        vec!["file://server/share"],
        vec!["file:///nowhere/at/all"],
        vec![&format!("file://{}", empty.display())],
        vec![&place.url(), "--branch", "none"],
        vec![&place.url(), "--branch=--upload-pack=touch mark"],
        vec!["https://no-such-host.invalid/a/b"],
        vec!["origin", "--branch", "trunk"],
    ]
    .iter()
    .map(|case| case.iter().map(|text| (*text).to_owned()).collect())
    .collect();
    let mut reported = String::new();
    for case in cases {
        let arguments = ["ingest".to_owned()].into_iter().chain(case);
        reported += &place.home.transcript(&place.home.run(&arguments.collect::<Vec<_>>()));
    }
    assert!(!mark.exists() && !place.home.path().join("mark").exists());
    assert_eq!(place.json(&["list"]), Value::Array(Vec::new()), "nothing is left behind");
    expect![[r#"
        exit 1
        -- stderr
        error: the repository URL cannot be used: the protocol "ext" is not allowed
        hint: URLs look like https://host/owner/name, ssh://git@host/path, git@host:path or file:///path
        exit 1
        -- stderr
        error: the repository URL cannot be used: its host or user name is malformed
        hint: URLs look like https://host/owner/name, ssh://git@host/path, git@host:path or file:///path
        exit 1
        -- stderr
        error: the repository URL cannot be used: the protocol "ftp" is not allowed
        hint: URLs look like https://host/owner/name, ssh://git@host/path, git@host:path or file:///path
        exit 1
        -- stderr
        error: the repository URL cannot be used: it has a query or a fragment
        hint: URLs look like https://host/owner/name, ssh://git@host/path, git@host:path or file:///path
        exit 1
        -- stderr
        error: the repository URL cannot be used: it names a file of another machine
        hint: URLs look like https://host/owner/name, ssh://git@host/path, git@host:path or file:///path
        exit 1
        -- stderr
        error: there is no repository at file:///nowhere/at/all
        hint: check the spelling of the URL
        exit 1
        -- stderr
        error: the repository file://HOME/empty.git is empty
        hint: push a first commit, then ingest it
        exit 1
        -- stderr
        error: the repository file://HOME/origin has no branch or tag "none"
        hint: choose a branch or tag that 'git ls-remote' lists, or omit --branch for the default branch
        exit 1
        -- stderr
        error: "--upload-pack=touch mark" is not a valid branch, tag or commit
        hint: choose a branch or tag that 'git ls-remote' lists, or omit --branch for the default branch
        exit 1
        -- stderr
        error: the host of https://no-such-host.invalid/a/b cannot be resolved
        hint: check the spelling of the host and the network connection
        exit 1
        -- stderr
        error: --branch and --depth apply only to repositories, and this is a directory
        hint: give the URL of a repository, or omit them
    "#]]
    .assert_eq(&reported);
}

#[test]
fn a_machine_without_git_gets_an_error() {
    let place = Place::new();
    std::fs::create_dir(place.home.path().join("bin")).unwrap();
    let output = place
        .home
        .craig(&["ingest", &place.url()])
        .env("PATH", place.home.path().join("bin"))
        .output()
        .unwrap();
    expect![[r#"
        exit 1
        -- stderr
        error: git is not installed; it is needed to clone repositories
        hint: install git, or clone the repository yourself and ingest its directory
    "#]]
    .assert_eq(&place.home.transcript(&output));
}

#[test]
fn a_server_that_says_nothing_is_waited_for_so_long() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/a/b", listener.local_addr().unwrap());
    let output = place.home.run(&["ingest", &url, "--set", "git.timeout_s=1"]);
    let reported = place.home.transcript(&output).replace(&url, "URL");
    expect![[r#"
        exit 1
        -- stderr
        error: git was stopped after 1 seconds without output for URL
        hint: try again; for a slow server, raise git.timeout_s
    "#]]
    .assert_eq(&reported);
}

#[test]
fn a_private_repository_opens_to_a_token_that_is_kept_nowhere() {
    const SECRET: &str = "tok-5f2a91";
    let place = Place::new();
    let server = GitServer::start(place.home.path(), "x-access-token", SECRET);
    let url = server.url("origin/.git");
    let with_token = |arguments: &[&str], token: &str, host: &str| {
        let mut command = place.home.craig(arguments);
        command.env("CRAIG_GIT_TOKEN", token).env("CRAIG_GIT_TOKEN_HOST", host);
        command.output().unwrap()
    };
    let reported = |output: &std::process::Output| {
        let reported = place.home.transcript(output);
        assert!(!reported.contains(SECRET), "{reported}");
        reported.replace(&server.url(""), "SERVER/")
    };
    let denied = [
        reported(&place.home.run(&["ingest", &url])),
        reported(&with_token(&["ingest", &url], "wrong", "127.0.0.1")),
        reported(&with_token(&["ingest", &url], SECRET, "github.com")),
    ];
    expect![[r#"
        exit 1
        -- stderr
        error: SERVER/origin/.git is private or does not exist, and no credentials were accepted
        hint: check the spelling; for a private repository, configure git's credential helper or the SSH agent, or set CRAIG_GIT_TOKEN to a token (git.token_host is the host that receives it)
    "#]].assert_eq(&denied[0]);
    assert_eq!(denied[0], denied[1]);
    assert_eq!(denied[0], denied[2], "the token is for another host");
    assert_eq!(server.secrets_seen(), 0);

    let output = with_token(&["ingest", &url, "--name", "private"], SECRET, "127.0.0.1");
    assert!(output.status.success(), "{}", reported(&output));
    place.commit(&[("d.py", "D = 1\n")]);
    assert!(!place.home.run(&["ingest-delta", "private"]).status.success(), "nothing was remembered");
    let output = with_token(&["ingest-delta", "private", "--format", "json"], SECRET, "127.0.0.1");
    assert!(reported(&output).contains(r#""added": 1"#));

    // The same in a URL: used once, shown and kept without it.
    place.home.succeed(&["purge", "--yes", "private"]);
    let own = url.replace("http://", &format!("http://x-access-token:{SECRET}@"));
    let output = place.home.run(&["ingest", &own, "--name", "private"]);
    assert!(output.status.success(), "{}", reported(&output));
    reported(&place.home.run(&["list", "--format", "json"]));
    assert!(!place.everything_stored().contains(SECRET));
}

#[test]
fn odd_names_and_links_of_a_repository_do_no_harm() {
    let place = Place::new();
    symlink("/etc/passwd", place.origin().join("passwd.md")).unwrap();
    place.commit(&[
        ("--help.py", "x = 1\n"),
        ("a b/ü'\"$(touch mark).py", "y = 1\n"),
        (".craig.toml", "source.exclude = [\"*.py\"]\n"),
    ]);
    let report = place.json(&["ingest", &place.url()]);
    assert_eq!(report["files"]["total"], 6, "`.craig.toml` is tracked, and not read");
    assert_eq!(place.json(&["check-updates", "origin"])["up_to_date"], true);
}

#[test]
fn workers_ingest_what_the_queue_names() {
    let place = Place::new();
    let jobs = |arguments: &[&str]| place.json(&[&["jobs"], arguments].concat());
    let work = || place.json(&["worker", "--once"]);
    let added = jobs(&["add", &place.url(), "--every", "1h", "--name", "shop"]);
    assert_eq!((&added[0]["state"], &added[0]["every_seconds"]), (&"waiting".into(), &3_600.into()));
    let ran = work();
    assert_eq!((&ran["project"], &ran["files_changed"]), (&"shop".into(), &3.into()), "{ran}");
    place.home.succeed(&["search", "verify_token", "--project", "shop", "--no-refresh"]);

    place.commit(&[("src/cart.py", "def total(items):\n    return 0\n")]);
    assert_eq!(place.home.succeed(&["worker", "--once"]), "", "it is due in an hour");
    jobs(&["run", "1"]);
    assert_eq!(work()["files_changed"], 1);

    std::fs::rename(place.origin(), place.home.path().join("moved")).unwrap();
    jobs(&["run", "1"]);
    let failed = place.home.run(&["worker", "--once"]);
    assert_eq!(failed.status.code(), Some(2), "{}", String::from_utf8_lossy(&failed.stderr));
    let listed = &jobs(&["list"])[0];
    assert_eq!((&listed["state"], &listed["failures"]), (&"waiting".into(), &1.into()));
    assert!(!listed["error"].as_str().unwrap().is_empty());
    let text = place.home.succeed(&["jobs", "list"]);
    assert!(text.contains("failed 1 time, waiting") && text.contains("1h"), "{text}");

    // A directory is a source as well; one that is not there is refused at once.
    place.home.check(
        &["jobs", "add", "nowhere"],
        expect![[r#"
        exit 1
        -- stderr
        error: no such directory: nowhere; check the spelling, or give an absolute path
    "#]],
    );
    place.home.check(
        &["jobs", "add", "moved", "--every", "soon"],
        expect![[r#"
        exit 1
        -- stderr
        error: --every soon: this is not a time between two runs
        hint: give a time of at least 10 seconds, such as 90s, 5m or 1h
    "#]],
    );
    place.home.check(
        &["jobs", "run", "7"],
        expect![[r#"
        exit 1
        -- stderr
        error: there is no job 7
        hint: 'craig jobs list' shows all jobs
    "#]],
    );
    jobs(&["remove", "1"]);
    jobs(&["add", "moved"]);
    assert_eq!(work()["project"], "moved");
    assert_eq!(
        jobs(&["list"]).as_array().map(Vec::len),
        Some(0),
        "a job that runs once is gone when it is done"
    );
}

#[test]
fn a_clone_that_failed_leaves_nothing() {
    let place = Place::new();
    let output = place.home.run(&["ingest", "https://no-such-host.invalid/a/b"]);
    assert_eq!(output.status.code(), Some(1));
    let clones = place.home.path().join("craig.db.d/clones");
    assert_eq!(std::fs::read_dir(&clones).map_or(0, Iterator::count), 0);
}
