//! Prompt caches of providers: a conversation with context in each turn is cached as one without.

use serde_json::{Value, json};

use crate::harness::{Gateway, Plan};
use crate::provider::Provider;
use crate::upstream::Upstream;

const TURNS: usize = 10;

/// What the editor of turn `turn` found.
fn results(turn: usize) -> Value {
    let code = format!("fn part_{turn}(input: &str) -> Ast {{ parse(input, {turn}) }}\n").repeat(20);
    json!([
        { "content": code, "file": format!("src/part_{turn}.rs"), "score": 0.9, "line_start": 1, "line_end": 20 },
        { "content": "pub enum Ast { Leaf, Node }", "file": "src/ast.rs", "score": 0.8, "line_start": 1, "line_end": 1 },
    ])
}

/// A request in the protocol of `path`; Anthropic's clients mark the end of the system prompt and of the last turn.
fn request(path: &str, turns: &[Value]) -> Value {
    let system = "Follow the rules of this project. ".repeat(200);
    match path {
        "/v1/messages" => {
            let marker = json!({ "type": "ephemeral" });
            let mut turns = turns.to_vec();
            for turn in &mut turns {
                turn["content"] = json!([{ "type": "text", "text": turn["content"] }]);
            }
            turns.last_mut().unwrap()["content"][0]["cache_control"] = marker.clone();
            let system = json!([{ "type": "text", "text": system, "cache_control": marker }]);
            json!({ "model": "mock", "max_tokens": 100, "system": system, "messages": turns })
        }
        "/v1/responses" => json!({ "model": "mock", "instructions": system, "input": turns, "store": false }),
        _ => {
            let turns: Vec<Value> = [json!({ "role": "system", "content": system })]
                .into_iter()
                .chain(turns.iter().cloned())
                .collect();
            json!({ "model": "strict mock", "messages": turns })
        }
    }
}

/// All tokens of a prompt, those that were cached, and the text of the answer.
fn counts(path: &str, answer: &Value) -> (u64, u64, String) {
    let usage = &answer["usage"];
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    let (all, cached, text) = match path {
        "/v1/messages" => {
            let cached = count(&usage["cache_read_input_tokens"]);
            let all = count(&usage["input_tokens"]) + count(&usage["cache_creation_input_tokens"]) + cached;
            (all, cached, &answer["content"][0]["text"])
        }
        "/v1/responses" => {
            let cached = count(&usage["input_tokens_details"]["cached_tokens"]);
            (count(&usage["input_tokens"]), cached, &answer["output"][0]["content"][0]["text"])
        }
        _ => {
            let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]);
            (count(&usage["prompt_tokens"]), cached, &answer["choices"][0]["message"]["content"])
        }
    };
    (all, cached, text.as_str().unwrap_or_else(|| panic!("{answer}")).to_owned())
}

/// The share of the prompts' beginnings, each as long as the prompt before it, that was cached over a conversation.
async fn cached_share(path: &str, gateway: &Gateway, has_context: bool) -> f64 {
    let (mut turns, mut before, mut cacheable, mut cached) = (Vec::new(), 0, 0, 0);
    for turn in 0..TURNS {
        turns.push(json!({ "role": "user", "content": format!("what does part {turn} do, and why?") }));
        let mut body = request(path, &turns);
        if has_context {
            body["semantic_results"] = results(turn);
        }
        let answer = gateway.post(path, body).await;
        assert_eq!(answer.status, 200, "{path} {turn}: {}", answer.text());
        let (all, from_cache, text) = counts(path, &answer.json());
        (cacheable, cached, before) = (cacheable + before, cached + from_cache, all);
        turns.push(json!({ "role": "assistant", "content": text }));
    }
    cached as f64 / cacheable as f64
}

/// A gateway before a provider with an empty cache.
async fn gateway(placement: &str, memory: &str) -> (Upstream, Gateway) {
    let settings = [("gateway.context_placement", placement), ("gateway.context_memory", memory)];
    gateway_with("chat, responses, messages", &settings).await
}

