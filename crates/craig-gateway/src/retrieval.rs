//! Finds the code that goes into a conversation: what the client sent, or what a project has, in the best order to be had.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::response::Response;
use craig_engine::{Engine, Freshness, Hit, Refresh, SearchRequest, reordered};
use http::HeaderValue;

use crate::caller::Caller;
use crate::conversation::Conversation;
use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::journal::{Event, SearchCompleted};
use crate::limits::{Allowance, Resource};
use crate::metrics::ms;
use crate::rerank::{Order, RerankDocument, RerankFailure, RerankJob, Source};
use crate::snippet::Snippet;
use crate::traces::SpanKind;

/// Most results that a request may bring.
pub(crate) const MAX_RESULTS: usize = 1_000;

/// Longest wait for whether an index is as new as its files.
const CHECK_TIMEOUT: Duration = Duration::from_millis(300);

/// How long a check continues for the requests after it.
const MAX_CHECK: Duration = Duration::from_secs(10);

/// What was found for a question.
pub(crate) struct Found<T> {
    /// Best first.
    pub(crate) items: Vec<T>,
    pub(crate) ordered_by: Option<Source>,
    /// Why there is less than there could be, or why it may be wrong.
    pub(crate) trouble: Vec<&'static str>,
    pub(crate) allowances: Vec<Allowance>,
    pub(crate) search_time: Duration,
    pub(crate) rerank_time: Duration,
    n_candidates: usize,
}

impl Gateway {
    /// Counts a request against the limit of its client; fails when that is reached.
    pub(crate) async fn charged(
        &self,
        resource: Resource,
        caller: &Caller,
    ) -> Result<Option<Allowance>, Problem> {
        let allowance = self.limits.charge(resource, caller).await;
        match allowance {
            Some(allowance) if !allowance.is_admitted() => {
                self.metrics.rate_limited.with_label_values(&[resource.name()]).inc();
                Err(allowance.problem())
            }
            allowance => Ok(allowance),
        }
    }

    /// What goes into `conversation`, of which `query` is the question.
    pub(crate) async fn snippets(
        self: &Arc<Self>,
        caller: &Caller,
        conversation: &mut Conversation<'_>,
        query: &str,
    ) -> Result<Found<Snippet>, Problem> {
        let mut found = match (conversation.results.take(), &conversation.project) {
            (Some(results), _) => self.best_of(caller, results, conversation.rerank, query).await?,
            (None, Some(project)) => {
                let request = SearchRequest {
                    limit: self.config.injection.results,
                    rerank: conversation.rerank,
                    ..SearchRequest::default()
                };
                snippets_of(self.search(caller, project.clone(), query.to_owned(), request).await)
            }
            (None, None) => Found::none(),
        };
        found.items.truncate(self.config.injection.results);
        if conversation.has_malformed_results {
            found.trouble.push("malformed_results");
        }
        self.tell(&found, caller);
        Ok(found)
    }

    /// The best of the results that a client sent.
    async fn best_of(
        &self,
        caller: &Caller,
        mut results: Vec<Snippet>,
        wants_rerank: bool,
        query: &str,
    ) -> Result<Found<Snippet>, Problem> {
        if results.len() > MAX_RESULTS {
            return Err(Problem::invalid_field(
                "semantic_results",
                format!("more than {MAX_RESULTS} results"),
            ));
        }
        // The order in which they were found is the one that stands when reranking is not to be had.
        results.sort_by(|a, b| b.score.unwrap_or_default().total_cmp(&a.score.unwrap_or_default()));
        let mut found = Found { n_candidates: results.len(), ordered_by: Some(Source::Off), ..Found::none() };
        if wants_rerank && !results.is_empty() {
            let document = |result: &Snippet| RerankDocument {
                path: Some(result.file.clone()),
                text: result.content.clone(),
            };
            let documents = results.iter().map(document).collect();
            let top = self.config.injection.results.min(results.len());
            let job = RerankJob { query: query.to_owned(), documents, top };
            if let Some(order) = self.order(caller, job, &mut found).await {
                results = picked(&results, &order);
            }
        }
        found.items = results;
        Ok(found)
    }

