//! Asks language models: the first healthy provider that serves the model answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use craig_engine::FailureClass;
use http::response::Parts;
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use moka::future::Cache;
use serde::Deserialize;

use crate::breakers::{Breakers, OTHER_MODEL};
use crate::call::CallFailure;
use crate::client::Client;
use crate::config::Bounds;
use crate::keys::Policy;
use crate::metrics::Metrics;
use crate::protocol::{Operation, ProtocolName, Usage};
use crate::race::{Failure, Pace, Race, Won};
use crate::sse::{Beginning, FirstEvent, without_bom};
use crate::target::Target;
use crate::translate::Translation;
use crate::upstreams::{Patience, Upstream};

/// How long the models that a provider lists are remembered, how long it may take to list them, and the longest list in bytes.
const MODELS_TIME: Duration = Duration::from_secs(60);
const MODELS_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_MODELS_BYTES: usize = 4 << 20;

/// Providers whose models are remembered.
const MAX_PROVIDERS: u64 = 1_000;

/// Largest answer that is not streamed, in bytes.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Providers of language models, the preferred one first.
pub(crate) struct Providers {
    list: Vec<Provider>,
    client: Client,
    metrics: Arc<Metrics>,
    pace: Pace,
    /// Names of models that providers list, by the name of the provider.
    known_models: Cache<String, Arc<[String]>>,
}

/// A provider and its circuit breakers.
pub(crate) struct Provider {
    pub(crate) upstream: Upstream,
    /// The operations of its protocols.
    targets: Vec<(Operation, Target)>,
    /// Where it lists its models, and the headers for it; `None` if it is not asked.
    models: Option<(Target, HeaderMap)>,
    pub(crate) breakers: Arc<Breakers>,
}

/// What is asked of the providers.
pub(crate) struct Ask<'a> {
    pub(crate) operation: Operation,
    /// `None` for each provider's own choice.
    pub(crate) model: Option<&'a str>,
    pub(crate) is_streamed: bool,
    /// Who asks, whose key may be for some providers only.
    pub(crate) policy: &'a Policy,
    /// Headers of the client that the provider gets.
    pub(crate) headers: HeaderMap,
    /// A number that all requests of a conversation have in common: of providers that share requests by weight, one gets
    /// all of them, so that its prompt cache is of use.
    pub(crate) affinity: &'a (dyn Fn() -> u64 + Sync),
}

/// A provider that may answer, and the requested operation.
#[derive(Clone, Copy)]
struct Candidate<'p> {
    provider: &'p Provider,
    operation: Operation,
    target: &'p Target,
    /// Between the client's protocol and the provider's, if they differ.
    translation: Option<Translation>,
}

/// An answer that has begun.
pub(crate) enum Answer {
    /// All of it.
    Whole(Parts, Bytes, Option<Usage>),
    /// A stream that has arrived up to its first good event.
    Stream(Parts, Bytes, Incoming),
}

/// An answer and its provider.
pub(crate) struct Answered<'p> {
    pub(crate) provider: &'p Provider,
    /// The model in metrics: its configured name, or `other` for one that only the client names.
    pub(crate) model: &'p str,
    pub(crate) operation: Operation,
    /// How a stream has to be translated; a whole answer is.
    pub(crate) translation: Option<Translation>,
    pub(crate) answer: Answer,
    /// When the provider was asked.
    pub(crate) asked: Instant,
    /// Attempts of all providers until then.
    pub(crate) tries: usize,
    /// The calls that failed before or meanwhile.
    pub(crate) failures: Vec<FailedCall<'p>>,
}

/// Why there is no answer.
pub(crate) enum NoAnswer<'p> {
    /// No provider serves the model.
    UnknownModel,
    /// Providers serve the model, but in these protocols only.
    OtherProtocol(Vec<ProtocolName>),
    /// All of them failed.
    Failed(Failed<'p>),
}

/// The failure of all providers.
pub(crate) struct Failed<'p> {
    /// All calls, in the order of time.
    pub(crate) failures: Vec<FailedCall<'p>>,
    /// The index of the one to report.
    pub(crate) reported: usize,
    /// Attempts of all providers.
    pub(crate) tries: usize,
}

