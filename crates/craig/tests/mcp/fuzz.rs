//! The request path under input that nobody thought of: every line is answered or passed over, and nothing ends the server.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::client::{Client, Home};

/// Texts that have broken others.
const ODD_TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "verify_token",
    "../../../etc/passwd",
    "/etc/passwd",
    "C:\\x",
    "\0",
    "\u{202e}",
    "%00",
    "src/**",
    "[",
    "**",
    "{",
    "!*",
    "\\",
    "shop",
    "1",
    "-1",
    "--help",
    "ext::x",
    "https://",
    "craig://",
    "\u{feff}\u{1f600}",
    "' OR 1=1 --",
    "9999999999999999999999",
];

fn odd_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => proptest::sample::select(ODD_TEXTS).prop_map(|text| json!(text)),
        2 => any::<i64>().prop_map(|number| json!(number)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(|value| json!(value)),
        1 => Just(Value::Null),
        1 => proptest::collection::vec(any::<char>(), 0..40).prop_map(|text| json!(text.into_iter().collect::<String>())),
        1 => (1usize..60_000).prop_map(|length| json!("x".repeat(length))),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            proptest::collection::vec((proptest::sample::select(ODD_TEXTS), inner), 0..4).prop_map(
                |fields| Value::Object(
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
                )
            ),
        ]
    })
}

/// Tools with their arguments; those that would walk whatever directory is named are asked for files only.
fn tools(client: &mut Client) -> Vec<(String, Vec<String>)> {
    let listed = client.ask("tools/list", json!({}));
    let tool = |tool: &Value| {
        let arguments = tool["inputSchema"]["properties"].as_object().unwrap().keys();
        let harmless = arguments.filter(|name| !["source", "wait_seconds"].contains(&name.as_str()));
        (tool["name"].as_str().unwrap().to_owned(), harmless.cloned().collect())
    };
    listed["tools"].as_array().unwrap().iter().map(tool).collect()
}

#[test]
fn whatever_a_tool_is_given_it_answers() {
    let home = Home::with_ingested_shop();
    let mut client = home.client();
    let tools = tools(&mut client);
    let call = (0..tools.len(), proptest::collection::vec((0usize..12, odd_value()), 0..4));
    let client = std::cell::RefCell::new(client);
    let config = Config { cases: 400, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    TestRunner::new_with_rng(config, proptest::test_runner::TestRng::deterministic_rng(Default::default()))
        .run(&call, |(tool, values)| {
            let (name, known) = &tools[tool];
            let named = values.into_iter().map(|(at, value)| {
                let name = known.get(at).cloned().unwrap_or_else(|| "unknown".to_owned());
                (name, value)
            });
            let arguments: serde_json::Map<String, Value> = named.collect();
            let answer =
                client.borrow_mut().request("tools/call", json!({ "name": name, "arguments": arguments }));
            let result = &answer["result"];
            let is_answered = result["structuredContent"].is_object()
                || result["isError"] == true
                || answer["error"].is_object();
            prop_assert!(is_answered, "{}", answer);
            let text = answer.to_string();
            prop_assert!(!text.contains("failed inside") && !text.contains("panicked"), "{}", text);
            Ok(())
        })
        .unwrap();
    let (ended_well, stderr) = client.into_inner().close();
    assert!(ended_well && !stderr.contains("panicked"), "{stderr}");
}

#[test]
fn lines_with_damage_are_passed_over() {
    let home = Home::with_ingested_shop();
    let mut client = home.client();
    let lines: Vec<Vec<u8>> = [
        json!({ "jsonrpc": "2.0", "id": "fuzz", "method": "tools/call", "params": { "name": "query_code", "arguments": { "query": "token" } } }),
        json!({ "jsonrpc": "2.0", "id": "fuzz", "method": "resources/read", "params": { "uri": "craig://shop/src/auth.py" } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "fuzz" } }),
        json!({ "jsonrpc": "2.0", "id": "fuzz", "method": "prompts/get", "params": { "name": "review_change", "arguments": {} } }),
    ]
    .iter()
    .map(|line| line.to_string().into_bytes())
    .collect();
    let damage = (
        0..lines.len(),
        proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0u8..3), 1..6),
    );
    let client_cell = std::cell::RefCell::new(&mut client);
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, proptest::test_runner::TestRng::deterministic_rng(Default::default()))
        .run(&damage, |(line, edits)| {
            let mut bytes = lines[line].clone();
            for (place, byte, edit) in edits {
                let at = place.index(bytes.len());
                match edit {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            client_cell.borrow_mut().send_bytes(&bytes);
            Ok(())
        })
        .unwrap();
    client.send_bytes(&b"[".repeat(200_000));
    client.send_bytes(&vec![b'x'; 10 << 20]);
    client.send_bytes(format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\"}}", "y".repeat(10 << 20)).as_bytes());
    assert!(client.call("query_code", json!({ "query": "tokens" }))["hits"].is_array());
    let (ended_well, stderr) = client.close();
    assert!(ended_well && !stderr.contains("panicked"), "{stderr}");
}

#[test]
fn long_lists_are_refused_like_long_texts() {
    let home = Home::with_ingested_shop();
    let mut client = home.client();
    let reported = client.fail("query_code", json!({ "query": "a", "projects": vec!["shop"; 1 << 20] }));
    assert!(reported.contains("longer than 20000 bytes"), "{reported}");
}
