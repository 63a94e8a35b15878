//! Symbols for assistants: definitions, references, callers and callees.

use serde_json::{Value, json};

use crate::client::{Client, Home};
use crate::tools::call;

/// A client of a home with a project in Python, ingested.
fn client(home: &Home) -> Client {
    let items: String = (0..40).map(|n| format!("def item_{n}():\n    return rounded({n})\n\n\n")).collect();
    home.write("shop/src/items.py", format!("from src.prices import rounded\n\n\n{items}"));
    home.write(
        "shop/src/prices.py",
        "def rounded(price):\n    \"\"\"In cents.\"\"\"\n    return round(price)\n\n\ndef price():\n    return rounded(1)\n\n\n\
         class Invoice:\n    def price(self):\n        return price()\n",
    );
    home.checked_client()
}

fn lines(rows: &Value) -> Vec<String> {
    let row = |row: &Value| format!("{}:{} {}", row["path"].as_str().unwrap(), row["line"], row["name"]);
    rows.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn a_symbol_is_read_by_its_name() {
    let home = Home::with_ingested_shop();
    let mut client = client(&home);
    let found = call(&mut client, "read_symbol", json!({ "name": "rounded" }));
    assert_eq!(found["symbol"]["path"], "src/prices.py", "{found}");
    assert_eq!((&found["signature"], &found["doc"]), (&json!("def rounded(price)"), &json!("In cents.")));
    assert_eq!((&found["references"], &found["freshness"]), (&json!(42), &json!("fresh")));
    let found = call(&mut client, "read_symbol", json!({ "name": "price" }));
    assert_eq!(found["others"][0]["name"], "Invoice.price");
    assert!(found["note"].as_str().unwrap().contains("qualified name"));
    let at = home.path().join("shop/src/prices.py:11");
    let found = call(&mut client, "read_symbol", json!({ "name": at }));
    assert_eq!(found["symbol"]["name"], "Invoice.price");
}

#[test]
fn as_many_references_as_asked_for_are_listed() {
    let home = Home::with_ingested_shop();
    let mut client = client(&home);
    let all = client.text("references", json!({ "name": "rounded" }));
    assert!(all.contains("  item_39 ") && !all.contains("raise limit"), "{all}");
    let some = client.text("references", json!({ "name": "rounded", "limit": 2 }));
    assert!(some.ends_with("40 more, in 2 files in all: raise limit\n"), "{some}");
}

#[test]
fn callers_and_callees_are_trees() {
    let home = Home::with_ingested_shop();
    let mut client = client(&home);
    let found = call(
        &mut client,
        "call_hierarchy",
        json!({ "name": "Invoice.price", "direction": "out", "depth": 3 }),
    );
    assert_eq!(
        lines(&found["calls"]),
        ["src/prices.py:6 \"price\"", "src/prices.py:1 \"rounded\""],
        "{found}"
    );
    let found = call(&mut client, "call_hierarchy", json!({ "name": "rounded", "depth": 2 }));
    assert_eq!((&found["direction"], &found["total"]), (&json!("in"), &json!(42)), "{found}");
    assert!(found["note"].as_str().unwrap().contains("outside calls"));
}

#[test]
fn a_name_that_nothing_has_is_refused_with_the_next_call() {
    let home = Home::with_ingested_shop();
    let mut client = client(&home);
    let refused = |client: &mut Client, name: &str| client.fail("call_hierarchy", json!({ "name": name }));
    assert!(refused(&mut client, "roundd").contains("did you mean rounded?"));
    assert!(refused(&mut client, "zzz").contains("query_code finds code by what it does"));
}
