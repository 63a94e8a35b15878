//! `craig explore`: the code that answers a question, with its callees, callers and siblings.

use std::path::PathBuf;

use craig_engine::ExploreRequest;

use super::costs::Costs;
use super::failure::Outcome;
use super::guesses::Guesses;
use super::project_selector::ProjectSelector;
use super::session::Session;

/// Show the code that answers a question, with its callees, callers and siblings
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
    /// Id, reference or name of the project [default: the project of the directory]
    #[arg(long, short, conflicts_with = "root")]
    project: Option<String>,
    /// Directory whose project is explored
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Answer from the index as it is, without checking for changed files first
    #[arg(long)]
    no_refresh: bool,
    #[command(flatten)]
    costs: Costs,
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine_with(&session.settings(Some(&args.root))?)?;
    let selector = ProjectSelector {
        handle: args.project.as_deref(),
        root: &args.root,
        no_refresh: args.no_refresh,
        costs: Some(args.costs),
    };
    let (project, outcome) = selector.prepare(&engine, &mut session.output)?;
    let request = ExploreRequest {
        guesses: args.guesses.into(),
        path: args.path,
        folder: selector.folder(&engine, &project)?,
        ..ExploreRequest::default()
    };
    let explored = engine.explore(&project, &args.question.join(" "), &request)?;
    session.output.show(&explored, |_| explored.text())?;
    Ok(outcome)
}