    /// Searches a project; when `request` wants it, the reranker looks at the first hits again.
    pub(crate) async fn search(
        self: &Arc<Self>,
        caller: &Caller,
        project: String,
        query: String,
        request: SearchRequest,
    ) -> Result<Found<Hit>, Problem> {
        let mut found = Found::none();
        found.allowances.extend(self.charged(Resource::Search, caller).await?);
        let started = Instant::now();
        let is_reranked = request.rerank && !self.reranker.is_builtin_ranking(&self.config.engine.reranker);
        let wide = match is_reranked {
            true => request.widened(self.config.rerank.candidates),
            false => SearchRequest { rerank: false, ..request.clone() },
        };
        let text = query.clone();
        let trouble = self.index_trouble(project.clone());
        let search = self.with_engine(move |engine| engine.search(&project, &text, &wide));
        let (hits, trouble) = tokio::join!(search, trouble);
        let mut hits = hits?.hits;
        found.trouble.extend(trouble);
        found.search_time = started.elapsed();
        self.metrics.searches.inc();
        self.metrics.vector_search_ms.observe(ms(found.search_time));
        self.trace(caller, "search", started);
        found.n_candidates = hits.len();
        found.ordered_by = Some(if request.rerank { Source::Local } else { Source::Off });
        if is_reranked && !hits.is_empty() {
            let first = hits.iter().take(self.config.rerank.candidates);
            let document =
                |hit: &Hit| RerankDocument { path: Some(hit.path.clone()), text: hit.content.clone() };
            let documents: Vec<_> = first.map(document).collect();
            let top = documents.len();
            if let Some(order) = self.order(caller, RerankJob { query, documents, top }, &mut found).await {
                hits = reordered(hits, &order.scores(top));
            }
            hits = request.narrowed(hits);
        }
        self.metrics.total_search_ms.observe(ms(started.elapsed()));
        found.items = hits;
        Ok(found)
    }

    /// What is to be said of a project's index: that its files have changed since, or that nobody could look in time.
    pub(crate) async fn index_trouble(self: &Arc<Self>, project: String) -> Option<&'static str> {
        let gateway = Arc::clone(self);
        // Continues after the wait has ended, so that the next request shares its result.
        let check = tokio::spawn(async move {
            let key = blake3::hash(project.as_bytes());
            let compare = move |engine: &Arc<Engine>| {
                Ok(match engine.refresh_within(&project, Refresh::Compare, MAX_CHECK)? {
                    Freshness::UpToDate(_) => Some(true),
                    Freshness::Changed(_) | Freshness::DirectoryGone => Some(false),
                    _ => None,
                })
            };
            let check = async { gateway.with_engine(compare).await.ok().flatten().ok_or(()) };
            gateway.are_current.get(key.as_bytes(), check).await.0
        });
        match tokio::time::timeout(CHECK_TIMEOUT, check).await {
            Ok(Ok(Ok(true))) => None,
            Ok(Ok(Ok(false))) => Some("stale_index"),
            _ => Some("index_unchecked"),
        }
    }

    /// The order of a reranker; `None` when it is not to be had, which `found` then says.
    async fn order<T>(&self, caller: &Caller, job: RerankJob, found: &mut Found<T>) -> Option<Arc<Order>> {
        let allowance = self.limits.charge(Resource::Rerank, caller).await;
        found.allowances.extend(allowance);
        if allowance.is_some_and(|allowance| !allowance.is_admitted()) {
            self.metrics.rate_limited.with_label_values(&[Resource::Rerank.name()]).inc();
            found.fall_back("rate_limit_exceeded");
            return None;
        }
        let started = Instant::now();
        let reranked = self.reranker.rerank(job).await;
        found.rerank_time = started.elapsed();
        self.trace(caller, "rerank", started);
        match reranked {
            Ok(reranked) => {
                found.ordered_by = Some(reranked.source);
                Some(reranked.order)
            }
            Err(failure) => {
                self.metrics.reranks.with_label_values(&[Source::Fallback.name()]).inc();
                found.fall_back(RerankFailure::label(&failure));
                None
            }
        }
    }

    /// Tells the trace of a request that a part of it has ended.
    fn trace(&self, caller: &Caller, name: &str, started: Instant) {
        if let Some(trace) = &caller.trace {
            self.tracer.tell(trace.part(name, SpanKind::Internal, started));
        }
    }

    /// Logs a search without a word of it.
    pub(crate) fn tell<T>(&self, found: &Found<T>, caller: &Caller) {
        let Some(source) = found.ordered_by else { return };
        self.journal.tell(Event::SearchCompleted(SearchCompleted {
            num_candidates: found.n_candidates,
            num_results: found.items.len(),
            search_latency_ms: ms(found.search_time),
            rerank_latency_ms: ms(found.rerank_time),
            rerank: source.name(),
            rerank_error: found.trouble.first().copied(),
            cache_hit: source == Source::Cache,
            user: Some(caller.user.to_string()),
        }));
    }
}

