//! The tool `grep`.

use serde_json::json;

use crate::client::Home;

#[test]
fn lines_are_found_with_their_symbols() {
    let home = Home::with_ingested_shop();
    let mut client = home.client();
    let found = client.text("grep", json!({ "pattern": "token\\.split", "context": 1 }));
    expect_test::expect![[r#"
        src/auth.py
        5	    """Checks that a token was signed with the secret."""
        6	    header, payload, signature = token.split(".")  in verify_token 4-7
        7	    return sign(header + "." + payload, secret) == signature
    "#]]
    .assert_eq(&found);
    let files = client
        .text("grep", json!({ "pattern": "TOKEN", "ignore_case": true, "files_only": true, "path": "src" }));
    expect_test::expect![[r#"
        src/auth.py: 3 lines
    "#]]
    .assert_eq(&files);
    let none = json!({ "pattern": "split(\"-\")", "literal": true, "language": ["python"] });
    expect_test::expect![[r#"
        no line matches; try ignore_case; explore finds code by meaning
    "#]]
    .assert_eq(&client.text("grep", none));
}

#[test]
fn all_lines_are_counted() {
    let home = Home::with_shop();
    home.write_many("shop/lib", 60);
    home.ingest("shop");
    let found = home.client().text("grep", json!({ "pattern": "return total", "limit": 50 }));
    let n_lines = found.lines().filter(|line| line.contains("\t    return total")).count();
    assert_eq!(n_lines, 50);
    assert!(found.contains("430 more lines match: narrow the pattern or path, or raise limit"), "{found}");
}

#[test]
fn a_bad_pattern_is_marked() {
    let home = Home::with_ingested_shop();
    let mut client = home.client();
    let error = client.fail("grep", json!({ "pattern": "verify_token(" }));
    assert!(error.contains("verify_token <-- HERE (") && error.contains("literal: true"), "{error}");
}
