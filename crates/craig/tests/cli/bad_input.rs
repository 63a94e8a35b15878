//! Queries, names and options that cannot be: each a message that says what to do, before anything is changed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use expect_test::expect;

use crate::harness::Home;

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
fn queries_that_cannot_be_answered() {
    let home = Home::with_shop();
    let search = |args: &[&str], expect| home.check(&[&["search", "--root", "shop"], args].concat(), expect);
    search(
        &[""],
        expect![[r#"
        exit 1
        -- stderr
        error: the query contains no words
        hint: include at least one word or name, such as 'where is the retry logic'
    "#]],
    );
    search(
        &["  ", "\t"],
        expect![[r#"
        exit 1
        -- stderr
        error: the query contains no words
        hint: include at least one word or name, such as 'where is the retry logic'
    "#]],
    );
    search(
        &["x", "--min-score", "1.5"],
        expect![[r#"
        exit 1
        -- stderr
        error: the minimum relevance is 1.5, outside 0 to 1
        hint: relevance is between 0 and 1: 70% is 0.7
    "#]],
    );
    search(
        &["x", "--min-score", "NaN"],
        expect![[r#"
        exit 1
        -- stderr
        error: the minimum relevance is NaN, outside 0 to 1
        hint: relevance is between 0 and 1: 70% is 0.7
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
        hint: 'craig stats' lists the languages of a project
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
        no projects yet: 'craig ingest <directory>' creates one
    "#]],
    );
    // It may be the name of a file, so the project has to be known.
    search(
        &["x", "--path", "src/["],
        expect![[r#"
        exit 1
        -- stderr
        error: "src/[" is not a path pattern: unclosed character class; missing ']'
        hint: patterns look like 'src/**/*.rs' or '*.md'
    "#]],
    );
}

#[test]
fn query_without_a_word() {
    let home = Home::with_ingested_shop();
    home.check(
        &["search", "?!", "-p", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: the query contains no words
        hint: include at least one word or name, such as 'where is the retry logic'
    "#]],
    );
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
        error: " " is not a valid project name: it is empty
        hint: choose another name with --name
    "#]],
    );
    home.check(
        &["ingest", "other", "--name", "42"],
        expect![[r#"
        exit 1
        -- stderr
        error: "42" is not a valid project name: a number would be read as a project's id
        hint: choose another name with --name
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
        error: bad glob `{a,b`: error parsing glob '{a,b': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?); globs use the syntax of .gitignore
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
            no projects yet: 'craig ingest <directory>' creates one
        "#]],
    );
}

#[test]
fn files_and_lines_that_there_are_not() {
    let home = Home::with_ingested_shop();
    home.check(
        &["related", "shop/src/auth.py:9999", "--root", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: src/auth.py has no line 9999: it ends at line 7
        hint: lines are 1-based and inclusive
    "#]],
    );
    let inline = ["context", "inline", "rename it", "--root", "shop", "--lines"];
    home.check(
        &[&inline[..], &["1", "--file", "nope.py"]].concat(),
        expect![[r#"
        exit 1
        -- stderr
        error: the project "shop" has no file "nope.py"
        hint: 'craig tree' lists the files of a project
    "#]],
    );
    home.check(
        &[&inline[..], &["70-80", "--file", "src/auth.py"]].concat(),
        expect![[r#"
        exit 1
        -- stderr
        error: src/auth.py has no lines 70-80: it ends at line 7
        hint: lines are 1-based and inclusive
    "#]],
    );
    home.check(
        &["outline", "src/auths.py", "-p", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: the project "shop" has no file "src/auths.py"
        hint: did you mean src/auth.py?
    "#]],
    );
    home.check(&["grep", "nothing_like_it", "-p", "shop", "--path", "src", "--kind", "code"], expect![[r#"
        exit 1
        -- stderr
        note: no line matches in shop with --path src --kind code; -i ignores case, 'craig search' finds code by meaning
    "#]]);
}

#[test]
fn settings_that_cannot_be() {
    let home = Home::with_ingested_shop();
    let search = |setting: &str| home.run(&["search", "token", "--root", "shop", "--set", setting]);
    for unknown in ["search.limit", "foo.bar"] {
        let transcript = home.transcript(&search(&format!("{unknown}=1")));
        assert!(transcript.contains("hint: 'craig settings' lists all settings"), "{transcript}");
    }
    let near = home.transcript(&search("sorce.exclude=x"));
    assert!(near.contains("hint: did you mean source.exclude?"), "{near}");
    home.write("shop/.craig.toml", "threads = \"many\"\n");
    home.check(
        &["search", "token", "--root", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: HOME/shop/.craig.toml:1: a project may not set "threads"
            hint: a project's file may come from strangers, and sets only which of its files count; set it in your own settings file if you want it, or ignore the project's file with CRAIG_PROJECT_SETTINGS=false
        "#]],
    );
}

#[test]
fn an_editor_that_is_not_there() {
    Home::new().check(
        &["lsp"],
        expect![[r#"
        exit 1
        -- stderr
        error: stdin ended before an editor sent 'initialize': editors start 'craig lsp' themselves
    "#]],
    );
}
