//! What happens when providers fail, and what does not.

use std::time::{Duration, Instant};

use http::StatusCode;
use serde_json::{Value, json};

use crate::harness::{Gateway, PROVIDER_KEY, Plan, until};
use crate::upstream::{End, Reply, Upstream};

fn asking(extra: Value) -> Value {
    let results = json!([
        { "content": "alpha", "file": "a.rs", "score": 0.2, "line_start": 1, "line_end": 2 },
        { "content": "beta", "file": "b.rs", "score": 0.9, "line_start": 1, "line_end": 2 },
    ]);
    let mut body = json!({
        "messages": [{ "role": "user", "content": "what is beta" }], "semantic_results": results, "rerank": true,
    });
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    body
}

async fn plain(gateway: &Gateway) -> crate::harness::Answer {
    gateway.chat(json!({ "messages": [{ "role": "user", "content": "hello" }] })).await
}

/// Reranks with a provider that answers like this; gives the gateway and what it answered.
async fn reranked_by(
    reply: impl Fn() -> Reply + Send + Sync + 'static,
) -> (Gateway, Upstream, crate::harness::Answer) {
    let voyage = Upstream::start(move |_, _| reply()).await;
    let upstream = Upstream::start(|_, _| Reply::completion("ok")).await;
    let gateway = Plan::with(&upstream).voyage(&voyage).set("reranker.timeout_ms", "1500").start().await;
    let answer = gateway.chat(asking(json!({}))).await;
    (gateway, voyage, answer)
}

type Answering = Box<dyn Fn() -> Reply + Send + Sync>;

#[tokio::test]
async fn every_failure_of_reranking_falls_back_to_the_order_of_the_search() {
    let error = |status: u16| move || Reply::status(status, json!({ "detail": "no" }));
    let cases: Vec<(Answering, &str, usize)> = vec![
        (Box::new(error(400)), "invalid_request", 1),
        (Box::new(error(401)), "auth", 1),
        (Box::new(error(402)), "auth", 1),
        (Box::new(error(403)), "auth", 1),
        (Box::new(error(404)), "invalid_request", 1),
        (Box::new(error(413)), "invalid_request", 1),
        (Box::new(error(422)), "invalid_request", 1),
        (Box::new(error(408)), "timeout", 3),
        (Box::new(error(429)), "rate_limit", 3),
        (Box::new(error(500)), "server", 3),
        (Box::new(error(503)), "server", 3),
        (Box::new(|| Reply::Close), "network", 3),
        (Box::new(|| Reply::CutBody), "network", 3),
        (Box::new(|| Reply::Hang), "timeout", 1),
        (Box::new(|| Reply::json(json!("garbage"))), "bad_answer", 1),
        (Box::new(|| Reply::voyage(&[(7, 0.9)])), "bad_answer", 1),
        (Box::new(|| Reply::voyage(&[(0, 0.9), (0, 0.8)])), "bad_answer", 1),
        (Box::new(|| Reply::voyage(&[])), "no_results", 1),
        (Box::new(|| Reply::status(302, json!({})).with_header("location", "/elsewhere")), "redirect", 1),
        (Box::new(|| Reply::voyage(&[(0, 0.9)]).with_header("content-encoding", "br")), "compressed", 1),
    ];
    for (reply, class, n_tries) in cases {
        let (gateway, voyage, answer) = reranked_by(reply).await;
        assert_eq!(answer.status, StatusCode::OK, "{class}");
        assert_eq!((answer.header("x-craig-rerank"), answer.header("x-craig-trouble")), ("fallback", class));
        assert_eq!(answer.header("x-craig-context"), "b.rs:1-2;a.rs:1-2", "{class}");
        // A connection that is closed at once is tried once more by the client itself.
        assert!((n_tries..=2 * n_tries).contains(&voyage.asked().len()), "{class}: {}", voyage.asked().len());
        assert_eq!(gateway.metric(&format!("rerank_errors{{class=\"{class}\"}}")).await, 1.0);
    }
}

