//! Requests for models: finds context, adds it to the conversation, and forwards the model's response.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::admission::{Admitted, sums};
use crate::attributes::{
    GEN_AI_OPERATION_NAME, GEN_AI_PROVIDER_NAME, GEN_AI_REQUEST_MODEL, GEN_AI_USAGE_INPUT_TOKENS,
    GEN_AI_USAGE_OUTPUT_TOKENS,
};
use crate::budget::Reservation;
use crate::call::CallFailure;
use crate::caller::Caller;
use crate::config::Masking;
use crate::context_memory::Inserted;
use crate::conversation::Conversation;
use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::intake::{WORK_COPIES, caller_of, reserved_body, timing};
use crate::journal::{AnswerCompleted, Event};
use crate::masking::mask_json;
use crate::meter::Answering;
use crate::metrics::{Counted, Metrics, ms};
use crate::protocol::{Operation, Protocol, ProtocolName, Usage};
use crate::providers::{Answer, Answered, Ask, Failed, FailedCall, NoAnswer};
use crate::relay::{Counting, Outcome, Relay, StreamBounds};
use crate::retrieval::{InjectedContext, Report};
use crate::sse::Framing;
use crate::traces::{Span, SpanKind, Trace};
use crate::translate::{CacheMarks, StreamTranslation, Translation};
use crate::usage::{Sums, UsageKey, today};

/// Header by which a client chooses how its stream is framed.
const FRAMING_HEADER: &str = "x-craig-framing";

/// Header that names the project of a conversation, for clients that cannot add a field to their requests.
pub(crate) const PROJECT_HEADER: &str = "x-craig-project";

/// Answers a request for a model.
pub(crate) async fn answer(
    gateway: &Arc<Gateway>,
    operation: Operation,
    request: Request,
) -> Result<Response, Problem> {
    let started = Instant::now();
    let caller = caller_of(&request)?;
    let headers = request.headers().clone();
    let (body, room) = reserved_body(request, gateway).await?;
    pass_on(gateway, operation, (caller, headers), (body, room), started).await
}

/// Passes a request on whose body was read.
pub(crate) async fn pass_on(
    gateway: &Arc<Gateway>,
    operation: Operation,
    (caller, headers): (Caller, HeaderMap),
    (body, mut room): (Bytes, Reservation),
    started: Instant,
) -> Result<Response, Problem> {
    let framing = framing_of(&headers, operation, gateway.config.framing)?;
    let (body, n_masked) = match gateway.config.masking {
        Masking::All => masked(operation, body)?,
        Masking::Context | Masking::Off => (body, None),
    };
    let mut conversation = Conversation::read(operation, &body)?;
    let admitted = admit(gateway, &caller, operation, &headers, &mut conversation).await?;
    let is_over_soft_budget = admitted.is_over_soft_budget;
    let wants_context = conversation.wants_context();
    if wants_context && !room.grow_to(gateway.room_for(body.len(), WORK_COPIES)) {
        return Err(Problem::overloaded());
    }
    let room = Arc::new(room);
    conversation.room = Some(Arc::clone(&room));
    let (context, turns) = match wants_context {
        true => inject(gateway, &caller, &mut conversation)
            .await
            .map(|(context, turns)| (Some(context), turns))?,
        false => (None, None),
    };
    let turns = turns.as_deref();
    let outgoing = Outgoing { gateway, conversation: &conversation, turns, body: room.with(body.clone()) };
    let asked = Instant::now();
    let ask = Ask {
        operation,
        model: conversation.model.as_deref(),
        is_streamed: conversation.is_streamed,
        policy: &caller.policy,
        headers: passed_on(&headers, operation.protocol()),
        affinity: &|| conversation.affinity(&caller.user).unwrap_or_else(|| fastrand::u64(..)),
    };
    let answered = gateway.providers.ask(&ask, |translation, model| outgoing.body(translation, model)).await;
    let answered = answered.map_err(|unanswered| {
        let sent = [&body[..], turns.unwrap_or_default().as_bytes()];
        not_answered(gateway, &caller, unanswered, operation, &sent)
    })?;
    let failed = answered.failures.iter().filter(|call| call.failure.was_sent());
    failed.for_each(|call| gateway.record_failure(&caller, call));
    let times = Times { started, asked, answered: Instant::now() };
    let accounting = Accounting {
        project: conversation.project.clone().unwrap_or_default(),
        n_input_bytes: body.len() + context.as_ref().map_or(0, |context| context.text.len()),
        admitted: Some(admitted),
        tries: answered.tries,
        first_byte: times.answered - answered.asked,
        is_guess: false,
    };
    let client = ClientStream { operation, framing, reports_usage: conversation.reports_usage() };
    let mut response = respond(gateway, &caller, answered, context.as_ref(), (client, accounting), times);
    if is_over_soft_budget {
        response.headers_mut().insert("x-craig-budget", HeaderValue::from_static("soft"));
    }
    let n_masked_context =
        context.filter(|_| gateway.config.masking != Masking::Off).map(|found| found.n_masked);
    if n_masked.is_some() || n_masked_context.is_some() {
        let n_masked = n_masked.unwrap_or_default() + n_masked_context.unwrap_or_default();
        response.headers_mut().insert("x-craig-masked", n_masked.into());
    }
    Ok(response)
}

