//! Faults of one that are no harm to others: what a breaker counts, who answers instead, what is bounded, what fails closed.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::{Answer, Gateway, Plan, until};
use crate::upstream::{Asked, End, Reply, Upstream, event};

fn asking_for(model: &str) -> Value {
    json!({ "model": model, "messages": [{ "role": "user", "content": "hello" }] })
}

fn content(answer: &Answer) -> String {
    answer.json()["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
}

/// A provider whose models answer with what they are called: a status, `close`, or anything else for a completion.
fn by_name(asked: &Asked, _: usize) -> Reply {
    let body = asked.json();
    match body["model"].as_str().unwrap_or_default() {
        "close" => Reply::Close,
        name => match name.parse() {
            Ok(status) => Reply::status(status, json!({ "error": { "message": "scripted" } })),
            Err(_) => Reply::completion("well"),
        },
    }
}

/// A gateway with two providers, the first of which is preferred.
async fn with_two(first: &Upstream, second: &Upstream, settings: &[(&str, &str)]) -> Gateway {
    let plan = Plan::new();
    let entry = |name: &str, upstream: &Upstream| {
        format!("[[upstream]]\nname = \"{name}\"\nbase_url = \"{}\"\nmodel = \"m\"\n", upstream.url)
    };
    let file = plan.write("upstreams.toml", &(entry("one", first) + &entry("two", second)));
    let plan = settings.iter().fold(plan, |plan, (key, value)| plan.set(key, value));
    plan.set("gateway.upstreams", &file).start().await
}

const NEVER: &str = "3600000";

#[tokio::test]
async fn two_failing_requests_close_nothing_to_others() {
    let upstream = Upstream::start(by_name).await;
    let gateway = Plan::with(&upstream).set("gateway.upstream_timeout_ms", "3000").start().await;
    for _ in 0..2 {
        assert_eq!(gateway.chat(asking_for("500")).await.status, StatusCode::BAD_GATEWAY);
    }
    assert!(upstream.asked().len() > 3, "each was tried again");
    assert_eq!(content(&gateway.chat(asking_for("mock")).await), "well");
    assert_eq!(content(&gateway.chat(asking_for("another")).await), "well");
}

#[tokio::test]
async fn a_model_that_fails_too_often_is_left_alone_and_no_other() {
    let upstream = Upstream::start(by_name).await;
    let plan = Plan::with(&upstream).set("gateway.tries", "1").set("gateway.breaker_probe_ms", NEVER);
    let gateway = plan.set("gateway.breaker_max_probe_ms", NEVER).start().await;
    for n in 0..23 {
        let code = if n < 20 { "upstream_error" } else { "upstream_unavailable" };
        assert_eq!(gateway.chat(asking_for("500")).await.code(), code, "request {n}");
    }
    assert_eq!(upstream.asked().len(), 20);
    let refused = gateway.chat(asking_for("500")).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
    assert!(!refused.text().contains("cannot be reached"), "{}", refused.text());
    // Requests that the breaker stops are no failed calls.
    assert_eq!(gateway.metric("upstream_errors{class=\"server\",upstream=\"default\"}").await, 20.0);
    assert!(!gateway.get("/metrics").await.text().contains("circuit_open"));
    assert_eq!(content(&gateway.chat(asking_for("mock")).await), "well");
    assert_eq!(gateway.metric("breaker_state{model=\"other\",provider=\"default\"}").await, 2.0);
    assert_eq!(gateway.metric("breaker_state{model=\"mock\",provider=\"default\"}").await, 0.0);
    until("the log says so", async || gateway.log.events("breaker_opened").len() == 1).await;
    let opened = &gateway.log.events("breaker_opened")[0];
    assert_eq!((&opened["provider"], &opened["model"]), (&json!("default"), &json!("other")));
}

#[tokio::test]
async fn a_probe_finds_that_a_model_is_back() {
    let upstream = Upstream::start(|_, n| match n {
        0..20 => Reply::status(500, json!({})),
        _ => Reply::completion("back"),
    })
    .await;
    let plan = Plan::with(&upstream).set("gateway.tries", "1").set("gateway.breaker_probe_ms", "50");
    let gateway = plan.start().await;
    for _ in 0..20 {
        gateway.chat(asking_for("mock")).await;
    }
    until("it is asked again", async || {
        let answer = gateway.chat(asking_for("mock")).await;
        answer.status == StatusCode::OK
    })
    .await;
    assert_eq!(gateway.metric("breaker_state{model=\"mock\",provider=\"default\"}").await, 0.0);
}

#[tokio::test]
async fn what_is_no_fault_of_the_provider_is_not_counted_as_one() {
    let upstream = Upstream::start(by_name).await;
    let plan = Plan::with(&upstream).set("gateway.tries", "1").set("gateway.breaker_min_requests", "3");
    let gateway = plan.set("gateway.breaker_probe_ms", NEVER).start().await;
    for status in ["400", "401", "404", "413", "422", "429"] {
        for _ in 0..6 {
            let answer = gateway.chat(asking_for(status)).await;
            assert!(answer.code() != "upstream_unavailable", "{status}: {}", answer.text());
        }
    }
    assert_eq!(upstream.asked().len(), 36);
}

#[tokio::test]
async fn a_limit_for_one_model_stops_no_other() {
    let upstream = Upstream::start(|asked, n| match by_name(asked, n) {
        reply @ Reply::Whole { status: 429, .. } => reply.with_header("retry-after", "3600"),
        reply => reply,
    })
    .await;
    let gateway = Plan::with(&upstream).start().await;
    for _ in 0..2 {
        let limited = gateway.chat(asking_for("429")).await;
        assert_eq!(limited.status, StatusCode::TOO_MANY_REQUESTS);
        assert!(limited.header("retry-after").parse::<u64>().unwrap() > 3_000, "{limited:?}");
    }
    assert_eq!(upstream.asked().len(), 1, "it is left alone for as long as it asks");
    until("both are logged", async || gateway.log.events("answer_completed").len() == 2).await;
    for logged in gateway.log.events("answer_completed") {
        assert_eq!(logged["outcome"], "rate_limit");
    }
    assert_eq!(gateway.metric("upstream_errors{class=\"rate_limit\",upstream=\"default\"}").await, 1.0);
    assert_eq!(content(&gateway.chat(asking_for("mock")).await), "well");
}

/// How the first provider fails, and how often it may have been asked when the second one has answered.
#[tokio::test]
async fn the_next_provider_is_asked_at_once() {
    let limited = || Reply::status(429, json!({})).with_header("retry-after", "5");
    let failures = [limited(), Reply::Close, Reply::status(500, json!({})), Reply::CutBody];
    for failure in failures {
        let reply = failure.clone();
        let first = Upstream::start(move |_, _| reply.clone()).await;
        let second = Upstream::start(|_, _| Reply::completion("from the second")).await;
        let gateway = with_two(&first, &second, &[]).await;
        assert_eq!(content(&gateway.chat(asking_for("m")).await), "from the second", "{failure:?}");
        // A connection that is closed at once is tried once more by the client itself.
        assert!(first.asked().len() <= 2, "{failure:?}: it was waited for");
    }
}

#[tokio::test]
async fn a_provider_that_hangs_is_not_waited_for() {
    let first = Upstream::start(|_, _| Reply::Hang).await;
    let second = Upstream::start(|_, _| Reply::completion("from the second")).await;
    let gateway = with_two(&first, &second, &[("gateway.first_byte_timeout_ms", "50")]).await;
    assert_eq!(content(&gateway.chat(asking_for("m")).await), "from the second");
    until("the first one's connection is closed", async || first.open() == 0).await;
    // A provider that is slow, but not down, may still be the first to answer.
    let second = Upstream::start(|_, _| Reply::Hang).await;
    let first = Upstream::start(|_, _| {
        let events =
            [": one moment\n\n", "data: {\"choices\":[{}]}\n\n", "data: [DONE]\n\n"].map(str::to_owned);
        Reply::Stream { events: events.to_vec(), pause: Duration::from_millis(300), end: End::Well }
    })
    .await;
    let gateway = with_two(&first, &second, &[("gateway.first_byte_timeout_ms", "50")]).await;
    assert!(gateway.chat(asking_for("m")).await.text().ends_with("data: [DONE]\n\n"));
    assert_eq!(second.asked().len(), 1);
}

#[tokio::test]
async fn a_provider_that_hangs_again_and_again_is_left_alone() {
    for is_streamed in [false, true] {
        let first = Upstream::start(|_, _| Reply::Hang).await;
        let second = Upstream::start(|asked, _| match asked.json()["stream"] {
            Value::Bool(true) => Reply::stream("a", Duration::ZERO, End::Well),
            _ => Reply::completion("a"),
        })
        .await;
        let settings = [
            ("gateway.first_byte_timeout_ms", "300"),
            ("gateway.breaker_min_requests", "2"),
            ("gateway.breaker_probe_ms", NEVER),
        ];
        let gateway = with_two(&first, &second, &settings).await;
        let mut body = asking_for("m");
        body["stream"] = json!(is_streamed);
        until("it is left alone", async || {
            assert_eq!(gateway.chat(&body).await.status, StatusCode::OK);
            gateway.metric("breaker_state{model=\"m\",provider=\"one\"}").await == 2.0
        })
        .await;
        let n_asked = first.asked().len();
        assert_eq!(gateway.chat(&body).await.status, StatusCode::OK);
        assert_eq!(first.asked().len(), n_asked);
    }
}

fn stream_of(first: &str) -> Reply {
    let events = vec![": one moment\n\n".to_owned(), first.to_owned(), "data: [DONE]\n\n".to_owned()];
    Reply::Stream { events, pause: Duration::ZERO, end: End::Well }
}

#[tokio::test]
async fn nothing_is_passed_on_before_the_first_good_event() {
    for (first_event, status, code) in [
        ("data: {\"error\":{\"message\":\"no\",\"code\":429}}\n\n", 429, "upstream_rate_limit"),
        ("data: {\"error\":{\"message\":\"no\",\"type\":\"server_error\"}}\n\n", 502, "upstream_error"),
        ("event: error\ndata: {\"message\":\"overloaded\"}\n\n", 502, "upstream_error"),
        (
            "data: {\"error\":{\"message\":\"no\",\"code\":\"context_length_exceeded\"}}\n\n",
            400,
            "context_length_exceeded",
        ),
        ("data: <html>\n\n", 502, "upstream_bad_answer"),
        (": nothing else\n\n", 502, "upstream_bad_answer"),
    ] {
        let upstream = Upstream::start(move |_, _| stream_of(first_event)).await;
        let gateway = Plan::with(&upstream).set("gateway.tries", "1").start().await;
        let mut body = asking_for("m");
        body["stream"] = json!(true);
        let answer = gateway.chat(&body).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (status, code), "{first_event}");
        if status == 400 {
            continue;
        }
        let second = Upstream::start(|_, _| Reply::stream("a b", Duration::ZERO, End::Well)).await;
        let gateway = with_two(&upstream, &second, &[]).await;
        let answer = gateway.chat(&body).await;
        assert!(answer.text().starts_with(&event(&json!({ "content": "a " }), None)), "{}", answer.text());
        assert!(answer.text().ends_with("data: [DONE]\n\n"));
    }
    let whole = Upstream::start(|_, _| Reply::json(json!({ "error": { "code": 503 } }))).await;
    let gateway = Plan::with(&whole).set("gateway.tries", "1").start().await;
    assert_eq!(gateway.chat(asking_for("m")).await.code(), "upstream_error");
}

