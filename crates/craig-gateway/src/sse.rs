//! Server-sent events: passed on in whole lines, unchanged, and checked for their end. A line ends with LF, CRLF or CR.

use bytes::{Bytes, BytesMut};
use memchr::{memchr2, memchr2_iter, memrchr2};
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

/// A line longer than this is passed on in pieces: each of all open streams may hold as much.
const MAX_LINE_BYTES: usize = 64 << 10;

/// A stream whose first event is longer is no answer.
const MAX_HELD_BYTES: usize = 1 << 20;

/// Largest error that is read, in bytes.
pub(crate) const MAX_ERROR_BYTES: usize = 64 << 10;

const DONE: &[u8] = b"[DONE]";

/// Passes a stream on in whole lines, so that an error event begins on a new line, and keeps what shows whether the stream
/// is complete.
pub(crate) struct Lines {
    framing: Framing,
    /// The beginning of an incomplete line.
    held: BytesMut,
    last_data: Bytes,
    is_done: bool,
    /// Whether the last byte that was passed on is a CR: a LF behind it ends no further line.
    is_after_cr: bool,
}

impl Lines {
    pub(crate) fn new(framing: Framing) -> Self {
        Self { framing, held: BytesMut::new(), last_data: Bytes::new(), is_done: false, is_after_cr: false }
    }

    /// The bytes that can be passed on with `chunk`; may be empty.
    pub(crate) fn pass(&mut self, chunk: Bytes) -> Bytes {
        let lines = match memrchr2(b'\n', b'\r', &chunk) {
            Some(end) if self.held.is_empty() && end + 1 == chunk.len() => chunk,
            Some(end) => {
                self.held.extend_from_slice(&chunk[..=end]);
                let lines = self.held.split().freeze();
                self.held.extend_from_slice(&chunk[end + 1..]);
                lines
            }
            None => {
                self.held.extend_from_slice(&chunk);
                if self.held.len() <= MAX_LINE_BYTES {
                    return Bytes::new();
                }
                self.held.split().freeze()
            }
        };
        self.remember(&lines);
        self.is_after_cr = lines.last() == Some(&b'\r');
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
        for line in lines.rsplit(is_line_end) {
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
        let start = if self.is_after_cr { "\n\n" } else { "\n" };
        let event = format!("{start}data: {}\n\n", serde_json::to_string(body).unwrap_or_default());
        match self.framing {
            Framing::OpenAi => Bytes::from(event),
            Framing::Events => framed(&Bytes::from(event)),
        }
    }
}

/// The beginning of a stream, held until its first event with a choice, or an error, shows whether it is an answer.
#[derive(Default)]
pub(crate) struct Beginning {
    held: BytesMut,
    /// Where the first unread line begins, and up to where its end was searched.
    line: usize,
    searched: usize,
    /// Data of an event.
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

/// What the data of an event is, as far as it was read.
enum Data {
    /// No JSON object, or not yet.
    Incomplete,
    /// An object with an empty list of choices, as some providers send one before their answer.
    NoChoices,
    First(FirstEvent),
}

impl Beginning {
    /// Reads a piece of the stream; `None` while the first event is incomplete.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Option<FirstEvent> {
        self.held.extend_from_slice(piece);
        while let Some(end) = memchr2(b'\n', b'\r', &self.held[self.searched..]) {
            let end = self.searched + end;
            let line = self.line..end;
            (self.line, self.searched) = (end + 1, end + 1);
            let is_rest_of_crlf = line.is_empty() && self.held[..=end].ends_with(b"\r\n");
            if !is_rest_of_crlf && let Some(event) = self.read_line(line) {
                return Some(event);
            }
        }
        self.searched = self.held.len();
        (self.held.len() > MAX_HELD_BYTES).then_some(FirstEvent::Garbage)
    }

    /// Bytes that are held.
    pub(crate) fn n_bytes(&self) -> usize {
        self.held.len() + self.data.len()
    }

    /// All of it, without a byte order mark.
    pub(crate) fn into_bytes(self) -> Bytes {
        without_bom(self.held.freeze())
    }

    /// Reads a line. Data is parsed at its first line, so that a good event is passed on at once, and at its end.
    fn read_line(&mut self, line: std::ops::Range<usize>) -> Option<FirstEvent> {
        let line = &self.held[line];
        let line = line.strip_prefix(BOM).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return self.end_event();
        }
        if let Some(name) = line.strip_prefix(b"event:") {
            self.is_error = name.trim_ascii() == b"error";
        }
        let data = data_of(line)?;
        if !self.data.is_empty() {
            self.data.extend_from_slice(b"\n");
            self.data.extend_from_slice(data);
            return None;
        }
        self.data.extend_from_slice(data);
        match self.data() {
            Data::First(event) => Some(event),
            Data::Incomplete | Data::NoChoices => None,
        }
    }

    fn end_event(&mut self) -> Option<FirstEvent> {
        if self.data.is_empty() {
            return None;
        }
        match self.data() {
            Data::First(event) => Some(event),
            Data::Incomplete => Some(FirstEvent::Garbage),
            Data::NoChoices => {
                self.data.clear();
                self.is_error = false;
                None
            }
        }
    }

    fn data(&self) -> Data {
        let Some((event, _)) = Event::read(&self.data) else { return Data::Incomplete };
        if !self.is_error && event.error.is_none() {
            let has_none = event.choices.is_some_and(|choices| choices.is_empty());
            return if has_none { Data::NoChoices } else { Data::First(FirstEvent::Good) };
        }
        Data::First(FirstEvent::Error(error_in(&self.data), self.data.clone().freeze()))
    }
}

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