/// Checks what the key may use; a header names the project of a conversation that names none.
async fn admit(
    gateway: &Gateway,
    caller: &Caller,
    operation: Operation,
    headers: &HeaderMap,
    conversation: &mut Conversation<'_>,
) -> Result<Admitted, Problem> {
    if operation.has_turns() && conversation.project.is_none() {
        conversation.project = project_of(headers)?;
    }
    if let Some(project) = &conversation.project {
        gateway.check_project(caller, project).await?;
    }
    gateway.admit_model(caller, conversation.model.as_deref()).await
}

/// A request on its way to providers.
struct Outgoing<'a> {
    gateway: &'a Gateway,
    conversation: &'a Conversation<'a>,
    /// The turns with context, if there is any.
    turns: Option<&'a str>,
    /// The client's request, whose reservation lives as long as it is being sent.
    body: Bytes,
}

impl Outgoing<'_> {
    /// The body for a provider, with its own name of the model.
    fn body(&self, translation: Option<Translation>, model: Option<&str>) -> Result<Bytes, CallFailure> {
        let written = match (translation, self.conversation.for_provider(model, self.turns)) {
            (None, None) => return Ok(self.body.clone()),
            (None, Some(written)) => written,
            (Some(translation), written) => {
                let marks = self.gateway.cache_marks(self.turns.is_some());
                let request = translation.request(written.as_deref().unwrap_or(&self.body), marks);
                request.map_err(CallFailure::untranslatable)?
            }
        };
        self.gateway.reserved(written).ok_or_else(CallFailure::overloaded)
    }
}

/// The error for a request that no provider has answered; failures of providers are traced, counted and logged. `sent` are the
/// texts that the providers got: quotes of them are cut out of the error.
fn not_answered(
    gateway: &Gateway,
    caller: &Caller,
    unanswered: NoAnswer<'_>,
    operation: Operation,
    sent: &[&[u8]],
) -> Problem {
    let Failed { failures, reported, tries } = match unanswered {
        NoAnswer::Failed(failed) => failed,
        NoAnswer::UnknownModel => {
            return Problem::not_found(
                "model_not_found",
                "no provider serves this model: GET /v1/models lists some",
            );
        }
        NoAnswer::OtherProtocol(protocols) => return other_protocol(operation, &protocols),
    };
    for (at, call) in failures.iter().enumerate() {
        if at == reported || call.failure.was_sent() {
            gateway.record_failure(caller, call);
        }
    }
    let call = &failures[reported];
    let accounting = Accounting { tries, first_byte: call.time, ..Accounting::default() };
    let used = (&Sums::default(), call.failure.cause.clone());
    let outcome = Outcome::failed(call.failure.label());
    gateway.log_answer(caller, Asked::failed(call), &accounting, outcome, used);
    call.failure.problem(sent)
}

