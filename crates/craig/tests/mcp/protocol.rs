//! Handshakes, lists, and the page that documents them.

use serde_json::{Value, json};

use crate::client::{Home, handshake};

#[test]
fn a_handshake_waits_for_nothing() {
    let home = Home::with_ingested_shop();
    let mut client = home.silent_client(&[]);
    // Its client answers no request: a handshake that waited for its roots would not end.
    let answer = client.request("initialize", handshake("2025-11-25"));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    let instructions = answer["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("grep") && instructions.contains("query_code"));
}

#[test]
fn a_handshake_does_not_even_need_a_database() {
    let home = Home::with_shop();
    home.write("craig.db", "this is no database at all, but a text that is long enough to be looked at");
    let mut client = home.client();
    let reported = client.fail("query_code", json!({ "query": "tokens" }));
    assert!(reported.starts_with("error: ") && reported.contains("\nnext: "), "{reported}");
    let (is_well, stderr) = client.close();
    assert!(is_well, "{stderr}");
}

#[test]
fn old_and_new_protocols_are_served() {
    let home = Home::with_shop();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let answer = home.silent_client(&[]).request("initialize", handshake(version));
        assert_eq!(answer["result"]["protocolVersion"], version);
    }
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut client = home.silent_client(&[]);
    let found = client.ask("server/discover", json!({ "_meta": meta }));
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let tools = client.ask("tools/list", json!({ "_meta": meta }));
    assert_eq!(tools["resultType"], "complete");
    assert!(tools["ttlMs"].as_u64().unwrap() > 0 && tools["tools"].as_array().unwrap().len() > 10);
    let params = json!({ "_meta": meta, "name": "list_projects", "arguments": {} });
    let result = client.ask("tools/call", params);
    assert_eq!(
        (&result["resultType"], &result["structuredContent"]["projects"]),
        (&json!("complete"), &json!([]))
    );
}

#[test]
fn a_server_ends_with_its_client() {
    let (is_well, stderr) = Home::with_shop().client().close();
    assert!(is_well && stderr.is_empty(), "{stderr}");
    let (is_well, stderr) = Home::with_shop().silent_client(&[]).close();
    assert!(is_well && stderr.is_empty(), "{stderr}");
}

#[test]
fn tools_match_the_page() {
    let tools = Home::with_shop().checked_client().ask("tools/list", json!({}));
    let tools = tools["tools"].as_array().unwrap();
    let page = include_str!("../../../../docs/mcp.md");
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        // The core answers in text, which models read.
        let is_text = ["explore", "grep", "read_file", "references"].contains(&name);
        let answers = if is_text { Value::Null } else { json!("object") };
        assert_eq!(tool["outputSchema"]["type"], answers, "{name}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{name}");
        for property in tool["inputSchema"]["properties"].as_object().unwrap().values() {
            assert!(property["description"].is_string(), "{name}: {property}");
        }
        assert!(page.contains(&row(tool)), "docs/mcp.md needs the line\n{}", row(tool));
    }
    let n_rows = page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(n_rows, tools.len(), "docs/mcp.md has a row for each tool and no other");
}

#[test]
fn the_list_is_short() {
    let tools = Home::with_shop().client().ask("tools/list", json!({}));
    let tools = tools["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool.get("outputSchema").is_none()));
    // What a client sends to a model with every conversation.
    let n_bytes: usize = tools.iter().map(|tool| described(tool).len()).sum();
    assert!(n_bytes < 14_000, "{n_bytes} bytes of names, descriptions and arguments");
}

fn described(tool: &Value) -> String {
    format!("{}{}{}", tool["name"], tool["description"], tool["inputSchema"])
}

/// A tool in the table of the page.
fn row(tool: &Value) -> String {
    let required: Vec<&Value> = tool["inputSchema"]["required"].as_array().into_iter().flatten().collect();
    let arguments: Vec<String> = tool["inputSchema"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(|name| if required.contains(&&json!(name)) { format!("**{name}**") } else { name.clone() })
        .collect();
    let effect = match (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["destructiveHint"]) {
        (Value::Bool(true), _) => "reads",
        (_, Value::Bool(true)) => "removes",
        _ => "adds",
    };
    format!("| `{}` | {} | {effect} |", tool["name"].as_str().unwrap(), arguments.join(", "))
}

#[test]
fn prompts_carry_the_expert() {
    let home = Home::with_shop();
    let mut client = home.client();
    let prompts = client.ask("prompts/list", json!({}));
    let names: Vec<&str> = prompts["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["explain_codebase", "find_where_to_change", "onboarding_tour", "plan_refactoring", "review_change"]
    );
    let arguments = json!({ "project": "shop", "change": "tokens expire" });
    let prompt = client.ask("prompts/get", json!({ "name": "find_where_to_change", "arguments": arguments }));
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("developer expert") && text.contains("tokens expire") && text.contains("\"shop\""));
    let answer = client.request("prompts/get", json!({ "name": "review_change" }));
    assert_eq!(answer["error"]["code"], -32602);
}
