//! `eval --ablation`: what each retrieval and each feature of the ranker is worth.

use anyhow::Result;
use craig_engine::{Engine, FEATURE_NAMES, Retrieval, SearchRequest};

use crate::answered::{Answered, ask, mean_over_repositories};
use crate::questions::Repository;

/// Answers to the same questions with something changed.
struct Changed {
    what: String,
    ndcg: f64,
    n_better: usize,
    n_worse: usize,
}

/// Prints what becomes of NDCG@10 with one retrieval alone, and without each feature, the greatest loss first.
#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
pub(crate) fn run(engine: &Engine, repositories: &[Repository], whole: &SearchRequest) -> Result<()> {
    let before = ask(engine, repositories, whole)?;
    let ndcg = mean_over_repositories(&before);
    println!("{:<20} NDCG@10    delta  better  worse", "");
    println!("{:<20} {ndcg:>7.4}", "as it is");
    let mut all = Vec::new();
    for (what, request) in changes(whole) {
        all.push(Changed::new(what, &before, &ask(engine, repositories, &request)?));
    }
    all.sort_by(|a, b| a.ndcg.total_cmp(&b.ndcg));
    for Changed { what, ndcg: changed, n_better, n_worse } in all {
        println!("{what:<20} {changed:>7.4}  {:>+7.4}  {n_better:>6}  {n_worse:>5}", changed - ndcg);
    }
    Ok(())
}

/// Every change to try, each with what it is called.
fn changes(whole: &SearchRequest) -> Vec<(String, SearchRequest)> {
    let retrievals =
        [("BM25 alone", Retrieval::Lexical), ("dense alone", Retrieval::Dense), ("fused", Retrieval::Fused)];
    let retrievals = retrievals
        .map(|(what, retrieval)| (format!("= {what}"), SearchRequest { retrieval, ..whole.clone() }));
    let features = FEATURE_NAMES.iter().map(|name| (format!("- {name}"), without(whole, name)));
    retrievals.into_iter().chain(features).collect()
}

/// The same request without one more feature.
pub(crate) fn without(request: &SearchRequest, feature: &'static str) -> SearchRequest {
    let mut request = request.clone();
    request.without.push(feature);
    request
}

impl Changed {
    fn new(what: String, before: &[Answered<'_>], after: &[Answered<'_>]) -> Self {
        let differences = || before.iter().zip(after).map(|(before, after)| after.ndcg() - before.ndcg());
        Self {
            what,
            ndcg: mean_over_repositories(after),
            n_better: differences().filter(|&difference| difference > 0.0).count(),
            n_worse: differences().filter(|&difference| difference < 0.0).count(),
        }
    }
}
