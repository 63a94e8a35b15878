//! A provider for load tests and real clients: `mock-upstream [ADDRESS]` answers as the model's name says.
//!
//! `refuse`, `hang`, `trickle`, `die`, `early`, `garbage`, `storm`, `error-STATUS`, `tools`, `json`; anything else is a short
//! answer, or with `"stream": true` a stream of 20 words, which takes two seconds if the model is `load` and the question
//! `paced`. `POST …/rerank` is Voyage's. The model `documented`, and all other paths, are answered as OpenAI and Anthropic
//! document it.

#[path = "../tests/gateway/provider.rs"]
mod provider;
#[path = "../tests/gateway/upstream.rs"]
#[expect(dead_code, reason = "tests look at what was asked")]
mod upstream;

use std::time::Duration;

use provider::Provider;
use serde_json::{Value, json};
use upstream::{Asked, End, Reply, Upstream, event};

/// The pause between two words of the load test's streams.
const PACE: Duration = Duration::from_millis(100);

#[tokio::main]
async fn main() {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7399".to_owned());
    let provider = Provider::with_pause(Duration::from_millis(5));
    let answer = move |asked: &Asked, _| answer(asked, &provider);
    let _upstream = Upstream::listen(&address, answer, false).await;
    std::future::pending::<()>().await;
}

fn answer(asked: &Asked, provider: &Provider) -> Reply {
    // The load test's request: nothing is parsed, so that what is measured is the gateway.
    if memchr::memmem::find(&asked.body, b"\"load\"").is_some() {
        let has = |text: &str| memchr::memmem::find(&asked.body, text.as_bytes()).is_some();
        return match has("\"stream\":true") {
            true if has("\"paced\"") => words(PACE, End::Well),
            true => words(Duration::ZERO, End::Well),
            false => Reply::completion("The quick brown fox jumps over the lazy dog."),
        };
    }
    let body = asked.json();
    if asked.path.ends_with("/rerank") {
        return reranked(&body);
    }
    if !asked.path.ends_with("/chat/completions") || body["model"] == "documented" {
        return provider.answer(asked);
    }
    let streams = body["stream"] == true;
    match body["model"].as_str().unwrap_or_default() {
        "refuse" => Reply::Close,
        "hang" => Reply::Hang,
        "trickle" => {
            Reply::Trickle { text: "data: {}\n\ndata: [DONE]\n\n".to_owned(), pause: Duration::from_secs(1) }
        }
        "die" if streams => Reply::stream("one two three ", Duration::from_millis(20), End::Cut),
        "die" => Reply::CutBody,
        "early" => Reply::stream("one two three ", Duration::from_millis(20), End::Early),
        "garbage" => {
            Reply::Whole { status: 200, headers: String::new(), body: b"<html>\xff\x00 not JSON".to_vec() }
        }
        "storm" => {
            Reply::status(429, json!({ "error": { "message": "slow down" } })).with_header("retry-after", "2")
        }
        "slow" => words(Duration::from_millis(200), End::Well),
        "tools" if streams => tool_stream(),
        "tools" => tool_call(),
        "json" => Reply::completion(r#"{"answer": 42}"#),
        name if name.starts_with("error-") => {
            let status = name["error-".len()..].parse().unwrap_or(500);
            Reply::status(
                status,
                json!({ "error": { "message": "as it was asked for", "code": "scripted" } }),
            )
        }
        _ if streams => words(Duration::ZERO, End::Well),
        _ => Reply::completion("Hello from the mock."),
    }
}

fn words(pause: Duration, end: End) -> Reply {
    let text = (1..=20).map(|n| format!("word{n} ")).collect::<String>();
    Reply::stream(&text, pause, end)
}

/// Scores by how many words of the query a document holds; the query `rerank-STATUS` fails with that status.
fn reranked(body: &Value) -> Reply {
    let query = body["query"].as_str().unwrap_or_default();
    if let Some(status) = query.strip_prefix("rerank-").and_then(|status| status.parse().ok()) {
        return Reply::status(status, json!({ "detail": "as it was asked for" }));
    }
    let documents = body["documents"].as_array().cloned().unwrap_or_default();
    let score = |document: &Value| {
        let text = document.as_str().unwrap_or_default();
        let held = query.split(' ').filter(|word| text.contains(*word)).count();
        held as f64 / query.split(' ').count().max(1) as f64
    };
    let mut scores: Vec<(usize, f64)> = documents.iter().map(score).enumerate().collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    scores.truncate(body["top_k"].as_u64().unwrap_or(u64::MAX) as usize);
    Reply::voyage(&scores)
}

fn tool_call() -> Reply {
    let call = json!({ "id": "call_1", "type": "function", "function": { "name": "weather", "arguments": "{\"city\":\"Oslo\"}" } });
    Reply::json(json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "tools",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": null, "tool_calls": [call] }, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12 },
    }))
}

fn tool_stream() -> Reply {
    let part = |delta: Value| event(&json!({ "tool_calls": [delta] }), None);
    let events = vec![
        part(
            json!({ "index": 0, "id": "call_1", "type": "function", "function": { "name": "weather", "arguments": "" } }),
        ),
        part(json!({ "index": 0, "function": { "arguments": "{\"city\":" } })),
        part(json!({ "index": 0, "function": { "arguments": "\"Oslo\"}" } })),
        event(&json!({}), Some("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    Reply::Stream { events, pause: Duration::ZERO, end: End::Well }
}
