//! Server-sent events: passed on in whole lines, unchanged, and checked for their end.

use bytes::{Bytes, BytesMut};
use memchr::{memchr, memchr_iter, memrchr};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How streams are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Bare `data:` lines, as OpenAI sends them: what the provider sends, byte for byte.
    OpenAi,
    /// `event: data` before each of them, and `event: done` before the last.
    Events,
}

/// A line longer than this is passed on in pieces.
const MAX_HELD_BYTES: usize = 1 << 20;

const DONE: &[u8] = b"[DONE]";

/// Passes a stream on in whole lines, so that an error event begins on a new line, and keeps what shows whether the stream
/// is complete.
pub(crate) struct Lines {
    framing: Framing,
    /// The beginning of an incomplete line.
    held: BytesMut,
    last_data: Bytes,
    is_done: bool,
}

impl Lines {
    pub(crate) fn new(framing: Framing) -> Self {
        Self { framing, held: BytesMut::new(), last_data: Bytes::new(), is_done: false }
    }

    /// The bytes that can be passed on with `chunk`; may be empty.
    pub(crate) fn pass(&mut self, chunk: Bytes) -> Bytes {
        let lines = match memrchr(b'\n', &chunk) {
            Some(end) if self.held.is_empty() && end + 1 == chunk.len() => chunk,
            Some(end) => {
                self.held.extend_from_slice(&chunk[..=end]);
                let lines = self.held.split().freeze();
                self.held.extend_from_slice(&chunk[end + 1..]);
                lines
            }
            None => {
                self.held.extend_from_slice(&chunk);
                if self.held.len() <= MAX_HELD_BYTES {
                    return Bytes::new();
                }
                self.held.split().freeze()
            }
        };
        self.remember(&lines);
        match self.framing {
            Framing::OpenAi => lines,
            Framing::Events => framed(&lines),
        }
    }

    /// The incomplete line at the end of the stream.
    pub(crate) fn rest(&mut self) -> Bytes {
        if self.held.is_empty() {
            return Bytes::new();
        }
        self.pass(Bytes::from_static(b"\n"))
    }

    /// Reads only the last lines: `[DONE]`, and the chunk with the usage before it.
    fn remember(&mut self, lines: &Bytes) {
        for line in lines.rsplit(|&byte| byte == b'\n') {
            let Some(data) = data_of(line) else { continue };
            if data == DONE {
                self.is_done = true;
                continue;
            }
            self.last_data = lines.slice_ref(data);
            return;
        }
    }

    /// Whether the stream is complete: it had `[DONE]`, or else a finish reason.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_done || self.last_chunk().is_some_and(|chunk| chunk.finishes())
    }

    /// The token counts of the stream, if it had any.
    pub(crate) fn usage(&self) -> Option<Usage> {
        self.last_chunk()?.usage
    }

    fn last_chunk(&self) -> Option<LastChunk> {
        serde_json::from_slice(&self.last_data).ok()
    }

    /// An event with an error for the client, in this framing.
    pub(crate) fn error_event(&self, body: &impl Serialize) -> Bytes {
        let event = format!("\ndata: {}\n\n", serde_json::to_string(body).unwrap_or_default());
        match self.framing {
            Framing::OpenAi => Bytes::from(event),
            Framing::Events => framed(&Bytes::from(event)),
        }
    }
}

/// The beginning of a stream, held until its first event shows whether it is an answer.
#[derive(Default)]
pub(crate) struct Beginning {
    held: BytesMut,
    /// Where the first unread line begins, and up to where its end was searched.
    line: usize,
    searched: usize,
    /// Data of an event of several lines.
    data: BytesMut,
    is_error: bool,
}

/// What the first event of a stream is.
#[derive(Debug, PartialEq)]
pub(crate) enum FirstEvent {
    /// Part of an answer.
    Good,
    /// A report of an error, and all of the event's data.
    Error(Value, Bytes),
    /// Not an event of an answer.
    Garbage,
}

