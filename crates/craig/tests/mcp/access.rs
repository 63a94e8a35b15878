//! What an assistant may have read: sources, roots, and servers that change nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, Home};

fn refused(client: &mut Client, source: &str) -> String {
    let jobs = |client: &mut Client| client.call("query_ingestion_status", json!({}))["jobs"].clone();
    let before = jobs(client);
    let reported = client.fail("trigger_ingest", json!({ "source": source, "wait_seconds": 60 }));
    assert!(
        reported.contains("assistants may not ingest") && reported.contains("--allow-source"),
        "{source}: {reported}"
    );
    assert_eq!(jobs(client), before, "{source}");
    reported
}

#[test]
fn sources_outside_the_workspace_need_permission() {
    let home = Home::with_shop();
    home.write("private/key.py", "key = 1\n");
    home.write("shop/.ssh/config", "");
    let mut client = home.client();
    let private = home.path().join("private").display().to_string();
    for source in [&*private, "../private", "src/../../private", "/nowhere/at/all"] {
        assert!(refused(&mut client, source).contains("outside the workspace"));
    }
    for source in ["/etc", "/", "/root", "/home", "/etc/../etc/ssl", "file:///etc", "file:///etc/ssl"] {
        assert!(refused(&mut client, source).contains(" is "), "{source}");
    }
    assert!(refused(&mut client, ".ssh").contains("keys and passwords"));
    assert!(refused(&mut client, "..").contains("home directory"));
    assert!(refused(&mut client, &home.path().display().to_string()).contains("home directory"));
    assert!(refused(&mut client, &format!("file://{private}")).contains("outside the workspace"));
    let local = client.fail("trigger_ingest", json!({ "source": "http://127.0.0.1:9/a" }));
    assert!(local.contains("belongs to this machine"), "{local}");
    let inside = client.call("trigger_ingest", json!({ "source": "src", "wait_seconds": 60 }));
    assert_eq!(inside["job"]["state"], "completed", "{inside}");
}

#[cfg(unix)]
#[test]
fn no_link_leads_to_a_source_that_needs_permission() {
    use std::os::unix::fs::symlink;
    let home = Home::with_shop();
    home.write("private/key.py", "key = 1\n");
    symlink(home.path().join("private"), home.path().join("shop/out")).unwrap();
    symlink("/etc", home.path().join("shop/system")).unwrap();
    let mut client = home.client();
    assert!(refused(&mut client, "out").contains("outside the workspace"));
    assert!(refused(&mut client, "system").contains("system folder"));

    // A project whose folder has become a link since keeps what it has.
    home.write("shop/lib/a.py", "def of_the_shop():\n    pass\n");
    client.call("trigger_ingest", json!({ "source": "lib", "wait_seconds": 60 }));
    std::fs::rename(home.path().join("shop/lib"), home.path().join("shop/lib.old")).unwrap();
    symlink(home.path().join("private"), home.path().join("shop/lib")).unwrap();
    let files = client.call("get_file_structure", json!({ "project": "lib" }));
    assert_eq!(
        (&files["root"]["children"][0]["name"], &files["freshness"]),
        (&json!("a.py"), &json!("stale"))
    );
    let delta = client.call("trigger_delta_ingest", json!({ "project": "lib", "wait_seconds": 60 }));
    assert_eq!(delta["job"]["state"], "failed", "{delta}");
    assert!(delta["job"]["error"].as_str().unwrap().contains("now leads to"), "{delta}");
    assert!(
        client.fail("explain_code", json!({ "project": "lib", "path": "key.py" })).contains("now leads to")
    );
}