/// The error for a model that its providers serve in other protocols only.
fn other_protocol(operation: Operation, protocols: &[ProtocolName]) -> Problem {
    let other =
        |protocol: &ProtocolName| format!("\"{}\" (/v1/{})", protocol.name(), protocol.conversation().path());
    let others: Vec<String> = protocols.iter().map(other).collect();
    let message = format!(
        "the providers of this model do not support \"{}\", which /v1/{} requires, but {}: the gateway translates \
         conversations only. Use another path, or add the protocol to 'protocols' of a provider that supports it",
        operation.protocol_name().name(),
        operation.path(),
        others.join(" and "),
    );
    Problem { code: "protocol_not_served".to_owned(), ..Problem::invalid(message) }
}

/// The project that a header names.
fn project_of(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(PROJECT_HEADER) else { return Ok(None) };
    let not_text = || Problem::invalid(format!("'{PROJECT_HEADER}' is not UTF-8"));
    let name = std::str::from_utf8(value.as_bytes()).map_err(|_| not_text())?.trim();
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

/// The headers of a client that its provider gets.
fn passed_on(headers: &HeaderMap, protocol: &dyn Protocol) -> HeaderMap {
    let mut passed = HeaderMap::new();
    for (name, default) in protocol.request_headers() {
        let name = HeaderName::from_static(name);
        let given = headers.get_all(&name).iter().cloned();
        given.for_each(|value| _ = passed.append(name.clone(), value));
        if let Some(default) = default.filter(|_| !passed.contains_key(&name)) {
            passed.insert(name, HeaderValue::from_static(default));
        }
    }
    passed
}

/// A request without the secrets in it, and how many there were. A client's results are masked with their files.
fn masked(operation: Operation, body: Bytes) -> Result<(Bytes, Option<usize>), Problem> {
    let masked = {
        let text = std::str::from_utf8(&body).map_err(|_| Problem::invalid("the request is not UTF-8"))?;
        let conversation = Conversation::read(operation, &body)?;
        mask_json(text, conversation.raw_results())
    };
    Ok(match masked {
        Some((text, n_masked)) => (Bytes::from(text), Some(n_masked)),
        None => (body, Some(0)),
    })
}

/// Finds context, and puts it before the question; gives the new turns if there is any context. What was put before earlier
/// questions, or before this one when it was first asked, is put in again as it was.
async fn inject(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    conversation: &mut Conversation<'_>,
) -> Result<(InjectedContext, Option<String>), Problem> {
    let Some(question) = conversation.question()? else { return Ok((InjectedContext::default(), None)) };
    let project = conversation.project.clone().unwrap_or_default();
    let turns = question.user_turns(&[&caller.user, &project]);
    let Some(current) = turns.last().copied() else { return Ok((InjectedContext::default(), None)) };
    let mut inserted = match &gateway.context_memory {
        Some(memory) => memory.recall(&turns).await,
        None => Vec::new(),
    };
    let again = inserted.pop_if(|(turn, _)| turn.key == current.key);
    let (context, own) = match again {
        // An unanswered question is searched again: the code may have changed since.
        Some((_, own)) if question.is_answered() => (InjectedContext::again(&own), own),
        _ if question.text.trim().is_empty() => return Ok((InjectedContext::default(), None)),
        _ => {
            let given: Vec<&Inserted> = inserted.iter().map(|(_, inserted)| &**inserted).collect();
            let context = gateway.context_for(caller, conversation, &question, &given).await?;
            let own = Arc::new(Inserted {
                text: context.text.clone(),
                placement: question.placement(gateway.config.injection.placement),
                references: context.references.clone(),
            });
            if let Some(memory) = &gateway.context_memory {
                memory.put(current.key, Arc::clone(&own)).await;
            }
            (context, own)
        }
    };
    inserted.push((current, own));
    let has_any = inserted.iter().any(|(_, inserted)| !inserted.text.is_empty());
    Ok((context, has_any.then(|| question.turns_with_all(&inserted))))
}

/// When a request arrived, the first provider was asked, and a provider answered.
#[derive(Clone, Copy)]
struct Times {
    started: Instant,
    asked: Instant,
    answered: Instant,
}

/// The provider, the operation and the time of a call.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    upstream: &'a str,
    /// The model in metrics.
    model: &'a str,
    operation: Operation,
    at: Instant,
}

