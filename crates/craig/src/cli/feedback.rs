//! `craig feedback`: whether context was helpful.

use serde::Serialize;

use super::failure::Outcome;
use super::session::Session;

/// Record whether returned context was helpful; stored in the database for 'craig stats'
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Your verdict
    #[arg(value_enum)]
    verdict: Verdict,
    /// Id of the context, from its JSON [default: the newest]
    #[arg(long, value_name = "N")]
    id: Option<u64>,
    /// Reason
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// A verdict on context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// It helped
    Helpful,
    /// It did not
    Unhelpful,
}

#[derive(Serialize)]
struct Rated {
    id: u64,
    verdict: Verdict,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let helpful = args.verdict == Verdict::Helpful;
    let id = session.engine()?.rate_context(args.id, helpful, args.note.as_deref())?;
    let rated = Rated { id, verdict: args.verdict };
    let word = if helpful { "helpful" } else { "unhelpful" };
    session.output.summarize(&rated, |_| format!("context {id} is {word}\n"))?;
    Ok(Outcome::Complete)
}
