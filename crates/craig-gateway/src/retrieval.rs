//! Finds the code for a conversation or a search, in the best order available, and reports how.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::response::Response;
use craig_engine::{
    ChatContextRequest, ContextAnswer, ContextFormat, Engine, EngineError, Freshness, ModelError, NoContext,
    ProjectsAnswer, Refresh, RerankReport, RerankSource, SearchRequest, Tokenizer, fitted_context,
    without_control_tokens,
};
use http::HeaderValue;
use tokio::sync::OwnedSemaphorePermit;

use crate::allowance::{Allowance, Resource};
use crate::call::CallFailure;
use crate::caller::Caller;
use crate::config::Masking;
use crate::context_memory::Inserted;
use crate::conversation::{Conversation, Question};
use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::guesses::GuessOutcome;
use crate::journal::{Event, SearchCompleted};
use crate::limits::refusal;
use crate::masking::mask_result;
use crate::metrics::ms;
use crate::rerank::{CancelOnDrop, RerankDocument, Source};
use crate::snippet::{Snippet, context_text, reference};
use crate::traces::SpanKind;

/// Most results that a request may bring.
pub(crate) const MAX_RESULTS: usize = 1_000;

/// Maximum wait for whether an index is up to date with its files.
const FRESHNESS_TIMEOUT: Duration = Duration::from_millis(300);

/// How long a check continues for the requests after it.
const MAX_CHECK: Duration = Duration::from_secs(10);

/// The bounds of a token budget that the engine takes.
const MIN_CONTEXT_TOKENS: usize = 100;
const MAX_CONTEXT_TOKENS: usize = 200_000;

/// How something was found, for headers, logs and metrics.
#[derive(Default)]
pub(crate) struct Report {
    /// The source of the order; `None` if nothing was searched.
    pub(crate) source: Option<Source>,
    /// Why there is less than there could be, or why it may be wrong.
    pub(crate) trouble: Vec<&'static str>,
    pub(crate) allowances: Vec<Allowance>,
    pub(crate) search_time: Duration,
    pub(crate) rerank_time: Duration,
    /// The outcome of a request for guesses; `None` if it was unnecessary.
    pub(crate) guesses: Option<GuessOutcome>,
    pub(crate) guess_time: Duration,
    n_candidates: usize,
    n_results: usize,
}

/// Context for a conversation.
#[derive(Default)]
pub(crate) struct InjectedContext {
    /// The text that goes into the conversation; empty if there is none.
    pub(crate) text: String,
    /// `file:first-last` of each piece of code in the text.
    pub(crate) references: Vec<String>,
    /// Secrets of a client's results that were overwritten.
    pub(crate) n_masked: usize,
    pub(crate) report: Report,
}

impl Gateway {
    /// Counts a request against the limit of its client; fails when that is reached.
    pub(crate) async fn charge(
        &self,
        resource: Resource,
        caller: &Caller,
    ) -> Result<Option<Allowance>, Problem> {
        let allowance = self.limits.charge(resource, &caller.user).await;
        match allowance {
            Some(allowance) if !allowance.is_admitted() => {
                self.metrics.rate_limited.with_label_values(&[resource.name()]).inc();
                Err(refusal(allowance))
            }
            allowance => Ok(allowance),
        }
    }

    /// The context for `conversation`: of the results that came with it, else of the project that it names.
    pub(crate) async fn context_for(
        self: &Arc<Self>,
        caller: &Caller,
        conversation: &mut Conversation<'_>,
        question: &Question<'_>,
        given: &[&Inserted],
    ) -> Result<InjectedContext, Problem> {
        let mut context = match (conversation.results.take(), conversation.project.clone()) {
            (Some(mut results), _) => {
                check_number(&results)?;
                let n_results = results.len();
                results.retain(|result| !is_given(given, &result.file, &result.content));
                let is_all_given = results.is_empty() && n_results > 0;
                let mut context = self.results_context(caller, conversation, results, &question.text).await?;
                context.report.trouble.extend(is_all_given.then_some(GIVEN_BEFORE));
                context
            }
            (None, Some(project)) => {
                self.project_context(caller, conversation, project, question, given).await
            }
            (None, None) => InjectedContext::default(),
        };
        if conversation.has_malformed_results {
            context.report.trouble.push("malformed_results");
        }
        self.log_search(&context.report, caller);
        Ok(context)
    }

