//! Repositories that mean harm: what their ignore files are, and what their names and code do to a terminal.

use std::os::unix::fs::symlink;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;

use crate::harness::Home;

#[test]
fn ignore_files_that_are_no_files_are_reported_and_the_rest_is_ingested() {
    let home = Home::new();
    home.write("repo/a.rs", "fn alpha() {}\n");
    home.write("repo/sub/b.rs", "fn beta() {}\n");
    symlink("/dev/zero", home.path().join("repo/.gitignore")).unwrap();
    let pipe = home.path().join("repo/sub/.ignore");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    home.check(
        &["ingest", "repo", "-q"],
        expect![[r#"
            exit 2
            -- stderr
            warning: .gitignore: its rules are ignored, so files that it excludes may have been ingested: it is a link out of the project
            warning: sub/.ignore: its rules are ignored, so files that it excludes may have been ingested: it is not a regular file
        "#]],
    );
    let tree = home.succeed(&["tree", "repo"]);
    assert!(tree.contains("a.rs") && tree.contains("b.rs"), "{tree}");
}

#[test]
fn a_bad_line_costs_that_line_and_is_named() {
    let home = Home::new();
    home.write("repo/a.rs", "fn alpha() {}\n");
    home.write("repo/secret.txt", "alpha\n");
    home.write("repo/dump.sql", "alpha\n");
    home.write("repo/.gitignore", format!("*.sql\n[z-a]\n{}\n/secret.txt\n", "x".repeat(1_000_000)));
    home.check(
        &["ingest", "repo", "-q"],
        expect![[r#"
            exit 2
            -- stderr
            warning: .gitignore: it has an invalid line, which excludes nothing: line 2: invalid range; 'z' > 'a'; 1 more like it
        "#]],
    );
    let tree = home.succeed(&["tree", "repo"]);
    assert!(tree.contains("a.rs") && !tree.contains("secret.txt") && !tree.contains("dump.sql"), "{tree}");
}

/// A name that would set a title, begin a line and turn round what follows.
const NAME: &str = "a\u{1b}]0;title\u{7}\nwarning: forged \u{202e}sr.rs";

#[test]
fn names_and_code_do_not_steer_a_terminal() {
    let home = Home::new();
    home.write(&format!("repo/{NAME}"), "fn alpha() {} // \u{1b}[2J \u{202e} \u{9b}1m\n");
    home.succeed(&["ingest", "repo", "--color", "always"]);
    for command in
        [&["tree", "repo"][..], &["search", "alpha", "-p", "repo"], &["insight", "quality", "repo"]]
    {
        let shown = home.succeed(&[command, &["--color", "always"]].concat());
        let foreign = shown.replace("\u{1b}[0m", "").split("\u{1b}[").skip(1).any(|after| {
            let own = ["1m", "2m", "4m", "31m", "32m", "33m", "35m", "36m"];
            !own.iter().any(|style| after.starts_with(style))
        });
        assert!(!foreign && !shown.contains(['\u{7}', '\u{202e}', '\u{9b}']), "{shown:?}");
        assert!(!shown.lines().any(|line| line.starts_with("warning:")), "{shown}");
    }
    let error = home.run(&["file", "repo", "no\u{1b}[31m\nerror: forged"]);
    let error = String::from_utf8(error.stderr).unwrap();
    assert!(error.contains("no\\u{1b}[31m\\nerror: forged") && !error.contains('\u{1b}'), "{error:?}");
}

#[test]
fn json_and_files_in_a_pipe_stay_exact() {
    let home = Home::new();
    let code = "fn alpha() {} // \u{1b}[2J \u{202e}\r\n";
    home.write(&format!("repo/{NAME}"), code);
    home.succeed(&["ingest", "repo"]);
    let tree: Value = serde_json::from_str(&home.succeed(&["tree", "repo", "--format", "json"])).unwrap();
    assert_eq!(tree["children"][0]["name"], NAME);
    assert_eq!(home.succeed(&["file", "repo", NAME]), code);
}

#[test]
fn many_troubles_of_one_kind_are_one_short_warning() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let home = Home::new();
    home.write("repo/a.rs", "fn alpha() {}\n");
    let long = "d".repeat(200);
    for number in 0..12 {
        let name = [long.as_bytes(), b"\xff", number.to_string().as_bytes()].concat();
        std::fs::write(home.path().join("repo").join(OsStr::from_bytes(&name)), "").unwrap();
    }
    let output = home.run(&["search", "alpha", "--root", "repo"]);
    let warnings = String::from_utf8(output.stderr).unwrap();
    let warnings: Vec<&str> = warnings.lines().filter(|line| line.starts_with("warning:")).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("dd\u{fffd}0 and 11 more: ") && warnings[0].len() < 250, "{warnings:?}");
}
