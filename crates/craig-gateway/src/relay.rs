//! A provider's stream on its way to a client: passed on as it arrives and as fast as the client reads, ended properly.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::Sleep;

use crate::failure::Problem;
use crate::metrics::{Counted, Durations, Metrics};
use crate::protocol::{Protocol, Usage};
use crate::sse::{Framing, Lines};
use crate::translate::StreamTranslation;

/// The outcome of an answer, when it has ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Tokens, if the provider counted them.
    pub(crate) usage: Option<Usage>,
    /// Why it is incomplete.
    pub(crate) failure: Option<&'static str>,
    /// Tokens of the answer as far as it came, an estimate for providers that do not count them.
    pub(crate) estimated_output_tokens: usize,
}

impl Outcome {
    /// A call that brought nothing.
    pub(crate) fn failed(class: &'static str) -> Self {
        Self { failure: Some(class), ..Self::default() }
    }
}

/// Called when a stream has ended.
type OnEnd = Box<dyn FnOnce(Outcome) + Send>;

/// The body of a streamed answer. When it is dropped, as happens when the client disconnects, the provider's stream ends.
pub(crate) struct Relay {
    upstream: Incoming,
    lines: Lines,
    translation: Option<StreamTranslation>,
    /// What is passed on next.
    ready: Option<Bytes>,
    is_over: bool,
    idle: Pin<Box<Sleep>>,
    idle_after: Duration,
    ends_at: Instant,
    count: Counting,
}

/// What is counted for a stream.
pub(crate) struct Counting {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) started: Instant,
    pub(crate) llm_ms: Durations,
    pub(crate) on_end: Option<OnEnd>,
    /// The request is open for as long as its stream.
    pub(crate) _open: Counted,
}

/// How a stream has ended.
#[derive(Clone, Debug)]
enum End {
    /// The provider closed it.
    Closed,
    /// The connection broke.
    Broken,
    /// The provider sent nothing for too long.
    Silent,
    /// It went on for too long.
    TooLong,
    /// It has an error, or something that cannot be translated.
    Failed(Box<Problem>),
}

/// Bounds of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamBounds {
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
}

impl Relay {
    /// Passes on `first` and then what `upstream` sends in `protocol`, translated if it has to be.
    pub(crate) fn new(
        first: Bytes,
        upstream: Incoming,
        (protocol, framing): (&'static dyn Protocol, Framing),
        translation: Option<StreamTranslation>,
        bounds: StreamBounds,
        count: Counting,
    ) -> Self {
        let framing = if translation.is_some() { Framing::OpenAi } else { framing };
        let mut relay = Self {
            upstream,
            lines: Lines::new(protocol, framing),
            translation,
            ready: None,
            is_over: false,
            idle: Box::pin(tokio::time::sleep(bounds.idle)),
            idle_after: bounds.idle,
            ends_at: Instant::now() + bounds.total,
            count,
        };
        let first = relay.pass(first);
        relay.ready = Some(first).filter(|first| !first.is_empty());
        relay
    }

    /// The bytes for the client that follow from `chunk`.
    fn pass(&mut self, chunk: Bytes) -> Bytes {
        let lines = self.lines.pass(chunk);
        let Some(translation) = &mut self.translation else { return lines };
        match translation.push(&lines) {
            (events, None) => events,
            (events, Some(problem)) => {
                let end = self.finish(End::Failed(Box::new(problem)));
                [events, end].concat().into()
            }
        }
    }

    /// The next bytes of the provider, or how it ended.
    fn poll_upstream(&mut self, context: &mut Context<'_>) -> Poll<Result<Bytes, End>> {
        match Pin::new(&mut self.upstream).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                let now = Instant::now();
                if now >= self.ends_at {
                    return Poll::Ready(Err(End::TooLong));
                }
                self.idle.as_mut().reset((now + self.idle_after).min(self.ends_at).into());
                Poll::Ready(Ok(frame.into_data().unwrap_or_default()))
            }
            Poll::Ready(Some(Err(_))) => Poll::Ready(Err(End::Broken)),
            Poll::Ready(None) => Poll::Ready(Err(End::Closed)),
            Poll::Pending => {
                ready!(self.idle.as_mut().poll(context));
                let is_late = Instant::now() >= self.ends_at;
                Poll::Ready(Err(if is_late { End::TooLong } else { End::Silent }))
            }
        }
    }

    /// The last bytes: nothing after a complete stream, else an event with the error.
    fn finish(&mut self, mut end: End) -> Bytes {
        self.is_over = true;
        let mut rest = if matches!(end, End::Closed) { self.lines.rest() } else { Bytes::new() };
        let is_ended = self.translation.as_ref().is_some_and(StreamTranslation::is_ended);
        let mut is_complete =
            is_ended || (self.lines.end().0 && !matches!(end, End::TooLong | End::Failed(_)));
        if let Some(translation) = self.translation.as_mut().filter(|_| is_complete) {
            let (events, problem) = translation.end(&rest);
            rest = events;
            is_complete = problem.is_none();
            end = problem.map_or(end, |problem| End::Failed(Box::new(problem)));
        }
        self.record(if is_complete { None } else { Some(end.name()) });
        if is_complete {
            return rest;
        }
        self.count.metrics.streams_cut.with_label_values(&["upstream"]).inc();
        let problem = end.problem();
        match &self.translation {
            Some(translation) => [rest, translation.error_event(&problem)],
            None => [rest, self.lines.error_event(&problem)],
        }
        .concat()
        .into()
    }

    /// Whether the client has got everything that belongs to the stream, although the provider has not closed it yet.
    fn is_delivered(&self) -> bool {
        let is_ended = match &self.translation {
            Some(translation) => translation.is_ended(),
            None => self.lines.end().0,
        };
        is_ended && self.ready.is_none()
    }

    fn record(&mut self, failure: Option<&'static str>) {
        self.count.llm_ms.observe(self.count.started.elapsed());
        if let Some(on_end) = self.count.on_end.take() {
            on_end(Outcome {
                usage: self.lines.end().1,
                failure,
                estimated_output_tokens: self.lines.n_events(),
            });
        }
    }
}

impl End {
    /// Its name in traces and errors, if the stream is incomplete.
    fn name(&self) -> &'static str {
        match self {
            Self::Closed | Self::Broken | Self::Failed(_) => "stream_interrupted",
            Self::Silent => "stream_stalled",
            Self::TooLong => "stream_too_long",
        }
    }

    /// The error for the client, if the stream is incomplete.
    fn problem(self) -> Problem {
        let name = self.name();
        let message = match self {
            Self::Closed | Self::Broken => "the provider's stream ended before it was complete",
            Self::Silent => "the provider stopped sending",
            Self::TooLong => "the stream took longer than 'gateway.stream_total_ms'",
            Self::Failed(problem) => return *problem,
        };
        Problem::upstream(http::StatusCode::BAD_GATEWAY, name, message)
    }
}

impl Body for Relay {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let relay = self.get_mut();
        loop {
            if let Some(bytes) = relay.ready.take() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            if relay.is_over {
                return Poll::Ready(None);
            }
            let bytes = match ready!(relay.poll_upstream(context)) {
                Ok(chunk) => relay.pass(chunk),
                Err(end) => relay.finish(end),
            };
            relay.ready = Some(bytes).filter(|bytes| !bytes.is_empty());
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_over && self.ready.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if self.is_delivered() {
            return self.record(None);
        }
        self.count.metrics.streams_cut.with_label_values(&["client"]).inc();
        self.record(Some("client_closed"));
    }
}
