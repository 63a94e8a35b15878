//! OpenAI's Responses. A conversation may be kept by the provider (`previous_response_id`): its request has only the new turns.

use http::HeaderName;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::usage::ResponsesCounts;
use super::{
    EventKind, Operation, Protocol, Seen, Typed, Usage, WholeAnswer, error_in, openai_error, read_object,
};
use crate::failure::Problem;
use crate::raw::RawObject;

pub(super) struct Responses;

/// The parts of an answer that the gateway reads.
#[derive(Deserialize)]
struct Response {
    error: Option<serde::de::IgnoredAny>,
    output: Option<Vec<serde::de::IgnoredAny>>,
    usage: Option<ResponsesCounts>,
}

/// The events that end a stream.
const ENDS: [&str; 3] = ["response.completed", "response.incomplete", "response.failed"];

/// The event of a stream that breaks off.
#[derive(Serialize)]
struct ErrorEvent<'a> {
    r#type: &'static str,
    code: &'a str,
    message: &'a str,
    param: Option<&'a str>,
    sequence_number: u64,
}

impl Protocol for Responses {
    fn key_header(&self, key: &str) -> (HeaderName, String) {
        super::bearer(key)
    }

    fn request_headers(&self) -> &'static [(&'static str, Option<&'static str>)] {
        &[("openai-beta", None)]
    }

    fn turns_field(&self) -> &'static str {
        "input"
    }

    /// A stored prompt or conversation may have everything.
    fn needs_turns(&self) -> bool {
        false
    }

    fn text_type(&self) -> &'static str {
        "input_text"
    }

    fn has_tool_results(&self, _turn: &RawObject<'_>) -> bool {
        false
    }

    fn calls_tools(&self, turn: &RawObject<'_>) -> bool {
        turn.read_field::<String>("type", "a text")
            .is_ok_and(|kind| kind.is_some_and(|kind| kind.ends_with("_call")))
    }

    fn event(&self, name: &[u8], data: &[u8]) -> Option<EventKind> {
        let (event, _) = read_object::<Typed>(data)?;
        Some(match event.r#type.as_str() {
            "response.failed" => {
                let failed: Value = serde_json::from_slice(data).unwrap_or_default();
                EventKind::Error(failed["response"]["error"].clone())
            }
            kind if kind.starts_with("response.") => EventKind::Answer,
            "error" => EventKind::Error(error_in(data)),
            _ if name == b"error" || event.error.is_some() => EventKind::Error(error_in(data)),
            _ => EventKind::Other,
        })
    }

    fn end(&self, seen: &Seen) -> (bool, Option<Usage>) {
        let is_ended = match seen.tail.is_empty() {
            true => serde_json::from_slice::<Typed>(&seen.last).is_ok_and(|event| is_end(&event.r#type)),
            false => kind_of(&seen.last).is_some_and(is_end),
        };
        if !is_ended {
            return (seen.is_done, None);
        }
        // The event repeats the whole answer; only the end of a long one was kept.
        let data = if seen.tail.is_empty() { &seen.last[..] } else { &seen.tail[..] };
        (true, last_usage(data))
    }

    fn answer(&self, _operation: Operation, json: &[u8]) -> Option<WholeAnswer> {
        let (response, fixed) = read_object::<Response>(json)?;
        let error = response.error.map(|_| error_in(json));
        let usage = response.usage.map(Usage::from);
        (error.is_some() || response.output.is_some()).then_some(WholeAnswer { usage, error, fixed })
    }

    fn error(&self, problem: &Problem) -> String {
        openai_error(problem)
    }

    fn error_event(&self, problem: &Problem, seen: &Seen) -> (Option<&'static str>, String) {
        #[derive(Default, Deserialize)]
        struct Numbered {
            sequence_number: u64,
        }
        let last: Numbered = serde_json::from_slice(&seen.last).unwrap_or_default();
        let event = ErrorEvent {
            r#type: "error",
            code: &problem.code,
            message: &problem.message,
            param: problem.param.as_deref(),
            sequence_number: last.sequence_number + 1,
        };
        (Some("error"), serde_json::to_string(&event).unwrap_or_default())
    }

    fn short_request(&self, instructions: &str, message: &str, max_tokens: u32) -> Value {
        json!({
            "instructions": instructions,
            "input": message,
            "max_output_tokens": max_tokens,
            "store": false,
            "stream": false,
        })
    }

    fn text_of(&self, answer: &[u8]) -> Option<String> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        let messages = answer["output"].as_array()?.iter().filter(|item| item["type"] == "message");
        let parts = messages.filter_map(|message| message["content"].as_array()).flatten();
        let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
        (!text.is_empty()).then_some(text)
    }
}

fn is_end(kind: &str) -> bool {
    ENDS.contains(&kind)
}

/// The type of an event that is truncated after it.
fn kind_of(data: &[u8]) -> Option<&str> {
    const FIELD: &[u8] = b"\"type\":";
    let start = memchr::memmem::find(data, FIELD)? + FIELD.len();
    let mut values = serde_json::Deserializer::from_slice(&data[start..]).into_iter::<&str>();
    values.next()?.ok()
}

/// The counts at the end of an event. A field of that name within a text has its quotes escaped, so it is no other one.
fn last_usage(data: &[u8]) -> Option<Usage> {
    const FIELD: &[u8] = b"\"usage\":";
    let start = memchr::memmem::rfind(data, FIELD)? + FIELD.len();
    let mut values =
        serde_json::Deserializer::from_slice(&data[start..]).into_iter::<Option<ResponsesCounts>>();
    values.next()?.ok()?.map(Usage::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETED: &str = r#"{"type":"response.completed","sequence_number":9,"response":{"output":[{"text":"\"usage\": {}"}],"usage":{"input_tokens":30,"output_tokens":4,"input_tokens_details":{"cached_tokens":20}},"metadata":{}}}"#;

    #[test]
    fn the_end_of_a_stream_is_understood_even_of_a_long_one() {
        let usage = Usage { input_tokens: 30, output_tokens: 4, cached_tokens: 20, ..Usage::default() };
        let seen = Seen { last: COMPLETED.into(), ..Seen::default() };
        assert_eq!(Responses.end(&seen), (true, Some(usage)));
        let (head, tail) = COMPLETED.split_at(90);
        let seen = Seen { last: head.into(), tail: tail.into(), ..Seen::default() };
        assert_eq!(Responses.end(&seen), (true, Some(usage)));
        let last = r#"{"response":{"output":[{"type":"message"}]},"type":"response.completed"}"#;
        assert_eq!(Responses.end(&Seen { last: last.into(), ..Seen::default() }), (true, None));
        let delta = r#"{"type":"response.output_text.delta","delta":"x"}"#;
        let seen = Seen { last: delta.into(), ..Seen::default() };
        assert_eq!(Responses.end(&seen), (false, None));
    }

    #[test]
    fn events_are_distinguished() {
        let kind = |name: &str, data: &str| Responses.event(name.as_bytes(), data.as_bytes());
        assert_eq!(kind("response.created", r#"{"type":"response.created"}"#), Some(EventKind::Answer));
        assert_eq!(kind("keepalive", r#"{"type":"keepalive"}"#), Some(EventKind::Other));
        let failed = r#"{"type":"response.failed","response":{"error":{"code":"server_error"}}}"#;
        assert_eq!(kind("", failed), Some(EventKind::Error(json!({ "code": "server_error" }))));
        let error = r#"{"type":"error","code":"rate_limit_exceeded"}"#;
        assert!(matches!(kind("error", error), Some(EventKind::Error(_))));
        assert_eq!(kind("", "{\"type\":"), None);
    }
}