/// The same with these protocols of the provider, and further settings.
async fn gateway_with(protocols: &str, settings: &[(&str, &str)]) -> (Upstream, Gateway) {
    let provider = Provider::default();
    let upstream = Upstream::start(move |asked, _| provider.answer(asked)).await;
    let plan = Plan::with(&upstream).set("gateway.upstream_protocols", protocols);
    let plan = settings.iter().fold(plan, |plan, (key, value)| plan.set(key, value));
    (upstream, plan.start().await)
}

#[tokio::test]
async fn what_is_cached_without_context_is_cached_with_it() {
    for path in ["/v1/chat/completions", "/v1/responses", "/v1/messages"] {
        let (_upstream, plain) = gateway("turn", "64MB").await;
        let without = cached_share(path, &plain, false).await;
        for placement in ["turn", "question"] {
            let (_upstream, remembering) = gateway(placement, "64MB").await;
            let with = cached_share(path, &remembering, true).await;
            assert!(with >= 0.9 * without, "{path} {placement}: {with} of {without}");
            let (_upstream, forgetting) = gateway(placement, "0").await;
            let forgotten = cached_share(path, &forgetting, true).await;
            assert!(forgotten < 0.9 * with, "{path} {placement}: {forgotten} without memory shows nothing");
        }
    }
}

#[tokio::test]
async fn conversations_that_are_translated_for_messages_are_cached() {
    let off = [("gateway.mark_prompt_cache", "false")];
    let forgetting = [("gateway.context_memory", "0")];
    for path in ["/v1/chat/completions", "/v1/responses"] {
        let share = async |settings, has_context| {
            let (_upstream, gateway) = gateway_with("messages", settings).await;
            cached_share(path, &gateway, has_context).await
        };
        assert_eq!(share(&off, true).await, 0.0, "{path}");
        for has_context in [false, true] {
            let cached = share(&[], has_context).await;
            assert!(cached >= 0.9, "{path}: {cached}");
        }
        // Only the instructions are the same in the next turn.
        let cached = share(&forgetting, true).await;
        assert!(cached > 0.0 && cached < 0.9, "{path}: {cached}");
    }
}

#[tokio::test]
async fn what_was_given_is_not_given_again_and_stays_where_it_was() {
    let (upstream, gateway) = gateway("turn", "64MB").await;
    let question = |text: &str| json!({ "role": "user", "content": text });
    let mut turns = vec![question("one")];
    let ask = async |turns: &[Value], turn: usize| {
        let body = json!({ "model": "mock", "messages": turns, "semantic_results": results(turn) });
        let answer = gateway.chat(body).await;
        let sent = upstream.last()["messages"].as_array().unwrap().clone();
        (answer.header("x-craig-context").to_owned(), answer.header("x-craig-trouble").to_owned(), sent)
    };
    let (context, _, first) = ask(&turns, 1).await;
    assert_eq!((context.as_str(), first.len()), ("src/part_1.rs:1-20;src/ast.rs:1-1", 3));
    let call = json!({ "role": "assistant", "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "f", "arguments": "{}" } }] });
    turns.extend([call, json!({ "role": "tool", "tool_call_id": "c", "content": "7" })]);
    let (context, _, called) = ask(&turns, 1).await;
    assert_eq!((context.as_str(), &called[..3]), ("src/part_1.rs:1-20;src/ast.rs:1-1", &first[..]));
    turns.extend([json!({ "role": "assistant", "content": "well" }), question("two")]);
    let (context, _, second) = ask(&turns, 2).await;
    assert_eq!((context.as_str(), &second[..5]), ("src/part_2.rs:1-20", &called[..]));
    assert_eq!(second.len(), 9);
    turns.extend([json!({ "role": "assistant", "content": "well" }), question("three")]);
    let (context, trouble, third) = ask(&turns, 2).await;
    assert_eq!((context.as_str(), trouble.as_str()), ("", "given_before"));
    assert_eq!((&third[..9], third.len()), (&second[..], 11));
}