#[tokio::test]
async fn only_a_refusal_of_the_request_itself_ends_the_search_for_a_provider() {
    for status in ["405", "409", "410", "423", "424", "425", "451", "498", "499"] {
        let (first, second) =
            (Upstream::start(by_name).await, Upstream::start(|_, _| Reply::completion("well")).await);
        let gateway = with_two(&first, &second, &[("gateway.tries", "1")]).await;
        assert_eq!(content(&gateway.chat(asking_for(status)).await), "well", "{status}");
    }
    for status in ["400", "413", "422"] {
        let (first, second) =
            (Upstream::start(by_name).await, Upstream::start(|_, _| Reply::completion("well")).await);
        let gateway = with_two(&first, &second, &[]).await;
        assert_eq!(gateway.chat(asking_for(status)).await.status.as_str(), status);
        assert_eq!(second.asked().len(), 0);
    }
}

/// Answers of servers that are not quite JSON, or not quite a stream: passed on so that clients can read them, or left to the
/// next provider.
#[tokio::test]
async fn odd_answers_are_passed_on_correctly_or_left_to_the_next_provider() {
    let choice = r#"{"message":{"content":"first"}}"#;
    for (first, expected) in [
        (format!("\u{feff}{{\"choices\":[{choice}]}}"), format!("{{\"choices\":[{choice}]}}")),
        (format!("{{\"choices\":[{choice}],\"x\":NaN}}"), format!("{{\"choices\":[{choice}],\"x\":null}}")),
        (
            format!("{{\"choices\":[{choice}],\"usage\":{{\"prompt_tokens\":null}}}}"),
            format!("{{\"choices\":[{choice}],\"usage\":{{\"prompt_tokens\":null}}}}"),
        ),
        ("{\"choices\":[]}".to_owned(), String::new()),
        ("{\"choices\":{}}".to_owned(), String::new()),
    ] {
        let headers = "content-type: application/json\r\n".to_owned();
        let reply = Reply::Whole { status: 200, headers, body: first.clone().into_bytes() };
        let one = Upstream::start(move |_, _| reply.clone()).await;
        let two = Upstream::start(|_, _| Reply::completion("second")).await;
        let gateway = with_two(&one, &two, &[]).await;
        let answer = gateway.chat(asking_for("m")).await;
        match expected.is_empty() {
            true => assert_eq!(content(&answer), "second", "{first}"),
            false => assert_eq!(answer.text(), expected, "{first}"),
        }
    }
    for (stream, expected) in [
        ("data: {\"choices\":[{}]}\r\rdata: [DONE]\r\r", "data: {\"choices\":[{}]}\r\rdata: [DONE]\r\r"),
        (
            "\u{feff}data: {\"choices\":[{}]}\n\ndata: [DONE]\n\n",
            "data: {\"choices\":[{}]}\n\ndata: [DONE]\n\n",
        ),
        ("data: {\"choices\":[]}\n\ndata: [DONE]\n\n", ""),
    ] {
        let one = Upstream::start(move |_, _| Reply::Stream {
            events: vec![stream.to_owned()],
            pause: Duration::ZERO,
            end: End::Well,
        })
        .await;
        let two = Upstream::start(|_, _| Reply::stream("second", Duration::ZERO, End::Well)).await;
        let gateway = with_two(&one, &two, &[]).await;
        let mut body = asking_for("m");
        body["stream"] = json!(true);
        let answer = gateway.chat(body).await.text();
        match expected.is_empty() {
            true => assert!(answer.contains("second"), "{stream}: {answer}"),
            false => assert_eq!(answer, expected),
        }
    }
}