impl<'a> Asked<'a> {
    pub(crate) fn answered(answered: &Answered<'a>) -> Self {
        let Answered { provider, model, operation, asked, .. } = answered;
        Self { upstream: &provider.upstream.name, model, operation: *operation, at: *asked }
    }

    fn failed(call: &FailedCall<'a>) -> Self {
        let FailedCall { provider, model, operation, asked, .. } = call;
        Self { upstream: &provider.upstream.name, model, operation: *operation, at: *asked }
    }
}

/// The form of a stream for the client.
#[derive(Clone, Copy)]
struct ClientStream {
    operation: Operation,
    framing: Framing,
    /// Whether a client of chat has asked for counts.
    reports_usage: bool,
}

fn respond(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    answered: Answered<'_>,
    context: Option<&InjectedContext>,
    (client, accounting): (ClientStream, Accounting),
    times: Times,
) -> Response {
    let metrics = &gateway.metrics;
    let asked = Asked::answered(&answered);
    let (provider, tries) = (HeaderValue::from_bytes(asked.upstream.as_bytes()), answered.tries);
    let protocol = client.operation.protocol();
    let llm_ms = metrics.llm_ms.with(&[asked.upstream, asked.model]);
    let first_byte = times.answered - asked.at;
    metrics.first_byte_ms.with(&[asked.upstream]).observe(first_byte);
    let on_end = record_at_end(gateway, caller, asked, accounting);
    let mut response = match answered.answer {
        Answer::Whole(head, body, usage) => {
            llm_ms.observe(first_byte);
            on_end(Outcome { usage, failure: None, estimated_output_tokens: body.len() / BYTES_PER_TOKEN });
            with_head(&head, Body::from(body), protocol)
        }
        Answer::Stream(head, first, rest) => {
            let count = Counting {
                metrics: Arc::clone(metrics),
                started: asked.at,
                llm_ms,
                on_end: Some(Box::new(on_end)),
                _open: Counted::new(&metrics.open_requests),
            };
            let bounds = StreamBounds {
                idle: gateway.config.bounds.stream_idle,
                total: gateway.config.bounds.stream_total,
            };
            let ClientStream { framing, reports_usage, .. } = client;
            let translation = answered.translation.map(|translation| {
                let room = gateway.answer_reservation();
                StreamTranslation::new(translation, framing, reports_usage, room)
            });
            let provider_form = (asked.operation.protocol(), framing);
            let relay = Relay::new(first, rest, provider_form, translation, bounds, count);
            let mut response = with_head(&head, Body::new(relay), protocol);
            // Proxies must not buffer what should arrive word by word.
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
            response
        }
    };
    write_headers(gateway, &mut response, context, times);
    let headers = response.headers_mut();
    headers.insert("x-craig-tries", tries.into());
    if let Ok(provider) = provider {
        headers.insert("x-craig-provider", provider);
    }
    response
}

