//! Directories and files that cannot be read: each named with its reason, the others ingested.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::process::Command;

use expect_test::expect;

use crate::harness::{Home, skipped};

#[test]
fn missing_directory() {
    let home = Home::new();
    home.check(
        &["ingest", "nowhere"],
        expect![[r#"
        exit 1
        -- stderr
        error: no such directory: nowhere; check the spelling, or give an absolute path
    "#]],
    );
    home.check(
        &["search", "x", "--root", "nowhere"],
        expect![[r#"
        exit 1
        -- stderr
        error: no such directory: nowhere; check the spelling, or give an absolute path
    "#]],
    );
}

#[test]
fn file_as_directory() {
    let home = Home::with_shop();
    home.check(
        &["ingest", "shop/README.md"],
        expect![[r#"
        exit 1
        -- stderr
        error: shop/README.md is a file; give the directory that contains it
    "#]],
    );
}

#[test]
fn home_directories_and_system_folders_need_a_yes() {
    let home = Home::with_shop();
    home.check(
        &["ingest", "/etc"],
        expect![[r#"
            exit 1
            -- stderr
            error: /etc is a system folder, not a project
            hint: ingest the directory of one project; 'craig ingest --yes /etc' indexes the whole directory
        "#]],
    );
    for command in
        [&["ingest", "."][..], &["search", "verify_token"], &["context", "chat", "who checks tokens?"]]
    {
        let reported = home.transcript(&home.run(command));
        assert!(
            reported.starts_with("exit 1\n") && reported.contains("HOME is a home directory"),
            "{command:?}: {reported}"
        );
    }
    assert_eq!(home.succeed(&["list", "--format", "json"]).trim(), "[]");
    assert!(home.succeed(&["search", "verify_token", "--yes"]).contains("shop/src/auth.py"));
    // From then on it is a project like any other.
    assert!(home.succeed(&["search", "verify_token"]).contains("shop/src/auth.py"));
}

#[test]
fn a_link_in_place_of_a_directory_is_not_followed() {
    use std::os::unix::fs::symlink;
    let home = Home::with_ingested_shop();
    home.write("private/key.py", "def of_the_private_folder():\n    pass\n");
    let shop = home.path().join("shop");
    std::fs::rename(&shop, home.path().join("shop.old")).unwrap();
    symlink(home.path().join("private"), &shop).unwrap();
    home.check(
        &["ingest-delta", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: HOME/shop now leads to HOME/private: its files are not read
            hint: run 'craig ingest HOME/private' if that is where the project is now
        "#]],
    );
    let exact = home.run(&["ingest", "--exact", &shop.display().to_string()]);
    assert!(home.transcript(&exact).contains("now leads to HOME/private"));
    let answer = home.succeed(&["search", "verify_token", "-p", "shop"]);
    assert!(answer.contains("src/auth.py") && !answer.contains("key.py"), "{answer}");
}

#[test]
fn source_directory_that_is_gone() {
    let home = Home::with_ingested_shop();
    std::fs::remove_dir_all(home.path().join("shop")).unwrap();
    home.check(
        &["ingest-delta", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: the directory of the project "shop" is gone: HOME/shop
            hint: its index can still be searched; run 'craig ingest' on the new place if it has moved, or 'craig purge shop' if it is no longer needed
        "#]],
    );
    home.check(
        &["check-updates", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: the directory of the project "shop" is gone: HOME/shop
            hint: its index can still be searched; run 'craig ingest' on the new place if it has moved, or 'craig purge shop' if it is no longer needed
        "#]],
    );
    let answer = home.succeed(&["search", "verify_token", "-p", "shop"]);
    assert!(answer.contains("src/auth.py"), "what was ingested is lost: {answer}");
}

#[test]
fn empty_directory() {
    let home = Home::new();
    std::fs::create_dir(home.path().join("empty")).unwrap();
    home.check(
        &["ingest", "empty"],
        expect![[r#"
        exit 0
        -- stdout
        ingested empty  (REFERENCE, id 1, HOME/empty)
          no files: the directory has no tracked files
          took DURATION
    "#]],
    );
    home.check(
        &["search", "anything", "-p", "empty"],
        expect![[r#"
        exit 0
        -- stdout
        no results in empty
        hint: try other words, a lower --min-score, or fewer of --language, --path and --kind
    "#]],
    );
    home.check(
        &["tree", "empty"],
        expect![[r#"
        exit 0
        -- stdout
        empty
        0 files, 0 B
    "#]],
    );
}

#[test]
fn commands_quote_names_that_mean_something_to_a_shell() {
    let home = Home::new();
    home.write("my shop/a.py", "def total():\n    return 1\n");
    home.succeed(&["ingest", "my shop"]);
    home.write("my shop/b.py", "def pay():\n    return 2\n");
    let checked = home.succeed(&["check-updates", "my shop"]);
    assert!(checked.contains(r#"run 'craig ingest-delta "my shop"' to bring"#), "{checked}");
}

#[test]
fn directory_of_ignored_files_only() {
    let home = Home::new();
    home.write("built/.gitignore", "*\n");
    home.write("built/main.js", "run();\n");
    home.check(&["ingest", "built"], expect![[r#"
        exit 0
        -- stdout
        ingested built  (REFERENCE, id 1, HOME/built)
          no files: the directory has no tracked files
          took DURATION
        -- stderr
        warning: no file is tracked, and ignore files such as .gitignore exclude some: 'craig ingest --no-ignore' tracks them, and so does a line '!pattern' in a .pukuignore
    "#]]);
    home.succeed(&["ingest", "built", "--no-ignore"]);
    assert!(home.succeed(&["tree", "built"]).contains("main.js"));
}

#[test]
fn directory_of_binary_files_only() {
    let home = Home::new();
    home.write("pictures/a.png", b"\x89PNG\0\0");
    home.write("pictures/b.bin", [0_u8; 64]);
    home.check(
        &["ingest", "pictures", "-q"],
        expect![[r#"
        exit 0
    "#]],
    );
    home.check(
        &["search", "anything", "-p", "pictures"],
        expect![[r#"
        exit 0
        -- stdout
        no results in pictures
        hint: try other words, a lower --min-score, or fewer of --language, --path and --kind
    "#]],
    );
    home.check(
        &["stats"],
        expect![[r#"
        exit 0
        -- stdout
        projects  1
        files     2 (2 binary), 70 B
        chunks    0
        embedder EMBEDDER
        database  HOME/craig.db, SIZE
    "#]],
    );
}

#[test]
fn path_with_spaces() {
    let home = Home::new();
    home.write("my great shop/a file.py", "def hello():\n    return 1\n");
    home.check(
        &["ingest", "my great shop", "-q"],
        expect![[r#"
        exit 0
    "#]],
    );
    home.check(
        &["file", "my great shop", "a file.py"],
        expect![[r#"
        exit 0
        -- stdout
        def hello():
            return 1
    "#]],
    );
}

#[test]
fn directory_that_is_not_utf8() {
    let home = Home::new();
    let name = OsString::from_vec(b"caf\xe9".to_vec());
    std::fs::create_dir(home.path().join(&name)).unwrap();
    home.check(
        &[OsStr::new("ingest"), &name],
        expect![[r#"
        exit 1
        -- stderr
        error: the directory's path is not valid UTF-8: HOME/caf�; rename it, or use a link with a valid name
    "#]],
    );
}

#[test]
fn file_that_is_not_utf8_by_name() {
    let home = Home::with_shop();
    std::fs::write(home.path().join("shop").join(OsStr::from_bytes(b"caf\xe9.py")), "x = 1\n").unwrap();
    home.check(
        &["ingest", "shop", "-q"],
        expect![[r#"
        exit 2
        -- stderr
        warning: caf�.py: its name is not valid UTF-8; rename it so that it can be tracked
    "#]],
    );
    home.check(
        &["search", "verify_token", "--root", "shop", "-n", "1", "--kind", "code"],
        expect![[r#"
        exit 2
        -- stdout
         1 PERCENT  src/auth.py:1-7  verify_token  function
              1  """Who may do what."""
              2
              3
              4  def verify_token(token, secret):
              5      """Checks that a token was signed with the secret."""
              6      header, payload, signature = token.split(".")
              7      return sign(header + "." + payload, secret) == signature

        1 result in shop, DURATION
        -- stderr
        warning: caf�.py: its name is not valid UTF-8; rename it so that it can be tracked
    "#]],
    );
}

#[test]
fn path_of_4096_bytes() {
    let home = Home::new();
    let long = "d/".repeat(2_048);
    home.check(&["ingest", &long], expect![[r#"
        exit 1
        -- stderr
        error: the directory's path is too long for this system (4096 bytes); move it, or use a link with a shorter path
    "#]]);
    home.check(&["ingest", &"d".repeat(4_096)], expect![[r#"
        exit 1
        -- stderr
        error: the directory's path is too long for this system (4096 bytes); move it, or use a link with a shorter path
    "#]]);
}

#[test]
fn file_deeper_than_the_system_can_name() {
    let home = Home::with_shop();
    let script = r#"cd shop && name=$(printf 'd%.0s' $(seq 200)) &&
        for i in $(seq 22); do mkdir $name && cd -P $name || exit 1; done; echo x = 1 > deep.py"#;
    let built = Command::new("bash").args(["-c", script]).current_dir(home.path()).output();
    match built {
        Ok(output) if output.status.success() => {}
        other => return skipped(&format!("no such tree can be made here: {other:?}")),
    }
    let output = home.run(&["ingest", "shop", "-q"]);
    assert_eq!(output.status.code(), Some(2));
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(
        warning.starts_with("warning: …ddd")
            && warning.len() < 200
            && warning.ends_with("path is too long for this system\n"),
        "{warning}"
    );
}

#[test]
fn unreadable_file() {
    let home = Home::with_shop();
    let secret = home.path().join("shop/src/locked.py");
    home.write("shop/src/locked.py", "x = 1\n");
    home.write("shop/closed/a.py", "x = 1\n");
    make_unreadable(&secret);
    make_unreadable(&home.path().join("shop/closed"));
    let Some(mut ingest) = as_somebody_else(&home, &["ingest", "shop", "-q"]) else {
        return skipped("root reads everything, and setpriv is not there to be somebody else");
    };
    expect![[r#"
        exit 2
        -- stderr
        warning: closed: cannot be read: Permission denied (os error 13)
        warning: src/locked.py: cannot be read: Permission denied (os error 13)
    "#]]
    .assert_eq(&home.transcript(&ingest.output().unwrap()));
    let mut delta = as_somebody_else(&home, &["ingest-delta", "shop", "--format", "json", "-q"]).unwrap();
    assert_eq!(delta.output().unwrap().status.code(), Some(2), "still partial");
}

#[test]
fn unreadable_directory_and_database() {
    let home = Home::with_ingested_shop();
    let database = home.database();
    make_unreadable(&home.path().join("shop"));
    let Some(mut ingest) = as_somebody_else(&home, &["--db", "other.db", "ingest", "shop"]) else {
        return skipped("root reads everything, and setpriv is not there to be somebody else");
    };
    expect![[r#"
        exit 1
        -- stderr
        error: no permission to read the directory shop; change its permissions, or run as a user with read permission
    "#]].assert_eq(&home.transcript(&ingest.output().unwrap()));
    make_unreadable(&database);
    let mut list = as_somebody_else(&home, &["list"]).unwrap();
    expect![[r#"
        exit 1
        -- stderr
        error: cannot open the database HOME/craig.db: unable to open database file: HOME/craig.db
        hint: check the permissions of the file and its folder, or point --db (or CRAIG_DB) to another place
    "#]]
    .assert_eq(&home.transcript(&list.output().unwrap()));
}

fn make_unreadable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
}

/// `craig` as a user who is not root, in a home that is open to all; `None` when that cannot be.
fn as_somebody_else(home: &Home, args: &[&str]) -> Option<Command> {
    use std::os::unix::fs::PermissionsExt as _;
    if !is_root() {
        return Some(home.craig(args));
    }
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    // Copied, since the build's folder may be closed to others.
    let program = home.path().join("craig");
    std::fs::copy(env!("CARGO_BIN_EXE_craig"), &program).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    let works = command.arg("true").output().is_ok_and(|output| output.status.success());
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program).args(args);
    home.prepare(&mut command);
    works.then_some(command)
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[test]
fn counts_that_cannot_be_read_are_named() {
    let home = Home::new();
    home.write(".local/share/craig/answers", "no folder");
    let output = home.craig(&["savings"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("cannot read the counts in") && error.contains("hint: remove or rename it"),
        "{error}"
    );
}