#[tokio::test]
async fn a_model_of_two_providers_is_listed_once() {
    let (one, two) = (Upstream::start(by_name).await, Upstream::start(by_name).await);
    let gateway = with_two(&one, &two, &[]).await;
    let models = gateway.get("/v1/models").await.json()["data"].clone();
    let listed: Vec<(&str, &str)> = models
        .as_array()
        .unwrap()
        .iter()
        .map(|model| (model["id"].as_str().unwrap(), model["owned_by"].as_str().unwrap()))
        .collect();
    assert_eq!(listed, [("craig", "craig"), ("m", "one")]);
}

#[tokio::test]
async fn answers_that_are_not_what_was_asked_for_are_distinguished() {
    let redirect = Reply::status(302, json!({})).with_header("location", "http://127.0.0.1:1/");
    let compressed = Reply::completion("x").with_header("content-encoding", "gzip");
    for (reply, word) in [(redirect, "'base_url'"), (compressed, "compressed")] {
        let upstream = Upstream::start(move |_, _| reply.clone()).await;
        let gateway = Plan::with(&upstream).start().await;
        let answer = gateway.chat(asking_for("m")).await;
        assert_eq!(
            (answer.status, answer.code()),
            (StatusCode::BAD_GATEWAY, "upstream_bad_answer".to_owned())
        );
        assert!(answer.text().contains(word) && upstream.asked().len() == 1, "{}", answer.text());
        assert_eq!(upstream.asked()[0].header("accept-encoding"), Some("identity"));
    }
    let gateway = Plan::new().start().await;
    let packed = gateway.post_with("/v1/rerank", "\u{1f}\u{8b}", &[("content-encoding", "gzip")]).await;
    assert_eq!(
        (packed.status, packed.code()),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding".to_owned())
    );
    assert_eq!(packed.header("accept-encoding"), "identity");
}

