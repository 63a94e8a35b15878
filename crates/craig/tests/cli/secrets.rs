//! Every road by which a secret of a project, an editor or a question could be kept, shown or sent: none of them does.
//! `drills/planted-secrets` tries all kinds in all types of files; this is one kind on every road.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::harness::Home;

/// The secret's random part; in front of it stands what marks it.
const BODY: &str = "r8Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeK";

fn token() -> String {
    format!("{}{BODY}", ["gh", "p_"].concat())
}

fn home() -> Home {
    let home = Home::new();
    let token = token();
    home.write(
        "shop/client.js",
        format!("// connects\nfunction connect(options) {{\n  return open('{token}')\n}}\n"),
    );
    home.write("shop/settings.yaml", format!("connect:\n  token: {token}\n"));
    home.write("shop/bundle.min.js", format!("var connect='{token}';"));
    home.write("shop/package.json", format!("{{\"name\": \"shop\", \"token\": \"{token}\"}}\n"));
    home.write("shop/.env", format!("TOKEN={token}\n"));
    home.write(
        "shop/docs/client.md",
        format!(
            "# Client\n\n## `connect(options)`\n\nConnects to a server with a token such as `{token}` of its own.\n"
        ),
    );
    home
}

/// Whether a part of the secret is in a file below `folder`, other than below `except`.
fn places(folder: &Path, except: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            // What Craig keeps inside of a project is its own.
            if path != except {
                places(&path, except, found);
            } else {
                places(&path.join(".aidocs"), except, found);
            }
        } else if holds_secret(&std::fs::read(&path).unwrap()) {
            found.push(path.display().to_string());
        }
    }
}

fn holds_secret(bytes: &[u8]) -> bool {
    bytes.windows(12).any(|window| BODY.as_bytes().windows(12).step_by(12).any(|part| part == window))
}

#[test]
fn no_road_lets_a_secret_out() {
    let home = home();
    let question = format!("how does connect use {}", token());
    let unsaved = format!("function connect(options) {{\n  return open('{}')\n}}\n", token());
    let outputs = [
        home.run(&["ingest", "shop"]),
        home.run(&["search", "connect", "--root", "shop"]),
        home.run(&["search", &question, "--root", "shop", "--format", "json"]),
        home.run(&["file", "shop", "client.js"]),
        home.run(&["file", "shop", "bundle.min.js"]),
        home.run(&["file", "shop", ".env"]),
        home.run(&["context", "chat", &question, "--root", "shop", "--format", "json"]),
        home.run(&["feedback", "helpful", "--note", &format!("not with {}", token())]),
        home.run_with_input(
            &[
                "context",
                "inline",
                &question,
                "--root",
                "shop",
                "--file",
                "client.js",
                "--lines",
                "1-3",
                "--stdin",
                "--format",
                "json",
            ],
            unsaved.as_bytes(),
        ),
        home.run(&["explain", "client.js:2-3", "--root", "shop"]),
        home.run(&["docs", "index", "shop"]),
        home.run(&["insight", "dependencies", "shop"]),
        home.run(&["insight", "quality", "shop"]),
        home.run(&["tree", "shop"]),
    ];
    for output in &outputs {
        assert!(
            !holds_secret(&output.stdout) && !holds_secret(&output.stderr),
            "{}",
            home.transcript(output)
        );
    }
    let shown = home.succeed(&["file", "shop", "client.js"]);
    assert_eq!(
        shown,
        format!("// connects\nfunction connect(options) {{\n  return open('{}')\n}}\n", "*".repeat(40))
    );
    let mut found = Vec::new();
    places(&home.path(), &home.path().join("shop"), &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_request_to_a_model_holds_a_secret() {
    let home = home();
    let (address, sent) = provider();
    home.write(
        ".config/craig/config.toml",
        format!(
            "[embedder]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"{address}\"\n\
             [reranker]\nprovider = \"http\"\nmodel = \"m\"\nbase_url = \"{address}\"\n\
             [language_model]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"{address}\"\n"
        ),
    );
    let question = format!("how does connect use {}", token());
    home.run(&["ingest", "shop", "--yes"]);
    home.run(&["search", &question, "--root", "shop"]);
    home.run(&["context", "chat", &question, "--root", "shop"]);
    home.run(&["explain", "client.js:2-3", "--root", "shop", "--model"]);
    let sent = sent.lock().unwrap();
    let kinds = ["\"input\"", "\"documents\"", "\"messages\""];
    for kind in kinds {
        assert!(sent.iter().any(|body| body.contains(kind)), "nothing was sent with {kind}: {sent:?}");
    }
    let leaked: Vec<_> = sent.iter().filter(|body| holds_secret(body.as_bytes())).collect();
    assert!(leaked.is_empty(), "{leaked:?}");
}

/// A provider that keeps what it is sent, for as long as the test runs.
fn provider() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let sent = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&sent);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                    break;
                }
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let body = String::from_utf8(body).unwrap();
            let answer = answer(&serde_json::from_str(&body).unwrap()).to_string();
            kept.lock().unwrap().push(body);
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                answer.len()
            );
            // Whoever asked may be gone.
            let _ = reader.get_mut().write_all(format!("{head}{answer}").as_bytes());
        }
    });
    (address, sent)
}

fn answer(asked: &serde_json::Value) -> serde_json::Value {
    let each = |name: &str| asked[name].as_array().map_or(0, Vec::len);
    match () {
        () if asked.get("input").is_some() => {
            let vector = |index| serde_json::json!({"index": index, "embedding": [1, index % 5, 2, 3]});
            serde_json::json!({"data": (0..each("input")).map(vector).collect::<Vec<_>>()})
        }
        () if asked.get("documents").is_some() => {
            let result = |index| serde_json::json!({"index": index, "relevance_score": 0.5});
            serde_json::json!({"results": (0..each("documents")).map(result).collect::<Vec<_>>()})
        }
        () => {
            serde_json::json!({"choices": [{"message": {"role": "assistant", "content": "{\"question\": \"connect\"}"}}]})
        }
    }
}