    /// Context of the best of the results that a client sent.
    async fn results_context(
        &self,
        caller: &Caller,
        conversation: &Conversation<'_>,
        mut results: Vec<Snippet>,
        query: &str,
    ) -> Result<InjectedContext, Problem> {
        // If reranking fails, the order of the client's search is kept.
        results.sort_by(|a, b| b.score.unwrap_or_default().total_cmp(&a.score.unwrap_or_default()));
        let mut report = Report::new(Source::Off);
        report.n_candidates = results.len();
        if conversation.rerank == Some(true) && !results.is_empty() {
            results = self.reranked_results(caller, conversation, results, query, &mut report).await;
        }
        results.truncate(self.config.injection.results);
        report.n_results = results.len();
        let budget_tokens = conversation.max_context_tokens.unwrap_or(self.config.injection.max_tokens);
        let tokenizer = self.config.engine.context.tokenizer;
        let is_masked = self.config.masking != Masking::Off;
        let room = conversation.room.clone();
        let work = move || {
            let _room = room;
            let n_masked = if is_masked { results.iter_mut().map(mask_result).sum() } else { 0 };
            let references: Vec<String> = results.iter().map(Snippet::reference).collect();
            let budget_tokens = budget_tokens.min(MAX_CONTEXT_TOKENS);
            let (text, n_injected) = context_text(results, budget_tokens, tokenizer);
            (text, references.into_iter().take(n_injected).collect(), n_masked)
        };
        let _permit = self.counting.acquire().await.map_err(|_| Problem::internal())?;
        // Long texts take their time to be masked and counted.
        let written = tokio::task::spawn_blocking(work).await;
        let (text, references, n_masked) = written.map_err(|_| Problem::internal())?;
        Ok(InjectedContext { text, references, n_masked, report })
    }

    /// The best of these results, each with the reranker's score, or all as they are if reranking fails.
    async fn reranked_results(
        &self,
        caller: &Caller,
        conversation: &Conversation<'_>,
        results: Vec<Snippet>,
        query: &str,
        report: &mut Report,
    ) -> Vec<Snippet> {
        if !self.admits_rerank(caller, report).await {
            return results;
        }
        let document = |result: &Snippet| RerankDocument {
            path: Some(result.file.clone()),
            text: result.content.clone(),
        };
        let documents = results.iter().map(document).collect();
        let top = self.config.injection.results.min(results.len());
        let started = Instant::now();
        let reranked = self.rerank(query.to_owned(), documents, top, conversation.room.clone()).await;
        report.rerank_time = started.elapsed();
        self.trace(caller, "rerank", started, report.rerank_time);
        match reranked {
            Ok(ranking) => {
                report.source = Some(Source::Reranker(ranking.source));
                let with_score = |document: &craig_engine::RankedDocument| {
                    let result = results.get(document.index)?;
                    Some(Snippet { score: Some(document.score), ..result.clone() })
                };
                ranking.ranked.iter().filter_map(with_score).collect()
            }
            Err(failure) => {
                self.fall_back(report, failure.label());
                results
            }
        }
    }

    /// Context of a project, as `/v1/context` gives it, and with guesses if it is unsure. A conversation goes on
    /// without context, whatever fails, and its response has the reason.
    async fn project_context(
        self: &Arc<Self>,
        caller: &Caller,
        conversation: &Conversation<'_>,
        project: String,
        question: &Question<'_>,
        given: &[&Inserted],
    ) -> InjectedContext {
        let mut report = Report::new(Source::Off);
        match self.charge(Resource::Search, caller).await {
            Ok(allowance) => report.allowances.extend(allowance),
            Err(_) => return InjectedContext::without("rate_limit_exceeded"),
        }
        if conversation.max_context_tokens.is_some_and(|tokens| tokens < MIN_CONTEXT_TOKENS) {
            return InjectedContext::without(NoContext::OverBudget.code());
        }
        let answer = match self.makes_guesses() {
            true => self.context_with_guesses(caller, project, conversation, question, &mut report).await,
            false => {
                let request = context_request(conversation, question);
                self.chat_context(caller, project, request, &mut report).await
            }
        };
        match answer {
            Ok(answer) => {
                let tokenizer = self.config.engine.context.tokenizer;
                InjectedContext::new(without_given(answer, given, tokenizer, &mut report), report)
            }
            Err(problem) if problem.code == "unknown_project" => InjectedContext::without("unknown_project"),
            Err(_) => InjectedContext::without("index_unavailable"),
        }
    }

    /// Whether context for a chat is reranked: by the request if it sets that, else by the setting.
    pub(crate) fn wants_rerank(&self, requested: Option<bool>) -> bool {
        requested.unwrap_or(self.config.engine.context.chat.rerank)
    }

