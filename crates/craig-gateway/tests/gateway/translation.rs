//! Clients whose model is served in another protocol than theirs.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};

use crate::harness::{Answer, Gateway, Plan, until};
use crate::provider::Provider;
use crate::upstream::{End, Reply, Upstream, event};

const PROTOCOLS: [&str; 3] = ["chat", "responses", "messages"];
const PIXEL: &str = "iVBORw0KGgo=";

/// A provider of one protocol, and a gateway before it.
async fn provided(protocol: &str) -> (Upstream, Gateway) {
    let provider = Provider::default();
    let upstream = Upstream::start(move |asked, _| provider.answer(asked)).await;
    let gateway = Plan::with(&upstream).set("gateway.upstream_protocols", protocol).start().await;
    (upstream, gateway)
}

/// The pairs of a client's protocol and another one of its provider.
fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = PROTOCOLS.into_iter().flat_map(|client| PROTOCOLS.map(|provider| (client, provider)));
    all.filter(|(client, provider)| client != provider)
}

/// A request of a client: turns as `{role, content}`, and further fields.
async fn ask(gateway: &Gateway, client: &str, turns: Value, more: Value) -> Answer {
    let (path, mut body) = match client {
        "chat" => ("/v1/chat/completions", json!({ "messages": turns })),
        "responses" => ("/v1/responses", json!({ "input": turns })),
        _ => ("/v1/messages", json!({ "messages": turns, "max_tokens": 99 })),
    };
    body["model"] = "mock".into();
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    gateway.post(path, body).await
}

fn hello() -> Value {
    json!([{ "role": "user", "content": "hello there" }])
}

/// The text of an answer, and why it has ended.
fn read(client: &str, answer: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match client {
        "chat" => {
            let choice = &answer["choices"][0];
            (text(&choice["message"]["content"]), text(&choice["finish_reason"]))
        }
        "responses" => (text(&answer["output"][0]["content"][0]["text"]), text(&answer["status"])),
        _ => (text(&answer["content"][0]["text"]), text(&answer["stop_reason"])),
    }
}

fn tokens(client: &str, usage: &Value) -> (u64, u64) {
    let [input, output] = match client {
        "chat" => ["prompt_tokens", "completion_tokens"],
        _ => ["input_tokens", "output_tokens"],
    };
    (usage[input].as_u64().unwrap_or_default(), usage[output].as_u64().unwrap_or_default())
}

#[tokio::test]
async fn each_client_gets_an_answer_from_each_provider() {
    for (client, protocol) in pairs() {
        let (upstream, gateway) = provided(protocol).await;
        let answer = ask(&gateway, client, hello(), json!({})).await;
        assert_eq!(answer.status, StatusCode::OK, "{client} at {protocol}: {}", answer.text());
        let (text, end) = read(client, &answer.json());
        assert_eq!(text, "You asked: hello there", "{client} at {protocol}");
        assert!(["stop", "completed", "end_turn"].contains(&end.as_str()), "{end}");
        let (input, output) = tokens(client, &answer.json()["usage"]);
        assert!(input > 0 && output > 0, "{client} at {protocol}: {}", answer.text());
        let counted = "llm_tokens_used{direction=\"output\",model=\"mock\",upstream=\"default\"}";
        assert_eq!(gateway.metric(counted).await, output as f64);
        let path = &upstream.asked()[0].path;
        assert!(path.ends_with(&protocol.replace("chat", "chat/completions")), "{path}");
    }
}

#[tokio::test]
async fn streams_have_the_events_of_the_client() {
    for (client, protocol) in pairs() {
        let (_, gateway) = provided(protocol).await;
        let more = match client {
            "chat" => json!({ "stream": true, "stream_options": { "include_usage": true } }),
            _ => json!({ "stream": true }),
        };
        let answer = ask(&gateway, client, hello(), more).await;
        assert!(answer.header("content-type").starts_with("text/event-stream"), "{client} at {protocol}");
        let text = answer.text();
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let events: Vec<Value> = data.filter_map(|data| serde_json::from_str(data).ok()).collect();
        let (piece, usage, last) = match client {
            "chat" => ("/choices/0/delta/content", events[events.len() - 1]["usage"].clone(), "[DONE]"),
            "responses" => {
                ("/delta", events[events.len() - 1]["response"]["usage"].clone(), "response.completed")
            }
            _ => ("/delta/text", events[events.len() - 2]["usage"].clone(), "message_stop"),
        };
        let streamed: String =
            events.iter().filter_map(|event| event.pointer(piece).and_then(Value::as_str)).collect();
        assert_eq!(streamed, "You asked: hello there", "{client} at {protocol}: {text}");
        assert!(text.trim_end().lines().last().unwrap().contains(last), "{client} at {protocol}: {text}");
        assert!(tokens(client, &usage).1 > 0, "{client} at {protocol}: {text}");
    }
}

