//! Questions with their candidates, as the ranker sees them.

use std::collections::BTreeMap;

use anyhow::Result;
use craig_engine::{CandidateFeatures, Config, Engine, SearchRequest};
use craig_search::{FeatureValues, score_features, shares};

use super::FitArguments;
use super::logistic::Observation;
use crate::corpus::{checked_out, ingest};
use crate::metrics::{mean, ndcg};
use crate::questions::{Question, Repository, Target, another};
use crate::random::folds;
use crate::unrelated::{self, Unrelated};

/// Number of candidates that a user may see, and whose relevance is learned.
const N_SEEN: usize = 10;

/// Each repository is asked one of so many unrelated questions, each starting at another: about as many as its own.
const UNRELATED_STEP: usize = 9;

/// A question asked of a repository.
pub(super) struct Example {
    /// Number of the repository in the collection.
    pub(super) repository: usize,
    pub(super) category: String,
    pub(super) asked: Asked,
    /// How much it counts: the weight of its set.
    pub(super) weight: f64,
    /// The query is one identifier.
    pub(super) is_symbol: bool,
    pub(super) candidates: Vec<FeatureValues>,
    pub(super) shares: Vec<FeatureValues>,
    /// For each candidate, the numbers of the targets that it matches.
    matches: Vec<Vec<usize>>,
    n_targets: usize,
}

/// A file of questions.
struct Set {
    number: usize,
    /// How much its questions count.
    weight: f64,
}

/// Why a question is asked of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It is about the repository.
    Own,
    /// It is about another repository.
    Other,
    /// It is about no repository.
    Unrelated,
}

/// All examples, and the repositories that they are of.
pub(super) struct Collection {
    pub(super) examples: Vec<Example>,
    /// Name, language and number of the file of questions of each repository.
    pub(super) repositories: Vec<(String, String, usize)>,
}

impl Collection {
    /// Asks the engine all questions.
    pub(super) fn gather(arguments: &FitArguments) -> Result<Self> {
        let engine = Engine::open(&Config::new(&arguments.db))?;
        let unrelated: Vec<Unrelated> =
            arguments.unrelated.as_deref().map_or(Ok(Vec::new()), unrelated::load)?;
        let mut collection = Self { examples: Vec::new(), repositories: Vec::new() };
        for (set, (questions, corpora)) in arguments.questions.iter().zip(&arguments.corpora).enumerate() {
            let set = Set { number: set, weight: arguments.weight.get(set).copied().unwrap_or(1.0) };
            let repositories = ingest(&engine, checked_out(questions, corpora)?)?;
            for (at, repository) in repositories.iter().enumerate() {
                let other = another(&repositories, at);
                collection.ask(&engine, &set, repository, other, &unrelated)?;
            }
        }
        Ok(collection)
    }

    /// Asks a repository its own questions, those about another, and those about none.
    fn ask(
        &mut self,
        engine: &Engine,
        set: &Set,
        repository: &Repository,
        other: &Repository,
        unrelated: &[Unrelated],
    ) -> Result<()> {
        let number = self.repositories.len();
        self.repositories.push((repository.name.clone(), repository.language.clone(), set.number));
        let mut ask = |query: &str, category: &str, asked: Asked, targets: &[&Target]| -> Result<()> {
            let found = engine.candidates(&repository.name, query, &SearchRequest::default())?;
            if !found.is_empty() {
                self.examples.push(Example::new(number, set.weight, category, asked, &found, targets));
            }
            Ok(())
        };
        for question in &repository.queries {
            let targets: Vec<&Target> = question.targets().collect();
            ask(&question.query, &question.category, Asked::Own, &targets)?;
        }
        if other.name != repository.name {
            let foreign = |question: &&Question| question.category != "symbol";
            for question in other.queries.iter().filter(foreign) {
                ask(&question.query, &question.category, Asked::Other, &[])?;
            }
        }
        let sample = unrelated.iter().skip(number % UNRELATED_STEP).step_by(UNRELATED_STEP);
        let is_fair = |question: &&Unrelated| {
            craig_search::has_words(&question.query) && !question.may_be_answered_by(repository)
        };
        for question in sample.filter(is_fair) {
            ask(&question.query, &question.category, Asked::Unrelated, &[])?;
        }
        Ok(())
    }

    /// The fold of each repository, in shuffle number `shuffle`.
    pub(super) fn folds(&self, n_folds: usize, shuffle: u64) -> Vec<usize> {
        let names: Vec<&str> = self.repositories.iter().map(|(name, ..)| name.as_str()).collect();
        folds(&names, n_folds, shuffle)
    }

    /// NDCG@10 of the repositories of one file of questions, each the mean of its own questions, by name.
    pub(super) fn ndcg_by_repository(&self, set: usize, scores: &[Vec<f32>]) -> BTreeMap<&str, f64> {
        let mut by_repository: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (example, scores) in self.examples.iter().zip(scores) {
            let (name, _, of_set) = &self.repositories[example.repository];
            if example.asked == Asked::Own && *of_set == set {
                by_repository.entry(name).or_default().push(example.ndcg(scores));
            }
        }
        by_repository.into_iter().map(|(name, all)| (name, mean(all))).collect()
    }
}

impl Example {
    pub(super) fn new(
        repository: usize,
        weight: f64,
        category: &str,
        asked: Asked,
        found: &[CandidateFeatures],
        targets: &[&Target],
    ) -> Self {
        let candidates: Vec<FeatureValues> = found.iter().map(|found| found.features.to_array()).collect();
        let matched = |found: &CandidateFeatures| {
            (0..targets.len()).filter(|&at| targets[at].matches(&found.path, found.lines)).collect()
        };
        Self {
            repository,
            category: category.to_owned(),
            asked,
            weight,
            is_symbol: found.iter().any(|found| found.features.asks_symbol > 0.0),
            shares: shares(&candidates),
            candidates,
            matches: found.iter().map(matched).collect(),
            n_targets: targets.len(),
        }
    }

    pub(super) fn is_relevant(&self, candidate: usize) -> bool {
        !self.matches[candidate].is_empty()
    }

    /// Candidates by descending score, equal ones in the order they came in.
    pub(super) fn order(scores: &[f32]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        order
    }

    pub(super) fn ndcg(&self, scores: &[f32]) -> f64 {
        let order = Self::order(scores);
        let rank =
            |target| order.iter().position(|&at| self.matches[at].contains(&target)).map_or(0, |at| at + 1);
        ndcg(&(0..self.n_targets).map(rank).collect::<Vec<_>>(), 10)
    }

    /// What is known of the best candidates, best first.
    pub(super) fn observations(&self, scores: &[f32]) -> Vec<Observation> {
        let order = Self::order(scores);
        let sorted: Vec<f32> = order.iter().map(|&at| scores[at]).collect();
        let seen = order.iter().zip(score_features(&sorted)).take(N_SEEN);
        seen.map(|(&at, score_features)| {
            Observation::new(score_features, &self.candidates[at], self.is_relevant(at), self.weight)
        })
        .collect()
    }
}
