//! `POST /v1/chat/completions`: finds context, puts it into the conversation, and passes the model's answer on.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::response::Parts;
use http::{HeaderMap, HeaderValue, header};

use crate::caller::Caller;
use crate::config::Masking;
use crate::conversation::Conversation;
use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::intake::{WORK_COPIES, caller_of, reserved_body, timing};
use crate::masking::mask_json;
use crate::metrics::{Counted, ms};
use crate::providers::{Answer, Answered, NoAnswer};
use crate::relay::{Counting, Outcome, Relay, StreamBounds};
use crate::retrieval::{InjectedContext, Report};
use crate::sse::{Framing, Usage};
use crate::traces::{Span, SpanKind, Trace};

/// Header by which a client chooses how its stream is framed.
const FRAMING_HEADER: &str = "x-craig-framing";

pub(crate) async fn complete(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let started = Instant::now();
    let caller = caller_of(&request)?;
    let framing = framing_of(request.headers(), gateway.config.framing)?;
    let (body, mut room) = reserved_body(request, &gateway).await?;
    let (body, n_masked) = match gateway.config.masking {
        Masking::All => masked(body)?,
        Masking::Context | Masking::Off => (body, None),
    };
    let mut conversation = Conversation::read(&body)?;
    let wants_context = conversation.wants_context();
    if wants_context && !room.grow_to(gateway.room_for(body.len(), WORK_COPIES)) {
        return Err(Problem::overloaded());
    }
    let room = Arc::new(room);
    conversation.room = Some(Arc::clone(&room));
    let (context, messages) = match wants_context {
        true => inject(&gateway, &caller, &mut conversation)
            .await
            .map(|(context, messages)| (Some(context), messages))?,
        false => (None, None),
    };
    let n_masked = match &context {
        Some(context) if gateway.config.masking != Masking::Off => {
            Some(n_masked.unwrap_or_default() + context.n_masked)
        }
        _ => n_masked,
    };
    let messages = messages.as_deref();
    // The reservation lives as long as the request is being sent.
    let held = room.with(body.clone());
    let own_body = |model: Option<&str>| match conversation.for_provider(model, messages) {
        None => Some(held.clone()),
        Some(written) => gateway.reserved(written),
    };
    let asked = Instant::now();
    let (model, is_streamed) = (conversation.model.as_deref(), conversation.is_streamed);
    let answered = match gateway.providers.ask(model, is_streamed, own_body).await {
        Ok(answered) => answered,
        Err(NoAnswer::Failed(failure)) => {
            let failed = Outcome { usage: None, failure: Some(failure.label()) };
            let spans = caller.trace.iter().map(|trace| span(trace, "all", "other", asked, failed));
            spans.for_each(|span| gateway.tracer.send(span));
            return Err(failure.problem(&[&body, messages.unwrap_or_default().as_bytes()]));
        }
        Err(NoAnswer::UnknownModel) => {
            return Err(Problem::not_found(
                "model_not_found",
                "no provider serves this model: GET /v1/models lists some",
            ));
        }
    };
    let times = Times { started, asked, answered: Instant::now() };
    let mut response = respond(&gateway, &caller, answered, context.as_ref(), framing, times);
    if let Some(n_masked) = n_masked {
        response.headers_mut().insert("x-craig-masked", n_masked.into());
    }
    Ok(response)
}

/// A request without the secrets in it, and how many there were. A client's results are masked with their files.
fn masked(body: Bytes) -> Result<(Bytes, Option<usize>), Problem> {
    let masked = {
        let text = std::str::from_utf8(&body).map_err(|_| Problem::invalid("the request is not UTF-8"))?;
        let conversation = Conversation::read(&body)?;
        mask_json(text, conversation.raw_results())
    };
    Ok(match masked {
        Some((text, n_masked)) => (Bytes::from(text), Some(n_masked)),
        None => (body, Some(0)),
    })
}

/// Finds context, and puts it before the question; gives the new messages if there is any context.
async fn inject(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    conversation: &mut Conversation<'_>,
) -> Result<(InjectedContext, Option<String>), Problem> {
    let Some(question) = conversation.question()?.filter(|question| !question.text.trim().is_empty()) else {
        return Ok((InjectedContext::default(), None));
    };
    let context = gateway.context_for(caller, conversation, &question).await?;
    let placement = gateway.config.injection.placement;
    let messages = (!context.text.is_empty()).then(|| question.messages_with(&context.text, placement));
    Ok((context, messages))
}

