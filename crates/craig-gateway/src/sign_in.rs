//! Signing in: where MCP clients learn the identity provider, and how the page gets a token.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::from_fn;
use axum::response::Response;
use axum::routing::get;
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};

use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::identity::Identity;
use crate::intake::{MCP_PATH, json_body};
use crate::static_files::guarded;

/// The description of the MCP server as a protected resource (RFC 9728).
pub(crate) const METADATA_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

/// A protected resource and who issues tokens for it, as RFC 9728 describes it.
#[derive(Serialize)]
struct ProtectedResource<'a> {
    resource: String,
    authorization_servers: [&'a str; 1],
    scopes_supported: &'a [String],
    bearer_methods_supported: [&'a str; 1],
    resource_name: &'a str,
}

/// What the page needs to send somebody to the provider.
#[derive(Serialize)]
struct SignIn<'a> {
    authorization_endpoint: &'a str,
    client_id: &'a str,
    redirect_uri: String,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<&'a str>,
}

/// A code that the provider has sent the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    code: String,
    /// The secret whose hash the provider already has (PKCE).
    verifier: String,
}

/// The token with which the page goes on.
#[derive(Serialize)]
struct Token {
    token: String,
}

/// The description of the MCP server as a protected resource.
async fn metadata(State(gateway): State<Arc<Gateway>>) -> Result<Response, Problem> {
    let config = &identity(&gateway)?.config;
    let resource = ProtectedResource {
        resource: format!("{}{MCP_PATH}", config.url),
        authorization_servers: [&config.issuer],
        scopes_supported: &config.scopes,
        bearer_methods_supported: ["header"],
        resource_name: "Craig",
    };
    let mut response = json_response(StatusCode::OK, &resource);
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Ok(response)
}

/// What the page uses; needs no key.
pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route(METADATA_PATH, get(metadata))
        // Clients that know no better ask here.
        .route("/.well-known/oauth-protected-resource", get(metadata))
        .route("/sign-in", get(provider).post(exchange))
        .layer(from_fn(guarded))
        .with_state(gateway)
}

async fn provider(State(gateway): State<Arc<Gateway>>) -> Result<Response, Problem> {
    let identity = identity(&gateway)?;
    let client_id = identity.config.client_id.as_deref().ok_or_else(Problem::no_sign_in)?;
    let provider = identity.provider().await?;
    let sign_in = SignIn {
        authorization_endpoint: &provider.authorization_endpoint,
        client_id,
        redirect_uri: identity.redirect_url(),
        scope: identity.config.scopes.join(" "),
        resource: identity.config.resource.as_deref(),
    };
    Ok(json_response(StatusCode::OK, &sign_in))
}

async fn exchange(State(gateway): State<Arc<Gateway>>, request: Request) -> Result<Response, Problem> {
    let identity = Arc::clone(identity(&gateway)?);
    gateway.gate.check_origin(request.headers())?;
    let (code, _room): (Code, _) = json_body(request, &gateway).await?;
    let token = identity.exchange(&code.code, &code.verifier).await?;
    Ok(json_response(StatusCode::OK, &Token { token }))
}

fn identity(gateway: &Gateway) -> Result<&Arc<Identity>, Problem> {
    gateway.gate.identity().ok_or_else(Problem::no_sign_in)
}
