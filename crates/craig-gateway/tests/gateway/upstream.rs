//! A provider that does what a script tells it to: the good, and everything that providers do at night.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What it was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// What it answers.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A status, further headers, a body.
    Whole { status: u16, headers: String, body: Vec<u8> },
    /// Events with a pause after each, and an end.
    Stream { events: Vec<String>, pause: Duration, end: End },
    /// One byte of a stream after the other.
    Trickle { text: String, pause: Duration },
    /// A head that announces more than comes.
    CutBody,
    /// Nothing, for as long as the client waits.
    Hang,
    /// The connection is closed without a word.
    Close,
}

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As it should.
    Well,
    /// The connection breaks.
    Cut,
    /// It ends properly for HTTP, but too early for a conversation.
    Early,
    /// It stays open, and silent.
    Silent,
}

type Script = dyn Fn(&Asked, usize) -> Reply + Send + Sync;

/// A running provider; it ends with its runtime.
pub(crate) struct Upstream {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Connections that are open now.
    open: Arc<AtomicUsize>,
}

impl Upstream {
    /// Starts one whose answers depend on what it is asked, and how often it was asked before.
    pub(crate) async fn start(script: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen("127.0.0.1:0", script, true).await
    }

    /// Starts one at `address`; without a memory it can be asked without end.
    pub(crate) async fn listen(
        address: &str,
        script: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static,
        remembers: bool,
    ) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (asked, open) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let provider =
            Self { url: format!("http://{address}"), asked: Arc::clone(&asked), open: Arc::clone(&open) };
        let script: Arc<Script> = Arc::new(script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, asked, open) = (Arc::clone(&script), Arc::clone(&asked), Arc::clone(&open));
                tokio::spawn(async move {
                    open.fetch_add(1, Ordering::Relaxed);
                    let _ = stream.set_nodelay(true);
                    serve(stream, &*script, remembers.then_some(&*asked)).await;
                    open.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        provider
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The last body that it got, as JSON.
    pub(crate) fn last(&self) -> Value {
        self.asked().last().map(Asked::json).unwrap_or_default()
    }

    /// Connections that are open now.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

impl Asked {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Answers requests on one connection until one of the two has enough.
async fn serve(mut stream: TcpStream, script: &Script, asked: Option<&Mutex<Vec<Asked>>>) {
    let mut buffer = Vec::new();
    while let Some(request) = read_request(&mut stream, &mut buffer).await {
        let n_before = match asked {
            Some(asked) => {
                let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
                asked.push(request.clone());
                asked.len() - 1
            }
            None => 0,
        };
        if !answer(&mut stream, script(&request, n_before)).await {
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Asked> {
    let mut piece = [0; 16 << 10];
    let head_end = loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        let n = stream.read(&mut piece).await.ok().filter(|n| *n > 0)?;
        buffer.extend_from_slice(&piece[..n]);
    };
    let head = String::from_utf8_lossy(&buffer[..head_end]).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut asked = Asked { path, head, body: Vec::new() };
    let length: usize = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while buffer.len() < head_end + length {
        let n = stream.read(&mut piece).await.ok().filter(|n| *n > 0)?;
        buffer.extend_from_slice(&piece[..n]);
    }
    asked.body = buffer[head_end..head_end + length].to_vec();
    buffer.drain(..head_end + length);
    Some(asked)
}

/// Writes an answer; false when the connection is of no more use.
async fn answer(stream: &mut TcpStream, reply: Reply) -> bool {
    match reply {
        Reply::Whole { status, headers, body } => {
            let head = format!("HTTP/1.1 {status} x\r\n{headers}content-length: {}\r\n\r\n", body.len());
            stream.write_all(&[head.as_bytes(), &body].concat()).await.is_ok()
        }
        Reply::Stream { events, pause, end } => {
            if stream.write_all(STREAM_HEAD).await.is_err() {
                return false;
            }
            for event in events {
                if stream.write_all(&chunk(&event)).await.is_err() {
                    return false;
                }
                if !pause.is_zero() && !is_still_there(stream, pause).await {
                    return false;
                }
            }
            match end {
                End::Well | End::Early => stream.write_all(b"0\r\n\r\n").await.is_ok(),
                End::Cut => false,
                End::Silent => {
                    is_still_there(stream, Duration::from_secs(3_600)).await;
                    false
                }
            }
        }
        Reply::Trickle { text, pause } => {
            let mut is_open = stream.write_all(STREAM_HEAD).await.is_ok();
            for byte in text.bytes() {
                is_open = is_open && stream.write_all(&chunk(&char::from(byte).to_string())).await.is_ok();
                is_open = is_open && is_still_there(stream, pause).await;
            }
            is_open && stream.write_all(b"0\r\n\r\n").await.is_ok()
        }
        Reply::CutBody => {
            let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"choices\":[";
            let _ = stream.write_all(head).await;
            false
        }
        Reply::Hang => {
            is_still_there(stream, Duration::from_secs(3_600)).await;
            false
        }
        Reply::Close => false,
    }
}

const STREAM_HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// Waits; false as soon as the client has gone away.
async fn is_still_there(stream: &mut TcpStream, time: Duration) -> bool {
    tokio::time::timeout(time, stream.read(&mut [0; 1])).await.is_err()
}

impl Reply {
    pub(crate) fn json(body: Value) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: Value) -> Self {
        let headers = "content-type: application/json\r\n".to_owned();
        Self::Whole { status, headers, body: body.to_string().into_bytes() }
    }

    pub(crate) fn with_header(self, name: &str, value: &str) -> Self {
        match self {
            Self::Whole { status, headers, body } => {
                Self::Whole { status, headers: format!("{headers}{name}: {value}\r\n"), body }
            }
            other => other,
        }
    }

    /// The answer `text` of a language model.
    pub(crate) fn completion(text: &str) -> Self {
        Self::json(json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "mock",
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12 },
        }))
    }

    /// The same as a stream, a word at a time.
    pub(crate) fn stream(text: &str, pause: Duration, end: End) -> Self {
        let mut events: Vec<String> =
            text.split_inclusive(' ').map(|word| event(&json!({ "content": word }), None)).collect();
        if end == End::Well {
            events.push(event(&json!({}), Some("stop")));
            events.push("data: [DONE]\n\n".to_owned());
        }
        Self::Stream { events, pause, end }
    }

    /// Voyage's answer with these scores.
    pub(crate) fn voyage(scores: &[(usize, f64)]) -> Self {
        let data: Vec<Value> =
            scores.iter().map(|(index, score)| json!({ "index": index, "relevance_score": score })).collect();
        Self::json(
            json!({ "object": "list", "data": data, "model": "rerank-2-lite", "usage": { "total_tokens": 40 } }),
        )
    }
}

/// One event of a streamed answer.
pub(crate) fn event(delta: &Value, finish_reason: Option<&str>) -> String {
    let chunk = json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "mock",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
    });
    format!("data: {chunk}\n\n")
}
