//! `craig serve`: what the holder of a key sees, and that nothing shows what he may not see.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use regex::Regex;
use serde_json::{Value, json};

use crate::client::{Home, handshake};

/// What webhooks are signed with.
const SECRET: &str = "a-secret-of-webhooks";

/// A server, ended with the test.
struct Served {
    child: Child,
    address: String,
    log: Arc<Mutex<String>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A key that may use `projects`, separated by commas; all if there are none.
fn key(home: &Home, name: &str, projects: &str) -> String {
    let run = |args: &[&str]| {
        let output = home.craig(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let added: Value =
        serde_json::from_slice(&run(&["gateway", "keys", "add", name, "--format", "json"])).unwrap();
    if !projects.is_empty() {
        run(&["gateway", "keys", "set", name, "--projects", projects]);
    }
    added["key"].as_str().unwrap().to_owned()
}

impl Served {
    fn start(home: &Home) -> Self {
        Self::start_with(home, &[])
    }

    fn start_with(home: &Home, args: &[&str]) -> Self {
        let mut command = home.craig(&["serve", "--address", "127.0.0.1:0"]);
        command.args(args);
        command.env("CRAIG_WEBHOOK_SECRET", SECRET);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        log.read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        let lines = Arc::new(Mutex::new(String::new()));
        let collected = Arc::clone(&lines);
        std::thread::spawn(move || {
            log.lines().map_while(Result::ok).for_each(|line| *collected.lock().unwrap() += &(line + "\n"));
        });
        Self { child, address: started["address"].as_str().unwrap().to_owned(), log: lines }
    }

    /// Status and the rest of an answer, with its headers.
    fn send(&self, method: &str, path: &str, key: &str, headers: &str, body: &str) -> (u16, String) {
        let authorization =
            if key.is_empty() { String::new() } else { format!("Authorization: Bearer {key}\r\n") };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{authorization}{headers}Content-Type: application/json\r\n\
             Accept: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        (status, answer)
    }

    /// The events whose kinds begin with `kind`, as soon as the log has `n` of them.
    fn events(&self, kind: &str, n: usize) -> Vec<Value> {
        let started = Instant::now();
        loop {
            let log = self.log.lock().unwrap().clone();
            let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let is_meant = |line: &Value| line["event"].as_str().unwrap().starts_with(kind);
            let events: Vec<Value> = lines.filter(is_meant).collect();
            if events.len() >= n {
                return events;
            }
            assert!(started.elapsed() < Duration::from_secs(10), "{log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn json(&self, method: &str, path: &str, key: &str, body: &str) -> Value {
        let (status, answer) = self.send(method, path, key, "", body);
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// A session of an MCP client.
    fn session(&self, key: &str) -> String {
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake("2025-11-25") });
        let (status, answer) = self.send("POST", "/mcp", key, "", &request.to_string());
        assert_eq!(status, 200, "{answer}");
        let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.send("POST", "/mcp", key, &in_session(&id), &initialized.to_string());
        id
    }

    fn rpc(&self, key: &str, session: &str, headers: &str, method: &str, params: &Value) -> String {
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string();
        let (_, answer) =
            self.send("POST", "/mcp", key, &format!("{}{headers}", in_session(session)), &request);
        answer.split_once("\r\n\r\n").map_or(answer.clone(), |(_, body)| body.to_owned())
    }

    fn call(&self, key: &str, session: &str, tool: &str, arguments: &Value) -> String {
        self.rpc(key, session, "", "tools/call", &json!({ "name": tool, "arguments": arguments }))
    }
}

fn in_session(id: &str) -> String {
    format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-11-25\r\n")
}

/// A home with the project `shop` and, in `vault`, one that not everybody may see.
fn with_shop_and(vault: bool) -> Home {
    let home = Home::with_ingested_shop();
    if vault {
        home.write(
            "vault/src/safe.py",
            "def open_the_safe(code):\n    return code == combination_of_the_safe()\n",
        );
        home.write("vault/README.md", "# Vault\n\nThe safe opens with open_the_safe.\n");
        home.ingest("vault");
        let grouped = home.craig(&["group", "add", "treasury", "shop", "vault"]).output().unwrap();
        assert!(grouped.status.success());
    }
    home
}

#[test]
fn the_page_and_the_endpoints_show_what_the_key_may_use() {
    let home = with_shop_and(true);
    let (clerk, owner) = (key(&home, "clerk", "shop"), key(&home, "owner", ""));
    let served = Served::start(&home);
    let (status, page) = served.send("GET", "/", "", "", "");
    assert!(status == 200 && page.contains("content-security-policy: default-src 'none'"), "{page}");
    for (path, kind) in [("/page.js", "text/javascript"), ("/page.css", "text/css")] {
        let (status, file) = served.send("GET", path, "", "", "");
        assert!(status == 200 && file.contains(kind), "{file}");
    }
    assert_eq!(served.send("GET", "/v1/projects", "", "", "").0, 401);
    assert_eq!(served.send("POST", "/mcp", "", "", "{}").0, 401);

    let names = |key: &str| -> Vec<String> {
        let list = served.json("GET", "/v1/projects", key, "");
        list["data"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((names(&clerk), names(&owner)), (vec!["shop".into()], vec!["shop".into(), "vault".into()]));
    let searched = |key: &str, body: &str| served.json("POST", "/v1/search", key, body);
    let everywhere = r#"{"query": "open the safe", "tokens": true}"#;
    let best = &searched(&owner, everywhere)["results"][0];
    assert_eq!((&best["project"], &best["path"]), (&"vault".into(), &"src/safe.py".into()));
    assert!(best["tokens"].as_array().unwrap().iter().any(|token| token[2] == "keyword"), "{best}");
    assert_eq!(searched(&clerk, everywhere)["projects"], json!(["shop"]));

    let folder = served.json("POST", "/v1/files", &clerk, r#"{"project": "shop", "folder": "src"}"#);
    assert_eq!((&folder["folders"], &folder["files"]), (&json!({ "cart": 1 }), &json!(["auth.py"])));
    let file = served.json("POST", "/v1/file", &clerk, r#"{"project": "shop", "path": "src/auth.py"}"#);
    let symbol = file["symbols"][0].clone();
    let text = file["content"].as_str().unwrap();
    let line = text.lines().nth(symbol["line"].as_u64().unwrap() as usize - 1).unwrap();
    let column = line.find(symbol["name"].as_str().unwrap()).unwrap() + 2;
    let place = json!({ "project": "shop", "path": "src/auth.py", "line": symbol["line"], "column": column });
    let found = served.json("POST", "/v1/references", &clerk, &place.to_string());
    assert_eq!(found["symbol"]["line"], symbol["line"], "{found}");
    let nowhere = json!({ "project": "shop", "path": "src/auth.py", "line": 1, "column": 9_999 }).to_string();
    assert_eq!(served.send("POST", "/v1/references", &clerk, "", &nowhere).0, 404);
}

#[test]
fn a_session_shows_what_the_key_of_each_request_may_use() {
    let home = with_shop_and(true);
    let (clerk, owner) = (key(&home, "clerk", "shop"), key(&home, "owner", ""));
    let served = Served::start(&home);
    let session = served.session(&owner);
    let safe = json!({ "query": "open the safe", "project": "vault" });
    assert!(served.call(&owner, &session, "query_code", &safe).contains("src/safe.py"));
    let own_session = served.session(&clerk);
    let refused = served.call(&clerk, &own_session, "query_code", &safe);
    assert!(refused.contains("no project") && !refused.contains("safe.py"), "{refused}");
    let others = served.call(&clerk, &session, "list_projects", &json!({}));
    assert_eq!(others, "Not Found: Session not found");
    let tools = served.rpc(&owner, &session, "", "tools/list", &json!({}));
    assert!(tools.contains("query_code") && !tools.contains("trigger_"), "{tools}");
    // The header names the project of calls that name none.
    let explore = json!({ "name": "explore", "arguments": { "question": "open the safe" } });
    let without = served.rpc(&owner, &session, "", "tools/call", &explore);
    assert!(without.contains("x-craig-project"), "{without}");
    let with = served.rpc(&owner, &session, "X-Craig-Project: vault\r\n", "tools/call", &explore);
    assert!(with.contains("src/safe.py"), "{with}");
}

#[test]
fn whoever_opens_many_sessions_ends_his_own() {
    let home = Home::with_ingested_shop();
    let (clerk, owner) = (key(&home, "clerk", "shop"), key(&home, "owner", ""));
    let served = Served::start_with(&home, &["--max-sessions", "4"]);
    let session = served.session(&owner);
    let many: Vec<String> = (0..12).map(|_| served.session(&clerk)).collect();
    let listed = |key: &str, session: &str| served.call(key, session, "list_projects", &json!({}));
    assert!(listed(&owner, &session).contains("shop"));
    let n_open = many.iter().filter(|session| listed(&clerk, session).contains("shop")).count();
    assert_eq!(n_open, 3);
}

/// Everything that a client can ask for with the name of a project.
fn attempts(served: &Served, key: &str, handle: &str) -> Vec<String> {
    let mut answers = Vec::new();
    let mut note = |what: String, answer: String| answers.push(format!("{what}: {answer}"));
    let http = [
        ("/v1/search", json!({ "project": handle, "query": "open the safe" })),
        ("/v1/search", json!({ "projects": ["shop", handle], "query": "open the safe" })),
        ("/v1/search", json!({ "query": "open the safe", "path": format!("{handle}/**") })),
        ("/v1/context", json!({ "project": handle, "message": "how is the safe opened?" })),
        ("/v1/files", json!({ "project": handle })),
        ("/v1/file", json!({ "project": handle, "path": "src/safe.py" })),
        ("/v1/file", json!({ "project": "shop", "path": format!("../{handle}/src/safe.py") })),
        ("/v1/references", json!({ "project": handle, "symbol": "open_the_safe" })),
        ("/v1/references", json!({ "project": handle, "path": "src/safe.py", "line": 1, "column": 6 })),
    ];
    for (path, body) in http {
        note(format!("{path} {body}"), served.send("POST", path, key, "", &body.to_string()).1);
    }
    note("/v1/projects".into(), served.send("GET", "/v1/projects", key, "", "").1);
    let session = served.session(key);
    let tools = [
        ("explore", json!({ "question": "open the safe", "project": handle })),
        ("grep", json!({ "pattern": "safe", "project": handle })),
        ("read_file", json!({ "paths": ["src/safe.py:1-2"], "project": handle })),
        ("references", json!({ "name": "open_the_safe", "project": handle })),
        ("query_code", json!({ "query": "open the safe", "project": handle })),
        ("query_code", json!({ "query": "open the safe", "projects": ["shop", handle] })),
        ("query_code", json!({ "query": "open the safe" })),
        ("query_docs", json!({ "package": "safe", "query": "open", "project": handle })),
        ("get_context", json!({ "message": "how is the safe opened?", "project": handle })),
        ("explain_code", json!({ "symbol": "open_the_safe", "project": handle })),
        ("get_file_content", json!({ "path": "src/safe.py", "project": handle })),
        ("get_file_structure", json!({ "project": handle })),
        ("outline", json!({ "path": "src/safe.py", "project": handle })),
        ("repo_map", json!({ "project": handle })),
        ("read_symbol", json!({ "name": "open_the_safe", "project": handle })),
        ("call_hierarchy", json!({ "name": "open_the_safe", "project": handle })),
        ("find_related", json!({ "path": "src/safe.py", "project": handle })),
        ("analyze", json!({ "analysis": "architecture", "project": handle })),
        ("list_projects", json!({})),
        ("get_project_metadata", json!({ "project": handle })),
        ("get_project_metadata", json!({ "project": "shop" })),
        (
            "get_context",
            json!({ "message": "fix", "project": "shop",
            "selection": { "path": format!("../{handle}/src/safe.py"), "start_line": 1, "end_line": 9 } }),
        ),
        ("query_ingestion_status", json!({ "project": handle })),
        ("query_ingestion_status", json!({})),
        ("check_for_updates", json!({ "project": handle })),
        ("trigger_ingest", json!({ "source": handle })),
        ("trigger_purge", json!({ "project": handle, "confirm_name": handle })),
        ("cancel_job", json!({ "job_id": handle })),
    ];
    for (tool, arguments) in tools {
        note(format!("{tool} {arguments}"), served.call(key, &session, tool, &arguments));
    }
    let methods = [
        ("resources/list", json!({})),
        ("resources/read", json!({ "uri": format!("craig://{handle}/") })),
        ("resources/read", json!({ "uri": format!("craig://{handle}/src/safe.py") })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "explore" }, "argument": { "name": "project", "value": "" } }),
        ),
        ("tools/list", json!({})),
    ];
    for (method, params) in methods {
        note(format!("{method} {params}"), served.rpc(key, &session, "", method, &params));
    }
    let named = format!("X-Craig-Project: {}\r\n", handle.replace(['\r', '\n'], ""));
    let explore = json!({ "name": "explore", "arguments": { "question": "open the safe" } });
    note("header".into(), served.rpc(key, &session, &named, "tools/call", &explore));
    answers
}

/// Answers without what differs from run to run.
fn plain(home: &Home, answer: &str) -> String {
    let answer = answer.replace(&*home.path().to_string_lossy(), "HOME");
    let times = r"(?x) \d{4}-\d\d-\d\dT[\d:.]+Z | (?i:x-request-id|date|server-timing|x-ratelimit-[a-z]+|mcp-session-id):[^\r]*
        | elapsed_ms\W+[\d.]+ | Content-Length:\s*\d+ | content-length:\s*\d+ | [0-9a-f]{12}";
    Regex::new(times).unwrap().replace_all(&answer, "…").into_owned()
}

#[test]
fn a_project_that_a_key_may_not_use_leaves_no_trace() {
    let (with, without) = (with_shop_and(true), with_shop_and(false));
    let listed = with.craig(&["list", "--format", "json"]).output().unwrap();
    let projects: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let reference = projects
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "vault")
        .and_then(|one| one["reference"].as_str())
        .unwrap();
    let (key_with, key_without) = (key(&with, "clerk", "shop"), key(&without, "clerk", "shop"));
    let owner = key(&with, "owner", "");
    let (served_with, served_without) = (Served::start(&with), Served::start(&without));
    let directory = |home: &Home| format!("{}/vault", home.path().display());
    let mut n_compared = 0;
    let handles = ["vault", "treasury", "2", "3", "shop,vault", reference, "vault/../shop", "DIRECTORY"];
    for handle in handles {
        let of = |home: &Home| if handle == "DIRECTORY" { directory(home) } else { handle.to_owned() };
        let seen = attempts(&served_with, &key_with, &of(&with));
        let expected = attempts(&served_without, &key_without, &of(&without));
        assert_eq!(seen.len(), expected.len());
        for (seen, expected) in seen.iter().zip(&expected) {
            assert_eq!(plain(&with, seen), plain(&without, expected), "with {handle}");
            assert!(!seen.contains("combination_of_the_safe"), "{seen}");
            n_compared += 1;
        }
    }
    assert!(n_compared > 300, "{n_compared}");
    // The attempts do reach the project where it may be seen.
    let all = attempts(&served_with, &owner, "vault").join("\n");
    assert!(all.matches("combination_of_the_safe").count() > 5, "{all}");
}

#[test]
fn a_webhook_makes_jobs_due_once() {
    let home = Home::with_ingested_shop();
    let added =
        home.craig(&["jobs", "add", "https://git.example/team/shop.git", "--every", "1h"]).output().unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let owner = key(&home, "owner", "");
    let served = Served::start(&home);
    let hook = |path: &str, token: &str, body: &str| {
        served.send("POST", path, "", &format!("X-Gitlab-Token: {token}\r\n"), body)
    };
    let due_at = || served.json("GET", "/v1/projects", &owner, "")["jobs"][0]["due_at"].clone();
    let before = due_at();
    std::thread::sleep(Duration::from_millis(5));
    let notice = r#"{"project": {"git_ssh_url": "git@git.example:team/shop.git"}, "after": "1a2b"}"#;
    assert_eq!(hook("/hooks/gitlab", "another", notice).0, 401);
    assert_eq!(hook("/hooks/github", SECRET, notice).0, 401, "without a signature");
    assert_eq!(hook("/hooks/elsewhere", SECRET, notice).0, 404);
    assert_eq!(due_at(), before);
    let (status, answer) = hook("/hooks/gitlab", SECRET, notice);
    assert!(status == 202 && answer.ends_with(r#"{"jobs":1}"#), "{answer}");
    assert_ne!(due_at(), before);
    assert_eq!(hook("/hooks/gitlab", SECRET, notice).0, 409, "the same notice again");
    let pushed = |branch: &str| {
        let notice = json!({
            "ref": format!("refs/heads/{branch}"),
            "project": { "git_ssh_url": "git@git.example:team/shop.git", "default_branch": "main" },
        });
        hook("/hooks/gitlab", SECRET, &notice.to_string()).1
    };
    assert!(pushed("main").ends_with(r#"{"jobs":1}"#));
    assert!(pushed("draft").ends_with(r#"{"jobs":0}"#), "the job follows the default branch");
    let (status, answer) = hook("/hooks/gitlab", SECRET, "not json");
    assert!(status == 202 && answer.ends_with(r#"{"jobs":0}"#), "{answer}");
    let large = format!("\"{}\"", "a".repeat(2 << 20));
    assert_eq!(hook("/hooks/gitlab", SECRET, &large).0, 413);
    let logged = served.events("webhook_", 8);
    let shown =
        |event: &Value| ["event", "forge", "reason", "jobs"].map(|name| event[name].to_string()).join(" ");
    assert_eq!(
        logged.iter().map(shown).collect::<Vec<_>>(),
        [
            r#""webhook_refused" "gitlab" "wrong_signature" null"#,
            r#""webhook_refused" "github" "wrong_signature" null"#,
            r#""webhook_accepted" "gitlab" null 1"#,
            r#""webhook_refused" "gitlab" "replayed" null"#,
            r#""webhook_accepted" "gitlab" null 1"#,
            r#""webhook_accepted" "gitlab" null 0"#,
            r#""webhook_accepted" "gitlab" null 0"#,
            r#""webhook_refused" "gitlab" "request_too_large" null"#,
        ]
    );
}

#[test]
fn only_the_log_has_the_address_of_a_database_that_cannot_be_opened() {
    let home = Home::with_ingested_shop();
    let owner = key(&home, "owner", "");
    let served = Served::start_with(&home, &["--db", "postgres://me@127.0.0.1:1/craig"]);
    let session = served.session(&owner);
    let called =
        served.call(&owner, &session, "query_code", &json!({ "query": "verify a token", "project": "shop" }));
    let (status, answer) = served.send("POST", "/v1/search", &owner, "", r#"{"query": "verify a token"}"#);
    assert_eq!(status, 503);
    for answer in [called, answer] {
        assert!(answer.contains("the index is not readable at the moment"), "{answer}");
        assert!(!answer.contains("127.0.0.1:1/") && !answer.contains("PGPASSWORD"), "{answer}");
    }
    let (status, answer) = served.send("GET", "/readyz", "", "", "");
    assert!(status == 503 && answer.contains("the database cannot be opened"), "{answer}");
    let logged = served.events("index_unreadable", 1);
    assert_eq!(logged.len(), 1, "once a minute");
    assert!(
        logged[0]["reason"].as_str().unwrap().contains("postgres://me@127.0.0.1:1/craig"),
        "{}",
        logged[0]
    );
    let (status, _) = Served::start(&home).send("GET", "/readyz", "", "", "");
    assert_eq!(status, 200);
}

#[test]
fn directories_are_not_read() {
    let home = with_shop_and(false);
    let owner = key(&home, "owner", "");
    home.write("shop/src/auth.py", "# Changed since.\n");
    let served = Served::start(&home);
    let (status, answer) =
        served.send("POST", "/v1/search", &owner, "", r#"{"query": "verify a token", "project": "shop"}"#);
    assert!(status == 200 && answer.contains("src/auth.py"), "{answer}");
    assert!(!answer.contains("x-craig-trouble"), "the answer is that of the index: {answer}");
}

#[test]
fn the_log_says_who_read_which_projects_and_no_question() {
    let home = with_shop_and(true);
    let owner = key(&home, "owner", "");
    let served = Served::start(&home);
    let session = served.session(&owner);
    served.call(&owner, &session, "query_code", &json!({ "query": "zebra crossing", "project": "shop" }));
    served.json("POST", "/v1/search", &owner, r#"{"query": "zebra crossing"}"#);
    let lines = served.events("projects_read", 2);
    assert!(!served.log.lock().unwrap().contains("zebra"));
    assert_eq!(
        (&lines[0]["projects"], &lines[1]["projects"]),
        (&json!(["shop"]), &json!(["shop", "treasury", "vault"]))
    );
    assert!(lines[0]["user"].as_str().is_some_and(|user| !user.is_empty() && user == lines[1]["user"]));
}
