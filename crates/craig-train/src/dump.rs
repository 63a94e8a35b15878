//! `features`: writes what the ranker sees of every candidate, for exploration.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use craig_engine::{FEATURE_NAMES, SearchRequest};

use crate::corpus::Corpus;
use crate::questions::{Target, another};

/// Which questions a repository is asked.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub(crate) enum Asked {
    /// Its own.
    #[default]
    Own,
    /// Those about another repository: nothing it holds answers them.
    Others,
}

/// Writes one line a candidate: question, repository, category, whether it is a target, features.
pub(crate) fn run(corpus: &Corpus, asked: Asked, out: &std::path::Path) -> Result<()> {
    let (engine, repositories) = corpus.open()?;
    let mut text =
        format!("question\trepository\tcategory\tn_targets\trelevant\tpath\t{}\n", FEATURE_NAMES.join("\t"));
    for (at, repository) in repositories.iter().enumerate() {
        let about = match asked {
            Asked::Own => repository,
            Asked::Others => another(&repositories, at),
        };
        for (number, question) in about.queries.iter().enumerate() {
            for found in engine.candidates(&repository.name, &question.query, &SearchRequest::default())? {
                let is_found = |target: &&Target| {
                    about.name == repository.name && target.matches(&found.path, found.lines)
                };
                let targets = question.targets().filter(is_found).count();
                let n_targets = question.targets().count();
                write!(
                    text,
                    "{number}\t{}\t{}\t{n_targets}\t{targets}\t{}",
                    repository.name, question.category, found.path
                )?;
                for value in found.features.to_array() {
                    write!(text, "\t{value}")?;
                }
                text.push('\n');
            }
        }
    }
    std::fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))
}
