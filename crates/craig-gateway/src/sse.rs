//! Server-sent events: passed on in whole lines, unchanged, and checked for their end. A line ends with LF, CRLF or CR.

use bytes::{Bytes, BytesMut};
use memchr::{memchr2, memchr2_iter, memrchr2};
use serde_json::Value;

use crate::failure::Problem;
use crate::protocol::{EventKind, Protocol, Seen, Usage};

/// How streams are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Bare `data:` lines, as OpenAI sends them: what the provider sends, byte for byte.
    OpenAi,
    /// `event: data` before each of them, and `event: done` before `[DONE]`.
    Events,
}

/// A line longer than this is passed on in pieces: each of all open streams may hold as much.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Bytes that are kept of the end of such a line.
const TAIL_BYTES: usize = 16 << 10;

/// A stream whose first event is longer is no answer.
const MAX_HELD_BYTES: usize = 1 << 20;

const DONE: &[u8] = b"[DONE]";

/// Passes a stream on in whole lines, so that an error event begins on a new line, and keeps what shows whether the stream
/// is complete.
pub(crate) struct Lines {
    protocol: &'static dyn Protocol,
    framing: Framing,
    /// The beginning of an incomplete line.
    held: BytesMut,
    seen: Seen,
    n_events: usize,
    /// Whether the last line that was passed on goes on.
    is_mid_line: bool,
    /// Whether the last forwarded byte is a CR: a following LF does not end another line.
    is_after_cr: bool,
}

