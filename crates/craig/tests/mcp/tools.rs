//! What each tool answers about a small project.

use serde_json::{Value, json};

use crate::client::{Client, Home, remove};
use crate::valid::violations;

/// Calls a tool of a server that lists schemas, and holds the answer against its own.
pub(crate) fn call(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.call(tool, arguments);
    let tools = client.ask("tools/list", json!({}));
    let tool = tools["tools"].as_array().unwrap().iter().find(|known| known["name"] == tool).unwrap();
    let schema = &tool["outputSchema"];
    assert!(schema.is_object(), "{tool}");
    let wrong = violations(&answer, schema, schema, &tool["name"].to_string());
    assert!(wrong.is_empty(), "{wrong:#?}\n{answer}");
    answer
}

#[test]
fn projects_are_listed() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    let answer = call(&mut client, "list_projects", json!({}));
    let project = &answer["projects"][0];
    assert_eq!((&project["name"], &project["files"]), (&json!("shop"), &json!(6)));
    assert_eq!(answer["workspace_project"], project["reference"]);
}

#[test]
fn code_is_found_by_meaning_and_by_symbol() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    for query in ["where is the signature of tokens checked", "verify_token"] {
        let answer = call(&mut client, "query_code", json!({ "query": query, "project": "shop" }));
        let hit = &answer["hits"][0];
        assert_eq!(
            (&hit["path"], &hit["symbol_name"]),
            (&json!("src/auth.py"), &json!("verify_token")),
            "{answer}"
        );
        assert!(hit["content"].as_str().unwrap().contains("def verify_token"));
        assert_eq!(answer["freshness"], "fresh");
    }
    let filtered =
        call(&mut client, "query_code", json!({ "query": "total", "language": ["rust"], "content": false }));
    assert_eq!(filtered["hits"].as_array().unwrap().len(), 1);
    assert!(filtered["hits"][0].get("content").is_none());
    let nothing = call(&mut client, "query_code", json!({ "query": "total", "path": "nowhere/**" }));
    assert!(nothing["note"].as_str().unwrap().contains("no file of the project"), "{nothing}");
}

#[test]
fn no_answer_comes_from_deleted_code() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    call(&mut client, "query_code", json!({ "query": "verify_token" }));
    remove(&home.path(), "shop/src/auth.py");
    home.write("shop/src/fresh.py", "def verify_signature_of_token(token):\n    return True\n");
    let answer = call(&mut client, "query_code", json!({ "query": "verify token" }));
    let paths: Vec<&Value> = answer["hits"].as_array().unwrap().iter().map(|hit| &hit["path"]).collect();
    assert!(paths.contains(&&json!("src/fresh.py")) && !paths.contains(&&json!("src/auth.py")), "{paths:?}");
}

#[test]
fn files_are_a_tree_in_pages() {
    let home = Home::with_ingested_shop();
    home.write_many("shop/lib", 200);
    home.ingest("shop");
    let mut client = home.checked_client();
    let answer = call(&mut client, "get_file_structure", json!({ "depth": 1 }));
    let names: Vec<&Value> =
        answer["root"]["children"].as_array().unwrap().iter().map(|child| &child["name"]).collect();
    assert_eq!(names, ["lib", "notes", "src", ".env", "README.md", "logo.png"]);
    assert_eq!(answer["root"]["children"][5]["is_binary"], true);
    assert_eq!((&answer["files"], &answer["truncated"]), (&json!(206), &json!(false)));

    let (mut files, mut cursor, mut n_pages) = (Vec::new(), Value::Null, 0);
    while n_pages == 0 || cursor.is_string() {
        let arguments = json!({ "glob": "*.py", "max_tokens": 1500, "cursor": cursor });
        let arguments =
            if cursor.is_null() { json!({ "glob": "*.py", "max_tokens": 1500 }) } else { arguments };
        let page = call(&mut client, "get_file_structure", arguments);
        assert!(page.to_string().len() < 1500 * 4, "{} bytes", page.to_string().len());
        paths(&page["root"], "", &mut files);
        cursor = page["next_cursor"].clone();
        n_pages += 1;
    }
    assert!(n_pages > 2);
    assert_eq!(files.len(), 201, "each file once");
    assert!(
        client.fail("get_file_structure", json!({ "path": "sr" })).contains("folders there: lib, notes, src")
    );
}

