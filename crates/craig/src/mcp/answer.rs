//! The answer of a tool: structured, the same as text, and links to what it names.

use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde::Serialize;
use serde_json::{Map, Value};

use super::failure::Failure;

/// What a tool answers.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// As its output schema says.
    pub(super) fields: Map<String, Value>,
    /// Resources that it names.
    pub(super) links: Vec<Resource>,
}

impl Answer {
    /// The fields of something that is an object as JSON.
    pub(super) fn of(answer: &impl Serialize) -> Result<Self, Failure> {
        match serde_json::to_value(answer).map_err(Failure::internal)? {
            Value::Object(fields) => Ok(Self { fields, links: Vec::new() }),
            other => Err(Failure::internal(format!("an answer is {other}"))),
        }
    }

    /// One more field.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// The result of the call.
    pub(super) fn result(self) -> CallToolResult {
        let mut result = CallToolResult::structured(Value::Object(self.fields));
        result.content.extend(self.links.into_iter().map(ContentBlock::resource_link));
        result
    }
}
