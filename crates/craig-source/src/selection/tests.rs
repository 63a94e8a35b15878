use std::{fmt::Write as _, process::Command};

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;
use crate::walk;

/// Files given as `path` or `path: content` lines, and lines that begin with `$ `: commands of git, run in the folder before
/// `in ` or in the root.
fn tree(layout: &str) -> (TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for line in layout.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(command) = line.strip_prefix("$ ") {
            let (place, command) =
                command.strip_prefix("in ").and_then(|rest| rest.split_once(' ')).unwrap_or((".", command));
            git(&folder.path().join(place), command);
            continue;
        }
        let (path, content) = line.split_once(": ").unwrap_or((line, ""));
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content.replace("\\n", "\n")).unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    (folder, root)
}

fn git(folder: &Path, command: &str) {
    let own = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"];
    let output = Command::new("git")
        .args(own)
        .args(command.split(' '))
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {command}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What is taken of `folder`, and what is not with its reason, as a walk and a look at each path have it.
fn check_in(layout: &str, folder: &str, options: &SourceOptions, expected: Expect) {
    let (top, _) = tree(layout);
    let root = Root::open(top.path().join(folder)).unwrap();
    let listing = walk(&root, options).unwrap();
    let mut text = String::new();
    for entry in &listing.entries {
        writeln!(text, "{}", entry.path).unwrap();
        assert_eq!(left_out(&root, options, &entry.path).unwrap(), None, "{}", entry.path);
    }
    for path in all_files(root.path(), "") {
        if !listing.entries.iter().any(|entry| entry.path == path) {
            let found = left_out(&root, options, &path).unwrap().expect(&path);
            writeln!(text, "- {path}: {}: {}", found.path, found.why).unwrap();
        }
    }
    listing.own_repositories.iter().for_each(|path| writeln!(text, "own: {path}").unwrap());
    for skipped in &listing.skipped {
        writeln!(text, "skipped: {}: {}", skipped.path, skipped.reason).unwrap();
    }
    expected.assert_eq(&text);
}

fn check(layout: &str, expected: Expect) {
    check_in(layout, "", &SourceOptions::default(), expected);
}

/// All files but those of git's own folders.
fn all_files(folder: &Path, relative: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = if relative.is_empty() { name.clone() } else { format!("{relative}/{name}") };
        match entry.file_type().unwrap().is_dir() {
            _ if name == ".git" => {}
            true => found.extend(all_files(&entry.path(), &path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

#[test]
fn what_git_tracks_is_source_wherever_it_lies() {
    let layout = r"
        $ init --quiet
        .gitignore: *.h\nlogs/\nout/
        .github/workflows/ci.yml
        .gitlab-ci.yml
        .hidden/a.rs
        build/webpack.config.js
        src/build/env.py
        src/target/a.rs
        include/config.h
        logs/kept.md
        out/main.go
        node_modules/p/index.js
        $ add --all --force
        $ rm --cached --quiet .hidden/a.rs
        build/new.js
        .github/workflows/new.yml
        .github/.cache
        include/new.h
        logs/new.md
        target/debug/a.rs
    ";
    check(
        layout,
        expect![[r#"
            .github/workflows/ci.yml
            .github/workflows/new.yml
            .gitignore
            .gitlab-ci.yml
            build/new.js
            build/webpack.config.js
            include/config.h
            logs/kept.md
            out/main.go
            src/build/env.py
            src/target/a.rs
            - .github/.cache: .github/.cache: hidden and not tracked by git
            - .hidden/a.rs: .hidden: hidden and not tracked by git
            - include/new.h: include/new.h: excluded by an ignore file
            - logs/new.md: logs/new.md: excluded by an ignore file
            - node_modules/p/index.js: node_modules: a folder of dependencies or caches
            - target/debug/a.rs: target: a build folder without files tracked by git
        "#]],
    );
}

#[test]
fn rules_for_search_tools_and_settings_hold_for_tracked_files() {
    let layout = r"
        $ init --quiet
        .ignore: /old
        a.gen.rs
        a.rs
        dist/a.js
        old/a.rs
        skipped/a.rs
        $ add --all
    ";
    let options = SourceOptions {
        extra_ignore_globs: vec!["*.gen.rs".into()],
        extra_skipped_folders: vec!["dist".into(), "skipped".into()],
        ..SourceOptions::default()
    };
    check_in(
        layout,
        "",
        &options,
        expect![[r#"
            .ignore
            a.rs
            - a.gen.rs: a.gen.rs: excluded by a setting
            - dist/a.js: dist: excluded by a setting
            - old/a.rs: old: excluded by an ignore file
            - skipped/a.rs: skipped: excluded by a setting
        "#]],
    );
}

#[test]
fn a_folder_of_a_working_tree_is_tracked_by_it() {
    let layout = r"
        $ init --quiet
        .gitignore: *.h
        sub/build/a.py
        sub/a.h
        $ add --all --force
        sub/b.h
    ";
    check_in(
        layout,
        "sub",
        &SourceOptions::default(),
        expect![[r#"
            a.h
            build/a.py
            - b.h: b.h: excluded by an ignore file
        "#]],
    );
}

#[test]
fn other_working_trees_are_projects_of_their_own_and_submodules_are_not() {
    let layout = r"
        lib/build/l.rs
        $ init --quiet lib
        $ in lib add --all
        $ in lib commit --quiet -m one
        app/a.rs
        $ init --quiet app
        $ in app add --all
        $ in app commit --quiet -m one
        $ in app submodule add --quiet ../lib vendored
        $ in app worktree add --quiet trees/x
        $ in app worktree add --quiet .trees/y
        app/clone/c.rs
        $ init --quiet app/clone
    ";
    check_in(
        layout,
        "app",
        &SourceOptions::default(),
        expect![[r#"
            .gitmodules
            a.rs
            vendored/build/l.rs
            - .trees/y/a.rs: .trees: hidden and not tracked by git
            - clone/c.rs: clone: a separate git working tree
            - trees/x/a.rs: trees/x: a separate git working tree
            own: clone
            own: trees/x
        "#]],
    );
}

#[test]
fn a_plain_folder_of_clones_is_one_project_without_their_linked_worktrees() {
    let layout = r"
        a/build/a.rs
        $ init --quiet a
        $ in a add --all
        $ in a commit --quiet -m one
        b/b.rs
        $ init --quiet b
        $ in a worktree add --quiet ../a-feature
    ";
    check(
        layout,
        expect![[r#"
            a/build/a.rs
            b/b.rs
            - a-feature/build/a.rs: a-feature: a separate git working tree
            own: a-feature
        "#]],
    );
}

#[test]
fn a_linked_worktree_is_tracked_by_its_own_index() {
    let layout = r"
        main/build/a.rs
        $ init --quiet main
        $ in main add --all
        $ in main commit --quiet -m one
        $ in main worktree add --quiet ../tree
        tree/target/b.rs
        $ in tree add --all
    ";
    check_in(layout, "tree", &SourceOptions::default(), expect![["build/a.rs\ntarget/b.rs\n"]]);
}

#[test]
fn an_index_that_cannot_be_used_is_reported_and_nothing_is_tracked() {
    check(
        ".git/HEAD: x\n.git/index: DIRC and no more\na.rs\nbuild/b.rs",
        expect![[r#"
            a.rs
            - build/b.rs: build: a build folder without files tracked by git
            skipped: .git/index: git's list of tracked files is not used, and hidden or ignored ones may have been left out: it is damaged
        "#]],
    );
}

#[test]
fn why_a_path_is_left_out() {
    let (folder, root) = tree("a.rs\nlarge.rs: 123456\nsub/b.rs");
    let options = SourceOptions { max_file_size_bytes: 5, ..SourceOptions::default() };
    std::os::unix::fs::symlink("sub", folder.path().join("link")).unwrap();
    let why =
        |path: &str| left_out(&root, &options, path).unwrap().map(|it| format!("{}: {}", it.path, it.why));
    assert_eq!(why("large.rs").as_deref(), Some("large.rs: over the size limit of 5 bytes"));
    assert_eq!(why("link/b.rs").as_deref(), Some("link: a symbolic link"));
    for path in ["a.rs", "sub", "sub/b.rs", "nowhere", "", "../a.rs", "/etc/passwd"] {
        assert_eq!(why(path), None, "{path}");
    }
}
