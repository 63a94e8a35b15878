//! The answer of a tool: structured, the same as text, and links to what it names.

use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde::Serialize;

use super::failure::Failure;
use crate::json::as_printed;

/// What a tool answers; its output schema is generated from `T`.
#[derive(Debug)]
pub(super) struct Answer<T> {
    pub(super) fields: T,
    /// Resources that it names.
    pub(super) links: Vec<Resource>,
}

impl<T> From<T> for Answer<T> {
    /// Without links.
    fn from(fields: T) -> Self {
        Self { fields, links: Vec::new() }
    }
}

impl<T: Serialize> Answer<T> {
    /// The result of the call.
    pub(super) fn into_result(self) -> CallToolResult {
        match as_printed(&self.fields) {
            Ok(fields) => {
                let mut result = CallToolResult::structured(fields);
                result.content.extend(self.links.into_iter().map(ContentBlock::resource_link));
                result
            }
            Err(error) => Failure::internal(error).result(),
        }
    }
}