impl<T> Found<T> {
    pub(crate) fn none() -> Self {
        Self {
            items: Vec::new(),
            ordered_by: None,
            trouble: Vec::new(),
            allowances: Vec::new(),
            search_time: Duration::ZERO,
            rerank_time: Duration::ZERO,
            n_candidates: 0,
        }
    }

    /// Says in headers what became of the order, and what is left to the client.
    pub(crate) fn tell(&self, response: &mut Response) {
        tell_order(response, self.ordered_by.unwrap_or(Source::Off), &self.trouble, &self.allowances);
    }

    fn fall_back(&mut self, trouble: &'static str) {
        self.ordered_by = Some(Source::Fallback);
        self.trouble.push(trouble);
    }

    fn map<U>(self, change: impl FnMut(T) -> U) -> Found<U> {
        Found {
            items: self.items.into_iter().map(change).collect(),
            ordered_by: self.ordered_by,
            trouble: self.trouble,
            allowances: self.allowances,
            search_time: self.search_time,
            rerank_time: self.rerank_time,
            n_candidates: self.n_candidates,
        }
    }
}

/// Says in headers whose order an answer has, why it is no better one, and what is left to the client.
pub(crate) fn tell_order(
    response: &mut Response,
    source: Source,
    trouble: &[&'static str],
    allowances: &[Allowance],
) {
    allowances.iter().for_each(|allowance| allowance.tell(response));
    response.headers_mut().insert("x-craig-rerank", HeaderValue::from_static(source.name()));
    tell_trouble(response, trouble);
}

/// Says in a header what went wrong although there is an answer; nothing where nothing did.
pub(crate) fn tell_trouble(response: &mut Response, trouble: &[&'static str]) {
    if let Ok(value) = HeaderValue::from_str(&trouble.join(", "))
        && !trouble.is_empty()
    {
        response.headers_mut().insert("x-craig-trouble", value);
    }
}

impl Order {
    /// The score of each of `n_documents`; 0 for those that the reranker left out.
    fn scores(&self, n_documents: usize) -> Vec<f32> {
        let mut scores = vec![0.0; n_documents];
        for &(index, score) in &self.ranked {
            if let Some(place) = scores.get_mut(index) {
                *place = score;
            }
        }
        scores
    }
}

/// The documents of an order, each with the score that it has there.
fn picked(results: &[Snippet], order: &Order) -> Vec<Snippet> {
    let with_score = |&(index, score): &(usize, f32)| {
        results.get(index).map(|result| Snippet { score: Some(score), ..result.clone() })
    };
    order.ranked.iter().filter_map(with_score).collect()
}

/// Hits as snippets. A conversation goes on without context, whatever is in the way of it, and its answer says so.
fn snippets_of(found: Result<Found<Hit>, Problem>) -> Found<Snippet> {
    let trouble = match found {
        Ok(found) => return found.map(Snippet::from),
        Err(problem) if problem.status == http::StatusCode::TOO_MANY_REQUESTS => "rate_limit_exceeded",
        Err(problem) if problem.code == "unknown_project" => "unknown_project",
        Err(problem) if problem.param.as_deref() == Some("query") => "no_words",
        Err(_) => "index_unavailable",
    };
    Found { trouble: vec![trouble], ..Found::none() }
}
