//! The protocols of language models that clients and providers speak: what the gateway reads of a request or an answer that it
//! passes on as it is. `translate` turns one protocol into another.

mod chat;
mod messages;
mod responses;
mod usage;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::failure::Problem;
use crate::raw::RawObject;
pub(crate) use usage::{ChatCounts, MessagesCounts, ResponsesCounts, Usage};

/// The operation that is requested from a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Chat,
    Completions,
    Embeddings,
    Responses,
    Messages,
    CountTokens,
}

/// The name of a protocol in the configuration of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtocolName {
    /// OpenAI's `/chat/completions`, with `/completions` and `/embeddings`.
    Chat,
    /// OpenAI's `/responses`.
    Responses,
    /// Anthropic's `/messages`.
    Messages,
}

/// The differences between the protocols.
pub(crate) trait Protocol: Send + Sync {
    /// The header that carries a provider's key.
    fn key_header(&self, key: &str) -> (HeaderName, String);

    /// Headers of a client that its provider gets, each with the value it has if the client sends none.
    fn request_headers(&self) -> &'static [(&'static str, Option<&'static str>)] {
        &[]
    }

    /// Headers of a provider that its client gets.
    fn response_headers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The field with the turns of a conversation.
    fn turns_field(&self) -> &'static str;

    /// Whether a request is invalid without that field.
    fn needs_turns(&self) -> bool {
        true
    }

    /// The type of a text among the parts of a user's turn.
    fn text_type(&self) -> &'static str {
        "text"
    }

    /// Whether a turn of the role `user` has results of tools, which must directly follow their calls.
    fn has_tool_results(&self, turn: &RawObject<'_>) -> bool;

    /// Whether a turn calls tools.
    fn calls_tools(&self, turn: &RawObject<'_>) -> bool;

    /// The kind of an event of a stream, by its name and data; `None` if the data is not a complete JSON object.
    fn event(&self, name: &[u8], data: &[u8]) -> Option<EventKind>;

    /// Whether a stream is complete after its last event, and the tokens that it reports.
    fn end(&self, seen: &Seen) -> (bool, Option<Usage>);

    /// Reads an answer that is not streamed; `None` if it is none. An answer with numbers that JSON does not have comes with
    /// a text that has `null` in their place.
    fn answer(&self, operation: Operation, json: &[u8]) -> Option<WholeAnswer>;

    /// The JSON of an error.
    fn error(&self, problem: &Problem) -> String;

    /// The event with which a stream ends that breaks off: its name, if events have one, and its data.
    fn error_event(&self, problem: &Problem, _seen: &Seen) -> (Option<&'static str>, String) {
        (None, self.error(problem))
    }

    /// A request for a short answer to one message.
    fn short_request(&self, instructions: &str, message: &str, max_tokens: u32) -> Value;

    /// The text of an answer.
    fn text_of(&self, answer: &[u8]) -> Option<String>;
}

/// The kind of an event of a stream.
#[derive(Debug, PartialEq)]
pub(crate) enum EventKind {
    /// An event without a part of an answer: a keep-alive, an empty list of choices.
    Other,
    /// Part of an answer.
    Answer,
    /// A report of an error.
    Error(Value),
}

/// An answer that is not streamed.
#[derive(Debug)]
pub(crate) struct WholeAnswer {
    pub(crate) usage: Option<Usage>,
    pub(crate) error: Option<Value>,
    pub(crate) fixed: Option<Vec<u8>>,
}

/// What is kept of a stream to read its end: the data of some events, each without what is beyond the longest line.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Data of the first event.
    pub(crate) first: bytes::Bytes,
    /// Data of the last event, and of the one before it; `[DONE]` is none of them.
    pub(crate) last: bytes::Bytes,
    pub(crate) before_last: bytes::Bytes,
    /// The end of the last event's data if that is longer than a line may be.
    pub(crate) tail: Vec<u8>,
    /// Whether there was a `[DONE]`.
    pub(crate) is_done: bool,
}

impl Operation {
    /// Its path at a provider, below the base address.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Completions => "completions",
            Self::Embeddings => "embeddings",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::CountTokens => "messages/count_tokens",
        }
    }

    pub(crate) fn protocol_name(self) -> ProtocolName {
        match self {
            Self::Chat | Self::Completions | Self::Embeddings => ProtocolName::Chat,
            Self::Responses => ProtocolName::Responses,
            Self::Messages | Self::CountTokens => ProtocolName::Messages,
        }
    }

    pub(crate) fn protocol(self) -> &'static dyn Protocol {
        self.protocol_name().protocol()
    }

    /// Whether its request is a conversation, into which context can be put.
    pub(crate) fn has_turns(self) -> bool {
        !matches!(self, Self::Completions | Self::Embeddings)
    }

    /// Its name in OpenTelemetry's conventions for generative models.
    pub(crate) fn span_name(self) -> &'static str {
        match self {
            Self::Completions => "text_completion",
            Self::Embeddings => "embeddings",
            Self::Chat | Self::Responses | Self::Messages | Self::CountTokens => "chat",
        }
    }
}

