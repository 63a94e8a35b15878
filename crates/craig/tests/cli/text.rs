//! What people see.

use expect_test::expect;

use crate::harness::Home;

#[test]
fn ingest_reports_what_it_did() {
    let home = Home::with_shop();
    home.write("shop/huge.py", "x = 1\n".repeat(1000));
    Home::let_files_age();
    home.check(
        &["ingest", "shop", "--max-file-size", "2kB"],
        expect![[r#"
            exit 0
            -- stdout
              0%  0/6 files
            100%  6/6 files  DURATION  RATE  src/cart/prices.rs
            ingested shop  (REFERENCE, id 1, HOME/shop)
              6 files: 6 added
              4 chunks from 454 B: 4 embedded, 0 reused
              1 file over the size limit, not tracked (--max-file-size): huge.py
              1 file with secrets, tracked by name only: .env
              took DURATION
        "#]],
    );
    home.check(
        &["ingest-delta", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            ingested shop  (REFERENCE, id 1, HOME/shop)
              6 files: 6 unchanged
              1 file over the size limit, not tracked (--max-file-size): huge.py
              took DURATION
        "#]],
    );
    home.check(
        &["status", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        project   shop
        status    completed
        progress  100%, 6 of 6 files
        started   TIME
        ended     TIME
    "#]],
    );
}

#[test]
fn quiet_commands_say_nothing_of_success() {
    let home = Home::with_shop();
    home.check(
        &["ingest", "shop", "--quiet"],
        expect![[r#"
        exit 0
    "#]],
    );
    home.check(
        &["purge", "shop", "--yes", "-q"],
        expect![[r#"
        exit 0
    "#]],
    );
}

#[test]
fn list_is_a_table() {
    let home = Home::with_ingested_shop();
    home.check(
        &["list"],
        expect![[r#"
        exit 0
        -- stdout
        id  name  reference     files  chunks  updated              source
         1  shop  REFERENCE      6       4  TIME  HOME/shop
    "#]],
    );
    home.check(
        &["purge", "1", "--yes"],
        expect![[r#"
        exit 0
        -- stdout
        removed shop
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
}

#[test]
fn check_updates_names_the_files() {
    let home = Home::with_ingested_shop();
    home.check(
        &["check-updates", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        shop is up to date
    "#]],
    );
    home.write("shop/src/new.py", "def fresh():\n    return 1\n");
    std::fs::remove_file(home.path().join("shop/README.md")).unwrap();
    home.check(
        &["check-updates", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        shop differs from the index: 1 added, 1 removed
        change   file
        added    src/new.py
        removed  README.md
        run 'craig ingest-delta shop' to bring the index up to date
    "#]],
    );
}

#[test]
fn search_in_a_directory_that_is_not_ingested_ingests_it() {
    let home = Home::with_shop();
    let mut search = home.craig(&["search", "verify_token", "--limit", "1"]);
    let output = search.current_dir(home.path().join("shop/src")).output().unwrap();
    expect![[r#"
        exit 0
        -- stdout
         1 PERCENT  auth.py:1-7  verify_token  function
              1  """Who may do what."""
              2
              3
              4  def verify_token(token, secret):
              5      """Checks that a token was signed with the secret."""
              6      header, payload, signature = token.split(".")
              7      return sign(header + "." + payload, secret) == signature

        1 result in src, DURATION
    "#]]
    .assert_eq(&home.transcript(&output));
    home.check(
        &["list"],
        expect![[r#"
        exit 0
        -- stdout
        id  name  reference     files  chunks  updated              source
         1  src   REFERENCE      2       2  TIME  HOME/shop/src
    "#]],
    );
}

#[test]
fn search_sees_what_has_just_changed() {
    let home = Home::with_ingested_shop();
    home.write("shop/src/new.py", "def freshly_written_symbol():\n    return 1\n");
    home.check(
        &["search", "freshly_written_symbol", "--root", "shop", "--limit", "1"],
        expect![[r#"
            exit 0
            -- stdout
             1 PERCENT  src/new.py:1-2  freshly_written_symbol  function
                  1  def freshly_written_symbol():
                  2      return 1

            1 result in shop, DURATION
        "#]],
    );
}

#[test]
fn search_without_refresh_answers_from_the_index() {
    let home = Home::with_ingested_shop();
    std::fs::remove_dir_all(home.path().join("shop")).unwrap();
    home.check(
        &["search", "total_price", "-p", "shop", "-n", "1", "--no-refresh"],
        expect![[r#"
        exit 0
        -- stdout
         1 PERCENT  src/cart/prices.rs:1-4  total_price  function
              1  /// Sums the prices of a cart, in cents.
              2  pub fn total_price(items: &[Item]) -> u64 {
              3      items.iter().map(|item| item.price * item.quantity).sum()
              4  }

        1 result in shop, DURATION
    "#]],
    );
}

#[test]
fn nothing_found_says_what_to_try() {
    let home = Home::with_ingested_shop();
    home.check(
        &["search", "verify", "-p", "shop", "--path", "nowhere/"],
        expect![[r#"
            exit 0
            -- stdout
            no results in shop
            hint: try other words, a lower --min-score, or fewer of --language, --path and --kind
            -- stderr
            warning: no file of the project has the path "nowhere/"
        "#]],
    );
}

#[test]
fn explain_shows_where_a_score_comes_from() {
    let home = Home::with_ingested_shop();
    let plain = home.succeed(&["search", "verify_token", "-p", "shop", "-n", "1"]);
    let explained = home.succeed(&["search", "verify_token", "-p", "shop", "-n", "1", "--explain"]);
    assert!(explained.lines().count() > plain.lines().count(), "{explained}");
}

#[test]
fn tree_marks_binary_files() {
    let home = Home::with_ingested_shop();
    home.check(
        &["tree", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        shop
        ├── src/
        │   ├── cart/
        │   │   └── prices.rs
        │   └── auth.py
        ├── .env (secret, tracked by name only)
        ├── README.md
        ├── config.toml
        └── logo.png (binary, 8 B)
        6 files, 454 B
    "#]],
    );
    home.check(
        &["tree", "shop", "--depth", "1"],
        expect![[r#"
        exit 0
        -- stdout
        shop
        ├── src/ (2 files)
        ├── .env (secret, tracked by name only)
        ├── README.md
        ├── config.toml
        └── logo.png (binary, 8 B)
        6 files, 454 B
    "#]],
    );
}

#[test]
fn file_prints_the_text_as_it_is() {
    let home = Home::with_ingested_shop();
    home.check(
        &["file", "shop", "src/auth.py", "--lines", "4-5"],
        expect![[r#"
        exit 0
        -- stdout
        def verify_token(token, secret):
            """Checks that a token was signed with the secret."""
    "#]],
    );
    home.check(
        &["file", "shop", "logo.png"],
        expect![[r#"
        exit 1
        -- stderr
        error: logo.png is a binary file (8 B): it has no text in the index
        hint: --format json shows what is known about the file
    "#]],
    );
    home.check(
        &["file", "shop", ".env"],
        expect![[r#"
        exit 1
        -- stderr
        error: .env has no text in the index: secret, tracked by name only
        hint: --format json shows what is known about the file
    "#]],
    );
    home.check(
        &["file", "shop", "auth.py"],
        expect![[r#"
        exit 1
        -- stderr
        error: the project "shop" has no file "auth.py"
        hint: did you mean src/auth.py?
    "#]],
    );
    home.check(
        &["file", "shop", "src/auth.py", "--lines", "99"],
        expect![[r#"
        exit 1
        -- stderr
        error: there is no line 99: the file has 7
        hint: lines are counted from 1
    "#]],
    );
}

#[test]
fn stats_show_languages_as_bars() {
    Home::with_ingested_shop().check(
        &["stats"],
        expect![[r#"
            exit 0
            -- stdout
            projects  1
            files     6 (1 binary), 454 B
            chunks    4
            embedder EMBEDDER
            database  HOME/craig.db, SIZE

            language  files   size  share
            python        1  227 B  50.9%  ████████████████████████
            rust          1  149 B  33.4%  ███████████████▉
            markdown      1   32 B   7.2%  ███▌
            toml          1   21 B   4.7%  ██▎
            dotenv        1   17 B   3.8%  █▉
        "#]],
    );
}

#[test]
fn purge_without_a_terminal_wants_yes() {
    let home = Home::with_ingested_shop();
    home.check(
        &["purge", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: purge removes "shop" permanently, and there is no terminal for the confirmation
        hint: give --yes to remove it without confirmation
    "#]],
    );
    assert!(home.succeed(&["list"]).contains("shop"));
}

#[test]
fn the_database_is_where_data_belongs() {
    let home = Home::new();
    home.craig(&["list"]).env_remove("CRAIG_DB").output().unwrap();
    assert!(home.path().join(".local/share/craig/craig.db").is_file());
    let data = home.path().join("data");
    home.craig(&["list"]).env_remove("CRAIG_DB").env("XDG_DATA_HOME", &data).output().unwrap();
    assert!(data.join("craig/craig.db").is_file());
    home.write("one/main.rs", "fn main() {}\n");
    home.succeed(&["ingest", "one", "--db", "elsewhere.db"]);
    assert!(home.path().join("elsewhere.db").is_file() && !home.database().exists());
}

#[test]
fn a_missing_database_is_an_error_and_not_created() {
    let home = Home::with_shop();
    home.check(
        &["--db", "elsewhere.db", "list"],
        expect![[r#"
        exit 1
        -- stderr
        error: the database elsewhere.db does not exist
        hint: check the spelling of --db; 'craig ingest <directory>' with the same --db creates it
    "#]],
    );
    assert!(!home.path().join("elsewhere.db").exists());
}

#[test]
fn completions_and_manual_come_from_the_definition() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(home.succeed(&["completions", shell]).contains("check-updates"), "{shell}");
    }
    assert!(home.succeed(&["man"]).contains(r"craig\-check\-updates(1)"));
    assert!(home.succeed(&["man", "search"]).contains(r"\-\-min\-score"));
    home.check(
        &["man", "serach"],
        expect![[r#"
        exit 1
        -- stderr
        error: no command "serach"
        hint: 'craig --help' lists them
    "#]],
    );
}
