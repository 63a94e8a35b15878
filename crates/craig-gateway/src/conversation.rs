//! A chat request: the parts that the gateway reads, and the request for a provider.

use std::borrow::Cow;

use serde::Deserialize;

use crate::failure::Problem;
use crate::raw::{RawObject, elements};
use crate::snippet::Snippet;

/// The gateway's own fields, which no provider knows.
const OWN_FIELDS: [&str; 4] = ["semantic_results", "rerank", "project", "max_context_tokens"];

/// The parts of a chat request that the gateway needs.
pub(crate) struct Conversation<'a> {
    fields: RawObject<'a>,
    /// Model that the client named.
    pub(crate) model: Option<Cow<'a, str>>,
    /// Results that came with the request; `None` if it has no such field.
    pub(crate) results: Option<Vec<Snippet>>,
    /// Whether some of those results cannot be read; they are left out.
    pub(crate) has_malformed_results: bool,
    /// Whether the answer is to be streamed.
    pub(crate) is_streamed: bool,
    /// Whether results are to be reranked, if the request says so.
    pub(crate) rerank: Option<bool>,
    /// Project to search when no results came.
    pub(crate) project: Option<String>,
    pub(crate) max_context_tokens: Option<usize>,
    messages: Option<&'a str>,
}

/// Earlier messages that are read, and how much of each: what one is about stands at its beginning.
const MAX_HISTORY: usize = 10;
const MAX_HISTORY_BYTES: usize = 2_000;

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The parts of a message that matter here.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

/// The last message of the user, and what the user wrote before.
pub(crate) struct Question<'a> {
    /// Its index among the messages.
    at: usize,
    /// Its text, without images and other parts.
    pub(crate) text: String,
    /// Texts of the user's earlier messages, oldest first: what a follow-up question refers to. Answers of the model are left
    /// out, since they may begin with anything.
    pub(crate) history: Vec<String>,
    /// All messages, unparsed.
    messages: Vec<&'a str>,
}

impl<'a> Conversation<'a> {
    pub(crate) fn read(body: &'a [u8]) -> Result<Self, Problem> {
        let fields = RawObject::read(body).map_err(Problem::invalid)?;
        let conversation = Self::from_fields(fields).map_err(Problem::invalid)?;
        if conversation.messages.is_none() {
            return Err(Problem::invalid_field("messages", "'messages' is missing"));
        }
        Ok(conversation)
    }

    fn from_fields(fields: RawObject<'a>) -> Result<Self, String> {
        let (results, has_malformed_results) = match fields.get("semantic_results")? {
            None | Some("null") => (None, false),
            Some(list) => {
                let (results, is_malformed) = results(list)?;
                (Some(results), is_malformed)
            }
        };
        Ok(Self {
            // The provider reports any other value as an error.
            is_streamed: fields.get("stream")? == Some("true"),
            results,
            has_malformed_results,
            model: fields.read_field::<Text<'a>>("model", "a text")?.map(|text| text.0),
            rerank: fields.read_field("rerank", "true or false")?,
            project: fields.read_field("project", "a text")?,
            max_context_tokens: fields.read_field("max_context_tokens", "a whole number")?,
            messages: fields.get("messages")?,
            fields,
        })
    }

    /// Whether anything is asked of the gateway beyond passing the request on.
    pub(crate) fn wants_context(&self) -> bool {
        self.results.is_some() || self.project.is_some()
    }

    /// The user's question; `None` if no message is the user's.
    pub(crate) fn question(&self) -> Result<Option<Question<'a>>, Problem> {
        let messages = self.messages.and_then(elements);
        let messages =
            messages.ok_or_else(|| Problem::invalid_field("messages", "'messages' is not a list"))?;
        for (at, raw) in messages.iter().enumerate().rev() {
            let message: Message<'_> = serde_json::from_str(raw).map_err(|_| {
                Problem::invalid_field("messages", format!("message {at} has no role or no content"))
            })?;
            if message.role.is_some_and(|role| role.0 == "user") {
                let text = message.content.map(Content::into_text).unwrap_or_default();
                let history = history(&messages[..at]);
                return Ok(Some(Question { at, text, history, messages }));
            }
        }
        Ok(None)
    }

    /// The request for a provider: without our fields, with other messages, and with the provider's own name of the model.
    /// `None` if nothing changes.
    pub(crate) fn for_provider(&self, model: Option<&str>, messages: Option<&str>) -> Option<Vec<u8>> {
        let mut instead = Vec::new();
        if let Some(model) = model.filter(|model| self.model.as_deref() != Some(model)) {
            instead.push(("model", serde_json::Value::from(model).to_string()));
        }
        if let Some(messages) = messages {
            instead.push(("messages", messages.to_owned()));
        }
        let has_own = OWN_FIELDS.iter().any(|name| self.fields.get(name).ok().flatten().is_some());
        (has_own || !instead.is_empty()).then(|| self.fields.write(&OWN_FIELDS, &instead))
    }
}

