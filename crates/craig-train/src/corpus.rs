//! Labelled questions with the repositories they are about, ready to be asked.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use craig_engine::{Config, Consent, Engine, IngestRequest, Settings, SourceOptions, Sources, Waiting};
use craig_source::{Root, read, walk};
use rayon::prelude::*;
use serde::de::DeserializeOwned;

use crate::pinned;
use crate::questions::{self, Repository};

/// Labelled questions and the repositories they are about.
#[derive(Args)]
pub(crate) struct Corpus {
    /// File of labelled questions.
    #[arg(long, required_unless_present = "pinned")]
    questions: Option<PathBuf>,
    /// Folder with the repositories, each checked out under its name.
    #[arg(long, required_unless_present = "pinned")]
    corpora: Option<PathBuf>,
    /// Ask the questions of `evals/pinned.json` about crates that `Cargo.lock` pins: needs no checkouts.
    #[arg(long, conflicts_with_all = ["questions", "corpora"])]
    pinned: bool,
    /// Database for the indexes; kept, so that a second run is quick.
    #[arg(long)]
    db: PathBuf,
    /// Settings, such as embedder.provider=local (may be repeated); a database holds one embedder's index at a time.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

impl Corpus {
    /// Loads the questions and ingests their repositories.
    pub(crate) fn open(&self) -> Result<(Engine, Vec<Repository>)> {
        let sources = match (&self.questions, &self.corpora) {
            (Some(questions), Some(corpora)) => checked_out(questions, corpora)?,
            _ => pinned::sources()?,
        };
        let engine = Engine::open(&config(&self.db, &self.settings)?)?;
        let repositories = ingest(&engine, sources)?;
        Ok((engine, repositories))
    }
}

/// Reads a JSON file; errors call it a file of `contents`.
pub(crate) fn read_json<T: DeserializeOwned>(file: &Path, contents: &str) -> Result<T> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a file of {contents}", file.display()))
}

/// What `make` makes of each file in a folder that the engine would index: of its path, its outline and its text.
pub(crate) fn outlines<T: Send>(
    folder: &Path,
    make: impl Fn(&str, &craig_chunk::Outline, &str) -> T + Sync,
) -> Result<Vec<T>> {
    let root = Root::open(folder).with_context(|| format!("cannot open {}", folder.display()))?;
    let options = SourceOptions::default();
    let listing = walk(&root, &options)?;
    let made = |path: &str| {
        // What cannot be read is not found, as in the engine.
        let source = read(&root, path, &options).ok()?;
        let text = source.indexed_text().unwrap_or_default();
        Some(make(path, &craig_chunk::chunk(source.language, text), text))
    };
    Ok(listing.entries.par_iter().filter_map(|entry| made(&entry.path)).collect())
}

/// The configuration of an engine on the database at `db`: the built-in settings, the environment, and `settings`, each KEY=VALUE.
pub(crate) fn config(db: &Path, settings: &[String]) -> Result<Config> {
    let flag = |text: &String| {
        let pair = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.with_context(|| format!("{text} is no KEY=VALUE"))
    };
    let flags = settings.iter().map(flag).collect::<Result<_>>()?;
    let sources = Sources { flags, environment: std::env::vars().collect(), ..Sources::default() };
    Ok(Config::from_settings(&Settings::resolve(&sources)?, db)?)
}

/// The repositories of a file of questions, each with its folder below `corpora`.
pub(crate) fn checked_out(questions: &Path, corpora: &Path) -> Result<Vec<(Repository, PathBuf)>> {
    let with_folder = |repository: Repository| {
        let folder = repository.folder(corpora);
        (repository, folder)
    };
    Ok(questions::load(questions)?.into_iter().map(with_folder).collect())
}

/// Ingests each repository from its folder, under its name.
pub(crate) fn ingest(engine: &Engine, sources: Vec<(Repository, PathBuf)>) -> Result<Vec<Repository>> {
    let mut repositories = Vec::new();
    for (repository, directory) in sources {
        ingest_one(engine, &repository.name, directory)?;
        repositories.push(repository);
    }
    Ok(repositories)
}

/// Ingests the repository in `directory` as project `name`.
pub(crate) fn ingest_one(engine: &Engine, name: &str, directory: PathBuf) -> Result<()> {
    let request = IngestRequest {
        directory,
        name: Some(name.to_owned()),
        options: SourceOptions::default(),
        waiting: Waiting::Wait,
        consent: Consent { costs: true, ..Consent::default() },
    };
    engine.ingest(&request, &mut |_| {}).with_context(|| format!("cannot ingest {name}"))?;
    Ok(())
}
