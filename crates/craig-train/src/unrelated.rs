//! `eval --unrelated`: questions that no repository answers should be answered with nothing.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use craig_engine::{Engine, SearchRequest};
use serde::Deserialize;

use crate::corpus::read_json;
use crate::questions::Repository;

/// Hits of at least this relevance are returned by default.
const MIN_SCORE: f32 = 0.7;

/// A repository that is asked a part of the questions is asked one of so many.
const STEP: usize = 9;

/// Most wrong answers listed.
const N_WORST: usize = 20;

/// A question that has nothing to do with the repositories.
#[derive(Deserialize)]
pub(crate) struct Unrelated {
    pub(crate) query: String,
    pub(crate) category: String,
    /// Words of names and languages of repositories that may answer it after all.
    #[serde(default)]
    except: Vec<String>,
}

/// A hit that should not be there.
struct Wrong<'a> {
    question: &'a Unrelated,
    repository: &'a str,
    path: String,
    score: f32,
}

/// How often questions of a category were asked, and answered.
#[derive(Default)]
struct Share {
    n_asked: usize,
    n_answered: usize,
}

/// Asks every repository each question of `file`, and prints how many get a hit.
pub(crate) fn run(
    engine: &Engine,
    repositories: &[Repository],
    file: &Path,
    request: &SearchRequest,
) -> Result<()> {
    let questions = load(file)?;
    let request = SearchRequest { limit: 1, min_score: MIN_SCORE, ..request.clone() };
    let mut shares: BTreeMap<&str, Share> = BTreeMap::new();
    let mut wrong = Vec::new();
    for question in &questions {
        for repository in repositories.iter().filter(|repository| !question.may_be_answered_by(repository)) {
            let answer = ask(engine, repository, question, &request)?;
            let share = shares.entry(&question.category).or_default();
            share.n_asked += 1;
            share.n_answered += usize::from(answer.is_some());
            wrong.extend(answer);
        }
    }
    print_shares(&shares);
    print_worst(wrong);
    Ok(())
}

/// Reads a list of unrelated questions.
pub(crate) fn load(file: &Path) -> Result<Vec<Unrelated>> {
    read_json(file, "unrelated questions")
}

/// The questions for one of several repositories, which are not all asked everything: every ninth, each from another on.
pub(crate) fn part(questions: &[Unrelated], repository: usize) -> impl Iterator<Item = &Unrelated> {
    questions.iter().skip(repository % STEP).step_by(STEP)
}

/// The best hit; a question that cannot be searched for, since it holds no word, has none.
fn ask<'a>(
    engine: &Engine,
    repository: &'a Repository,
    question: &'a Unrelated,
    request: &SearchRequest,
) -> Result<Option<Wrong<'a>>> {
    if request.check(&question.query).is_err() {
        return Ok(None);
    }
    let answer = engine.search(&repository.name, &question.query, request)?;
    let wrong = |hit: craig_engine::Hit| Wrong {
        question,
        repository: &repository.name,
        path: hit.path,
        score: hit.score,
    };
    Ok(answer.hits.into_iter().next().map(wrong))
}

impl Unrelated {
    /// True when the question is not to be asked of `repository`, since its name or language is excepted.
    pub(crate) fn may_be_answered_by(&self, repository: &Repository) -> bool {
        let name = repository.name.to_lowercase();
        let mut words =
            name.split(|c: char| !c.is_alphanumeric()).chain([name.as_str(), &repository.language]);
        words.any(|word| self.except.iter().any(|topic| topic == word))
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn print_shares(shares: &BTreeMap<&str, Share>) {
    let row = |name: &str, n_asked: usize, n_answered: usize| {
        let percent = 100.0 * n_answered as f64 / n_asked.max(1) as f64;
        println!("{name:<24} {n_asked:>7}  {n_answered:>8}  {percent:>6.2}%");
    };
    println!("{:<24}   asked  answered, with at least one hit of score {MIN_SCORE} or more", "category");
    shares.iter().for_each(|(category, share)| row(category, share.n_asked, share.n_answered));
    let sum = |count: fn(&Share) -> usize| shares.values().map(count).sum();
    row("all", sum(|share| share.n_asked), sum(|share| share.n_answered));
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn print_worst(mut wrong: Vec<Wrong<'_>>) {
    wrong.sort_by(|a, b| b.score.total_cmp(&a.score));
    println!("\nworst of them");
    for Wrong { question, repository, path, score } in wrong.iter().take(N_WORST) {
        println!("{score:.2}  {repository}: {path}  [{}] {:?}", question.category, question.query);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_of_a_repository_is_not_asked_of_it() {
        let except = ["sql", "java"].map(str::to_owned).to_vec();
        let question = Unrelated { query: "q".into(), category: "programming".into(), except };
        let repository = |name: &str, language: &str| Repository {
            name: name.into(),
            language: language.into(),
            revision: String::new(),
            root: None,
            set: String::new(),
            queries: Vec::new(),
        };
        assert!(question.may_be_answered_by(&repository("libsql", "java")));
        assert!(question.may_be_answered_by(&repository("SQL-parser", "go")));
        assert!(!question.may_be_answered_by(&repository("rusqlite", "rust")));
    }

    #[test]
    fn the_list_can_be_read() {
        let questions =
            load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/unrelated.json")).unwrap();
        let n_of = |category: &str| questions.iter().filter(|question| question.category == category).count();
        assert!(questions.len() >= 150 && n_of("programming") >= 40, "{}", questions.len());
    }
}
