//! Who may ask, how much, how large and how slow; and that nothing gets out that should not.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::context::shop_at;
use crate::harness::{Gateway, PROVIDER_KEY, Plan, VOYAGE_KEY, until};
use crate::upstream::{End, Reply, Upstream};

#[tokio::test]
async fn once_there_is_a_key_it_has_to_be_sent_and_a_revoked_one_opens_nothing() {
    let gateway = Plan::new().start().await;
    assert_eq!(gateway.get("/v1/models").await.status, StatusCode::OK);
    let (record, key) = craig_gateway::keys::add(&gateway.path("keys.json"), "alice").unwrap();
    until("the key is known", async || gateway.get("/v1/models").await.status == StatusCode::UNAUTHORIZED)
        .await;
    let with_key = async |path: &str| {
        let request = http::Request::get(format!("{}{path}", gateway.url))
            .header("authorization", format!("Bearer {key}"));
        gateway.send(request.body(Default::default()).unwrap()).await.status
    };
    assert_eq!(with_key("/v1/models").await, StatusCode::OK);
    assert_eq!(with_key("/metrics").await, StatusCode::OK);
    for path in ["/metrics", "/v2/rerank", "/nothing"] {
        assert_eq!(gateway.get(path).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    assert_eq!(gateway.get("/healthz").await.status, StatusCode::OK);
    craig_gateway::keys::revoke(&gateway.path("keys.json"), &record.id).unwrap();
    until("the key is revoked", async || with_key("/v1/models").await == StatusCode::UNAUTHORIZED).await;
    let user = craig_gateway::hashed(&record.id);
    assert!(gateway.log.events("request_completed").iter().any(|line| line["user"] == user.as_str()));
    assert!(!gateway.log.text().contains(&key));
}

#[tokio::test]
async fn an_address_for_others_needs_a_key() {
    let refused = Plan::new().set("gateway.address", "0.0.0.0:0").try_start().await.err().unwrap();
    assert!(refused.to_string().contains("craig gateway keys add"), "{refused}");
}

#[tokio::test]
async fn limits_are_kept_and_reported() {
    let upstream = Upstream::start(|_, _| Reply::completion("")).await;
    let gateway = Plan::with(&upstream).set("gateway.reranks_per_hour", "2").start().await;
    let ask = || gateway.post("/v1/rerank", json!({ "query": "q", "documents": ["a"] }));
    let first = ask().await;
    let left = |answer: &crate::harness::Answer| {
        ["limit", "remaining", "resource"]
            .map(|name| answer.header(&format!("x-ratelimit-{name}")).to_owned())
    };
    assert_eq!(left(&first), ["2", "1", "rerank"]);
    assert_eq!(left(&ask().await), ["2", "0", "rerank"]);
    let third = ask().await;
    assert_eq!(
        (third.status, third.code()),
        (StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded".to_owned())
    );
    assert!((1700..=1800).contains(&third.header("retry-after").parse::<u64>().unwrap()), "{third:?}");
    assert_eq!(left(&third), ["2", "0", "rerank"]);
    assert!((3590..=3600).contains(&third.header("x-ratelimit-reset").parse::<u64>().unwrap()), "{third:?}");
    // A conversation goes on without.
    let results = json!([{ "content": "c", "file": "f", "score": 0.5, "line_start": 1, "line_end": 1 }]);
    let chat = gateway
        .chat(json!({ "messages": [{ "role": "user", "content": "q" }], "semantic_results": results, "rerank": true }))
        .await;
    assert_eq!((chat.status, chat.header("x-craig-rerank")), (StatusCode::OK, "fallback"));
    assert_eq!(
        (chat.header("x-craig-trouble"), chat.header("x-ratelimit-remaining")),
        ("rate_limit_exceeded", "0")
    );
    assert_eq!(gateway.metric("rate_limited_total{resource=\"rerank\"}").await, 2.0);
}

/// Sends bytes and gives what comes back until the connection closes.
async fn raw(gateway: &Gateway, bytes: &[u8]) -> String {
    raw_in_pieces(gateway, &[bytes]).await
}

/// The same with a pause after each piece.
async fn raw_in_pieces(gateway: &Gateway, pieces: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(gateway.url.trim_start_matches("http://")).await.unwrap();
    for piece in pieces {
        // A gateway that has read enough may close while the rest is sent.
        let _ = stream.write_all(piece).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn slow_and_oversized_clients_are_sent_away() {
    let gateway =
        Plan::new().set("gateway.client_timeout_ms", "300").set("gateway.max_body", "1kB").start().await;
    assert_eq!(raw(&gateway, b"POST /v1/rerank HT").await, "", "a head that never ends");
    let slow =
        raw(&gateway, b"POST /v1/rerank HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{").await;
    assert!(slow.starts_with("HTTP/1.1 408"), "{slow}");
    let large = format!(
        "POST /v1/rerank HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 3000\r\n\r\n{}",
        "x".repeat(3000)
    );
    assert!(raw(&gateway, large.as_bytes()).await.starts_with("HTTP/1.1 413"));
    let chunked = format!(
        "POST /v1/rerank HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n{}0\r\n\r\n",
        format!("1f4\r\n{}\r\n", "x".repeat(500)).repeat(6)
    );
    assert!(raw(&gateway, chunked.as_bytes()).await.starts_with("HTTP/1.1 413"));
    let (start, rest) = chunked.trim_end_matches("0\r\n\r\n").as_bytes().split_at(600);
    assert!(raw_in_pieces(&gateway, &[start, rest]).await.starts_with("HTTP/1.1 413"), "it never ends");
    let with_headers =
        |bytes| format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(bytes));
    assert!(raw(&gateway, with_headers(60_000).as_bytes()).await.starts_with("HTTP/1.1 200"));
    for bytes in [70_000, 100_000, 500_000] {
        let answer = raw(&gateway, with_headers(bytes).as_bytes()).await;
        // The unread rest may reset the connection before the answer is seen.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{bytes} bytes: {answer}");
    }
    let many = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(200));
    assert!(raw(&gateway, many.as_bytes()).await.starts_with("HTTP/1.1 431"));
    assert_eq!(gateway.get("/healthz").await.status, StatusCode::OK);
}

/// What must be seen nowhere but in the conversation itself.
const QUERY: &str = "planted_query_marker_7f3a how does it work";
const CODE: &str = "fn planted_code_marker_91bd() {}";
const FILE: &str = "src/planted_file_marker_c0de.rs";
const MODEL: &str = "planted-model-marker-55aa";

/// Everything that can go wrong, with the markers in it.
fn marked_requests() -> Vec<(&'static str, Value)> {
    let results = json!([{ "content": CODE, "file": FILE, "score": 0.5, "line_start": 1, "line_end": 1 }]);
    let messages = json!([{ "role": "user", "content": QUERY }]);
    vec![
        (
            "/v1/chat/completions",
            json!({ "model": MODEL, "messages": messages, "semantic_results": results, "rerank": true }),
        ),
        ("/v1/chat/completions", json!({ "model": MODEL, "messages": messages, "stream": true })),
        ("/v1/chat/completions", json!({ "model": MODEL, "messages": messages, "project": QUERY })),
        ("/v1/chat/completions", json!({ "model": MODEL, "messages": messages, "semantic_results": QUERY })),
        ("/v1/chat/completions", json!({ "model": { QUERY: CODE }, "messages": QUERY })),
        ("/v1/rerank", json!({ "query": QUERY, "documents": [CODE, QUERY] })),
        ("/v1/rerank", json!({ "query": { QUERY: 1 }, "documents": [CODE] })),
        ("/v1/rerank", json!({ "query": QUERY, "documents": CODE })),
        ("/v1/rerank/batch", json!({ "requests": [{ "query": QUERY, "documents": [CODE] }] })),
        ("/v1/search", json!({ "project": QUERY, "query": QUERY })),
        (
            "/v1/search",
            json!({ "project": QUERY, "query": QUERY, "languages": [CODE], "path": "[planted_query_marker_7f3a" }),
        ),
        ("/v1/search", json!({ "project": QUERY, "query": QUERY, "kind": CODE })),
        ("/v1/context", json!({ "project": QUERY, "message": QUERY, "min_similarity": CODE })),
        ("/v1/context", json!({ "project": QUERY, "message": QUERY, "history": [CODE] })),
        ("/v1/embeddings", json!({ "input": [[QUERY]], "model": MODEL })),
    ]
}

#[tokio::test]
async fn nothing_that_is_asked_or_secret_gets_into_logs_metrics_or_errors() {
    // Each provider repeats what it was sent, and its key, in every kind of failure.
    let repeating = |asked: &crate::upstream::Asked, n: usize| {
        let body = String::from_utf8_lossy(&asked.body).into_owned();
        let key = asked.header("authorization").unwrap_or_default().to_owned();
        let error = json!({ "error": { "message": format!("{key} {body}"), "code": "x" }, "detail": body });
        match n % 8 {
            0 => Reply::status(400, error),
            1 => Reply::status(401, error),
            2 => Reply::status(422, error),
            3 => Reply::status(429, error).with_header("retry-after", "0"),
            4 => Reply::Whole { status: 200, headers: String::new(), body: body.into_bytes() },
            5 => Reply::stream("x ", Duration::ZERO, End::Cut),
            6 => Reply::Close,
            _ => Reply::status(500, error),
        }
    };
    let (voyage, upstream) = (Upstream::start(repeating).await, Upstream::start(repeating).await);
    let plan =
        Plan::with(&upstream).voyage(&voyage).set("gateway.tries", "1").set("gateway.reranks_per_hour", "30");
    let gateway = plan.set("gateway.upstream_timeout_ms", "2000").start().await;
    let mut shown = String::new();
    for round in 0..8 {
        for (path, body) in marked_requests() {
            let answer = gateway.post(path, body).await;
            // A success is the conversation itself; errors and headers are ours. Rounds make the requests differ.
            let is_error = !answer.status.is_success() || answer.text().contains("\"error\"");
            let headers: Vec<String> = answer
                .headers
                .iter()
                .filter(|(name, _)| *name != "x-craig-context")
                .map(|(name, value)| format!("{name}: {value:?}"))
                .collect();
            shown += &format!(
                "{round} {path} {headers:?} {}\n",
                if is_error { answer.text() } else { String::new() }
            );
        }
    }
    shown += &gateway.get(&format!("/v1/{MODEL}?q={}", "planted_query_marker_7f3a")).await.text();
    shown += &gateway.get("/metrics").await.text();
    until("everything is logged", async || gateway.log.events("request_completed").len() > 121).await;
    shown += &gateway.log.text();
    assert!(
        shown.contains("search_completed")
            && shown.contains("rerank_errors")
            && shown.contains("stream_interrupted"),
        "{shown}"
    );
    for marker in ["planted_query", "planted_code", "planted_file", "planted-model", PROVIDER_KEY, VOYAGE_KEY]
    {
        let found: Vec<&str> = shown.lines().filter(|line| line.contains(marker)).collect();
        assert!(found.is_empty(), "{marker} got out:\n{}", found.join("\n"));
    }
}

/// The page of a gateway to which everything has happened that is counted: every family is on it.
async fn full_page() -> String {
    let upstream = Upstream::start(|asked, _| match asked.json()["model"].as_str().unwrap_or_default() {
        "broken" => Reply::status(500, json!({})),
        "cut" => Reply::stream("one ", Duration::ZERO, End::Cut),
        _ => Reply::completion("hello"),
    })
    .await;
    let voyage = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let gateway = shop_at(&upstream, |plan| {
        let plan = plan.voyage(&voyage).set("gateway.reranks_per_hour", "1");
        plan.set("gateway.tries", "1").set("gateway.guesses", "always")
    })
    .await;
    let results = json!([{ "content": "c", "file": "f", "score": 0.5, "line_start": 1, "line_end": 1 }]);
    let messages = json!([{ "role": "user", "content": "q" }]);
    for model in ["mock", "broken", "cut"] {
        gateway
            .chat(
                json!({ "model": model, "messages": messages, "semantic_results": results, "rerank": true }),
            )
            .await;
    }
    let question = json!([{ "role": "user", "content": "where is `Cord` defined?" }]);
    gateway.chat(json!({ "model": "broken", "messages": question, "project": "shop" })).await;
    gateway.reload();
    until("it has reloaded", async || !gateway.log.events("config_reloaded").is_empty()).await;
    gateway.get("/metrics").await.text()
}

fn has_family(page: &str, name: &str) -> bool {
    page.contains(&format!("# TYPE {name} "))
}

#[tokio::test]
async fn metrics_are_the_documented_ones() {
    let page = full_page().await;
    let documented = include_str!("../../../../docs/gateway.md");
    for name in page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()) {
        assert!(documented.contains(&format!("`{name}`")), "docs/gateway.md lacks {name}");
    }
    let table = documented.split("| metric | |").nth(1).unwrap().trim_start();
    let rows = table.lines().take_while(|line| line.starts_with('|')).skip(1);
    let names: Vec<&str> =
        rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2)).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert!(has_family(&page, name), "{name} is documented, and missing:\n{page}");
    }
    assert!(page.contains("llm_ms_count{model=\"mock\",upstream=\"default\"} 1"), "{page}");
}

