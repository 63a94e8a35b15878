//! `POST /v1/context`: the code that a message or an edit is about, as the engine chooses and formats it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use craig_engine::{ChatContextRequest, ContextAnswer, Engine, Guesses, InlineContextRequest};
use http::StatusCode;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::allowance::Resource;
use crate::bounded;
use crate::caller::Caller;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body};
use crate::rerank::Source;
use crate::retrieval::Report;
use crate::search::MAX_GUESSES;

#[derive(JsonSchema)]
#[schemars(rename = "ContextRequest", deny_unknown_fields)]
pub(crate) struct ContextBody {
    /// Name, reference or id of the project.
    project: String,
    #[serde(flatten)]
    subject: Subject,
    /// Paths of the files that are open in the editor.
    #[serde(default)]
    open_files: Vec<String>,
    /// Most pieces of code.
    max_chunks: Option<usize>,
    /// Minimum score of a piece, 0 to 1; also called `min_score`.
    #[serde(alias = "min_score")]
    min_similarity: Option<f32>,
    /// Token budget of a message; refused for an edit.
    max_context_tokens: Option<usize>,
}

/// The fields as they are read: serde would keep a copy of a whole request to find out which [`Subject`] it has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    project: String,
    #[serde(default, deserialize_with = "bounded::list::<_, _, MAX_TEXTS>")]
    open_files: Vec<String>,
    max_chunks: Option<usize>,
    #[serde(alias = "min_score")]
    min_similarity: Option<f32>,
    max_context_tokens: Option<usize>,
    instruction: Option<String>,
    path: Option<String>,
    line_start: Option<u32>,
    line_end: Option<u32>,
    text: Option<String>,
    message: Option<String>,
    #[serde(default, deserialize_with = "bounded::list::<_, _, MAX_TEXTS>")]
    history: Vec<String>,
    conversation: Option<String>,
    #[serde(default, deserialize_with = "bounded::list::<_, _, MAX_GUESSES>")]
    names: Vec<String>,
    #[serde(default, deserialize_with = "bounded::list::<_, _, MAX_GUESSES>")]
    code: Vec<String>,
}

impl<'de> Deserialize<'de> for ContextBody {
    fn deserialize<D: Deserializer<'de>>(body: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(body)?;
        let edit = (fields.instruction, fields.path, fields.line_start, fields.line_end);
        let subject = match (edit, fields.message) {
            ((Some(instruction), Some(path), Some(line_start), Some(line_end)), _) => {
                Subject::Edit { instruction, path, line_start, line_end, text: fields.text }
            }
            (_, Some(message)) => {
                let guesses = Guesses { names: fields.names, code: fields.code };
                Subject::Message {
                    message,
                    history: fields.history,
                    conversation: fields.conversation,
                    guesses,
                }
            }
            _ => return Err(D::Error::missing_field("message")),
        };
        Ok(Self {
            project: fields.project,
            subject,
            open_files: fields.open_files,
            max_chunks: fields.max_chunks,
            min_similarity: fields.min_similarity,
            max_context_tokens: fields.max_context_tokens,
        })
    }
}

/// Most earlier messages and open files that are read.
const MAX_TEXTS: usize = 10_000;

/// A chat message, or an edit of some lines of a file.
#[derive(JsonSchema)]
#[serde(untagged)]
enum Subject {
    Edit {
        instruction: String,
        path: String,
        line_start: u32,
        line_end: u32,
        text: Option<String>,
    },
    Message {
        message: String,
        #[serde(default)]
        history: Vec<String>,
        conversation: Option<String>,
        /// What the caller expects the code to look like.
        #[serde(flatten)]
        guesses: Guesses,
    },
}

pub(crate) async fn context(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let (body, _room) = json_body::<ContextBody>(request, &gateway).await?;
    body.check()?;
    gateway.check_project(&caller, &body.project).await?;
    let mut report = Report::new(Source::Off);
    report.allowances.extend(gateway.charge(Resource::Search, &caller).await?);
    let answer = answer(&gateway, &caller, body, &mut report).await?;
    gateway.log_search(&report, &caller);
    let mut response = json_response(StatusCode::OK, &answer);
    report.write_headers(&mut response);
    Ok(response)
}

impl ContextBody {
    fn check(&self) -> Result<(), Problem> {
        let history = match &self.subject {
            Subject::Message { history, .. } => history.as_slice(),
            Subject::Edit { .. } => &[],
        };
        if matches!(self.subject, Subject::Edit { .. }) && self.max_context_tokens.is_some() {
            let fault = "only a message has a token budget: limit an edit with \"max_chunks\"";
            return Err(Problem::invalid_field("max_context_tokens", fault));
        }
        for (field, texts) in [("history", history), ("open_files", &self.open_files)] {
            if texts.len() > MAX_TEXTS {
                return Err(Problem::invalid_field(field, format!("more than {MAX_TEXTS} texts")));
            }
        }
        Ok(())
    }
}

async fn answer(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    body: ContextBody,
    report: &mut Report,
) -> Result<ContextAnswer, Problem> {
    let ContextBody { project, subject, open_files, max_chunks, min_similarity, max_context_tokens } = body;
    match subject {
        Subject::Message { message, history, conversation, guesses } => {
            // Conversations of different clients are different ones, whatever their names.
            let conversation = conversation.map(|name| format!("{} {name}", caller.user));
            let request = ChatContextRequest {
                message,
                history,
                guesses,
                conversation,
                open_files,
                max_chunks,
                min_similarity,
                token_budget: max_context_tokens,
                ..ChatContextRequest::default()
            };
            gateway.chat_context(caller, project, request, report).await
        }
        Subject::Edit { instruction, path, line_start, line_end, text } => {
            let request = InlineContextRequest {
                instruction,
                path,
                lines: (line_start, line_end),
                text,
                open_files,
                max_chunks,
                min_score: min_similarity,
                ..InlineContextRequest::default()
            };
            let name = project.clone();
            let engine = gateway.engine_for(caller);
            let call = move |_: &Arc<Engine>| engine.inline_context(&name, &request);
            gateway.context_answer(caller, project, None, call, report).await
        }
    }
}
