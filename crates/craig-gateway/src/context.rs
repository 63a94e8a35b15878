//! `POST /v1/context`: the code that a message or an edit is about, as the engine chooses and formats it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use craig_engine::{ChatContextRequest, ContextAnswer, Engine, InlineContextRequest};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::allowance::Resource;
use crate::caller::Caller;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body};
use crate::rerank::Source;
use crate::retrieval::Report;

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ContextRequest")]
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
    /// Least score of a piece, 0 to 1; also called `min_score`.
    #[serde(alias = "min_score")]
    min_similarity: Option<f32>,
    /// Token budget.
    max_context_tokens: Option<usize>,
}

/// A chat message, or an edit of some lines of a file.
#[derive(Deserialize, JsonSchema)]
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
    },
}

pub(crate) async fn context(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let (body, _room) = json_body::<ContextBody>(request, &gateway).await?;
    let mut report = Report::new(Source::Off);
    report.allowances.extend(gateway.charge(Resource::Search, &caller).await?);
    let answer = answer(&gateway, &caller, body, &mut report).await?;
    gateway.log_search(&report, &caller);
    let mut response = json_response(StatusCode::OK, &answer);
    report.write_headers(&mut response);
    Ok(response)
}

async fn answer(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    body: ContextBody,
    report: &mut Report,
) -> Result<ContextAnswer, Problem> {
    let ContextBody { project, subject, open_files, max_chunks, min_similarity, max_context_tokens } = body;
    match subject {
        Subject::Message { message, history, conversation } => {
            // Conversations of different clients are different ones, whatever their names.
            let conversation = conversation.map(|name| format!("{} {name}", caller.user));
            let request = ChatContextRequest {
                message,
                history,
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
            let call = move |engine: &Arc<Engine>| engine.inline_context(&name, &request);
            gateway.context_answer(caller, project, None, call, report).await
        }
    }
}