    /// Context for a chat message by the engine, reranked if the request or otherwise the setting requires it. Problems
    /// are added to `report`.
    pub(crate) async fn chat_context(
        self: &Arc<Self>,
        caller: &Caller,
        project: String,
        mut request: ChatContextRequest,
        report: &mut Report,
    ) -> Result<ContextAnswer, Problem> {
        let cancel = CancelOnDrop::default();
        request.cancellation = cancel.0.clone();
        let permit = match self.wants_rerank(request.rerank) {
            true => self.permit_to_rerank(caller, self.engine.reranks_context(), report).await,
            false => None,
        };
        request.rerank = Some(permit.is_some());
        let name = project.clone();
        let costs = self.rerank_costs();
        let engine = self.engine_for(caller);
        let call = move |_: &Arc<Engine>| {
            let answer = engine.chat_context(&name, &request);
            answer.inspect(|answer| costs.count_reported(answer.rerank.as_ref()))
        };
        self.context_answer(caller, project, permit, call, report).await
    }

    /// Context by an engine call; one that reranks needs a permit. Problems are added to `report`.
    pub(crate) async fn context_answer(
        self: &Arc<Self>,
        caller: &Caller,
        project: String,
        permit: Option<OwnedSemaphorePermit>,
        call: impl FnOnce(&Arc<Engine>) -> Result<ContextAnswer, EngineError> + Send + 'static,
        report: &mut Report,
    ) -> Result<ContextAnswer, Problem> {
        let started = Instant::now();
        let is_reranked = permit.is_some();
        let trouble = self.index_trouble(project);
        let (answer, trouble) = tokio::join!(self.searching(caller, permit, call), trouble);
        let answer = answer?;
        // The response for a missing project already includes the reason.
        if answer.reason_code != Some(NoContext::NotReady) {
            report.trouble.extend(trouble);
        }
        (report.n_candidates, report.n_results) = (answer.n_candidates, answer.blocks.len());
        if answer.is_cached && is_reranked {
            report.source = Some(Source::Reranker(RerankSource::Cache));
        }
        self.count_search(caller, (&answer.project, started), answer.rerank.as_ref(), report);
        Ok(answer)
    }

    /// Searches projects, all that `caller` may see if none is named. The first hits of one project are reranked, if `request`
    /// wants it.
    pub(crate) async fn search(
        self: &Arc<Self>,
        caller: &Caller,
        projects: Vec<String>,
        query: String,
        mut request: SearchRequest,
    ) -> Result<(ProjectsAnswer, Report), Problem> {
        let mut report = Report::new(Source::Off);
        report.allowances.extend(self.charge(Resource::Search, caller).await?);
        let only = if let [project] = &*projects { Some(project.clone()) } else { None };
        let permit = match request.rerank && only.is_some() {
            true => self.permit_to_rerank(caller, self.engine.reranks_hits(), &mut report).await,
            false => None,
        };
        request.rerank = permit.is_some();
        let cancel = CancelOnDrop::default();
        request.cancellation = cancel.0.clone();
        let started = Instant::now();
        let trouble = self.trouble_of_one(only);
        let costs = self.rerank_costs();
        let engine = self.engine_for(caller);
        let work = self.searching(caller, permit, move |_| {
            let answer = engine.search_projects(&projects, &query, &request);
            answer.inspect(|answer| costs.count_reported(answer.rerank.as_ref()))
        });
        let (answer, trouble) = tokio::join!(work, trouble);
        let answer = answer?;
        report.trouble.extend(trouble);
        (report.n_candidates, report.n_results) = (answer.hits.len(), answer.hits.len());
        let project = answer.projects.join(",");
        self.count_search(caller, (&project, started), answer.rerank.as_ref(), &mut report);
        Ok((answer, report))
    }

    /// Does some work of the engine. Work that waits for a reranker has a permit of its own: it must not keep others from
    /// searching.
    async fn searching<T: Send + 'static>(
        &self,
        caller: &Caller,
        permit: Option<OwnedSemaphorePermit>,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Problem> {
        match permit {
            Some(permit) => self.with_reranking_engine(permit, work).await,
            None => self.with_engine_for(caller, work).await,
        }
    }

    /// The permit of a request that wants reranking, which is counted against the limit of its client. Without one the
    /// order of the search is kept; without a reranker, it is already the best one.
    async fn permit_to_rerank(
        &self,
        caller: &Caller,
        has_reranker: bool,
        report: &mut Report,
    ) -> Option<OwnedSemaphorePermit> {
        report.source = Some(Source::Reranker(RerankSource::Local));
        if !has_reranker || !self.admits_rerank(caller, report).await {
            return None;
        }
        let permit = self.rerank_permit();
        if permit.is_none() {
            let queue_full = CallFailure::from(&ModelError::QueueFull).label();
            self.metrics.rerank_errors.with_label_values(&[queue_full]).inc();
            self.fall_back(report, queue_full);
        }
        permit
    }

