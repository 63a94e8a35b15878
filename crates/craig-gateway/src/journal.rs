//! Structured logs: one JSON object a line, made from typed events.
//!
//! No event has a field for text of a request, so no query, code or key can get into a log by accident. The free texts are
//! the reasons why a configuration is refused, the index cannot be read, a provider cannot be reached or an identity provider
//! fails, and the name of a person who signed in.
//! A thread of its own writes the lines: a slow log drops lines rather than slow requests down.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use serde::Serialize;

/// Maximum number of lines that wait to be written; more are dropped and counted.
const MAX_WAITING_LINES: usize = 10_000;

/// An event of the log.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Started {
        address: String,
        admin: Option<String>,
        tls: bool,
        keys: usize,
        shared: bool,
    },
    Draining {
        open_requests: usize,
    },
    Stopping {
        open_requests: usize,
    },
    Stopped {
        unfinished: usize,
        dropped_lines: u64,
    },
    RequestCompleted(RequestCompleted),
    AnswerCompleted(AnswerCompleted),
    SearchCompleted(SearchCompleted),
    ProjectsRead(ProjectsRead),
    BreakerOpened {
        provider: String,
        model: String,
    },
    KeysReloaded {
        keys: usize,
    },
    /// `restart_needed` are settings that have changed and wait for a restart.
    ConfigReloaded {
        restart_needed: Vec<&'static str>,
    },
    /// The one before is still served.
    ConfigRefused {
        reason: String,
    },
    /// Models with a price that no provider serves.
    PricesUnused {
        models: Vec<String>,
    },
    KeysUnreadable,
    SoftBudgetReached {
        user: String,
    },
    UsageUnwritable,
    RedisLost,
    RedisBack,
    /// Why the index cannot be read; clients do not learn it.
    IndexUnreadable {
        reason: String,
    },
    WebhookAccepted {
        forge: &'static str,
        /// The number of jobs that are due now.
        jobs: usize,
    },
    /// `reason` is the code of the answer.
    WebhookRefused {
        forge: &'static str,
        reason: String,
    },
    /// Whose hash `user` is. Logged once a day.
    PersonAdmitted {
        user: String,
        subject: String,
        name: Option<String>,
    },
    /// What was known of the identity provider is still used.
    IdentityProviderFailed {
        reason: String,
    },
}

/// A request has ended.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RequestCompleted {
    pub(crate) request_id: String,
    pub(crate) route: &'static str,
    pub(crate) status: u16,
    #[serde(serialize_with = "rounded")]
    pub(crate) latency_ms: f64,
    pub(crate) user: Option<String>,
}

/// A model's answer has ended, or all providers have failed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AnswerCompleted {
    pub(crate) request_id: String,
    pub(crate) user: String,
    /// The provider that answered, or the last one that failed.
    pub(crate) provider: String,
    /// The model in metrics.
    pub(crate) model: String,
    /// `chat`, `text_completion`, `embeddings`; `guess` for the gateway's own request.
    pub(crate) operation: &'static str,
    /// Attempts of all providers.
    pub(crate) tries: usize,
    /// `ok`, or the class of the failure.
    pub(crate) outcome: &'static str,
    /// Why the provider cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<String>,
    pub(crate) input_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    /// Whether the gateway has counted the tokens itself.
    pub(crate) is_estimated: bool,
    pub(crate) usd: f64,
    #[serde(serialize_with = "rounded")]
    pub(crate) first_byte_ms: f64,
    #[serde(serialize_with = "rounded")]
    pub(crate) total_ms: f64,
}

/// A search or a rerank has ended.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SearchCompleted {
    pub(crate) num_candidates: usize,
    pub(crate) num_results: usize,
    #[serde(serialize_with = "rounded")]
    pub(crate) search_latency_ms: f64,
    #[serde(serialize_with = "rounded")]
    pub(crate) rerank_latency_ms: f64,
    pub(crate) rerank: &'static str,
    pub(crate) rerank_error: Option<&'static str>,
    pub(crate) cache_hit: bool,
    pub(crate) user: Option<String>,
}

/// A request has read projects.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ProjectsRead {
    pub(crate) request_id: String,
    pub(crate) user: String,
    pub(crate) num_projects: usize,
    /// Their names, the first of very many.
    pub(crate) projects: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in references")]
fn rounded<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((value * 1e3).round() / 1e3)
}

impl Event {
    fn level(&self) -> &'static str {
        match self {
            Self::BreakerOpened { .. }
            | Self::RedisLost
            | Self::KeysUnreadable
            | Self::PricesUnused { .. }
            | Self::IndexUnreadable { .. }
            | Self::WebhookRefused { .. }
            | Self::ConfigRefused { .. }
            | Self::SoftBudgetReached { .. }
            | Self::UsageUnwritable => "warn",
            _ => "info",
        }
    }
}

#[derive(Serialize)]
struct Line<'e> {
    timestamp: String,
    level: &'static str,
    #[serde(flatten)]
    event: &'e Event,
}

/// Lines are collected for this time, so that a busy gateway does not wake the writer for each.
const COLLECTED_FOR: Duration = Duration::from_millis(10);

/// How long a stopping gateway waits for its last lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

enum Message {
    Event(Event),
    /// Write everything before, then confirm it.
    Flush(SyncSender<()>),
}

/// The log.
#[derive(Clone)]
pub(crate) struct Journal {
    lines: SyncSender<Message>,
    dropped: Arc<AtomicU64>,
}

impl Journal {
    /// Writes to `sink` from a thread of its own, which ends with the last clone.
    pub(crate) fn new(sink: impl Write + Send + 'static) -> std::io::Result<Self> {
        let (sender, receiver) = sync_channel(MAX_WAITING_LINES);
        std::thread::Builder::new().name("journal".into()).spawn(move || write_lines(&receiver, sink))?;
        Ok(Self { lines: sender, dropped: Arc::default() })
    }

    pub(crate) fn log(&self, event: Event) {
        if self.lines.try_send(Message::Event(event)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all events so far are written, for a second at most.
    pub(crate) fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.lines.try_send(Message::Flush(done)).is_ok() {
            let _ = written.recv_timeout(FLUSH_TIMEOUT);
        }
    }

    /// Lines that were dropped because too many waited.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// Writes lines as they arrive, and flushes when none waits.
fn write_lines(messages: &Receiver<Message>, sink: impl Write) {
    let mut sink = std::io::BufWriter::new(sink);
    while let Ok(first) = messages.recv() {
        if matches!(first, Message::Event(_)) {
            std::thread::sleep(COLLECTED_FOR);
        }
        let mut waiting = Vec::new();
        for message in std::iter::once(first).chain(messages.try_iter()) {
            match message {
                Message::Event(event) => write_line(&mut sink, &event),
                Message::Flush(done) => waiting.push(done),
            }
        }
        // A failure of the log cannot be logged.
        let _ = sink.flush();
        for done in waiting {
            let _ = done.send(());
        }
    }
}

fn write_line(sink: &mut impl Write, event: &Event) {
    let timestamp = format!("{:.3}", jiff::Timestamp::now());
    let line = Line { timestamp, level: event.level(), event };
    if let Ok(mut text) = serde_json::to_vec(&line) {
        text.push(b'\n');
        let _ = sink.write_all(&text);
    }
}