/// The parts of an answer, or of an event of one, that show whether it is one.
#[derive(Deserialize)]
pub(crate) struct Event {
    /// Anything but `null`.
    pub(crate) error: Option<IgnoredAny>,
    /// A vector of nothing, which takes no memory.
    pub(crate) choices: Option<Vec<IgnoredAny>>,
    #[serde(default)]
    pub(crate) usage: Option<Usage>,
}

impl Event {
    /// Reads an object. One with numbers that JSON does not have comes with the text that has `null` in their place.
    pub(crate) fn read(json: &[u8]) -> Option<(Self, Option<Vec<u8>>)> {
        if json.trim_ascii_start().first() != Some(&b'{') {
            return None;
        }
        if let Ok(event) = serde_json::from_slice(json) {
            return Some((event, None));
        }
        let fixed = with_null_for_nan(json)?;
        Some((serde_json::from_slice(&fixed).ok()?, Some(fixed)))
    }
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

const BOM: &[u8] = "\u{feff}".as_bytes();

/// `bytes` without a byte order mark at the start.
pub(crate) fn without_bom(bytes: Bytes) -> Bytes {
    match bytes.starts_with(BOM) {
        true => bytes.slice(BOM.len()..),
        false => bytes,
    }
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The data of a `data:` line.
fn data_of(line: &[u8]) -> Option<&[u8]> {
    Some(line.strip_prefix(b"data:")?.trim_ascii())
}

/// Puts the kind of event before each line of data, and leaves other event names out.
fn framed(lines: &Bytes) -> Bytes {
    let mut framed = BytesMut::with_capacity(lines.len() + 64);
    let mut start = 0;
    for end in memchr2_iter(b'\n', b'\r', lines).map(|end| end + 1).chain([lines.len()]) {
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
    #[serde(default, deserialize_with = "count")]
    pub(crate) prompt_tokens: u64,
    #[serde(default, deserialize_with = "count")]
    pub(crate) completion_tokens: u64,
}

/// Reads a number of tokens, which some providers write as `null` or with a fraction.
fn count<'de, D: serde::Deserializer<'de>>(field: D) -> Result<u64, D::Error> {
    Ok(Option::<f64>::deserialize(field)?.unwrap_or_default() as u64)
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
        for stream in [stream.to_owned(), stream.replace("\r\n", "\n").replace('\n', "\r")] {
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
            (": a comment\r\n\r\ndata: {\"choices\":[{}]}\r\n\r\ndata: garbage\n\n", "Good"),
            ("id: 1\r\ndata: {\"choices\":\r\ndata: [{}]}\r\n\r\n", "Good"),
            ("id: 1\ndata: {\"choices\":\ndata: [{}]}\n\n", "Good"),
            ("\rdata: {\"choices\":\rdata: [{}]}\r\r", "Good"),
            ("data: {\"error\":null,\"choices\":[{}]}\n\n", "Good"),
            ("data: {\"choices\":[{\"logprob\":-Infinity}],\"x\":NaN}\n\n", "Good"),
            // The first event of some providers has no choice; an answer has.
            ("data: {\"choices\":[],\"x\":1}\n\ndata: {\"choices\":[{}]}\n\n", "Good"),
            ("data: {\"choices\":[]}\n\ndata: {\"error\":{\"code\":503}}\n\n", "{\"code\":503}"),
            ("data: {\"choices\":[]}\r\rdata: [DONE]\r\r", "Garbage"),
            ("data: [{\"choices\":[{}]}]\n\n", "Garbage"),
            ("data: {\"error\":{\"code\":503}}\n\n", "{\"code\":503}"),
            ("event: error\ndata: {\"message\":\"no\"}\n\n", "{\"message\":\"no\"}"),
            ("data: {\"error\":\"no\"}\n", "\"no\""),
            ("data: [DONE]\n\n", "Garbage"),
            ("data: <html>\n\n", "Garbage"),
            ("data: 7\n\n", "Garbage"),
            ("\n\n: wait\n\nevent: ping\n\n", "more is needed"),
            ("data: {\"choices\":[{}]}", "more is needed"),
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
        let (out, _) = pass(Framing::Events, &["data: 1\r\rda", "ta: [DONE]\r\r"]);
        assert_eq!(out, "event: data\ndata: 1\r\revent: done\ndata: [DONE]\r\r");
    }

    #[test]
    fn a_cut_line_is_ended_before_the_error() {
        let mut lines = Lines::new(Framing::OpenAi);
        assert_eq!(lines.pass(Bytes::from_static(b"data: {\"cho")), "");
        assert_eq!(lines.error_event(&serde_json::json!({"error": 1})), "\ndata: {\"error\":1}\n\n");
        lines.pass(Bytes::from_static(b"ices\":[]}\r"));
        assert_eq!(lines.error_event(&serde_json::json!({"error": 1})), "\n\ndata: {\"error\":1}\n\n");
    }

    #[test]
    fn a_mark_at_the_start_and_odd_numbers_are_no_part_of_json() {
        let mut beginning = Beginning::default();
        let stream = "\u{feff}data: {\"choices\":[{}]}\n\n";
        let pieces = stream.as_bytes().chunks(2);
        assert_eq!(pieces.filter_map(|piece| beginning.push(piece)).next(), Some(FirstEvent::Good));
        assert!(beginning.into_bytes().starts_with(b"data: "));
        let fixed =
            |json: &str| with_null_for_nan(json.as_bytes()).map(|fixed| String::from_utf8(fixed).unwrap());
        assert_eq!(
            fixed(r#"{"a":[NaN,-Infinity,Infinity,-1],"NaN":"\"NaN"}"#).unwrap(),
            r#"{"a":[null,null,null,-1],"NaN":"\"NaN"}"#
        );
        assert_eq!(fixed(r#"{"NaN":"Infinity \" NaN","a":-1}"#), None);
    }
}
