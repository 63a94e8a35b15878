//! Translation of a stream, event by event.
//!
//! A stream holds an incomplete event, and for some clients the whole answer so far, which their last event repeats. Both count
//! toward the memory for answers.

use std::sync::Arc;

use bytes::Bytes;
use craig_engine::FailureClass;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::neutral::StreamEvent;
use super::sse::{EventReader, TooLong};
use super::{Translation, Unreadable, dialect};
use crate::budget::Reservation;
use crate::call::CallFailure;
use crate::failure::Problem;
use crate::protocol::Seen;
use crate::sse::{Framing, framed};

/// Reads the events of a provider.
pub(super) trait StreamReader: Send {
    /// Adds what an event means to `events`; unknown kinds of events mean nothing.
    fn read(&mut self, name: &[u8], data: &[u8], events: &mut Vec<StreamEvent>) -> Result<(), Unreadable>;
}

/// Writes the events of a client.
pub(super) trait StreamWriter: Send {
    /// Adds events to `out`. [`StreamEvent::End`] completes the stream; an error is not among the events.
    fn write(&mut self, event: StreamEvent, out: &mut String) -> Result<(), Unreadable>;

    /// Bytes of the answer that it keeps.
    fn held_bytes(&self) -> usize {
        0
    }

    /// What an event with an error needs to know of the events before it.
    fn seen(&self) -> Seen {
        Seen::default()
    }
}

/// Translates the stream of a provider into that of its client.
pub(crate) struct StreamTranslation {
    translation: Translation,
    framing: Framing,
    events: EventReader,
    reader: Box<dyn StreamReader>,
    writer: Box<dyn StreamWriter>,
    is_started: bool,
    is_ended: bool,
    room: Reservation,
}

impl StreamTranslation {
    /// `reports_usage`: whether the client has asked for counts, in protocols that have a choice.
    pub(crate) fn new(
        translation: Translation,
        framing: Framing,
        reports_usage: bool,
        room: Reservation,
    ) -> Self {
        Self {
            translation,
            framing,
            events: EventReader::default(),
            reader: dialect(translation.provider).stream_reader(),
            writer: dialect(translation.client).stream_writer(reports_usage),
            is_started: false,
            is_ended: false,
            room,
        }
    }

    /// The events for the client that follow from `bytes`, and the error with which the stream ends if it fails there.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> (Bytes, Option<Problem>) {
        let mut events = Vec::new();
        let mut is_readable = true;
        let (reader, is_ended) = (&mut self.reader, self.is_ended);
        let read = self.events.push(bytes, |name, data| {
            is_readable = is_readable && (is_ended || reader.read(name, data, &mut events).is_ok());
        });
        let mut out = String::new();
        let problem = self.write(events, &mut out);
        // What follows a complete answer does not matter.
        let is_bad = !self.is_ended && (!is_readable || matches!(read, Err(TooLong)));
        let problem = problem.or_else(|| is_bad.then(unreadable)).or_else(|| self.reserve(&out));
        (self.framed(out), problem)
    }

    /// Whether the client has got the whole answer.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// The end of a stream that is complete for the provider, with its last bytes.
    pub(crate) fn end(&mut self, rest: &[u8]) -> (Bytes, Option<Problem>) {
        let (rest, problem) = self.push(&[rest, b"\n\n"].concat());
        let mut out = String::new();
        let problem = problem.or_else(|| self.write(vec![StreamEvent::End], &mut out));
        let problem = problem.or_else(|| self.reserve(&out));
        let events = [rest, self.framed(out)].concat().into();
        // The last events are the longest ones: a slow client may still be reading them when the stream is over.
        (Arc::new(self.room.take()).with(events), problem)
    }

    /// Reserves memory for what is held and for `out`; a problem if there is none left.
    fn reserve(&mut self, out: &str) -> Option<Problem> {
        let held_bytes = self.events.held_bytes() + self.writer.held_bytes() + out.len();
        (!self.room.grow_to(held_bytes)).then(Problem::overloaded)
    }

    fn write(&mut self, events: Vec<StreamEvent>, out: &mut String) -> Option<Problem> {
        for event in events {
            if self.is_ended {
                return None;
            }
            self.is_ended = event == StreamEvent::End;
            if let StreamEvent::Error(error) = event {
                return Some(CallFailure::from_event(&error).problem(&[]));
            }
            if self.write_event(event, out).is_err() {
                return Some(unreadable());
            }
        }
        None
    }

    /// An answer has one start for the client, also if the provider sends none or several.
    fn write_event(&mut self, event: StreamEvent, out: &mut String) -> Result<(), Unreadable> {
        let is_start = matches!(event, StreamEvent::Start { .. });
        match (std::mem::replace(&mut self.is_started, true), is_start) {
            (true, true) => return Ok(()),
            (false, false) => {
                let start = StreamEvent::Start { id: String::new(), model: String::new() };
                self.writer.write(start, out)?;
            }
            _ => {}
        }
        self.writer.write(event, out)
    }

    /// An event with an error for the client.
    pub(crate) fn error_event(&self, problem: &Problem) -> Bytes {
        let (name, data) = self.translation.client.protocol().error_event(problem, &self.writer.seen());
        let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        self.framed(format!("{name}data: {data}\n\n"))
    }

    fn framed(&self, events: String) -> Bytes {
        match self.framing {
            Framing::OpenAi => events.into(),
            Framing::Events => framed(&events.into()),
        }
    }
}

fn unreadable() -> Problem {
    CallFailure::new(FailureClass::BadAnswer).problem(&[])
}

/// Reads an event of one of these types; `None` for any other, whatever its fields are.
pub(super) fn read_event<T: DeserializeOwned>(data: &[u8], types: &[&str]) -> Result<Option<T>, Unreadable> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(default)]
        r#type: String,
    }
    let typed: Typed = serde_json::from_slice(data).map_err(|_| Unreadable)?;
    if !types.contains(&typed.r#type.as_str()) {
        return Ok(None);
    }
    serde_json::from_slice(data).map(Some).map_err(|_| Unreadable)
}

/// An event whose name is its type.
pub(super) fn named(kind: &str, data: &str) -> String {
    format!("event: {kind}\ndata: {data}\n\n")
}
