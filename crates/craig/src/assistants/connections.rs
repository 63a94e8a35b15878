//! The assistants and editors of this machine that start Craig, and the version that they start.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;
use serde_json::Value;

use super::table::{ASSISTANTS, Assistant, Places};
use super::{edit, files};
use crate::installation::EXTENSION;

/// How one assistant is connected.
#[derive(Debug, Serialize)]
pub(crate) struct Connection {
    /// Name on the command line.
    pub(crate) agent: &'static str,
    /// Its own name.
    pub(crate) name: &'static str,
    /// The program that it starts; `None` when Craig is not in its configuration.
    pub(crate) program: Option<String>,
    /// Version of that program; `None` if it is missing or reports none.
    pub(crate) version: Option<String>,
    /// Version of Craig's plugin, which starts the program `craig`, if it is installed and switched on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plugin: Option<String>,
    /// Why its configuration cannot be edited, with the path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trouble: Option<String>,
}

impl Connection {
    /// Whether the assistant starts Craig.
    pub(crate) fn is_there(&self) -> bool {
        self.program.is_some() || self.plugin.is_some()
    }
}

/// The extension in one editor.
#[derive(Debug, Serialize)]
pub(crate) struct Extension {
    /// Name of the editor.
    pub(crate) editor: &'static str,
    /// Newest version in its folder.
    pub(crate) version: String,
}

/// Every assistant that was found.
pub(crate) fn connections(places: &Places) -> Vec<Connection> {
    let found = ASSISTANTS.iter().filter(|assistant| assistant.is_there(places));
    found.map(|assistant| connection(assistant, places)).collect()
}

fn connection(assistant: &Assistant, places: &Places) -> Connection {
    let path = assistant.config(places);
    let text = files::read(&path).map(Option::unwrap_or_default).map_err(|error| error.to_string());
    let edited = text.as_ref().map_err(String::clone).and_then(|text| {
        edit::with_server(assistant.form, text, "craig").map_err(|trouble| trouble.to_string())
    });
    let trouble = edited.err().map(|why| format!("{}: {why}", path.display()));
    let program = text.ok().and_then(|text| edit::program(assistant.form, &text));
    let version = program.as_deref().and_then(version_of);
    let plugin = if assistant.id == "claude-code" { plugin_of_claude(places) } else { None };
    Connection { agent: assistant.id, name: assistant.name, program, version, plugin, trouble }
}

/// The version of the plugin of Claude Code, from whichever marketplace, unless it is switched off.
fn plugin_of_claude(places: &Places) -> Option<String> {
    let folder = places.claude_folder();
    let read = |name: &str| serde_json::from_str::<Value>(&files::read(&folder.join(name)).ok()??).ok();
    let installed = read("plugins/installed_plugins.json")?;
    let (id, found) = installed["plugins"].as_object()?.iter().find(|(id, _)| id.starts_with("craig@"))?;
    let is_off = read("settings.json").is_some_and(|settings| settings["enabledPlugins"][id] == false);
    // A list with one for each scope; a single one in files of older versions.
    let version = found.get(0).unwrap_or(found)["version"].as_str()?;
    (!is_off).then(|| version.to_owned())
}

/// The reported version of a program named craig; other programs are not started.
fn version_of(program: &str) -> Option<String> {
    if Path::new(program).file_stem()? != "craig" {
        return None;
    }
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().strip_prefix("craig ")?.to_owned())
}

/// Folders of extensions in the home directory.
const EXTENSION_FOLDERS: &[(&str, &str)] = &[
    ("VS Code", ".vscode/extensions"),
    ("VS Code server", ".vscode-server/extensions"),
    ("VSCodium", ".vscode-oss/extensions"),
    ("code-server", ".local/share/code-server/extensions"),
    ("Cursor", ".cursor/extensions"),
    ("Windsurf", ".windsurf/extensions"),
];

/// The extension, in every editor that has it.
pub(crate) fn extensions(places: &Places) -> Vec<Extension> {
    let found = EXTENSION_FOLDERS.iter().filter_map(|(editor, folder)| {
        Some(Extension { editor, version: version_below(&places.home.join(folder))? })
    });
    found.collect()
}

/// The version that an editor lists; the files of an extension that was removed stay until the editor starts again.
fn version_below(folder: &Path) -> Option<String> {
    let list = files::read(&folder.join("extensions.json")).ok().flatten();
    let listed = list.and_then(|text| serde_json::from_str::<Vec<Value>>(&text).ok());
    match listed {
        Some(listed) => {
            let own = listed.into_iter().find(|extension| extension["identifier"]["id"] == EXTENSION)?;
            own["version"].as_str().map(str::to_owned)
        }
        None => files::names_in(folder).iter().filter_map(|name| version_in(name)).next_back(),
    }
}

/// The version in `craig.craig-0.1.0-linux-x64`.
fn version_in(folder: &str) -> Option<String> {
    let version = folder.strip_prefix(EXTENSION)?.strip_prefix('-')?.split('-').next()?;
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
}