#[tokio::test]
async fn results_that_cannot_be_read_are_left_out_and_reported() {
    let upstream = Upstream::start(|_, _| Reply::completion("well")).await;
    let gateway = Plan::with(&upstream).start().await;
    let good =
        json!({ "content": "fn a() {}", "file": "a.rs", "score": 0.5, "line_start": 1, "line_end": 1 });
    for bad in [json!({}), json!(null), json!("text"), json!({ "content": 7, "file": "b.rs" }), json!([])] {
        let mut body = asking_for("m");
        body["semantic_results"] = json!([bad, good]);
        let answer = gateway.chat(&body).await;
        assert_eq!(
            (answer.status, answer.header("x-craig-trouble"), answer.header("x-craig-context")),
            (StatusCode::OK, "malformed_results", "a.rs:1-1"),
            "{bad}"
        );
    }
}

/// A reranker that is well, only not fast, before a queue that is long: nobody is left alone for it.
#[tokio::test]
async fn a_long_queue_is_no_fault_of_the_provider() {
    let voyage = Upstream::listen(
        "127.0.0.1:0",
        |_, _| Reply::Stream {
            events: vec!["{\"data\":[{\"index\":0,\"relevance_score\":0.5}]}".to_owned()],
            pause: Duration::from_millis(300),
            end: End::Well,
        },
        true,
    )
    .await;
    let plan = Plan::new().voyage(&voyage).set("reranker.timeout_ms", "4000").set("gateway.tries", "1");
    let plan = plan.set("gateway.max_reranks", "2").set("gateway.max_waiting_reranks", "50");
    let gateway = plan.set("gateway.breaker_min_requests", "5").start().await;
    let body = |n: usize| json!({ "query": format!("q{n}"), "documents": ["a"] });
    let requests: Vec<Value> = (0..60).map(body).collect();
    let mut codes = std::collections::BTreeMap::<String, usize>::new();
    let (url, mut work) = (gateway.url.clone(), tokio::task::JoinSet::new());
    for request in requests {
        work.spawn(raw_post(url.clone(), "/v1/rerank", request.to_string()));
    }
    while let Some(answer) = work.join_next().await {
        let answer = answer.unwrap();
        let code = answer.split("\"code\":\"").nth(1).and_then(|rest| rest.split('"').next());
        *codes.entry(code.unwrap_or("ranked").to_owned()).or_default() += 1;
    }
    let known = ["queue_full", "queue_timeout", "ranked"];
    assert!(codes.keys().all(|code| known.contains(&code.as_str())), "{codes:?}");
    assert!(codes.contains_key("queue_timeout") && codes["ranked"] > 2, "{codes:?}");
    let state = "breaker_state{model=\"rerank-2-lite\",provider=\"reranker\"}";
    assert_eq!(gateway.metric(state).await, 0.0);
    assert_eq!(gateway.post("/v1/rerank", body(60)).await.status, StatusCode::OK);
}

