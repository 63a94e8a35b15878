//! The seam behind which language models stand, and the one implementation: OpenAI's chat over HTTP.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Endpoint, ModelError, Patience};

/// Continues a conversation.
pub trait LanguageModel: Send + Sync {
    /// Names provider and model, for people.
    fn name(&self) -> &str;

    /// The model's answer, whole, as certain as it can be. Gives up at the deadline.
    fn complete(&self, request: &Generation<'_>) -> Result<String, ModelError>;

    /// Hands on the answer piece by piece as it is made, and gives the whole of it.
    ///
    /// Ends early, with what came so far, when `on_piece` says so; fails when the deadline is over or the request was
    /// cancelled. A model that cannot stream gives one piece.
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

/// What a model is asked to make, and how; temperature is always 0.
#[derive(Clone, Debug)]
pub struct Generation<'a> {
    /// The conversation so far.
    pub messages: &'a [Message<'a>],
    /// When the answer is of no use any more.
    pub deadline: Instant,
    /// Most tokens of the answer; `None` leaves it to the model.
    pub max_tokens: Option<u32>,
    /// Seed for models that choose by chance even so; not all providers take one.
    pub seed: Option<u64>,
    /// Ends it from another thread.
    pub cancellation: Cancellation,
}

impl<'a> Generation<'a> {
    /// An answer to `messages` until `deadline`.
    pub fn new(messages: &'a [Message<'a>], deadline: Instant) -> Self {
        Self { messages, deadline, max_tokens: None, seed: None, cancellation: Cancellation::default() }
    }
}

/// Ends a request from another thread; clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Ends the requests that have it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was ended.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A turn of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Whose turn it is.
    pub role: Role,
    /// What is said.
    pub content: &'a str,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Whoever sets the model up.
    System,
    /// Whoever asks.
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

/// A model that speaks OpenAI's `/v1/chat/completions`.
pub struct ChatModel {
    endpoint: Endpoint,
    model: String,
    name: String,
}

/// How often somebody who waits for a piece looks whether it was cancelled.
const CANCEL_POLL: Duration = Duration::from_millis(20);

impl ChatModel {
    /// Makes the client; nothing is sent yet.
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        let name = format!("{} {model}", endpoint.provider).trim_end().to_owned();
        Self { endpoint, model: model.to_owned(), name }
    }

    fn body(&self, request: &Generation<'_>, stream: bool) -> Value {
        let turn =
            |message: &Message<'_>| json!({ "role": message.role.as_str(), "content": message.content });
        let messages: Vec<Value> = request.messages.iter().map(turn).collect();
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

    /// Asks on a thread of its own, since nothing ends a read that waits. When nobody listens any more, the thread lets go of
    /// the connection at the next line, or when time is up.
    fn ask(&self, body: Value, timeout: Duration) -> Receiver<Result<String, ModelError>> {
        let (sender, receiver) = channel();
        let endpoint = self.endpoint.clone();
        std::thread::spawn(move || {
            let mut reading = Reading { endpoint: &endpoint, sender: &sender };
            if let Err(error) = endpoint.post_for_lines(&body, timeout, |line| reading.line(line)) {
                let _ = sender.send(Err(error));
            }
        });
        receiver
    }
}

/// Reads server-sent events.
struct Reading<'a> {
    endpoint: &'a Endpoint,
    sender: &'a Sender<Result<String, ModelError>>,
}

impl Reading<'_> {
    /// Reads one line; there are no more behind `[DONE]`, an error, or when nobody listens.
    fn line(&mut self, line: &str) -> ControlFlow<()> {
        let Some(data) = line.strip_prefix("data:").map(str::trim) else { return ControlFlow::Continue(()) };
        if data == "[DONE]" {
            return ControlFlow::Break(());
        }
        let piece = match serde_json::from_str::<Value>(data) {
            Ok(event) => match event.pointer("/error/message").and_then(Value::as_str) {
                Some(message) => Err(self.endpoint.bad_answer(format!("it broke off: {message}"))),
                None => Ok(piece_of(&event).to_owned()),
            },
            Err(error) => Err(self.endpoint.bad_answer(format!("an event of it is not JSON: {error}"))),
        };
        let is_last = piece.is_err();
        match self.sender.send(piece) {
            Ok(()) if !is_last => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// The text that an event adds; an event of a server that does not stream has all of it.
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
        let pieces = self.ask(self.body(request, true), request.deadline.saturating_duration_since(started));
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
