//! OpenAI's chat completions, and its completions and embeddings, which have the same counts, streams and errors.

use http::HeaderName;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::usage::ChatCounts;
use super::{EventKind, Operation, Protocol, Seen, Usage, WholeAnswer, error_in, openai_error, read_object};
use crate::failure::Problem;
use crate::raw::RawObject;

pub(super) struct Chat;

/// The parts of an answer, or of an event of one, that show whether it is one.
#[derive(Deserialize)]
struct Completion {
    /// Anything but `null`.
    error: Option<IgnoredAny>,
    /// A vector of nothing, which takes no memory.
    choices: Option<Vec<IgnoredAny>>,
    /// Embeddings.
    data: Option<Vec<IgnoredAny>>,
    #[serde(default)]
    usage: Option<ChatCounts>,
}

/// The last event of a stream.
#[derive(Deserialize)]
struct LastChunk {
    usage: Option<ChatCounts>,
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    /// Anything but `null`.
    finish_reason: Option<IgnoredAny>,
}

impl Protocol for Chat {
    fn key_header(&self, key: &str) -> (HeaderName, String) {
        super::bearer(key)
    }

    fn turns_field(&self) -> &'static str {
        "messages"
    }

    fn has_tool_results(&self, _turn: &RawObject<'_>) -> bool {
        false
    }

    fn calls_tools(&self, turn: &RawObject<'_>) -> bool {
        matches!(turn.get("tool_calls"), Ok(Some(calls)) if calls != "null")
    }

    fn event(&self, name: &[u8], data: &[u8]) -> Option<EventKind> {
        let (event, _) = read_object::<Completion>(data)?;
        if name == b"error" || event.error.is_some() {
            return Some(EventKind::Error(error_in(data)));
        }
        // Some providers send an empty list of choices before their answer.
        let has_none = event.choices.is_some_and(|choices| choices.is_empty());
        Some(if has_none { EventKind::Other } else { EventKind::Answer })
    }

    fn end(&self, seen: &Seen) -> (bool, Option<Usage>) {
        let Ok(chunk) = serde_json::from_slice::<LastChunk>(&seen.last) else { return (seen.is_done, None) };
        let is_finished =
            chunk.usage.is_some() || chunk.choices.iter().any(|choice| choice.finish_reason.is_some());
        (seen.is_done || is_finished, chunk.usage.map(Usage::from))
    }

    fn answer(&self, operation: Operation, json: &[u8]) -> Option<WholeAnswer> {
        let (completion, fixed) = read_object::<Completion>(json)?;
        let error = completion.error.map(|_| error_in(json));
        let results = if operation == Operation::Embeddings { completion.data } else { completion.choices };
        let has_results = results.is_some_and(|results| !results.is_empty());
        let usage = completion.usage.map(Usage::from);
        (error.is_some() || has_results).then_some(WholeAnswer { usage, error, fixed })
    }

    fn error(&self, problem: &Problem) -> String {
        openai_error(problem)
    }

    fn short_request(&self, instructions: &str, message: &str, max_tokens: u32) -> Value {
        json!({
            "messages": [{ "role": "system", "content": instructions }, { "role": "user", "content": message }],
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": false,
        })
    }

    fn text_of(&self, answer: &[u8]) -> Option<String> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        answer["choices"][0]["message"]["content"].as_str().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_stream_is_understood() {
        for (last, is_done, is_complete) in [
            (r#"{"choices":[]}"#, false, false),
            (r#"{"choices":[{"finish_reason":null}]}"#, false, false),
            (r#"{"choices":[{"finish_reason":"stop"}]}"#, false, true),
            (r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#, false, true),
            ("{}", true, true),
            ("garbage", false, false),
            ("", false, false),
        ] {
            let seen = Seen { last: last.into(), is_done, ..Seen::default() };
            assert_eq!(Chat.end(&seen).0, is_complete, "{last}");
        }
        let last = r#"{"usage":{"prompt_tokens":30,"completion_tokens":4.0,"prompt_tokens_details":{"cached_tokens":20}}}"#;
        let seen = Seen { last: last.into(), is_done: true, ..Seen::default() };
        let usage = Usage { input_tokens: 30, output_tokens: 4, cached_tokens: 20, ..Usage::default() };
        assert_eq!(Chat.end(&seen).1, Some(usage));
    }
}
