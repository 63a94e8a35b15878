//! Prints how well questions were answered, as a whole and by group.

use std::collections::BTreeMap;

use crate::answered::{Answered, mean_over_repositories};
use crate::metrics::{bootstrap_interval, mean, ndcg, recall, reciprocal_rank};

type Groups<'a, 'q> = BTreeMap<String, Vec<&'a Answered<'q>>>;

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
pub(crate) fn report(answered: &[Answered<'_>]) {
    let by_repository = grouped(answered, |a| a.repository.name.clone());
    let by_language = grouped(answered, |a| a.repository.language.clone());
    let of_repositories: Vec<f64> =
        by_repository.values().map(|group| mean(group.iter().map(|a| a.ndcg()))).collect();
    let of_languages: Vec<f64> =
        by_language.values().map(|group| mean_over_repositories(group.iter().copied())).collect();
    let (low, high) = bootstrap_interval(&of_repositories);
    println!(
        "NDCG@10  mean over {} repositories  {:.4}  (95% {low:.3}–{high:.3})",
        of_repositories.len(),
        mean(of_repositories.iter().copied())
    );
    println!(
        "NDCG@10  mean over {} languages     {:.4}",
        of_languages.len(),
        mean(of_languages.iter().copied())
    );
    let all = |value: &dyn Fn(&Answered<'_>) -> f64| mean(answered.iter().map(value));
    println!(
        "over {} questions: NDCG@10 {:.4}  NDCG@5 {:.4}  MRR {:.4}  recall@10 {:.4}  recall@50 {:.4}  of candidates {:.4}",
        answered.len(),
        all(&|a| a.ndcg()),
        all(&|a| ndcg(&a.ranks, 5)),
        all(&|a| reciprocal_rank(&a.ranks)),
        all(&|a| recall(&a.ranks, 10)),
        all(&|a| recall(&a.ranks, 50)),
        all(&|a| recall(&a.ranks, usize::MAX)),
    );
    print_groups("category", &grouped(answered, |a| a.question.category.clone()));
    print_groups("language", &by_language);
    print_groups("repository", &by_repository);
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn print_groups(title: &str, groups: &Groups<'_, '_>) {
    println!("\n{title:<24} questions  NDCG@10     MRR");
    for (name, group) in groups {
        let ndcg = mean(group.iter().map(|a| a.ndcg()));
        let mrr = mean(group.iter().map(|a| reciprocal_rank(&a.ranks)));
        println!("{name:<24} {:>9}  {ndcg:>7.4}  {mrr:>6.4}", group.len());
    }
}

fn grouped<'a, 'q>(answered: &'a [Answered<'q>], key: impl Fn(&Answered<'q>) -> String) -> Groups<'a, 'q> {
    let mut groups = Groups::new();
    answered.iter().for_each(|a| groups.entry(key(a)).or_default().push(a));
    groups
}
