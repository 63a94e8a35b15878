//! The neutral form between two protocols: what all of them can express of a request, an answer and a stream.

use serde_json::Value;

use super::json::Place;
use super::{CacheMarks, Refusal};
use crate::protocol::Usage;

/// A request for an answer to a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Request {
    pub(super) model: Option<String>,
    pub(super) is_streamed: bool,
    /// Instructions, in order.
    pub(super) system: Vec<String>,
    pub(super) turns: Vec<Turn>,
    pub(super) tools: Vec<Tool>,
    pub(super) tool_choice: Option<ToolChoice>,
    /// Whether the model may call several tools at once.
    pub(super) is_parallel: Option<bool>,
    /// Numbers as the client wrote them.
    pub(super) temperature: Option<String>,
    pub(super) top_p: Option<String>,
    pub(super) max_tokens: Option<u64>,
    /// Texts that end the answer.
    pub(super) stop: Vec<String>,
    pub(super) format: Option<Format>,
    /// How long a model thinks, in the words of OpenAI.
    pub(super) effort: Option<String>,
    /// What the provider is asked to cache; the gateway's own choice.
    pub(super) cache_marks: CacheMarks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
}

/// A turn: the assistant has texts and calls, the user has everything else.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) role: Role,
    pub(super) parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Image(Image),
    Call(Call),
    Result(ToolResult),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Image {
    Url(String),
    Base64 { media_type: String, data: String },
}

/// A call of a tool; its arguments are a JSON object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// The result of a tool: texts and images.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolResult {
    pub(super) call_id: String,
    pub(super) parts: Vec<Part>,
}

/// A function that the model may call; `parameters` are a JSON schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) parameters: Option<String>,
    pub(super) is_strict: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToolChoice {
    Auto,
    Never,
    Any,
    Named(String),
}

/// The form that the answer must have.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Format {
    /// Any JSON object.
    Object,
    /// JSON of a schema.
    Schema { name: Option<String>, schema: String, is_strict: Option<bool> },
}

/// Something that only some of the protocols can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// An answer that is any JSON object.
    ObjectFormat,
    /// Texts that end the answer.
    Stop,
}

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) id: String,
    pub(super) model: String,
    /// Texts and calls.
    pub(super) parts: Vec<Part>,
    pub(super) finish: Finish,
    pub(super) usage: Option<Usage>,
}

/// Why an answer has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Finish {
    #[default]
    Stop,
    /// At one of the texts that end it, if the provider reports which.
    StopSequence(Option<String>),
    /// At its longest length.
    Length,
    Calls,
    /// The provider's filter or the model's refusal.
    Refusal,
}

/// A piece of a streamed answer. Calls are numbered from 0 in the order of their starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StreamEvent {
    Start {
        id: String,
        model: String,
    },
    Text(String),
    CallStart {
        id: String,
        name: String,
    },
    Arguments {
        call: usize,
        text: String,
    },
    Finish(Finish),
    /// Counts that replace earlier ones.
    Usage(Usage),
    End,
    Error(Value),
}

impl Request {
    /// Adds a call to the assistant's last turn, or a turn of its own.
    pub(super) fn push_call(&mut self, call: Call) {
        match self.turns.last_mut() {
            Some(turn) if turn.role == Role::Assistant => turn.parts.push(Part::Call(call)),
            _ => self.turns.push(Turn { role: Role::Assistant, parts: vec![Part::Call(call)] }),
        }
    }

    /// Adds a result to those of the other calls of the same turn.
    pub(super) fn push_result(&mut self, result: ToolResult) {
        match self.turns.last_mut() {
            Some(turn) if turn.has_only_results() => turn.parts.push(Part::Result(result)),
            _ => self.turns.push(Turn { role: Role::User, parts: vec![Part::Result(result)] }),
        }
    }

    /// Adds a turn; one without parts means nothing.
    pub(super) fn push_turn(&mut self, role: Role, parts: Vec<Part>) {
        if !parts.is_empty() {
            self.turns.push(Turn { role, parts });
        }
    }
}

impl Turn {
    fn has_only_results(&self) -> bool {
        self.role == Role::User && self.parts.iter().all(|part| matches!(part, Part::Result(_)))
    }
}

impl Part {
    /// A text, unless it is empty: some protocols refuse those.
    pub(super) fn text(text: String) -> Option<Self> {
        (!text.is_empty()).then_some(Self::Text(text))
    }
}

impl Image {
    /// Reads OpenAI's form: an address, or a `data:` address with the image itself.
    pub(super) fn from_url(place: &Place<'_>) -> Result<Self, Refusal> {
        let url = place.text()?;
        let Some(rest) = url.strip_prefix("data:") else { return Ok(Self::Url(url)) };
        let (media_type, data) = rest.split_once(";base64,").ok_or_else(|| place.untranslatable())?;
        Ok(Self::Base64 { media_type: media_type.to_owned(), data: data.to_owned() })
    }

    pub(super) fn into_url(self) -> String {
        match self {
            Self::Url(url) => url,
            Self::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
        }
    }
}

impl Finish {
    /// Replaces a plain end by `Calls` if the answer calls tools: many providers of chat report a plain end for it.
    pub(super) fn with_calls(self, has_calls: bool) -> Self {
        match self {
            Self::Stop if has_calls => Self::Calls,
            finish => finish,
        }
    }
}
