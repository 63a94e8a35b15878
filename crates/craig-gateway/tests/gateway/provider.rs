//! A provider that speaks the three protocols as they are documented: it refuses what they forbid, answers with text, calls
//! of tools, structured output and thoughts, and caches prefixes as OpenAI and Anthropic do.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::upstream::{Asked, End, Reply};

/// OpenAI caches prompts from this length on, in steps.
const LEAST_CACHED_TOKENS: usize = 1_024;
const CACHE_STEP_TOKENS: usize = 128;

/// Anthropic looks for cached prefixes at this many blocks before a breakpoint, which are so many at most.
const LOOK_BACK: usize = 20;
const MAX_BREAKPOINTS: usize = 4;

/// The provider. It ends with its process.
#[derive(Default)]
pub(crate) struct Provider {
    state: Mutex<State>,
    pause: Duration,
}

#[derive(Default)]
struct State {
    /// Prompts of OpenAI's protocols.
    prompts: Vec<String>,
    /// Prefixes that end at a breakpoint.
    prefixes: HashSet<blake3::Hash>,
    /// Turns of stored responses, the answer included.
    stored: HashMap<String, Vec<Value>>,
    n_answers: usize,
}

/// Tokens of a prompt.
#[derive(Clone, Copy, Default)]
struct Tokens {
    all: usize,
    cached: usize,
    written: usize,
}

/// What is answered.
enum Output {
    Text(String),
    Call { name: String, arguments: String },
}

