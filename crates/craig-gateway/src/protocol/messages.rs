//! Anthropic's Messages.

use http::HeaderName;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::usage::MessagesCounts;
use super::{
    EventKind, Operation, Protocol, Seen, Typed, Usage, WholeAnswer, error_in, has_part, read_object,
};
use crate::failure::Problem;
use crate::raw::RawObject;

pub(super) struct Messages;

/// The version of the protocol for clients that name none.
const VERSION: &str = "2023-06-01";

/// The parts of an answer that the gateway reads.
#[derive(Deserialize)]
struct Message {
    error: Option<IgnoredAny>,
    content: Option<Vec<IgnoredAny>>,
    /// The answer of `count_tokens`.
    input_tokens: Option<u64>,
    usage: Option<MessagesCounts>,
}

/// An event with counts: the first has them in its message.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Counted {
    r#type: String,
    message: Option<Started>,
    usage: Option<MessagesCounts>,
}

#[derive(Deserialize)]
struct Started {
    usage: Option<MessagesCounts>,
}

/// Anthropic's form of an error, with our code for programs.
#[derive(Serialize)]
struct ErrorBody<'a> {
    r#type: &'static str,
    error: ErrorObject<'a>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    r#type: &'static str,
    message: &'a str,
    code: &'a str,
}

impl Protocol for Messages {
    fn key_header(&self, key: &str) -> (HeaderName, String) {
        (HeaderName::from_static("x-api-key"), key.to_owned())
    }

    fn request_headers(&self) -> &'static [(&'static str, Option<&'static str>)] {
        &[("anthropic-version", Some(VERSION)), ("anthropic-beta", None)]
    }

    fn response_headers(&self) -> &'static [&'static str] {
        &["request-id"]
    }

    fn turns_field(&self) -> &'static str {
        "messages"
    }

    fn has_tool_results(&self, turn: &RawObject<'_>) -> bool {
        content_has(turn, |kind| kind.ends_with("tool_result"))
    }

    fn calls_tools(&self, turn: &RawObject<'_>) -> bool {
        content_has(turn, |kind| kind == "tool_use")
    }

    fn event(&self, name: &[u8], data: &[u8]) -> Option<EventKind> {
        let (event, _) = read_object::<Typed>(data)?;
        Some(match event.r#type.as_str() {
            _ if name == b"error" || event.error.is_some() => EventKind::Error(error_in(data)),
            "ping" | "" => EventKind::Other,
            _ => EventKind::Answer,
        })
    }

    fn end(&self, seen: &Seen) -> (bool, Option<Usage>) {
        let counted = |data: &[u8]| serde_json::from_slice::<Counted>(data).unwrap_or_default();
        let (last, before_last) = (counted(&seen.last), counted(&seen.before_last));
        let started = counted(&seen.first).message.and_then(|message| message.usage);
        let ended = last.usage.or(before_last.usage);
        let usage = match (ended, started) {
            (Some(ended), started) => Some(ended.or(started.unwrap_or_default()).into()),
            (None, started) => started.map(Usage::from),
        };
        (seen.is_done || last.r#type == "message_stop", usage)
    }

    fn answer(&self, operation: Operation, json: &[u8]) -> Option<WholeAnswer> {
        let (message, fixed) = read_object::<Message>(json)?;
        let error = message.error.map(|_| error_in(json));
        let is_answer = match operation {
            Operation::CountTokens => message.input_tokens.is_some(),
            _ => message.content.is_some(),
        };
        let usage = message.usage.map(Usage::from);
        (error.is_some() || is_answer).then_some(WholeAnswer { usage, error, fixed })
    }

    fn error(&self, problem: &Problem) -> String {
        let kind = match problem.status.as_u16() {
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            503 => "overloaded_error",
            504 => "timeout_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        let error = ErrorObject { r#type: kind, message: &problem.message, code: &problem.code };
        serde_json::to_string(&ErrorBody { r#type: "error", error }).unwrap_or_default()
    }

    fn error_event(&self, problem: &Problem, _seen: &Seen) -> (Option<&'static str>, String) {
        (Some("error"), self.error(problem))
    }

    fn short_request(&self, instructions: &str, message: &str, max_tokens: u32) -> Value {
        json!({
            "system": instructions,
            "messages": [{ "role": "user", "content": message }],
            "max_tokens": max_tokens,
        })
    }

    fn text_of(&self, answer: &[u8]) -> Option<String> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        let text: String =
            answer["content"].as_array()?.iter().filter_map(|block| block["text"].as_str()).collect();
        (!text.is_empty()).then_some(text)
    }
}

fn content_has(turn: &RawObject<'_>, is_meant: impl Fn(&str) -> bool) -> bool {
    matches!(turn.get("content"), Ok(Some(content)) if has_part(content, is_meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_the_beginning_and_the_end_are_put_together() {
        let first = r#"{"type":"message_start","message":{"usage":{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":5,"output_tokens":1}}}"#;
        let delta =
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":42}}"#;
        let mut seen = Seen {
            first: first.into(),
            before_last: delta.into(),
            last: r#"{"type":"message_stop"}"#.into(),
            ..Seen::default()
        };
        let usage = Usage { input_tokens: 115, output_tokens: 42, cached_tokens: 100, cache_write_tokens: 5 };
        assert_eq!(Messages.end(&seen), (true, Some(usage)));
        seen.last = delta.into();
        assert_eq!(Messages.end(&seen), (false, Some(usage)));
        seen.last = r#"{"type":"content_block_delta"}"#.into();
        seen.before_last = bytes::Bytes::new();
        assert_eq!(Messages.end(&seen), (false, Some(Usage { output_tokens: 1, ..usage })));
    }

    #[test]
    fn results_of_tools_are_no_question() {
        let turn = |json: &'static str| RawObject::read(json.as_bytes()).unwrap();
        let result = turn(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"t"}]}"#,
        );
        assert!(Messages.has_tool_results(&result) && !Messages.calls_tools(&result));
        let call = turn(
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"s"},{"type":"tool_use","id":"a"}]}"#,
        );
        assert!(Messages.calls_tools(&call) && !Messages.has_tool_results(&call));
        assert!(!Messages.has_tool_results(&turn(r#"{"role":"user","content":"tool_result"}"#)));
    }
}
