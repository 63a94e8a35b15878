//! Asks language models: the first provider that serves the model and is well answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use craig_engine::FailureClass;
use http::header;
use http::response::Parts;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde::Deserialize;

use crate::breaker::Breaker;
use crate::call::{CallFailure, Patience};
use crate::client::{Client, Target, whole};
use crate::metrics::Metrics;
use crate::sse::Usage;
use crate::upstreams::Upstream;

/// Largest answer that is not streamed, in bytes.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Wait before the second try, and the longest wait between two.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Providers of language models, the preferred one first.
pub(crate) struct Providers {
    list: Vec<Provider>,
    client: Client,
    metrics: Arc<Metrics>,
    timeout: Duration,
    tries: usize,
}

/// One provider, and how it is doing.
pub(crate) struct Provider {
    pub(crate) upstream: Upstream,
    target: Target,
    pub(crate) breaker: Arc<Breaker>,
}

/// An answer that has begun.
pub(crate) enum Answer {
    /// All of it.
    Whole(Parts, Bytes, Option<Usage>),
    /// A stream, of which the first bytes are there.
    Stream(Parts, Bytes, Incoming),
}

/// Who answered, and what.
pub(crate) struct Answered<'p> {
    pub(crate) provider: &'p Provider,
    /// The model in metrics: its name in the configuration, or `other` for one that only the client knows.
    pub(crate) model: &'p str,
    pub(crate) answer: Answer,
}

/// Why nobody answered.
pub(crate) enum NoAnswer {
    /// No provider serves the model.
    UnknownModel,
    /// The last one that was asked failed.
    Failed(CallFailure),
}

impl Providers {
    /// Fails when an address is none, and names the provider.
    pub(crate) fn new(
        upstreams: &[Upstream],
        client: Client,
        metrics: Arc<Metrics>,
        timeout: Duration,
        tries: usize,
    ) -> Result<Self, String> {
        let provider = |upstream: &Upstream| {
            let url = craig_engine::operation_url(&upstream.base_url, "chat/completions");
            let target = Target::new(&url, upstream.key.clone());
            let target = target.map_err(|reason| format!("upstream {:?}: {reason}", upstream.name))?;
            Ok(Provider { upstream: upstream.clone(), target, breaker: Arc::new(Breaker::new()) })
        };
        let list = upstreams.iter().map(provider).collect::<Result<_, String>>()?;
        Ok(Self { list, client, metrics, timeout, tries })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.list.iter()
    }

    /// Asks for `model`; `body` makes the request for a provider's own name of it.
    pub(crate) async fn ask(
        &self,
        model: Option<&str>,
        body: impl Fn(Option<&str>) -> Bytes,
    ) -> Result<Answered<'_>, NoAnswer> {
        let candidates = self.candidates(model);
        let deadline = Instant::now() + self.timeout;
        let mut failed = None;
        for (at, provider) in candidates.iter().enumerate() {
            let left = deadline.saturating_duration_since(Instant::now());
            let share = left / u32::try_from(candidates.len() - at).unwrap_or(1);
            let own_name = provider.upstream.own_name(model).flatten();
            match self.ask_one(provider, &body(own_name), share).await {
                Ok(answer) => {
                    let model = provider.upstream.configured_name(model).unwrap_or("other");
                    return Ok(Answered { provider, model, answer });
                }
                Err(failure) => {
                    let labels = [provider.upstream.name.as_str(), failure.label()];
                    self.metrics.upstream_errors.with_label_values(&labels).inc();
                    let is_final =
                        failure.class == FailureClass::InvalidRequest && failure.status != Some(404);
                    failed = Some(failure);
                    if is_final {
                        break;
                    }
                }
            }
        }
        Err(failed.map_or(NoAnswer::UnknownModel, NoAnswer::Failed))
    }

    /// Those that serve `model`: first those that name it, then those that take any.
    fn candidates(&self, model: Option<&str>) -> Vec<&Provider> {
        let mut serving: Vec<&Provider> =
            self.list.iter().filter(|provider| provider.upstream.own_name(model).is_some()).collect();
        // Stable: among equals the preferred one stays first.
        serving.sort_by_key(|provider| model.is_some() && provider.upstream.configured_name(model).is_none());
        serving
    }

    async fn ask_one(
        &self,
        provider: &Provider,
        body: &Bytes,
        within: Duration,
    ) -> Result<Answer, CallFailure> {
        let patience = Patience {
            tries: self.tries,
            deadline: Instant::now() + within,
            first_wait: FIRST_WAIT,
            longest_wait: LONGEST_WAIT,
        };
        let attempt = |time_left| async move {
            let reading = async {
                let response = self.client.post(&provider.target, body.clone()).await?;
                begun(response).await
            };
            let read = tokio::time::timeout(time_left, reading).await;
            read.unwrap_or(Err(CallFailure::new(FailureClass::Timeout)))
        };
        patience.persist(&provider.breaker, attempt).await
    }
}

/// Reads the first bytes of a stream, or the whole of anything else: a provider that dies before that is asked again.
async fn begun(response: http::Response<Incoming>) -> Result<Answer, CallFailure> {
    let (head, mut body) = response.into_parts();
    if is_event_stream(&head) {
        let first = first_bytes(&mut body).await?;
        return Ok(Answer::Stream(head, first, body));
    }
    let whole = whole(body, MAX_ANSWER_BYTES).await?;
    match serde_json::from_slice::<Completion>(&whole) {
        Ok(completion) => Ok(Answer::Whole(head, whole, completion.usage)),
        Err(_) => Err(CallFailure::new(FailureClass::BadAnswer)),
    }
}

async fn first_bytes(body: &mut Incoming) -> Result<Bytes, CallFailure> {
    loop {
        match body.frame().await {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) if !data.is_empty() => return Ok(data),
                _ => {}
            },
            Some(Err(_)) | None => return Err(CallFailure::new(FailureClass::Network)),
        }
    }
}

fn is_event_stream(head: &Parts) -> bool {
    let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"))
}

/// An answer, as far as it is counted. Whatever is no JSON object is none.
#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    usage: Option<Usage>,
}