#[test]
fn the_user_may_allow_more() {
    let home = Home::with_shop();
    home.write("other/a.py", "x = 1\n");
    home.write("known/a.py", "x = 1\n");
    home.ingest("known");
    let other = home.path().join("other").display().to_string();
    let mut client = home.client_with(&["--allow-source", &other]);
    let known = home.path().join("known").display().to_string();
    for source in [other, known] {
        let answer = client.call("trigger_ingest", json!({ "source": source, "wait_seconds": 60 }));
        assert_eq!(answer["job"]["state"], "completed", "{answer}");
    }
    let output = home.craig(&["mcp", "--allow-source", "nowhere"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_read_only_server_changes_nothing() {
    let home = Home::with_ingested_shop();
    home.write("shop/src/fresh.py", "def brand_new():\n    pass\n");
    let derived = || names_below(&home.path().join("craig.db.d"));
    let before = derived();
    let mut client = home.client_with(&["--read-only"]);
    let tools = client.ask("tools/list", json!({}));
    let tools = tools["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true) && tools.len() > 10);
    for tool in ["trigger_ingest", "trigger_delta_ingest", "trigger_purge", "cancel_job"] {
        let answer = client.request("tools/call", json!({ "name": tool, "arguments": {} }));
        assert!(answer["error"]["message"].as_str().unwrap().contains("read-only"), "{answer}");
    }
    let answer = client.call("query_code", json!({ "query": "brand_new" }));
    assert_eq!(answer["freshness"], "stale");
    assert!(answer["note"].as_str().unwrap().contains("1 files were added"), "{answer}");
    assert!(answer["hits"].as_array().unwrap().iter().all(|hit| hit["path"] != "src/fresh.py"));
    client.call("explain_code", json!({ "path": "src/auth.py" }));
    assert!(!home.path().join("shop/.aidocs").exists());
    assert_eq!(client.call("check_for_updates", json!({}))["added"], 1);
    client.call("read_symbol", json!({ "name": "verify_token" }));
    assert_eq!(derived(), before, "an index or a graph was kept");
}

/// Paths of all files of a folder and those in it.
fn names_below(folder: &Path) -> BTreeSet<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeSet::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { names_below(&path) } else { BTreeSet::from([path]) }).collect()
}

#[test]
fn a_read_only_server_makes_no_database() {
    let home = Home::with_shop();
    let reported = home.client_with(&["--read-only"]).fail("query_code", json!({ "query": "tokens" }));
    assert!(reported.contains("craig.db does not exist"), "{reported}");
    assert!(!home.path().join("craig.db").exists());
}

#[test]
fn annotations_say_what_tools_do() {
    let tools = Home::with_shop().client().ask("tools/list", json!({}));
    let reported: String = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let hints = &tool["annotations"];
            let is =
                |name: &str, word: &str| if hints[name] == true { format!(" {word}") } else { String::new() };
            let hints = [
                is("readOnlyHint", "reads"),
                is("destructiveHint", "destroys"),
                is("openWorldHint", "asks-servers"),
            ];
            format!("{}:{}\n", tool["name"].as_str().unwrap(), hints.concat())
        })
        .collect();
    expect_test::expect![[r#"
        explore: reads
        grep: reads
        read_file: reads
        references: reads
        query_code: reads
        query_docs: reads
        get_context: reads
        explain_code: reads
        get_file_content: reads
        get_file_structure: reads
        outline: reads
        repo_map: reads
        read_symbol: reads
        call_hierarchy: reads
        find_related: reads
        analyze: reads
        list_projects: reads
        get_project_metadata: reads
        query_ingestion_status: reads
        check_for_updates: reads asks-servers
        trigger_ingest: asks-servers
        trigger_delta_ingest: asks-servers
        trigger_purge: destroys
        cancel_job: destroys
    "#]]
    .assert_eq(&reported);
}

#[test]
fn roots_say_where_the_workspace_is() {
    let home = Home::with_ingested_shop();
    home.write("other/b.py", "def of_the_other():\n    pass\n");
    // Clients start servers in the home directory.
    let mut client = home.client_with_roots("", &["shop"], &[]);
    let answer = client.call("query_code", json!({ "query": "verify_token" }));
    assert_eq!((&answer["projects"], &answer["hits"][0]["path"]), (&json!(["shop"]), &json!("src/auth.py")));
    let other = home.path().join("other").display().to_string();
    refused(&mut client, &other);

    client.roots = vec![home.uri("other")];
    client.notify("notifications/roots/list_changed");
    client.ask("ping", json!({}));
    let ingested = client.call("trigger_ingest", json!({ "source": other, "wait_seconds": 60 }));
    assert_eq!(ingested["job"]["state"], "completed", "{ingested}");
    assert_eq!(client.call("query_code", json!({ "query": "of_the_other" }))["projects"], json!(["other"]));

    client.roots = vec![home.uri("other"), home.uri("shop"), home.uri("")];
    client.notify("notifications/roots/list_changed");
    client.ask("ping", json!({}));
    let both = client.call("query_code", json!({ "query": "verify_token" }));
    assert_eq!(both["projects"], json!(["other", "shop"]), "a home directory is no workspace");
    refused(&mut client, &home.path().display().to_string());
}

#[test]
fn without_roots_a_home_directory_is_no_workspace() {
    let home = Home::with_shop();
    let mut client = home.client_with_roots("", &[], &[]);
    let reported = client.fail("get_file_structure", json!({}));
    assert!(
        reported.contains("there is no workspace") && reported.contains("is a home directory"),
        "{reported}"
    );
    assert!(client.fail("trigger_ingest", json!({ "source": "shop" })).contains("there is none"));
    refused(&mut client, &home.path().join("shop").display().to_string());
    home.ingest("shop");
    let all = client.call("query_code", json!({ "query": "verify_token" }));
    assert_eq!(all["projects"], json!(["shop"]));
    assert!(all["note"].as_str().unwrap().contains("from all 1 ingested projects"), "{all}");
}

#[test]
fn the_newest_protocol_asks_for_roots_by_its_answer() {
    let home = Home::with_ingested_shop();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "roots": {} },
    });
    let mut client = home.client_in("", &[]);
    let call = json!({ "_meta": meta, "name": "query_code", "arguments": { "query": "verify_token" } });
    let asked = client.ask("tools/call", call.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let (name, question) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(question["method"], "roots/list");
    let mut again = call.clone();
    again["inputResponses"] = json!({ name: { "roots": [{ "uri": home.uri("shop") }] } });
    let answered = client.ask("tools/call", again);
    assert_eq!(answered["structuredContent"]["projects"], json!(["shop"]), "{answered}");
    let remembered = client.ask("tools/call", call);
    assert_eq!(remembered["structuredContent"]["projects"], json!(["shop"]), "{remembered}");
}