impl ProtocolName {
    pub(crate) const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// Its name in settings.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    pub(crate) fn protocol(self) -> &'static dyn Protocol {
        match self {
            Self::Chat => &chat::Chat,
            Self::Responses => &responses::Responses,
            Self::Messages => &messages::Messages,
        }
    }

    /// The operations of a provider that supports it.
    pub(crate) fn operations(self) -> &'static [Operation] {
        match self {
            Self::Chat => &[Operation::Chat, Operation::Completions, Operation::Embeddings],
            Self::Responses => &[Operation::Responses],
            Self::Messages => &[Operation::Messages, Operation::CountTokens],
        }
    }

    /// Headers of a request to a provider that no client has set.
    pub(crate) fn default_headers(self) -> HeaderMap {
        let defaults = self.protocol().request_headers().iter().filter_map(|(name, default)| {
            Some((HeaderName::from_static(name), HeaderValue::from_static((*default)?)))
        });
        defaults.collect()
    }

    /// The operation that answers a conversation.
    pub(crate) fn conversation(self) -> Operation {
        match self {
            Self::Chat => Operation::Chat,
            Self::Responses => Operation::Responses,
            Self::Messages => Operation::Messages,
        }
    }
}

/// Largest error that is read, in bytes.
pub(crate) const MAX_ERROR_BYTES: usize = 64 << 10;

/// The error that a JSON object reports: its field `error`, or all of it. `null` if it is too long to be one.
pub(crate) fn error_in(json: &[u8]) -> Value {
    if json.len() > MAX_ERROR_BYTES {
        return Value::Null;
    }
    let mut fields: Value = serde_json::from_slice(json).unwrap_or_default();
    match fields.get_mut("error").map(Value::take) {
        Some(error) => error,
        None => fields,
    }
}

/// Reads an object. One with numbers that JSON does not have comes with the text that has `null` in their place.
fn read_object<T: serde::de::DeserializeOwned>(json: &[u8]) -> Option<(T, Option<Vec<u8>>)> {
    if json.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    if let Ok(object) = serde_json::from_slice(json) {
        return Some((object, None));
    }
    let fixed = with_null_for_nan(json)?;
    Some((serde_json::from_slice(&fixed).ok()?, Some(fixed)))
}

/// `json` with `null` in place of the numbers `NaN`, `Infinity` and `-Infinity`, which servers in Python write; `None` if
/// it has none of them.
fn with_null_for_nan(json: &[u8]) -> Option<Vec<u8>> {
    const NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
    let mut fixed = Vec::new();
    let (mut copied, mut at, mut is_text) = (0, 0, false);
    while at < json.len() {
        match json[at] {
            b'\\' if is_text => at += 1,
            b'"' => is_text = !is_text,
            b'N' | b'I' | b'-' if !is_text => {
                if let Some(number) = NUMBERS.iter().find(|number| json[at..].starts_with(number)) {
                    fixed.extend_from_slice(&json[copied..at]);
                    fixed.extend_from_slice(b"null");
                    at += number.len();
                    copied = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return None;
    }
    fixed.extend_from_slice(&json[copied..]);
    Some(fixed)
}

/// The type of an event or a block, and whether it reports an error.
#[derive(Deserialize)]
struct Typed {
    #[serde(default)]
    r#type: String,
    /// Anything but `null`.
    error: Option<IgnoredAny>,
}

/// Whether one of a list's objects has a type that `is_meant`.
fn has_part(list: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    #[derive(Deserialize)]
    struct Part {
        #[serde(default)]
        r#type: String,
    }
    let parts = crate::raw::elements(list).unwrap_or_default();
    parts.iter().any(|part| serde_json::from_str::<Part>(part).is_ok_and(|part| is_meant(&part.r#type)))
}

/// OpenAI's form of an error.
fn openai_error(problem: &Problem) -> String {
    serde_json::to_string(&problem.body()).unwrap_or_default()
}

fn bearer(key: &str) -> (HeaderName, String) {
    (http::header::AUTHORIZATION, format!("Bearer {key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_numbers_are_no_part_of_json() {
        let fixed =
            |json: &str| with_null_for_nan(json.as_bytes()).map(|fixed| String::from_utf8(fixed).unwrap());
        assert_eq!(
            fixed(r#"{"a":[NaN,-Infinity,Infinity,-1],"NaN":"\"NaN"}"#).unwrap(),
            r#"{"a":[null,null,null,-1],"NaN":"\"NaN"}"#
        );
        assert_eq!(fixed(r#"{"NaN":"Infinity \" NaN","a":-1}"#), None);
    }
}
