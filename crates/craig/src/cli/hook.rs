//! `craig hook`: answers the hooks of a coding assistant, at once or not at all.

mod command;
mod memory;
mod pattern;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use craig_engine::{
    Config, Engine, GraphSymbol, IngestionState, KeptSymbol, ProjectGlance, without_control_tokens,
};
use serde::Deserialize;
use serde_json::json;

use self::memory::Memory;
use super::failure::Outcome;
use super::global::Global;
use super::session::Session;
use super::units::{count, counted};
use super::visible::one_line;

/// Answer a hook of a coding assistant: reads its JSON from stdin and prints at most one line about the index
///
/// Never ingests, and never waits. If anything fails or takes longer than hooks.timeout_ms, it prints nothing and exits
/// with code 0.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    event: Event,
}

#[derive(Clone, Copy, Debug, clap::Subcommand)]
enum Event {
    /// At the start of a session: report what is indexed in its folder
    SessionStart,
    /// After a search: report where the names in it are defined
    AfterSearch,
}

impl Event {
    /// The setting that disables it.
    fn setting(self) -> &'static str {
        match self {
            Self::SessionStart => "hooks.session_start",
            Self::AfterSearch => "hooks.after_search",
        }
    }

    /// Its name in the JSON of hooks.
    fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::AfterSearch => "PostToolUse",
        }
    }
}

/// The input of a hook, as far as it is needed.
#[derive(Debug, Deserialize)]
struct Input {
    /// Folder of the session.
    cwd: PathBuf,
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    tool_name: String,
    #[serde(default)]
    tool_input: Search,
}

/// Arguments of the tools that search.
#[derive(Debug, Default, Deserialize)]
struct Search {
    /// A regular expression or a glob.
    pattern: Option<String>,
    /// The place that was searched.
    path: Option<PathBuf>,
    /// A shell command.
    command: Option<String>,
}

/// Longest input that is read; it contains the results of the search.
const MAX_INPUT_BYTES: u64 = 16_000_000;

/// Maximum number of names looked up for a pattern.
const MAX_NAMES: usize = 3;

/// Maximum number of definitions listed for a name.
const MAX_LISTED: usize = 3;

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    if let Some(note) = note_in_time(args.event, session) {
        let answer = json!({ "hookEventName": args.event.name(), "additionalContext": note.text });
        // Errors are ignored: the assistant may have stopped reading.
        let _ = session.output.json_line(&json!({ "hookSpecificOutput": answer }));
        if let Some(mention) = note.mention {
            // If this cannot be stored, the note is repeated.
            let _ = mention.memory.add(&mention.project, &mention.names);
        }
    }
    Ok(Outcome::Complete)
}

/// The note for the assistant.
struct Note {
    text: String,
    /// The notes that its session has already received.
    mention: Option<Mention>,
}

/// The names of a project in a note.
struct Mention {
    memory: Memory,
    project: String,
    names: Vec<String>,
}

fn note_in_time(event: Event, session: &Session) -> Option<Note> {
    let settings = session.settings(None).ok().filter(|settings| settings.is_on(event.setting()))?;
    let limit = Duration::from_millis(settings.whole("hooks.timeout_ms")?);
    let config = session.config(&settings).ok()?;
    let config = Config { must_exist: true, is_read_only: true, ..config };
    let (sender, receiver) = channel();
    // If it takes too long, it ends with the process.
    let answer = move || sender.send(note(event, &config));
    std::thread::Builder::new().name("hook".into()).spawn(answer).ok()?;
    receiver.recv_timeout(limit).ok()?
}

/// The note for the assistant; `None` if there is none.
fn note(event: Event, config: &Config) -> Option<Note> {
    let input = read_input()?;
    let engine = Engine::open(config).ok()?;
    let memory = Memory::of_session(&Global::data_folder().ok()?.join("sessions"), &input.session_id);
    match event {
        Event::SessionStart => {
            // Compacting a conversation may have dropped earlier notes.
            memory.iter().for_each(Memory::forget);
            let project = engine.project_of_directory(&input.cwd).ok()??;
            Some(Note { text: session_line(&engine.glance(&project).ok()?)?, mention: None })
        }
        Event::AfterSearch => {
            let project = engine.project_of_directory(&searched_folder(&input)).ok()??;
            let mut names = searched_names(&input);
            if let Some(memory) = &memory {
                names = memory.new_ones(&project, names);
            }
            let found = engine.kept_symbols(&project, &names).ok()?;
            let text = found.iter().map(symbol_line).collect::<Vec<_>>().join("\n");
            let names = found.into_iter().map(|symbol| symbol.name).collect();
            let mention = memory.map(|memory| Mention { memory, project, names });
            (!text.is_empty()).then_some(Note { text, mention })
        }
    }
}

fn read_input() -> Option<Input> {
    let mut text = String::new();
    std::io::stdin().lock().take(MAX_INPUT_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// The names of code in a search.
fn searched_names(input: &Input) -> Vec<String> {
    let search = &input.tool_input;
    let pattern = search.pattern.as_deref().unwrap_or_default();
    let mut names = match input.tool_name.as_str() {
        "Bash" => command::search_pattern(search.command.as_deref().unwrap_or_default())
            .map(|pattern| pattern::names(&pattern))
            .unwrap_or_default(),
        "Glob" => pattern::names_of_glob(pattern),
        _ => pattern::names(pattern),
    };
    names.truncate(MAX_NAMES);
    names
}

/// The folder that was searched.
fn searched_folder(input: &Input) -> PathBuf {
    let path =
        input.tool_input.path.as_deref().map_or_else(|| input.cwd.clone(), |path| input.cwd.join(path));
    match path.is_dir() {
        true => path,
        false => path.parent().map(Path::to_owned).unwrap_or(path),
    }
}

fn session_line(project: &ProjectGlance) -> Option<String> {
    let files = counted(project.files, "file");
    let state = match project.state {
        IngestionState::Pending => return None,
        IngestionState::InProgress => format!("is being indexed, {files} so far"),
        IngestionState::Completed => format!("is indexed, {files}"),
        IngestionState::Failed => format!("is partly indexed, {files}: `craig ingest-delta` completes it"),
    };
    Some(format!(
        "craig: `{}` {state}. For questions about its code, ask explore (without MCP: `craig explore \"QUESTION\"`) \
         before you search and read files.",
        safe(&project.name)
    ))
}

fn symbol_line(found: &KeptSymbol) -> String {
    let listed: Vec<String> = found.definitions.iter().take(MAX_LISTED).map(place).collect();
    let more = match found.definitions.len() - listed.len() {
        0 => String::new(),
        n => format!(" and {} more places", count(n as u64)),
    };
    let references = counted(found.references, "reference");
    let name = safe(&found.name);
    format!("craig: `{name}` is defined at {}{more}, {references} (references tool)", listed.join(", "))
}

fn place(symbol: &GraphSymbol) -> String {
    let path = safe(&symbol.path);
    match symbol.line == symbol.line_end {
        true => format!("{path}:{}", symbol.line),
        false => format!("{path}:{}-{}", symbol.line, symbol.line_end),
    }
}

/// A name of a repository on one line, without control tokens of chat templates.
fn safe(name: &str) -> String {
    without_control_tokens(&one_line(name)).into_owned()
}
