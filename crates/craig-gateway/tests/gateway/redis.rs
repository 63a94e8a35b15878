//! Several gateways that share what they know through a real Redis server, which goes away and comes back.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::json;

use crate::harness::{Gateway, Plan, skipped, until};
use crate::keys::{CLIENTS, USD_EACH, providers, race};
use crate::upstream::{Reply, Upstream};

/// A Redis server of a test's own; it ends with the test.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// `None` if no `redis-server` is installed and `CRAIG_TEST_TOOLS_REQUIRED` is not set.
    fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        match Self::spawn(port) {
            Ok(child) => Some(Self { child, port }),
            Err(error) => {
                assert!(std::env::var_os("CRAIG_TEST_TOOLS_REQUIRED").is_none(), "no redis-server: {error}");
                skipped("no redis-server is installed");
                None
            }
        }
    }

    fn spawn(port: u16) -> std::io::Result<Child> {
        let arguments =
            ["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
        Command::new("redis-server").args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    fn end(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn come_back(&mut self) {
        self.child = Self::spawn(self.port).unwrap();
    }

    async fn answers(&self) {
        until("Redis answers", async || {
            tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.is_ok()
        })
        .await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

async fn ask(gateway: &Gateway, query: &str) -> crate::harness::Answer {
    gateway.post("/v1/rerank", json!({ "query": query, "documents": ["a", "b"], "top_n": 1 })).await
}

async fn two_gateways(server: &Server, voyage: &Upstream) -> [Gateway; 2] {
    let plan = || {
        let plan = Plan::new().voyage(voyage).redis(&server.url());
        plan.set("gateway.reranks_per_hour", "4").set("gateway.tries", "1")
    };
    [plan().start().await, plan().start().await]
}

#[tokio::test]
async fn limits_and_reranks_are_shared_and_a_lost_redis_loses_no_request() {
    let Some(mut server) = Server::start() else { return };
    server.answers().await;
    let voyage = Upstream::start(|_, _| Reply::voyage(&[(1, 0.9)])).await;
    let [one, two] = two_gateways(&server, &voyage).await;
    assert_eq!(ask(&one, "q").await.header("x-craig-rerank"), "voyage");
    let cached = ask(&two, "q").await;
    assert_eq!((cached.header("x-craig-rerank"), cached.header("x-ratelimit-remaining")), ("cache", "2"));
    assert_eq!(voyage.asked().len(), 1, "the other gateway's rerank was used");
    ask(&one, "q").await;
    assert_eq!(ask(&two, "q").await.header("x-ratelimit-remaining"), "0");
    let refused = ask(&one, "q").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!((800..=900).contains(&refused.header("retry-after").parse::<u64>().unwrap()), "{refused:?}");

    server.end();
    for gateway in [&one, &two] {
        let answer = ask(gateway, "q").await;
        assert_eq!(
            (answer.status, answer.header("x-ratelimit-remaining")),
            (StatusCode::OK, "3"),
            "local limits"
        );
        ask(gateway, "another").await;
        until("the loss is logged", async || gateway.log.events("redis_lost").len() == 1).await;
    }
    assert_eq!(one.metric("redis_up").await, 0.0);
    server.come_back();
    server.answers().await;
    until("it is asked again", async || {
        ask(&one, "q").await;
        one.log.events("redis_back").len() == 1
    })
    .await;
    assert_eq!((one.log.events("redis_lost").len(), one.metric("redis_up").await), (1, 1.0));
}

#[tokio::test]
async fn what_one_gateway_has_seen_of_a_provider_closes_no_other() {
    let Some(server) = Server::start() else { return };
    server.answers().await;
    let voyage = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let plan = || {
        let plan = Plan::new().voyage(&voyage).redis(&server.url()).set("gateway.tries", "1");
        plan.set("gateway.breaker_min_requests", "5").set("gateway.breaker_probe_ms", "3600000")
    };
    let [one, two] = [plan().start().await, plan().start().await];
    for _ in 0..6 {
        ask(&one, "q").await;
    }
    assert_eq!(voyage.asked().len(), 5);
    until("it is logged", async || one.log.events("breaker_opened").len() == 1).await;
    // What is shared is shared once a second.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let state = "breaker_state{model=\"rerank-2-lite\",provider=\"reranker\"}";
    assert_eq!((one.metric(state).await, two.metric(state).await), (2.0, 0.0));
    assert_eq!(ask(&one, "q").await.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ask(&two, "q").await.status, StatusCode::BAD_GATEWAY);
    assert_eq!(voyage.asked().len(), 6);
}

#[tokio::test]
async fn a_redis_that_was_never_there_costs_no_request() {
    let voyage = Upstream::start(|_, _| Reply::voyage(&[(0, 0.5)])).await;
    let gateway = Plan::new().voyage(&voyage).redis("redis://127.0.0.1:1").start().await;
    assert_eq!(ask(&gateway, "q").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_conversation_goes_on_at_another_gateway_as_it_was() {
    let Some(server) = Server::start() else { return };
    server.answers().await;
    let upstream = Upstream::start(|_, _| Reply::completion("Well.")).await;
    let plan = || Plan::with(&upstream).redis(&server.url());
    let (one, other) = (plan().start().await, plan().start().await);
    let results = |file: &str| json!([{ "content": format!("code of {file}"), "file": file, "score": 0.9, "line_start": 1, "line_end": 1 }]);
    let turn = |role: &str, text: &str| json!({ "role": role, "content": text });
    one.chat(json!({ "messages": [turn("user", "one")], "semantic_results": results("a.rs") })).await;
    let first = upstream.last()["messages"].as_array().unwrap().clone();
    let turns = json!([turn("user", "one"), turn("assistant", "Well."), turn("user", "two")]);
    other.chat(json!({ "messages": turns, "semantic_results": results("b.rs") })).await;
    let second = upstream.last()["messages"].as_array().unwrap().clone();
    assert_eq!((first.len(), second.len(), &second[..3]), (3, 7, &first[..]));
}

#[tokio::test]
async fn a_budget_is_one_for_all_gateways() {
    let Some(server) = Server::start() else { return };
    server.answers().await;
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let (one, two) = (Plan::new(), Plan::new());
    let file = providers(&one, &upstream, &upstream);
    let keys_file = one.path("keys.json");
    let (_, key) = craig_gateway::keys::add(&keys_file, "alice").unwrap();
    let budget = Some(10.0 * USD_EACH);
    craig_gateway::keys::set(&keys_file, "alice", |record| record.policy.monthly_usd = budget).unwrap();
    let keys_path = keys_file.to_str().unwrap().to_owned();
    let start = async |plan: Plan| {
        // Usage is kept by each, as on two machines.
        let usage = plan.path("usage.jsonl").to_str().unwrap().to_owned();
        let plan = plan.redis(&server.url()).set("gateway.upstreams", &file);
        Arc::new(plan.set("gateway.keys", &keys_path).set("gateway.usage", &usage).start().await)
    };
    let gateways = vec![start(one).await, start(two).await];
    let n_answered = race(gateways.clone(), &key).await;
    // What is in flight: a request of each client, and a sum on its way to Redis.
    assert!((10..10 + 2 * CLIENTS).contains(&n_answered), "{n_answered}");
}
