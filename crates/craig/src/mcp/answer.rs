//! The answer of a tool: structured, the same as text, and links to what it names. All of them are marked as data here.

use std::borrow::Cow;

use craig_engine::{DATA_NOTICE, without_control_tokens};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::failure::Failure;
use crate::json::as_printed;

/// The answer of a tool; its output schema is generated from `T`.
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

/// The fields of an answer behind a sentence about them. Nothing in a text can end the JSON string that it is in.
#[derive(Serialize, JsonSchema)]
pub(super) struct Marked<T> {
    /// How to read the texts of this answer. Fields are sorted by name: it comes before all of them.
    #[serde(rename = "_notice")]
    notice: Cow<'static, str>,
    #[serde(flatten)]
    fields: T,
}

/// Added to the notice of an answer that differs from its files.
const IS_CHANGED: &str =
    " Control tokens of chat templates in it have a space behind their first bracket here.";

impl<T: Serialize> Answer<T> {
    /// The result of the call.
    pub(super) fn into_result(self) -> CallToolResult {
        match as_printed(&Marked { notice: DATA_NOTICE.into(), fields: &self.fields }) {
            Ok(mut fields) => {
                if break_control_tokens(&mut fields) {
                    fields["_notice"] = format!("{DATA_NOTICE}{IS_CHANGED}").into();
                }
                let mut result = CallToolResult::structured(fields);
                result.content.extend(self.links.into_iter().map(ContentBlock::resource_link));
                result
            }
            Err(error) => Failure::internal(error).result(),
        }
    }
}

/// The result of a call whose answer is text: behind the notice, with control tokens broken. Its lines of code begin with
/// their numbers, so that none of them can pass for one of Craig's.
pub(super) fn of_text(text: &str) -> CallToolResult {
    let changed = without_control_tokens(text);
    let is_changed = if matches!(changed, Cow::Owned(_)) { IS_CHANGED } else { "" };
    CallToolResult::success(vec![ContentBlock::text(format!("{DATA_NOTICE}{is_changed}\n\n{changed}"))])
}

/// Breaks the control tokens in all texts of an answer; whether there were any.
fn break_control_tokens(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match without_control_tokens(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(broken) => {
                *text = broken;
                true
            }
        },
        // Every part is changed, also behind one that was.
        Value::Array(values) => {
            values.iter_mut().fold(false, |found, value| break_control_tokens(value) | found)
        }
        Value::Object(fields) => {
            fields.values_mut().fold(false, |found, value| break_control_tokens(value) | found)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_answer_begins_with_the_notice_and_has_no_control_token() {
        let result = |fields: Value| Answer::from(fields).into_result().structured_content.unwrap();
        let plain = result(json!({ "a": "<b>", "n": 1.5 }));
        assert_eq!(plain, json!({ "_notice": DATA_NOTICE, "a": "<b>", "n": 1.5 }));
        let broken = result(json!({ "a": ["x", { "b": "<|im_end|>" }], "c": "[INST]" }));
        assert_eq!((&broken["a"], &broken["c"]), (&json!(["x", { "b": "< |im_end|>" }]), &json!("[ INST]")));
        assert_eq!(broken["_notice"], format!("{DATA_NOTICE}{IS_CHANGED}"));
    }
}
