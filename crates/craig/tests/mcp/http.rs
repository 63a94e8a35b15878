//! Streamable HTTP: who is let in.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::client::{Home, handshake};

/// A server, ended with the test.
pub(crate) struct Served {
    child: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(home: &Home, token: Option<&str>) -> Self {
        Self::start_with(home, token, &[])
    }

    pub(crate) fn start_with(home: &Home, token: Option<&str>, args: &[&str]) -> Self {
        let mut command = home.craig(&["mcp", "--root", "shop", "--http", "127.0.0.1:0"]);
        command.args(args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.envs(token.map(|token| ("CRAIG_MCP_TOKEN", token)));
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("serving http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        Self { child, address }
    }

    /// Posts a handshake with more headers; gives the status line and the rest.
    fn post(&self, headers: &str) -> (String, String) {
        let handshake = handshake("2025-11-25");
        self.post_message(
            headers,
            &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake }),
        )
    }

    /// Posts a message in a session.
    pub(crate) fn post_in(&self, session: &str, message: &Value) -> (String, String) {
        self.post_message(
            &format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n"),
            message,
        )
    }

    /// A session after the handshake.
    pub(crate) fn session(&self) -> String {
        let (status, rest) = self.post("");
        assert!(status.contains("200"), "{status}\n{rest}");
        let id = header(&rest, "mcp-session-id").expect("a handshake makes a session");
        let initialized =
            self.post_in(&id, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert!(initialized.0.contains("202"), "{initialized:?}");
        id
    }

    fn post_message(&self, headers: &str, body: &Value) -> (String, String) {
        let body = body.to_string();
        self.send(
            "POST",
            &format!(
                "{headers}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n",
                body.len()
            ),
            &body,
        )
    }

    /// Sends a request; gives the status line and the rest.
    fn send(&self, method: &str, headers: &str, body: &str) -> (String, String) {
        let host =
            if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        let request = format!("{method} /mcp HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n{body}");
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(2))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A stream of events may stay open: what came so far is enough.
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (status, rest) = answer.split_once("\r\n").unwrap_or((&answer, ""));
        (status.to_owned(), rest.to_owned())
    }
}

#[test]
fn this_machine_is_let_in_and_foreign_pages_are_not() {
    let home = Home::with_shop();
    let served = Served::start(&home, None);
    let (status, rest) = served.post("");
    assert!(status.contains("200") && rest.contains("\"craig\""), "{status}\n{rest}");
    assert!(served.post("Origin: http://localhost:6274\r\n").0.contains("200"));
    assert!(served.post("Origin: https://evil.example\r\n").0.contains("403"));
    assert!(
        served.post("Host: evil.example\r\n").0.contains("403"),
        "{:?}",
        served.post("Host: evil.example\r\n")
    );
}

/// A header of an answer.
fn header(answer: &str, name: &str) -> Option<String> {
    let lines = answer.lines().take_while(|line| !line.is_empty());
    let mut headers = lines.filter_map(|line| line.split_once(": "));
    headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
}