/// The metric of Prometheus itself about the gateways, and its label.
const SCRAPED: (&str, &str) = ("up", "job");

#[tokio::test]
async fn alerts_and_dashboard_ask_for_metrics_that_there_are() {
    let page = full_page().await;
    let alerts = include_str!("../../../../deploy/gateway/alerts.yml");
    let rules = alerts.split("expr:").skip(1).map(|rest| rest.split(" for:").next().unwrap());
    let rules: Vec<String> = rules.map(|rule| rule.replacen('>', "", 1)).collect();
    assert_eq!(rules.len(), alerts.matches("- alert:").count());
    let dashboard: Value =
        serde_json::from_str(include_str!("../../../../deploy/gateway/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels
        .flat_map(|panel| panel["targets"].as_array().unwrap())
        .map(|target| target["expr"].as_str().unwrap());
    let mut n_names = 0;
    for expression in targets.chain(rules.iter().map(String::as_str)) {
        let asked = Asked::from_expression(expression);
        assert!(!asked.metrics.is_empty(), "{expression}");
        for name in asked.metrics.into_iter().filter(|name| name != SCRAPED.0) {
            let series = ["_bucket", "_count", "_sum"].iter().find_map(|end| name.strip_suffix(end));
            let is_histogram =
                series.is_some_and(|family| page.contains(&format!("# TYPE {family} histogram")));
            assert!(is_histogram || has_family(&page, &name), "{name} is no metric: {expression}");
            n_names += 1;
        }
        for label in asked.labels.into_iter().filter(|label| label != SCRAPED.1) {
            assert!(page.contains(&format!("{label}=\"")), "{label} is no label: {expression}");
        }
    }
    assert!(n_names > 30, "{n_names}");
}

/// What an expression of Prometheus asks for.
#[derive(Default)]
struct Asked {
    metrics: Vec<String>,
    labels: Vec<String>,
}

impl Asked {
    fn from_expression(expression: &str) -> Self {
        let tokens = tokens(expression);
        let mut asked = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            // Labels stand in braces and after such words, times in brackets.
            let (opening, closing, are_labels) = match tokens[at].as_str() {
                "by" | "without" | "on" | "ignoring" => (1, ")", true),
                "{" => (0, "}", true),
                "[" => (0, "]", false),
                _ => {
                    let next = tokens.get(at + 1).map_or("", String::as_str);
                    let is_called = ["(", "by", "without"].contains(&next);
                    if is_name(&tokens[at])
                        && !is_called
                        && !["and", "or", "unless"].contains(&tokens[at].as_str())
                    {
                        asked.metrics.push(tokens[at].clone());
                    }
                    at += 1;
                    continue;
                }
            };
            let end = at + tokens[at..].iter().position(|token| token == closing).unwrap();
            if are_labels {
                asked.labels.extend(tokens[at + opening..end].iter().filter(|token| is_name(token)).cloned());
            }
            at = end + 1;
        }
        asked
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Names and numbers whole, texts as their quotes, everything else sign by sign.
fn tokens(expression: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let (mut is_word, mut is_text) = (false, false);
    for c in expression.chars() {
        let continues = c.is_ascii_alphanumeric() || c == '_' || c == '.';
        match (is_text, continues) {
            (true, _) if c != '"' => {}
            (false, true) if is_word => tokens.last_mut().unwrap().push(c),
            _ if c.is_whitespace() => {}
            _ => tokens.push(c.to_string()),
        }
        is_word = continues && !is_text;
        is_text ^= c == '"';
    }
    tokens
}

#[test]
fn what_expressions_ask_for_is_understood() {
    let asked = Asked::from_expression(
        "sum by (le, b) (rate(x_ms_bucket{c!=\"d e\"}[$__rate_interval])) * 30 / max(y) and z > 0.05",
    );
    assert_eq!(asked.metrics, ["x_ms_bucket", "y", "z"]);
    assert_eq!(asked.labels, ["le", "b", "c"]);
}

/// The shipped rules, checked and tried by Prometheus' own tool.
#[test]
fn the_alert_rules_hold_before_promtool() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/gateway");
    for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]] {
        match std::process::Command::new("promtool").args(arguments).current_dir(folder).output() {
            Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => {
                assert!(std::env::var_os("CRAIG_TEST_TOOLS_REQUIRED").is_none(), "no promtool: {error}");
                crate::harness::skipped("no promtool is installed");
            }
        }
    }
}