impl Beginning {
    /// Reads a piece of the stream; `None` while the first event is incomplete.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Option<FirstEvent> {
        self.held.extend_from_slice(piece);
        while let Some(end) = memchr(b'\n', &self.held[self.searched..]).map(|end| self.searched + end) {
            let line = self.line..end;
            (self.line, self.searched) = (end + 1, end + 1);
            if let Some(event) = self.read_line(line) {
                return Some(event);
            }
        }
        self.searched = self.held.len();
        (self.held.len() > MAX_HELD_BYTES).then_some(FirstEvent::Garbage)
    }

    /// All of it.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.held.freeze()
    }

    fn read_line(&mut self, line: std::ops::Range<usize>) -> Option<FirstEvent> {
        let line = self.held[line].trim_ascii();
        if line.is_empty() && !self.data.is_empty() {
            return Some(FirstEvent::Garbage);
        }
        if let Some(name) = line.strip_prefix(b"event:") {
            self.is_error = name.trim_ascii() == b"error";
        }
        let data = data_of(line)?;
        if !self.data.is_empty() {
            self.data.extend_from_slice(b"\n");
        }
        self.data.extend_from_slice(data);
        // Incomplete JSON may continue in the next line.
        let event: Value = serde_json::from_slice(&self.data).ok()?;
        let is_error = self.is_error || event.get("error").is_some_and(|error| !error.is_null());
        Some(match event {
            Value::Object(mut fields) if is_error => {
                let error = fields.remove("error").unwrap_or(Value::Object(fields));
                FirstEvent::Error(error, self.data.clone().freeze())
            }
            Value::Object(_) => FirstEvent::Good,
            _ => FirstEvent::Garbage,
        })
    }
}

/// The data of a `data:` line.
fn data_of(line: &[u8]) -> Option<&[u8]> {
    Some(line.strip_prefix(b"data:")?.trim_ascii())
}

/// Puts the kind of event before each line of data, and leaves other event names out.
fn framed(lines: &Bytes) -> Bytes {
    let mut framed = BytesMut::with_capacity(lines.len() + 64);
    let mut start = 0;
    for end in memchr_iter(b'\n', lines).map(|end| end + 1).chain([lines.len()]) {
        let line = &lines[start..end];
        start = end;
        if line.starts_with(b"event:") {
            continue;
        }
        match data_of(line) {
            Some(data) if data == DONE => framed.extend_from_slice(b"event: done\n"),
            Some(_) => framed.extend_from_slice(b"event: data\n"),
            None => {}
        }
        framed.extend_from_slice(line);
    }
    framed.freeze()
}

/// Tokens of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Usage {
    #[serde(default)]
    pub(crate) prompt_tokens: u64,
    #[serde(default)]
    pub(crate) completion_tokens: u64,
}

#[derive(Deserialize)]
struct LastChunk {
    usage: Option<Usage>,
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    /// Anything but `null`.
    finish_reason: Option<IgnoredAny>,
}

