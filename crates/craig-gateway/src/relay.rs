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
use crate::metrics::{Counted, Metrics, ms};
use crate::protocol::{Protocol, Usage};
use crate::sse::{Framing, Lines};

/// The outcome of an answer, when it has ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Tokens, if the provider counted them.
    pub(crate) usage: Option<Usage>,
    /// Why it is incomplete.
    pub(crate) failure: Option<&'static str>,
    /// Tokens of the answer as far as it came, an estimate for providers that do not count them.
    pub(crate) n_seen_tokens: usize,
}

/// Called when a stream has ended.
type OnEnd = Box<dyn FnOnce(Outcome) + Send>;

/// The body of a streamed answer. When it is dropped, as happens when the client disconnects, the provider's stream ends.
pub(crate) struct Relay {
    upstream: Incoming,
    lines: Lines,
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
    pub(crate) llm_ms: prometheus::Histogram,
    pub(crate) on_end: Option<OnEnd>,
    /// The request is open for as long as its stream.
    pub(crate) _open: Counted,
}

/// How a stream has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The provider closed it.
    Closed,
    /// The connection broke.
    Broken,
    /// The provider sent nothing for too long.
    Silent,
    /// It went on for too long.
    TooLong,
}

/// Bounds of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamBounds {
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
}

impl Relay {
    /// Passes on `first` and then what `upstream` sends.
    pub(crate) fn new(
        first: Bytes,
        upstream: Incoming,
        (protocol, framing): (&'static dyn Protocol, Framing),
        bounds: StreamBounds,
        count: Counting,
    ) -> Self {
        let mut lines = Lines::new(protocol, framing);
        let first = lines.pass(first);
        Self {
            upstream,
            lines,
            ready: Some(first).filter(|first| !first.is_empty()),
            is_over: false,
            idle: Box::pin(tokio::time::sleep(bounds.idle)),
            idle_after: bounds.idle,
            ends_at: Instant::now() + bounds.total,
            count,
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
    fn finish(&mut self, end: End) -> Bytes {
        self.is_over = true;
        let rest = if end == End::Closed { self.lines.rest() } else { Bytes::new() };
        let is_complete = self.lines.end().0 && end != End::TooLong;
        self.record(if is_complete { None } else { Some(end.name()) });
        if is_complete {
            return rest;
        }
        self.count.metrics.streams_cut.with_label_values(&["upstream"]).inc();
        let event = self.lines.error_event(&problem(end));
        [rest, event].concat().into()
    }

    fn record(&mut self, failure: Option<&'static str>) {
        self.count.llm_ms.observe(ms(self.count.started.elapsed()));
        if let Some(on_end) = self.count.on_end.take() {
            on_end(Outcome { usage: self.lines.end().1, failure, n_seen_tokens: self.lines.n_events() });
        }
    }
}

impl End {
    /// Its name in traces and errors, if the stream is incomplete.
    fn name(self) -> &'static str {
        match self {
            Self::Closed | Self::Broken => "stream_interrupted",
            Self::Silent => "stream_stalled",
            Self::TooLong => "stream_too_long",
        }
    }
}

fn problem(end: End) -> Problem {
    let message = match end {
        End::Closed | End::Broken => "the provider's stream ended before it was complete",
        End::Silent => "the provider stopped sending",
        End::TooLong => "the stream took longer than 'gateway.stream_total_ms'",
    };
    Problem::upstream(http::StatusCode::BAD_GATEWAY, end.name(), message)
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
                Ok(chunk) => relay.lines.pass(chunk),
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
        if !self.is_over {
            self.count.metrics.streams_cut.with_label_values(&["client"]).inc();
            self.record(Some("client_closed"));
        }
    }
}