/// Posts on a connection of its own; gives everything that came back.
async fn raw_post(url: String, path: &'static str, body: String) -> String {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).await.unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn memory_for_requests_is_bounded_for_all_clients_together() {
    let upstream = Upstream::start(|asked, _| match asked.json()["model"].as_str() {
        Some("hang") => Reply::Hang,
        _ => Reply::completion("well"),
    })
    .await;
    let gateway = Plan::with(&upstream).set("gateway.max_buffered", "64kB").start().await;
    let large = |model: &str| {
        let mut body = asking_for(model);
        body["padding"] = json!("x".repeat(11_000));
        body.to_string()
    };
    let held = tokio::spawn(raw_post(gateway.url.clone(), "/v1/chat/completions", large("hang")));
    until("the first one is being answered", async || upstream.asked().len() == 1).await;
    let refused = gateway.chat(large("mock")).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::SERVICE_UNAVAILABLE, "overloaded".to_owned()));
    assert_eq!(refused.header("retry-after"), "1");
    let body = large("mock");
    let chunked = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(gateway.url.trim_start_matches("http://")).await.unwrap();
    stream.write_all(chunked.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert_eq!(gateway.chat(asking_for("mock")).await.status, StatusCode::OK, "small ones still fit");
    assert!(gateway.metric("buffered_bytes").await > 33_000.0);
    held.abort();
    until("there is room again", async || gateway.metric("buffered_bytes").await == 0.0).await;
    assert_eq!(gateway.chat(large("mock")).await.status, StatusCode::OK);
    // A request that is larger than all of it may come alone.
    let mut alone = asking_for("mock");
    alone["padding"] = json!("x".repeat(100_000));
    assert_eq!(gateway.chat(alone).await.status, StatusCode::OK);
}

