//! Streamable HTTP: for clients of this machine, and for others with a token.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::server::Server;

/// Environment variable with the token that clients have to send.
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

/// Who may ask.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    token: Option<Arc<str>>,
    origins: Vec<String>,
    is_local: bool,
}

impl Gate {
    /// Fails when others than this machine could ask without a token.
    pub(crate) fn new(address: SocketAddr, origins: Vec<String>) -> anyhow::Result<Self> {
        let token = std::env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty());
        let is_local = address.ip().is_loopback();
        anyhow::ensure!(
            is_local || token.is_some(),
            "{address} can be reached from other machines: set {TOKEN_VARIABLE} to a long random text, which clients \
             then send as 'Authorization: Bearer …', or serve 127.0.0.1"
        );
        let origins = OWN_ORIGINS.map(str::to_owned).into_iter().chain(origins).collect();
        Ok(Self { token: token.map(Arc::from), origins, is_local })
    }

    fn admits(&self, request: &Request) -> bool {
        let Some(token) = &self.token else { return true };
        let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        given.and_then(|value| value.strip_prefix("Bearer ")).is_some_and(|given| is_same(given, token))
    }

    fn config(&self) -> StreamableHttpServerConfig {
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(self.origins.clone())
            .enforce_origin_validation();
        // Elsewhere the token keeps strangers out, whatever name they call this machine by.
        if self.is_local { config } else { config.disable_allowed_hosts() }
    }
}

/// Compares without telling by its time where two texts differ.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// Serves at `address` under `/mcp`, and tells on stderr where that is.
pub(super) async fn serve(server: Server, address: SocketAddr, gate: Gate) -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind(address).await?;
    tell(listener.local_addr()?);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        gate.config(),
    );
    let app = axum::Router::new().route_service("/mcp", service).layer(from_fn_with_state(gate, admit));
    Ok(axum::serve(listener, app).await?)
}

/// Lets a request in, or asks for a token.
async fn admit(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    match gate.admits(&request) {
        true => next.run(request).await,
        false => {
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], "a bearer token is needed")
                .into_response()
        }
    }
}

#[expect(
    clippy::print_stderr,
    reason = "whoever started the server needs the address; stdout is for protocols"
)]
fn tell(address: SocketAddr) {
    eprintln!("serving http://{address}/mcp");
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
