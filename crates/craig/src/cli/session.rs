//! The settings, the engine and the output, which every command uses.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use craig_engine::{Config, DatabaseAddress, Engine, EngineError, Settings, Sources, private};

use super::global::Global;
use super::output::Output;
use super::progress;
use crate::workspace::find_database;

/// One run of the program.
pub(crate) struct Session {
    global: Global,
    /// Output of the command.
    pub(crate) output: Output,
}

impl Session {
    pub(crate) fn new(global: Global) -> Self {
        anstream::ColorChoice::from(global.color).write_global();
        let output = Output::new(global.format, global.quiet);
        if let Ok(folder) = Global::data_folder() {
            // The folder is created when something is first stored.
            let _ = private::restrict(&folder);
        }
        Self { global, output }
    }

    /// Options that make another process use the same settings and the same `database`.
    pub(crate) fn arguments(&self, database: &DatabaseAddress) -> Vec<OsString> {
        let set = self
            .global
            .settings_flags()
            .into_iter()
            .map(|(key, value)| format!("--set={key}={value}").into());
        ["--db".into(), database.to_path().into_os_string()].into_iter().chain(set).collect()
    }

    /// The options of every command, as they were given.
    pub(crate) fn global(&self) -> &Global {
        &self.global
    }

    /// Sources of the settings, without a project's own.
    pub(crate) fn sources(&self) -> Sources {
        self.global.sources(None)
    }

    /// The effective settings, including those of the project in the directory `project`.
    pub(crate) fn settings(&self, project: Option<&Path>) -> anyhow::Result<Settings> {
        Ok(Settings::resolve(&self.global.sources(project)).map_err(EngineError::from)?)
    }

    /// Opens the engine on an existing database; a missing `--db` path is an error.
    pub(crate) fn engine(&self) -> anyhow::Result<Engine> {
        let config = self.config(&self.settings(None)?)?;
        Ok(Engine::open(&Config { must_exist: self.global.db.is_some(), ..config })?)
    }

    /// Names of the projects and groups of the database; a missing file is an error.
    pub(crate) fn project_names(&self) -> anyhow::Result<Vec<String>> {
        let config = self.config(&self.settings(None)?)?;
        let engine = Engine::open(&Config { must_exist: true, ..config })?;
        let projects = engine.projects()?.into_iter().map(|project| project.name);
        Ok(projects.chain(engine.groups()?.into_iter().map(|group| group.name)).collect())
    }

    /// Opens the engine with `settings`.
    pub(crate) fn engine_with(&self, settings: &Settings) -> anyhow::Result<Engine> {
        Ok(Engine::open(&self.config(settings)?)?)
    }

    /// Whether the user names a database: an argument, the environment or `settings`.
    pub(crate) fn names_database(&self, settings: &Settings) -> bool {
        let argument = self.global.db.as_ref().is_some_and(|path| !path.as_os_str().is_empty());
        argument || std::env::var_os("CRAIG_DB").is_some() || settings.text("database").is_some()
    }

    /// The engine's configuration from `settings`.
    pub(crate) fn config(&self, settings: &Settings) -> anyhow::Result<Config> {
        // Settings are text, but a path may not be valid UTF-8.
        let no_text =
            || std::env::var_os("CRAIG_DB").filter(|path| path.to_str().is_none()).map(PathBuf::from);
        let named = self.global.db.clone().filter(|path| !path.as_os_str().is_empty()).or_else(no_text);
        let is_set = settings.text("database").is_some();
        let default = match named.is_some() || is_set {
            true => PathBuf::new(),
            false => workspace_database().map_or_else(Global::default_database, Ok)?,
        };
        let mut config = Config::from_settings(settings, default).map_err(EngineError::from)?;
        if let Some(named) = named {
            config.database = named.into();
        }
        Ok(config)
    }
}

/// The index of the workspace that contains the current directory, if an editor has created one.
fn workspace_database() -> Option<PathBuf> {
    find_database(&std::env::current_dir().ok()?)
}

/// Ends the program with exit code 130 on Ctrl-C or SIGTERM. Committed work stays; the next ingestion completes an
/// interrupted one.
pub(crate) fn end_on_interrupt() {
    // If no handler can be set, the system ends the program, and the shell also reports 130.
    let _ = ctrlc::set_handler(|| {
        let mut stderr = std::io::stderr();
        if stderr.is_terminal() {
            // Ends the line of a progress bar.
            let _ = writeln!(stderr);
        }
        if super::worker::return_running_job() {
            let _ = writeln!(stderr, "interrupted: another worker can take the job");
        } else if let Some(message) = progress::after_interrupt() {
            let _ = writeln!(stderr, "{message}");
        }
        std::process::exit(130);
    });
}
