//! `dialogues`: which messages of a conversation get context.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use craig_engine::{ChatContextRequest, Config, Engine};
use serde::Deserialize;

use crate::corpus::{ingest_one, read_json};

#[derive(Args)]
pub(crate) struct DialoguesArguments {
    /// File of messages with the earlier ones of their conversations.
    #[arg(long)]
    dialogues: PathBuf,
    /// Folder with the repositories, each checked out under its name.
    #[arg(long)]
    corpora: PathBuf,
    /// Database for the indexes; kept, so that a second run is quick.
    #[arg(long)]
    db: PathBuf,
    /// Print the messages of this kind with whether they got context.
    #[arg(long)]
    show: Option<String>,
}

/// The conversations about one repository.
#[derive(Deserialize)]
struct Repository {
    name: String,
    dialogues: Vec<Dialogue>,
}

/// A message with the earlier ones.
#[derive(Deserialize)]
struct Dialogue {
    /// `follow_up` and `concept` are about the repository, `switch` and `unrelated` about something else; a `closing` needs no
    /// more code.
    kind: String,
    history: Vec<String>,
    message: String,
}

/// What the messages of a kind got.
#[derive(Default)]
struct Share {
    n_asked: usize,
    n_with_context: usize,
    n_tokens: usize,
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
pub(crate) fn run(arguments: &DialoguesArguments) -> Result<()> {
    let repositories: Vec<Repository> = read_json(&arguments.dialogues, "dialogues")?;
    let engine = Engine::open(&Config::new(&arguments.db))?;
    let mut shares: BTreeMap<String, Share> = BTreeMap::new();
    for Repository { name, dialogues } in repositories {
        ingest_one(&engine, &name, arguments.corpora.join(&name))?;
        for Dialogue { kind, history, message } in dialogues {
            let request = ChatContextRequest { message, history, ..ChatContextRequest::default() };
            let answer = engine.chat_context(&name, &request)?;
            let has_context = !answer.blocks.is_empty();
            if arguments.show.as_ref() == Some(&kind) {
                let sign = if has_context { '+' } else { '-' };
                println!("{sign} {name}: {} | {}", request.history.join(" | "), request.message);
            }
            let share = shares.entry(kind).or_default();
            share.n_asked += 1;
            share.n_with_context += usize::from(has_context);
            share.n_tokens += answer.tokens;
        }
    }
    println!("{:<10} {:>5} {:>12} {:>6}", "kind", "asked", "with context", "tokens");
    for (kind, Share { n_asked, n_with_context, n_tokens }) in shares {
        println!("{kind:<10} {n_asked:>5} {n_with_context:>12} {:>6}", n_tokens / n_asked);
    }
    Ok(())
}
