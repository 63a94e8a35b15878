//! Asks language models: the first healthy provider that serves the model answers.

use std::sync::Arc;

use bytes::Bytes;
use craig_engine::FailureClass;
use http::header;
use http::response::Parts;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use crate::breakers::{Breakers, OTHER_MODEL};
use crate::call::CallFailure;
use crate::client::Client;
use crate::config::Bounds;
use crate::metrics::Metrics;
use crate::race::{Pace, Race};
use crate::sse::{Beginning, Event, FirstEvent, Usage, error_in, without_bom};
use crate::target::Target;
use crate::upstreams::Upstream;

/// Largest answer that is not streamed, in bytes.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Providers of language models, the preferred one first.
pub(crate) struct Providers {
    list: Vec<Provider>,
    client: Client,
    metrics: Arc<Metrics>,
    pace: Pace,
}

/// A provider and its circuit breakers.
pub(crate) struct Provider {
    pub(crate) upstream: Upstream,
    target: Target,
    pub(crate) breakers: Breakers,
}

/// An answer that has begun.
pub(crate) enum Answer {
    /// All of it.
    Whole(Parts, Bytes, Option<Usage>),
    /// A stream, of which everything up to the first good event is there.
    Stream(Parts, Bytes, Incoming),
}

/// An answer and its provider.
pub(crate) struct Answered<'p> {
    pub(crate) provider: &'p Provider,
    /// The model in metrics: its configured name, or `other` for one that only the client names.
    pub(crate) model: &'p str,
    pub(crate) answer: Answer,
}

/// Why there is no answer.
pub(crate) enum NoAnswer {
    /// No provider serves the model.
    UnknownModel,
    /// The last one that was asked failed.
    Failed(CallFailure),
}

impl Providers {
    /// Fails if an address is not an address, and names the provider.
    pub(crate) fn new(
        upstreams: &[Upstream],
        client: Client,
        metrics: Arc<Metrics>,
        bounds: &Bounds,
    ) -> Result<Self, String> {
        let provider = |upstream: &Upstream| {
            let url = craig_engine::operation_url(&upstream.base_url, "chat/completions");
            let target = Target::new(&url, upstream.key.clone());
            let target = target.map_err(|reason| format!("upstream {:?}: {reason}", upstream.name))?;
            let breakers = Breakers::new(bounds.breaker, upstream.own_names());
            Ok(Provider { upstream: upstream.clone(), target, breakers })
        };
        let list = upstreams.iter().map(provider).collect::<Result<_, String>>()?;
        let pace = Pace {
            timeout: bounds.upstream_timeout,
            first_byte: bounds.first_byte_timeout,
            tries: bounds.tries,
            is_streamed: false,
        };
        Ok(Self { list, client, metrics, pace })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.list.iter()
    }

    /// Asks for `model`; `body` makes the request for a provider's own name of it, again for each try, or gives `None` if there
    /// is no memory for it. Nothing is sent to the client before the first good event, so that another provider may still
    /// answer instead.
    pub(crate) async fn ask(
        &self,
        model: Option<&str>,
        is_streamed: bool,
        body: impl Fn(Option<&str>) -> Option<Bytes> + Sync,
    ) -> Result<Answered<'_>, NoAnswer> {
        let pace = Pace { is_streamed, ..self.pace };
        self.race(model, pace, body, |failure| failure).await
    }

    /// Asks for something that the client's own request, which comes next, can do without: each provider is asked once, and
    /// its failures are not held against it, since they must not keep that request from it.
    pub(crate) async fn ask_beforehand(
        &self,
        model: Option<&str>,
        body: impl Fn(Option<&str>) -> Option<Bytes> + Sync,
    ) -> Result<Answered<'_>, NoAnswer> {
        let pace = Pace { tries: 1, ..self.pace };
        self.race(model, pace, body, |failure| CallFailure { is_ours: true, ..failure }).await
    }

    /// Asks the providers of `model` until one answers; `failed` handles each failure.
    async fn race(
        &self,
        model: Option<&str>,
        pace: Pace,
        body: impl Fn(Option<&str>) -> Option<Bytes> + Sync,
        failed: fn(CallFailure) -> CallFailure,
    ) -> Result<Answered<'_>, NoAnswer> {
        let candidates = &self.candidates(model);
        let own_name = |of: usize| candidates[of].upstream.own_name(model).flatten();
        let attempt = |of: usize| {
            let body = body(own_name(of));
            async move {
                let answer =
                    async { self.attempt(candidates[of], body.ok_or_else(CallFailure::no_room)?).await };
                answer.await.map_err(failed)
            }
        };
        let breaker = |of: usize| candidates[of].breakers.for_model(own_name(of));
        let race = Race::new(pace, candidates.len());
        let mut finish = race.run(breaker, attempt).await;
        for (of, failure) in &finish.failures {
            let labels = [candidates[*of].upstream.name.as_str(), failure.label()];
            self.metrics.upstream_errors.with_label_values(&labels).inc();
        }
        match finish.won.take() {
            Some((of, answer)) => {
                let provider = candidates[of];
                let model = provider.upstream.configured_name(model).unwrap_or(OTHER_MODEL);
                Ok(Answered { provider, model, answer })
            }
            None => Err(finish.reason().map_or(NoAnswer::UnknownModel, NoAnswer::Failed)),
        }
    }

    /// Those that serve `model`: first those that name it, then those that take any.
    fn candidates(&self, model: Option<&str>) -> Vec<&Provider> {
        let mut serving: Vec<&Provider> =
            self.list.iter().filter(|provider| provider.upstream.own_name(model).is_some()).collect();
        // Stable: among equals the preferred one stays first.
        serving.sort_by_key(|provider| model.is_some() && provider.upstream.configured_name(model).is_none());
        serving
    }

    /// Asks once: reads a stream up to its first good event, or the whole of anything else.
    async fn attempt(&self, provider: &Provider, body: Bytes) -> Result<Answer, CallFailure> {
        let target = &provider.target;
        let (head, mut body) = self.client.post(target, body).await?.into_parts();
        if is_event_stream(&head) {
            let first = self.first_event(target, &mut body).await?;
            return Ok(Answer::Stream(head, first, body));
        }
        let whole = without_bom(self.client.whole(body, MAX_ANSWER_BYTES).await?);
        let bad_answer = || CallFailure::new(FailureClass::BadAnswer);
        let (completion, fixed) = Event::read(&whole).ok_or_else(bad_answer)?;
        if completion.error.is_some() {
            return Err(CallFailure::reported(target, &error_in(&whole), &whole));
        }
        if completion.choices.is_none_or(|choices| choices.is_empty()) {
            return Err(bad_answer());
        }
        let whole = fixed.map_or(whole, Bytes::from);
        Ok(Answer::Whole(head, whole, completion.usage))
    }

    /// Everything of a stream up to its first event, which is a good one.
    async fn first_event(&self, target: &Target, body: &mut Incoming) -> Result<Bytes, CallFailure> {
        let mut beginning = Beginning::default();
        let mut reservation = self.client.reservation();
        loop {
            let data = match body.frame().await {
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
                Some(Err(_)) | None => return Err(CallFailure::new(FailureClass::Network)),
            };
            if !reservation.grow_to(beginning.n_bytes() + data.len()) {
                return Err(CallFailure::no_room());
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

fn is_event_stream(head: &Parts) -> bool {
    let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"))
}
