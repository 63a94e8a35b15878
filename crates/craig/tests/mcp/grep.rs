//! The tool `grep`.

use serde_json::{Value, json};

use crate::client::Home;
use crate::tools::call;

#[test]
fn lines_are_found_with_their_symbols() {
    let home = Home::with_ingested_shop();
    let mut client = home.client();
    let found = call(&mut client, "grep", json!({ "pattern": "token\\.split", "context": 1 }));
    let line = &found["lines"][0];
    assert_eq!((&line["at"], &line["symbol"]), (&json!("src/auth.py:6"), &json!("verify_token")), "{found}");
    assert_eq!((line["before"].as_array().unwrap().len(), &found["total_lines"]), (1, &json!(1)));
    assert_eq!((&found["freshness"], &found["files"]), (&json!("fresh"), &Value::Null));

    let files =
        call(&mut client, "grep", json!({ "pattern": "TOKEN", "ignore_case": true, "files_only": true }));
    assert!(
        files["files"].as_array().unwrap().contains(&json!({ "path": "src/auth.py", "lines": 3 })),
        "{files}"
    );

    let none = call(
        &mut client,
        "grep",
        json!({ "pattern": "split(\"-\")", "literal": true, "language": ["python"] }),
    );
    assert_eq!(none["lines"], json!([]));
    assert!(none["note"].as_str().unwrap().contains("query_code finds code by meaning"), "{none}");
}

#[test]
fn lines_come_in_pages() {
    let home = Home::with_shop();
    home.write_many("shop/lib", 60);
    home.ingest("shop");
    let mut client = home.client();
    let arguments = json!({ "pattern": "return", "max_tokens": 600, "limit": 50 });
    let (mut places, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut arguments = arguments.clone();
        if cursor.is_string() {
            arguments["cursor"] = cursor;
        }
        let page = call(&mut client, "grep", arguments);
        assert!(page.to_string().len() < 600 * 4, "{} bytes", page.to_string().len());
        assert!(page["note"].as_str().unwrap().contains("more lines match than limit allows"), "{page}");
        places.extend(page["lines"].as_array().unwrap().iter().map(|line| line["at"].to_string()));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let n_places = places.len();
    places.dedup();
    assert_eq!((n_places, places.len()), (50, 50));
}

#[test]
fn a_bad_pattern_is_marked() {
    let home = Home::with_ingested_shop();
    let mut client = home.client();
    let error = client.fail("grep", json!({ "pattern": "verify_token(" }));
    assert!(error.contains("verify_token <-- HERE (") && error.contains("literal: true"), "{error}");
}
