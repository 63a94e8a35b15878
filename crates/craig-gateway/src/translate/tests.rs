use expect_test::{Expect, expect};
use prometheus::IntGauge;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::neutral::{
    Answer, Call, Finish, Format, Image, Part, Request, Role, StreamEvent, Tool, ToolChoice, ToolResult, Turn,
};
use super::{CacheMarks, Translation, dialect};
use crate::budget::Budget;
use crate::protocol::{ProtocolName, Usage};
use crate::sse::Framing;
use crate::translate::StreamTranslation;
use crate::translate::sse::EventReader;
use ProtocolName::{Chat, Messages, Responses};

fn between(client: ProtocolName, provider: ProtocolName) -> Translation {
    Translation { client, provider }
}

/// The pairs of different protocols.
fn pairs() -> impl Iterator<Item = Translation> {
    let pairs = ProtocolName::ALL.into_iter().flat_map(|a| ProtocolName::ALL.map(|b| between(a, b)));
    pairs.filter(|pair| pair.client != pair.provider)
}

fn check(translation: Translation, request: Value, expected: Expect) {
    check_cached(translation, request, CacheMarks::None, expected);
}

fn check_cached(translation: Translation, request: Value, marks: CacheMarks, expected: Expect) {
    let written = translation.request(request.to_string().as_bytes(), marks);
    let written = written.map_err(|problem| problem.message);
    expected.assert_eq(&String::from_utf8(written.unwrap()).unwrap());
}

/// A translated stream with `n_bytes` of memory, and what shows how much of it is reserved.
fn stream_within(
    translation: Translation,
    reports_usage: bool,
    n_bytes: usize,
) -> (StreamTranslation, IntGauge) {
    let gauge = IntGauge::new("held", "for a test").unwrap();
    let (_, for_answers) = Budget::for_requests_and_answers(4 * n_bytes, &gauge);
    let room = for_answers.reservation();
    (StreamTranslation::new(translation, Framing::OpenAi, reports_usage, room), gauge)
}

fn new_stream(translation: Translation, reports_usage: bool) -> StreamTranslation {
    stream_within(translation, reports_usage, 1 << 20).0
}

fn messages_request() -> Value {
    json!({
        "model": "m", "max_tokens": 9, "stream": true, "temperature": 0.5, "stop_sequences": ["END"],
        "system": [{ "type": "text", "text": "Be brief.", "cache_control": { "type": "ephemeral" } }],
        "metadata": { "user_id": "u" }, "thinking": { "type": "enabled", "budget_tokens": 1024 },
        "tools": [{ "name": "f", "description": "d", "input_schema": { "type": "object", "b": 1, "a": 2 }, "eager_input_streaming": true }],
        "tool_choice": { "type": "any", "disable_parallel_tool_use": true },
        "messages": [
            { "role": "user", "content": [
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } },
                { "type": "image", "source": { "type": "url", "url": "https://example.com/a.png" } },
                { "type": "text", "text": "What is it?" },
            ] },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "t1", "name": "f", "input": { "b": 1.0, "a": [] } },
                { "type": "tool_use", "id": "t2", "name": "f", "input": {} },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "t1", "content": "one" },
                { "type": "tool_result", "tool_use_id": "t2", "is_error": true, "content": [
                    { "type": "text", "text": "two" },
                    { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "BBBB" } },
                ] },
                { "type": "text", "text": "Go on." },
            ] },
        ],
    })
}

