//! Options that every command takes, and where the database is.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::failure::Refusal;

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Database [default: $XDG_DATA_HOME/craig/craig.db, else ~/.local/share/craig/craig.db]
    #[arg(
        long,
        global = true,
        env = "CRAIG_DB",
        hide_env_values = true,
        value_name = "PATH",
        help_heading = "Global options"
    )]
    pub(crate) db: Option<PathBuf>,
    /// Form of the output: for people, or one JSON document on stdout
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
    /// No progress and no summaries: results, warnings and errors only
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Threads for reading, parsing and embedding; 0 means one for each core
    #[arg(
        long,
        global = true,
        env = "CRAIG_THREADS",
        hide_env_values = true,
        default_value_t = 0,
        value_name = "N",
        help_heading = "Global options"
    )]
    pub(crate) threads: usize,
}

/// Form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
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

impl Global {
    /// The database to use.
    pub(crate) fn database(&self) -> Result<PathBuf, Refusal> {
        if let Some(path) = self.db.as_ref().filter(|path| !path.as_os_str().is_empty()) {
            return Ok(path.clone());
        }
        use etcetera::BaseStrategy as _;
        let folders = etcetera::choose_base_strategy().map_err(|_| {
            Refusal::new(
                "there is no home directory to keep the database in",
                "say where with --db PATH or CRAIG_DB",
            )
        })?;
        Ok(folders.data_dir().join("craig").join("craig.db"))
    }
}
