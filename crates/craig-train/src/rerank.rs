//! `rerank`: what the built-in ranking of texts makes of results that other searches found.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use craig_engine::{Cancellation, Config, Document, Engine, Hit, Retrieval, SearchRequest};

use crate::corpus::Corpus;
use crate::metrics::{mean, ndcg};
use crate::questions::Question;

/// Results that a client hands in, as the editor of the requirements does.
const N_RESULTS: usize = 20;

/// No question takes nearly as long.
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(crate) struct RerankArguments {
    #[command(flatten)]
    corpus: Corpus,
    /// How much the place at which a client found a document counts: log-odds for each factor of e.
    #[arg(long, default_value_t = 0.0)]
    place: f32,
    /// Hand in texts without their paths.
    #[arg(long)]
    without_paths: bool,
}

/// NDCG@10 of the questions on one repository: as found, reranked, and in the best order there is.
#[derive(Default)]
struct Measured {
    found: Vec<f64>,
    reranked: Vec<f64>,
    best: Vec<f64>,
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
pub(crate) fn run(arguments: &RerankArguments) -> Result<()> {
    let (engine, repositories) = arguments.corpus.open()?;
    let mut config = Config::new(std::path::Path::new(""));
    config.rerank.timeout = TIMEOUT;
    let ranking = Engine::new(&config);
    println!("first {N_RESULTS} by   found  reranked  best possible");
    for (name, retrieval) in [
        ("words", Retrieval::Lexical),
        ("vectors", Retrieval::Dense),
        ("both", Retrieval::Fused),
        ("Craig", Retrieval::Ranked),
    ] {
        let request =
            SearchRequest { limit: N_RESULTS, retrieval, rerank: false, ..SearchRequest::default() };
        let mut all = Vec::new();
        for repository in &repositories {
            let mut measured = Measured::default();
            for question in &repository.queries {
                let hits = engine.search(&repository.name, &question.query, &request)?.hits;
                measured.add(question, &hits, &arguments.order(&ranking, &question.query, &hits)?);
            }
            all.push(measured);
        }
        let column =
            |of: fn(&Measured) -> &Vec<f64>| mean(all.iter().map(|one| mean(of(one).iter().copied())));
        println!(
            "{name:<12} {:.3}     {:.3}          {:.3}",
            column(|m| &m.found),
            column(|m| &m.reranked),
            column(|m| &m.best)
        );
    }
    Ok(())
}

impl RerankArguments {
    /// Places of the hits, best first.
    fn order(&self, ranking: &Engine, query: &str, hits: &[Hit]) -> Result<Vec<usize>> {
        let document = |hit| Self::document(self.without_paths, hit);
        let documents: Vec<Document<'_>> = hits.iter().map(document).collect();
        let ranked = ranking.rerank_texts(query, &documents, documents.len(), &Cancellation::default())?;
        let scores = ranked.scores(documents.len());
        let log_odds = |at: usize| {
            let score = scores[at].clamp(1e-6, 1.0 - 1e-6);
            (score / (1.0 - score)).ln() - self.place * (at as f32 + 1.0).ln()
        };
        let mut order: Vec<usize> = (0..hits.len()).collect();
        order.sort_by(|&a, &b| log_odds(b).total_cmp(&log_odds(a)));
        Ok(order)
    }

    fn document(without_path: bool, hit: &Hit) -> Document<'_> {
        let path = Some(hit.path.as_str()).filter(|_| !without_path);
        Document { path, text: &hit.content, score: hit.score }
    }
}

impl Measured {
    fn add(&mut self, question: &Question, hits: &[Hit], order: &[usize]) {
        let as_found: Vec<usize> = (0..hits.len()).collect();
        let is_target = |at: &usize| {
            let hit = &hits[*at];
            question.targets().any(|target| target.matches(&hit.path, (hit.line_start, hit.line_end)))
        };
        let (mut best, others): (Vec<usize>, Vec<usize>) = as_found.iter().copied().partition(is_target);
        best.extend(others);
        self.found.push(quality(question, hits, &as_found));
        self.reranked.push(quality(question, hits, order));
        self.best.push(quality(question, hits, &best));
    }
}

/// NDCG@10 of the hits in `order`.
fn quality(question: &Question, hits: &[Hit], order: &[usize]) -> f64 {
    let ranks = question.targets().map(|target| {
        let is_it = |at: &usize| target.matches(&hits[*at].path, (hits[*at].line_start, hits[*at].line_end));
        order.iter().position(is_it).map_or(0, |place| place + 1)
    });
    ndcg(&ranks.collect::<Vec<_>>(), 10)
}