/// The parts of a provider's head that clients see.
fn with_head(head: &Parts, body: Body, protocol: &dyn Protocol) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = head.status;
    let names = protocol.response_headers().iter().map(|name| HeaderName::from_static(name));
    for name in names.chain([header::CONTENT_TYPE]) {
        if let Some(value) = head.headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

/// Writes into headers what was put in, where its order came from, and how long everything took.
fn write_headers(
    gateway: &Gateway,
    response: &mut Response,
    context: Option<&InjectedContext>,
    times: Times,
) {
    let not_searched = Report::default();
    let found = context.map_or(&not_searched, |context| &context.report);
    let (search, guess, rerank) = (found.search_time, found.guess_time, found.rerank_time);
    let upstream = times.answered - times.asked;
    let overhead = times.started.elapsed().saturating_sub(upstream + search + guess + rerank);
    gateway.metrics.overhead_ms.observe(ms(overhead));
    let entries = [
        ("search", search),
        ("guess", guess),
        ("rerank", rerank),
        ("upstream", upstream),
        ("gateway", overhead),
    ];
    response.headers_mut().insert("server-timing", timing(&entries));
    let Some(context) = context else { return };
    context.report.write_headers(response);
    if let Ok(value) = HeaderValue::from_str(&context.references.join(";")) {
        response.headers_mut().insert("x-craig-context", value);
    }
}

/// How a stream is framed. Only the streams of OpenAI's chat and completions have a choice: the events of other protocols
/// have names.
fn framing_of(headers: &HeaderMap, operation: Operation, default: Framing) -> Result<Framing, Problem> {
    let has_choice = operation.protocol_name() == ProtocolName::Chat;
    match headers.get(FRAMING_HEADER).map(HeaderValue::as_bytes) {
        None if has_choice => Ok(default),
        None | Some(b"openai") => Ok(Framing::OpenAi),
        Some(b"events") if has_choice => Ok(Framing::Events),
        Some(b"events") => Err(Problem::invalid(format!(
            "'{FRAMING_HEADER}' does not apply here: the events of this path have names"
        ))),
        Some(_) => Err(Problem::invalid(format!("'{FRAMING_HEADER}' is neither 'openai' nor 'events'"))),
    }
}

/// What an answer is accounted for, beside its tokens.
#[derive(Default)]
pub(crate) struct Accounting {
    /// Project of its context; empty if there is none.
    project: String,
    /// Bytes of the request, from which its tokens are estimated if the provider does not report them.
    n_input_bytes: usize,
    admitted: Option<Admitted>,
    /// Attempts of all providers.
    tries: usize,
    /// How long the first byte took.
    first_byte: Duration,
    /// Whether the gateway asked for itself.
    is_guess: bool,
}

impl Accounting {
    /// Accounting for an answer to the gateway's own request of `n_input_bytes`.
    pub(crate) fn guess(project: String, n_input_bytes: usize, tries: usize, first_byte: Duration) -> Self {
        Self { project, n_input_bytes, tries, first_byte, is_guess: true, ..Self::default() }
    }
}

/// Counts tokens and their price, and traces the model's answer, when it has ended.
pub(crate) fn record_at_end(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    asked: Asked<'_>,
    accounting: Accounting,
) -> impl FnOnce(Outcome) + Send + 'static {
    let (gateway, caller) = (Arc::clone(gateway), caller.clone());
    let Asked { upstream, model, operation, at } = asked;
    let (upstream, model) = (upstream.to_owned(), model.to_owned());
    move |outcome| {
        // Counting the tokens of a conversation costs nothing, and neither does a failure that reports none.
        let is_answer = operation != Operation::CountTokens
            && (outcome.usage.is_some() || outcome.estimated_output_tokens > 0);
        let mut used = Sums::default();
        if is_answer {
            let usage = outcome.usage.unwrap_or_else(|| Usage {
                input_tokens: accounting.n_input_bytes.div_ceil(BYTES_PER_TOKEN) as u64,
                output_tokens: outcome.estimated_output_tokens as u64,
                ..Usage::default()
            });
            let usd = gateway.config.prices.usd(&model, usage);
            count_tokens(&gateway.metrics, [&upstream, &model], usage, usd);
            let key = UsageKey {
                day: today(),
                key: caller.key.to_string(),
                provider: upstream.clone(),
                model: model.clone(),
                project: accounting.project.clone(),
            };
            used = sums(usage, usd, outcome.usage.is_none());
            gateway.record_usage(&caller, key, used);
        }
        let asked = Asked { upstream: &upstream, model: &model, operation, at };
        if let Some(trace) = &caller.trace {
            gateway.tracer.send(asked.span(trace, at.elapsed(), outcome));
        }
        gateway.meter.answer(asked.names(), at.elapsed(), outcome.failure, outcome.usage);
        gateway.log_answer(&caller, asked, &accounting, outcome, (&used, None));
        drop(accounting.admitted);
    }
}

