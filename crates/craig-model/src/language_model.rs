//! The trait of language models, and its implementation: OpenAI's chat completions over HTTP.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Endpoint, ModelError, Patience};

/// Continues a conversation.
pub trait LanguageModel: Send + Sync {
    /// Provider and model, for display.
    fn name(&self) -> &str;

    /// The whole answer. Fails at the deadline.
    fn complete(&self, request: &Generation<'_>) -> Result<String, ModelError>;

    /// Calls `on_piece` with each piece of the answer as it arrives, and returns the whole answer.
    ///
    /// Returns early, with what has arrived, if `on_piece` breaks; fails at the deadline or if the request is cancelled. A
    /// model that cannot stream calls it once.
    fn stream(
        &self,
        request: &Generation<'_>,
        on_piece: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<String, ModelError> {
        let answer = self.complete(request)?;
        let _ = on_piece(&answer);
        Ok(answer)
    }
}

/// A request for an answer; temperature is always 0.
#[derive(Clone, Debug)]
pub struct Generation<'a> {
    /// The conversation so far.
    pub messages: &'a [Message<'a>],
    /// When the answer is no longer needed.
    pub deadline: Instant,
    /// Most tokens of the answer; `None` leaves it to the model.
    pub max_tokens: Option<u32>,
    /// Seed for models that sample even at temperature 0; not all providers accept one.
    pub seed: Option<u64>,
    /// Cancels it from another thread.
    pub cancellation: Cancellation,
}

impl<'a> Generation<'a> {
    /// A request for an answer to `messages` until `deadline`.
    pub fn new(messages: &'a [Message<'a>], deadline: Instant) -> Self {
        Self { messages, deadline, max_tokens: None, seed: None, cancellation: Cancellation::default() }
    }
}

/// Cancels a request from another thread; clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Cancels the requests that have it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A message of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Who wrote it.
    pub role: Role,
    /// Its text.
    pub content: &'a str,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The application, with instructions.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Role {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A model behind OpenAI's `/v1/chat/completions`.
pub struct ChatModel {
    endpoint: Endpoint,
    model: String,
    name: String,
}

/// How often a request that waits for a piece checks whether it was cancelled.
const CANCEL_POLL: Duration = Duration::from_millis(20);

impl ChatModel {
    /// Creates the client without sending anything.
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        let name = format!("{} {model}", endpoint.provider).trim_end().to_owned();
        Self { endpoint, model: model.to_owned(), name }
    }

    fn body(&self, request: &Generation<'_>, stream: bool) -> Value {
        let json_of =
            |message: &Message<'_>| json!({ "role": message.role.as_str(), "content": message.content });
        let messages: Vec<Value> = request.messages.iter().map(json_of).collect();
        let mut body = json!({ "messages": messages, "temperature": 0, "stream": stream });
        if !self.model.is_empty() {
            body["model"] = json!(self.model);
        }
        if let Some(max_tokens) = request.max_tokens {
            body["max_tokens"] = json!(max_tokens);
        }
        if let Some(seed) = request.seed {
            body["seed"] = json!(seed);
        }
        body
    }

    /// Sends the request from a thread of its own, since a blocked read cannot be interrupted. Once the receiver is dropped, the
    /// thread closes the connection at the next line or at the timeout.
    fn send(&self, body: Value, timeout: Duration) -> Receiver<Result<String, ModelError>> {
        let (sender, receiver) = channel();
        let endpoint = self.endpoint.clone();
        std::thread::spawn(move || {
            let mut reader = EventReader { endpoint: &endpoint, sender: &sender };
            if let Err(error) = endpoint.post_for_lines(&body, timeout, |line| reader.read_line(line)) {
                let _ = sender.send(Err(error));
            }
        });
        receiver
    }
}

/// Parses server-sent events.
struct EventReader<'a> {
    endpoint: &'a Endpoint,
    sender: &'a Sender<Result<String, ModelError>>,
}

impl EventReader<'_> {
    /// Reads one line; breaks after `[DONE]`, after an error, or once the receiver is dropped.
    fn read_line(&mut self, line: &str) -> ControlFlow<()> {
        let Some(data) = line.strip_prefix("data:").map(str::trim) else { return ControlFlow::Continue(()) };
        if data == "[DONE]" {
            return ControlFlow::Break(());
        }
        let piece = match serde_json::from_str::<Value>(data) {
            Ok(event) => match event.pointer("/error/message").and_then(Value::as_str) {
                Some(message) => {
                    Err(self.endpoint.bad_answer(format!("the stream ended with an error: {message}")))
                }
                None => Ok(piece_of(&event).to_owned()),
            },
            Err(error) => Err(self.endpoint.bad_answer(format!("an event is not JSON: {error}"))),
        };
        let is_last = piece.is_err();
        match self.sender.send(piece) {
            Ok(()) if !is_last => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// The text that an event adds; from a server that does not stream, the whole text.
fn piece_of(event: &Value) -> &str {
    let places = ["/choices/0/delta/content", "/choices/0/message/content", "/choices/0/text"];
    places.iter().find_map(|place| event.pointer(place)?.as_str()).unwrap_or_default()
}

impl LanguageModel for ChatModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(&self, request: &Generation<'_>) -> Result<String, ModelError> {
        let answer = self.endpoint.post(&self.body(request, false), &Patience::until(request.deadline))?;
        let content = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
        content.map(str::to_owned).ok_or_else(|| self.endpoint.bad_answer("it has no message"))
    }

    fn stream(
        &self,
        request: &Generation<'_>,
        on_piece: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<String, ModelError> {
        let started = Instant::now();
        let pieces = self.send(self.body(request, true), request.deadline.saturating_duration_since(started));
        let provider = || self.endpoint.provider.clone();
        let mut answer = String::new();
        loop {
            if request.cancellation.is_cancelled() {
                return Err(ModelError::Cancelled { provider: provider() });
            }
            if Instant::now() >= request.deadline {
                return Err(ModelError::TimedOut { provider: provider(), waited: started.elapsed() });
            }
            match pieces.recv_timeout(CANCEL_POLL) {
                Ok(piece) => {
                    let piece = piece?;
                    answer += &piece;
                    if !piece.is_empty() && on_piece(&piece).is_break() {
                        return Ok(answer);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(answer),
            }
        }
    }
}
