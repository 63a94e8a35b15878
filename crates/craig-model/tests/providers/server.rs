//! A small HTTP server that answers as a test tells it to, and remembers what it was asked.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use craig_model::{Endpoint, Secret};
use serde_json::Value;
use tiny_http::{Header, Request, Response, Server};

/// What a server was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
    pub(crate) at: Instant,
}

/// What it is to answer.
pub(crate) struct Answer {
    status: u16,
    body: String,
    headers: Vec<(&'static str, String)>,
    delay: Duration,
}

impl Answer {
    pub(crate) fn json(body: Value) -> Self {
        Self::text(200, &body.to_string())
    }

    pub(crate) fn text(status: u16, body: &str) -> Self {
        Self { status, body: body.to_owned(), headers: Vec::new(), delay: Duration::ZERO }
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// A running server; it ends with the test.
pub(crate) struct Provider {
    server: Arc<Server>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Provider {
    /// Starts a server whose answers depend on what it is asked and how often it was asked before.
    pub(crate) fn new(answer: impl Fn(&Value, usize) -> Answer + Send + Sync + 'static) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(answer);
        let (serving, log) = (Arc::clone(&server), Arc::clone(&asked));
        std::thread::spawn(move || {
            for request in serving.incoming_requests() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || respond(request, &log, &*answer));
            }
        });
        Self { server, asked }
    }

    /// One that gives `bodies` one after the other, and the last again and again.
    pub(crate) fn with_answers(answers: Vec<fn() -> Answer>) -> Self {
        Self::new(move |_, n_before| answers[n_before.min(answers.len() - 1)]())
    }

    pub(crate) fn endpoint(&self, path: &str) -> Endpoint {
        Endpoint {
            provider: "Test".into(),
            url: format!("http://{}{path}", self.server.server_addr()),
            key: Some(Secret::new("sk-planted")),
            key_variable: Some("TEST_API_KEY".into()),
            timeout: Duration::from_secs(5),
            masked: |text| text.into(),
        }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

fn respond(mut request: Request, log: &Mutex<Vec<Asked>>, answer: &dyn Fn(&Value, usize) -> Answer) {
    let mut text = String::new();
    request.as_reader().read_to_string(&mut text).unwrap();
    let header = |name: &'static str| {
        request
            .headers()
            .iter()
            .find(|header| header.field.equiv(name))
            .map(|header| header.value.to_string())
    };
    let asked = Asked {
        path: request.url().to_owned(),
        authorization: header("authorization"),
        body: serde_json::from_str(&text).unwrap_or(Value::Null),
        at: Instant::now(),
    };
    let n_before = {
        let mut log = log.lock().unwrap();
        log.push(asked.clone());
        log.len() - 1
    };
    let answer = answer(&asked.body, n_before);
    std::thread::sleep(answer.delay);
    let mut response = Response::from_string(answer.body).with_status_code(answer.status);
    for (name, value) in answer.headers {
        response.add_header(Header::from_bytes(name, value).unwrap());
    }
    // A client that has given up is what some tests are about.
    let _ = request.respond(response);
}
