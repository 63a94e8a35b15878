//! Streams of Messages.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Block, finish_of, reason_of, write_usage};
use crate::protocol::{MessagesCounts, Usage};
use crate::translate::neutral::{Finish, StreamEvent};
use crate::translate::stream::{StreamReader, StreamWriter, named, read_event};
use crate::translate::{Unreadable, or_new_id};

/// The types of events that are read.
const TYPES: &[&str] = &[
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "message_stop",
    "error",
];

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    r#type: String,
    index: Option<usize>,
    message: Option<Started>,
    content_block: Option<Block>,
    #[serde(default)]
    delta: Delta,
    usage: Option<MessagesCounts>,
}

#[derive(Deserialize)]
struct Started {
    id: Option<String>,
    model: Option<String>,
    usage: Option<MessagesCounts>,
}

#[derive(Default, Deserialize)]
struct Delta {
    text: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
    stop_sequence: Option<String>,
}

#[derive(Default)]
pub(super) struct Reader {
    /// The blocks that are calls, in order.
    calls: Vec<usize>,
    counts: MessagesCounts,
}

impl StreamReader for Reader {
    fn read(&mut self, _name: &[u8], data: &[u8], events: &mut Vec<StreamEvent>) -> Result<(), Unreadable> {
        let Some(event) = read_event::<Event>(data, TYPES)? else { return Ok(()) };
        match event.r#type.as_str() {
            "message_start" => {
                let message = event.message.ok_or(Unreadable)?;
                let (id, model) = (message.id.unwrap_or_default(), message.model.unwrap_or_default());
                events.push(StreamEvent::Start { id, model });
                self.counts = message.usage.unwrap_or_default();
            }
            "content_block_start" => self.start_block(event, events),
            "content_block_delta" => self.read_delta(event, events),
            "message_delta" => {
                let Delta { stop_reason, stop_sequence, .. } = event.delta;
                events.push(StreamEvent::Finish(finish_of(stop_reason.as_deref(), stop_sequence)));
                self.counts = event.usage.unwrap_or_default().or(self.counts);
                events.push(StreamEvent::Usage(self.counts.into()));
            }
            "message_stop" => events.push(StreamEvent::End),
            "error" => events.push(StreamEvent::Error(crate::protocol::error_in(data))),
            _ => {}
        }
        Ok(())
    }
}

impl Reader {
    fn start_block(&mut self, event: Event, events: &mut Vec<StreamEvent>) {
        let Some(block) = event.content_block else { return };
        match block.r#type.as_str() {
            "text" => events.extend(text(block.text)),
            "tool_use" => {
                let (id, name) = (block.id.unwrap_or_default(), block.name.unwrap_or_default());
                self.calls.push(event.index.unwrap_or_default());
                events.push(StreamEvent::CallStart { id: or_new_id(id, "toolu"), name });
            }
            _ => {}
        }
    }

    fn read_delta(&mut self, event: Event, events: &mut Vec<StreamEvent>) {
        events.extend(text(event.delta.text));
        let call = self.calls.iter().position(|block| Some(*block) == event.index);
        let (Some(call), Some(text)) = (call, event.delta.partial_json) else { return };
        if !text.is_empty() {
            events.push(StreamEvent::Arguments { call, text });
        }
    }
}

fn text(text: Option<String>) -> Option<StreamEvent> {
    text.filter(|text| !text.is_empty()).map(StreamEvent::Text)
}

/// A block that has started and not ended.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Text,
    Call(usize),
}

#[derive(Default)]
pub(super) struct Writer {
    open: Option<Open>,
    n_blocks: usize,
    n_calls: usize,
    finish: Finish,
    usage: Usage,
}

impl Writer {
    fn close(&mut self, out: &mut String) {
        if self.open.take().is_some() {
            let index = self.n_blocks - 1;
            event("content_block_stop", json!({ "type": "content_block_stop", "index": index }), out);
        }
    }

    fn start(&mut self, open: Open, block: Value, out: &mut String) {
        self.close(out);
        let start = json!({ "type": "content_block_start", "index": self.n_blocks, "content_block": block });
        event("content_block_start", start, out);
        self.open = Some(open);
        self.n_blocks += 1;
    }

    fn delta(&self, delta: Value, out: &mut String) {
        let index = self.n_blocks - 1;
        let delta = json!({ "type": "content_block_delta", "index": index, "delta": delta });
        event("content_block_delta", delta, out);
    }

    fn end(&mut self, out: &mut String) {
        self.close(out);
        let finish = self.finish.clone().with_calls(self.n_calls > 0);
        let (reason, sequence) = reason_of(&finish);
        let delta = json!({ "stop_reason": reason, "stop_sequence": sequence });
        let ended = json!({ "type": "message_delta", "delta": delta, "usage": write_usage(self.usage) });
        event("message_delta", ended, out);
        event("message_stop", json!({ "type": "message_stop" }), out);
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, written: StreamEvent, out: &mut String) -> Result<(), Unreadable> {
        match written {
            StreamEvent::Start { id, model } => {
                let message = json!({
                    "id": or_new_id(id, "msg"), "type": "message", "role": "assistant", "model": model, "content": [],
                    "stop_reason": null, "stop_sequence": null, "usage": write_usage(Usage::default()),
                });
                event("message_start", json!({ "type": "message_start", "message": message }), out);
            }
            StreamEvent::Text(text) => {
                if self.open != Some(Open::Text) {
                    self.start(Open::Text, json!({ "type": "text", "text": "" }), out);
                }
                self.delta(json!({ "type": "text_delta", "text": text }), out);
            }
            StreamEvent::CallStart { id, name } => {
                let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
                self.start(Open::Call(self.n_calls), block, out);
                self.n_calls += 1;
            }
            // A block that has ended takes no more arguments.
            StreamEvent::Arguments { call, .. } if self.open != Some(Open::Call(call)) => {
                return Err(Unreadable);
            }
            StreamEvent::Arguments { text, .. } => {
                self.delta(json!({ "type": "input_json_delta", "partial_json": text }), out);
            }
            StreamEvent::Finish(finish) => self.finish = finish,
            StreamEvent::Usage(usage) => self.usage = usage,
            StreamEvent::End => self.end(out),
            StreamEvent::Error(_) => return Err(Unreadable),
        }
        Ok(())
    }
}

fn event(kind: &str, data: Value, out: &mut String) {
    out.push_str(&named(kind, &data.to_string()));
}