/// When a request arrived, its model was asked, and the model answered.
#[derive(Clone, Copy)]
struct Times {
    started: Instant,
    asked: Instant,
    answered: Instant,
}

fn respond(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    answered: Answered<'_>,
    context: Option<&InjectedContext>,
    framing: Framing,
    times: Times,
) -> Response {
    let metrics = &gateway.metrics;
    let upstream = answered.provider.upstream.name.as_str();
    let llm_ms = metrics.llm_ms.with_label_values(&[upstream, answered.model]);
    metrics.first_byte_ms.with_label_values(&[upstream]).observe(ms(times.answered - times.asked));
    let on_end = record_at_end(gateway, caller, upstream, answered.model, times.asked);
    let mut response = match answered.answer {
        Answer::Whole(head, body, usage) => {
            llm_ms.observe(ms(times.answered - times.asked));
            on_end(Outcome { usage, failure: None });
            with_head(&head, Body::from(body))
        }
        Answer::Stream(head, first, rest) => {
            let count = Counting {
                metrics: Arc::clone(metrics),
                started: times.asked,
                llm_ms,
                on_end: Some(Box::new(on_end)),
                _open: Counted::new(&metrics.open_requests),
            };
            let bounds = StreamBounds {
                idle: gateway.config.bounds.stream_idle,
                total: gateway.config.bounds.stream_total,
            };
            let mut response = with_head(&head, Body::new(Relay::new(first, rest, framing, bounds, count)));
            // Proxies must not buffer what should arrive word by word.
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
            response
        }
    };
    write_headers(gateway, &mut response, context, times);
    response
}

/// The parts of a provider's head that clients see.
fn with_head(head: &Parts, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = head.status;
    if let Some(kind) = head.headers.get(header::CONTENT_TYPE) {
        response.headers_mut().insert(header::CONTENT_TYPE, kind.clone());
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

fn framing_of(headers: &HeaderMap, default: Framing) -> Result<Framing, Problem> {
    match headers.get(FRAMING_HEADER).map(HeaderValue::as_bytes) {
        None => Ok(default),
        Some(b"openai") => Ok(Framing::OpenAi),
        Some(b"events") => Ok(Framing::Events),
        Some(_) => Err(Problem::invalid(format!("'{FRAMING_HEADER}' is neither 'openai' nor 'events'"))),
    }
}

/// Counts tokens and their price, and traces the model's answer, when it has ended.
pub(crate) fn record_at_end(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    upstream: &str,
    model: &str,
    asked: Instant,
) -> impl FnOnce(Outcome) + Send + 'static {
    let (gateway, trace) = (Arc::clone(gateway), caller.trace.clone());
    let (upstream, model) = (upstream.to_owned(), model.to_owned());
    move |outcome| {
        if let Some(usage) = outcome.usage {
            count_tokens(&gateway, &upstream, &model, usage);
        }
        if let Some(trace) = trace {
            gateway.tracer.send(span(&trace, &upstream, &model, asked, outcome));
        }
    }
}

fn count_tokens(gateway: &Gateway, upstream: &str, model: &str, usage: Usage) {
    let tokens =
        |direction: &str| gateway.metrics.llm_tokens.with_label_values(&[upstream, model, direction]);
    tokens("input").inc_by(usage.prompt_tokens);
    tokens("output").inc_by(usage.completion_tokens);
    let usd = gateway.config.prices.usd(model, usage.prompt_tokens, usage.completion_tokens);
    gateway.metrics.cost_usd.inc_by(usd);
}

/// The span of a model's answer, by OpenTelemetry's conventions for generative models.
fn span(trace: &Trace, upstream: &str, model: &str, asked: Instant, outcome: Outcome) -> Span {
    let mut span = trace
        .part(format!("chat {model}"), SpanKind::Client, asked, asked.elapsed())
        .text("gen_ai.operation.name", "chat")
        .text("gen_ai.provider.name", upstream)
        .text("gen_ai.request.model", model);
    if let Some(usage) = outcome.usage {
        span = span
            .whole("gen_ai.usage.input_tokens", usage.prompt_tokens)
            .whole("gen_ai.usage.output_tokens", usage.completion_tokens);
    }
    match outcome.failure {
        Some(class) => span.failed(class),
        None => span,
    }
}