#[tokio::test]
async fn browsers_hear_which_pages_may_ask() {
    let gateway = Plan::new().set("gateway.allow_origin", "https://chat.example").start().await;
    let ask = async |origin: &str, method: http::Method| {
        let request = http::Request::builder().method(method).uri(format!("{}/v1/models", gateway.url));
        gateway.send(request.header("origin", origin).body(Default::default()).unwrap()).await
    };
    let preflight = ask("https://chat.example", http::Method::OPTIONS).await;
    assert_eq!(preflight.status, StatusCode::NO_CONTENT);
    assert_eq!(preflight.header("access-control-allow-origin"), "https://chat.example");
    assert!(preflight.header("access-control-allow-headers").contains("authorization"));
    assert_eq!(
        ask("https://chat.example", http::Method::GET).await.header("access-control-allow-origin"),
        "https://chat.example"
    );
    for method in [http::Method::OPTIONS, http::Method::GET] {
        let refused = ask("https://evil.example", method).await;
        assert_eq!(
            (refused.status, refused.header("access-control-allow-origin")),
            (StatusCode::FORBIDDEN, "")
        );
    }
}

#[tokio::test]
async fn a_preflight_request_counts_as_no_search() {
    let plan = Plan::new().set("gateway.allow_origin", "https://chat.example");
    let gateway = plan.set("gateway.searches_per_hour", "1").start().await;
    let ask = async |method: http::Method| {
        let request = http::Request::builder().method(method).uri(format!("{}/mcp", gateway.url));
        let request = request.header("origin", "https://chat.example").body(Default::default()).unwrap();
        gateway.send(request).await.status
    };
    assert_eq!(ask(http::Method::OPTIONS).await, StatusCode::NO_CONTENT);
    // Without the services for a team, there is no MCP server.
    assert_eq!(ask(http::Method::POST).await, StatusCode::NOT_FOUND);
    assert_eq!(ask(http::Method::POST).await, StatusCode::TOO_MANY_REQUESTS);
}