fn paths(node: &Value, prefix: &str, into: &mut Vec<String>) {
    for child in node["children"].as_array().into_iter().flatten() {
        let path = format!("{prefix}/{}", child["name"].as_str().unwrap());
        if child["type"] == "file" {
            into.push(path.clone());
        }
        paths(child, &path, into);
    }
}

#[test]
fn contents_are_whole_lines_in_pages() {
    let home = Home::with_ingested_shop();
    let text: String = (1..=2_000).map(|n| format!("line {n} of a long text\n")).collect();
    home.write("shop/long.txt", &text);
    let mut client = home.checked_client();
    let part = call(
        &mut client,
        "get_file_content",
        json!({ "path": "long.txt", "start_line": 10, "end_line": 11 }),
    );
    assert_eq!(part["content"], "line 10 of a long text\nline 11 of a long text\n");
    assert_eq!(
        (&part["line_start"], &part["line_end"], &part["total_lines"]),
        (&json!(10), &json!(11), &json!(2000))
    );

    let mut whole = String::new();
    let mut page = call(&mut client, "get_file_content", json!({ "path": "long.txt", "max_tokens": 2000 }));
    loop {
        whole += page["content"].as_str().unwrap();
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        assert!(page["note"].as_str().unwrap().contains("truncated at 2000 tokens"));
        let arguments = json!({ "path": "long.txt", "max_tokens": 2000, "cursor": cursor });
        page = call(&mut client, "get_file_content", arguments);
    }
    assert_eq!(whole, text);

    let binary = call(&mut client, "get_file_content", json!({ "path": "logo.png" }));
    assert_eq!((&binary["content"], &binary["is_binary"]), (&Value::Null, &json!(true)));
    let secret = call(&mut client, "get_file_content", json!({ "path": ".env" }));
    assert_eq!((&secret["content"], &secret["is_binary"]), (&Value::Null, &json!(false)));
    assert!(secret["withheld"].is_string());
    assert!(client.fail("get_file_content", json!({ "path": "src/aut.py" })).contains("next: "));
    assert!(
        client
            .fail("get_file_content", json!({ "path": "long.txt", "start_line": 9999 }))
            .contains("has 2000")
    );
}

#[test]
fn hits_are_cut_at_the_budget() {
    let home = Home::with_shop();
    home.write_many("shop/lib", 60);
    home.ingest("shop");
    let mut client = home.checked_client();
    let arguments = json!({ "query": "compute total left right", "limit": 40, "max_tokens": 1000 });
    let first = call(&mut client, "query_code", arguments.clone());
    assert_eq!(first["truncated"], true);
    let cursor = first["next_cursor"].as_str().unwrap();
    assert!(first["note"].as_str().unwrap().ends_with(&format!("continue with cursor {cursor}")));
    assert!(first.to_string().len() < 1000 * 4);
    let mut next = arguments;
    next["cursor"] = cursor.into();
    let second = call(&mut client, "query_code", next);
    assert_ne!(first["hits"][0]["path"], second["hits"][0]["path"]);
    let other = client.fail("query_code", json!({ "query": "something else", "cursor": cursor }));
    assert!(other.contains("does not belong to these arguments"), "{other}");
}

#[test]
fn contexts_answer_as_their_schema_says() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    let arguments = json!({ "message": "where is the signature of tokens checked?", "min_score": 0.0 });
    let chat = call(&mut client, "get_context", arguments);
    let block = &chat["blocks"][0];
    assert_eq!((&block["path"], &block["symbol_name"]), (&json!("src/auth.py"), &json!("verify_token")));
    assert_eq!((&chat["reason"], &chat["freshness"]), (&Value::Null, &json!("fresh")));

    let selection = json!({ "path": "src/cart/prices.rs", "start_line": 1, "end_line": 3 });
    let instruction = "check it like verify_token does";
    let arguments = json!({ "message": instruction, "selection": selection, "min_score": 0.0 });
    let inline = call(&mut client, "get_context", arguments);
    assert_eq!(inline["blocks"][0]["path"], "src/auth.py", "{inline}");

    let none = call(&mut client, "get_context", json!({ "message": "good morning" }));
    assert_eq!(none["blocks"], json!([]));
    assert!(none["reason"].is_string(), "{none}");
}

const CLIENT_PAGE: &str = "# Client

