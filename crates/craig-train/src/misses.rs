//! `eval --misses`: for every question whose targets are not all on top, which stage lost them.

use std::collections::BTreeMap;

use anyhow::Result;
use craig_engine::{CandidateFeatures, Engine, FEATURE_NAMES, Features, SearchRequest};

use crate::ablation::without;
use crate::answered::{Answered, rank};
use crate::questions::Target;

/// Where a target was lost, the earliest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// The file is not in the index, or nothing of it is.
    Indexing,
    /// No retrieval found the file.
    Candidates,
    /// The file was found, but with other lines.
    Lines,
    /// Ranked below others, but among the first three.
    RankedNear,
    /// Ranked among the first ten.
    RankedLow,
    /// Ranked below the first ten.
    RankedOut,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Indexing => "not indexed",
            Self::Candidates => "not a candidate",
            Self::Lines => "other lines of its file",
            Self::RankedNear => "ranked 2 to 3",
            Self::RankedLow => "ranked 4 to 10",
            Self::RankedOut => "ranked below 10",
        }
    }

    fn from_rank(rank: usize) -> Self {
        match rank {
            ..=3 => Self::RankedNear,
            4..=10 => Self::RankedLow,
            _ => Self::RankedOut,
        }
    }
}

type Value = fn(&Features) -> f32;

/// The retrievals, each with the feature that it finds candidates by.
const RETRIEVALS: [(&str, Value); 4] = [
    ("words", |features| features.body_best),
    ("vectors", |features| features.dense_best),
    ("paths", |features| features.path_coverage),
    ("definitions", |features| features.definition_exact),
];

/// Most features listed for one target.
const MAX_FEATURES: usize = 5;

/// Prints every miss, then what each stage lost.
pub(crate) fn run(engine: &Engine, answered: &[Answered<'_>], request: &SearchRequest) -> Result<()> {
    let mut lost: BTreeMap<Stage, (usize, f64)> = BTreeMap::new();
    for missed in answered.iter().filter(|answered| answered.ndcg() < 1.0) {
        let stages = Miss::new(engine, missed, request)?.report()?;
        for stage in &stages {
            let (n_targets, loss) = lost.entry(*stage).or_default();
            *n_targets += 1;
            *loss += (1.0 - missed.ndcg()) / (stages.len() * answered.len()) as f64;
        }
    }
    print_stages(&lost);
    Ok(())
}

/// The loss of a question is shared between its lost targets.
#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn print_stages(lost: &BTreeMap<Stage, (usize, f64)>) {
    println!("\n{:<24} targets  NDCG@10 lost, mean over questions", "lost by");
    for (stage, (n_targets, loss)) in lost {
        println!("{:<24} {n_targets:>7}  {loss:.4}", stage.name());
    }
}

/// A question whose targets are not all on top, with what is needed to say why.
struct Miss<'a> {
    engine: &'a Engine,
    answered: &'a Answered<'a>,
    request: &'a SearchRequest,
    candidates: Vec<CandidateFeatures>,
}

impl<'a> Miss<'a> {
    fn new(engine: &'a Engine, answered: &'a Answered<'a>, request: &'a SearchRequest) -> Result<Self> {
        let candidates = engine.candidates(&answered.repository.name, &answered.question.query, request)?;
        Ok(Self { engine, answered, request, candidates })
    }

    /// Prints the question, what it wanted and what it found; gives the stages that lost its targets.
    #[expect(clippy::print_stdout, reason = "the report is what the command is for")]
    fn report(mut self) -> Result<Vec<Stage>> {
        let Answered { repository, question, ranks, top } = self.answered;
        println!("\n{} [{}] {:?}", repository.name, question.category, question.query);
        let mut stages = Vec::new();
        for (target, &rank) in question.targets().zip(ranks) {
            println!("  wanted at {rank:>3}: {target}");
            if rank == 0 || rank > ranks.len() {
                let (stage, why) = self.explain(target, rank)?;
                println!("    {}{why}", stage.name());
                stages.push(stage);
            }
        }
        top.iter().for_each(|path| println!("  found: {path}"));
        Ok(stages)
    }

    fn explain(&mut self, target: &Target, rank: usize) -> Result<(Stage, String)> {
        if rank > 0 {
            return Ok((Stage::from_rank(rank), self.features_against(target, rank)?));
        }
        if self.candidates.iter().any(|found| target.is_in_file(&found.path)) {
            return Ok((Stage::Lines, String::new()));
        }
        let alone = SearchRequest { path: Some(literal_pattern(target.path())), ..self.request.clone() };
        Ok(match self.ask(&alone)?.first() {
            None => (Stage::Indexing, String::new()),
            Some(found) => (Stage::Candidates, self.nearest_retrieval(&found.features)),
        })
    }

    fn ask(&mut self, request: &SearchRequest) -> Result<Vec<CandidateFeatures>> {
        Ok(self.engine.candidates(&self.answered.repository.name, &self.answered.question.query, request)?)
    }

    /// The retrieval by which the fewest candidates are before a file that is none.
    fn nearest_retrieval(&self, features: &Features) -> String {
        let n_before = |value: Value| {
            self.candidates.iter().filter(|found| value(&found.features) >= value(features)).count()
        };
        let holding = RETRIEVALS.iter().filter(|(_, value)| value(features) > 0.0);
        match holding.map(|&(name, value)| (n_before(value), name)).min() {
            Some((n_before, name)) => {
                format!(": nearest by {name}, after {n_before} of {}", self.candidates.len())
            }
            None => ": it shares nothing with the question".to_owned(),
        }
    }

    /// The features without which a target would rank higher, the most harmful first.
    fn features_against(&mut self, target: &Target, rank_now: usize) -> Result<String> {
        let mut against = Vec::new();
        for feature in FEATURE_NAMES {
            let rank = rank(target, &self.ask(&without(self.request, feature))?);
            if (1..rank_now).contains(&rank) {
                against.push((rank, *feature));
            }
        }
        against.sort_unstable();
        let listed: Vec<_> = against
            .iter()
            .take(MAX_FEATURES)
            .map(|(rank, feature)| format!("{rank} without {feature}"))
            .collect();
        Ok(if listed.is_empty() {
            ", by no single feature".to_owned()
        } else {
            format!(", would be {}", listed.join(", "))
        })
    }
}

/// A pattern that a file of this path alone matches, in whatever folder.
fn literal_pattern(path: &str) -> String {
    let literal = |c: char| if "*?[]{},".contains(c) { format!("[{c}]") } else { c.to_string() };
    format!("**/{}", path.chars().map(literal).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_takes_a_path_literally() {
        assert_eq!(literal_pattern("app/[id]/page.tsx"), "**/app/[[]id[]]/page.tsx");
    }

    #[test]
    fn ranks_fall_into_stages() {
        let stages = [2, 4, 10, 11].map(|rank| Stage::from_rank(rank).name());
        assert_eq!(stages, ["ranked 2 to 3", "ranked 4 to 10", "ranked 4 to 10", "ranked below 10"]);
    }
}
