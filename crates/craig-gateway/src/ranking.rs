//! `POST /v1/rerank`, in the words of Cohere, Jina and vLLM or in those of Voyage, and many of them at once.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::caller::Caller;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body};
use crate::journal::{Event, SearchCompleted};
use crate::limits::Resource;
use crate::metrics::ms;
use crate::rerank::{RerankFailure, RerankJob, Reranked, Source};
use crate::retrieval::{MAX_RESULTS, tell_order};

/// Most requests of a batch.
const MAX_BATCH: usize = 100;

#[derive(Deserialize)]
struct RerankBody {
    query: String,
    documents: Vec<Given>,
    top_n: Option<usize>,
    top_k: Option<usize>,
    #[serde(default)]
    return_documents: bool,
}

#[derive(Deserialize)]
struct BatchBody {
    requests: Vec<RerankBody>,
}

/// A document: its text, or an object that holds it and may tell how good it was found to be.
#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Text(String),
    Object {
        #[serde(alias = "content")]
        text: String,
        score: Option<f32>,
    },
}

impl Given {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Object { text, .. } => text,
        }
    }

    fn score(&self) -> Option<f32> {
        match self {
            Self::Text(_) => None,
            Self::Object { score, .. } => *score,
        }
    }
}

/// An answer, and what its headers say.
struct Ranked {
    body: Value,
    source: Source,
    trouble: Option<&'static str>,
}

pub(crate) async fn rerank(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let body: RerankBody = json_body(request, &gateway.config.bounds).await?;
    body.check()?;
    let allowance = gateway.charged(Resource::Rerank, &caller).await?;
    let ranked = ranked(&gateway, &caller, &body).await?;
    let mut response = json_response(StatusCode::OK, &ranked.body);
    tell_order(&mut response, ranked.source, ranked.trouble, allowance.as_slice());
    Ok(response)
}

/// Each request of a batch is counted, queued and answered on its own; one that fails says so in its place.
pub(crate) async fn rerank_batch(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let batch: BatchBody = json_body(request, &gateway.config.bounds).await?;
    if batch.requests.len() > MAX_BATCH {
        return Err(Problem::invalid_field("requests", format!("more than {MAX_BATCH} requests")));
    }
    let answers = batch_of(&gateway, &caller, batch.requests).await;
    Ok(json_response(StatusCode::OK, &json!({ "object": "list", "responses": answers })))
}

async fn batch_of(gateway: &Arc<Gateway>, caller: &Caller, bodies: Vec<RerankBody>) -> Vec<Value> {
    let mut answers = vec![Value::Null; bodies.len()];
    let mut work = JoinSet::new();
    for (at, body) in bodies.into_iter().enumerate() {
        let (gateway, caller) = (Arc::clone(gateway), caller.clone());
        work.spawn(async move {
            let done = async {
                body.check()?;
                gateway.charged(Resource::Rerank, &caller).await?;
                ranked(&gateway, &caller, &body).await
            };
            (at, done.await.map_or_else(|problem| problem.body(), |ranked| ranked.with_source()))
        });
    }
    while let Some(done) = work.join_next().await {
        if let Ok((at, answer)) = done {
            answers[at] = answer;
        }
    }
    answers
}

async fn ranked(gateway: &Gateway, caller: &Caller, body: &RerankBody) -> Result<Ranked, Problem> {
    let documents = body.documents.iter().map(|given| given.text().to_owned()).collect();
    let job = RerankJob { query: body.query.clone(), documents, top: body.top() };
    let started = std::time::Instant::now();
    let reranked = gateway.reranker.rerank(job).await;
    let (order, source, trouble, tokens) = match reranked {
        Ok(Reranked { order, source }) => (order.ranked.clone(), source, None, order.total_tokens),
        Err(failure) => match body.order_as_found() {
            Some(order) => (order, Source::Fallback, Some(failure.label()), None),
            None => return Err(body.problem(&failure, gateway)),
        },
    };
    gateway.journal.tell(Event::SearchCompleted(SearchCompleted {
        num_candidates: body.documents.len(),
        num_results: order.len(),
        rerank_latency_ms: ms(started.elapsed()),
        rerank: source.name(),
        rerank_error: trouble,
        cache_hit: source == Source::Cache,
        user: Some(caller.user.to_string()),
        ..SearchCompleted::default()
    }));
    Ok(Ranked { body: body.answer(gateway.reranker.model(), &order, tokens), source, trouble })
}

impl RerankBody {
    fn check(&self) -> Result<(), Problem> {
        if self.documents.len() > MAX_RESULTS {
            return Err(Problem::invalid_field("documents", format!("more than {MAX_RESULTS} documents")));
        }
        if self.query.trim().is_empty() {
            return Err(Problem::invalid_field("query", "'query' is empty"));
        }
        Ok(())
    }

    /// What the client is told when there is no order.
    fn problem(&self, failure: &RerankFailure, gateway: &Gateway) -> Problem {
        match failure {
            RerankFailure::Call(failure) => {
                let documents = self.documents.iter().map(|given| given.text().as_bytes());
                let sent: Vec<&[u8]> = documents.chain([self.query.as_bytes()]).collect();
                failure.problem(&sent)
            }
            RerankFailure::Busy => {
                let wait = std::time::Duration::from_secs(1);
                Problem::too_many("queue_full", "too many reranks wait already", wait)
            }
            RerankFailure::Late => {
                let ms = gateway.config.rerank.timeout.as_millis();
                let message =
                    format!("reranking took longer than {ms} ms, which 'reranker.timeout_ms' allows");
                Problem::upstream(StatusCode::GATEWAY_TIMEOUT, "rerank_timeout", message)
            }
            RerankFailure::Local(_) => Problem::upstream(
                StatusCode::BAD_GATEWAY,
                "rerank_failed",
                "the local reranker cannot be used",
            ),
        }
    }

    fn top(&self) -> usize {
        self.top_k.or(self.top_n).unwrap_or(usize::MAX).min(self.documents.len())
    }

    /// The order of the scores that came with the documents; `None` when one has none.
    fn order_as_found(&self) -> Option<Vec<(usize, f32)>> {
        let scores: Option<Vec<f32>> = self.documents.iter().map(Given::score).collect();
        let mut order: Vec<(usize, f32)> = scores?.into_iter().enumerate().collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.truncate(self.top());
        Some(order)
    }

    /// In Voyage's words when it was asked with `top_k`, else in those of the others.
    fn answer(&self, model: &str, order: &[(usize, f32)], tokens: Option<u64>) -> Value {
        let is_voyage = self.top_k.is_some();
        let item = |&(index, score): &(usize, f32)| {
            let mut item = json!({ "index": index, "relevance_score": score });
            if self.return_documents {
                let text = self.documents.get(index).map_or("", Given::text);
                item["document"] = if is_voyage { json!(text) } else { json!({ "text": text }) };
            }
            item
        };
        let items: Vec<Value> = order.iter().map(item).collect();
        let usage = json!({ "total_tokens": tokens.unwrap_or_default() });
        match is_voyage {
            true => json!({ "object": "list", "data": items, "model": model, "usage": usage }),
            false => json!({ "object": "list", "results": items, "model": model, "usage": usage }),
        }
    }
}

impl Ranked {
    /// The body with what a single answer says in its header.
    fn with_source(mut self) -> Value {
        self.body["source"] = json!(self.source.name());
        self.body
    }
}