#[test]
fn requests_keep_their_meaning() {
    check(
        between(Messages, Chat),
        messages_request(),
        expect![[
            r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"text","text":"What is it?"}]},{"role":"assistant","content":"I look.","tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{\"a\":[],\"b\":1.0}"}},{"id":"t2","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t1","content":"one"},{"role":"tool","tool_call_id":"t2","content":"two"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,BBBB"}},{"type":"text","text":"Go on."}]}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"a":2,"b":1,"type":"object"}}}],"tool_choice":"required","parallel_tool_calls":false,"temperature":0.5,"max_tokens":9,"stop":["END"],"stream":true,"stream_options":{"include_usage":true}}"#
        ]],
    );
    let mut without_stop = messages_request();
    without_stop["stop_sequences"] = Value::Null;
    check(
        between(Messages, Responses),
        without_stop,
        expect![[
            r#"{"model":"m","instructions":"Be brief.","input":[{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"auto"},{"type":"input_image","image_url":"https://example.com/a.png","detail":"auto"},{"type":"input_text","text":"What is it?"}]},{"type":"message","role":"assistant","content":"I look."},{"type":"function_call","call_id":"t1","name":"f","arguments":"{\"a\":[],\"b\":1.0}"},{"type":"function_call","call_id":"t2","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"t1","output":"one"},{"type":"function_call_output","call_id":"t2","output":[{"type":"input_text","text":"two"},{"type":"input_image","image_url":"data:image/png;base64,BBBB","detail":"auto"}]},{"type":"message","role":"user","content":"Go on."}],"tools":[{"type":"function","name":"f","description":"d","parameters":{"a":2,"b":1,"type":"object"},"strict":false}],"tool_choice":"required","parallel_tool_calls":false,"temperature":0.5,"max_output_tokens":9,"store":false,"stream":true}"#
        ]],
    );
    let chat = json!({
        "model": "m", "user": "u", "n": 1, "seed": 7, "parallel_tool_calls": false, "stop": "END",
        "messages": [
            { "role": "system", "content": "Be brief." }, { "role": "user", "content": "hi", "name": "ann" },
            { "role": "assistant", "content": null, "refusal": null, "annotations": [], "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "f", "arguments": "{\"b\": 1, \"a\": 2}" } },
                { "id": "c2", "type": "function", "function": { "name": "f", "arguments": "" } },
            ] },
            { "role": "tool", "tool_call_id": "c1", "content": "one" },
            { "role": "tool", "tool_call_id": "c2", "content": [{ "type": "text", "text": "two" }] },
            { "role": "user", "content": [
                { "type": "text", "text": "so?" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA", "detail": "low" } },
            ] },
        ],
        "tools": [{ "type": "function", "function": { "name": "f" } }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "x", "strict": true, "schema": { "type": "object" } } },
    });
    check(
        between(Chat, Messages),
        chat,
        expect![[
            r#"{"model":"m","max_tokens":8192,"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"b": 1, "a": 2}},{"type":"tool_use","id":"c2","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"c2","content":"two"},{"type":"text","text":"so?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}],"tool_choice":{"disable_parallel_tool_use":true,"type":"auto"},"stop_sequences":["END"],"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}}"#
        ]],
    );
    let responses = json!({
        "model": "m", "instructions": "Be brief.", "store": false, "include": ["reasoning.encrypted_content"],
        "reasoning": { "effort": "low", "summary": "auto" }, "text": { "format": { "type": "text" }, "verbosity": "low" },
        "input": [
            { "role": "user", "content": [{ "type": "input_text", "text": "hi" }] },
            { "type": "message", "id": "msg", "status": "completed", "role": "assistant", "content": [
                { "type": "output_text", "text": "I look.", "annotations": [], "logprobs": [] },
            ] },
            { "type": "function_call", "id": "fc", "call_id": "c1", "name": "f", "arguments": "{}", "status": "completed" },
            { "type": "function_call", "call_id": "c2", "name": "f", "arguments": "{\"a\":1}" },
            { "type": "function_call_output", "call_id": "c1", "output": "one" },
            { "type": "function_call_output", "call_id": "c2", "output": [{ "type": "input_text", "text": "two" }] },
        ],
    });
    check(
        between(Responses, Chat),
        responses.clone(),
        expect![[
            r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"},{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"one"},{"role":"tool","tool_call_id":"c2","content":"two"}],"reasoning_effort":"low"}"#
        ]],
    );
    check(
        between(Responses, Messages),
        responses,
        expect![[
            r#"{"model":"m","max_tokens":8192,"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"c1","name":"f","input":{}},{"type":"tool_use","id":"c2","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"c2","content":"two"}]}]}"#
        ]],
    );
}

