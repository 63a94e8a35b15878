//! The tool `repo_map`.

use serde_json::json;

use crate::client::Home;
use crate::tools::call;

#[test]
fn declarations_have_lines() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    let map = call(&mut client, "repo_map", json!({}));
    let file = map["files"].as_array().unwrap().iter().find(|file| file["path"] == "src/auth.py");
    let symbols = &file.unwrap()["symbols"];
    assert_eq!(
        *symbols,
        json!(["4: def verify_token(token, secret)", "10: def verify_cookie(cookie, secret)"])
    );
    assert_eq!((&map["shown"], &map["freshness"]), (&map["total"], &json!("fresh")));
}

#[test]
fn a_map_has_a_budget_and_may_be_about_something() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    let about = json!({ "paths": ["src/auth.py"], "query": "verify a cookie", "max_tokens": 20 });
    let map = call(&mut client, "repo_map", about);
    assert_eq!(map["files"][0]["path"], "src/auth.py");
    assert_eq!(map["shown"], 1, "{map}");
    assert!(client.fail("repo_map", json!({ "paths": ["src/gone.py"] })).contains("src/gone.py"));
}
