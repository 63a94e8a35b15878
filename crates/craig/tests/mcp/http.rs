//! Streamable HTTP: who is let in.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::json;

use crate::client::{Home, handshake};

/// A server, ended with the test.
struct Served {
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
        let mut command = home.craig(&["mcp", "--root", "shop", "--http", "127.0.0.1:0"]);
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
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake("2025-11-25") });
        let body = body.to_string();
        let host =
            if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        let request = format!(
            "POST /mcp HTTP/1.1\r\n{host}{headers}Accept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
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
