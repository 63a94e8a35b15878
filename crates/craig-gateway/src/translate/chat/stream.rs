//! Streams of chat completions.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Content, ToolCall, finish_of, reason_of, write_usage};
use crate::protocol::{ChatCounts, Usage};
use crate::translate::neutral::{Finish, StreamEvent};
use crate::translate::stream::{StreamReader, StreamWriter};
use crate::translate::{Unreadable, now, or_new_id};

#[derive(Deserialize)]
struct Chunk {
    id: Option<String>,
    model: Option<String>,
    error: Option<Value>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<ChatCounts>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<Content>,
    refusal: Option<String>,
    tool_calls: Option<Vec<ToolCall>>,
}

/// A call that has started.
struct Started {
    index: usize,
    id: String,
}

#[derive(Default)]
pub(super) struct Reader {
    has_started: bool,
    has_refused: bool,
    calls: Vec<Started>,
}

impl StreamReader for Reader {
    fn read(&mut self, name: &[u8], data: &[u8], events: &mut Vec<StreamEvent>) -> Result<(), Unreadable> {
        if data == b"[DONE]" {
            events.push(StreamEvent::End);
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_slice(data).map_err(|_| Unreadable)?;
        if chunk.error.is_some() || name == b"error" {
            events.push(StreamEvent::Error(crate::protocol::error_in(data)));
            return Ok(());
        }
        if !std::mem::replace(&mut self.has_started, true) {
            let (id, model) = (chunk.id.unwrap_or_default(), chunk.model.unwrap_or_default());
            events.push(StreamEvent::Start { id, model });
        }
        if let Some(choice) = chunk.choices.into_iter().next() {
            self.read_delta(choice.delta, events);
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                let finish = if self.has_refused { Finish::Refusal } else { finish_of(Some(&reason)) };
                events.push(StreamEvent::Finish(finish));
            }
        }
        if let Some(counts) = chunk.usage {
            events.push(StreamEvent::Usage(counts.into()));
        }
        Ok(())
    }
}

impl Reader {
    fn read_delta(&mut self, delta: Delta, events: &mut Vec<StreamEvent>) {
        let refusal = delta.refusal.filter(|refusal| !refusal.is_empty());
        self.has_refused |= refusal.is_some();
        let texts = delta.content.map(Content::into_text).into_iter().chain(refusal);
        events.extend(texts.filter(|text| !text.is_empty()).map(StreamEvent::Text));
        for piece in delta.tool_calls.unwrap_or_default() {
            let call = self.call_of(&piece, events);
            let text = piece.function.arguments.unwrap_or_default();
            if !text.is_empty() {
                events.push(StreamEvent::Arguments { call, text });
            }
        }
    }

    /// The number of the call that a piece is of. It is a new one if its index is new; some servers give all calls the same
    /// index, but other ids.
    fn call_of(&mut self, piece: &ToolCall, events: &mut Vec<StreamEvent>) -> usize {
        let index = piece.index.unwrap_or_default();
        let id = piece.id.clone().unwrap_or_default();
        let known = self.calls.iter().rposition(|call| call.index == index);
        match known.filter(|call| id.is_empty() || self.calls[*call].id == id) {
            Some(call) => call,
            None => {
                let name = piece.function.name.clone().unwrap_or_default();
                events.push(StreamEvent::CallStart { id: or_new_id(id.clone(), "call"), name });
                self.calls.push(Started { index, id });
                self.calls.len() - 1
            }
        }
    }
}

pub(super) struct Writer {
    reports_usage: bool,
    id: String,
    model: String,
    created: i64,
    finish: Finish,
    usage: Option<Usage>,
    n_calls: usize,
}

impl Writer {
    pub(super) fn new(reports_usage: bool) -> Self {
        Self {
            reports_usage,
            id: String::new(),
            model: String::new(),
            created: now(),
            finish: Finish::Stop,
            usage: None,
            n_calls: 0,
        }
    }

    fn chunk(&self, choices: Value, usage: Option<Usage>, out: &mut String) {
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "choices": choices,
        });
        if self.reports_usage {
            chunk["usage"] = usage.map_or(Value::Null, write_usage);
        }
        out.push_str(&format!("data: {chunk}\n\n"));
    }

    fn delta(&self, delta: Value, out: &mut String) {
        self.chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]), None, out);
    }

    fn end(&self, out: &mut String) {
        let finish = reason_of(&self.finish.clone().with_calls(self.n_calls > 0));
        self.chunk(json!([{ "index": 0, "delta": {}, "finish_reason": finish }]), None, out);
        if self.reports_usage {
            self.chunk(json!([]), Some(self.usage.unwrap_or_default()), out);
        }
        out.push_str("data: [DONE]\n\n");
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: StreamEvent, out: &mut String) -> Result<(), Unreadable> {
        match event {
            StreamEvent::Start { id, model } => {
                (self.id, self.model) = (or_new_id(id, "chatcmpl"), model);
                self.delta(json!({ "role": "assistant", "content": "" }), out);
            }
            StreamEvent::Text(text) => self.delta(json!({ "content": text }), out),
            StreamEvent::CallStart { id, name } => {
                let function = json!({ "name": name, "arguments": "" });
                let call =
                    json!({ "index": self.n_calls, "id": id, "type": "function", "function": function });
                self.n_calls += 1;
                self.delta(json!({ "tool_calls": [call] }), out);
            }
            StreamEvent::Arguments { call, text } => {
                let call = json!({ "index": call, "function": { "arguments": text } });
                self.delta(json!({ "tool_calls": [call] }), out);
            }
            StreamEvent::Finish(finish) => self.finish = finish,
            StreamEvent::Usage(usage) => self.usage = Some(usage),
            StreamEvent::End => self.end(out),
            StreamEvent::Error(_) => return Err(Unreadable),
        }
        Ok(())
    }
}