## Class: `Client`

A client of one server.

### `client.request(options)`

Performs an HTTP request on the connection. Fails when the client is closed.
";

const CLIENT_CODE: &str = "class Client {
  request (options) {
    return this.dispatch(options)
  }

  flushInner () {}
}

module.exports = { Client }
";

#[test]
fn code_is_explained_from_the_documentation_as_the_command_line_does() {
    let home = Home::with_shop();
    home.write("shop/docs/api/Client.md", CLIENT_PAGE);
    home.write("shop/lib/client.js", CLIENT_CODE);
    let mut client = home.checked_client();
    // Lines need no ingested project, a symbol does.
    let lines = json!({ "path": "lib/client.js", "start_line": 2, "end_line": 4 });
    let by_lines = call(&mut client, "explain_code", lines.clone());
    assert_eq!((&by_lines["symbol"], &by_lines["has_relevant_docs"]), (&json!("request"), &json!(true)));
    assert_eq!(by_lines["citations"][0]["file_path"], "docs/api/Client.md");
    assert_eq!(by_lines["citations"][0]["heading_line"], 7);
    assert!(by_lines["explanation"].as_str().unwrap().contains("Performs an HTTP request"), "{by_lines}");
    assert!(client.fail("explain_code", json!({ "symbol": "request" })).contains("trigger_ingest"));
    let output =
        home.craig(&["explain", "lib/client.js:2-4", "--root", "shop", "--format", "json"]).output().unwrap();
    let command_line: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (name, value) in command_line.as_object().unwrap() {
        assert_eq!(&by_lines[name], value, "{name}");
    }

    home.ingest("shop");
    for symbol in ["request", "Client.request"] {
        let by_symbol = call(&mut client, "explain_code", json!({ "symbol": symbol }));
        assert_eq!(by_symbol["citations"], by_lines["citations"], "{by_symbol}");
        assert_eq!((&by_symbol["path"], &by_symbol["line_start"]), (&json!("lib/client.js"), &json!(2)));
    }
    assert!(client.fail("explain_code", json!({ "symbol": "Server.request" })).contains("query_code"));
    assert!(client.fail("explain_code", json!({ "symbol": "request", "path": "a.js" })).contains("in a.js"));
}

#[test]
fn what_is_not_documented_is_not_explained() {
    let home = Home::with_ingested_shop();
    home.write("shop/docs/api/Client.md", CLIENT_PAGE);
    home.write("shop/lib/client.js", CLIENT_CODE);
    let mut client = home.checked_client();
    let inner = json!({ "path": "lib/client.js", "start_line": 6 });
    let answer = call(&mut client, "explain_code", inner.clone());
    assert_eq!((&answer["explanation"], &answer["citations"]), (&json!("Not documented."), &json!([])));
    // Documentation that was written meanwhile is seen.
    let page =
        format!("{CLIENT_PAGE}\n### `client.flushInner()`\n\nWrites what is queued to the socket at once.\n");
    home.write("shop/docs/api/Client.md", page);
    let answer = call(&mut client, "explain_code", inner);
    assert!(answer["explanation"].as_str().unwrap().contains("what is queued"), "{answer}");

    for (arguments, expected) in [
        (json!({}), "no code to explain"),
        (json!({ "path": "lib/client.js", "start_line": 3, "end_line": 2 }), "no lines 3 to 2"),
        (json!({ "path": "lib/gone.js" }), "gone.js"),
        (json!({ "path": "../outside.js" }), "outside"),
        (json!({ "path": "logo.png" }), "not text"),
        (json!({ "path": ".env" }), "not text"),
    ] {
        let failed = client.fail("explain_code", arguments);
        assert!(failed.contains(expected), "{expected}: {failed}");
    }
}

#[test]
fn the_rest_answers_as_its_schemas_say() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    let metadata = call(&mut client, "get_project_metadata", json!({}));
    assert_eq!((&metadata["files"], &metadata["staleness"]["state"]), (&json!(6), &json!("up_to_date")));
    assert_eq!(metadata["languages"]["python"]["files"], 1);
    home.write("shop/new.py", "x = 1\n");
    let check = call(&mut client, "check_for_updates", json!({}));
    assert_eq!((&check["up_to_date"], &check["files"][0]["path"]), (&json!(false), &json!("new.py")));
    let status = call(&mut client, "query_ingestion_status", json!({}));
    assert_eq!(status["projects"][0]["status"], "completed");
}