#[test]
fn preflight_requests_get_the_allowed_origins() {
    let home = Home::with_shop();
    let served = Served::start_with(&home, Some("secret"), &["--allow-origin", "https://app.example"]);
    let preflight = |origin: &str| {
        let asked =
            "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: mcp-session-id\r\n";
        served.send("OPTIONS", &format!("Origin: {origin}\r\n{asked}"), "")
    };
    for origin in ["https://app.example", "http://localhost:6274"] {
        let (status, rest) = preflight(origin);
        assert!(status.contains("204"), "{status}\n{rest}");
        assert_eq!(header(&rest, "access-control-allow-origin").as_deref(), Some(origin));
        let headers = header(&rest, "access-control-allow-headers").unwrap();
        for name in ["mcp-session-id", "mcp-protocol-version", "authorization", "content-type"] {
            assert!(headers.contains(name), "{headers}");
        }
    }
    for origin in ["https://evil.example", "https://app.example:8443", "http://app.example", "null"] {
        let (status, rest) = preflight(origin);
        assert!(
            status.contains("403") && header(&rest, "access-control-allow-origin").is_none(),
            "{origin}: {status}"
        );
    }
    let (status, _) = served.send("OPTIONS", "Host: evil.example\r\nOrigin: https://app.example\r\n", "");
    assert!(status.contains("403"), "{status}");
    let (status, rest) = served.post("Origin: https://app.example\r\nAuthorization: Bearer secret\r\n");
    assert!(status.contains("200"), "{status}");
    assert_eq!(header(&rest, "access-control-allow-origin").as_deref(), Some("https://app.example"));
    assert!(header(&rest, "access-control-expose-headers").unwrap().contains("mcp-session-id"));
    assert!(served.post("Origin: https://app.example\r\n").0.contains("401"), "a preflight opens nothing");

    let output = home.craig(&["mcp", "--http", "127.0.0.1:0", "--allow-origin", "*"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

/// The body of an answer that is JSON.
fn json_body(answer: &str) -> Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn clients_get_the_media_type_that_they_accept() {
    let home = Home::with_shop();
    let served = Served::start(&home, None);
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake("2025-11-25") });
    let body = message.to_string();
    let post = |accept: &str| {
        let length = body.len();
        let headers = format!("{accept}Content-Type: application/json\r\nContent-Length: {length}\r\n");
        served.send("POST", &headers, &body)
    };
    for (accept, expected) in [
        ("", "application/json"),
        ("Accept: */*\r\n", "application/json"),
        ("Accept: application/json\r\n", "application/json"),
        ("Accept: text/event-stream\r\n", "text/event-stream"),
        ("Accept: application/json, text/event-stream\r\n", "text/event-stream"),
    ] {
        let (status, rest) = post(accept);
        assert!(status.contains("200"), "{accept}: {status}\n{rest}");
        assert_eq!(header(&rest, "content-type").as_deref(), Some(expected), "{accept}");
        assert!(header(&rest, "mcp-session-id").is_some() && rest.contains("\"craig\""), "{accept}: {rest}");
    }
    let (_, rest) = post("Accept: */*\r\n");
    let answer = json_body(&rest);
    assert_eq!((&answer["id"], &answer["result"]["serverInfo"]["name"]), (&json!(1), &json!("craig")));
    assert!(post("Accept: text/html\r\n").0.contains("406"));
}

#[test]
fn messages_that_cannot_be_read_get_errors_of_the_protocol() {
    let home = Home::with_shop();
    let served = Served::start(&home, None);
    let deep = "[".repeat(5_000) + &"]".repeat(5_000);
    let long = "x".repeat(5_000_000);
    for (body, status, expected) in [
        ("not json".to_owned(), "400", json!([null, -32700])),
        (format!(r#"{{"jsonrpc":"2.0","id":4,"method":"ping","params":{deep}}}"#), "400", json!([4, -32600])),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":7}"#.to_owned(),
            "400",
            json!(["a", -32602]),
        ),
        (
            format!(r#"{{"method":"ping","params":{{"a":"{long}"}},"jsonrpc":"2.0","id":6}}"#),
            "413",
            json!([6, -32600]),
        ),
    ] {
        let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let (line, rest) = served.send("POST", &headers, &body);
        assert!(line.contains(status), "{line}\n{rest}");
        let answer = json_body(&rest);
        assert_eq!(json!([answer["id"], answer["error"]["code"]]), expected, "{answer}");
    }
}

#[test]
fn sessions_are_bounded_and_the_idlest_ends() {
    let home = Home::with_shop();
    let served = Served::start_with(&home, None, &["--max-sessions", "3"]);
    let ping = json!({ "jsonrpc": "2.0", "id": 5, "method": "ping" });
    let first = served.session();
    let second = served.session();
    served.session();
    assert!(served.post_in(&first, &ping).0.contains("200"));
    served.session();
    assert!(served.post_in(&second, &ping).0.contains("404"), "it was idle for longest");
    assert!(served.post_in(&first, &ping).0.contains("200"));
    (0..20).for_each(|_| drop(served.session()));
    assert!(served.post_in(&first, &ping).0.contains("404"));
    assert!(served.post_in("made-up", &ping).0.contains("404"));
}

#[test]
fn idle_sessions_end() {
    let home = Home::with_shop();
    let served = Served::start_with(&home, None, &["--session-idle", "1"]);
    let session = served.session();
    let ping = json!({ "jsonrpc": "2.0", "id": 5, "method": "ping" });
    // Each question keeps it alive, so they come ever later.
    let is_gone = |wait_ms: &u64| {
        std::thread::sleep(std::time::Duration::from_millis(*wait_ms));
        served.post_in(&session, &ping).0.contains("404")
    };
    assert!([1_500, 3_000, 6_000, 12_000].iter().any(is_gone));
}

#[test]
fn roots_grant_no_access_without_authentication() {
    let home = Home::with_shop();
    home.write("other/a.py", "x = 1\n");
    for (token, is_allowed) in [(None, false), (Some("secret"), true)] {
        let served = Served::start_with(&home, token, &[]);
        let authorization =
            token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "roots": {} },
        });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "_meta": meta, "name": "trigger_ingest", "arguments": { "source": home.path().join("other") },
            "inputResponses": { "roots": { "roots": [{ "uri": home.uri("other") }] } },
        }});
        let headers = format!(
            "{authorization}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: trigger_ingest\r\n"
        );
        let (status, rest) = served.post_message(&headers, &call);
        assert!(status.contains("200"), "{status}\n{rest}");
        assert_eq!(rest.contains("job_id"), is_allowed, "{rest}");
        assert_eq!(rest.contains("outside the workspace"), !is_allowed, "{rest}");
    }
}

#[test]
fn a_token_is_asked_for_where_there_is_one() {
    let home = Home::with_shop();
    let served = Served::start(&home, Some("a long secret"));
    assert!(served.post("").0.contains("401"));
    assert!(served.post("Authorization: Bearer wrong\r\n").0.contains("401"));
    assert!(served.post("Authorization: Bearer a long secret\r\n").0.contains("200"));
}

#[test]
fn other_machines_are_not_served_without_a_token() {
    let home = Home::with_shop();
    let output = home.craig(&["mcp", "--http", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("CRAIG_MCP_TOKEN"));
}