impl Lines {
    pub(crate) fn new(protocol: &'static dyn Protocol, framing: Framing) -> Self {
        Self {
            protocol,
            framing,
            held: BytesMut::new(),
            seen: Seen::default(),
            n_events: 0,
            is_mid_line: false,
            is_after_cr: false,
        }
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

    /// Keeps the data of the first and of the last two events.
    fn remember(&mut self, lines: &Bytes) {
        let mut unread = lines.clone();
        if self.is_mid_line {
            let end = memchr2(b'\n', b'\r', lines);
            let _ = unread.split_to(end.unwrap_or(lines.len()));
            self.keep_tail(&lines[..end.unwrap_or(lines.len())]);
            self.is_mid_line = end.is_none();
        }
        if unread.is_empty() {
            return;
        }
        self.is_mid_line = !unread.last().is_some_and(is_line_end);
        self.n_events += memchr::memmem::find_iter(&unread, b"data:").count();
        let mut newest_first = unread.rsplit(is_line_end).filter_map(data_of);
        let mut last = newest_first.next();
        if last == Some(DONE) {
            self.seen.is_done = true;
            last = newest_first.next();
        }
        let Some(last) = last else { return };
        let before_last = newest_first.next();
        self.seen.before_last = match before_last {
            Some(data) => lines.slice_ref(data),
            None => std::mem::take(&mut self.seen.last),
        };
        self.seen.last = lines.slice_ref(last);
        self.seen.tail.clear();
        if self.seen.first.is_empty() {
            let first = unread.split(is_line_end).find_map(data_of);
            self.seen.first = Bytes::copy_from_slice(first.unwrap_or_default());
        }
    }

    fn keep_tail(&mut self, piece: &[u8]) {
        let tail = &mut self.seen.tail;
        tail.extend_from_slice(piece);
        tail.drain(..tail.len().saturating_sub(TAIL_BYTES));
    }

    /// Events so far. Most providers send one for each token.
    pub(crate) fn n_events(&self) -> usize {
        self.n_events
    }

    /// Whether the stream is complete, and the token counts that it had.
    pub(crate) fn end(&self) -> (bool, Option<Usage>) {
        self.protocol.end(&self.seen)
    }

    /// An event with an error for the client, in this framing.
    pub(crate) fn error_event(&self, problem: &Problem) -> Bytes {
        // An empty line ends the event before this one. A first LF ends a partial line, or belongs to a CR.
        let start = if self.is_mid_line || self.is_after_cr { "\n\n" } else { "\n" };
        let (name, data) = self.protocol.error_event(problem, &self.seen);
        let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        let event = Bytes::from(format!("{start}{name}data: {data}\n\n"));
        match self.framing {
            Framing::OpenAi => event,
            Framing::Events => framed(&event),
        }
    }
}

/// The beginning of a stream, held until its first event with a part of an answer, or an error, shows whether it is one.
pub(crate) struct Beginning {
    protocol: &'static dyn Protocol,
    held: BytesMut,
    /// Where the first unread line begins, and up to where its end was searched.
    line: usize,
    searched: usize,
    /// Name and data of an event.
    name: Bytes,
    data: BytesMut,
}

/// The kind of the first event of a stream.
#[derive(Debug, PartialEq)]
pub(crate) enum FirstEvent {
    /// Part of an answer.
    Good,
    /// A report of an error, and all of the event's data.
    Error(Value, Bytes),
    /// Another event than one of an answer.
    Garbage,
}

impl Beginning {
    pub(crate) fn new(protocol: &'static dyn Protocol) -> Self {
        Self {
            protocol,
            held: BytesMut::new(),
            line: 0,
            searched: 0,
            name: Bytes::new(),
            data: BytesMut::new(),
        }
    }

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
            self.name = Bytes::copy_from_slice(name.trim_ascii());
        }
        let data = data_of(line)?;
        if !self.data.is_empty() {
            self.data.extend_from_slice(b"\n");
            self.data.extend_from_slice(data);
            return None;
        }
        self.data.extend_from_slice(data);
        self.event().and_then(|kind| self.first_event(kind))
    }

    fn end_event(&mut self) -> Option<FirstEvent> {
        let event = match self.event() {
            _ if self.data.is_empty() => None,
            Some(kind) => self.first_event(kind),
            None => Some(FirstEvent::Garbage),
        };
        self.data.clear();
        self.name.clear();
        event
    }

    fn event(&self) -> Option<EventKind> {
        self.protocol.event(&self.name, &self.data)
    }

    fn first_event(&self, kind: EventKind) -> Option<FirstEvent> {
        match kind {
            EventKind::Other => None,
            EventKind::Answer => Some(FirstEvent::Good),
            EventKind::Error(error) => Some(FirstEvent::Error(error, self.data.clone().freeze())),
        }
    }
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
pub(crate) fn framed(lines: &Bytes) -> Bytes {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ProtocolName;

    fn lines(framing: Framing) -> Lines {
        Lines::new(ProtocolName::Chat.protocol(), framing)
    }

    /// Passes `chunks`; gives what came out and whether the stream was complete.
    fn pass(framing: Framing, chunks: &[&str]) -> (String, bool) {
        let mut lines = lines(framing);
        let mut out = Vec::new();
        chunks
            .iter()
            .for_each(|chunk| out.extend_from_slice(&lines.pass(Bytes::copy_from_slice(chunk.as_bytes()))));
        out.extend_from_slice(&lines.rest());
        (String::from_utf8(out).unwrap(), lines.end().0)
    }

    #[test]
    fn bytes_come_out_as_they_went_in_however_they_are_cut() {
        let stream =
            ": hello\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"é\"}}]}\n\ndata: [DONE]\n\n";
        for stream in [stream.to_owned(), stream.replace("\r\n", "\n").replace('\n', "\r")] {
            for size in 1..stream.len() {
                let mut lines = lines(Framing::OpenAi);
                let mut out = Vec::new();
                stream
                    .as_bytes()
                    .chunks(size)
                    .for_each(|chunk| out.extend_from_slice(&lines.pass(Bytes::copy_from_slice(chunk))));
                assert_eq!(out, stream.as_bytes(), "in pieces of {size}");
                assert!(lines.end().0, "in pieces of {size}");
            }
        }
    }

    #[test]
    fn the_end_of_a_stream_is_understood() {
        for (chunks, is_complete) in [
            (vec!["data: {\"choices\":[]}\n\n"], false),
            (vec!["data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n"], true),
            (vec!["data: {}\n\ndata: [DO", "NE]\n\n"], true),
            (vec!["data: garbage\n\n"], false),
            (vec![], false),
        ] {
            assert_eq!(pass(Framing::OpenAi, &chunks).1, is_complete, "{chunks:?}");
        }
    }

    #[test]
    fn the_end_of_a_long_line_is_kept() {
        let mut lines = Lines::new(ProtocolName::Responses.protocol(), Framing::OpenAi);
        let text = "x".repeat(300_000);
        let usage = r#"{"input_tokens":7,"output_tokens":2}"#;
        let stream = format!(
            "event: response.created\ndata: {{\"type\":\"response.created\"}}\n\n\
             event: response.completed\ndata: {{\"type\":\"response.completed\",\"response\":{{\"output\":\"{text}\",\"usage\":{usage}}}}}\n\n"
        );
        let mut out = Vec::new();
        for chunk in stream.as_bytes().chunks(8_000) {
            out.extend_from_slice(&lines.pass(Bytes::copy_from_slice(chunk)));
        }
        assert_eq!(out, stream.as_bytes());
        assert!(lines.seen.tail.len() <= TAIL_BYTES && lines.seen.last.len() < 2 * MAX_LINE_BYTES);
        let usage = Usage { input_tokens: 7, output_tokens: 2, ..Usage::default() };
        assert_eq!(lines.end(), (true, Some(usage)));
    }

    #[test]
    fn the_first_event_shows_whether_a_stream_is_an_answer() {
        let first = |stream: &str, size: usize| {
            let mut beginning = Beginning::new(ProtocolName::Chat.protocol());
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
        let mut lines = lines(Framing::OpenAi);
        let problem = Problem::internal();
        let data = ProtocolName::Chat.protocol().error(&problem);
        assert_eq!(lines.pass(Bytes::from_static(b"data: {\"cho")), "");
        assert_eq!(lines.error_event(&problem), format!("\ndata: {data}\n\n"));
        lines.pass(Bytes::from_static(b"ices\":[]}\r"));
        assert_eq!(lines.error_event(&problem), format!("\n\ndata: {data}\n\n"));
        let piece = format!("data: {}", "x".repeat(MAX_LINE_BYTES));
        assert_eq!(lines.pass(piece.clone().into()), piece, "a long line is passed on in pieces");
        assert_eq!(lines.error_event(&problem), format!("\n\ndata: {data}\n\n"));
    }

    #[test]
    fn an_error_has_the_form_of_its_protocol() {
        let problem = Problem::upstream(http::StatusCode::BAD_GATEWAY, "stream_stalled", "silent");
        let event = |name: ProtocolName| {
            let mut lines = Lines::new(name.protocol(), Framing::OpenAi);
            lines.pass(Bytes::from_static(b"data: {\"type\":\"x\",\"sequence_number\":6}\n\n"));
            String::from_utf8(lines.error_event(&problem).to_vec()).unwrap()
        };
        expect_test::expect![[r#"

            data: {"error":{"message":"silent","type":"upstream_error","param":null,"code":"stream_stalled"}}

        "#]]
        .assert_eq(&event(ProtocolName::Chat));
        expect_test::expect![[r#"

            event: error
            data: {"type":"error","code":"stream_stalled","message":"silent","param":null,"sequence_number":7}

        "#]]
        .assert_eq(&event(ProtocolName::Responses));
        expect_test::expect![[r#"

            event: error
            data: {"type":"error","error":{"type":"api_error","message":"silent","code":"stream_stalled"}}

        "#]]
        .assert_eq(&event(ProtocolName::Messages));
    }

    #[test]
    fn a_mark_at_the_start_is_no_part_of_a_stream() {
        let mut beginning = Beginning::new(ProtocolName::Chat.protocol());
        let stream = "\u{feff}data: {\"choices\":[{}]}\n\n";
        let pieces = stream.as_bytes().chunks(2);
        assert_eq!(pieces.filter_map(|piece| beginning.push(piece)).next(), Some(FirstEvent::Good));
        assert!(beginning.into_bytes().starts_with(b"data: "));
    }
}
