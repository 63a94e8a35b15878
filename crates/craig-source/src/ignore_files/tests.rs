use std::{borrow::Cow, fmt::Write as _, os::unix::fs::symlink, process::Command};

use expect_test::{Expect, expect};
use ignore::gitignore::GitignoreBuilder;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{SourceOptions, selection::Lookup, walk};

/// A folder with files of these contents.
fn tree(files: &[(&str, &[u8])]) -> (TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    (folder, root)
}

fn check(root: &Root, expected: Expect) {
    let listing = walk(root, &SourceOptions::default()).unwrap();
    let mut text = String::new();
    for entry in &listing.entries {
        writeln!(text, "{}", entry.path).unwrap();
    }
    for skipped in &listing.skipped {
        writeln!(text, "{}: {}", skipped.path, skipped.reason).unwrap();
    }
    expected.assert_eq(&text);
}

#[test]
fn what_is_no_regular_file_is_reported_and_left_out() {
    let (folder, root) =
        tree(&[("a.rs", b""), ("b.log", b""), ("dir/.gitignore/x.rs", b""), ("real", b"*.log\n")]);
    let at = |path: &str| folder.path().join(path);
    symlink("/dev/zero", at(".gitignore")).unwrap();
    symlink("real", at(".pukuignore")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at(".ignore"), rustix::fs::Mode::RWXU).unwrap();
    fs::create_dir(at("sub")).unwrap();
    symlink("nowhere", at("sub/.ignore")).unwrap();
    check(
        &root,
        expect![[r#"
            a.rs
            real
            .gitignore: its rules are ignored, so files that it excludes may have been ingested: it is a link out of the project
            .ignore: its rules are ignored, so files that it excludes may have been ingested: it is not a regular file
            sub/.ignore: its rules are ignored, so files that it excludes may have been ingested: it is a dangling link
        "#]],
    );
}

#[test]
fn a_bad_line_costs_that_line_wherever_it_is_found() {
    let mut rules = b"*.log\n[z-a]\n*.\xff\n".to_vec();
    rules.extend_from_slice("x".repeat(5_000).as_bytes());
    rules.extend_from_slice(b"\r\n*.tmp\r\n");
    let (_folder, root) = tree(&[(".gitignore", &rules), ("a.log", b""), ("a.rs", b""), ("a.tmp", b"")]);
    check(
        &root,
        expect![[r#"
            a.rs
            .gitignore: it has an invalid line, which excludes nothing: line 2: invalid range; 'z' > 'a'; 2 more like it
        "#]],
    );
}

#[test]
fn character_classes_of_posix_are_those_of_git() {
    let rules =
        b"q[[:digit:]].py\n[![:alpha:]]a.py\n[[:punct:]]b.py\n[]x]c.py\n\\[[:digit:]d.py\n[[:none:]]e.py\n";
    let names = [
        "q3.py", "qx.py", "1a.py", "xa.py", "-b.py", "]b.py", "1b.py", "]c.py", "yc.py", "[5d.py", "1d.py",
        "[:d.py", "ne.py",
    ];
    let files: Vec<(&str, &[u8])> = [(".gitignore", rules.as_slice())]
        .into_iter()
        .chain(names.map(|name| (name, b"".as_slice())))
        .collect();
    let (folder, root) = tree(&files);
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(folder.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    let listed = git(&["ls-files", "--others", "--exclude-standard"]);
    let by_git: Vec<&str> = listed.lines().filter(|path| !path.starts_with('.')).collect();
    let listing = walk(&root, &SourceOptions::default()).unwrap();
    let found: Vec<&str> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(found, by_git);
}

#[test]
fn a_set_over_the_limit_of_the_library_is_halved() {
    let large = "?".repeat(4_000);
    let texts = [vec!["*.log"], vec![large.as_str(); 100], vec!["*.tmp"]].concat();
    let mut builder = GitignoreBuilder::new("");
    for text in &texts {
        builder.add_line(None, text).unwrap();
    }
    assert!(builder.build().is_err());

    let lines: Vec<(usize, Cow<'_, str>)> = texts.into_iter().map(Cow::Borrowed).enumerate().collect();
    let (mut sets, mut bad) = (Vec::new(), Vec::new());
    patterns::compile(&builder, &lines, &mut sets, &mut bad);
    let is_ignored = |path| sets.iter().any(|set| set.matched(path, false).is_ignore());
    assert!(bad.is_empty() && is_ignored("a.log") && is_ignored("a.tmp") && !is_ignored("a.rs"));
}

#[test]
fn a_file_holds_as_far_as_its_bounds() {
    let long = format!("*.log\n{}!a.log\n", "# no pattern\n".repeat(100_000));
    let many: String = (0..100_000).map(|n| format!("a{n}*.x\n")).collect();
    let (_folder, root) = tree(&[
        (".gitignore", long.as_bytes()),
        (".ignore", many.as_bytes()),
        ("a.log", b""),
        ("a1b.x", b""),
    ]);
    check(
        &root,
        expect![[r#"
            .gitignore: some of its rules are ignored, so files that they exclude may have been ingested: it is larger than 1048576 bytes; the rest is ignored
            .ignore: some of its rules are ignored, so files that they exclude may have been ingested: its patterns from line 1528 on would take too much memory
        "#]],
    );
}

#[test]
fn a_worktree_and_a_submodule_have_the_excludes_of_their_repository() {
    let (folder, root) = tree(&[
        (".git/info/exclude", b"*.main\n"),
        (".git/modules/sub/info/exclude", b"*.sub\n"),
        (".git/worktrees/tree/commondir", b"../..\n"),
        ("a.main", b""),
        ("a.sub", b""),
        ("sub/.git", b"gitdir: ../.git/modules/sub\n"),
        ("sub/b.sub", b""),
        ("tree/c.main", b""),
    ]);
    let git = root.path().join(".git/worktrees/tree");
    fs::write(folder.path().join("tree/.git"), format!("gitdir: {}\n", git.display())).unwrap();
    check(&root, expect![["a.sub\n"]]);
    check(&Root::open(folder.path().join("sub")).unwrap(), expect![[""]]);
    check(&Root::open(folder.path().join("tree")).unwrap(), expect![[""]]);
}

#[test]
fn looked_up_by_single_paths_the_rules_are_the_same() {
    let (_folder, root) = tree(&[
        (".gitignore", b"*.log\nsecret/\n"),
        ("sub/.gitignore", b"!keep.log\n/only.rs\n"),
        ("sub/deep/x.rs", b""),
    ]);
    let mut lookup = Lookup::new(&root, &SourceOptions::default()).unwrap();
    let mut is_ignored = |path| lookup.left_out(path, false).is_some();
    assert!(is_ignored("a.log") && is_ignored("sub/a.log") && is_ignored("secret/deep/a.rs"));
    assert!(!is_ignored("sub/keep.log") && is_ignored("sub/only.rs") && !is_ignored("sub/deep/only.rs"));
}

/// Patterns of the pieces that the syntax is made of. Without `[!a]`: that the library lets stand for a `/`, too, so that
/// `a[!x]b` excludes `a/b`, which git does not.
fn patterns() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "c", "ab", "x.log", "*", "**", "?", "/", "/**/", "**/", "[ab]", "[a-c]", "\\*", "\\!",
        "{a,b}", ".", "a*b",
    ]);
    let line = (prop::sample::select(vec!["", "", "", "!", "/"]), prop::collection::vec(piece, 1..4))
        .prop_map(|(start, pieces)| format!("{start}{}", pieces.concat()));
    let line =
        line.prop_filter("stars that git takes for others behind a literal beginning", has_plain_stars);
    prop::collection::vec(line, 1..5).prop_map(|lines| lines.join("\n") + "\n")
}

/// Whether `**` stands for whole folders only. For `c**/b`, git compares the literal `c` by itself, and then takes the rest
/// for `**/b`, against its own documentation; `**//` excludes nothing there.
#[expect(clippy::ptr_arg, reason = "what `prop_filter` asks for")]
fn has_plain_stars(line: &String) -> bool {
    !line.contains("//")
        && line.trim_start_matches('!').split('/').all(|part| part == "**" || !part.contains("**"))
}

/// What a walk finds and what git would add, of a tree with all names of two letters in three folders.
fn walked_and_of_git(top: &str, nested: &str) -> (Vec<String>, Vec<String>) {
    let names = ["a", "b", "c", "ab", "x.log", "axb"];
    let mut files =
        vec![(".gitignore".to_owned(), top.to_owned()), ("a/.gitignore".to_owned(), nested.to_owned())];
    for folder in ["", "a/", "b/", "a/c/", "c/a/"] {
        let is_folder =
            |name: &&&str| !matches!((folder, **name), ("", "a" | "b" | "c") | ("a/", "c") | ("c/", "a"));
        files.extend(names.iter().filter(is_folder).map(|name| (format!("{folder}{name}"), String::new())));
    }
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    let (folder, root) = tree(&files);
    let git = |arguments: &[&str]| {
        let command = Command::new("git")
            .args(arguments)
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "")
            .output();
        String::from_utf8(command.unwrap().stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    let listed = git(&["-c", "core.quotePath=off", "ls-files", "--others", "--exclude-standard"]);
    let mut of_git: Vec<String> =
        listed.lines().filter(|path| !path.ends_with(".gitignore")).map(str::to_owned).collect();
    of_git.sort();
    let listing = walk(&root, &SourceOptions::default()).unwrap();
    (listing.entries.into_iter().map(|entry| entry.path).collect(), of_git)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_walk_finds_what_git_does(top in patterns(), nested in patterns()) {
        let (walked, of_git) = walked_and_of_git(&top, &nested);
        prop_assert_eq!(walked, of_git, "top {:?}, nested {:?}", top, nested);
    }
}
