//! `craig explain`, `craig docs` and `craig lsp`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::harness::Home;

pub(crate) const CODE: &str = "'use strict'

class Client extends Dispatcher {
  /** Sends it. */
  request (options) {
    return this.dispatch(options)
  }

  flushInner () {}
}

module.exports = { Client }
";

pub(crate) const PAGE: &str = "# Client

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
fn what_another_type_has_is_not_quoted_once_the_code_is_indexed() {
    let home = Home::new();
    let page = "# Test module\n\n## `setKind()`\n\nA runner calls `setKind()` before anything else is read, and never again.\n";
    home.write("shop/docs/test-module.md", page);
    for name in ["Autospied", "TestModule"] {
        home.write(&format!("shop/src/{name}.ts"), format!("export class {name} {{\n  setKind() {{}}\n}}\n"));
    }
    // A home directory is not indexed unasked.
    let root = format!("{}/shop", root(&home));
    let asked = |more: &[&str]| {
        let place = "src/Autospied.ts:2";
        home.succeed(&[&["explain", place, "--root", &root][..], more].concat())
    };
    home.succeed(&["docs", "index", &root]);
    assert!(asked(&["--no-refresh"]).contains("before anything else is read"));
    assert_eq!(asked(&[]), "Not documented.\n");
    assert!(home.succeed(&["explain", "src/TestModule.ts:2", "--root", &root]).contains("before anything"));
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

    let beyond = home.run(&["explain", "lib/client.js:900-950", "--root", &root(&home)]);
    assert_eq!(beyond.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&beyond.stderr).contains("there is no line 900: lib/client.js has "));

    let missing = home.run(&["explain", "lib/clinet.js:9", "--root", &root(&home)]);
    assert_eq!(missing.status.code(), Some(1));
    let error = String::from_utf8_lossy(&missing.stderr);
    assert!(error.contains("there is no file lib/clinet.js; give one of the project"), "{error}");
}

/// Folders of the home that have an index of documentation.
fn indexed_folders(home: &Home) -> Vec<&'static str> {
    let folders = ["", "shop", "shop/lib"].into_iter();
    folders.filter(|folder| home.path().join(folder).join(".aidocs").exists()).collect()
}