#[tokio::test]
async fn large_answers_are_bounded_as_requests_are() {
    let upstream = Upstream::start(|_, _| Reply::completion(&"x".repeat(100_000))).await;
    let plan = Plan::with(&upstream).set("gateway.max_buffered", "64kB").set("gateway.tries", "1");
    let gateway = plan.set("gateway.breaker_min_requests", "1").start().await;
    for _ in 0..3 {
        let refused = gateway.chat(asking_for("mock")).await;
        assert_eq!(
            (refused.status, refused.code()),
            (StatusCode::SERVICE_UNAVAILABLE, "overloaded".to_owned())
        );
    }
    assert_eq!(upstream.asked().len(), 3, "which is no fault of the provider");
}

#[tokio::test]
async fn without_its_key_file_nobody_is_let_in() {
    let plan = Plan::new();
    let file = plan.path("keys.json");
    let (_, key) = craig_gateway::keys::add(&file, "alice").unwrap();
    let gateway = plan.start().await;
    let ask = async |key: Option<&str>| {
        let request = http::Request::get(format!("{}/v1/models", gateway.url));
        let request = key.into_iter().fold(request, |request, key| request.header("x-api-key", key));
        gateway.send(request.body(Default::default()).unwrap()).await
    };
    assert_eq!(ask(Some(&key)).await.status, StatusCode::OK);
    let kept = std::fs::read(&file).unwrap();
    let breaks: [&dyn Fn(); 2] =
        [&|| std::fs::remove_file(&file).unwrap(), &|| std::fs::write(&file, "[{").unwrap()];
    for (n, spoil) in (1..).zip(breaks) {
        spoil();
        until("nobody is let in", async || {
            assert!(!ask(None).await.status.is_success());
            gateway.get("/readyz").await.status == StatusCode::SERVICE_UNAVAILABLE
        })
        .await;
        for answer in [ask(Some(&key)).await, ask(None).await] {
            assert_eq!(
                (answer.status, answer.code()),
                (StatusCode::SERVICE_UNAVAILABLE, "keys_unavailable".to_owned())
            );
        }
        until("it is logged", async || gateway.log.events("keys_unreadable").len() == n).await;
        std::fs::write(&file, &kept).unwrap();
        until("the key is known again", async || ask(Some(&key)).await.status == StatusCode::OK).await;
        assert_eq!(ask(None).await.status, StatusCode::UNAUTHORIZED);
        assert_eq!(gateway.get("/readyz").await.status, StatusCode::OK);
    }
    std::fs::write(&file, "[]").unwrap();
    until("the key is gone", async || ask(Some(&key)).await.status == StatusCode::UNAUTHORIZED).await;
    assert_eq!(ask(None).await.status, StatusCode::UNAUTHORIZED, "no keys are not no need for keys");
}

#[tokio::test]
async fn a_gateway_that_stops_says_so_before_it_takes_nothing_new() {
    let upstream = Upstream::start(|_, _| Reply::completion("well")).await;
    let mut gateway = Plan::with(&upstream).set("gateway.drain_ms", "3600000").start().await;
    let stopping = tokio::spawn(gateway.take_running().stop());
    until("it says so", async || gateway.get("/readyz").await.status == StatusCode::SERVICE_UNAVAILABLE)
        .await;
    let answer = gateway.chat(asking_for("m")).await;
    assert_eq!((answer.status, answer.header("connection")), (StatusCode::OK, "close"));
    assert!(!stopping.is_finished());
    stopping.abort();
    let mut short = Plan::with(&upstream).set("gateway.drain_ms", "50").start().await;
    short.stop().await;
    assert!(TcpStream::connect(short.url.trim_start_matches("http://")).await.is_err());
    until("it is logged", async || short.log.events("stopped").len() == 1).await;
    assert_eq!(short.log.events("draining").len(), 1);
}

/// Models are what clients say they are: a thousand of them make neither metrics nor breakers without end.
#[tokio::test]
async fn invented_models_are_one_in_metrics() {
    let upstream = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let gateway = Plan::with(&upstream).set("gateway.tries", "1").start().await;
    for n in 0..300 {
        gateway.chat(asking_for(&format!("invented-{n}"))).await;
    }
    let page = gateway.get("/metrics").await.text();
    assert!(!page.contains("invented"), "{page}");
    assert_eq!(page.matches("\nbreaker_state{").count(), 2, "{page}");
}