impl Gateway {
    /// What a provider is asked to cache of a translated conversation. Context that is not remembered will be missing when the
    /// conversation continues, and with it everything behind it would be cached in vain.
    fn cache_marks(&self, has_context: bool) -> CacheMarks {
        match self.config.marks_prompt_cache {
            false => CacheMarks::None,
            true if has_context && self.context_memory.is_none() => CacheMarks::Instructions,
            true => CacheMarks::Conversation,
        }
    }

    /// Traces and counts a failed call of a provider.
    fn record_failure(&self, caller: &Caller, call: &FailedCall<'_>) {
        let (asked, outcome) = (Asked::failed(call), Outcome::failed(call.failure.label()));
        if let Some(trace) = &caller.trace {
            self.tracer.send(asked.span(trace, call.time, outcome));
        }
        self.meter.answer(asked.names(), call.time, outcome.failure, None);
    }

    /// Logs how a model's answer has ended.
    fn log_answer(
        &self,
        caller: &Caller,
        asked: Asked<'_>,
        accounting: &Accounting,
        outcome: Outcome,
        (used, cause): (&Sums, Option<String>),
    ) {
        if !self.config.logs_requests {
            return;
        }
        self.journal.log(Event::AnswerCompleted(AnswerCompleted {
            request_id: caller.request_id.to_string(),
            user: caller.user.to_string(),
            provider: asked.upstream.to_owned(),
            model: asked.model.to_owned(),
            operation: if accounting.is_guess { "guess" } else { asked.operation.span_name() },
            tries: accounting.tries,
            outcome: outcome.failure.unwrap_or("ok"),
            cause,
            input_tokens: used.input_tokens,
            cached_tokens: used.cached_tokens,
            output_tokens: used.output_tokens,
            is_estimated: used.estimated > 0,
            usd: used.usd,
            first_byte_ms: ms(accounting.first_byte),
            total_ms: ms(asked.at.elapsed()),
        }));
    }
}

/// Bytes of a token, where a provider does not count them.
pub(crate) const BYTES_PER_TOKEN: usize = 4;

fn count_tokens(metrics: &Metrics, [upstream, model]: [&str; 2], usage: Usage, usd: f64) {
    let tokens = |direction: &str| metrics.llm_tokens.with_label_values(&[upstream, model, direction]);
    tokens("input").inc_by(usage.input_tokens);
    tokens("output").inc_by(usage.output_tokens);
    metrics.cost_usd.inc_by(usd);
}

impl Asked<'_> {
    fn names(&self) -> Answering<'_> {
        [self.operation.span_name(), self.upstream, self.model]
    }

    /// The span of a model's answer, by OpenTelemetry's conventions for generative models.
    fn span(&self, trace: &Trace, time: Duration, outcome: Outcome) -> Span {
        let name = self.operation.span_name();
        let mut span = trace
            .part(format!("{name} {}", self.model), SpanKind::Client, self.at, time)
            .text(GEN_AI_OPERATION_NAME, name)
            .text(GEN_AI_PROVIDER_NAME, self.upstream)
            .text(GEN_AI_REQUEST_MODEL, self.model);
        if let Some(usage) = outcome.usage {
            span = span
                .whole(GEN_AI_USAGE_INPUT_TOKENS, usage.input_tokens)
                .whole(GEN_AI_USAGE_OUTPUT_TOKENS, usage.output_tokens);
        }
        match outcome.failure {
            Some(class) => span.failed(class),
            None => span,
        }
    }
}
