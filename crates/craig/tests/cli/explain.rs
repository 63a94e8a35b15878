//! `craig explain`, `craig docs` and `craig lsp`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::harness::Home;

const CODE: &str = "'use strict'

class Client extends Dispatcher {
  /** Sends it. */
  request (options) {
    return this.dispatch(options)
  }

  flushInner () {}
}

module.exports = { Client }
";

const PAGE: &str = "# Client

## Class: `Client`

A client of one server.

### `client.request(options)`

Performs an HTTP request on the connection. Fails when the client is closed.

* `options` - what to send.

### `client.close()`

Closes the client gracefully.
";

fn project() -> Home {
    let home = Home::new();
    home.write("docs/api/Client.md", PAGE);
    home.write("lib/client.js", CODE);
    home
}

fn root(home: &Home) -> String {
    home.path().to_str().unwrap().to_owned()
}

fn explained(home: &Home, place: &str) -> Value {
    let root = root(home);
    serde_json::from_str(&home.succeed(&["explain", place, "--root", &root, "--format", "json"])).unwrap()
}

#[test]
fn what_is_documented_is_quoted_and_the_rest_refused() {
    let home = project();
    let answer = explained(&home, "lib/client.js:5-7");
    assert_eq!(answer["symbol"], "request");
    assert_eq!(answer["citations"][0]["file_path"], "docs/api/Client.md");
    assert_eq!(answer["citations"][0]["heading_line"], 7);
    let bullets = answer["bullets"].as_array().unwrap();
    assert!(bullets.iter().all(|bullet| PAGE.contains(bullet["text"].as_str().unwrap())), "{answer}");
    assert!(home.path().join(".aidocs/docs.db").exists());

    let refused = explained(&home, "lib/client.js:9");
    assert_eq!(refused["explanation"], "Not documented.");
    assert_eq!((&refused["has_relevant_docs"], &refused["citations"]), (&json!(false), &json!([])));
    assert_eq!(home.succeed(&["explain", "lib/client.js:9", "--root", &root(&home)]), "Not documented.\n");
}

#[test]
fn a_batch_is_answered_line_by_line_and_twice_the_same() {
    let home = project();
    let lines = "{\"file\": \"lib/client.js\", \"line_start\": 5, \"line_end\": 7}\nnonsense\n{\"file\": \"gone.js\"}\n";
    let root = root(&home);
    let args = ["explain", "--batch", "-", "--root", &root];
    let first = home.run_with_input(&args, lines.as_bytes());
    assert_eq!(first.status.code(), Some(2));
    let answers: Vec<Value> = String::from_utf8(first.stdout.clone())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0]["symbol"], "request");
    assert!(answers[1]["hint"].as_str().unwrap().contains("line_start"), "{}", answers[1]);
    assert!(answers[2]["error"].as_str().unwrap().contains("gone.js"), "{}", answers[2]);
    assert_eq!(home.run_with_input(&args, lines.as_bytes()).stdout, first.stdout);
}

#[test]
fn documentation_is_indexed_and_trouble_named() {
    let home = project();
    home.write("docs/binary.md", [0u8, 1, 2, 255].repeat(500));
    let output = home.run(&["docs", "index", &root(&home), "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["files"], &report["sections"]), (&json!(1), &json!(4)));
    assert!(String::from_utf8_lossy(&output.stderr).contains("docs/binary.md: it is not text"));
}

/// An editor.
struct Editor {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    n_sent: i64,
}

impl Editor {
    fn open(home: &Home, encodings: &[&str]) -> Self {
        let mut process = home
            .craig(&["lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut editor = Self { process, input, output, n_sent: 0 };
        let folder = json!({ "uri": format!("file://{}", home.path().display()), "name": "project" });
        let params = json!({
            "processId": null, "rootUri": null, "workspaceFolders": [folder],
            "capabilities": { "general": { "positionEncodings": encodings } },
        });
        let answer = editor.ask("initialize", params);
        assert_eq!(answer["capabilities"]["positionEncoding"], encodings[0]);
        editor.tell("initialized", json!({}));
        while editor.receive()["params"]["state"] != "ready" {}
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.n_sent += 1;
        let id = self.n_sent;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].clone();
            }
        }
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn close(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
fn an_editor_hovers_changes_its_text_and_asks_for_an_explanation() {
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let home = project();
        let mut editor = Editor::open(&home, &[encoding]);
        let uri = format!("file://{}/lib/client.js", home.path().display());
        let opened = json!({ "uri": uri, "languageId": "javascript", "version": 1, "text": CODE });
        editor.tell("textDocument/didOpen", json!({ "textDocument": opened }));
        let hover = |line: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": 4 } });
        let shown = editor.ask("textDocument/hover", hover(4));
        let value = shown["contents"]["value"].as_str().unwrap();
        assert!(value.contains("Performs an HTTP request") && value.lines().count() <= 3, "{value}");
        assert!(editor.ask("textDocument/hover", hover(8)).is_null());

        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
        let change = json!([{ "range": range, "text": "// é😀\n" }]);
        editor.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": change }),
        );
        assert!(!editor.ask("textDocument/hover", hover(5)).is_null(), "everything is a line further down");

        let selected =
            json!({ "start": { "line": 5, "character": 0 }, "end": { "line": 8, "character": 0 } });
        let params =
            json!({ "textDocument": { "uri": uri }, "range": selected, "context": { "diagnostics": [] } });
        let actions = editor.ask("textDocument/codeAction", params);
        let command = &actions[0]["command"];
        let params = json!({ "command": command["command"], "arguments": command["arguments"] });
        let answer = editor.ask("workspace/executeCommand", params);
        assert_eq!(answer["symbol"], "request");
        assert!(answer["markdown"].as_str().unwrap().contains("docs/api/Client.md"));

        let symbols = editor.ask("workspace/symbol", json!({ "query": "close" }));
        assert_eq!(symbols[0]["name"], "client.close()");
        editor.close();
    }
}