#[tokio::test]
async fn retry_after_is_the_least_wait() {
    let voyage = Upstream::start(|_, n| match n {
        0 => Reply::status(429, json!({})).with_header("retry-after", "1"),
        _ => Reply::voyage(&[(1, 0.9), (0, 0.1)]),
    })
    .await;
    let upstream = Upstream::start(|_, _| Reply::completion("ok")).await;
    let gateway = Plan::with(&upstream).voyage(&voyage).start().await;
    let started = Instant::now();
    let answer = gateway.chat(asking(json!({}))).await;
    assert_eq!(
        (answer.header("x-craig-rerank"), answer.header("x-craig-context")),
        ("voyage", "a.rs:1-2;b.rs:1-2")
    );
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_reranker_that_fails_too_often_is_left_alone() {
    let voyage = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let upstream = Upstream::start(|_, _| Reply::completion("ok")).await;
    let gateway = Plan::with(&upstream)
        .voyage(&voyage)
        .set("gateway.tries", "1")
        .set("gateway.breaker_probe_ms", "3600000");
    let gateway = gateway.set("gateway.breaker_max_probe_ms", "3600000").start().await;
    for n in 0..23 {
        let answer = gateway.chat(asking(json!({}))).await;
        let trouble = if n < 20 { "server" } else { "circuit_open" };
        assert_eq!(
            (answer.header("x-craig-rerank"), answer.header("x-craig-trouble")),
            ("fallback", trouble)
        );
    }
    assert_eq!(voyage.asked().len(), 20);
    let state = "breaker_state{model=\"rerank-2-lite\",provider=\"reranker\"}";
    assert_eq!(gateway.metric(state).await, 2.0);
    until("the log says so", async || gateway.log.events("breaker_opened").len() == 1).await;
}

#[tokio::test]
async fn equal_requests_at_the_same_time_share_one_call() {
    let voyage = Upstream::start(|_, _| {
        std::thread::sleep(Duration::from_millis(200));
        Reply::voyage(&[(1, 0.9), (0, 0.1)])
    })
    .await;
    let upstream = Upstream::start(|_, _| Reply::completion("ok")).await;
    let gateway = Plan::with(&upstream).voyage(&voyage).start().await;
    let answers = tokio::join!(
        gateway.chat(asking(json!({}))),
        gateway.chat(asking(json!({}))),
        gateway.chat(asking(json!({ "temperature": 0 }))),
    );
    for answer in [answers.0, answers.1, answers.2] {
        assert_eq!(answer.header("x-craig-context"), "a.rs:1-2;b.rs:1-2");
    }
    assert_eq!(voyage.asked().len(), 1);
}

#[tokio::test]
async fn so_many_reranks_at_once_so_many_waiting_and_the_rest_falls_back() {
    let voyage = Upstream::start(|_, _| Reply::Hang).await;
    let upstream = Upstream::start(|_, _| Reply::completion("ok")).await;
    let plan = Plan::with(&upstream).voyage(&voyage).set("reranker.timeout_ms", "1000");
    let gateway = plan.set("gateway.max_reranks", "2").set("gateway.max_waiting_reranks", "3").start().await;
    let ask = |n: usize| {
        let body = json!({ "query": format!("q{n}"), "documents": ["a", "b"] });
        gateway.post("/v1/rerank", body)
    };
    let waiting = futures(&[0, 1, 2, 3, 4], ask);
    let late = async {
        until("five are at it", async || {
            gateway.metric("reranks_running").await == 2.0 && gateway.metric("reranks_waiting").await == 3.0
        })
        .await;
        ask(6).await
    };
    let (first, refused) = tokio::join!(waiting, late);
    assert_eq!((refused.status, refused.code()), (StatusCode::TOO_MANY_REQUESTS, "queue_full".to_owned()));
    assert_eq!(refused.header("retry-after"), "1");
    let mut codes: Vec<String> = first.iter().map(crate::harness::Answer::code).collect();
    codes.sort();
    let (late, queued) = ("upstream_timeout", "queue_timeout");
    assert_eq!(codes, [queued, queued, queued, late, late], "three waited for their turn");
    assert_eq!(voyage.asked().len(), 2);
}

async fn futures<F: Future>(numbers: &[usize], make: impl Fn(usize) -> F) -> Vec<F::Output> {
    let mut all: Vec<_> = numbers.iter().map(|n| Box::pin(make(*n))).collect();
    let mut done: Vec<Option<F::Output>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, place) in all.iter_mut().zip(&mut done) {
            if place.is_none()
                && let std::task::Poll::Ready(output) = future.as_mut().poll(context)
            {
                *place = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_passing_failure_of_the_model_is_tried_again() {
    for failure in [
        Reply::status(500, json!({})),
        Reply::status(429, json!({})),
        Reply::CutBody,
        Reply::stream("", Duration::ZERO, End::Cut),
    ] {
        let upstream =
            Upstream::start(move |_, n| if n == 0 { failure.clone() } else { Reply::completion("again") })
                .await;
        let gateway = Plan::with(&upstream).start().await;
        let answer = plain(&gateway).await;
        assert_eq!(answer.json()["choices"][0]["message"]["content"], "again");
        assert_eq!(upstream.asked().len(), 2);
    }
}

#[tokio::test]
async fn a_refusal_is_passed_on_and_not_tried_again() {
    let upstream = Upstream::start(|_, _| {
        Reply::status(400, json!({ "error": { "message": "context too long: 'hello'", "code": "context_length_exceeded", "param": "messages" } }))
    })
    .await;
    let gateway = Plan::with(&upstream).start().await;
    let answer = plain(&gateway).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let error = &answer.json()["error"];
    assert_eq!((&error["code"], &error["param"]), (&json!("context_length_exceeded"), &json!("messages")));
    assert_eq!(upstream.asked().len(), 1);
}

#[tokio::test]
async fn the_providers_key_trouble_is_not_the_clients() {
    let upstream = Upstream::start(|_, _| {
        Reply::status(401, json!({ "error": { "message": format!("bad key {PROVIDER_KEY}") } }))
    })
    .await;
    let gateway = Plan::with(&upstream).start().await;
    let answer = plain(&gateway).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::BAD_GATEWAY, "upstream_auth".to_owned()));
    assert!(!answer.text().contains(PROVIDER_KEY));
    assert_eq!(upstream.asked().len(), 1);
}

#[tokio::test]
async fn the_next_provider_answers_when_the_first_does_not() {
    for failure in
        [Reply::Close, Reply::status(503, json!({})), Reply::status(401, json!({})), Reply::json(json!("x"))]
    {
        let first = Upstream::start(move |_, _| failure.clone()).await;
        let second = Upstream::start(|_, _| Reply::completion("from the second")).await;
        let plan = Plan::new();
        let file = plan.write("upstreams.toml", &two_upstreams(&first.url, &second.url));
        let gateway = plan.set("gateway.upstreams", &file).set("gateway.tries", "1").start().await;
        let answer = gateway.chat(json!({ "model": "fast", "messages": [] })).await;
        assert_eq!(answer.json()["choices"][0]["message"]["content"], "from the second", "{}", answer.text());
        assert_eq!(
            (&first.last()["model"], &second.last()["model"]),
            (&json!("first-fast"), &json!("second-fast"))
        );
        let unknown = gateway.chat(json!({ "model": "unheard-of", "messages": [] })).await;
        assert_eq!((unknown.status, unknown.code()), (StatusCode::NOT_FOUND, "model_not_found".to_owned()));
        let models = gateway.get("/v1/models").await.json();
        let ids: Vec<&str> =
            models["data"].as_array().unwrap().iter().filter_map(|model| model["id"].as_str()).collect();
        assert_eq!(ids, ["craig", "fast"]);
    }
}

fn two_upstreams(first: &str, second: &str) -> String {
    format!(
        "[[upstream]]\nname = \"one\"\nbase_url = \"{first}\"\nkey_env = \"PROVIDER_KEY\"\nmodels = {{ fast = \"first-fast\" }}\nonly_listed = true\n\
         [[upstream]]\nname = \"two\"\nbase_url = \"{second}/v1\"\nmodels = {{ fast = \"second-fast\" }}\nonly_listed = true\n\
         [prices.second-fast]\ninput_usd_per_million_tokens = 1.0\noutput_usd_per_million_tokens = 2.0\n"
    )
}

#[tokio::test]
async fn a_hanging_provider_costs_its_share_of_the_time_only() {
    let first = Upstream::start(|_, _| Reply::Hang).await;
    let second = Upstream::start(|_, _| Reply::completion("from the second")).await;
    let plan = Plan::new();
    let file = plan.write("upstreams.toml", &two_upstreams(&first.url, &second.url));
    let gateway =
        plan.set("gateway.upstreams", &file).set("gateway.upstream_timeout_ms", "1000").start().await;
    // If it cost all of the time, none would be left for the second.
    let answer = gateway.chat(json!({ "model": "fast", "messages": [] })).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(gateway.metric("estimated_cost_usd").await, (9.0 + 2.0 * 3.0) / 1e6);
}

#[tokio::test]
async fn who_hangs_alone_is_given_up_in_time() {
    let upstream = Upstream::start(|_, _| Reply::Hang).await;
    let gateway = Plan::with(&upstream).set("gateway.upstream_timeout_ms", "300").start().await;
    let answer = plain(&gateway).await;
    assert_eq!((answer.status, answer.code()), (StatusCode::GATEWAY_TIMEOUT, "upstream_timeout".to_owned()));
    until("its connection is closed", async || upstream.open() == 0).await;
}

#[tokio::test]
async fn stopping_finishes_streams_and_takes_nothing_new() {
    let upstream =
        Upstream::start(|_, _| Reply::stream("one two three four", Duration::from_millis(100), End::Well))
            .await;
    let mut gateway = Plan::with(&upstream).start().await;
    let url = gateway.url.clone();
    let other = chat_in_background(&url);
    until("the stream has begun", async || upstream.asked().len() == 1).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    gateway.stop().await;
    let text = other.await.unwrap();
    assert!(text.contains("four") && text.contains("[DONE]"), "{text}");
    assert!(tokio::net::TcpStream::connect(url.trim_start_matches("http://")).await.is_err());
    until("the log says so", async || gateway.log.events("stopped").len() == 1).await;
    assert_eq!(gateway.log.events("stopped")[0]["unfinished"], 0);
}

/// Streams a chat in the background; gives everything that came.
fn chat_in_background(url: &str) -> tokio::task::JoinHandle<String> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let address = url.trim_start_matches("http://").to_owned();
    tokio::spawn(async move {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let body = r#"{"messages":[],"stream":true}"#;
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    })
}