/// The results of a list, and whether some of them cannot be read.
fn results(list: &str) -> Result<(Vec<Snippet>, bool), String> {
    let items = elements(list)
        .ok_or("'semantic_results' is not a list of {content, file, score, line_start, line_end}")?;
    let results: Vec<Snippet> = items.iter().filter_map(|item| serde_json::from_str(item).ok()).collect();
    let is_malformed = results.len() < items.len();
    Ok((results, is_malformed))
}

/// The texts of the user's messages, the newest [`MAX_HISTORY`] of them. Messages that cannot be read are the provider's matter.
fn history(messages: &[&str]) -> Vec<String> {
    let text = |raw: &&str| {
        let message: Message<'_> = serde_json::from_str(raw).ok()?;
        let text = message.content.filter(|_| message.role.is_some_and(|role| role.0 == "user"))?.into_text();
        (!text.trim().is_empty()).then(|| text[..text.floor_char_boundary(MAX_HISTORY_BYTES)].to_owned())
    };
    let mut newest: Vec<String> = messages.iter().rev().filter_map(text).take(MAX_HISTORY).collect();
    newest.reverse();
    newest
}

impl Question<'_> {
    /// The messages with `context` as one of the user's, directly before the question.
    pub(crate) fn messages_with(&self, context: &str) -> String {
        let message = serde_json::json!({ "role": "user", "content": context }).to_string();
        let (before, after) = self.messages.split_at(self.at);
        let texts: Vec<&str> = before.iter().chain([&message.as_str()]).chain(after).copied().collect();
        format!("[{}]", texts.join(","))
    }
}

impl Content<'_> {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text.into_owned(),
            Self::Parts(parts) => {
                parts.into_iter().filter_map(|part| part.text).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Conversation<'_> {
        Conversation::read(body.as_bytes()).map_err(|problem| problem.message).unwrap()
    }

    #[test]
    fn context_stands_before_the_last_question_and_nothing_else_changes() {
        let body = r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"one"},{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"user","content":[{"type":"text","text":"two"},{"type":"image_url","image_url":{"url":"x"}}]},{"role":"tool","tool_call_id":"1","content":"t"}],"temperature":0.50,"rerank":true,"semantic_results":[],"tools":[{"type":"function"}]}"#;
        let conversation = read(body);
        let question = conversation.question().unwrap_or(None).unwrap();
        assert_eq!(question.text, "two");
        let messages = question.messages_with("C");
        let out = conversation.for_provider(Some("m"), Some(&messages)).unwrap();
        let expected = body
            .replace(
                r#"{"role":"user","content":["#,
                r#"{"content":"C","role":"user"},{"role":"user","content":["#,
            )
            .replace(r#","rerank":true,"semantic_results":[]"#, "");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_request_that_asks_nothing_of_us_is_passed_on_as_it_is() {
        let conversation = read(r#"{"messages":[],"stream":true,"model":"m"}"#);
        assert!(!conversation.wants_context());
        assert!(conversation.for_provider(Some("m"), None).is_none());
        assert!(conversation.for_provider(Some("n"), None).is_some());
        assert!(conversation.question().unwrap_or(None).is_none());
    }

    #[test]
    fn the_history_is_what_the_user_wrote_before() {
        let body = r#"{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"answer"},{"role":"user","content":[{"type":"text","text":"two"}]},{"role":"user"},7,{"role":"user","content":" "},{"role":"user","content":"three"},{"role":"tool","content":"t"}]}"#;
        let question = read(body).question().unwrap_or(None).unwrap();
        assert_eq!(
            (question.text.as_str(), question.history),
            ("three", vec!["one".to_owned(), "two".to_owned()])
        );
        let long = format!(r#"{{"role":"user","content":"{}"}},"#, "x".repeat(3_000)).repeat(20);
        let body = format!(r#"{{"messages":[{long}{{"role":"user","content":"q"}}]}}"#);
        let question = read(&body).question().unwrap_or(None).unwrap();
        assert_eq!((question.history.len(), question.history[0].len()), (MAX_HISTORY, MAX_HISTORY_BYTES));
    }

    #[test]
    fn wrong_fields_are_named() {
        let refused = |body: &str| Conversation::read(body.as_bytes()).err().unwrap().message;
        assert_eq!(refused("{}"), "'messages' is missing");
        assert_eq!(refused(r#"{"messages":[],"model":3}"#), "'model' is not a text");
        assert_eq!(refused(r#"{"messages":[],"rerank":"yes"}"#), "'rerank' is not true or false");
        assert!(
            refused(r#"{"messages":[],"semantic_results":{}}"#)
                .starts_with("'semantic_results' is not a list")
        );
        let problem = read(r#"{"messages":"x","project":"p"}"#).question().err().unwrap();
        assert_eq!(problem.message, "'messages' is not a list");
    }
}
