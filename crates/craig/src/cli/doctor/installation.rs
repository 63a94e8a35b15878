//! How Craig is installed, configured and connected on this machine, and what to do next.

use craig_engine::{DatabaseAddress, Examination, Settings};
use serde::Serialize;

use super::super::failure::Refusal;
use super::super::output::{BOLD, LABEL, styled};
use super::super::settings::{self, Shown};
use super::super::units::bytes;
use crate::assistants::{Connection, Extension, Places, connections, extensions};
use crate::installation::{EXTENSION, Installer, VERSION, program};

/// The report.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    version: &'static str,
    program: String,
    #[serde(flatten)]
    installer: &'static Installer,
    /// Bytes of the database; `None` when there is none yet.
    database_bytes: Option<u64>,
    #[serde(skip)]
    is_on_server: bool,
    #[serde(skip)]
    index_bytes: u64,
    settings: Vec<Shown<'a>>,
    assistants: Vec<Connection>,
    extensions: Vec<Extension>,
    next: Vec<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        database: &DatabaseAddress,
        found: Option<&Examination>,
    ) -> anyhow::Result<Self> {
        let home = etcetera::home_dir().map_err(|_| {
            Refusal::new("the home directory is unknown, so assistants cannot be found", "set HOME")
        })?;
        let places = Places::of_user(home);
        let program = program()?;
        let installer = Installer::from_path(&program.canonicalize()?);
        let (assistants, extensions) = (connections(&places), extensions(&places));
        Ok(Self {
            version: VERSION,
            installer,
            database_bytes: database.file().and_then(|file| Some(file.metadata().ok()?.len())),
            is_on_server: database.file().is_none(),
            index_bytes: found.map_or(0, |found| found.index_bytes),
            settings: settings::changed(settings),
            next: next_steps(found, &assistants, &extensions, installer),
            program: program.display().to_string(),
            assistants,
            extensions,
        })
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut add = |label: &str, value: String| {
            text += &format!("{} {value}\n", styled(LABEL, format_args!("{label:<12}")));
        };
        add("version", format!("{}, installed by {}: {}", self.version, self.installer.name, self.program));
        add("update", self.installer.update.to_owned());
        let in_indexes = bytes(self.index_bytes);
        let stored = match self.database_bytes {
            Some(n) => format!("{} in the database, {in_indexes} in indexes", bytes(n)),
            None if self.is_on_server => format!("{in_indexes} in indexes, the database on its server"),
            None => "nothing yet".to_owned(),
        };
        add("stored", stored);
        self.settings.iter().for_each(|setting| add("setting", setting.line()));
        for connection in &self.assistants {
            add("assistant", format!("{}: {}", styled(BOLD, connection.name), state(connection)));
        }
        for extension in &self.extensions {
            add("extension", format!("{}: {}", styled(BOLD, extension.editor), extension.version));
        }
        self.next.iter().for_each(|step| add("next", step.clone()));
        text
    }
}

fn state(connection: &Connection) -> String {
    let plugin = connection.plugin.as_ref().map(|version| format!("the plugin {version}"));
    let entry = connection.program.as_ref().map(|program| match &connection.version {
        None => format!("starts {program}, which is missing or reports no version"),
        Some(version) => format!("{version}, {program}"),
    });
    match (entry, plugin) {
        (None, None) => match &connection.trouble {
            Some(trouble) => format!("not connected; {trouble}"),
            None => "not connected".to_owned(),
        },
        (Some(only), None) | (None, Some(only)) => only,
        (Some(entry), Some(plugin)) => format!("{entry}; and {plugin}"),
    }
}

/// What the user should do next, most urgent first.
fn next_steps(
    found: Option<&Examination>,
    assistants: &[Connection],
    extensions: &[Extension],
    installer: &Installer,
) -> Vec<String> {
    let mut steps = Vec::new();
    match found {
        Some(found) if !found.is_sound => steps.push("run 'craig doctor --repair'".to_owned()),
        Some(found) if found.projects > 0 => {}
        _ => steps.push("run 'craig search \"a question\"' in a directory with code".to_owned()),
    }
    for connection in assistants {
        let is_other = connection.version.as_deref() != Some(VERSION);
        if let Some(program) = connection.program.as_ref().filter(|_| is_other) {
            steps.push(format!(
                "run 'craig install': {} starts {program}, which is not Craig {VERSION}",
                connection.name
            ));
        }
    }
    for connection in assistants {
        let Some(version) = &connection.plugin else { continue };
        let name = connection.name;
        if connection.program.is_some() {
            steps.push(format!(
                "run 'craig uninstall --agent {}': the plugin of {name} starts the same server",
                connection.agent
            ));
        }
        if minor(version) != minor(VERSION) {
            steps.push(format!("update the plugin of {name}: it belongs to Craig {version}, not {VERSION}"));
        }
    }
    let unconnected = assistants.iter().filter(|connection| !connection.is_there());
    let (broken, unconnected): (Vec<&Connection>, Vec<&Connection>) =
        unconnected.partition(|connection| connection.trouble.is_some());
    for connection in broken {
        steps.push(format!(
            "correct the configuration of {}, then run 'craig install --agent {}'",
            connection.name, connection.agent
        ));
    }
    let unconnected: Vec<&str> = unconnected.iter().map(|connection| connection.name).collect();
    if !unconnected.is_empty() {
        steps.push(format!("run 'craig install' to connect {}", unconnected.join(", ")));
    }
    for extension in extensions.iter().filter(|extension| minor(&extension.version) != minor(VERSION)) {
        steps.push(format!(
            "update the older one: {} has the extension {}, this is Craig {VERSION} ({})",
            extension.editor, extension.version, installer.update
        ));
    }
    if extensions.is_empty() && assistants.iter().any(|found| found.agent == "vscode") {
        steps.push(format!("run 'code --install-extension {EXTENSION}' for Craig in VS Code itself"));
    }
    steps
}

/// `0.1` of `0.1.2`: the part of the version in which the program and the extension must agree.
fn minor(version: &str) -> Vec<&str> {
    version.split('.').take(2).collect()
}
