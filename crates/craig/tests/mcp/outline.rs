//! The tool `outline`.

use serde_json::{Value, json};

use crate::client::Home;
use crate::tools::call;

#[test]
fn definitions_have_lines_and_signatures() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    let outline = call(&mut client, "outline", json!({ "path": "src/auth.py" }));
    let definitions = [
        "4-7 function: def verify_token(token, secret)",
        "10-13 function: def verify_cookie(cookie, secret)",
    ];
    assert_eq!(outline["files"], json!([{ "path": "src/auth.py", "definitions": definitions }]));
    assert_eq!(outline["freshness"], "fresh");
    let nothing = call(&mut client, "outline", json!({ "path": "logo.png" }));
    assert!(nothing["note"].as_str().unwrap().contains("no definitions"), "{nothing}");
    assert!(client.fail("outline", json!({ "path": "src/aut.py" })).contains("next: "));
}

#[test]
fn definitions_come_in_pages() {
    let home = Home::with_shop();
    home.write_many("shop/lib", 60);
    home.ingest("shop");
    let mut client = home.checked_client();
    let (mut definitions, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut arguments = json!({ "path": "lib", "max_tokens": 600 });
        if cursor.is_string() {
            arguments["cursor"] = cursor;
        }
        let page = call(&mut client, "outline", arguments);
        assert!(page.to_string().len() < 600 * 4, "{} bytes", page.to_string().len());
        for file in page["files"].as_array().unwrap() {
            let of_file = file["definitions"].as_array().unwrap().iter();
            definitions.extend(of_file.map(|definition| format!("{} {definition}", file["path"])));
        }
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let n_definitions = definitions.len();
    definitions.sort();
    definitions.dedup();
    assert!(n_definitions >= 60);
    assert_eq!(definitions.len(), n_definitions, "each once");
}