/// A failed call of a provider, or one that its circuit breaker has prevented.
pub(crate) struct FailedCall<'p> {
    pub(crate) provider: &'p Provider,
    /// The model in metrics.
    pub(crate) model: &'p str,
    pub(crate) operation: Operation,
    pub(crate) asked: Instant,
    pub(crate) time: Duration,
    pub(crate) failure: CallFailure,
}

impl Providers {
    /// Fails if an address is not an address, and names the provider. Providers that were the same `before` keep their
    /// circuit breakers.
    pub(crate) fn new(
        upstreams: &[Upstream],
        client: Client,
        metrics: Arc<Metrics>,
        bounds: &Bounds,
        before: &[Provider],
    ) -> Result<Self, String> {
        let provider = |upstream: &Upstream| {
            let target = |operation: Operation| {
                let url = craig_engine::operation_url(&upstream.base_url, operation.path());
                let key = upstream.key.as_ref();
                let target = Target::new(&url, key, &upstream.headers, operation.protocol());
                Ok((operation, target.map_err(|reason| format!("upstream {:?}: {reason}", upstream.name))?))
            };
            let operations = upstream.protocols.iter().flat_map(|protocol| protocol.operations());
            let targets = operations.copied().map(target).collect::<Result<_, String>>()?;
            let same = before.iter().find(|provider| {
                provider.upstream.name == upstream.name && provider.upstream.base_url == upstream.base_url
            });
            let same = same.map(|provider| &provider.breakers);
            let kept = same.filter(|breakers| breakers.are_for(bounds.breaker, upstream.own_names()));
            let new = || Arc::new(Breakers::new(bounds.breaker, upstream.own_names()));
            let breakers = kept.map_or_else(new, Arc::clone);
            let models = upstream.lists_models.then(|| models_target(upstream)).transpose()?;
            Ok(Provider { upstream: upstream.clone(), targets, models, breakers })
        };
        let list = upstreams.iter().map(provider).collect::<Result<_, String>>()?;
        let pace = Pace {
            timeout: bounds.upstream_timeout,
            first_byte: bounds.first_byte_timeout,
            tries: bounds.tries,
            is_streamed: false,
        };
        let known_models = Cache::builder().max_capacity(MAX_PROVIDERS).time_to_live(MODELS_TIME).build();
        Ok(Self { list, client, metrics, pace, known_models })
    }

    /// All of them, in the order of preference.
    pub(crate) fn list(&self) -> &[Provider] {
        &self.list
    }

    /// The names that clients can use for the models of the provider at an index of [`Self::list`]: those of the configuration, and
    /// those that it lists if it serves any. A provider that does not answer lists none.
    pub(crate) async fn models_of(&self, index: usize) -> Vec<String> {
        let provider = &self.list[index];
        let configured = provider.upstream.listed().map(str::to_owned);
        let Some((target, headers)) = &provider.models else { return configured.collect() };
        let ask = async {
            let answer = self.client.get(target, headers, MODELS_TIMEOUT, MAX_MODELS_BYTES).await;
            answer.ok().and_then(|json| serde_json::from_slice(&json).ok()).map_or_else(Vec::new, ids).into()
        };
        let listed: Arc<[String]> = self.known_models.get_with(provider.upstream.name.clone(), ask).await;
        configured.chain(listed.iter().cloned()).collect()
    }

