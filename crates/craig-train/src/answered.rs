//! Questions with the ranks of their targets.

use std::collections::BTreeMap;

use anyhow::Result;
use craig_engine::{CandidateFeatures, Engine, SearchRequest};

use crate::metrics::{mean, ndcg};
use crate::questions::{Question, Repository, Target};

/// One question with the result of asking it.
pub(crate) struct Answered<'q> {
    pub(crate) repository: &'q Repository,
    pub(crate) question: &'q Question,
    /// Rank of each target among the candidates, 1-based, 0 when it is not among them.
    pub(crate) ranks: Vec<usize>,
    /// Paths of the three best candidates.
    pub(crate) top: Vec<String>,
}

impl<'q> Answered<'q> {
    fn new(repository: &'q Repository, question: &'q Question, candidates: &[CandidateFeatures]) -> Self {
        Self {
            repository,
            question,
            ranks: question.targets().map(|target| rank(target, candidates)).collect(),
            top: candidates.iter().take(3).map(|found| found.path.clone()).collect(),
        }
    }

    /// NDCG@10.
    pub(crate) fn ndcg(&self) -> f64 {
        ndcg(&self.ranks, 10)
    }
}

/// Rank of the first candidate that is `target`, 1-based, 0 when none is.
pub(crate) fn rank(target: &Target, candidates: &[CandidateFeatures]) -> usize {
    candidates.iter().position(|found| target.matches(&found.path, found.lines)).map_or(0, |at| at + 1)
}

/// Asks each repository its questions.
pub(crate) fn ask<'q>(
    engine: &Engine,
    repositories: &'q [Repository],
    request: &SearchRequest,
) -> Result<Vec<Answered<'q>>> {
    let mut answered = Vec::new();
    for repository in repositories {
        for question in &repository.queries {
            let candidates = engine.candidates(&repository.name, &question.query, request)?;
            answered.push(Answered::new(repository, question, &candidates));
        }
    }
    Ok(answered)
}

/// Mean NDCG@10; each repository counts once, however many questions it has.
pub(crate) fn mean_over_repositories<'a, 'q: 'a>(
    answered: impl IntoIterator<Item = &'a Answered<'q>>,
) -> f64 {
    let mut by_repository: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    answered.into_iter().for_each(|a| by_repository.entry(&a.repository.name).or_default().push(a.ndcg()));
    mean(by_repository.into_values().map(mean))
}

/// One line a question: its targets' ranks, so that a change of the ranking is a diff.
pub(crate) fn golden(answered: &[Answered<'_>]) -> String {
    answered.iter().map(|a| format!("{}\t{}\t{:?}\n", a.repository.name, a.question.query, a.ranks)).collect()
}
