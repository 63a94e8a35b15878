//! `eval`: runs labelled questions through the real engine.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use craig_engine::{FEATURE_NAMES, Retrieval, SearchRequest};

use crate::answered::{ask, golden};
use crate::corpus::Corpus;
use crate::report::report;
use crate::{ablation, misses, unrelated};

#[derive(Args)]
pub(crate) struct EvalArguments {
    #[command(flatten)]
    corpus: Corpus,
    /// Retrieval to measure.
    #[arg(long, value_enum, default_value = "ranked")]
    retrieval: Mode,
    /// Leave out a feature of the ranker; may be repeated.
    #[arg(long, value_name = "FEATURE", value_parser = PossibleValuesParser::new(FEATURE_NAMES), hide_possible_values = true)]
    without: Vec<String>,
    /// Write the ranks of every question's targets to this file.
    #[arg(long)]
    golden: Option<PathBuf>,
    /// Print every question whose targets are not all on top, and which stage lost them.
    #[arg(long)]
    misses: bool,
    /// Print instead what is lost without each retrieval and each feature of the ranker.
    #[arg(long, conflicts_with_all = ["golden", "misses"])]
    ablation: bool,
    /// Ask instead every repository the questions of this file, which no repository answers, and print what is found.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["golden", "misses", "ablation"])]
    unrelated: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    Ranked,
    Lexical,
    Dense,
    Fused,
}

impl From<Mode> for Retrieval {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Ranked => Self::Ranked,
            Mode::Lexical => Self::Lexical,
            Mode::Dense => Self::Dense,
            Mode::Fused => Self::Fused,
        }
    }
}

impl EvalArguments {
    fn request(&self) -> SearchRequest {
        let is_left_out = |name: &&&str| self.without.iter().any(|left_out| left_out == **name);
        SearchRequest {
            retrieval: self.retrieval.into(),
            without: FEATURE_NAMES.iter().filter(is_left_out).copied().collect(),
            ..SearchRequest::default()
        }
    }
}

pub(crate) fn run(arguments: &EvalArguments) -> Result<()> {
    let (engine, repositories) = arguments.corpus.open()?;
    let request = arguments.request();
    if let Some(file) = &arguments.unrelated {
        return unrelated::run(&engine, &repositories, file, &request);
    }
    if arguments.ablation {
        return ablation::run(&engine, &repositories, &request);
    }
    let answered = ask(&engine, &repositories, &request)?;
    report(&answered);
    if arguments.misses {
        misses::run(&engine, &answered, &request)?;
    }
    if let Some(path) = &arguments.golden {
        std::fs::write(path, golden(&answered))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
