//! `craig grep`: what people and programs see.

use expect_test::expect;

use crate::harness::Home;

#[test]
fn lines_with_their_symbols() {
    let home = Home::with_ingested_shop();
    home.check(
        &["grep", "token|price", "--root", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        src/auth.py:4:12: def verify_token(token, secret):  in verify_token
        src/auth.py:5:22:     """Checks that a token was signed with the secret."""  in verify_token
        src/auth.py:6:34:     header, payload, signature = token.split(".")  in verify_token
        src/cart/prices.rs:1:14: /// Sums the prices of a cart, in cents.
        src/cart/prices.rs:2:14: pub fn total_price(items: &[Item]) -> u64 {  in total_price
        src/cart/prices.rs:3:34:     items.iter().map(|item| item.price * item.quantity).sum()  in total_price
    "#]],
    );
    let coloured = home.run(&["grep", "secret", "-p", "shop", "-C", "1", "--color", "always"]);
    expect![[r#"
        exit 0
        -- stdout
        ESC[35msrc/auth.pyESC[0m-ESC[32m3ESC[0m- 
        ESC[35msrc/auth.pyESC[0m:ESC[32m4ESC[0m:25: def verify_token(token, ESC[1mESC[31msecretESC[0m):ESC[2m  in verify_tokenESC[0m
        ESC[35msrc/auth.pyESC[0m:ESC[32m5ESC[0m:48:     """Checks that a token was signed with the ESC[1mESC[31msecretESC[0m."""ESC[2m  in verify_tokenESC[0m
        ESC[35msrc/auth.pyESC[0m-ESC[32m6ESC[0m-     header, payload, signature = token.split(".")
        ESC[35msrc/auth.pyESC[0m:ESC[32m7ESC[0m:41:     return sign(header + "." + payload, ESC[1mESC[31msecretESC[0m) == signatureESC[2m  in verify_tokenESC[0m
    "#]].assert_eq(&home.transcript(&coloured).replace('\u{1b}', "ESC"));
    let plain =
        home.craig(&["grep", "secret", "-p", "shop", "-n", "1"]).env("NO_COLOR", "1").output().unwrap();
    expect![[r#"
        exit 0
        -- stdout
        src/auth.py:4:25: def verify_token(token, secret):  in verify_token
        -- stderr
        note: 2 more of 3 lines: -n 0 shows all
    "#]]
    .assert_eq(&home.transcript(&plain).replace('\u{1b}', "ESC"));
    home.check(
        &["grep", "SIGN\\(", "-p", "shop", "-i", "--format", "json"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "project": "shop",
              "pattern": "SIGN\\(",
              "elapsed_ms": NUMBER,
              "total_lines": 1,
              "total_files": 1,
              "lines": [
                {
                  "path": "src/auth.py",
                  "line": 7,
                  "column": 12,
                  "text": "    return sign(header + \".\" + payload, secret) == signature",
                  "matches": [
                    {
                      "start": 11,
                      "end": 16
                    }
                  ],
                  "symbol": "verify_token",
                  "symbol_lines": [
                    4,
                    7
                  ]
                }
              ]
            }
        "#]],
    );
}

#[test]
fn files_and_counts() {
    let home = Home::with_ingested_shop();
    home.check(
        &["grep", "e", "-p", "shop", "--files-with-matches", "--kind", "code"],
        expect![[r#"
        exit 0
        -- stdout
        src/auth.py
        src/cart/prices.rs
    "#]],
    );
    home.check(
        &["grep", "e", "-p", "shop", "--count", "-n", "2"],
        expect![[r#"
        exit 0
        -- stdout
        README.md:1
        config.toml:1
        -- stderr
        note: 2 more of 4 files: -n 0 shows all
    "#]],
    );
    home.check(
        &["grep", "token", "-p", "shop", "--count", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "project": "shop",
          "pattern": "token",
          "elapsed_ms": NUMBER,
          "total_lines": 3,
          "total_files": 1,
          "files": [
            {
              "path": "src/auth.py",
              "lines": 3
            }
          ]
        }
    "#]],
    );
}

#[test]
fn more_lines_than_the_limit_are_announced() {
    let home = Home::with_ingested_shop();
    home.check(
        &["grep", "e", "-p", "shop", "-n", "1"],
        expect![[r#"
        exit 0
        -- stdout
        README.md:3:2: Sells things to people.  in Shop
        -- stderr
        note: 8 more of 9 lines: -n 0 shows all
    "#]],
    );
    home.check(
        &["grep", "e", "-p", "shop", "-n", "1", "-q"],
        expect![[r#"
        exit 0
        -- stdout
        README.md:3:2: Sells things to people.  in Shop
    "#]],
    );
}

#[test]
fn nothing_found_is_an_exit_code() {
    let home = Home::with_ingested_shop();
    home.check(
        &["grep", "hunter2", "-p", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        note: no line matches in shop; -i ignores case, 'craig search' finds code by meaning
    "#]],
    );
    home.check(
        &["grep", "hunter2", "-p", "shop", "--format", "json"],
        expect![[r#"
        exit 1
        -- stdout
        {
          "project": "shop",
          "pattern": "hunter2",
          "elapsed_ms": NUMBER,
          "total_lines": 0,
          "total_files": 0,
          "lines": []
        }
        -- stderr
        note: no line matches in shop; -i ignores case, 'craig search' finds code by meaning
    "#]],
    );
}

#[test]
fn patterns_that_are_none_are_refused_before_anything_is_ingested() {
    let home = Home::with_shop();
    home.check(
        &["grep", "total_price(", "--root", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: cannot search for the pattern "total_price <-- HERE (": unclosed group
        hint: '--fixed-strings' searches for exactly this text; in a regular expression, \( is a parenthesis
    "#]],
    );
    home.check(
        &["grep", "total_price(", "--root", "shop", "-F"],
        expect![[r#"
        exit 0
        -- stdout
        src/cart/prices.rs:2:8: pub fn total_price(items: &[Item]) -> u64 {  in total_price
    "#]],
    );
    home.check(
        &["grep", "a", "--root", "shop", "--path", "src/[", "--format", "json"],
        expect![[r#"
        exit 1
        -- stderr
        {
          "error": "\"src/[\" is not a path pattern: unclosed character class; missing ']'",
          "hint": "patterns look like 'src/**/*.rs' or '*.md'"
        }
    "#]],
    );
}

#[test]
fn lines_cannot_control_a_terminal() {
    let home = Home::new();
    home.write("shop/a\u{1b}[31mb.py", "x = 'needle \u{1b}]0;t\u{7} \u{202e}needle\tneedle'\n");
    let shown = home.run(&["grep", "needle\\t?", "--root", "shop", "--color", "always"]);
    expect![[r#"
        exit 0
        -- stdout
        ESC[35ma\u{1b}[31mb.pyESC[0m:ESC[32m1ESC[0m:6: x = 'ESC[1mESC[31mneedleESC[0m \u{1b}]0;t\u{7} \u{202e}ESC[1mESC[31mneedleESC[0m	ESC[1mESC[31mneedleESC[0m'ESC[2m  in xESC[0m
    "#]].assert_eq(&home.transcript(&shown).replace('\u{1b}', "ESC"));
}

#[test]
fn paths_are_literal_first_and_a_filter_without_files_is_reported() {
    let home = Home::new();
    for (path, text) in
        [("shop/app/[id]/page.py", "def load(): pass\n"), ("shop/app/i/page.py", "def load(): pass\n")]
    {
        home.write(path, text);
    }
    home.craig(&["ingest", "shop"]).output().unwrap();
    for path in ["app/[id]", "./app/[id]/page.py", "app\\[id]"] {
        home.check(
            &["grep", "load", "--root", "shop", "--path", path, "--files-with-matches"],
            expect![[r#"
                exit 0
                -- stdout
                app/[id]/page.py
            "#]],
        );
    }
    home.check(
        &["grep", "load", "--root", "shop/app/i", "--path", ".", "--files-with-matches"],
        expect![[r#"
            exit 0
            -- stdout
            app/i/page.py
        "#]],
    );
    home.check(
        &["grep", "load", "--root", "shop", "--path", "web"],
        expect![[r#"
            exit 1
            -- stderr
            warning: no file of the project has the path "web"
            note: no line matches in shop with --path web; -i ignores case, 'craig search' finds code by meaning
        "#]],
    );
    home.check(
        &["search", "load", "--root", "shop", "--path", "web"],
        expect![[r#"
        exit 0
        -- stdout
        no results in shop
        hint: try other words, a lower --min-score, or fewer of --language, --path and --kind
        -- stderr
        warning: no file of the project has the path "web"
    "#]],
    );
    home.check(
        &["search", "load", "--root", "shop", "--path", "app", "--kind", "docs"],
        expect![[r#"
        exit 0
        -- stdout
        no results in shop
        hint: try other words, a lower --min-score, or fewer of --language, --path and --kind
        -- stderr
        warning: no file of the project has the path "app", the kind docs
    "#]],
    );
}
