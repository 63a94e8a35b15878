//! Streamable HTTP: for clients on this machine, and for others with a token.

mod cors;
mod negotiation;
mod sessions;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::serve::ListenerExt as _;
use craig_gateway::MCP_PATH;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

pub(super) use self::sessions::HEADER as SESSION_HEADER;
use self::sessions::Sessions;
use super::server::Server;

/// Environment variable with the token that clients must send.
pub(crate) const TOKEN_VARIABLE: &str = "CRAIG_MCP_TOKEN";

/// Origins of pages that are served by this machine.
const OWN_ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// Limits on the sessions of clients, for protocols with sessions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Maximum number of sessions; another client ends the session that has been idle longest.
    pub(crate) sessions: usize,
    /// Sessions that have been idle this long end.
    pub(crate) idle: Duration,
}

/// Access control.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    token: Option<Arc<str>>,
    origins: Vec<String>,
    is_local: bool,
}

impl Gate {
    /// Fails if other machines could connect without a token.
    pub(crate) fn new(address: SocketAddr, origins: &[String]) -> anyhow::Result<Self> {
        let token = std::env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty());
        let is_local = address.ip().is_loopback();
        anyhow::ensure!(
            is_local || token.is_some(),
            "{address} can be reached from other machines: set {TOKEN_VARIABLE} to a long random text, which clients \
             then send as 'Authorization: Bearer …', or serve 127.0.0.1"
        );
        let origins: anyhow::Result<Vec<String>> =
            origins.iter().map(|origin| cors::origin(origin)).collect();
        let origins = OWN_ORIGINS.map(str::to_owned).into_iter().chain(origins?).collect();
        Ok(Self { token: token.map(Arc::from), origins, is_local })
    }

    /// Whether clients need a token. Without one, any user of this machine may connect.
    pub(crate) fn knows_its_clients(&self) -> bool {
        self.token.is_some()
    }

    fn admits(&self, request: &Request) -> bool {
        let Some(token) = &self.token else { return true };
        let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        given.and_then(|value| value.strip_prefix("Bearer ")).is_some_and(|given| is_same(given, token))
    }

    fn config(&self) -> StreamableHttpServerConfig {
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(self.origins.clone())
            .enforce_origin_validation()
            .with_max_request_body_bytes(negotiation::MOST_MESSAGE_BYTES);
        // With a token, any host name is accepted.
        if self.is_local { config } else { config.disable_allowed_hosts() }
    }
}

/// Compares in constant time.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// Serves at `address` under [`MCP_PATH`], and prints the URL on stderr.
pub(super) async fn serve(
    server: Server,
    address: SocketAddr,
    gate: Gate,
    limits: Limits,
) -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind(address).await?;
    print_url(listener.local_addr()?);
    let app = routes(server, gate.config(), limits).layer(from_fn_with_state(gate, admit));
    // Answers are small, and a delayed acknowledgement would hold back the end of each for 40 ms. If this fails, they are late.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    Ok(axum::serve(listener, app).await?)
}

/// The same for a server that admits clients, hosts and origins itself.
pub(super) fn routes_behind_a_gate(server: Server, limits: Limits) -> Router {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(negotiation::MOST_MESSAGE_BYTES);
    routes(server, config, limits)
}

fn routes(server: Server, config: StreamableHttpServerConfig, limits: Limits) -> Router {
    let sessions = Sessions::new(limits);
    let service =
        StreamableHttpService::new(move || Ok(server.for_another_client()), sessions.manager(), config);
    Router::new()
        .route_service(MCP_PATH, service)
        .layer(from_fn(negotiation::negotiate))
        .layer(from_fn_with_state(sessions, sessions::note))
}

/// Admits a request, or requires a token; preflight requests have none.
async fn admit(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let asking = cors::Asking::new(&request);
    let is_preflight = request.method() == Method::OPTIONS;
    let response = match is_preflight || gate.admits(&request) {
        true => next.run(request).await,
        false => {
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], "a bearer token is required")
                .into_response()
        }
    };
    cors::complete(response, asking)
}

#[expect(
    clippy::print_stderr,
    reason = "whoever started the server needs the address; stdout is for protocols"
)]
fn print_url(address: SocketAddr) {
    eprintln!("serving http://{address}{MCP_PATH}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_compared_whole() {
        assert!(is_same("secret", "secret"));
        assert!(!is_same("secret", "secreT") && !is_same("secret", "secret1") && !is_same("", "a"));
    }
}
