//! `craig explore`: the code that answers a question, with its callees, callers and tests.

use craig_engine::{ExploreRequest, SearchRequest};

use super::failure::Outcome;
use super::guesses::Guesses;
use super::project_selector::ProjectOptions;
use super::session::Session;

/// Show the code that answers a question, with its callees, callers and tests
#[derive(Debug, clap::Args)]
#[command(override_usage = "craig explore [OPTIONS] <QUESTION>...")]
pub(crate) struct Args {
    /// A question, or the name of a symbol
    #[arg(required = true)]
    question: Vec<String>,
    #[command(flatten)]
    guesses: Guesses,
    /// Only this file or folder, or files whose path matches
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    #[command(flatten)]
    from: ProjectOptions,
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let question = args.question.join(" ");
    SearchRequest::default().check(&question)?;
    let engine = session.engine_with(&session.settings(Some(&args.from.root))?)?;
    let selector = args.from.selector();
    let (project, outcome) = selector.prepare(&engine, &mut session.output)?;
    let request = ExploreRequest {
        guesses: args.guesses.into(),
        path: args.path,
        folder: selector.folder(&engine, &project)?,
        ..ExploreRequest::default()
    };
    let explored = engine.explore(&project, &question, &request)?;
    session.output.show(&explored, |columns| match columns.0 {
        Some(_) => explored.terminal_text(),
        None => explored.text(),
    })?;
    Ok(outcome)
}