    /// Counts a rerank against the limit of its client; false when that is reached.
    async fn admits_rerank(&self, caller: &Caller, report: &mut Report) -> bool {
        match self.charge(Resource::Rerank, caller).await {
            Ok(allowance) => {
                report.allowances.extend(allowance);
                true
            }
            Err(problem) => {
                report.allowances.extend(problem.allowance.as_deref());
                report.fall_back("rate_limit_exceeded");
                false
            }
        }
    }

    /// Counts and traces a search of a project, and the rerank in it.
    fn count_search(
        &self,
        caller: &Caller,
        (project, started): (&str, Instant),
        rerank: Option<&RerankReport>,
        report: &mut Report,
    ) {
        let whole_time = started.elapsed();
        if let Some(rerank) = rerank {
            report.rerank_time = Duration::from_secs_f64(rerank.elapsed_ms / 1e3).min(whole_time);
            report.n_candidates = rerank.candidates;
            match self.count_rerank(report.rerank_time, &rerank.result) {
                Ok(source) => report.source = Some(source),
                Err(failure) => self.fall_back(report, failure.label()),
            }
        }
        report.search_time = whole_time - report.rerank_time;
        self.metrics.searches.inc();
        self.metrics.vector_search_ms.observe(ms(report.search_time));
        self.metrics.total_search_ms.observe(ms(whole_time));
        if let Some(trace) = &caller.trace {
            self.tracer.send(trace.retrieval(Some(project), started, report.search_time));
        }
        if rerank.is_some() {
            self.trace(caller, "rerank", started + report.search_time, report.rerank_time);
        }
    }

    /// The order of the search is kept.
    fn fall_back(&self, report: &mut Report, trouble: &'static str) {
        self.metrics.reranks.with_label_values(&[Source::Fallback.name()]).inc();
        report.fall_back(trouble);
    }

    /// What is wrong with the index of the only project; several are not compared with their directories.
    async fn trouble_of_one(self: &Arc<Self>, only: Option<String>) -> Option<&'static str> {
        match only {
            Some(project) => self.index_trouble(project).await,
            None => None,
        }
    }

    /// What is wrong with a project's index: its files have changed since, or it could not be checked in time. A team's server
    /// does not have the directories.
    async fn index_trouble(self: &Arc<Self>, project: String) -> Option<&'static str> {
        if self.config.team.is_some() {
            return None;
        }
        let gateway = Arc::clone(self);
        // Continues after the timeout, so that the next request shares its result.
        let check = tokio::spawn(async move {
            let name = project.clone();
            let compare = move |engine: &Arc<Engine>| {
                Ok(match engine.refresh_within(&name, Refresh::Compare, MAX_CHECK)? {
                    Freshness::UpToDate(_) => Some(true),
                    Freshness::Changed(_) | Freshness::DirectoryGone => Some(false),
                    _ => None,
                })
            };
            let check = async { gateway.with_engine(compare).await.ok().flatten().ok_or(()) };
            gateway.freshness.try_get_with(project, check).await
        });
        match tokio::time::timeout(FRESHNESS_TIMEOUT, check).await {
            Ok(Ok(Ok(true))) => None,
            Ok(Ok(Ok(false))) => Some("stale_index"),
            _ => Some("index_unchecked"),
        }
    }

    /// Adds a part of a request to its trace.
    pub(crate) fn trace(&self, caller: &Caller, name: &str, started: Instant, duration: Duration) {
        if let Some(trace) = &caller.trace {
            self.tracer.send(trace.part(name, SpanKind::Internal, started, duration));
        }
    }

    /// Logs a search, without any of its text.
    pub(crate) fn log_search(&self, report: &Report, caller: &Caller) {
        let Some(source) = report.source else { return };
        self.journal.log(Event::SearchCompleted(SearchCompleted {
            num_candidates: report.n_candidates,
            num_results: report.n_results,
            search_latency_ms: ms(report.search_time),
            rerank_latency_ms: ms(report.rerank_time),
            rerank: source.name(),
            rerank_error: report.trouble.first().copied(),
            cache_hit: source.is_cache(),
            user: Some(caller.user.to_string()),
        }));
    }
}