    /// Asks for an answer; `body` makes the request for a provider's protocol and its own name of the model, again for each
    /// try, or fails. Nothing is sent to the client before the first good event, so that another provider may still answer
    /// instead.
    pub(crate) async fn ask(
        &self,
        ask: &Ask<'_>,
        body: impl Fn(Option<Translation>, Option<&str>) -> Result<Bytes, CallFailure> + Sync,
    ) -> Result<Answered<'_>, NoAnswer<'_>> {
        let pace = Pace { is_streamed: ask.is_streamed, ..self.pace };
        let candidates = self.translating_candidates(ask);
        if candidates.is_empty() {
            let others = self.list.iter().filter(|provider| provider.upstream.own_name(ask.model).is_some());
            let mut protocols: Vec<ProtocolName> = Vec::new();
            for protocol in others.flat_map(|provider| &provider.upstream.protocols) {
                if !protocols.contains(protocol) {
                    protocols.push(*protocol);
                }
            }
            return Err(if protocols.is_empty() {
                NoAnswer::UnknownModel
            } else {
                NoAnswer::OtherProtocol(protocols)
            });
        }
        let body = |candidate: Candidate<'_>, model: Option<&str>| body(candidate.translation, model);
        let headers = |candidate: Candidate<'_>| match candidate.translation {
            None => ask.headers.clone(),
            Some(translation) => translation.provider.default_headers(),
        };
        let pace = |patience| pace.with(patience);
        self.race(&candidates, ask.model, pace, headers, body, |failure| failure).await
    }

    /// Asks for something that the client's own request, which comes next, can do without: each provider is asked once,
    /// and its failures are not held against it, since they must not keep that request from it. A provider is asked in
    /// the first protocol that it supports, for which `body` creates the request.
    pub(crate) async fn ask_beforehand(
        &self,
        model: Option<&str>,
        policy: &Policy,
        body: impl Fn(Operation, Option<&str>) -> Result<Bytes, CallFailure> + Sync,
    ) -> Result<Answered<'_>, NoAnswer<'_>> {
        let pace = |patience| Pace { tries: 1, ..self.pace.with(patience) };
        let ours = |failure| CallFailure { is_ours: true, ..failure };
        let candidates = self.candidates(model, policy, &|| fastrand::u64(..), |provider| {
            provider.first_conversation_target()
        });
        let headers = |candidate: Candidate<'_>| candidate.operation.protocol_name().default_headers();
        let body = |candidate: Candidate<'_>, model: Option<&str>| body(candidate.operation, model);
        self.race(&candidates, model, pace, headers, body, ours).await
    }

    /// Asks the candidates until one answers; `failed` handles each failure.
    async fn race<'p>(
        &'p self,
        candidates: &[Candidate<'p>],
        model: Option<&str>,
        pace: impl Fn(Patience) -> Pace,
        headers: impl Fn(Candidate<'p>) -> HeaderMap,
        body: impl Fn(Candidate<'p>, Option<&str>) -> Result<Bytes, CallFailure> + Sync,
        failed: fn(CallFailure) -> CallFailure,
    ) -> Result<Answered<'p>, NoAnswer<'p>> {
        let own_name = |index: usize| candidates[index].provider.upstream.own_name(model).flatten();
        let attempt = |index: usize| {
            let candidate = candidates[index];
            let body = body(candidate, own_name(index));
            let headers = headers(candidate);
            async move {
                let answer = async { self.attempt(candidate, &headers, body?).await };
                let answer = match candidate.provider.upstream.patience.timeout {
                    Some(timeout) => tokio::time::timeout(timeout, answer)
                        .await
                        .unwrap_or_else(|_| Err(CallFailure::new(FailureClass::Timeout))),
                    None => answer.await,
                };
                answer.map_err(failed)
            }
        };
        let breaker = |index: usize| candidates[index].provider.breakers.for_model(own_name(index));
        let paces = candidates.iter().map(|candidate| pace(candidate.provider.upstream.patience));
        let finish = Race::new(paces).run(breaker, attempt).await;
        let label = |provider: &'p Provider| provider.upstream.configured_name(model).unwrap_or(OTHER_MODEL);
        let failed_call = |failed: Failure| {
            let Failure { index, started, time, failure } = failed;
            let Candidate { provider, operation, .. } = candidates[index];
            FailedCall { provider, model: label(provider), operation, asked: started, time, failure }
        };
        let failures: Vec<FailedCall<'p>> = finish.failures.into_iter().map(failed_call).collect();
        for call in failures.iter().filter(|call| call.failure.was_sent()) {
            let labels = [call.provider.upstream.name.as_str(), call.failure.label()];
            self.metrics.upstream_errors.with_label_values(&labels).inc();
        }
        let tries = finish.tries;
        match finish.result {
            Ok(Won { index, started, answer }) => {
                let Candidate { provider, operation, translation, .. } = candidates[index];
                let model = label(provider);
                let asked = started;
                Ok(Answered { provider, model, operation, translation, answer, asked, tries, failures })
            }
            Err(Some(reported)) => Err(NoAnswer::Failed(Failed { failures, reported, tries })),
            Err(None) => Err(NoAnswer::UnknownModel),
        }
    }

    /// The providers that may answer: of those that name the model, and then of the others, first those that support the
    /// client's protocol, then those for which a conversation is translated into the first protocol that they support.
    fn translating_candidates(&self, ask: &Ask<'_>) -> Vec<Candidate<'_>> {
        let mut candidates = self.candidates(ask.model, ask.policy, ask.affinity, |provider| {
            provider.target(ask.operation).or_else(|| provider.conversation_target(ask.operation))
        });
        let client = ask.operation.protocol_name();
        for candidate in &mut candidates {
            let provider = candidate.operation.protocol_name();
            candidate.translation = (provider != client).then_some(Translation { client, provider });
        }
        candidates
            .sort_by_key(|candidate| (candidate.is_unlisted(ask.model), candidate.translation.is_some()));
        candidates
    }

    /// The providers of `model`: first those that name it, then those that accept any. `target` is the requested
    /// operation. Those that share requests by weight are in the order that `affinity` draws.
    fn candidates<'p>(
        &'p self,
        model: Option<&str>,
        policy: &Policy,
        affinity: &dyn Fn() -> u64,
        target: impl Fn(&Provider) -> Option<&(Operation, Target)>,
    ) -> Vec<Candidate<'p>> {
        let serves = |provider: &&Provider| {
            policy.allows_provider(&provider.upstream.name) && provider.upstream.own_name(model).is_some()
        };
        let serving = self.list.iter().filter(serves);
        let candidate = |provider: &'p Provider| {
            let (operation, target) = target(provider)?;
            Some(Candidate { provider, operation: *operation, target, translation: None })
        };
        let mut serving: Vec<Candidate<'p>> = serving.filter_map(candidate).collect();
        draw(&mut serving, affinity);
        // Stable: among equals the preferred one stays first.
        serving.sort_by_key(|candidate| candidate.is_unlisted(model));
        serving
    }

    /// Whether a provider is configured to serve `model` for `operation`.
    pub(crate) fn lists(&self, operation: Operation, model: &str) -> bool {
        let serves =
            |provider: &Provider| provider.target(operation).is_some() && provider.upstream.lists(model);
        self.list.iter().any(serves)
    }

    /// Asks once: reads a stream up to its first good event, or the whole of anything else.
    async fn attempt(
        &self,
        candidate: Candidate<'_>,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Answer, CallFailure> {
        let Candidate { operation, target, translation, .. } = candidate;
        let (head, mut body) = self.client.post(target, headers, body).await?.into_parts();
        if is_event_stream(&head) {
            let first = self.first_event(candidate, &mut body).await?;
            return Ok(Answer::Stream(head, first, body));
        }
        let whole = without_bom(self.client.whole(body, MAX_ANSWER_BYTES).await?);
        let answer = operation.protocol().answer(operation, &whole);
        let answer = answer.ok_or_else(|| CallFailure::new(FailureClass::BadAnswer))?;
        if let Some(error) = answer.error {
            return Err(CallFailure::reported(target, &error, &whole));
        }
        let whole = answer.fixed.map_or(whole, Bytes::from);
        let whole = match translation {
            Some(translation) => translation.answer(&whole, answer.usage)?.into(),
            None => whole,
        };
        Ok(Answer::Whole(head, whole, answer.usage))
    }

    /// Everything of a stream up to its first event, which is a good one.
    async fn first_event(&self, candidate: Candidate<'_>, body: &mut Incoming) -> Result<Bytes, CallFailure> {
        let Candidate { operation, target, .. } = candidate;
        let mut beginning = Beginning::new(operation.protocol());
        let mut reservation = self.client.reservation();
        loop {
            let data = match body.frame().await {
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
                Some(Err(_)) | None => return Err(CallFailure::new(FailureClass::Network)),
            };
            if !reservation.grow_to(beginning.n_bytes() + data.len()) {
                return Err(CallFailure::overloaded());
            }
            match beginning.push(&data) {
                None => {}
                Some(FirstEvent::Good) => return Ok(Arc::new(reservation).with(beginning.into_bytes())),
                Some(FirstEvent::Error(error, data)) => {
                    return Err(CallFailure::reported(target, &error, &data));
                }
                Some(FirstEvent::Garbage) => return Err(CallFailure::new(FailureClass::BadAnswer)),
            }
        }
    }
}