/// The explanation of a place in a folder of the home.
fn explained_in(home: &Home, folder: &str, args: &[&str]) -> String {
    let args = [&["explain"], args].concat();
    let output = home.craig(&args).current_dir(home.path().join(folder)).output().unwrap();
    assert!(output.status.success(), "{args:?} in {folder:?}: {}", home.transcript(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_documentation_is_that_of_the_project_that_holds_the_file() {
    let home = Home::new();
    home.write("shop/docs/api/Client.md", PAGE);
    home.write("shop/lib/client.js", CODE);
    home.write(
        "lines.jsonl",
        "{\"file\": \"client.js\", \"line_start\": 5}\n{\"file\": \"lib/client.js\", \"line_start\": 5}\n",
    );
    let check = || {
        for (folder, place) in [
            ("shop", "lib/client.js:5"),
            ("shop/lib", "client.js:5"),
            ("shop/lib", "lib/client.js:5"),
            ("", "shop/lib/client.js:5"),
        ] {
            let explained = explained_in(&home, folder, &[place]);
            assert!(explained.contains("Performs an HTTP request"), "{place} in {folder:?}: {explained}");
        }
        let answers = explained_in(&home, "shop/lib", &["--batch", "../../lines.jsonl"]);
        assert_eq!(answers.matches("Performs an HTTP request").count(), 2 * 2, "{answers}");
        let indexed = home.craig(&["docs", "index"]).current_dir(home.path().join("shop/lib")).output();
        assert!(indexed.unwrap().status.success());
        assert_eq!(indexed_folders(&home), ["shop"]);
    };
    // A working tree that is not ingested.
    std::fs::create_dir(home.path().join("shop/.git")).unwrap();
    check();
    let projects = home.succeed(&["list"]);
    assert_eq!(projects.matches("shop").count(), 2, "one project: {projects}");
    // An ingested directory that is no working tree.
    std::fs::remove_dir(home.path().join("shop/.git")).unwrap();
    std::fs::remove_dir_all(home.path().join("shop/.aidocs")).unwrap();
    check();
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
pub(crate) struct Editor {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    n_sent: i64,
}

impl Editor {
    fn open(home: &Home, encodings: &[&str]) -> Self {
        let folder = json!({ "uri": format!("file://{}", home.path().display()), "name": "project" });
        let params = json!({
            "processId": null, "rootUri": null, "workspaceFolders": [folder],
            "capabilities": {
                "general": { "positionEncodings": encodings },
                "textDocument": { "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } } },
            },
        });
        let (mut editor, answer) = Self::start(home, params);
        assert_eq!(answer["capabilities"]["positionEncoding"], encodings[0]);
        editor.await_state("ready");
        editor
    }

    /// Shakes hands; gives the server's answer, too.
    pub(crate) fn start(home: &Home, params: Value) -> (Self, Value) {
        let mut process = home
            .craig(&["lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut editor = Self { process, input, output, n_sent: 0 };
        let answer = editor.ask("initialize", params);
        editor.notify("initialized", json!({}));
        (editor, answer)
    }

    /// Waits until a folder is reported to be in a state; returns the report.
    pub(crate) fn await_state(&mut self, state: &str) -> Value {
        loop {
            let message = self.receive();
            if message["params"]["state"] == state {
                return message["params"].clone();
            }
        }
    }

    /// Waits for what the server says or asks by itself.
    fn await_method(&mut self, method: &str) -> Value {
        self.await_message(method)["params"].clone()
    }

    fn await_message(&mut self, method: &str) -> Value {
        loop {
            let message = self.receive();
            if message["method"] == method {
                return message;
            }
        }
    }

    /// Answers the next request for settings; gives what was asked.
    fn say_settings(&mut self, settings: Value) -> Value {
        let asked = self.await_message("workspace/configuration");
        self.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": settings }));
        asked["params"]["items"].clone()
    }

    pub(crate) fn open_text(&mut self, uri: &str, text: &str) {
        let opened = json!({ "uri": uri, "languageId": "any", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": opened }));
    }

    fn hover(&mut self, uri: &str, line: u32) -> Value {
        let position = json!({ "line": line, "character": 4 });
        self.ask("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": position }))
    }

    fn execute(&mut self, command: &str, argument: Value) -> Value {
        self.ask("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let message = self.answer(method, params);
        assert!(message["error"].is_null(), "{message}");
        message["result"].clone()
    }

    /// The whole answer to a request.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.n_sent += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.n_sent, "method": method, "params": params }));
        self.n_sent
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

    pub(crate) fn close(mut self) {
        self.ask("shutdown", Value::Null);
        self.notify("exit", Value::Null);
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
        editor.notify("textDocument/didOpen", json!({ "textDocument": opened }));
        let hover = |line: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": 4 } });
        let shown = editor.ask("textDocument/hover", hover(4));
        let value = shown["contents"]["value"].as_str().unwrap();
        assert!(value.contains("Performs an HTTP request") && value.lines().count() <= 3, "{value}");
        assert!(editor.ask("textDocument/hover", hover(8)).is_null());

        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
        let change = json!([{ "range": range, "text": "// é😀\n" }]);
        editor.notify(
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

pub(crate) fn uri(home: &Home, path: &str) -> String {
    format!("file://{}/{path}", home.path().display())
}

/// What an editor says of itself, with a folder of the home.
pub(crate) fn hello(home: &Home, folder: &str, capabilities: Value, options: Value) -> Value {
    let folder = json!({ "uri": uri(home, folder), "name": "project" });
    json!({
        "processId": null, "rootUri": null, "workspaceFolders": [folder], "capabilities": capabilities,
        "initializationOptions": options,
    })
}

#[test]
fn commands_search_and_give_context_from_code_that_is_ingested_then() {
    let home = Home::new();
    home.write("work/lib/client.js", CODE);
    home.write("work/docs/client.md", PAGE);
    let (mut editor, _) = Editor::start(&home, hello(&home, "work", json!({}), Value::Null));
    editor.await_state("ready");
    let client = uri(&home, "work/lib/client.js");
    let is_code = |symbol: &Value| symbol["location"]["uri"] == client.as_str();
    let before = editor.ask("workspace/symbol", json!({ "query": "flushInner" }));
    assert!(!before.as_array().unwrap().iter().any(is_code), "nothing is ingested for the sake of a list");

    let found = editor.execute("craig.search", json!({ "query": "flushInner", "limit": 2 }));
    let hit = &found["hits"][0];
    assert_eq!((&hit["uri"], &hit["path"]), (&json!(client), &json!("lib/client.js")));
    let lines = (hit["range"]["start"]["line"].as_u64().unwrap(), hit["line_start"].as_u64().unwrap());
    assert_eq!(lines.0 + 1, lines.1);
    let symbols = editor.ask("workspace/symbol", json!({ "query": "FLUSH" }));
    assert!(is_code(&symbols[0]), "{symbols}");
    assert_eq!(
        (&symbols[0]["name"], &symbols[0]["location"]["range"]["start"]["line"]),
        (&json!("flushInner"), &json!(8))
    );

    let given =
        editor.execute("craig.context", json!({ "message": "what does `flushInner` do?", "minScore": 0 }));
    assert!(given["markdown"].as_str().unwrap().contains("flushInner"), "{given}");
    assert_eq!(given["blocks"][0]["uri"], json!(client));
    editor.open_text(&client, &CODE.replace("flushInner () {}", "flushInner () { return this.request() }"));
    let range = json!({ "start": { "line": 8, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let edit =
        json!({ "message": "close it like `request` does", "uri": client, "range": range, "minScore": 0 });
    let given = editor.execute("craig.context", edit);
    assert!(given["reason"].is_string() || given["blocks"][0]["uri"].is_string(), "{given}");

    for argument in [json!({}), json!({ "query": " " }), json!({ "query": "x", "wrong": 1 })] {
        let params = json!({ "command": "craig.search", "arguments": [argument] });
        let answer = editor.answer("workspace/executeCommand", params);
        assert!(answer["error"]["message"].is_string(), "{answer}");
    }
    editor.close();
}

#[test]
fn documentation_is_shown_unasked_only_where_it_is_wanted() {
    let home = Home::new();
    home.write("work/tool.py", "def run_tool(arguments):\n    return arguments\n");
    home.write("work/docs/tool.md", "# Tool\n\n## `run_tool(arguments)`\n\nRuns the tool with all its arguments. Call `run_tool` once.\n\n```python\nrun_tool([1])\n```\n");
    let tool = uri(&home, "work/tool.py");
    let selection = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1, "character": 0 } });
    let action =
        json!({ "textDocument": { "uri": tool }, "range": selection, "context": { "diagnostics": [] } });

    let (mut editor, _) = Editor::start(&home, hello(&home, "work", json!({}), Value::Null));
    editor.await_state("inactive");
    editor.open_text(&tool, "def run_tool(arguments):\n    return arguments\n");
    assert!(editor.hover(&tool, 0).is_null() && !home.path().join("work/.aidocs").exists());
    assert_eq!(editor.ask("textDocument/codeAction", action.clone()), json!([]));
    let explained = editor.execute("craig.explain", json!({ "uri": tool, "range": selection }));
    assert_eq!(explained["symbol"], "run_tool", "whoever asks is answered");
    assert!(editor.hover(&tool, 0).is_null());
    editor.close();

    let options = json!({ "craig": { "explain.activation": "always" } });
    let (mut editor, _) = Editor::start(&home, hello(&home, "work", json!({}), options));
    editor.await_state("ready");
    editor.open_text(&tool, "def run_tool(arguments):\n    return arguments\n");
    assert!(editor.hover(&tool, 0)["contents"]["value"].as_str().unwrap().contains("Runs the tool"));
    let actions = editor.ask("textDocument/codeAction", action);
    assert_eq!(actions[0]["command"], "craig.explain", "a command for an editor that takes no actions");
    let others = json!({ "settings": { "python": { "path": "x" } } });
    editor.notify("workspace/didChangeConfiguration", others);
    let settings =
        json!({ "settings": { "craig": { "language_model": { "base_url": "http://127.0.0.1:1" } } } });
    editor.notify("workspace/didChangeConfiguration", settings);
    let warning = editor.await_method("window/showMessage");
    assert!(warning["message"].as_str().unwrap().contains("config.toml"), "{warning}");
    assert!(!editor.hover(&tool, 0).is_null(), "what held before holds");
    editor.close();
}

#[test]
fn an_editor_that_says_its_settings_is_asked_for_those_of_each_folder() {
    let home = Home::new();
    for folder in ["one", "two"] {
        home.write(&format!("{folder}/lib/client.js"), CODE);
        home.write(&format!("{folder}/docs/client.md"), PAGE);
    }
    let capabilities = json!({ "workspace": {
        "configuration": true, "didChangeConfiguration": { "dynamicRegistration": true },
    } });
    let mut params = hello(&home, "one", capabilities, Value::Null);
    let other = json!({ "uri": uri(&home, "two"), "name": "two" });
    params["workspaceFolders"].as_array_mut().unwrap().push(other);
    let (mut editor, _) = Editor::start(&home, params);
    let registered = editor.await_method("client/registerCapability");
    assert_eq!(registered["registrations"][0]["method"], "workspace/didChangeConfiguration");
    let without = json!({ "documentation": { "exclude": ["docs/client.md"] } });
    let items = editor.say_settings(json!([null, without]));
    let item = |folder: &str| json!({ "scopeUri": uri(&home, folder), "section": "craig" });
    assert_eq!(items, json!([item("one"), item("two")]));
    let (one, two) = (uri(&home, "one/lib/client.js"), uri(&home, "two/lib/client.js"));
    let mut unread = vec![(home.path().join("one"), 1), (home.path().join("two"), 0)];
    while !unread.is_empty() {
        let ready = editor.await_state("ready");
        unread.retain(|(folder, files)| ready["folder"] != json!(folder) || ready["files"] != *files);
    }
    editor.open_text(&one, CODE);
    editor.open_text(&two, CODE);
    assert!(!editor.hover(&one, 4).is_null() && editor.hover(&two, 4).is_null());

    // Whatever changes, everything is requested again; an invalid value is reported, and the previous one stays.
    editor.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    editor.say_settings(json!([null, { "language_model": { "provider": "openai" } }]));
    let warning = editor.await_method("window/showMessage");
    assert!(warning["message"].as_str().unwrap().contains("config.toml"), "{warning}");
    assert!(editor.hover(&two, 4).is_null());
    editor.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    editor.say_settings(json!([null, {}]));
    assert_eq!(editor.await_state("ready")["files"], 1);
    assert!(!editor.hover(&two, 4).is_null());

    // An answer to a question before the last one is an old one.
    editor.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    editor.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    editor.say_settings(json!([null, without]));
    editor.say_settings(json!([null, {}]));
    assert!(!editor.hover(&two, 4).is_null());
    editor.close();
}

#[test]
fn files_that_change_are_seen_and_explanations_shown() {
    let home = project();
    let capabilities = json!({
        "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } },
        "window": { "showDocument": { "support": true }, "workDoneProgress": true },
    });
    let (mut editor, _) = Editor::start(&home, hello(&home, "", capabilities, Value::Null));
    let registered = editor.await_method("client/registerCapability");
    assert_eq!(registered["registrations"][0]["method"], "workspace/didChangeWatchedFiles");
    editor.await_state("ready");
    let client = uri(&home, "lib/client.js");
    editor.open_text(&client, CODE);
    assert!(editor.hover(&client, 8).is_null());
    home.write(
        "docs/inner.md",
        "# Inner\n\n## `client.flushInner()`\n\nWrites what is queued to the socket.\n",
    );
    let changed = |path: &str| json!({ "changes": [{ "uri": uri(&home, path), "type": 1 }] });
    editor.notify("workspace/didChangeWatchedFiles", changed("docs/inner.md"));
    editor.await_state("ready");
    assert!(editor.hover(&client, 8)["contents"]["value"].as_str().unwrap().contains("what is queued"));

    // A link in the place of the page is replaced, and what it leads to is left alone.
    home.write("precious", "mine\n");
    std::os::unix::fs::symlink(home.path().join("precious"), home.path().join(".aidocs/explanation.md"))
        .unwrap();
    let range = json!({ "start": { "line": 4, "character": 0 }, "end": { "line": 7, "character": 0 } });
    let id = editor.send_request(
        "workspace/executeCommand",
        json!({ "command": "craig.explain", "arguments": [{ "uri": client, "range": range }] }),
    );
    let shown = editor.await_method("window/showDocument");
    let page = home.path().join(".aidocs/explanation.md");
    assert_eq!(shown["uri"], uri(&home, ".aidocs/explanation.md"));
    assert!(std::fs::read_to_string(page).unwrap().contains("Performs an HTTP request"));
    assert_eq!(std::fs::read_to_string(home.path().join("precious")).unwrap(), "mine\n");
    while editor.receive()["id"] != id {}

    home.write(".craig.toml", "[documentation]\nexclude = [\"docs/inner.md\"]\n");
    editor.notify("workspace/didChangeWatchedFiles", changed(".craig.toml"));
    assert_eq!(editor.await_state("ready")["files"], 1);
    assert!(editor.hover(&client, 8).is_null());
    home.write(".craig.toml", "[documentation]\nexclud = []\n");
    editor.notify("workspace/didChangeWatchedFiles", changed(".craig.toml"));
    assert!(editor.await_state("failed")["error"].as_str().unwrap().contains("exclud"));
    let warning = editor.await_method("window/showMessage");
    assert!(warning["message"].as_str().unwrap().contains("exclud"), "{warning}");
    editor.close();
}

#[test]
fn hovers_are_of_definitions_and_of_references_that_are_bound() {
    let home = Home::new();
    let main = "const { Client } = require('./client')

// a request of the Client
function run (one) {
  const request = 'request'
  const client = new Client(one)
  for (const each of [request]) client.request(each)
  return Array.isArray(client)
}
";
    home.write("work/lib/client.js", CODE);
    home.write("work/lib/main.js", main);
    home.write("work/docs/client.md", PAGE);
    home.run(&["ingest", "work"]);
    let (mut editor, _) = Editor::start(&home, hello(&home, "work", json!({}), Value::Null));
    editor.await_state("ready");
    let uri = uri(&home, "work/lib/main.js");
    editor.open_text(&uri, main);
    let mut shown = Vec::new();
    for (number, line) in main.lines().enumerate() {
        let starts = line.char_indices().filter(|(at, c)| {
            c.is_alphabetic() && !line[..*at].ends_with(|before: char| before.is_alphanumeric())
        });
        for (at, _) in starts {
            let position = json!({ "line": number, "character": at });
            let params = json!({ "textDocument": { "uri": uri }, "position": position });
            let hover = editor.ask("textDocument/hover", params);
            if !hover.is_null() {
                let end = hover["range"]["end"]["character"].as_u64().unwrap() as usize;
                assert_eq!(hover["range"]["start"], position);
                shown.push(format!("{}:{}", number + 1, &line[at..end]));
            }
        }
    }
    assert_eq!(shown, ["1:Client", "6:Client", "7:request"]);
    editor.close();
}

#[test]
fn the_end_of_a_session_is_as_the_protocol_says() {
    let home = project();
    let mut editor = Editor::open(&home, &["utf-8"]);
    editor.ask("shutdown", Value::Null);
    assert_eq!(editor.answer("workspace/symbol", json!({ "query": "close" }))["error"]["code"], -32600);
    editor.notify("exit", Value::Null);
    assert!(editor.process.wait().unwrap().success());

    let mut editor = Editor::open(&home, &["utf-8"]);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.process.wait().unwrap().code(), Some(1));
}

#[test]
fn a_folder_that_is_deleted_is_reported_once() {
    let home = Home::new();
    home.write("work/lib/client.js", CODE);
    home.write("work/docs/client.md", PAGE);
    let (mut editor, _) = Editor::start(&home, hello(&home, "work", json!({}), Value::Null));
    editor.await_state("ready");
    std::fs::remove_dir_all(home.path().join("work")).unwrap();
    let warning = editor.await_method("window/showMessage");
    assert!(warning["message"].as_str().unwrap().contains("is gone"), "{warning}");
    editor.close();
}

#[test]
fn documents_are_polled_if_the_editor_does_not_watch() {
    let home = project();
    let mut editor = Editor::open(&home, &["utf-8"]);
    home.write(
        "docs/inner.md",
        "# Inner\n\n## `client.flushInner()`\n\nWrites what is queued to the socket.\n",
    );
    assert_eq!(editor.await_state("ready")["files"], 2);
    editor.close();
}

#[test]
fn work_is_cancelled_while_it_goes_on() {
    let home = project();
    let model = Model::start("data: {\"choices\":[{\"delta\":{\"content\":\"It\"}}]}\n\n", true);
    home.write(".config/craig/config.toml", model.settings());
    let mut editor = Editor::open(&home, &["utf-8"]);
    let client = uri(&home, "lib/client.js");
    editor.open_text(&client, CODE);
    let range = json!({ "start": { "line": 4, "character": 0 }, "end": { "line": 7, "character": 0 } });
    let argument = json!({ "uri": client, "range": range, "model": true });
    let params = json!({ "command": "craig.explain", "arguments": [argument] });
    let id = editor.send_request("workspace/executeCommand", params);
    model.await_request();
    assert!(!editor.hover(&client, 4).is_null(), "a hover does not wait for the model");
    editor.notify("$/cancelRequest", json!({ "id": id }));
    let answer = loop {
        let message = editor.receive();
        if message["id"] == id {
            break message;
        }
    };
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    editor.close();
}

#[test]
fn a_configured_model_rephrases_an_explanation() {
    let home = project();
    let root = root(&home);
    let refused = home.run(&["explain", "lib/client.js:5-7", "--root", &root, "--model"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("set language_model.provider"));

    let answer = "It performs an HTTP request on the connection [1]. It also has --magic [1].";
    let model = Model::start(
        &format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [{ "delta": { "content": answer } }] })),
        false,
    );
    home.write(".config/craig/config.toml", model.settings());
    let quoted = explained(&home, "lib/client.js:5-7");
    assert_eq!(quoted.get("language_model"), None);
    let args = ["explain", "lib/client.js:5-7", "--root", &root, "--model", "--format", "json"];
    let reported: Value = serde_json::from_str(&home.succeed(&args)).unwrap();
    assert_eq!(reported["explanation"], "- It performs an HTTP request on the connection.", "{reported}");
    assert_eq!(reported["language_model"]["status"], "applied");
    assert_eq!(reported["citations"][0], quoted["citations"][0]);
}

/// Reads a request to its end: a connection that is closed before is reset, and its answer may be lost.
fn read_request(stream: &mut std::net::TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    for line in reader.by_ref().lines() {
        let line = line.unwrap().to_lowercase();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("content-length:").map_or(length, |number| number.trim().parse().unwrap());
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
}

/// A language model that says one thing to everybody.
struct Model {
    address: std::net::SocketAddr,
    asked: std::sync::mpsc::Receiver<()>,
}

impl Model {
    /// `events` are the body of every answer; one that `hangs` never ends.
    fn start(events: &str, hangs: bool) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, asked) = std::sync::mpsc::channel();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}"
        );
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for mut stream in listener.incoming().flatten() {
                read_request(&mut stream);
                let _ = stream.write_all(answer.as_bytes());
                let _ = sender.send(());
                if hangs {
                    open.push(stream);
                }
            }
        });
        Self { address, asked }
    }

    fn settings(&self) -> String {
        format!(
            "[language_model]\nprovider = \"openai\"\nmodel = \"tiny\"\nbase_url = \"http://{}\"\n",
            self.address
        )
    }

    fn await_request(&self) {
        self.asked.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    }
}