/// A refusal: status, Anthropic's and OpenAI's type, message.
type Refused = (u16, &'static str, String);

impl Provider {
    /// One that waits after each event of a stream.
    pub(crate) fn with_pause(pause: Duration) -> Self {
        Self { pause, ..Self::default() }
    }

    pub(crate) fn answer(&self, asked: &Asked) -> Reply {
        let path = asked.path.split('?').next().unwrap_or_default();
        let is_messages = path.contains("/messages");
        let body = asked.json();
        let answered = match path {
            _ if !has_key(asked, is_messages) => {
                Err((401, "authentication_error", "invalid x-api-key or bearer".to_owned()))
            }
            "/v1/chat/completions" => self.chat(&body),
            "/v1/completions" => self.completion(&body),
            "/v1/embeddings" => Ok(Reply::json(json!({
                "object": "list", "model": body["model"], "usage": { "prompt_tokens": 3, "total_tokens": 3 },
                "data": [{ "object": "embedding", "index": 0, "embedding": [0.6, 0.8] }],
            }))),
            "/v1/responses" => self.responses(&body),
            "/v1/messages" if asked.header("anthropic-version").is_none() => {
                Err((400, "invalid_request_error", "anthropic-version: header is required".to_owned()))
            }
            "/v1/messages" => self.messages(&body),
            "/v1/messages/count_tokens" => check_messages(&body).map(|()| {
                let n_tokens: usize = blocks(&body).iter().map(|(block, _)| tokens(block)).sum();
                Reply::json(json!({ "input_tokens": n_tokens }))
            }),
            _ => Err((404, "not_found_error", format!("there is no {path}"))),
        };
        let answer = answered.unwrap_or_else(|(status, kind, message)| {
            let error = json!({ "type": kind, "message": message, "param": null, "code": null });
            match is_messages {
                true => Reply::status(status, json!({ "type": "error", "error": error })),
                false => Reply::status(status, json!({ "error": error })),
            }
        });
        answer.with_header("request-id", "req_provider")
    }

    fn next_id(&self, prefix: &str) -> String {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.n_answers += 1;
        format!("{prefix}_{}", state.n_answers)
    }

    fn stream(&self, events: Vec<String>) -> Reply {
        Reply::Stream { events, pause: self.pause, end: End::Well }
    }

    /// The longest prefix that an earlier prompt had, as OpenAI's automatic cache counts it.
    fn openai_tokens(&self, prompt: String) -> Tokens {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let common = |other: &String| prompt.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let longest = state.prompts.iter().map(common).max().unwrap_or_default() / 4;
        let cached =
            if longest < LEAST_CACHED_TOKENS { 0 } else { longest / CACHE_STEP_TOKENS * CACHE_STEP_TOKENS };
        let all = tokens(&prompt);
        state.prompts.push(prompt);
        Tokens { all, cached, written: 0 }
    }

    /// The longest prefix that was written at a breakpoint before, as Anthropic's cache counts it.
    fn anthropic_tokens(&self, blocks: &[(String, bool)]) -> Tokens {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hasher = blake3::Hasher::new();
        let mut ends = Vec::new();
        let mut all = 0;
        for (block, is_breakpoint) in blocks {
            hasher.update(block.as_bytes());
            all += tokens(block);
            ends.push((hasher.finalize(), all, *is_breakpoint));
        }
        let breakpoints: Vec<usize> = (0..ends.len()).filter(|at| ends[*at].2).collect();
        let cached = breakpoints.iter().flat_map(|at| ends[at.saturating_sub(LOOK_BACK)..=*at].iter());
        let cached = cached.filter(|(hash, ..)| state.prefixes.contains(hash)).map(|(_, n, _)| *n).max();
        let cached = cached.unwrap_or_default();
        let written = breakpoints.last().map_or(0, |at| ends[*at].1.saturating_sub(cached));
        state.prefixes.extend(breakpoints.iter().map(|at| ends[*at].0));
        Tokens { all, cached, written }
    }

    fn chat(&self, body: &Value) -> Result<Reply, Refused> {
        let turns = list(body, "messages")?;
        check_chat(turns, body["model"].as_str().unwrap_or_default().starts_with("strict"))?;
        let output = output_for(turns, body, body["response_format"]["type"] == "json_schema");
        let prompt: String = [&body["tools"]].into_iter().chain(turns).map(Value::to_string).collect();
        let counted = self.openai_tokens(prompt);
        let n_output = tokens(output.text());
        let usage = json!({
            "prompt_tokens": counted.all, "completion_tokens": n_output, "total_tokens": counted.all + n_output,
            "prompt_tokens_details": { "cached_tokens": counted.cached },
        });
        let (id, model) = (self.next_id("chatcmpl"), &body["model"]);
        let call = |arguments: &str, name: &str| json!({ "index": 0, "id": "call_1", "type": "function", "function": { "name": name, "arguments": arguments } });
        if body["stream"] != true {
            let (message, reason) = match &output {
                Output::Text(text) => {
                    (json!({ "role": "assistant", "content": text, "refusal": null }), "stop")
                }
                Output::Call { name, arguments } => (
                    json!({ "role": "assistant", "content": null, "tool_calls": [call(arguments, name)] }),
                    "tool_calls",
                ),
            };
            let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": reason });
            return Ok(Reply::json(
                json!({ "id": id, "object": "chat.completion", "created": 1, "model": model, "choices": [choice], "usage": usage }),
            ));
        }
        let wants_usage = body["stream_options"]["include_usage"] == true;
        let chunk = |choices: Value, usage: Option<&Value>| {
            let mut chunk = json!({ "id": id, "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices });
            if wants_usage {
                chunk["usage"] = usage.cloned().unwrap_or_default();
            }
            format!("data: {chunk}\n\n")
        };
        let delta = |delta: Value, reason: Option<&str>| {
            chunk(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason }]), None)
        };
        let mut events = vec![delta(json!({ "role": "assistant", "content": "" }), None)];
        match &output {
            Output::Text(text) => {
                events.extend(words(text).map(|word| delta(json!({ "content": word }), None)));
                events.push(delta(json!({}), Some("stop")));
            }
            Output::Call { name, arguments } => {
                events.push(delta(json!({ "tool_calls": [call("", name)] }), None));
                let part = json!({ "tool_calls": [{ "index": 0, "function": { "arguments": arguments } }] });
                events.push(delta(part, None));
                events.push(delta(json!({}), Some("tool_calls")));
            }
        }
        if wants_usage {
            events.push(chunk(json!([]), Some(&usage)));
        }
        events.push("data: [DONE]\n\n".to_owned());
        Ok(self.stream(events))
    }

    fn completion(&self, body: &Value) -> Result<Reply, Refused> {
        let prompt = body["prompt"].as_str().ok_or_else(|| invalid("'prompt' is a required property"))?;
        let text = format!("between {prompt} and {}", body["suffix"].as_str().unwrap_or_default());
        let answer = |text: &str, reason: Option<&str>| {
            json!({ "id": "cmpl-1", "object": "text_completion", "created": 1, "model": body["model"],
                "choices": [{ "index": 0, "text": text, "logprobs": null, "finish_reason": reason }] })
        };
        if body["stream"] != true {
            let mut answer = answer(&text, Some("stop"));
            answer["usage"] = json!({ "prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12 });
            return Ok(Reply::json(answer));
        }
        let mut events: Vec<String> =
            words(&text).map(|word| format!("data: {}\n\n", answer(word, None))).collect();
        events.push(format!("data: {}\n\ndata: [DONE]\n\n", answer("", Some("stop"))));
        Ok(self.stream(events))
    }

    fn responses(&self, body: &Value) -> Result<Reply, Refused> {
        let given = match &body["input"] {
            Value::String(text) => vec![json!({ "role": "user", "content": text })],
            Value::Array(items) => items.clone(),
            _ => return Err(invalid("Invalid type for 'input'")),
        };
        let mut turns = match body["previous_response_id"].as_str() {
            Some(id) => {
                let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                let unknown =
                    || (400, "invalid_request_error", format!("Previous response with id '{id}' not found."));
                state.stored.get(id).cloned().ok_or_else(unknown)?
            }
            None => Vec::new(),
        };
        turns.extend(given);
        check_items(&turns)?;
        let output = output_for(&turns, body, body["text"]["format"]["type"] == "json_schema");
        let head = [&body["tools"], &body["instructions"]];
        let prompt: String = head.into_iter().chain(&turns).map(Value::to_string).collect();
        let counted = self.openai_tokens(prompt);
        let (id, n_output) = (self.next_id("resp"), tokens(output.text()));
        let item = match &output {
            Output::Text(text) => json!({
                "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{ "type": "output_text", "text": text, "annotations": [] }],
            }),
            Output::Call { name, arguments } => json!({
                "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": arguments, "status": "completed",
            }),
        };
        if body["store"] != false {
            turns.push(item.clone());
            self.state.lock().unwrap_or_else(PoisonError::into_inner).stored.insert(id.clone(), turns);
        }
        let response = |status: &str, output: Value, usage: Value| {
            json!({
                "id": id, "object": "response", "created_at": 1, "status": status, "error": null, "incomplete_details": null,
                "instructions": body["instructions"], "model": body["model"], "output": output, "parallel_tool_calls": true,
                "previous_response_id": body["previous_response_id"], "store": body["store"] != false, "temperature": 1.0,
                "tool_choice": "auto", "tools": body["tools"].as_array().cloned().unwrap_or_default(), "top_p": 1.0,
                "usage": usage, "metadata": {},
            })
        };
        let usage = json!({
            "input_tokens": counted.all, "input_tokens_details": { "cached_tokens": counted.cached, "cache_write_tokens": 0 },
            "output_tokens": n_output, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": counted.all + n_output,
        });
        let completed = response("completed", json!([item]), usage);
        if body["stream"] != true {
            return Ok(Reply::json(completed));
        }
        let started = response("in_progress", json!([]), Value::Null);
        let mut events = vec![
            json!({ "type": "response.created", "response": started }),
            json!({ "type": "response.in_progress", "response": started }),
        ];
        events.extend(item_events(&output, &item));
        events.push(json!({ "type": "response.completed", "response": completed }));
        let written = events.into_iter().enumerate().map(|(number, mut event)| {
            event["sequence_number"] = number.into();
            named(&event)
        });
        Ok(self.stream(written.collect()))
    }

    fn messages(&self, body: &Value) -> Result<Reply, Refused> {
        check_messages(body)?;
        if !body["max_tokens"].is_u64() {
            return Err(invalid("max_tokens: Field required"));
        }
        let turns = list(body, "messages")?;
        let counted = self.anthropic_tokens(&blocks(body));
        let output = output_for(turns, body, body["output_config"]["format"]["type"] == "json_schema");
        let mut content = Vec::new();
        if thinks(body) {
            let thought = "Let me think.";
            content.push(json!({ "type": "thinking", "thinking": thought, "signature": signature(thought) }));
        }
        let reason = match &output {
            Output::Text(text) => {
                content.push(json!({ "type": "text", "text": text }));
                "end_turn"
            }
            Output::Call { name, arguments } => {
                let input: Value = serde_json::from_str(arguments).unwrap_or_default();
                content.push(json!({ "type": "tool_use", "id": "toolu_1", "name": name, "input": input }));
                "tool_use"
            }
        };
        let usage = |n_output: usize| {
            json!({
                "input_tokens": counted.all - counted.cached - counted.written, "cache_read_input_tokens": counted.cached,
                "cache_creation_input_tokens": counted.written, "output_tokens": n_output,
            })
        };
        let n_output = tokens(output.text());
        let mut message = json!({
            "id": self.next_id("msg"), "type": "message", "role": "assistant", "model": body["model"], "content": content,
            "stop_reason": reason, "stop_sequence": null, "usage": usage(n_output),
        });
        if body["stream"] != true {
            return Ok(Reply::json(message));
        }
        message["content"] = json!([]);
        message["stop_reason"] = Value::Null;
        message["usage"] = usage(1);
        let mut events = vec![json!({ "type": "message_start", "message": message })];
        for (index, block) in content.iter().enumerate() {
            events.extend(block_events(index, block));
            events.push(json!({ "type": "ping" }));
        }
        let delta = json!({ "stop_reason": reason, "stop_sequence": null });
        events
            .push(json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": n_output } }));
        events.push(json!({ "type": "message_stop" }));
        Ok(self.stream(events.iter().map(named).collect()))
    }
}

impl Output {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Call { arguments, .. } => arguments,
        }
    }
}

fn has_key(asked: &Asked, is_messages: bool) -> bool {
    let key = match is_messages {
        true => asked.header("x-api-key"),
        false => asked.header("authorization").and_then(|value| value.strip_prefix("Bearer ")),
    };
    key.is_some_and(|key| !key.is_empty())
}

fn invalid(message: impl Into<String>) -> Refused {
    (400, "invalid_request_error", message.into())
}

fn list<'v>(body: &'v Value, field: &str) -> Result<&'v Vec<Value>, Refused> {
    let list = body[field].as_array().filter(|list| !list.is_empty());
    list.ok_or_else(|| invalid(format!("{field}: a list of at least one is required")))
}

fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// An event whose name is its type.
fn named(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
}

fn parts(turn: &Value) -> Vec<Value> {
    match &turn["content"] {
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        Value::Array(parts) => parts.clone(),
        _ => Vec::new(),
    }
}

/// What is answered to a conversation: a result of a tool is repeated, a tool is called if there is one, else there is text.
fn output_for(turns: &[Value], body: &Value, wants_json: bool) -> Output {
    let last = turns.last().cloned().unwrap_or_default();
    let result = match (last["role"].as_str(), last["type"].as_str()) {
        (Some("tool"), _) => Some(last["content"].to_string()),
        (_, Some("function_call_output")) => Some(last["output"].to_string()),
        _ => parts(&last)
            .iter()
            .find(|part| part["type"] == "tool_result")
            .map(|part| part["content"].to_string()),
    };
    if let Some(result) = result {
        return Output::Text(format!("The tool output: {result}."));
    }
    if let Some(tool) = body["tools"].as_array().and_then(|tools| tools.first()) {
        let name = tool["function"]["name"].as_str().or(tool["name"].as_str()).unwrap_or_default();
        return Output::Call { name: name.to_owned(), arguments: r#"{"city":"Oslo"}"#.to_owned() };
    }
    if wants_json {
        return Output::Text(r#"{"answer":42}"#.to_owned());
    }
    let parts = parts(&last);
    let is_image = |part: &&Value| part["type"].as_str().is_some_and(|kind| kind.contains("image"));
    let n_images = parts.iter().filter(is_image).count();
    let question: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    let head: String = question.chars().take(40).collect();
    Output::Text(match n_images {
        0 => format!("You asked: {head}"),
        n => format!("You sent {n} image and asked: {head}"),
    })
}

/// Results of tools follow their calls; models of that name want strictly alternating roles, as many templates do.
fn check_chat(turns: &[Value], is_strict: bool) -> Result<(), Refused> {
    let mut calls: Vec<&Value> = Vec::new();
    let mut previous = "system";
    for (at, turn) in turns.iter().enumerate() {
        let role = turn["role"].as_str().unwrap_or_default();
        match role {
            "system" | "developer" | "user" | "assistant" | "tool" => {}
            other => return Err(invalid(format!("messages[{at}].role: unknown role '{other}'"))),
        }
        if role == "tool" && !calls.contains(&&turn["tool_call_id"]) {
            return Err(invalid(format!("messages[{at}]: 'tool' must follow a message with 'tool_calls'")));
        }
        if role != "tool" {
            calls = turn["tool_calls"]
                .as_array()
                .map_or_else(Vec::new, |calls| calls.iter().map(|call| &call["id"]).collect());
        }
        if is_strict && role == previous && role != "tool" && role != "system" {
            return Err(invalid("Conversation roles must alternate user/assistant/user/assistant"));
        }
        previous = role;
    }
    Ok(())
}

fn check_items(items: &[Value]) -> Result<(), Refused> {
    for (at, item) in items.iter().enumerate() {
        let is_known = match item["type"].as_str() {
            None | Some("message") => {
                matches!(item["role"].as_str(), Some("user" | "assistant" | "system" | "developer"))
            }
            Some("function_call_output") => {
                let is_its_call =
                    |call: &Value| call["type"] == "function_call" && call["call_id"] == item["call_id"];
                if !items[..at].iter().any(is_its_call) {
                    return Err(invalid("No tool call found for function call output"));
                }
                true
            }
            Some("function_call" | "reasoning" | "item_reference") => true,
            Some(_) => false,
        };
        if !is_known {
            return Err(invalid(format!("Invalid value: input[{at}]")));
        }
    }
    Ok(())
}

fn thinks(body: &Value) -> bool {
    matches!(body["thinking"]["type"].as_str(), Some("enabled" | "adaptive"))
}

/// The signature of a thought, which is checked when it comes back.
fn signature(thought: &str) -> String {
    blake3::hash(thought.as_bytes()).to_hex().to_string()
}

fn check_messages(body: &Value) -> Result<(), Refused> {
    let turns = list(body, "messages")?;
    if turns[0]["role"] != "user" {
        return Err(invalid("messages: first message must use the \"user\" role"));
    }
    let mut calls: Vec<Value> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        if !matches!(turn["role"].as_str(), Some("user" | "assistant")) {
            return Err(invalid(format!("messages.{at}.role: Input should be 'user' or 'assistant'")));
        }
        let parts = parts(turn);
        let of = |kind: &str, field: &str| -> Vec<Value> {
            parts.iter().filter(|part| part["type"] == kind).map(|part| part[field].clone()).collect()
        };
        if of("tool_result", "tool_use_id") != calls {
            return Err(invalid(format!(
                "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after"
            )));
        }
        for part in parts.iter().filter(|part| part["type"] == "thinking") {
            if part["signature"] != signature(part["thinking"].as_str().unwrap_or_default()).as_str() {
                return Err(invalid(format!("messages.{at}: Invalid `signature` in `thinking` block")));
            }
        }
        calls = of("tool_use", "id");
        if thinks(body) && !calls.is_empty() && parts[0]["type"] != "thinking" {
            return Err(invalid(format!(
                "messages.{at}.content.0.type: Expected `thinking`, but found `tool_use`"
            )));
        }
    }
    match blocks(body).iter().filter(|(_, is_breakpoint)| *is_breakpoint).count() {
        ..=MAX_BREAKPOINTS => Ok(()),
        n => Err(invalid(format!("A maximum of 4 blocks with cache_control may be provided. Found {n}."))),
    }
}

/// The blocks of a prompt in the order of its cache, and which of them are breakpoints.
fn blocks(body: &Value) -> Vec<(String, bool)> {
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    let system = parts(&json!({ "content": body["system"] }));
    let turns = body["messages"].as_array().cloned().unwrap_or_default();
    let of_turns =
        turns.iter().flat_map(|turn| parts(turn).into_iter().map(|part| (turn["role"].to_string(), part)));
    let head = tools.into_iter().chain(system).map(|block| (String::new(), block));
    head.chain(of_turns)
        .map(|(role, mut block)| {
            let marker = block.as_object_mut().and_then(|block| block.remove("cache_control"));
            (format!("{role}{block}"), marker.is_some_and(|marker| !marker.is_null()))
        })
        .collect()
}

fn item_events(output: &Output, item: &Value) -> Vec<Value> {
    let at = |mut event: Value| {
        event["output_index"] = 0.into();
        event["item_id"] = item["id"].clone();
        event
    };
    let mut started = item.clone();
    started["status"] = "in_progress".into();
    let mut events = Vec::new();
    match output {
        Output::Text(text) => {
            started["content"] = json!([]);
            events.push(at(json!({ "type": "response.output_item.added", "item": started })));
            let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
            let content = |mut event: Value| {
                event["content_index"] = 0.into();
                at(event)
            };
            events.push(content(json!({ "type": "response.content_part.added", "part": part("") })));
            let delta = |word| {
                content(json!({ "type": "response.output_text.delta", "delta": word, "logprobs": [] }))
            };
            events.extend(words(text).map(delta));
            events
                .push(content(json!({ "type": "response.output_text.done", "text": text, "logprobs": [] })));
            events.push(content(json!({ "type": "response.content_part.done", "part": part(text) })));
        }
        Output::Call { arguments, name } => {
            started["arguments"] = "".into();
            events.push(at(json!({ "type": "response.output_item.added", "item": started })));
            events.push(at(json!({ "type": "response.function_call_arguments.delta", "delta": arguments })));
            let done = json!({ "type": "response.function_call_arguments.done", "arguments": arguments, "name": name });
            events.push(at(done));
        }
    }
    events.push(at(json!({ "type": "response.output_item.done", "item": item })));
    events
}

fn block_events(index: usize, block: &Value) -> Vec<Value> {
    let start =
        |block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let delta = |delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let mut events = match block["type"].as_str() {
        Some("thinking") => vec![
            start(json!({ "type": "thinking", "thinking": "", "signature": "" })),
            delta(json!({ "type": "thinking_delta", "thinking": block["thinking"] })),
            delta(json!({ "type": "signature_delta", "signature": block["signature"] })),
        ],
        Some("tool_use") => vec![
            start(json!({ "type": "tool_use", "id": block["id"], "name": block["name"], "input": {} })),
            delta(json!({ "type": "input_json_delta", "partial_json": "" })),
            delta(json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })),
        ],
        _ => {
            let text = block["text"].as_str().unwrap_or_default();
            let deltas = words(text).map(|word| delta(json!({ "type": "text_delta", "text": word })));
            [start(json!({ "type": "text", "text": "" }))].into_iter().chain(deltas).collect()
        }
    };
    events.push(json!({ "type": "content_block_stop", "index": index }));
    events
}
