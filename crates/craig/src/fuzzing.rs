//! The servers as functions of a client's bytes, for `fuzz/`; not part of the program.

use std::io::BufReader;
use std::path::Path;

use craig_engine::{Config, Sources};
use lsp_server::{Connection, Message};
use rmcp::ServiceExt as _;
use serde_json::json;

use crate::lsp::{self, Setup};
use crate::mcp::{Abilities, AllowedSources, Base, Server, Settings, Toolset, Tracing, TracingSettings};

/// Serves one MCP client of a read-only server over stdio's framing until its `input` ends; `home` is workspace and has the
/// database.
pub async fn mcp(home: &Path, input: &[u8]) {
    let settings = Settings {
        engine: Config::new(home.join("craig.db")),
        sources: Sources::default(),
        child_arguments: Vec::new(),
        workspace: Base::find(Some(home)).expect("the home is a directory"),
        allowed: AllowedSources::parse(&[]).expect("none is none"),
        roots_grant_access: true,
        abilities: Abilities::ReadOnly,
        toolset: Toolset::All,
        lists_output_schemas: true,
        refreshes: false,
        tracing: TracingSettings::default(),
        answers: None,
    };
    let transport = (std::io::Cursor::new(input.to_vec()), tokio::io::sink());
    if let Ok(running) = Server::new(settings, Tracing::off()).serve(transport).await {
        // However a session ends: only a panic is of interest.
        let _ = running.waiting().await;
    }
}

/// Serves one editor without a folder: messages are read from `input` as they come over stdio, until one is malformed.
pub fn lsp(input: &[u8]) {
    let (server, editor) = Connection::memory();
    let serving = std::thread::spawn(move || {
        let engine = Err("there is no engine here".to_owned());
        // However a session ends: only a panic is of interest.
        let _ = lsp::serve(&server, Setup { sources: Sources::default(), engine, of_workspaces: None });
    });
    let drained = std::thread::spawn(move || editor.receiver.iter().for_each(drop));
    let sender = editor.sender;
    for message in opening().into_iter().chain(messages(input)) {
        if sender.send(message).is_err() {
            break;
        }
    }
    drop(sender);
    serving.join().expect("the server does not panic");
    drained.join().expect("nothing is done but to receive");
}

fn opening() -> [Message; 2] {
    let initialize =
        lsp_server::Request::new(0.into(), "initialize".to_owned(), json!({ "capabilities": {} }));
    let initialized = lsp_server::Notification::new("initialized".to_owned(), json!({}));
    [initialize.into(), initialized.into()]
}

fn messages(input: &[u8]) -> impl Iterator<Item = Message> {
    let mut reader = BufReader::new(input);
    std::iter::from_fn(move || Message::read(&mut reader).ok().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_seeds_are_sessions_that_end() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
        let seed = |target: &str| std::fs::read(seeds.join(target).join("session")).unwrap();
        let (mcp_session, lsp_session) = (seed("mcp-framing"), seed("lsp-framing"));
        assert_eq!(messages(&lsp_session).count(), 7, "every frame is read");
        lsp(&lsp_session);
        mcp(tempfile::tempdir().unwrap().path(), &mcp_session).await;
    }
}
