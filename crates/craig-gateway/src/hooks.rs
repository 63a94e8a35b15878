//! Webhooks of GitHub, GitLab, Gitea and Forgejo: a push makes the jobs due that follow the branch.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Path, Request, State};
use axum::middleware::from_fn;
use axum::response::Response;
use axum::routing::post;
use craig_engine::Push;
use http::{HeaderMap, StatusCode};
use moka::sync::Cache;
use ring::hmac;
use serde::Serialize;
use serde_json::Value;
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;

use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::journal::Event;
use crate::keys::from_hex;
use crate::static_files::guarded;

/// Longest notice that is read, and how long it may take to arrive.
const MAX_BYTES: usize = 1 << 20;
const TIMEOUT: Duration = Duration::from_secs(10);

/// Notices that are remembered, and for how long: a notice is accepted once.
const MAX_REMEMBERED: u64 = 100_000;
const MEMORY: Duration = Duration::from_secs(24 * 3_600);

/// Fields of a notice with the URLs of its repository.
const URLS: [&str; 6] = ["clone_url", "ssh_url", "html_url", "git_http_url", "git_ssh_url", "web_url"];

/// Notices that are read at the same time; their senders are not known yet.
const MAX_READING: usize = 16;

/// The forges in the addresses of webhooks. Forgejo signs as Gitea does.
const FORGES: [&str; 3] = ["github", "gitlab", "gitea"];

/// Headers with signatures.
const GITHUB: &str = "x-hub-signature-256";
const GITEA: &str = "x-gitea-signature";

/// The notices of a server.
pub(crate) struct Notices {
    /// Those that were accepted, by the hash of their bodies: the headers of a delivery are not signed.
    accepted: Cache<[u8; 32], ()>,
    reading: Semaphore,
}

impl Default for Notices {
    fn default() -> Self {
        let accepted = Cache::builder().max_capacity(MAX_REMEMBERED).time_to_live(MEMORY).build();
        Self { accepted, reading: Semaphore::new(MAX_READING) }
    }
}

#[derive(Serialize)]
struct Accepted {
    /// Jobs that are due now.
    jobs: usize,
}

pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    Router::new().route("/hooks/{forge}", post(hook)).layer(from_fn(guarded)).with_state(gateway)
}

async fn hook(
    State(gateway): State<Arc<Gateway>>,
    Path(forge): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let forge = FORGES.into_iter().find(|known| *known == forge).ok_or_else(|| {
        let message = "webhooks are at /hooks/github, /hooks/gitlab and /hooks/gitea";
        Problem::not_found("unknown_path", message)
    })?;
    let accepted = accept(&gateway, forge, request).await;
    gateway.journal.log(match &accepted {
        Ok(jobs) => Event::WebhookAccepted { forge, jobs: *jobs },
        Err(problem) => Event::WebhookRefused { forge, reason: problem.code.clone() },
    });
    Ok(json_response(StatusCode::ACCEPTED, &Accepted { jobs: accepted? }))
}

/// Accepts a notice of a forge; returns the number of jobs that are due now.
async fn accept(gateway: &Gateway, forge: &str, request: Request) -> Result<usize, Problem> {
    let secret = gateway.config.webhook_secret.clone().ok_or_else(|| {
        Problem::not_found("no_webhooks", "this server accepts no webhooks: its secret is not set")
    })?;
    let (head, body) = request.into_parts();
    let is_known = match forge {
        "github" => head.headers.contains_key(GITHUB),
        "gitea" => head.headers.contains_key(GITEA),
        _ => has_token(&head.headers, secret.expose()),
    };
    if !is_known {
        return Err(Problem::wrong_signature());
    }
    let _place = gateway.notices.reading.try_acquire().map_err(|_| Problem::overloaded())?;
    let body =
        tokio::time::timeout(TIMEOUT, to_bytes(body, MAX_BYTES)).await.map_err(|_| Problem::too_slow())?;
    let body = body.map_err(|_| Problem::too_large(MAX_BYTES))?;
    let is_genuine = match forge {
        "github" => is_signed(&head.headers, GITHUB, secret.expose(), &body),
        "gitea" => is_signed(&head.headers, GITEA, secret.expose(), &body),
        _ => true,
    };
    if !is_genuine {
        return Err(Problem::wrong_signature());
    }
    let notice = *blake3::hash(&body).as_bytes();
    if gateway.notices.accepted.contains_key(&notice) {
        return Err(Problem::replayed());
    }
    let push = push(&body);
    let jobs = gateway.with_engine(move |engine| engine.hasten_jobs_of(&push)).await?;
    gateway.notices.accepted.insert(notice, ());
    Ok(jobs)
}

/// Whether a header has the HMAC-SHA256 of `body` in hex, with or without `sha256=` before it.
fn is_signed(headers: &HeaderMap, name: &str, secret: &str, body: &[u8]) -> bool {
    let given = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Some(signature) = from_hex(given.strip_prefix("sha256=").unwrap_or(given)) else { return false };
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    hmac::verify(&key, body, &signature).is_ok()
}

/// GitLab sends the secret itself.
fn has_token(headers: &HeaderMap, secret: &str) -> bool {
    let given = headers.get("x-gitlab-token").map(|value| value.as_bytes()).unwrap_or_default();
    given.ct_eq(secret.as_bytes()).into()
}

/// Reads a notice. A notice of anything but a push names only the repository.
fn push(body: &[u8]) -> Push {
    let notice: Value = serde_json::from_slice(body).unwrap_or_default();
    let objects = [&notice["repository"], &notice["project"]];
    let texts = |name: &'static str| objects.into_iter().filter_map(move |object| object[name].as_str());
    let reference = notice["ref"].as_str();
    let name = |of: &str| {
        let kinds = ["refs/heads/", "refs/tags/"];
        kinds.into_iter().find_map(|kind| of.strip_prefix(kind)).unwrap_or(of).to_owned()
    };
    Push {
        urls: URLS.iter().flat_map(|name| texts(name)).map(str::to_owned).collect(),
        reference: reference.map(name),
        default_branch: texts("default_branch").next().map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_github() {
        // The example of its documentation.
        let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let headers = |value: &str| HeaderMap::from_iter([(GITHUB.parse().unwrap(), value.parse().unwrap())]);
        let is_genuine =
            |value: &str, body: &[u8]| is_signed(&headers(value), GITHUB, "It's a Secret to Everybody", body);
        assert!(is_genuine(signature, b"Hello, World!"));
        assert!(!is_genuine(signature, b"Hello, World") && !is_genuine("sha256=", b"Hello, World!"));
        assert!(!is_genuine("sha256=zz", b"") && !is_genuine("", b""));
        assert!(!is_signed(&HeaderMap::new(), GITHUB, "", b""));
    }
}
