//! `explore`: a complete answer in one call.

use craig_engine::{Engine, ExploreRequest, Explored, Guesses};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{About, Call, Effect, Tool};
use crate::mcp::failure::Failure;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The question, or the name of a symbol.
    question: String,
    /// Guess: five to eight identifiers of the code.
    #[serde(default)]
    names: Vec<String>,
    /// Guess: one to three of its lines.
    #[serde(default)]
    code: Vec<String>,
    /// Only this file or folder, or files whose path matches.
    path: Option<String>,
    /// Default: the workspace's.
    project: Option<String>,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "explore",
        title: "Explore code",
        description: "Answers a question about the code in one call: the relevant functions and types, in full \
                      with line numbers, their callees, callers and tests, and the calls between them in order. \
                      Use it first, before grep or reading files, with guesses in names and code. Its lines \
                      count as read.",
        effect: Effect::Reads,
    };
    Tool::of_text(about, answer)
}

async fn answer(call: Call<Arguments>) -> Result<String, Failure> {
    let (arguments, shared) = (&call.arguments, &call.shared);
    let project = call.project_or_ingested(arguments.project.as_deref()).await?;
    let state = shared.bring_up_to_date(&project).await?;
    let guesses = Guesses { names: arguments.names.clone(), code: arguments.code.clone() };
    let path = match &arguments.path {
        Some(path) => Some(shared.path_in_project(&project, path).await?),
        None => None,
    };
    let question = arguments.question.clone();
    let work = move |engine: &Engine, cancellation| {
        let request = ExploreRequest { guesses, path, cancellation, ..ExploreRequest::default() };
        engine.explore(&project, &question, &request)
    };
    let search = call.run("call", work);
    let project = |explored: &Explored| explored.project.clone();
    let explored = call.caller.retrieval(&arguments.question, search, project).await?;
    Ok(state.line(&explored.project) + &explored.text())
}
