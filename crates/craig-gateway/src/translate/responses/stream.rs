//! Streams of Responses.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Ended, Response, call_item, item_id, message_item, response_object, text_part};
use crate::protocol::{ResponsesCounts, Seen, Usage};
use crate::translate::neutral::{Call, Finish, StreamEvent};
use crate::translate::stream::{StreamReader, StreamWriter, named, read_event};
use crate::translate::{Unreadable, now, or_new_id};

/// Longest answer of a stream, in bytes: its last event repeats all of it.
const MAX_ANSWER_BYTES: usize = 4 << 20;

/// Memory of an item without its texts: about ten JSON fields.
const ITEM_BYTES: usize = 1 << 10;

/// The types of events that are read.
const TYPES: &[&str] = &[
    "response.created",
    "response.output_text.delta",
    "response.refusal.delta",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.completed",
    "response.incomplete",
    "response.failed",
    "error",
];

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    r#type: String,
    response: Option<Value>,
    output_index: Option<usize>,
    item: Option<Added>,
    delta: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct Added {
    #[serde(default)]
    r#type: String,
    call_id: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Counted {
    usage: Option<ResponsesCounts>,
}

/// A call that has started.
struct Started {
    output_index: Option<usize>,
    /// Whether its arguments have been read.
    has_arguments: bool,
}

#[derive(Default)]
pub(super) struct Reader {
    calls: Vec<Started>,
    has_refused: bool,
}

impl StreamReader for Reader {
    fn read(&mut self, _name: &[u8], data: &[u8], events: &mut Vec<StreamEvent>) -> Result<(), Unreadable> {
        let Some(event) = read_event::<Event>(data, TYPES)? else { return Ok(()) };
        match event.r#type.as_str() {
            "response.created" => {
                let response = event.response.unwrap_or_default();
                let text = |name: &str| response[name].as_str().unwrap_or_default().to_owned();
                events.push(StreamEvent::Start { id: text("id"), model: text("model") });
            }
            "response.output_text.delta" => events.extend(event.delta.map(StreamEvent::Text)),
            "response.refusal.delta" => {
                self.has_refused = true;
                events.extend(event.delta.map(StreamEvent::Text));
            }
            "response.output_item.added" => self.start_item(event, events),
            "response.function_call_arguments.delta" => {
                self.read_arguments(event.output_index, event.delta, events);
            }
            "response.function_call_arguments.done" if !self.has_arguments(event.output_index) => {
                self.read_arguments(event.output_index, event.arguments, events);
            }
            "response.completed" | "response.incomplete" => {
                self.end(event.response.ok_or(Unreadable)?, events)?;
            }
            "response.failed" => {
                let error = event.response.map(|response| response["error"].clone());
                events.push(StreamEvent::Error(error.unwrap_or_default()));
            }
            "error" => events.push(StreamEvent::Error(crate::protocol::error_in(data))),
            _ => {}
        }
        Ok(())
    }
}

impl Reader {
    fn start_item(&mut self, event: Event, events: &mut Vec<StreamEvent>) {
        let Some(item) = event.item.filter(|item| item.r#type == "function_call") else { return };
        self.calls.push(Started { output_index: event.output_index, has_arguments: false });
        let id = or_new_id(item.call_id.unwrap_or_default(), "call");
        events.push(StreamEvent::CallStart { id, name: item.name.unwrap_or_default() });
    }

    fn call_at(&self, output_index: Option<usize>) -> Option<usize> {
        self.calls.iter().position(|call| call.output_index == output_index)
    }

    fn has_arguments(&self, output_index: Option<usize>) -> bool {
        self.call_at(output_index).is_some_and(|call| self.calls[call].has_arguments)
    }

    fn read_arguments(
        &mut self,
        output_index: Option<usize>,
        text: Option<String>,
        events: &mut Vec<StreamEvent>,
    ) {
        let (Some(call), Some(text)) = (self.call_at(output_index), text) else { return };
        if !text.is_empty() {
            self.calls[call].has_arguments = true;
            events.push(StreamEvent::Arguments { call, text });
        }
    }

    fn end(&self, response: Value, events: &mut Vec<StreamEvent>) -> Result<(), Unreadable> {
        let counted = Counted::deserialize(&response).map_err(|_| Unreadable)?;
        let response = Response::deserialize(&response).map_err(|_| Unreadable)?;
        let finish = match response.finish() {
            Finish::Stop if self.has_refused => Finish::Refusal,
            finish => finish.with_calls(!self.calls.is_empty()),
        };
        events.push(StreamEvent::Finish(finish));
        events.extend(counted.usage.map(|counts| StreamEvent::Usage(counts.into())));
        events.push(StreamEvent::End);
        Ok(())
    }
}

/// The item that is being written.
enum Open {
    Text(String),
    Call(Call),
}

pub(super) struct Writer {
    id: String,
    model: String,
    created: i64,
    n_events: u64,
    open: Option<Open>,
    /// The items that are complete.
    output: Vec<Value>,
    n_calls: usize,
    /// Length of the answer so far.
    n_bytes: usize,
    finish: Finish,
    usage: Option<Usage>,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self {
            id: String::new(),
            model: String::new(),
            created: now(),
            n_events: 0,
            open: None,
            output: Vec::new(),
            n_calls: 0,
            n_bytes: 0,
            finish: Finish::Stop,
            usage: None,
        }
    }