impl LastChunk {
    fn finishes(&self) -> bool {
        self.usage.is_some() || self.choices.iter().any(|choice| choice.finish_reason.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes `chunks`; gives what came out and whether the stream was complete.
    fn pass(framing: Framing, chunks: &[&str]) -> (String, bool) {
        let mut lines = Lines::new(framing);
        let mut out = Vec::new();
        chunks
            .iter()
            .for_each(|chunk| out.extend_from_slice(&lines.pass(Bytes::copy_from_slice(chunk.as_bytes()))));
        out.extend_from_slice(&lines.rest());
        (String::from_utf8(out).unwrap(), lines.is_complete())
    }

    #[test]
    fn bytes_come_out_as_they_went_in_however_they_are_cut() {
        let stream =
            ": hello\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"é\"}}]}\n\ndata: [DONE]\n\n";
        for size in 1..stream.len() {
            let mut lines = Lines::new(Framing::OpenAi);
            let mut out = Vec::new();
            stream
                .as_bytes()
                .chunks(size)
                .for_each(|chunk| out.extend_from_slice(&lines.pass(Bytes::copy_from_slice(chunk))));
            assert_eq!(out, stream.as_bytes(), "in pieces of {size}");
            assert!(lines.is_complete(), "in pieces of {size}");
        }
    }

    #[test]
    fn the_end_of_a_stream_is_understood() {
        for (chunks, is_complete) in [
            (vec!["data: {\"choices\":[]}\n\n"], false),
            (vec!["data: {\"choices\":[{\"finish_reason\":null}]}\n\n"], false),
            (vec!["data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n"], true),
            (
                vec!["data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n"],
                true,
            ),
            (vec!["data: {}\n\ndata: [DO", "NE]\n\n"], true),
            (vec!["data: garbage\n\n"], false),
            (vec![], false),
        ] {
            assert_eq!(pass(Framing::OpenAi, &chunks).1, is_complete, "{chunks:?}");
        }
        let mut lines = Lines::new(Framing::OpenAi);
        lines.pass(Bytes::from_static(
            b"data: {\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n",
        ));
        assert_eq!(lines.usage(), Some(Usage { prompt_tokens: 3, completion_tokens: 4 }));
    }

    #[test]
    fn the_first_event_shows_whether_a_stream_is_an_answer() {
        let first = |stream: &str, size: usize| {
            let mut beginning = Beginning::default();
            let event = stream.as_bytes().chunks(size).find_map(|piece| beginning.push(piece));
            let held = beginning.into_bytes();
            assert!(stream.as_bytes().starts_with(&held), "{stream:?} in pieces of {size}");
            match event {
                None => "more is needed".to_owned(),
                Some(FirstEvent::Error(error, _)) => error.to_string(),
                Some(event) => format!("{event:?}"),
            }
        };
        for (stream, expected) in [
            (": a comment\r\n\r\ndata: {\"choices\":[]}\r\n\r\ndata: garbage\n\n", "Good"),
            ("id: 1\ndata: {\"choices\":\ndata: []}\n\n", "Good"),
            ("data: {\"error\":null,\"choices\":[]}\n\n", "Good"),
            ("data: {\"error\":{\"code\":503}}\n\n", "{\"code\":503}"),
            ("event: error\ndata: {\"message\":\"no\"}\n\n", "{\"message\":\"no\"}"),
            ("data: {\"error\":\"no\"}\n", "\"no\""),
            ("data: [DONE]\n\n", "Garbage"),
            ("data: <html>\n\n", "Garbage"),
            ("data: 7\n\n", "Garbage"),
            ("\n\n: wait\n\nevent: ping\n\n", "more is needed"),
            ("data: {\"choices\":[]}", "more is needed"),
        ] {
            (1..=stream.len())
                .for_each(|size| assert_eq!(first(stream, size), expected, "{stream:?}, {size}"));
        }
        assert_eq!(first(&":".repeat(2 << 20), 1 << 10), "Garbage", "a comment without end");
    }

    #[test]
    fn events_are_named_where_that_is_wanted() {
        let (out, _) = pass(Framing::Events, &["data: {\"a\":1}\n\nda", "ta: {\"b\":2}\n\ndata: [DONE]\n\n"]);
        assert_eq!(
            out,
            "event: data\ndata: {\"a\":1}\n\nevent: data\ndata: {\"b\":2}\n\nevent: done\ndata: [DONE]\n\n"
        );
    }

    #[test]
    fn a_cut_line_is_ended_before_the_error() {
        let mut lines = Lines::new(Framing::OpenAi);
        assert_eq!(lines.pass(Bytes::from_static(b"data: {\"cho")), "");
        assert_eq!(lines.error_event(&serde_json::json!({"error": 1})), "\ndata: {\"error\":1}\n\n");
    }
}