#[test]
fn a_project_and_its_parts_are_analysed() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    for analysis in ["architecture", "dependencies", "quality"] {
        let answer = call(&mut client, "analyze", json!({ "analysis": analysis }));
        assert!(!answer["counts"].as_object().unwrap().is_empty(), "{analysis}: {answer}");
    }
    let functions = call(&mut client, "analyze", json!({ "analysis": "quality", "section": "functions" }));
    assert_eq!(functions["sections"]["functions"].as_array().unwrap().len(), 3);
    let relations = json!({ "analysis": "relations", "target": "src/auth.py" });
    assert_eq!(call(&mut client, "analyze", relations)["facts"]["target"], "src/auth.py");
    for (arguments, expected) in [
        (json!({ "analysis": "quality", "section": "x" }), "sections: "),
        (json!({ "analysis": "relations" }), "as target"),
        (json!({ "analysis": "quality", "target": "src" }), "omit target"),
        (json!({}), "architecture | dependencies | quality | relations, required"),
    ] {
        let failed = client.fail("analyze", arguments);
        assert!(failed.contains(expected), "{expected}: {failed}");
    }
}

#[test]
fn what_is_alike_is_shown_as_a_search_is() {
    let home = Home::with_shop();
    home.write_many("shop/lib", 20);
    home.write(
        "shop/src/session.py",
        "\n\ndef verify_session(session, secret):\n    \"\"\"Checks that a session was signed with the secret.\"\"\"\n    \
         header, payload, signature = session.split(\".\")\n    return sign(payload, secret) == signature\n",
    );
    home.ingest("shop");
    let mut client = home.checked_client();
    let related = call(&mut client, "find_related", json!({ "path": "src/auth.py", "line": 5 }));
    assert_eq!(related["of"]["symbol_name"], "verify_token");
    let first = &related["hits"][0];
    assert_eq!((&first["path"], &first["symbol_name"]), (&json!("src/session.py"), &json!("verify_session")));
    assert!(first["score"].as_f64().unwrap() > 0.4, "{related}");
    assert!(first["content"].as_str().unwrap().contains("3\tdef verify_session"), "{related}");

    let many = json!({ "path": "lib/module_1/file_1.py" });
    let related = call(&mut client, "find_related", many);
    let (hits, others) = (related["hits"].as_array().unwrap(), related["others"].as_array().unwrap());
    assert_eq!((hits.len(), others.len()), (3, 3), "{related}");
    assert!(related.to_string().len() < 6_000, "{} bytes", related.to_string().len());
    let asked = json!({ "path": "lib/module_1/file_1.py", "limit": 5, "within": "lib/module_2" });
    let related = call(&mut client, "find_related", asked);
    let is_within = |hit: &Value| hit["path"].as_str().unwrap().starts_with("lib/module_2/");
    assert!(related["hits"].as_array().unwrap().iter().all(is_within), "{related}");

    for (path, expected) in
        [("src/cart/prices.rs", "nothing here is much like it"), ("README.md", "has a word in common")]
    {
        let alone = call(&mut client, "find_related", json!({ "path": path, "within": "src" }));
        assert_eq!(alone["hits"], json!([]), "{alone}");
        assert!(alone["note"].as_str().unwrap().contains(expected), "{expected}: {alone}");
    }
}

#[test]
fn resources_are_the_files() {
    let home = Home::with_ingested_shop();
    let mut client = home.checked_client();
    let list = client.ask("resources/list", json!({}));
    assert_eq!(list["resources"][0]["uri"], "craig://shop/");
    let files = client.ask("resources/read", json!({ "uri": "craig://shop/" }));
    assert!(files["contents"][0]["text"].as_str().unwrap().contains("src/auth.py\n"));
    let result = client.call_raw("query_code", json!({ "query": "Notes", "path": "notes/**" }));
    let link = &result["content"][1];
    assert_eq!(link["type"], "resource_link");
    let note = client.ask("resources/read", json!({ "uri": link["uri"] }));
    assert!(note["contents"][0]["text"].as_str().unwrap().starts_with("# Notes"));
    let answer = client.request("resources/read", json!({ "uri": "craig://shop/../../etc/passwd" }));
    assert_eq!(answer["error"]["code"], -32002);
}