    fn event(&mut self, kind: &str, mut data: Value, out: &mut String) {
        data["type"] = kind.into();
        data["sequence_number"] = self.n_events.into();
        self.n_events += 1;
        out.push_str(&named(kind, &data.to_string()));
    }

    /// An event of the item that is being written.
    fn item_event(&mut self, kind: &str, mut data: Value, out: &mut String) {
        data["output_index"] = self.output.len().into();
        self.event(kind, data, out);
    }

    /// An event of the text of that item.
    fn part_event(&mut self, kind: &str, mut data: Value, out: &mut String) {
        data["item_id"] = self.item_id("msg").into();
        data["content_index"] = 0.into();
        self.item_event(kind, data, out);
    }

    fn item_id(&self, prefix: &str) -> String {
        item_id(prefix, &self.id, self.output.len())
    }

    fn response(&self, ended: Option<Ended<'_>>) -> Value {
        response_object(&self.id, &self.model, self.created, ended, self.output.clone())
    }

    fn start(&mut self, out: &mut String) {
        for kind in ["response.created", "response.in_progress"] {
            let response = self.response(None);
            self.event(kind, json!({ "response": response }), out);
        }
    }

    fn start_text(&mut self, out: &mut String) {
        self.close(out);
        let item = message_item(&self.item_id("msg"), "in_progress", None);
        self.item_event("response.output_item.added", json!({ "item": item }), out);
        self.part_event("response.content_part.added", json!({ "part": text_part("") }), out);
        self.open = Some(Open::Text(String::new()));
    }

    fn start_call(&mut self, id: String, name: String, out: &mut String) {
        self.close(out);
        let call = Call { id, name, arguments: String::new() };
        let item = call_item(&self.item_id("fc"), "in_progress", &call);
        self.item_event("response.output_item.added", json!({ "item": item }), out);
        self.n_calls += 1;
        self.open = Some(Open::Call(call));
    }

    /// Completes the item that is being written.
    fn close(&mut self, out: &mut String) {
        let item = match self.open.take() {
            None => return,
            Some(Open::Text(text)) => {
                self.part_event("response.output_text.done", json!({ "text": text, "logprobs": [] }), out);
                self.part_event("response.content_part.done", json!({ "part": text_part(&text) }), out);
                message_item(&self.item_id("msg"), "completed", Some(&text))
            }
            Some(Open::Call(call)) => {
                let id = self.item_id("fc");
                let done = json!({ "item_id": id, "name": call.name, "arguments": call.arguments });
                self.item_event("response.function_call_arguments.done", done, out);
                call_item(&id, "completed", &call)
            }
        };
        self.item_event("response.output_item.done", json!({ "item": item }), out);
        self.output.push(item);
        self.n_bytes += ITEM_BYTES;
    }

    fn text(&mut self, text: &str, out: &mut String) {
        if !matches!(self.open, Some(Open::Text(_))) {
            self.start_text(out);
        }
        self.part_event("response.output_text.delta", json!({ "delta": text, "logprobs": [] }), out);
        if let Some(Open::Text(whole)) = &mut self.open {
            whole.push_str(text);
        }
    }

    /// An item that is complete takes no more arguments.
    fn arguments(&mut self, call: usize, text: &str, out: &mut String) -> Result<(), Unreadable> {
        match &mut self.open {
            Some(Open::Call(open)) if call + 1 == self.n_calls => open.arguments.push_str(text),
            _ => return Err(Unreadable),
        }
        let delta = json!({ "item_id": self.item_id("fc"), "delta": text });
        self.item_event("response.function_call_arguments.delta", delta, out);
        Ok(())
    }

    fn end(&mut self, out: &mut String) {
        self.close(out);
        let ended = Ended { finish: &self.finish, usage: self.usage };
        let response = self.response(Some(ended));
        let is_complete = response["status"] == "completed";
        let kind = if is_complete { "response.completed" } else { "response.incomplete" };
        self.event(kind, json!({ "response": response }), out);
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: StreamEvent, out: &mut String) -> Result<(), Unreadable> {
        self.n_bytes += answer_bytes(&event);
        if self.n_bytes > MAX_ANSWER_BYTES {
            return Err(Unreadable);
        }
        match event {
            StreamEvent::Start { id, model } => {
                (self.id, self.model) = (or_new_id(id, "resp"), model);
                self.start(out);
            }
            StreamEvent::Text(text) => self.text(&text, out),
            StreamEvent::CallStart { id, name } => self.start_call(id, name, out),
            StreamEvent::Arguments { call, text } => self.arguments(call, &text, out)?,
            StreamEvent::Finish(finish) => self.finish = finish,
            StreamEvent::Usage(usage) => self.usage = Some(usage),
            StreamEvent::End => self.end(out),
            StreamEvent::Error(_) => return Err(Unreadable),
        }
        Ok(())
    }

    /// Texts grow by doubling.
    fn held_bytes(&self) -> usize {
        2 * self.n_bytes
    }

    fn seen(&self) -> Seen {
        let last = json!({ "sequence_number": self.n_events.saturating_sub(1) });
        Seen { last: Bytes::from(last.to_string()), ..Seen::default() }
    }
}

/// What an event adds to the answer.
fn answer_bytes(event: &StreamEvent) -> usize {
    match event {
        StreamEvent::Text(text) | StreamEvent::Arguments { text, .. } => text.len(),
        StreamEvent::CallStart { id, name } => id.len() + name.len(),
        _ => 0,
    }
}