/// Where a provider lists its models, in its first protocol.
fn models_target(upstream: &Upstream) -> Result<(Target, HeaderMap), String> {
    let protocol = upstream.protocols.first().copied().unwrap_or(ProtocolName::Chat);
    let url = craig_engine::operation_url(&upstream.base_url, "models");
    let target = Target::new(&url, upstream.key.as_ref(), &upstream.headers, protocol.protocol());
    let target = target.map_err(|reason| format!("upstream {:?}: {reason}", upstream.name))?;
    Ok((target, protocol.default_headers()))
}

/// A list of models, as OpenAI's and Anthropic's servers have it.
#[derive(Deserialize)]
struct ModelList {
    data: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
}

fn ids(list: ModelList) -> Vec<String> {
    list.data.into_iter().map(|model| model.id).collect()
}

impl Provider {
    /// Where it answers conversations in the first protocol that it supports.
    fn first_conversation_target(&self) -> Option<&(Operation, Target)> {
        self.target(self.upstream.protocols.first()?.conversation())
    }

    /// The same, if `operation` answers a conversation and can therefore be translated.
    fn conversation_target(&self, operation: Operation) -> Option<&(Operation, Target)> {
        let is_conversation = operation == operation.protocol_name().conversation();
        is_conversation.then(|| self.first_conversation_target()).flatten()
    }

