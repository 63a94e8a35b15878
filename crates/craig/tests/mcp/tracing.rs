//! Spans of tool calls, as an OpenTelemetry collector gets them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::client::Home;
use crate::http::Served;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
const QUESTION: &str = "where is a planted token verified";

/// A collector of OTLP over HTTP, and what it got.
struct Collector {
    url: String,
    messages: Arc<Mutex<Vec<Value>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let messages: Arc<Mutex<Vec<Value>>> = Arc::default();
        let received = Arc::clone(&messages);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let received = Arc::clone(&received);
                std::thread::spawn(move || {
                    while let Some(message) = receive(stream.as_ref().unwrap()) {
                        received.lock().unwrap().push(message);
                    }
                });
            }
        });
        Self { url, messages }
    }

    /// All spans so far, sorted by name; waits for `n` of them.
    fn spans(&self, n: usize) -> Vec<Value> {
        let started = Instant::now();
        loop {
            let messages = self.messages.lock().unwrap();
            let spans = messages.iter().flat_map(|message| {
                let resource = &message["resourceSpans"][0];
                let service = resource["resource"]["attributes"][0]["value"]["stringValue"].clone();
                assert_eq!(service, "craig-mcp");
                resource["scopeSpans"][0]["spans"].as_array().unwrap().clone()
            });
            let mut spans: Vec<Value> = spans.collect();
            drop(messages);
            if spans.len() >= n {
                spans.sort_by_key(|span| span["name"].to_string());
                return spans;
            }
            assert!(started.elapsed() < Duration::from_secs(10), "{spans:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The next message of a connection, answered; `None` at its end.
fn receive(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            line => lines.push(line.to_ascii_lowercase()),
        }
    }
    assert!(lines[0].starts_with("post /v1/traces "), "{}", lines[0]);
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    let mut answer = stream;
    answer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
    Some(serde_json::from_slice(&body).unwrap())
}

/// Name, kind and attributes of spans, one on a line.
fn check(spans: &[Value], expected: Expect) {
    let line = |span: &Value| {
        let attributes = span["attributes"].as_array().unwrap().iter().map(|attribute| {
            let key = attribute["key"].as_str().unwrap();
            format!(" {key}={}", attribute["value"]["stringValue"].as_str().unwrap())
        });
        let attributes: String = attributes.collect();
        format!(
            "{} {}:{attributes} {}\n",
            span["name"].as_str().unwrap(),
            span["kind"],
            span["status"]["code"]
        )
    };
    expected.assert_eq(&spans.iter().map(line).collect::<String>());
}

fn call(tool: &str, arguments: Value) -> Value {
    let meta = json!({ "traceparent": format!("00-{TRACE}-{CALLER}-01") });
    json!({ "name": tool, "arguments": arguments, "_meta": meta })
}

#[test]
fn each_tool_call_is_a_span_and_each_search_in_it_another() {
    let home = Home::with_ingested_shop();
    let collector = Collector::start();
    let option = format!("--set=mcp.otlp_url={}", collector.url);
    let mut client = home.client_in("", &["--root", "shop", &option]);
    client.ask("initialize", crate::client::handshake("2025-11-25"));
    client.notify("notifications/initialized");
    client.ask("tools/call", call("query_code", json!({ "query": QUESTION })));
    client.ask("tools/call", call("list_projects", json!({})));
    client.ask("tools/call", call("read_file", json!({ "path": "src/missing.py" })));
    let unknown = client.request("tools/call", call("planted-tool", json!({})));
    assert_eq!(unknown["error"]["code"], -32602);
    client.close();
    let spans = collector.spans(5);
    check(
        &spans,
        expect![[r#"
        retrieval shop 3: gen_ai.operation.name=retrieval gen_ai.data_source.id=shop 0
        tools/call list_projects 2: mcp.method.name=tools/call gen_ai.operation.name=execute_tool jsonrpc.request.id=3 network.transport=pipe gen_ai.tool.name=list_projects mcp.protocol.version=2025-11-25 0
        tools/call query_code 2: mcp.method.name=tools/call gen_ai.operation.name=execute_tool jsonrpc.request.id=2 network.transport=pipe gen_ai.tool.name=query_code mcp.protocol.version=2025-11-25 0
        tools/call read_file 2: mcp.method.name=tools/call gen_ai.operation.name=execute_tool jsonrpc.request.id=4 network.transport=pipe gen_ai.tool.name=read_file mcp.protocol.version=2025-11-25 error.type=tool_error 2
        tools/call 2: mcp.method.name=tools/call gen_ai.operation.name=execute_tool jsonrpc.request.id=5 network.transport=pipe mcp.protocol.version=2025-11-25 rpc.response.status_code=-32602 error.type=-32602 2
    "#]],
    );
    for span in &spans {
        assert_eq!(span["traceId"], TRACE);
    }
    let [search, query] = ["retrieval shop", "tools/call query_code"]
        .map(|name| spans.iter().find(|span| span["name"] == name).unwrap());
    assert_eq!((&query["parentSpanId"], &search["parentSpanId"]), (&json!(CALLER), &query["spanId"]));
    let text = format!("{spans:?}");
    assert!(!text.contains("planted"), "{text}");
}

#[test]
fn questions_are_recorded_only_if_a_setting_allows_it() {
    let home = Home::with_ingested_shop();
    let collector = Collector::start();
    let options = [format!("--set=mcp.otlp_url={}", collector.url), "--set=telemetry.texts=true".to_owned()];
    let mut client = home.client_in("", &["--root", "shop", &options[0], &options[1]]);
    client.ask("initialize", crate::client::handshake("2025-11-25"));
    client.notify("notifications/initialized");
    client.call("query_code", json!({ "query": QUESTION }));
    client.close();
    let spans = collector.spans(2);
    let recorded = json!({ "key": "gen_ai.retrieval.query.text", "value": { "stringValue": QUESTION } });
    assert!(spans[0]["attributes"].as_array().unwrap().contains(&recorded), "{}", spans[0]);
}

#[test]
fn calls_over_http_name_their_session() {
    let home = Home::with_ingested_shop();
    let collector = Collector::start();
    let served = Served::start_with(&home, None, &[&format!("--set=mcp.otlp_url={}", collector.url)]);
    let session = served.session();
    let message = json!({ "jsonrpc": "2.0", "id": "a7", "method": "tools/call", "params": call("list_projects", json!({})) });
    let (status, rest) = served.post_in(&session, &message);
    assert!(status.contains("200"), "{status}\n{rest}");
    let mut spans = collector.spans(1);
    let attributes = spans[0]["attributes"].as_array_mut().unwrap();
    let of_session = attributes.iter_mut().find(|attribute| attribute["key"] == "mcp.session.id").unwrap();
    assert_eq!(of_session["value"]["stringValue"], session);
    of_session["value"]["stringValue"] = "…".into();
    check(
        &spans,
        expect![[r#"
        tools/call list_projects 2: mcp.method.name=tools/call gen_ai.operation.name=execute_tool jsonrpc.request.id=a7 network.transport=tcp gen_ai.tool.name=list_projects mcp.session.id=… mcp.protocol.version=2025-11-25 network.protocol.name=http 0
    "#]],
    );
}
