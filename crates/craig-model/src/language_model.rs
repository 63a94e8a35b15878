//! The seam behind which language models stand, and the one implementation: OpenAI's chat over HTTP.

use std::time::Instant;

use serde_json::{Value, json};

use crate::{Endpoint, ModelError, Patience};

/// Continues a conversation.
pub trait LanguageModel: Send + Sync {
    /// Names provider and model, for people.
    fn name(&self) -> &str;

    /// The model's answer to `messages`, as certain as it can be. Gives up at the deadline.
    fn complete(&self, messages: &[Message<'_>], deadline: Instant) -> Result<String, ModelError>;
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
    fn as_str(self) -> &'static str {
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

impl ChatModel {
    /// Makes the client; nothing is sent yet.
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        let name = format!("{} {model}", endpoint.provider).trim_end().to_owned();
        Self { endpoint, model: model.to_owned(), name }
    }
}

impl LanguageModel for ChatModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(&self, messages: &[Message<'_>], deadline: Instant) -> Result<String, ModelError> {
        let turn =
            |message: &Message<'_>| json!({ "role": message.role.as_str(), "content": message.content });
        let messages: Vec<Value> = messages.iter().map(turn).collect();
        let mut body = json!({ "messages": messages, "temperature": 0, "stream": false });
        if !self.model.is_empty() {
            body["model"] = json!(self.model);
        }
        let answer = self.endpoint.post(&body, &Patience::until(deadline))?;
        let content = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
        content.map(str::to_owned).ok_or_else(|| self.endpoint.bad_answer("it has no message"))
    }
}
