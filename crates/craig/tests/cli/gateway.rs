//! The gateway as a program: its keys, how it starts and ends, what it refuses to start with.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use expect_test::expect;
use serde_json::Value;

use crate::harness::Home;

#[test]
fn keys_are_made_listed_and_revoked() {
    let home = Home::new();
    home.check(
        &["gateway", "keys", "list"],
        expect![[r#"
        exit 0
        -- stdout
        no keys yet: 'craig gateway keys add NAME' creates one
    "#]],
    );
    let added: Value =
        serde_json::from_str(&home.succeed(&["gateway", "keys", "add", "alice", "--format", "json"]))
            .unwrap();
    let key = added["key"].as_str().unwrap();
    assert!(key.starts_with("craig_") && key.len() == 6 + 64, "{key}");
    home.check(
        &["gateway", "keys", "add", "alice"],
        expect![[r#"
        exit 1
        -- stderr
        error: a key named "alice" already exists
        hint: choose another name, or revoke that key first
    "#]],
    );
    let listed: Value =
        serde_json::from_str(&home.succeed(&["gateway", "keys", "list", "--format", "json"])).unwrap();
    assert_eq!((&listed[0]["id"], &listed[0]["revoked_at"]), (&added["id"], &Value::Null));
    home.check(
        &["gateway", "keys", "revoke", "alice"],
        expect![[r#"
        exit 0
        -- stdout
        revoked alice
    "#]],
    );
    home.check(
        &["gateway", "keys", "revoke", "alice"],
        expect![[r#"
        exit 1
        -- stderr
        error: no key "alice"
        hint: 'craig gateway keys list' shows ids and names
    "#]],
    );
    let file = home.path().join(".local/share/craig/gateway-keys.json");
    assert!(!std::fs::read_to_string(file).unwrap().contains(&key[6..]));
}

#[test]
fn limits_of_keys_are_set_shown_and_removed() {
    let home = Home::new();
    home.succeed(&["gateway", "keys", "add", "alice"]);
    let set =
        ["--budget", "20", "--soft-budget", "15", "--requests-per-minute", "60", "--models", "fast, slow"];
    home.succeed(
        &[&["gateway", "keys", "set", "alice"][..], &set, &["--expires", "2099-01-01T00:00:00Z"]].concat(),
    );
    let show = || -> Value {
        serde_json::from_str(&home.succeed(&["gateway", "keys", "show", "alice", "--format", "json"]))
            .unwrap()
    };
    let shown = show();
    let expected = serde_json::json!({
        "requests_per_minute": 60, "monthly_usd": 20.0, "soft_monthly_usd": 15.0, "models": ["fast", "slow"],
    });
    assert_eq!((&shown["policy"], &shown["expires_at"]), (&expected, &"2099-01-01T00:00:00Z".into()));
    let text = home.succeed(&["gateway", "keys", "show", "alice"]);
    assert!(text.contains("$20.00 (soft: $15.00)") && text.contains("fast, slow"), "{text}");
    home.succeed(&["gateway", "keys", "set", "alice", "--budget", "none", "--models", "none"]);
    let shown = show();
    assert_eq!((&shown["policy"]["monthly_usd"], &shown["policy"]["models"]), (&Value::Null, &Value::Null));
    assert_eq!(shown["policy"]["requests_per_minute"], 60, "what is not named stays");

    let rotated: Value =
        serde_json::from_str(&home.succeed(&["gateway", "keys", "rotate", "alice", "--format", "json"]))
            .unwrap();
    assert!(rotated["key"].as_str().unwrap().starts_with("craig_"), "{rotated}");
    assert!(show()["replaced_until"].is_string());
    assert_eq!(home.succeed(&["gateway", "usage"]), "no usage recorded\n");
    let wrong = home.run(&["gateway", "keys", "set", "alice", "--expires", "tomorrow"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("\"tomorrow\" is not a time such as"));
    let wrong = home.run(&["gateway", "keys", "set", "alice", "--budget", "much"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("neither a limit nor 'none'"));
}

#[test]
fn errors_before_serving_are_reported() {
    let home = Home::new();
    home.write("upstreams.toml", "[[upstream]]\nname = \"a\"\nurl = \"x\"\n");
    home.check(&["gateway", "--address", "0.0.0.0:0"], expect![[r#"
        exit 1
        -- stderr
        error: 0.0.0.0:0 can be reached from other machines, and there is no key: run 'craig gateway keys add NAME', or serve 127.0.0.1
        hint: without keys, the gateway serves only this machine
    "#]]);
    home.check(&["gateway", "--set", "gateway.upstreams=upstreams.toml"], expect![[r#"
        exit 1
        -- stderr
        error: upstreams.toml:3: provider "a": unknown field `url`, expected one of `name`, `base_url`, `protocols`, `key_env`, `key_file`, `model`, `models`, `only_listed`, `headers_env`, `weight`, `timeout_ms`, `first_byte_timeout_ms`, `tries`, `list_models`
        hint: docs/gateway.md describes the file of 'gateway.upstreams'
    "#]]);
    home.check(
        &["gateway", "--set", "reranker.provider=voyage"],
        expect![[r#"
        exit 1
        -- stderr
        error: Voyage needs an API key, and VOYAGE_API_KEY is not set
        hint: set VOYAGE_API_KEY to your Voyage key, or choose another provider
    "#]],
    );
    home.check(
        &["gateway", "--set", "gateway.tls_cert=cert.pem"],
        expect![[r#"
        exit 1
        -- stderr
        error: 'gateway.tls_cert' and 'gateway.tls_key' must both be set, and only one is
        hint: set both, or terminate TLS in a proxy before the gateway
    "#]],
    );
    home.check(
        &["gateway", "--set", "gateway.tls_cert=cert.pem", "--set", "gateway.tls_key=key.pem"],
        expect![[r#"
        exit 1
        -- stderr
        error: cannot use TLS: cannot read cert.pem: No such file or directory (os error 2)
        hint: both files must be PEM, and the chain must begin with the gateway's own certificate
    "#]],
    );
    home.check(
        &["gateway", "--set", "gateway.upstream_key_env=NO_SUCH_KEY"],
        expect![[r#"
        exit 1
        -- stderr
        error: 'gateway.upstream_key_env' names NO_SUCH_KEY, which is not set
        hint: set it to the provider's key, or unset 'gateway.upstream_key_env' for a provider without one
    "#]],
    );
}

#[test]
fn an_address_that_is_in_use_is_reported_with_its_setting() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let refused = |args: &[&str]| {
        let output = home.craig(&[&["gateway"], args].concat()).env("TOKEN", "0123456789abcdef").output();
        String::from_utf8(output.unwrap().stderr).unwrap()
    };
    let own = refused(&["--address", &taken]);
    assert!(own.contains(&format!("cannot listen on {taken}")) && own.contains("--address"), "{own}");
    let admin = format!("gateway.admin_address={taken}");
    let args = ["--address", "127.0.0.1:0", "--set", &admin, "--set", "gateway.admin_token_env=TOKEN"];
    let admin = refused(&args);
    assert!(admin.contains(&format!("cannot serve the status page at {taken}")), "{admin}");
    assert!(admin.contains("another port in 'gateway.admin_address'"), "{admin}");
}

#[test]
fn usage_shows_which_requests_were_estimated() {
    let home = Home::new();
    let line = r#"{"day":"2027-01-31","key":"local","provider":"p","model":"m","project":"","requests":3,"input_tokens":9,"cached_tokens":0,"output_tokens":4,"estimated":2,"usd":0.5}"#;
    home.write(".local/share/craig/gateway-usage.jsonl", format!("{line}\n"));
    home.check(
        &["gateway", "usage"],
        expect![[r#"
            exit 0
            -- stdout
            key    model  requests  estimated  tokens in  cached  tokens out  US dollars
            local  m             3          2          9       0           4      0.5000
        "#]],
    );
}

/// A gateway, ended with the test.
struct Served {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
    address: String,
}

impl Served {
    fn start(home: &Home, drain_ms: u64) -> Self {
        Self::start_with(home, &[&format!("gateway.drain_ms={drain_ms}")])
    }

    fn start_with(home: &Home, settings: &[&str]) -> Self {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        let args: Vec<&str> = ["gateway", "--address", "127.0.0.1:0"].into_iter().chain(settings).collect();
        let mut command = home.craig(&args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(started["event"], "started");
        let address = started["address"].as_str().unwrap().to_owned();
        Self { child, log, address }
    }

    /// The most memory that it ever had.
    #[cfg(target_os = "linux")]
    fn peak_mb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }

    fn signal(&self, signal: &str) {
        let status =
            Command::new("kill").args(["-s", signal, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// The next event of this kind in the log.
    fn next(&mut self, event: &str) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.log.read_line(&mut line).unwrap() > 0, "no {event}");
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["event"] == event {
                return line;
            }
        }
    }

    fn get(&self, path: &str) -> String {
        self.send("GET", path, "")
    }

    fn send(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, length) = (&self.address, body.len());
        let head = format!("host: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n");
        write!(stream, "{method} {path} HTTP/1.1\r\n{head}\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_serves_until_a_signal_and_leaves_no_database_behind() {
    for signal in ["TERM", "INT"] {
        let home = Home::new();
        let mut served = Served::start(&home, 10);
        assert!(served.get("/healthz").starts_with("HTTP/1.1 200"));
        assert!(served.get("/v1/models").contains("glm-4.6"));
        served.signal(signal);
        let status = served.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "SIG{signal}");
        let mut rest = String::new();
        served.log.read_to_string(&mut rest).unwrap();
        let last: Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
        assert_eq!(
            (&last["event"], &last["unfinished"]),
            (&Value::from("stopped"), &Value::from(0)),
            "{rest}"
        );
        assert!(!home.database().exists());
    }
}

#[test]
fn a_hangup_reads_the_configuration_again_and_a_bad_one_changes_nothing() {
    let home = Home::new();
    let provider =
        |model: &str| format!("[[upstream]]\nname = \"a\"\nbase_url = \"http://127.0.0.1:1\"\n{model}\n");
    home.write("upstreams.toml", provider("model = \"old\""));
    let file = home.path().join("upstreams.toml");
    let mut served = Served::start_with(&home, &[&format!("gateway.upstreams={}", file.display())]);
    home.write("upstreams.toml", provider("model = \"new\""));
    served.signal("HUP");
    assert_eq!(served.next("config_reloaded")["restart_needed"], serde_json::json!([]));
    assert!(served.get("/v1/models").contains("\"new\""));
    home.write("upstreams.toml", provider("model = 7"));
    served.signal("HUP");
    let refused = served.next("config_refused");
    assert!(refused["reason"].as_str().unwrap().contains("upstreams.toml"), "{refused}");
    assert!(served.get("/v1/models").contains("\"new\""));
}

/// What a client sends decides neither how deep something is nested nor how much is parsed, counted or ranked: a parse of all
/// of these texts took 600 MB, and a small list in memory is more than ten times as long as in JSON.
#[cfg(target_os = "linux")]
#[test]
fn no_request_takes_much_more_memory_than_is_reserved_for_it() {
    const BYTES: usize = 2_000_000;
    let result =
        |file: &str, content: &str| serde_json::json!({ "content": content, "file": file, "score": 0.5 });
    let question = serde_json::json!([{ "role": "user", "content": "where is the token?" }]);
    let chat = |results: Value, more: Value| {
        let mut body = serde_json::json!({ "messages": question, "semantic_results": results });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("/v1/chat/completions", body.to_string())
    };
    let texts = ["(", "`", "=", "{"].map(|sign| sign.repeat(BYTES));
    let mut requests = Vec::new();
    for text in &texts {
        for file in ["a.py", "a.ts", "a.md"] {
            requests.push(chat(serde_json::json!([result(file, text)]), serde_json::json!({})));
        }
        let most = serde_json::json!({ "max_context_tokens": 200_000 });
        requests.push(chat(serde_json::json!([result("a.rs", text)]), most));
        let rerank = serde_json::json!({ "rerank": true });
        requests.push(chat(serde_json::json!([result("a.c", text), result("b.c", "int b;")]), rerank));
        requests.push(chat(serde_json::json!([result(text, "x")]), serde_json::json!({})));
    }
    let list = |item: &str| item.repeat(BYTES / item.len());
    let raw =
        |before: &str, item: &str, after: &str| format!("{before}{}{item}{after}", list(&format!("{item},")));
    let messages = r#"{"project":"p","messages":[{"role":"user","content":["#;
    requests.push(("/v1/chat/completions", raw(messages, "1", "]}]}")));
    requests.push(("/v1/chat/completions", raw(r#"{"project":"p","messages":["#, "{}", "]}")));
    requests.push(("/v1/chat/completions", raw(r#"{"messages":[],"semantic_results":["#, "{}", "]}")));
    requests.push(("/v1/rerank", raw(r#"{"query":"a","documents":["#, "\"\"", "]}")));
    requests.push(("/v1/rerank", raw(r#"{"query":"a","documents":[{"text":"a","other":["#, "0", "]}]}")));
    requests.push(("/v1/rerank/batch", raw(r#"{"requests":["#, r#"{"query":"","documents":[]}"#, "]}")));
    requests.push(("/v1/embeddings", raw(r#"{"input":["#, "\"\"", "]}")));
    requests.push(("/v1/context", raw(r#"{"project":"p","message":"a","history":["#, "\"\"", "]}")));
    requests.push(("/v1/context", raw(r#"{"project":"p","message":"a","other":["#, "0", "]}")));
    let home = Home::new();
    let settings = ["gateway.upstream_url=http://127.0.0.1:1", "gateway.tries=1"];
    let served = Served::start_with(&home, &settings);
    for (path, body) in requests {
        let answer = served.send("POST", path, &body);
        assert!(answer.starts_with("HTTP/1.1 "), "{path} {:.200}", body);
        let peak_mb = served.peak_mb();
        assert!(peak_mb < 200, "{peak_mb} MB after {path} {body:.200}: {answer:.300}");
    }
}

#[test]
fn it_says_that_it_stops_before_it_takes_nothing_new() {
    let home = Home::new();
    let mut served = Served::start(&home, 3_600_000);
    assert!(served.get("/readyz").starts_with("HTTP/1.1 200"));
    served.signal("TERM");
    while !served.get("/readyz").starts_with("HTTP/1.1 503") {}
    assert!(served.get("/v1/models").starts_with("HTTP/1.1 200"));
    // Whoever does not want to wait says so again.
    served.signal("INT");
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    let mut log = String::new();
    served.log.read_to_string(&mut log).unwrap();
    let events = ["\"draining\"", "\"stopping\"", "\"stopped\""].map(|event| log.find(event));
    assert!(events.is_sorted() && events.iter().all(Option::is_some), "{log}");
}