#[test]
fn a_workspace_that_is_not_ingested_is_not_answered_for_by_others() {
    let home = Home::with_shop();
    home.write("other/auth.py", "def verify_token():\n    pass\n");
    home.ingest("other");
    let mut client = home.client();
    let shop = home.path().join("shop").display().to_string();
    let answer = client.call("query_code", json!({ "query": "verify_token" }));
    assert_eq!((&answer["hits"], &answer["projects"]), (&json!([]), &json!([])), "{answer}");
    let note = answer["note"].as_str().unwrap();
    assert!(
        note.contains("is not ingested") && note.contains(&format!("trigger_ingest with source {shop:?}")),
        "{note}"
    );
    assert_eq!(answer["freshness"], "unchecked");
    let named = client.call("query_code", json!({ "query": "verify_token", "project": "other" }));
    assert_eq!((&named["projects"], &named["note"]), (&json!(["other"]), &Value::Null));
}

#[test]
fn what_models_write_is_taken_as_it_is_meant() {
    let home = Home::with_ingested_shop();
    let shop = home.path().join("shop").display().to_string();
    let mut client = home.client();
    let strict = json!({ "query": "token price", "limit": 1, "min_score": 0.0, "content": false, "language": ["python"] });
    let expected = client.call("query_code", strict)["hits"].clone();
    assert_eq!(expected.as_array().unwrap().len(), 1);
    for project in [
        json!("shop"),
        json!("."),
        json!("./src"),
        json!(shop),
        json!(format!("{shop}/src/../src")),
        Value::Null,
    ] {
        let lenient = json!({
            "query": "token price", "limit": "1", "min_score": "0", "content": "False", "language": "python",
            "project": project, "cursor": "",
        });
        assert_eq!(client.call("query_code", lenient)["hits"], expected, "{project}");
    }
    assert_eq!(
        client.call("query_code", json!({ "query": "token price", "limit": 1.0 }))["hits"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(
        client.fail("query_code", json!({ "query": "a", "limit": "many" })).contains("invalid arguments")
    );
    assert!(client.fail("query_code", json!({ "query": "a", "limit": 1.5 })).contains("invalid arguments"));
    let unknown = client.fail("query_code", json!({ "query": "a", "project": "/nowhere/at/all" }));
    assert!(unknown.contains("is not ingested"), "{unknown}");

    let path = format!("{shop}/src/auth.py");
    assert_eq!(client.call("get_file_content", json!({ "path": path }))["path"], "src/auth.py");
    assert_eq!(
        client.call("get_file_content", json!({ "path": format!("file://{path}"), "start_line": "1" }))["path"],
        "src/auth.py"
    );
    assert_eq!(
        client.call("find_related", json!({ "path": path, "line": "5" }))["of"]["path"],
        "src/auth.py"
    );
    assert_eq!(client.call("get_file_structure", json!({ "path": format!("{shop}/src") }))["files"], 2);
    assert_eq!(
        client.call("analyze", json!({ "analysis": "Relations", "target": path }))["facts"]["target"],
        "src/auth.py"
    );
    let glob = client.call("query_code", json!({ "query": "token", "path": format!("{shop}/src/*.py") }));
    assert_eq!(glob["hits"][0]["path"], "src/auth.py");
    let selection = json!({ "path": path, "start_line": "4", "end_line": 5.0 });
    client.call("get_context", json!({ "message": "handle errors", "selection": selection }));
    client.call("explain_code", json!({ "path": path, "project": shop }));
}

#[test]
fn jobs_outlive_their_server() {
    let home = Home::with_shop();
    home.write_many("shop/big", 1_500);
    for name in ["a", "b", "c", "d"] {
        home.write(&format!("shop/{name}/{name}.py"), format!("def of_{name}():\n    pass\n"));
    }
    let mut client = home.client();
    for source in ["big", "a", "b", "c", "d"] {
        client.call("trigger_ingest", json!({ "source": source }));
    }
    assert!(client.close().0);
    let mut later = home.client();
    let is_done = |client: &mut Client| {
        let projects = client.call("query_ingestion_status", json!({}));
        let projects = projects["projects"].as_array().unwrap().clone();
        projects.len() == 5 && projects.iter().all(|project| project["status"] == "completed")
    };
    let started = std::time::Instant::now();
    while !is_done(&mut later) {
        assert!(started.elapsed().as_secs() < 120, "{}", later.call("query_ingestion_status", json!({})));
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