#[test]
fn a_conversation_is_marked_for_the_cache_of_messages() {
    let turns = |system: Value| {
        json!({
            "messages": [
                system, { "role": "user", "content": "hi" }, { "role": "assistant", "content": "yes" },
                { "role": "user", "content": [
                    { "type": "text", "text": "so?" },
                    { "type": "image_url", "image_url": { "url": "https://example.com/a.png" } },
                ] },
            ],
            "tools": [
                { "type": "function", "function": { "name": "f" } }, { "type": "function", "function": { "name": "g" } },
            ],
        })
    };
    let with_system = turns(json!({ "role": "system", "content": "Be brief." }));
    let without = turns(json!({ "role": "user", "content": "hello" }));
    check_cached(
        between(Chat, Messages),
        with_system.clone(),
        CacheMarks::Conversation,
        expect![[
            r#"{"max_tokens":8192,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"yes"}]},{"role":"user","content":[{"type":"text","text":"so?"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"},"cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}},{"name":"g","input_schema":{"type":"object","properties":{}}}]}"#
        ]],
    );
    check_cached(
        between(Chat, Messages),
        with_system,
        CacheMarks::Instructions,
        expect![[
            r#"{"max_tokens":8192,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"yes"}]},{"role":"user","content":[{"type":"text","text":"so?"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}},{"name":"g","input_schema":{"type":"object","properties":{}}}]}"#
        ]],
    );
    check_cached(
        between(Chat, Messages),
        without,
        CacheMarks::Conversation,
        expect![[
            r#"{"max_tokens":8192,"messages":[{"role":"user","content":[{"type":"text","text":"hello"},{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"yes"}]},{"role":"user","content":[{"type":"text","text":"so?"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"},"cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}},{"name":"g","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}]}"#
        ]],
    );
}

/// The field that is named when `request` with these fields is refused, and whether it only cannot be translated.
fn refused(translation: Translation, fields: Value) -> (String, String) {
    let mut request = match translation.client {
        Chat => json!({ "messages": [{ "role": "user", "content": "hi" }] }),
        Responses => json!({ "input": "hi" }),
        Messages => json!({ "max_tokens": 9, "messages": [{ "role": "user", "content": "hi" }] }),
    };
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let problem = translation.request(request.to_string().as_bytes(), CacheMarks::None).unwrap_err();
    assert_eq!(problem.status, http::StatusCode::BAD_REQUEST);
    (problem.param.unwrap_or_default(), problem.code)
}

