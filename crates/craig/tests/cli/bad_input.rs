//! Bad input: each a message that says what to do, the right exit code, and nothing lost.

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
        error: not a directory but a file: shop/README.md; give the directory that holds it
    "#]],
    );
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
            hint: what was ingested can still be searched; run 'craig ingest' on the new place if it has moved, or 'craig purge shop' if it is not needed any more
        "#]],
    );
    home.check(
        &["check-updates", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: the directory of the project "shop" is gone: HOME/shop
            hint: what was ingested can still be searched; run 'craig ingest' on the new place if it has moved, or 'craig purge shop' if it is not needed any more
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
          no files: nothing in the directory is tracked
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
    home.check(&[OsStr::new("ingest"), &name], expect![[r#"
        exit 1
        -- stderr
        error: the directory's path is not valid UTF-8: HOME/caf�; rename it, or reach it through a link with a plain name
    "#]]);
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
        warning: caf�.py: its name is not valid UTF-8; rename it to have it tracked
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
        warning: caf�.py: its name is not valid UTF-8; rename it to have it tracked
    "#]],
    );
}

#[test]
fn arguments_that_are_not_utf8() {
    let home = Home::with_ingested_shop();
    home.check(
        &[OsStr::new("search"), OsStr::from_bytes(b"caf\xe9")],
        expect![[r#"
            exit 1
            -- stderr
            error: invalid UTF-8 was detected in one or more arguments

            Usage: craig search [OPTIONS] <QUERY>...
                   craig search [OPTIONS] --batch <FILE>

            For more information, try '--help'.
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
        error: the directory's path is too long for this system (4096 bytes); move it, or reach it through a link with a shorter path
    "#]]);
    home.check(&["ingest", &"d".repeat(4_096)], expect![[r#"
        exit 1
        -- stderr
        error: the directory's path is too long for this system (4096 bytes); move it, or reach it through a link with a shorter path
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
        warning.starts_with("warning: ddd") && warning.ends_with("path is too long for this system\n"),
        "{warning}"
    );
}

#[test]
fn queries_that_cannot_be_answered() {
    let home = Home::with_shop();
    let search = |args: &[&str], expect| home.check(&[&["search", "--root", "shop"], args].concat(), expect);
    search(
        &[""],
        expect![[r#"
        exit 1
        -- stderr
        error: the query is empty
        hint: give at least one word to search for
    "#]],
    );
    search(
        &["  ", "\t"],
        expect![[r#"
        exit 1
        -- stderr
        error: the query is empty
        hint: give at least one word to search for
    "#]],
    );
    search(
        &["x", "--min-score", "1.5"],
        expect![[r#"
        exit 1
        -- stderr
        error: the least relevance is 1.5, outside of 0 to 1
        hint: relevance goes from 0 to 1: 70% is 0.7
    "#]],
    );
    search(
        &["x", "--min-score", "NaN"],
        expect![[r#"
        exit 1
        -- stderr
        error: the least relevance is NaN, outside of 0 to 1
        hint: relevance goes from 0 to 1: 70% is 0.7
    "#]],
    );
    search(
        &["x", "--path", "src/["],
        expect![[r#"
        exit 1
        -- stderr
        error: "src/[" is not a path pattern: unclosed character class; missing ']'
        hint: patterns look like 'src/**/*.rs' or '*.md'
    "#]],
    );
    search(
        &["x", "--language", "pyhton"],
        expect![[r#"
        exit 1
        -- stderr
        error: no language "pyhton"
        hint: did you mean python?
    "#]],
    );
    search(
        &["x", "--language", "klingon"],
        expect![[r#"
        exit 1
        -- stderr
        error: no language "klingon"
        hint: 'craig stats' lists the languages of what is ingested
    "#]],
    );
    search(
        &["x", "--kind", "poem"],
        expect![[r#"
        exit 1
        -- stderr
        error: invalid value 'poem' for '--kind <KIND>'
          [possible values: code, docs, config, all]

        For more information, try '--help'.
    "#]],
    );
    search(
        &[],
        expect![[r#"
            exit 1
            -- stderr
            error: the following required arguments were not provided:
              <QUERY>...

            Usage: craig search [OPTIONS] <QUERY>...
                   craig search [OPTIONS] --batch <FILE>

            For more information, try '--help'.
        "#]],
    );
    home.check(
        &["list"],
        expect![[r#"
        exit 0
        -- stdout
        no projects yet: 'craig ingest <directory>' makes one
    "#]],
    );
}

#[test]
fn query_without_a_word() {
    let home = Home::with_ingested_shop();
    home.succeed(&["search", "?!", "-p", "shop"]);
}

#[test]
fn query_of_a_megabyte() {
    let home = Home::with_ingested_shop();
    let query = "verify_token ".repeat(80_000);
    let line = format!("{{\"query\": \"{query}\", \"limit\": 1, \"kind\": \"code\"}}\n");
    let output = home.run_with_input(&["search", "--batch", "-", "-p", "shop"], line.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["hits"][0]["path"], "src/auth.py");
}

#[test]
fn unknown_project() {
    let home = Home::with_ingested_shop();
    home.check(
        &["search", "x", "--project", "sohp"],
        expect![[r#"
        exit 1
        -- stderr
        error: no project "sohp"
        hint: known projects: shop
    "#]],
    );
    home.check(
        &["purge", "sohp", "--yes"],
        expect![[r#"
        exit 1
        -- stderr
        error: no project "sohp"
        hint: known projects: shop
    "#]],
    );
    home.check(
        &["status", ""],
        expect![[r#"
        exit 1
        -- stderr
        error: no project ""
        hint: known projects: shop
    "#]],
    );
    Home::new().check(
        &["status", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: no project "shop"
        hint: nothing is ingested yet: run 'craig ingest <directory>'
    "#]],
    );
}

#[test]
fn names_that_cannot_be() {
    let home = Home::with_ingested_shop();
    home.write("other/a.py", "x = 1\n");
    home.check(
        &["ingest", "other", "--name", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: the name "shop" already belongs to the project of HOME/shop
        hint: choose another name with --name, or 'craig purge shop' first
    "#]],
    );
    home.check(
        &["ingest", "other", "--name", " "],
        expect![[r#"
        exit 1
        -- stderr
        error: " " cannot be a project name: it is empty
        hint: give another one with --name
    "#]],
    );
    home.check(
        &["ingest", "other", "--name", "42"],
        expect![[r#"
        exit 1
        -- stderr
        error: "42" cannot be a project name: a number would be taken for a project's id
        hint: give another one with --name
    "#]],
    );
    home.check(
        &["list", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        [
          {
            "id": 1,
            "name": "shop",
            "reference": "REFERENCE",
            "source_path": "HOME/shop",
            "ingestion_date": "TIME",
            "last_updated": "TIME",
            "content_hash": "cd6308292e7d61ab51342482ca39a0f521868dd22595ca456b580b778b62a56a",
            "files": 6,
            "chunks": 4
          }
        ]
    "#]],
    );
}

#[test]
fn directories_of_the_same_name_get_names_of_their_own() {
    let home = Home::with_ingested_shop();
    home.write("elsewhere/shop/a.py", "x = 1\n");
    home.succeed(&["ingest", "elsewhere/shop"]);
    assert!(home.succeed(&["list"]).contains("shop-2"));
}

#[test]
fn options_that_cannot_be() {
    let home = Home::with_shop();
    home.check(
        &["ingest", "shop", "--max-file-size", "big"],
        expect![[r#"
        exit 1
        -- stderr
        error: invalid value 'big' for '--max-file-size <SIZE>': expected a size such as 500kB, 1MB or 1048576

        For more information, try '--help'.
    "#]],
    );
    home.check(&["ingest", "shop", "--exclude", "{a,b"], expect![[r#"
        exit 1
        -- stderr
        error: bad glob `{a,b`: error parsing glob '{a,b': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?); globs are written as lines of a .gitignore file
    "#]]);
    home.check(&["file", "shop", "README.md", "--lines", "9-3"], expect![[r#"
        exit 1
        -- stderr
        error: invalid value '9-3' for '--lines <A-B>': expected lines such as 10-20, 10-, -20 or 10, counted from 1

        For more information, try '--help'.
    "#]]);
    home.check(
        &["list"],
        expect![[r#"
            exit 0
            -- stdout
            no projects yet: 'craig ingest <directory>' makes one
        "#]],
    );
}

#[test]
fn database_that_is_something_else() {
    let home = Home::with_shop();
    home.write("craig.db", "this is a letter to my grandmother, and a long one at that\n".repeat(100));
    home.check(
        &["ingest", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: HOME/craig.db is not a readable Craig database (file is not a database)
        hint: move the file away and ingest again (sources are not touched), or point --db to another file
    "#]],
    );
    home.check(
        &["list"],
        expect![[r#"
        exit 1
        -- stderr
        error: HOME/craig.db is not a readable Craig database (file is not a database)
        hint: move the file away and ingest again (sources are not touched), or point --db to another file
    "#]],
    );
    assert!(std::fs::read_to_string(home.database()).unwrap().starts_with("this is a letter"));
}

#[test]
fn database_with_damage() {
    let home = Home::with_ingested_shop();
    let mut bytes = std::fs::read(home.database()).unwrap();
    let end = bytes.len();
    bytes[4_096..end].fill(0xa5);
    std::fs::write(home.database(), &bytes).unwrap();
    home.check(
        &["list"],
        expect![[r#"
        exit 1
        -- stderr
        error: HOME/craig.db is not a readable Craig database (database disk image is malformed)
        hint: move the file away and ingest again (sources are not touched), or point --db to another file
    "#]],
    );
    home.check(
        &["search", "x", "-p", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: HOME/craig.db is not a readable Craig database (database disk image is malformed)
        hint: move the file away and ingest again (sources are not touched), or point --db to another file
    "#]],
    );
}

#[test]
fn database_of_a_newer_version() {
    let home = Home::with_ingested_shop();
    let mut bytes = std::fs::read(home.database()).unwrap();
    // SQLite keeps user_version in four bytes of its header.
    bytes[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    std::fs::write(home.database(), &bytes).unwrap();
    home.check(
        &["ingest-delta", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: HOME/craig.db has format 9999, and this craig reads up to 1
        hint: use the newer craig that wrote it, or point --db to another file
    "#]],
    );
    assert_eq!(std::fs::read(home.database()).unwrap(), bytes, "it was written to");
}

#[test]
fn database_that_is_a_folder_or_below_a_file() {
    let home = Home::with_shop();
    home.check(
        &["--db", "shop", "list"],
        expect![[r#"
        exit 1
        -- stderr
        error: cannot open the database shop: it is a folder, not a file
        hint: check the permissions of the file and its folder, or point --db (or CRAIG_DB) to another place
    "#]],
    );
    home.check(
        &["--db", "shop/README.md/craig.db", "list"],
        expect![[r#"
        exit 1
        -- stderr
        error: cannot open the database shop/README.md/craig.db: File exists (os error 17)
        hint: check the permissions of the file and its folder, or point --db (or CRAIG_DB) to another place
    "#]],
    );
}

#[test]
fn index_with_damage_is_made_again() {
    let home = Home::with_ingested_shop();
    for file in files_below(&home.path().join("craig.db.d")) {
        std::fs::write(&file, "rubbish").unwrap();
    }
    home.check(
        &["search", "verify_token", "-p", "shop", "-n", "1", "--kind", "code", "--no-refresh"],
        expect![[r#"
            exit 0
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
        "#]],
    );
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
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
        error: no permission to read the directory shop; change its permissions, or run as a user who may read it
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
fn full_disk() {
    let home = Home::new();
    crate::harness::write_many(&home.path().join("big"), 400, 0);
    let disk = home.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let Some(_mounted) = SmallDisk::mount(&disk) else {
        return skipped("no small disk can be mounted here: that needs root");
    };
    home.check(
        &["--db", "disk/craig.db", "ingest", "big", "-q"],
        expect![[r#"
        exit 1
        -- stderr
        error: no room left on the disk of disk/craig.db
        hint: free some space, or point --db to another disk; then run the same command again
    "#]],
    );
    home.check(
        &["--db", "disk/craig.db", "status", "big"],
        expect![[r#"
        exit 0
        -- stdout
        project   big
        status    failed
        progress  0%, 0 of 400 files
        started   TIME
        ended     TIME
        error     no room left on the disk of disk/craig.db
    "#]],
    );
}

/// A disk of 1 MB.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(folder: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(folder);
        mount.output().is_ok_and(|output| output.status.success()).then_some(Self(folder))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).output();
    }
}
