//! Mining a repository made on the spot.

use std::path::Path;
use std::process::Command;

use super::*;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-C"])
        .arg(folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(folder: &Path, files: &[(&str, &str)], subject: &str) -> String {
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    git(folder, &["add", "."]);
    git(folder, &["commit", "-m", subject]);
    git(folder, &["rev-parse", "HEAD"])
}

const CLIENT: &str = "\"\"\"Asynchronous client for the queue server.\"\"\"\n\n\ndef send_message(queue, text):\n    \
    \"\"\"Send a message and wait for its receipt.\"\"\"\n    connection = queue.connect()\n    return connection.post(text)\n";

fn mine_fixture(skip: &str, seed: u64) -> Vec<Pair> {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init"]);
    let files = [("src/client.py", CLIENT), ("vendor/other.py", CLIENT), ("src/twin.py", CLIENT)];
    let id = commit(folder.path(), &files, "Add a client that waits for receipts");
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    write("list.tsv", &format!("a/b\tPython\tMIT\t{}\t{id}\n", path(".git").display()));
    write("skip.tsv", &format!("a/b\t{skip}\tc/d\n"));
    write("never.txt", "c/d\n");
    run(&MineArguments {
        repositories: path("list.tsv"),
        skip: path("skip.tsv"),
        never_train: path("never.txt"),
        out: path("pairs.jsonl"),
        seed,
    })
    .unwrap();
    pairs::read(&path("pairs.jsonl")).unwrap().collect::<Result<_>>().unwrap()
}

#[test]
fn pairs_come_from_own_files_that_are_not_skipped_and_are_distinct() {
    let found = mine_fixture("src/twin.py", 1);
    let shown: Vec<_> =
        found.iter().map(|pair| (pair.kind, pair.query.as_str(), pair.path.as_str())).collect();
    assert_eq!(
        shown,
        [
            (Kind::Doc, "Send a message and wait for its receipt.", "src/client.py"),
            (Kind::Purpose, "Asynchronous client for the queue server.", "src/client.py"),
            (Kind::Commit, "Add a client that waits for receipts", "src/client.py"),
        ]
    );
    let docs = |pairs: &[Pair]| pairs.iter().filter(|pair| pair.kind == Kind::Doc).count();
    assert_eq!(docs(&mine_fixture("nothing", 1)), 1, "the twin's function is the same text");
}

#[test]
fn the_same_seed_gives_the_same_pairs() {
    assert_eq!(mine_fixture("nothing", 7), mine_fixture("nothing", 7));
}

#[test]
fn a_limit_keeps_pairs_by_seed_and_in_order() {
    let pair = |query: &str| Pair {
        repository: "a/b".into(),
        language: "rust".into(),
        kind: Kind::Doc,
        query: query.into(),
        path: String::new(),
        names: String::new(),
        text: String::new(),
    };
    let all: Vec<Pair> = (0..50).map(|n| pair(&format!("{n:02}"))).collect();
    let kept = |seed| limited(all.clone(), seed, |pair| (pair.kind, String::new()), |_| 10);
    assert_eq!(kept(1).len(), 10);
    assert!(kept(1).is_sorted_by_key(|pair| pair.query.clone()));
    assert_ne!(kept(1), kept(2));
}
