//! Options of every command, and the location of the database.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use craig_engine::{Environment, Sources};
use etcetera::BaseStrategy as _;

use super::failure::Refusal;

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Database [default: .puku/embeddings.db in this folder or one above, else $XDG_DATA_HOME/craig/craig.db, else
    /// ~/.local/share/craig/craig.db] [env: CRAIG_DB]
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    pub(crate) db: Option<PathBuf>,
    /// Output format: text for people, or one JSON document on stdout
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        help_heading = "Global options"
    )]
    pub(crate) format: Format,
    /// When to use colours; 'auto' respects NO_COLOR and CLICOLOR_FORCE
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Global options"
    )]
    pub(crate) color: Color,
    /// Print only results, warnings and errors, without progress and summaries
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Threads for reading, parsing and embedding; 0 means one per core [default: 0] [env: CRAIG_THREADS]
    #[arg(long, global = true, value_name = "N", help_heading = "Global options")]
    pub(crate) threads: Option<usize>,
    /// Override a setting, such as embedder.provider=local ('craig settings' lists them; may be repeated)
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = key_and_value, help_heading = "Global options")]
    pub(crate) set: Vec<(String, String)>,
}

/// Output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people; 'markdown' is an alias
    #[default]
    #[value(alias = "markdown")]
    Text,
    /// For programs
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// If the output is a terminal
    #[default]
    Auto,
    /// Always use colours
    Always,
    /// Never use colours
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// Reads `KEY=VALUE`.
fn key_and_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as embedder.provider=local")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

impl Global {
    /// Sources of the settings; `project` is the directory whose own file is read.
    pub(crate) fn sources(&self, project: Option<&Path>) -> Sources {
        let environment: Environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let named = environment.get("CRAIG_CONFIG").map(PathBuf::from);
        Sources {
            must_exist: named.is_some(),
            user_file: named.or_else(|| Some(folders().ok()?.config_dir().join("craig").join("config.toml"))),
            project: project.map(Path::to_owned),
            environment,
            flags: self.settings_flags(),
            data_folder: Self::data_folder().ok(),
        }
    }

    /// Settings given by `--set` or by flags of their own.
    pub(crate) fn settings_flags(&self) -> Vec<(String, String)> {
        let threads = self.threads.map(|threads| ("threads".to_owned(), threads.to_string()));
        self.set.iter().cloned().chain(threads).collect()
    }

    /// Craig's data folder.
    pub(crate) fn data_folder() -> Result<PathBuf, Refusal> {
        Ok(folders()?.data_dir().join("craig"))
    }

    /// The folder in which calls of the tools of `craig mcp` are counted.
    pub(crate) fn answers_folder() -> Result<PathBuf, Refusal> {
        Ok(Self::data_folder()?.join("answers"))
    }

    /// The default file of the gateway's keys.
    pub(crate) fn default_keys() -> Result<PathBuf, Refusal> {
        Ok(Self::data_folder()?.join("gateway-keys.json"))
    }

    /// The default database.
    pub(crate) fn default_database() -> Result<PathBuf, Refusal> {
        Ok(Self::data_folder()?.join("craig.db"))
    }
}

fn folders() -> Result<impl etcetera::BaseStrategy, Refusal> {
    etcetera::choose_base_strategy().map_err(|_| {
        Refusal::new(
            "there is no home directory for the database",
            "name the database with --db PATH or CRAIG_DB",
        )
    })
}
