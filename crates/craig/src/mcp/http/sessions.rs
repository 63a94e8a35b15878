//! Sessions, for protocols that have them: a bounded number, for a bounded time.
//!
//! A client whose session has ended gets 404, as the protocol says, and starts a new one.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use craig_gateway::Guest;
use http_body::{Frame, SizeHint};
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::Limits;

/// The header with the id of a session.
pub(in crate::mcp) const HEADER: &str = "mcp-session-id";

/// The sessions of a server.
#[derive(Clone)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    most: usize,
    /// Locked only to read or change.
    uses: Arc<Mutex<HashMap<String, Use>>>,
}

/// Use of a session.
#[derive(Clone)]
struct Use {
    /// Who began it, if clients have keys of their own.
    owner: Option<Arc<str>>,
    at: Instant,
    /// Responses being sent, including streams that the client listens to.
    n_answers: usize,
}

impl Sessions {
    pub(super) fn new(limits: Limits) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(limits.idle);
        Self { manager: Arc::new(manager), most: limits.sessions.max(1), uses: Arc::default() }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// Ends sessions until the limit is kept. The client with the most sessions loses its own: first those without a listener, the
    /// least recently used first.
    async fn end_the_idlest(&self, newest: &str) {
        let open: Vec<_> = self.manager.sessions.read().await.keys().cloned().collect();
        let n_over = open.len().saturating_sub(self.most);
        let mut by_use: Vec<_> = {
            let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
            uses.retain(|id, _| open.iter().any(|open| **open == **id));
            let mut n_of_owner: HashMap<_, usize> = HashMap::new();
            uses.values().for_each(|used| *n_of_owner.entry(used.owner.clone()).or_default() += 1);
            let order = |id: &str| {
                uses.get(id).map(|used| (Reverse(n_of_owner[&used.owner]), used.n_answers > 0, used.at))
            };
            open.into_iter().map(|id| (order(&id), id)).collect()
        };
        by_use.retain(|(_, id)| **id != *newest);
        by_use.sort();
        for (_, id) in by_use.into_iter().take(n_over) {
            // It may have ended already.
            let _ = self.manager.close_session(&id).await;
        }
    }

    /// Whether a session was begun by somebody else.
    fn is_of_another(&self, id: &str, user: Option<&Arc<str>>) -> bool {
        let uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        uses.get(id).is_some_and(|used| used.owner.as_ref() != user)
    }

    fn begin(&self, id: &str, user: Option<Arc<str>>) -> Answering {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Use { owner: user, at: Instant::now(), n_answers: 0 };
        let used = uses.entry(id.to_owned()).or_insert_with(new);
        (used.at, used.n_answers) = (Instant::now(), used.n_answers + 1);
        Answering { sessions: self.clone(), id: id.to_owned() }
    }

    async fn has(&self, id: &str) -> bool {
        self.manager.sessions.read().await.keys().any(|known| **known == *id)
    }
}

/// Records which session a request uses, and limits their number. Somebody else's session does not exist.
pub(super) async fn note(State(sessions): State<Sessions>, request: Request, next: Next) -> Response {
    let named = session_of(request.headers());
    let user = request.extensions().get::<Guest>().map(|guest| Arc::clone(&guest.user));
    if named.as_deref().is_some_and(|id| sessions.is_of_another(id, user.as_ref())) {
        return (StatusCode::NOT_FOUND, "Not Found: Session not found").into_response();
    }
    // Unknown session ids are not recorded.
    let answering = match named {
        Some(id) if sessions.has(&id).await => Some(sessions.begin(&id, user.clone())),
        _ => None,
    };
    let response = next.run(request).await;
    let answering = match (answering, session_of(response.headers())) {
        (None, Some(id)) => {
            let answering = sessions.begin(&id, user);
            sessions.end_the_idlest(&id).await;
            Some(answering)
        }
        (answering, _) => answering,
    };
    response.map(|body| Body::new(Noted { body, _answering: answering }))
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(HEADER).and_then(|id| id.to_str().ok()).map(str::to_owned)
}

/// A response being sent.
struct Answering {
    sessions: Sessions,
    id: String,
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut uses = self.sessions.uses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used) = uses.get_mut(&self.id) {
            (used.at, used.n_answers) = (Instant::now(), used.n_answers.saturating_sub(1));
        }
    }
}

/// The body of a response; its session is in use until the body is sent or dropped.
struct Noted {
    body: Body,
    _answering: Option<Answering>,
}

impl HttpBody for Noted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
