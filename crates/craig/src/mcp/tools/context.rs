//! `get_context`: the code that a message or an edit needs, ready for a prompt.

use craig_engine::{
    ChatContextRequest, ContextAnswer, ContextBlock, EngineError, Guesses, InlineContextRequest,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Message, or instruction for an edit.
    message: String,
    /// Earlier messages, oldest first.
    #[serde(default)]
    history: Vec<String>,
    #[serde(flatten)]
    guesses: Guesses,
    /// Code to be edited; not answered.
    selection: Option<Selection>,
    /// Default: the workspace's.
    project: Option<String>,
    /// Maximum of pieces, 1 to 20.
    max_chunks: Option<usize>,
    /// Minimum score, 0 to 1.
    min_score: Option<f32>,
    /// Token budget.
    max_tokens: Option<usize>,
}

/// Selected lines of a file.
#[derive(Clone, Deserialize, JsonSchema)]
struct Selection {
    /// Path, as in hits.
    path: String,
    /// First line.
    start_line: u32,
    /// Last line.
    end_line: u32,
    /// Unsaved text.
    text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Context {
    blocks: Vec<ContextBlock>,
    /// Tokens of the context as Markdown.
    tokens: usize,
    /// Why there is no context; null when there is some.
    reason: Option<String>,
    /// The query.
    query: String,
    /// Whether the index is as new as the files.
    freshness: StateName,
    /// What to know about this answer.
    note: Option<String>,
}

/// A block without its reasons, with a rounded score.
fn plain(block: ContextBlock) -> ContextBlock {
    let score = (block.score * 1e4).round() / 1e4;
    ContextBlock { score, why: Vec::new(), ..block }
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_context",
        title: "Context for a prompt",
        description: "Selects the code that a chat message, or an edit of selection, needs. For a message, guess \
                      in names and code.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Context>, Failure> {
    let mut arguments = call.arguments;
    let project = call.shared.project_or_own(arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    if let Some(selection) = &mut arguments.selection {
        selection.path = call.shared.path_in_project(&project, &selection.path).await?;
    }
    let message = arguments.message.clone();
    let search = call.shared.run(move |engine| context(engine, &project, arguments));
    let project = |context: &ContextAnswer| context.project.clone();
    let context = call.caller.retrieval(&message, search, project).await?;
    let blocks = context.blocks.into_iter().map(plain).collect();
    let notes: Vec<String> = state.note(&context.project).into_iter().chain(context.notes).collect();
    let fields = Context {
        blocks,
        tokens: context.tokens,
        reason: context.reason,
        query: context.query,
        freshness: state.name(),
        note: (!notes.is_empty()).then(|| notes.join(" ")),
    };
    Ok(fields.into())
}

fn context(
    engine: &craig_engine::Engine,
    project: &str,
    arguments: Arguments,
) -> Result<ContextAnswer, EngineError> {
    match arguments.selection {
        None => {
            let request = ChatContextRequest {
                message: arguments.message,
                history: arguments.history,
                guesses: arguments.guesses,
                max_chunks: arguments.max_chunks,
                min_similarity: arguments.min_score,
                token_budget: arguments.max_tokens,
                ..ChatContextRequest::default()
            };
            engine.chat_context(project, &request)
        }
        Some(selection) => {
            let request = InlineContextRequest {
                instruction: arguments.message,
                path: selection.path,
                lines: (selection.start_line, selection.end_line),
                text: selection.text,
                max_chunks: arguments.max_chunks,
                min_score: arguments.min_score,
                ..InlineContextRequest::default()
            };
            engine.inline_context(project, &request)
        }
    }
}