impl InjectedContext {
    fn new(answer: ContextAnswer, mut report: Report) -> Self {
        // A reason keeps its word where it had one before it was the engine's.
        report.trouble.extend(answer.reason_code.map(|reason| match reason {
            NoContext::NotReady => "unknown_project",
            NoContext::Generic | NoContext::TooShort => "no_words",
            NoContext::Failed => "index_unavailable",
            reason => reason.code(),
        }));
        let block_reference = |block: &craig_engine::ContextBlock| {
            reference(&block.path, Some(block.line_start), Some(block.line_end))
        };
        let references = answer.blocks.iter().map(block_reference).collect();
        Self { text: answer.markdown, references, n_masked: 0, report }
    }

    /// The context that was put in before, and is put in again.
    pub(crate) fn again(inserted: &Inserted) -> Self {
        Self { text: inserted.text.clone(), references: inserted.references.clone(), ..Self::default() }
    }

    /// No context, and why.
    fn without(trouble: &'static str) -> Self {
        let report = Report { trouble: vec![trouble], ..Report::default() };
        Self { report, ..Self::default() }
    }
}

impl Report {
    pub(crate) fn new(source: Source) -> Self {
        Self { source: Some(source), ..Self::default() }
    }

    /// Writes what happened into headers: the source of the order, guesses, trouble, and what is left to the client.
    pub(crate) fn write_headers(&self, response: &mut Response) {
        let source = self.source.unwrap_or(Source::Off);
        write_order_headers(response, source, &self.trouble, &self.allowances);
        if let Some(outcome) = self.guesses {
            response.headers_mut().insert("x-craig-guesses", HeaderValue::from_static(outcome.name()));
        }
    }

    /// Adds a later search, whose result is used.
    pub(crate) fn followed_by(&mut self, later: Self) {
        self.source = later.source;
        self.trouble = later.trouble;
        self.allowances.extend(later.allowances);
        self.search_time += later.search_time;
        self.rerank_time += later.rerank_time;
        (self.n_candidates, self.n_results) = (later.n_candidates, later.n_results);
    }

    fn fall_back(&mut self, trouble: &'static str) {
        self.source = Some(Source::Fallback);
        self.trouble.push(trouble);
    }
}

/// The word for context that the conversation has already.
const GIVEN_BEFORE: &str = "given_before";

fn is_given(given: &[&Inserted], path: &str, content: &str) -> bool {
    let content = without_control_tokens(content);
    given.iter().any(|inserted| inserted.has(path, content.trim_end()))
}

/// An answer without the blocks that the conversation has already.
fn without_given(
    mut answer: ContextAnswer,
    given: &[&Inserted],
    tokenizer: Tokenizer,
    report: &mut Report,
) -> ContextAnswer {
    let n_blocks = answer.blocks.len();
    answer.blocks.retain(|block| !is_given(given, &block.path, &block.content));
    if answer.blocks.len() == n_blocks {
        return answer;
    }
    if answer.blocks.is_empty() {
        answer.markdown.clear();
        report.trouble.push(GIVEN_BEFORE);
        return answer;
    }
    let blocks = answer.blocks.clone();
    answer.markdown = fitted_context(ContextFormat::SimilarCode, blocks, answer.tokens, tokenizer).0;
    answer
}

fn check_number(results: &[Snippet]) -> Result<(), Problem> {
    match results.len() {
        ..=MAX_RESULTS => Ok(()),
        _ => Err(Problem::invalid_field("semantic_results", format!("more than {MAX_RESULTS} results"))),
    }
}

/// The request to the engine for a conversation.
pub(crate) fn context_request(
    conversation: &Conversation<'_>,
    question: &Question<'_>,
) -> ChatContextRequest {
    ChatContextRequest {
        message: question.text.clone(),
        history: question.history.clone(),
        token_budget: conversation.max_context_tokens.map(|tokens| tokens.min(MAX_CONTEXT_TOKENS)),
        format: ContextFormat::SimilarCode,
        rerank: conversation.rerank,
        ..ChatContextRequest::default()
    }
}

/// Writes into headers where the order of an answer came from, why it is no better one, and what is left to the client.
pub(crate) fn write_order_headers(
    response: &mut Response,
    source: Source,
    trouble: &[&'static str],
    allowances: &[Allowance],
) {
    allowances.iter().for_each(|allowance| allowance.write_headers(response));
    response.headers_mut().insert("x-craig-rerank", HeaderValue::from_static(source.name()));
    write_trouble(response, trouble);
}

/// Writes into a header what went wrong although there is an answer.
pub(crate) fn write_trouble(response: &mut Response, trouble: &[&'static str]) {
    if let Ok(value) = HeaderValue::from_str(&trouble.join(", "))
        && !trouble.is_empty()
    {
        response.headers_mut().insert("x-craig-trouble", value);
    }
}