    /// The address for `operation`; `None` if it does not support the protocol.
    fn target(&self, operation: Operation) -> Option<&(Operation, Target)> {
        self.targets.iter().find(|(served, _)| *served == operation)
    }
}

impl Candidate<'_> {
    /// Whether its provider does not name `model`, but accepts any.
    fn is_unlisted(&self, model: Option<&str>) -> bool {
        model.is_some() && self.provider.upstream.configured_name(model).is_none()
    }
}

/// Orders the candidates that have a weight among themselves, at their places, by weighted rendezvous hashing: each is first
/// in proportion to its weight, and the same one for the same `affinity`, also when others come or go.
///
/// Source: Schindelhauer & Schomaker, Weighted Distributed Hash Tables, SPAA 2005 (logarithmic method).
fn draw(candidates: &mut [Candidate<'_>], affinity: &dyn Fn() -> u64) {
    let is_weighted = |at: &usize| candidates[*at].provider.upstream.weight.is_some();
    let places: Vec<usize> = (0..candidates.len()).filter(is_weighted).collect();
    if places.len() < 2 {
        return;
    }
    let affinity = affinity();
    let score = |candidate: &Candidate<'_>| {
        let upstream = &candidate.provider.upstream;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&affinity.to_le_bytes()).update(upstream.name.as_bytes());
        let mut bytes = [0; 8];
        hasher.finalize_xof().fill(&mut bytes);
        // Uniform within (0, 1).
        let u = ((u64::from_le_bytes(bytes) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
        upstream.weight.unwrap_or_default() / -u.ln()
    };
    let mut drawn: Vec<(f64, Candidate<'_>)> =
        places.iter().map(|at| (score(&candidates[*at]), candidates[*at])).collect();
    drawn.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    for (at, (_, candidate)) in places.into_iter().zip(drawn) {
        candidates[at] = candidate;
    }
}

fn is_event_stream(head: &Parts) -> bool {
    let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"))
}