#[test]
fn a_field_that_cannot_be_translated_is_refused_by_its_name() {
    let user = |part: Value| json!({ "messages": [{ "role": "user", "content": [part] }] });
    let assistant = |part: Value| json!({ "messages": [{ "role": "assistant", "content": [part] }] });
    let item = |item: Value| json!({ "input": [item] });
    for (client, provider, fields, named) in [
        (Chat, Messages, json!({ "n": 2 }), "n"),
        (Chat, Messages, json!({ "logprobs": true }), "logprobs"),
        (Chat, Messages, json!({ "logit_bias": { "5": 1 } }), "logit_bias"),
        (Chat, Responses, json!({ "frequency_penalty": 0.5 }), "frequency_penalty"),
        (Chat, Responses, json!({ "stop": "x" }), "stop"),
        (Chat, Messages, json!({ "response_format": { "type": "json_object" } }), "response_format"),
        (Chat, Messages, json!({ "web_search_options": {} }), "web_search_options"),
        (Chat, Messages, json!({ "tools": [{ "type": "custom", "custom": {} }] }), "tools[0].type"),
        (
            Chat,
            Messages,
            user(json!({ "type": "input_audio", "input_audio": {} })),
            "messages[0].content[0].type",
        ),
        (Responses, Chat, json!({ "previous_response_id": "r" }), "previous_response_id"),
        (Responses, Chat, json!({ "store": true }), "store"),
        (Responses, Messages, json!({ "background": true }), "background"),
        (Responses, Messages, json!({ "text": { "format": { "type": "json_object" } } }), "text.format"),
        (Responses, Chat, json!({ "tools": [{ "type": "web_search" }] }), "tools[0].type"),
        (Responses, Chat, item(json!({ "type": "reasoning", "encrypted_content": "x" })), "input[0].type"),
        (Responses, Chat, item(json!({ "type": "item_reference", "id": "x" })), "input[0].type"),
        (Messages, Chat, json!({ "top_k": 5 }), "top_k"),
        (Messages, Chat, json!({ "mcp_servers": [{}] }), "mcp_servers"),
        (Messages, Responses, json!({ "stop_sequences": ["x"] }), "stop_sequences"),
        (Messages, Chat, json!({ "tools": [{ "type": "bash_20250124", "name": "bash" }] }), "tools[0].type"),
        (Messages, Chat, user(json!({ "type": "document", "source": {} })), "messages[0].content[0].type"),
        (
            Messages,
            Chat,
            assistant(json!({ "type": "thinking", "thinking": "t", "signature": "s" })),
            "messages[0].content[0].type",
        ),
    ] {
        let expected = (named.to_owned(), "untranslatable".to_owned());
        assert_eq!(refused(between(client, provider), fields.clone()), expected, "{fields}");
    }
    for (client, fields, named) in [
        (Chat, json!({ "temperature": "hot" }), "temperature"),
        (Chat, json!({ "messages": [{ "role": "user" }] }), "messages[0].content"),
        (Chat, json!({ "messages": "hi" }), "messages"),
        (
            Responses,
            item(json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "[" })),
            "input[0].arguments",
        ),
        (
            Messages,
            assistant(json!({ "type": "tool_use", "id": "c", "name": "f", "input": 7 })),
            "messages[0].content[0].input",
        ),
    ] {
        let provider = if client == Messages { Chat } else { Messages };
        let expected = (named.to_owned(), "invalid_request".to_owned());
        assert_eq!(refused(between(client, provider), fields.clone()), expected, "{fields}");
    }
    let problem =
        between(Chat, Messages).request(b"{\"messages\":[],\"n\":2}", CacheMarks::None).unwrap_err();
    expect![[r#"'n' cannot be translated from "chat" to "messages", the protocol of this model's provider: leave it out, or use a model whose provider supports "chat""#]].assert_eq(&problem.message);
}

/// A stream as a provider of each protocol sends it: a text, two calls at once, counts, and events of unknown kinds.
fn recorded(provider: ProtocolName) -> String {
    let usage = json!({ "prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": { "cached_tokens": 20 } });
    let chat = |delta: Value, finish: Value| json!({ "id": "x1", "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let call = |call: Value| chat(json!({ "tool_calls": [call] }), Value::Null);
    let events = match provider {
        Chat => vec![
            chat(json!({ "role": "assistant", "content": "" }), Value::Null),
            chat(json!({ "content": "Hé" }), Value::Null),
            json!({ "id": "x1", "choices": [], "unknown": true }),
            chat(json!({ "content": "llo", "reasoning_content": "hm" }), Value::Null),
            call(
                json!({ "index": 0, "id": "c1", "type": "function", "function": { "name": "f", "arguments": "" } }),
            ),
            call(json!({ "index": 0, "function": { "arguments": "{\"ci" } })),
            call(json!({ "index": 0, "function": { "arguments": "ty\":\"Oslo\"}" } })),
            call(
                json!({ "index": 1, "id": "c2", "type": "function", "function": { "name": "g", "arguments": "{}" } }),
            ),
            chat(json!({}), "tool_calls".into()),
            json!({ "id": "x1", "choices": [], "usage": usage }),
        ],
        Responses => {
            let item = |at: usize, id: &str, name: &str| json!({ "type": "response.output_item.added", "output_index": at, "item": { "type": "function_call", "id": "fc", "call_id": id, "name": name, "arguments": "" } });
            let arguments = |at: usize, delta: &str| json!({ "type": "response.function_call_arguments.delta", "output_index": at, "item_id": "fc", "delta": delta });
            let text = |delta: &str| json!({ "type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": delta });
            let usage = json!({ "input_tokens": 30, "output_tokens": 4, "input_tokens_details": { "cached_tokens": 20 }, "total_tokens": 34 });
            let output = json!([{ "type": "reasoning" }, { "type": "message", "content": [{ "type": "output_text", "text": "Héllo" }] }, { "type": "function_call" }]);
            vec![
                json!({ "type": "response.created", "response": { "id": "x1", "model": "m" } }),
                json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "reasoning" } }),
                text("Hé"),
                json!({ "type": "response.unheard_of", "delta": 7.5, "item": null }),
                text("llo"),
                item(2, "c1", "f"),
                arguments(2, "{\"ci"),
                arguments(2, "ty\":\"Oslo\"}"),
                item(3, "c2", "g"),
                json!({ "type": "response.function_call_arguments.done", "output_index": 3, "arguments": "{}" }),
                json!({ "type": "response.completed", "response": { "id": "x1", "status": "completed", "output": output, "usage": usage } }),
            ]
        }
        Messages => {
            let start = |at: usize, block: Value| json!({ "type": "content_block_start", "index": at, "content_block": block });
            let delta = |at: usize, delta: Value| json!({ "type": "content_block_delta", "index": at, "delta": delta });
            let tool =
                |id: &str, name: &str| json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
            let part = |json: &str| json!({ "type": "input_json_delta", "partial_json": json });
            vec![
                json!({ "type": "message_start", "message": { "id": "x1", "model": "m", "usage": { "input_tokens": 10, "cache_read_input_tokens": 20, "output_tokens": 1 } } }),
                json!({ "type": "ping" }),
                start(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
                delta(0, json!({ "type": "thinking_delta", "thinking": "hm" })),
                start(1, json!({ "type": "text", "text": "" })),
                delta(1, json!({ "type": "text_delta", "text": "Hé" })),
                json!({ "type": "unheard_of" }),
                delta(1, json!({ "type": "text_delta", "text": "llo" })),
                start(2, tool("c1", "f")),
                delta(2, part("")),
                delta(2, part("{\"ci")),
                delta(2, part("ty\":\"Oslo\"}")),
                json!({ "type": "content_block_stop", "index": 2 }),
                start(3, tool("c2", "g")),
                delta(3, part("{}")),
                json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use", "stop_sequence": null }, "usage": { "output_tokens": 4 } }),
                json!({ "type": "message_stop" }),
            ]
        }
    };
    let event = |event: &Value| match event["type"].as_str() {
        Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
        None => format!(": keep-alive\n\ndata: {event}\n\n"),
    };
    let done = if provider == Chat { "data: [DONE]\n\n" } else { "" };
    events.iter().map(event).collect::<String>() + done
}

/// What the events of a stream mean.
fn meaning(protocol: ProtocolName, stream: &[u8]) -> Vec<StreamEvent> {
    let (mut reader, mut events) = (dialect(protocol).stream_reader(), Vec::new());
    let read =
        EventReader::default().push(stream, |name, data| reader.read(name, data, &mut events).unwrap());
    assert!(read.is_ok());
    events
}

#[test]
fn streams_mean_the_same_however_they_are_cut() {
    for translation in pairs() {
        let stream = recorded(translation.provider);
        let meant = meaning(translation.provider, stream.as_bytes());
        let usage = Usage { input_tokens: 30, output_tokens: 4, cached_tokens: 20, ..Usage::default() };
        let counted = meant.iter().rev().find(|event| matches!(event, StreamEvent::Usage(_)));
        assert_eq!(counted, Some(&StreamEvent::Usage(usage)), "{translation:?}");
        for stream in [stream.clone(), stream.replace('\n', "\r\n")] {
            for size in 1..stream.len().min(200) {
                let mut translated = new_stream(translation, true);
                let mut out = Vec::new();
                for piece in stream.as_bytes().chunks(size) {
                    let (events, problem) = translated.push(piece);
                    assert!(problem.is_none(), "{translation:?}, {size}");
                    out.extend_from_slice(&events);
                }
                assert_eq!(meaning(translation.client, &out), meant, "{translation:?}, {size}");
                assert!(translated.end(b"").0.is_empty(), "the stream has ended before");
            }
        }
    }
}

#[test]
fn the_events_of_a_stream_are_those_of_the_clients_protocol() {
    let kinds = |client: ProtocolName, provider: ProtocolName| {
        let mut translated = new_stream(between(client, provider), false);
        let (out, _) = translated.push(recorded(provider).as_bytes());
        let text = String::from_utf8(out.to_vec()).unwrap();
        let events =
            text.split("\n\n").filter(|event| !event.is_empty()).map(|event| match event.split_once('\n') {
                Some((name, data)) => {
                    let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
                    assert_eq!(name, format!("event: {}", data["type"].as_str().unwrap()));
                    name.strip_prefix("event: ").unwrap().to_owned()
                }
                None => if event == "data: [DONE]" { "[DONE]" } else { "data" }.to_owned(),
            });
        let mut events: Vec<String> = events.collect();
        events.dedup();
        events.join(" ")
    };
    expect!["message_start content_block_start content_block_delta content_block_stop content_block_start content_block_delta content_block_stop content_block_start content_block_delta content_block_stop message_delta message_stop"].assert_eq(&kinds(Messages, Chat));
    expect!["response.created response.in_progress response.output_item.added response.content_part.added response.output_text.delta response.output_text.done response.content_part.done response.output_item.done response.output_item.added response.function_call_arguments.delta response.function_call_arguments.done response.output_item.done response.output_item.added response.function_call_arguments.delta response.function_call_arguments.done response.output_item.done response.completed"].assert_eq(&kinds(Responses, Messages));
    expect!["data [DONE]"].assert_eq(&kinds(Chat, Messages));
}

#[test]
fn a_stream_that_fails_ends_with_an_error_of_the_clients_protocol() {
    let failing = |translation: Translation, event: &str| {
        let mut translated = new_stream(translation, false);
        let start = recorded(translation.provider);
        let start = &start[..start.find("\n\n").unwrap() + 2];
        translated.push(start.as_bytes());
        let (_, problem) = translated.push(event.as_bytes());
        let problem = problem.unwrap();
        let event = translated.error_event(&problem);
        (problem.code, String::from_utf8(event.to_vec()).unwrap())
    };
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"key\"}}\n\n";
    let (code, event) = failing(between(Chat, Messages), overloaded);
    assert_eq!(code, "upstream_error");
    expect![[r#"
        data: {"error":{"message":"the provider failed","type":"upstream_error","param":null,"code":"upstream_error"}}

    "#]]
    .assert_eq(&event);
    let limited = "data: {\"error\":{\"code\":429,\"message\":\"key\"}}\n\n";
    expect![[r#"
        event: error
        data: {"type":"error","error":{"type":"rate_limit_error","message":"the provider's rate limit is reached","code":"upstream_rate_limit"}}

    "#]]
    .assert_eq(&failing(between(Messages, Chat), limited).1);
    for bad in ["data: garbage\n\n", "data: {\"choices\":7}\n\n"] {
        assert_eq!(failing(between(Responses, Chat), bad).0, "upstream_bad_answer", "{bad}");
    }
}

#[test]
fn a_stream_has_one_start_and_one_end_whatever_the_provider_sends() {
    for translation in pairs() {
        let whole = recorded(translation.provider);
        let first = whole.find("\n\n").unwrap() + 2;
        let (start, rest) = whole.split_at(first);
        let trailer = "data: <html>\n\n";
        for stream in [rest.to_owned(), [start, &whole].concat(), [&whole, trailer, &whole].concat()] {
            let mut translated = new_stream(translation, false);
            let (events, problem) = translated.push(stream.as_bytes());
            let meant = meaning(translation.client, &events);
            let n_starts = meant.iter().filter(|event| matches!(event, StreamEvent::Start { .. })).count();
            let n_ends = meant.iter().filter(|event| **event == StreamEvent::End).count();
            assert_eq!(
                (problem.map(|problem| problem.code), n_starts, n_ends),
                (None, 1, 1),
                "{translation:?}"
            );
        }
    }
}

#[test]
fn what_a_stream_holds_counts_toward_the_memory_for_answers() {
    let chunk =
        |text: &str| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }));
    let start = recorded(Chat);
    let start = &start[..start.find("\n\n").unwrap() + 2];

    // The whole answer, which the last event repeats.
    let (mut held, gauge) = stream_within(between(Responses, Chat), false, 64 << 10);
    assert!(held.push(start.as_bytes()).1.is_none());
    let pieces = (1..=100).map(|_| held.push(chunk(&"x".repeat(1 << 10)).as_bytes()).1);
    let n_passed = pieces.take_while(Option::is_none).count();
    assert!((16..64).contains(&n_passed), "{n_passed}");
    assert!(gauge.get() > 32 << 10, "{}", gauge.get());
    drop(held);
    assert_eq!(gauge.get(), 0);

    // The last events, until they are sent.
    let (mut held, gauge) = stream_within(between(Responses, Chat), false, 64 << 10);
    held.push(start.as_bytes());
    held.push(chunk(&"x".repeat(1 << 10)).as_bytes());
    let (events, problem) = held.end(b"");
    drop(held);
    assert!(problem.is_none() && gauge.get() > 4 << 10, "{}", gauge.get());
    drop(events);
    assert_eq!(gauge.get(), 0);

    // An incomplete event.
    let (mut held, _) = stream_within(between(Messages, Chat), false, 64 << 10);
    let line = "data: ".to_owned() + &"x".repeat(100 << 10);
    let problem = line.as_bytes().chunks(1 << 10).find_map(|piece| held.push(piece).1);
    assert_eq!(problem.map(|problem| problem.code).as_deref(), Some("overloaded"));
}

#[test]
fn arguments_that_come_after_another_call_has_started_break_a_stream_off() {
    let call =
        |call: Value| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }));
    let stream = [
        call(json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{" } })),
        call(json!({ "index": 1, "id": "b", "function": { "name": "f", "arguments": "{}" } })),
        call(json!({ "index": 0, "function": { "arguments": "}" } })),
    ]
    .concat();
    for client in [Messages, Responses] {
        let mut translated = new_stream(between(client, Chat), false);
        let (_, problem) = translated.push(stream.as_bytes());
        assert_eq!(problem.map(|problem| problem.code).as_deref(), Some("upstream_bad_answer"), "{client:?}");
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zé\"\\\\\n{}]{1,12}", Just("data:x".to_owned()), Just("😀 \u{0}".to_owned())]
}

fn arguments() -> impl Strategy<Value = String> {
    vec(text(), 0..3).prop_map(|texts| json!({ "b": texts, "a": 1.5 }).to_string())
}

fn call() -> impl Strategy<Value = Call> {
    (text(), text(), arguments()).prop_map(|(id, name, arguments)| Call { id, name, arguments })
}

fn content() -> impl Strategy<Value = Part> {
    let data = Image::Base64 { media_type: "image/png".to_owned(), data: "AAAA".to_owned() };
    prop_oneof![
        text().prop_map(Part::Text),
        Just(Part::Image(Image::Url("https://example.com/a".to_owned()))),
        Just(Part::Image(data)),
    ]
}

fn result() -> impl Strategy<Value = Part> {
    let texts = vec(text().prop_map(Part::Text), 0..3);
    (text(), texts).prop_map(|(call_id, parts)| Part::Result(ToolResult { call_id, parts }))
}

/// A turn of the user and one of the assistant, so that roles alternate.
fn exchange() -> impl Strategy<Value = [Turn; 2]> {
    let user = prop_oneof![vec(content(), 1..4), vec(result(), 1..3)];
    let texts = option::of(text().prop_map(Part::Text));
    let assistant = (texts, vec(call().prop_map(Part::Call), 0..3));
    (user, assistant).prop_map(|(user, (text, calls))| {
        let mut parts: Vec<Part> = text.into_iter().chain(calls).collect();
        if parts.is_empty() {
            parts.push(Part::Text("yes".to_owned()));
        }
        [Turn { role: Role::User, parts: user }, Turn { role: Role::Assistant, parts }]
    })
}

fn tool() -> impl Strategy<Value = Tool> {
    (text(), option::of(text()), arguments(), option::of(Just(true))).prop_map(
        |(name, description, parameters, is_strict)| Tool {
            name,
            description,
            parameters: Some(parameters),
            is_strict,
        },
    )
}

fn choice() -> impl Strategy<Value = ToolChoice> {
    prop_oneof![
        Just(ToolChoice::Auto),
        Just(ToolChoice::Never),
        Just(ToolChoice::Any),
        text().prop_map(ToolChoice::Named),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let turns = vec(exchange(), 0..4).prop_map(|exchanges| exchanges.concat());
    let settings =
        (option::of(text()), any::<bool>(), option::of(Just("0.50".to_owned())), option::of(arguments()));
    (option::of(text()), turns, vec(tool(), 1..3), option::of(choice()), settings).prop_map(
        |(system, turns, tools, tool_choice, (model, is_streamed, temperature, schema))| Request {
            model,
            is_streamed,
            system: system.into_iter().collect(),
            turns,
            tools,
            tool_choice,
            temperature,
            max_tokens: Some(9),
            format: schema.map(|schema| Format::Schema {
                name: Some("answer".to_owned()),
                schema,
                is_strict: Some(true),
            }),
            ..Request::default()
        },
    )
}

/// The request as `protocol` expresses it.
fn expressed(mut request: Request, protocol: ProtocolName) -> Request {
    match (protocol, &mut request.format) {
        (Messages, Some(Format::Schema { name, is_strict, .. })) => (*name, *is_strict) = (None, None),
        (Responses, _) => request.tools.iter_mut().for_each(|tool| _ = tool.is_strict.get_or_insert(false)),
        _ => {}
    }
    request
}

proptest! {
    #[test]
    fn a_conversation_is_the_same_in_each_protocol(request in request()) {
        for protocol in ProtocolName::ALL {
            let written = dialect(protocol).write_request(&request).unwrap();
            prop_assert!(serde_json::from_str::<Value>(&written).is_ok(), "{}", written);
            let read = dialect(protocol).read_request(written.as_bytes()).unwrap();
            prop_assert_eq!(read, expressed(request.clone(), protocol));
        }
    }

    #[test]
    fn an_answer_is_the_same_in_each_protocol(
        text in option::of(text()),
        calls in vec(call(), 0..3),
        is_cut in any::<bool>(),
    ) {
        let finish = match (is_cut, calls.is_empty()) {
            (true, _) => Finish::Length,
            (false, true) => Finish::Stop,
            (false, false) => Finish::Calls,
        };
        let parts = text.map(Part::Text).into_iter().chain(calls.into_iter().map(Part::Call)).collect();
        let answer = Answer { id: "x".to_owned(), model: "m".to_owned(), parts, finish, usage: None };
        for protocol in ProtocolName::ALL {
            let written = dialect(protocol).write_answer(&answer).unwrap();
            prop_assert_eq!(dialect(protocol).read_answer(written.as_bytes()).unwrap(), answer.clone());
        }
    }
}