#[tokio::test]
async fn tools_and_images_make_a_round_trip() {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let url = format!("data:image/png;base64,{PIXEL}");
    for (client, protocol) in pairs() {
        let (_, gateway) = provided(protocol).await;
        let (tools, image) = match client {
            "chat" => (
                json!([{ "type": "function", "function": { "name": "weather", "parameters": schema } }]),
                json!([{ "type": "image_url", "image_url": { "url": url } }, { "type": "text", "text": "what?" }]),
            ),
            "responses" => (
                json!([{ "type": "function", "name": "weather", "parameters": schema }]),
                json!([{ "type": "input_image", "image_url": url, "detail": "auto" }, { "type": "input_text", "text": "what?" }]),
            ),
            _ => (
                json!([{ "name": "weather", "input_schema": schema }]),
                json!([
                    { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": PIXEL } },
                    { "type": "text", "text": "what?" },
                ]),
            ),
        };
        let called = ask(&gateway, client, hello(), json!({ "tools": tools })).await.json();
        let (call, arguments, result) = match client {
            "chat" => {
                let message = called["choices"][0]["message"].clone();
                let id = message["tool_calls"][0]["id"].clone();
                let arguments = message["tool_calls"][0]["function"]["arguments"].clone();
                let arguments = serde_json::from_str(arguments.as_str().unwrap()).unwrap();
                (message, arguments, json!({ "role": "tool", "tool_call_id": id, "content": "rain" }))
            }
            "responses" => {
                let call = called["output"][0].clone();
                let arguments = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
                let id = call["call_id"].clone();
                (call, arguments, json!({ "type": "function_call_output", "call_id": id, "output": "rain" }))
            }
            _ => {
                let call = called["content"][0].clone();
                let (id, arguments) = (call["id"].clone(), call["input"].clone());
                let result = json!({ "type": "tool_result", "tool_use_id": id, "content": "rain" });
                let turn = json!({ "role": "assistant", "content": called["content"] });
                (turn, arguments, json!({ "role": "user", "content": [result] }))
            }
        };
        assert_eq!(arguments, json!({ "city": "Oslo" }), "{client} at {protocol}: {called}");
        let turns = json!([hello()[0], call, result]);
        let answer = ask(&gateway, client, turns, json!({ "tools": tools })).await;
        assert_eq!(answer.status, StatusCode::OK, "{client} at {protocol}: {}", answer.text());
        assert_eq!(read(client, &answer.json()).0, "The tool output: \"rain\".", "{client} at {protocol}");
        let turns = json!([{ "role": "user", "content": image }]);
        let answer = ask(&gateway, client, turns, json!({})).await;
        assert!(answer.text().contains("You sent 1 image"), "{client} at {protocol}: {}", answer.text());
    }
}

#[tokio::test]
async fn context_and_masking_come_before_translation() {
    let provider = Provider::default();
    let upstream = Upstream::start(move |asked, _| provider.answer(asked)).await;
    let gateway = Plan::with(&upstream).set("gateway.mask_secrets", "all").start().await;
    let token = ["gh", "p_r8Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeK"].concat();
    let results = json!([{ "content": "fn parse() {}", "file": "src/parse.rs", "score": 0.8, "line_start": 1, "line_end": 1 }]);
    let turns = json!([{ "role": "user", "content": format!("why {token}") }]);
    let answer = ask(&gateway, "messages", turns, json!({ "semantic_results": results })).await;
    assert_eq!((answer.status, answer.header("x-craig-context")), (StatusCode::OK, "src/parse.rs:1-1"));
    assert_eq!(answer.header("x-craig-masked"), "1");
    let turns = upstream.last()["messages"].clone();
    assert!(turns[0]["content"].as_str().unwrap().contains("fn parse() {}"), "{turns}");
    assert_eq!(turns[2]["content"], format!("why {}", "*".repeat(token.len())));
}

/// Two providers of the model `m`: the first one of one protocol, then one of another.
async fn two(first: (&Upstream, &str), second: (&Upstream, &str)) -> Gateway {
    let entry = |name: &str, (upstream, protocol): (&Upstream, &str)| {
        format!(
            "[[upstream]]\nname = \"{name}\"\nbase_url = \"{}\"\nprotocols = [\"{protocol}\"]\nkey_env = \"PROVIDER_KEY\"\nmodel = \"mock\"\n",
            upstream.url
        )
    };
    let plan = Plan::new();
    let file = plan.write("upstreams.toml", &(entry("first", first) + &entry("second", second)));
    plan.set("gateway.upstreams", &file).set("gateway.tries", "1").start().await
}

#[tokio::test]
async fn providers_of_the_clients_protocol_come_first_and_others_stand_in() {
    let provider = Provider::default();
    let chat = Upstream::start(move |asked, _| provider.answer(asked)).await;
    let failing = Upstream::start(|_, _| Reply::status(500, json!({ "error": {} }))).await;
    let gateway = two((&chat, "chat"), (&failing, "messages")).await;
    let answer = ask(&gateway, "messages", hello(), json!({})).await;
    assert_eq!((answer.status, answer.header("x-craig-provider")), (StatusCode::OK, "first"));
    assert_eq!((answer.header("x-craig-tries"), failing.asked().len()), ("2", 1));
    assert_eq!(read("messages", &answer.json()).0, "You asked: hello there");
    // What only the failing provider could take is its failure, not the client's.
    let answer = ask(&gateway, "messages", hello(), json!({ "top_k": 5 })).await;
    assert_eq!((answer.status, answer.code().as_str()), (StatusCode::BAD_GATEWAY, "upstream_error"));
    assert!(!gateway.get("/metrics").await.text().contains("untranslatable"), "no call has failed");
    assert_eq!(gateway.metric("breaker_state{model=\"mock\",provider=\"first\"}").await, 0.0);
}

#[tokio::test]
async fn refusals_have_the_form_of_the_client() {
    let (upstream, gateway) = provided("messages").await;
    let refused = ask(&gateway, "chat", hello(), json!({ "n": 2 })).await;
    assert_eq!((refused.status, refused.code().as_str()), (StatusCode::BAD_REQUEST, "untranslatable"));
    assert_eq!(refused.json()["error"]["param"], "n");
    assert!(upstream.asked().is_empty());
    let wrong = ask(&gateway, "chat", json!([{ "role": "assistant", "content": "x" }]), json!({})).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    let expected = "messages: first message must use the \"user\" role";
    assert_eq!(wrong.json()["error"]["message"], expected);
    let (_, gateway) = provided("chat").await;
    let refused = ask(&gateway, "messages", hello(), json!({ "top_k": 5 })).await;
    assert_eq!(refused.json()["error"]["type"], "invalid_request_error");
    let stateful = ask(&gateway, "responses", hello(), json!({ "previous_response_id": "x" })).await;
    assert_eq!(stateful.json()["error"]["param"], "previous_response_id");
}

#[tokio::test]
async fn broken_streams_end_with_an_error_of_the_client() {
    let word = event(&json!({ "content": "word" }), None);
    let failed = "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n".to_owned();
    for (events, end, code, expected) in [
        (vec![word.clone()], End::Early, "stream_interrupted", "api_error"),
        (vec![word.clone()], End::Cut, "stream_interrupted", "api_error"),
        (vec![word.clone(), failed], End::Well, "upstream_rate_limit", "rate_limit_error"),
        (vec![word, "data: garbage\n\n".to_owned()], End::Well, "upstream_bad_answer", "api_error"),
    ] {
        let reply = move |_: &crate::upstream::Asked, _| Reply::Stream {
            events: events.clone(),
            pause: Duration::ZERO,
            end,
        };
        let upstream = Upstream::start(reply).await;
        let gateway = Plan::with(&upstream).start().await;
        let text = ask(&gateway, "messages", hello(), json!({ "stream": true })).await.text();
        assert!(text.contains("\"text\":\"word\"") && !text.contains("message_stop"), "{text}");
        let error: Value = serde_json::from_str(text.trim_end().rsplit("data: ").next().unwrap()).unwrap();
        assert_eq!((&error["error"]["code"], &error["error"]["type"]), (&json!(code), &json!(expected)));
        assert_eq!(gateway.metric("streams_cut{by=\"upstream\"}").await, 1.0, "{code}");
    }
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_stream_of_its_provider() {
    let provider = Provider::with_pause(Duration::from_millis(200));
    let upstream = Upstream::start(move |asked, _| provider.answer(asked)).await;
    let gateway = Plan::with(&upstream).start().await;
    let answer = ask(&gateway, "messages", hello(), json!({ "stream": true }));
    assert!(tokio::time::timeout(Duration::from_millis(500), answer).await.is_err());
    until("the provider's connection is closed", async || upstream.open() == 0).await;
    assert_eq!(gateway.metric("streams_cut{by=\"client\"}").await, 1.0);
}

#[tokio::test]
async fn named_events_of_chat_are_written_for_translated_streams_too() {
    let (_, gateway) = provided("messages").await;
    let body = json!({ "model": "mock", "stream": true, "messages": hello() });
    let answer =
        gateway.post_with("/v1/chat/completions", &body, &[("x-craig-framing", "events")]).await.text();
    assert!(
        answer.starts_with("event: data\ndata: {") && answer.ends_with("event: done\ndata: [DONE]\n\n"),
        "{answer}"
    );
}
