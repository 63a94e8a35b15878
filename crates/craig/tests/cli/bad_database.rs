//! Databases and disks that cannot be used: a message that says what to do, and nothing lost.

use std::path::Path;
use std::process::Command;

use expect_test::expect;

use crate::harness::{Home, skipped, write_many};

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
        hint: point --db (or CRAIG_DB) to another file; if this was a Craig database, move it away and ingest again (sources are not touched)
    "#]],
    );
    home.check(
        &["list"],
        expect![[r#"
        exit 1
        -- stderr
        error: HOME/craig.db is not a readable Craig database (file is not a database)
        hint: point --db (or CRAIG_DB) to another file; if this was a Craig database, move it away and ingest again (sources are not touched)
    "#]],
    );
    assert!(std::fs::read_to_string(home.database()).unwrap().starts_with("this is a letter"));
}

#[test]
fn database_that_is_an_address_of_no_use() {
    let home = Home::with_shop();
    home.check(
        &["list", "--db", "postgres://me:secret@example.com/craig"],
        expect![[r#"
            exit 1
            -- stderr
            error: the address of the database cannot be used: it contains a password, which others could see
            hint: give --db (or CRAIG_DB) the path of a file, or postgres://USER@HOST/DATABASE; its password belongs in PGPASSWORD or ~/.pgpass
        "#]],
    );
    home.check(
        &["list", "--db", "mysql://me:secret@example.com/craig"],
        expect![[r#"
            exit 1
            -- stderr
            error: a database is a file or on a PostgreSQL server, and mysql:// begins the address of something else
            hint: give --db (or CRAIG_DB) the path of a file, or postgres://USER@HOST/DATABASE; its password belongs in PGPASSWORD or ~/.pgpass
        "#]],
    );
    home.check(
        &["list", "--db", "postgres://me@127.0.0.1:1/craig"],
        expect![[r#"
            exit 1
            -- stderr
            error: cannot use the database postgres://me@127.0.0.1:1/craig: error connecting to server: Connection refused (os error 111)
            hint: check that the server runs, and that the address, PGPASSWORD or ~/.pgpass are those of this user
        "#]],
    );
    home.check(
        &[
            "settings",
            "--changed",
            "--set",
            "database=postgres://me:secret@example.com/craig?password=secret",
        ],
        expect![[r#"
            exit 0
            -- stdout
            setting   value                            from
            database  postgres://me@example.com/craig  command line
        "#]],
    );
    assert!(!home.path().join("postgres:").exists());
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
        hint: point --db (or CRAIG_DB) to another file; if this was a Craig database, move it away and ingest again (sources are not touched)
    "#]],
    );
    home.check(
        &["search", "x", "-p", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: HOME/craig.db is not a readable Craig database (database disk image is malformed)
        hint: point --db (or CRAIG_DB) to another file; if this was a Craig database, move it away and ingest again (sources are not touched)
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
            error: HOME/craig.db has format 9999, but this version of craig reads formats up to 11
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
            error: the database shop/README.md/craig.db does not exist
            hint: check the spelling of --db; 'craig ingest <directory>' with the same --db creates it
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
            -- stderr
            warning: the search index of shop was damaged (manifest.json: expected value at line 1 column 1) and was rebuilt from the database
        "#]],
    );
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn full_disk() {
    let home = Home::new();
    write_many(&home.path().join("big"), 4_000, 0);
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
        error: no space left on the disk of disk/craig.db
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
        progress  12%, 512 of 4,000 files
        current   module_14/file_2364.py
        started   TIME
        ended     TIME
        error     no space left on the disk of disk/craig.db
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
