use std::{
    fmt::Write,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
};

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;
use crate::{Hidden, IgnoreRules};

/// Lays out files given as `path` or `path: content` lines.
fn tree(files: &str) -> (TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for line in files.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (path, content) = line.split_once(": ").unwrap_or((line, ""));
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content.replace("\\n", "\n")).unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    (folder, root)
}

fn render(listing: &Listing) -> String {
    let mut text = String::new();
    for entry in &listing.entries {
        writeln!(text, "{}", entry.path).unwrap();
    }
    for entry in &listing.too_large {
        writeln!(text, "too large: {} {}", entry.path, entry.stamp.size).unwrap();
    }
    for skipped in &listing.skipped {
        writeln!(text, "skipped: {}: {}", skipped.path, skipped.reason).unwrap();
    }
    text
}

fn check(files: &str, options: &SourceOptions, expected: Expect) {
    let (_folder, root) = tree(files);
    expected.assert_eq(&render(&walk(&root, options).unwrap()));
}

#[test]
fn ignore_files_hold_without_git_and_the_stronger_wins() {
    check(
        r"
        .gitignore: *.log\n/only-here.txt\nsecret/
        .ignore: *.tmp\n!kept.log
        .pukuignore: private/\n!forced.tmp
        a.log
        a.tmp
        forced.tmp
        kept.log
        only-here.txt
        sub/only-here.txt
        sub/.gitignore: *.rs\n!b.rs
        sub/a.rs
        sub/b.rs
        private/x.rs
        secret/y.rs
        ",
        &SourceOptions::default(),
        expect![[r#"
            forced.tmp
            kept.log
            sub/b.rs
            sub/only-here.txt
        "#]],
    );
}

#[test]
fn ignore_files_can_be_disregarded() {
    check(
        r"
        .gitignore: *.log
        a.log
        target/x.rs
        ",
        &SourceOptions { ignore_rules: IgnoreRules::Disregard, ..SourceOptions::default() },
        expect![[r#"
            a.log
        "#]],
    );
}

#[test]
fn hidden_names_and_skipped_folders_are_left_out_but_env_files_are_not() {
    let files = r"
        .env
        .env.local
        .envrc
        .hidden
        .hidden-folder/x.rs
        .git/config
        a b/c d.rs
        build
        node_modules/p/index.js
        src/build/x.rs
        src/dist/x.rs
        src/distant/x.rs
        sub/.env
        é.rs
    ";
    check(
        files,
        &SourceOptions::default(),
        expect![[r#"
            .env
            .env.local
            .envrc
            a b/c d.rs
            build
            src/distant/x.rs
            sub/.env
            é.rs
        "#]],
    );
    check(
        files,
        &SourceOptions { hidden: Hidden::Include, ..SourceOptions::default() },
        expect![[r#"
            .env
            .env.local
            .envrc
            .hidden
            .hidden-folder/x.rs
            a b/c d.rs
            build
            src/distant/x.rs
            sub/.env
            é.rs
        "#]],
    );
}

#[test]
fn packages_of_a_jvm_source_tree_are_no_build_output() {
    check(
        r"
        build/Main.java
        lib/src/main/java/org/build/A.java
        lib/src/main/java/org/target/deep/B.java
        lib/src/main/target/C.java
        lib/target/classes/D.java
        ",
        &SourceOptions::default(),
        expect![[r#"
            lib/src/main/java/org/build/A.java
            lib/src/main/java/org/target/deep/B.java
        "#]],
    );
}

#[test]
fn ignored_env_files_stay_ignored() {
    check(
        r"
        .gitignore: .env
        .env
        .env.example
        ",
        &SourceOptions::default(),
        expect![[r#"
            .env.example
        "#]],
    );
}

#[test]
fn options_leave_out_and_bring_in() {
    let options = SourceOptions {
        extra_skipped_folders: vec!["vendor".into()],
        extra_ignore_globs: vec!["*.gen.rs".into(), "/docs".into()],
        extra_include_globs: vec![".github/workflows/*.yml".into(), "src/build/".into()],
        ..SourceOptions::default()
    };
    check(
        r"
        .github/CODEOWNERS
        .github/workflows/ci.yml
        .github/workflows/notes.md
        docs/a.md
        src/build/a.rs
        src/build/deep/b.rs
        src/a.gen.rs
        sub/docs/a.md
        vendor/v.rs
        ",
        &options,
        expect![[r#"
            .github/workflows/ci.yml
            src/build/a.rs
            src/build/deep/b.rs
            sub/docs/a.md
        "#]],
    );
}

#[test]
fn a_pukuignore_brings_back_hidden_and_skipped_folders_it_names() {
    check(
        r"
        .pukuignore: !.github\n!src/build/\n!*/
        .github/CODEOWNERS
        .vscode/settings.json
        build/x.rs
        node_modules/x.js
        src/build/a.rs
        ",
        &SourceOptions::default(),
        expect![[r#"
            .github/CODEOWNERS
            src/build/a.rs
        "#]],
    );
}

#[test]
fn a_bad_glob_in_the_options_is_an_error() {
    let (_folder, root) = tree("a.rs");
    let options = SourceOptions { extra_include_globs: vec!["[z-a]".into()], ..SourceOptions::default() };
    let error = walk(&root, &options).unwrap_err().to_string();
    assert!(error.starts_with("bad glob `[z-a]`"), "{error}");
}

#[test]
fn a_bad_line_in_an_ignore_file_is_reported_and_the_others_apply() {
    check(
        r"
        .gitignore: [z-a]\n*.log
        a.log
        a.rs
        ",
        &SourceOptions::default(),
        expect![[r#"
            a.rs
            skipped: .gitignore: it has an invalid line, which excludes nothing: line 1: invalid range; 'z' > 'a'
        "#]],
    );
}

#[test]
fn files_over_the_limit_are_named() {
    let options = SourceOptions { max_file_size_bytes: 4, ..SourceOptions::default() };
    check(
        &format!("a.rs: 1234\nb.rs: 12345\nc.rs\nd.ipynb: 12345\ne.ipynb: {}", "x".repeat(65)),
        &options,
        expect![[r#"
            a.rs
            c.rs
            d.ipynb
            too large: b.rs 5
            too large: e.ipynb 65
        "#]],
    );
}

#[test]
fn links_are_not_followed_and_loops_end() {
    let (_outside, outside) = tree("secret.rs");
    let (folder, root) = tree("src/a.rs");
    let base = folder.path();
    symlink("..", base.join("src/up")).unwrap();
    symlink("loop", base.join("loop")).unwrap();
    symlink("src/a.rs", base.join("same.rs")).unwrap();
    symlink(outside.path(), base.join("out-of-here")).unwrap();
    symlink(outside.path().join("secret.rs"), base.join("stolen.rs")).unwrap();
    symlink("/nowhere", base.join("broken")).unwrap();

    let listing = walk(&root, &SourceOptions::default()).unwrap();
    assert_eq!(render(&listing), "src/a.rs\n");
    assert_eq!(listing.excluded.links, 6);

    symlink(base, base.join("link-to-root")).unwrap();
    let through_link = Root::open(base.join("link-to-root")).unwrap();
    assert_eq!(walk(&through_link, &SourceOptions::default()).unwrap().entries, listing.entries);
}

#[test]
fn exclusions_are_counted() {
    let (folder, root) =
        tree(".hidden\n.vscode/a\n.vscode/b\nnode_modules/a\ntarget/a\nx.gen\nlogs/a\nlogs/b\nc.log");
    fs::write(folder.path().join(".gitignore"), "logs/\n*.log\n").unwrap();
    let options = SourceOptions { extra_ignore_globs: vec!["*.gen".into()], ..SourceOptions::default() };
    let expected = ExcludedCounts {
        hidden: 3,
        skipped_folders: 2,
        ignored: 2,
        by_setting: 1,
        ..ExcludedCounts::default()
    };
    assert_eq!(walk(&root, &options).unwrap().excluded, expected);
}

#[test]
fn names_that_are_no_text_and_paths_that_are_too_long_are_reported() {
    let (folder, root) = tree("a.rs");
    fs::write(folder.path().join(OsStr::from_bytes(b"caf\xe9.rs")), "").unwrap();
    // No system call takes such a path at once: a deep folder is moved into another.
    let (deep, deeper) =
        (format!("{}/", "d".repeat(200)).repeat(15), format!("{}/", "e".repeat(200)).repeat(10));
    fs::create_dir_all(folder.path().join(&deep)).unwrap();
    fs::create_dir_all(folder.path().join(&deeper)).unwrap();
    fs::write(folder.path().join(deeper).join("deep.rs"), "").unwrap();
    let moved = "e".repeat(200);
    fs::rename(folder.path().join(&moved), folder.path().join(deep).join(&moved)).unwrap();

    let listing = walk(&root, &SourceOptions::default()).unwrap();
    assert_eq!(listing.entries.len(), 1);
    let (first, second) = (&listing.skipped[0], &listing.skipped[1]);
    assert_eq!((first.path.as_str(), &first.reason), ("caf\u{fffd}.rs", &SkipReason::NotUtf8));
    assert!(second.path.len() > 3_000 && second.reason == SkipReason::PathTooLong, "{second:?}");
}

#[test]
fn an_unreadable_folder_is_reported_and_the_rest_is_listed() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, root) = tree("a.rs\nlocked/b.rs");
    let locked = folder.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let is_superuser = fs::read_dir(&locked).is_ok();

    let listing = walk(&root, &SourceOptions::default()).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    if !is_superuser {
        assert_eq!(
            render(&listing),
            "a.rs\nskipped: locked: cannot be read: Permission denied (os error 13)\n"
        );
    }
}

#[test]
fn a_repository_around_has_a_say_but_a_plain_folder_around_has_none() {
    let files = "home/.gitignore: *\nhome/project/a.rs\nrepo/.git/HEAD\nrepo/.gitignore: *.log\\nvendor/\nrepo/sub/a.log\nrepo/sub/a.rs\nrepo/vendor/v.log\nrepo/vendor/v.rs";
    let (folder, _) = tree(files);
    for (root, expected) in
        [("home/project", "a.rs\n"), ("repo/sub", "a.rs\n"), ("repo/vendor", "v.log\nv.rs\n")]
    {
        let root = Root::open(folder.path().join(root)).unwrap();
        assert_eq!(render(&walk(&root, &SourceOptions::default()).unwrap()), expected);
    }
}

#[test]
fn an_empty_folder_has_no_files() {
    let (_folder, root) = tree("");
    assert_eq!(walk(&root, &SourceOptions::default()).unwrap(), Listing::default());
}
