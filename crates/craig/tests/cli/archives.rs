//! `craig index`: an index that one machine builds and others take.

use expect_test::expect;
use serde_json::Value;

use crate::harness::Home;

fn json(home: &Home, args: &[&str]) -> Value {
    serde_json::from_str(&home.succeed(&[args, &["--format", "json"]].concat())).unwrap()
}

#[test]
fn another_machine_reads_only_what_differs() {
    let ci = Home::with_ingested_shop();
    ci.check(
        &["index", "export", "shop.craig", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            exported shop with 6 files to shop.craig (2.1 kB)
        "#]],
    );
    let archive = std::fs::read(ci.path().join("shop.craig")).unwrap();
    assert!(!archive.windows(7).any(|bytes| bytes == b"hunter2"), "secrets stay where they are");

    let laptop = Home::with_shop();
    laptop.write("shop.craig", &archive);
    laptop.write("shop/README.md", "# Shop\n\nSells things to everybody.\n");
    let report = json(&laptop, &["index", "import", "shop.craig", "shop"]);
    assert_eq!([&report["files"]["added"], &report["vectors_embedded"]], [6, 1]);
    assert_eq!(report["vectors_reused"], Value::from(report["chunks"].as_u64().unwrap() - 1));

    let plain = Home::with_shop();
    plain.write("shop/README.md", "# Shop\n\nSells things to everybody.\n");
    plain.succeed(&["ingest", "shop"]);
    for question in ["verify a token", "who buys things", "total price"] {
        let hits = |home: &Home| json(home, &["search", question, "--root", "shop"])["hits"].clone();
        assert_eq!(hits(&laptop), hits(&plain), "{question}");
    }
    assert!(laptop.succeed(&["doctor"]).contains("sound"));
}

#[test]
fn archives_that_do_not_fit_are_refused_with_what_to_do() {
    let home = Home::with_ingested_shop();
    home.write("photo.craig", "not an archive of anything");
    home.check(
        &["index", "import", "photo.craig", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: photo.craig: the archive cannot be used: it is no archive of an index
            hint: give a file that 'craig index export' wrote, and copy it again if it was cut off
        "#]],
    );
    home.check(
        &["index", "import", "nothing.craig", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: nothing.craig: No such file or directory (os error 2)
    "#]],
    );
    home.check(
        &["index", "export", "no/such/folder.craig", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: no/such/folder.craig: No such file or directory (os error 2)
    "#]],
    );
    assert_eq!(json(&home, &["list"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_database_is_copied() {
    let home = Home::with_ingested_shop();
    let [from, to] = ["craig.db", "copy.db"].map(|name| home.path().join(name).display().to_string());
    home.succeed(&["--db", &from, "ingest", "shop"]);
    home.check(
        &["db", "copy", &from, "copy.db"],
        expect![[r#"
            exit 0
            -- stdout
            copied 1 project with 6 files and 4 chunks to copy.db; both databases have the same content
        "#]],
    );
    let answer = |database: &str| {
        json(&home, &["--db", database, "search", "verify a token", "-p", "shop"])["hits"].clone()
    };
    assert_eq!(answer(&to), answer(&from));
    home.check(
        &["db", "copy", &from, "copy.db"],
        expect![[r#"
            exit 1
            -- stderr
            error: copy.db is not empty
            hint: name a database without projects: a new file, or an empty database or schema of the server
        "#]],
    );
    home.check(
        &["db", "copy", "missing.db", "other.db"],
        expect![[r#"
        exit 1
        -- stderr
        error: the database missing.db does not exist
        hint: check the spelling of --db; 'craig ingest <directory>' with the same --db creates it
    "#]],
    );
}
