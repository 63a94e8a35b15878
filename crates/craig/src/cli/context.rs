//! `craig context`: the code that a chat message or an inline edit needs, ready for a prompt.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Subcommand;
use craig_engine::{ChatContextRequest, ContextAnswer, Engine, InlineContextRequest};

use super::costs::Costs;
use super::failure::{Outcome, Refusal};
use super::guesses::Guesses;
use super::project_selector::ProjectSelector;
use super::session::Session;

/// Print the code that a chat message or an inline edit needs, as Markdown for a prompt or as JSON
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    purpose: Purpose,
}

#[derive(Debug, Subcommand)]
enum Purpose {
    Chat(ChatArgs),
    Inline(InlineArgs),
}

/// Print the code that a chat message is about
#[derive(Debug, clap::Args)]
#[command(override_usage = "craig context chat [OPTIONS] <MESSAGE>")]
struct ChatArgs {
    /// The message; it gets no context if it begins or ends with '/no-context'
    message: Vec<String>,
    /// Earlier messages of the conversation, oldest first (may be repeated)
    #[arg(long, value_name = "MESSAGE", num_args = 1..)]
    history: Vec<String>,
    /// Token budget [default: puku.chat.semanticContext.tokenBudget]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    #[command(flatten)]
    guesses: Guesses,
    #[command(flatten)]
    common: Common,
}

/// Print the code that helps with an edit: the code that the instruction refers to, without the selection itself
#[derive(Debug, clap::Args)]
struct InlineArgs {
    /// Instruction, such as 'handle errors like the login function'
    instruction: String,
    /// File to edit
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
    /// Selected lines, 1-based and inclusive
    #[arg(long, value_name = "A-B", value_parser = lines)]
    lines: (u32, u32),
    /// Read the file's unsaved text from stdin
    #[arg(long)]
    stdin: bool,
    /// Maximum length of a piece of code, in bytes [default: puku.inlineEdit.context.semantic.maxCodeLength]
    #[arg(long, value_name = "BYTES")]
    max_code_length: Option<usize>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Directory of the project; ingested first if necessary
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Id, reference or name of the project [default: the project of the directory]
    #[arg(long, short, conflicts_with = "root")]
    project: Option<String>,
    /// Maximum number of pieces of code, 1 to 20 [default: from the settings]
    #[arg(long, short = 'n', value_name = "N")]
    max_chunks: Option<usize>,
    /// Minimum score of a piece of code, from 0 to 1 [default: from the settings]
    #[arg(long, value_name = "SCORE")]
    min_score: Option<f32>,
    /// Path of an open or recently edited file, which ranks slightly higher (may be repeated)
    #[arg(long, value_name = "PATH")]
    open: Vec<String>,
    /// Answer from the index without looking for changed files
    #[arg(long)]
    no_refresh: bool,
    #[command(flatten)]
    costs: Costs,
}

/// `10-20`, or `10` for one line.
fn lines(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|line| *line > 0);
    let (first, last) = text.split_once(['-', ':']).unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok((first, last)),
        _ => Err("lines are counted from 1 and look like '10-20'".to_owned()),
    }
}

pub(crate) fn run(args: Args, session: &mut Session) -> anyhow::Result<Outcome> {
    match args.purpose {
        Purpose::Chat(args) => chat(args, session),
        Purpose::Inline(args) => inline(args, session),
    }
}

fn chat(args: ChatArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let (message, history) = message_and_history(args.message, args.history)?;
    let common = args.common;
    let (engine, project, prepared) = prepare(&common, session)?;
    let request = ChatContextRequest {
        message,
        history,
        guesses: args.guesses.into(),
        open_files: common.open,
        max_chunks: common.max_chunks,
        min_similarity: common.min_score,
        token_budget: args.budget,
        ..ChatContextRequest::default()
    };
    let answer = engine.chat_context(&project, &request)?;
    show(&answer, session)?;
    Ok(prepared)
}

/// `--history A B` takes all following values, so a message after it is its last value.
fn message_and_history(
    message: Vec<String>,
    mut history: Vec<String>,
) -> anyhow::Result<(String, Vec<String>)> {
    if !message.is_empty() {
        return Ok((message.join(" "), history));
    }
    let refusal =
        || Refusal::new("the message is missing", "ask with: craig context chat \"how does login work?\"");
    let message = history.pop().filter(|_| !history.is_empty()).ok_or_else(refusal)?;
    Ok((message, history))
}

fn inline(args: InlineArgs, session: &mut Session) -> anyhow::Result<Outcome> {
    let text = args.stdin.then(text_of_stdin).transpose()?;
    let common = args.common;
    let (engine, project, prepared) = prepare(&common, session)?;
    let request = InlineContextRequest {
        instruction: args.instruction,
        path: engine.path_in_project(&project, &common.root, &args.file)?,
        lines: args.lines,
        text,
        open_files: common.open,
        max_chunks: common.max_chunks,
        min_score: common.min_score,
        max_code_length: args.max_code_length,
        ..InlineContextRequest::default()
    };
    let answer = engine.inline_context(&project, &request)?;
    show(&answer, session)?;
    Ok(prepared)
}

fn text_of_stdin() -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read the file's text from stdin")?;
    Ok(text)
}

/// Opens the engine and brings the project up to date, with progress on stderr; returns its reference.
fn prepare(common: &Common, session: &mut Session) -> anyhow::Result<(Engine, String, Outcome)> {
    let engine = session.engine_with(&session.settings(Some(&common.root))?)?;
    engine.warm_up_tokenizer();
    let selector = ProjectSelector {
        handle: common.project.as_deref(),
        root: &common.root,
        no_refresh: common.no_refresh,
        costs: Some(common.costs),
    };
    let (project, outcome) = selector.prepare(&engine, &mut session.output)?;
    Ok((engine, project, outcome))
}

/// Prints the context; the reason for an empty one, and warnings, go to stderr.
fn show(answer: &ContextAnswer, session: &mut Session) -> anyhow::Result<()> {
    session.output.show(answer, |_| answer.markdown.clone())?;
    if !session.output.is_quiet {
        answer.notes.iter().for_each(|note| session.output.warn(note));
        if let Some(reason) = &answer.reason {
            session.output.complain(&format!("no context: {reason}\n"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_others_refused() {
        assert_eq!((lines("10-20"), lines("7")), (Ok((10, 20)), Ok((7, 7))));
        for bad in ["", "0-3", "5-4", "a-b", "1-", "-1"] {
            assert!(lines(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_message_may_stand_behind_the_history() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let read =
            |message: &[&str], history: &[&str]| message_and_history(words(message), words(history)).ok();
        assert_eq!(read(&["m"], &["a", "b"]), Some(("m".into(), words(&["a", "b"]))));
        assert_eq!(read(&[], &["a", "m"]), Some(("m".into(), words(&["a"]))));
        assert_eq!(read(&[], &["a"]), None);
        assert_eq!(read(&[], &[]), None);
    }
}
