//! The table of routes: the router, access, the form of errors, the OpenAPI document and the list in docs/gateway.md follow
//! from it.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post};
use http::{Method, StatusCode, header};

use crate::failure::Problem;
use crate::gateway::Gateway;
use crate::intake::enter;
use crate::protocol::{Operation, ProtocolName};
use crate::{
    browse, context, embeddings, hooks, models, openapi, page, proxy, ranking, search, sign_in, status,
};

/// A path and a method.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    handler: fn() -> MethodRouter<Arc<Gateway>>,
    pub(crate) access: Access,
    /// The protocol whose form its errors have.
    pub(crate) protocol: ProtocolName,
    /// One line for the documentation.
    pub(crate) summary: &'static str,
    /// More for the OpenAPI document; may be empty.
    pub(crate) description: &'static str,
    /// Schema of the request, if it has a body.
    pub(crate) request: Option<&'static str>,
    /// Description and content of a successful response.
    pub(crate) answer: (&'static str, Content),
    /// Headers of a request and of a good answer that the OpenAPI document describes.
    pub(crate) parameters: &'static [&'static str],
    pub(crate) headers: &'static [&'static [&'static str]],
    /// Statuses of errors in addition to those of all routes of its kind.
    pub(crate) errors: &'static [(u16, &'static str)],
}

/// Access control of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Everybody,
    /// Holders of a key.
    Key,
    /// The same, unless `gateway.open_metrics` is set.
    Metrics,
}

/// The content of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// JSON of this schema.
    Schema(&'static str),
    /// JSON of a provider, or a stream of events.
    Provider,
    /// Any JSON object.
    Object,
    Text,
}

/// Headers about context, about the order of results, and about limits.
const CONTEXT: &[&str] = &["x-craig-context", "x-craig-guesses", "x-craig-masked"];
const ORDER: &[&str] = &["x-craig-rerank", "x-craig-trouble"];
pub(crate) const LIMITS: &[&str] =
    &["x-ratelimit-resource", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const TIMES: &[&str] = &["server-timing"];
/// Headers about who answered.
const ANSWERED: &[&str] = &["x-craig-provider", "x-craig-tries"];

const PASSED_ON: &str = "Accepts everything that the provider accepts; fields not named here are passed on unchanged. A \
     stream that fails ends with an event whose data is an error object.";

const RERANKS: &str = "Takes and returns the fields of Cohere, Jina and vLLM ('top_n', 'results') or those of Voyage \
     ('top_k', 'data'). If neither 'top_n' nor 'top_k' is given, both lists are returned.";

const BUSY_INDEX: (u16, &str) = (503, "The index is busy or cannot be read");
const NO_PROJECT: (u16, &str) = (404, "There is no such project");

/// A route that needs a key.
const KEYED: Route = Route {
    method: Method::POST,
    path: "",
    handler: || get(nothing),
    access: Access::Key,
    protocol: ProtocolName::Chat,
    summary: "",
    description: "",
    request: None,
    answer: ("", Content::Object),
    parameters: &[],
    headers: &[],
    errors: &[(503, "The key file cannot be read")],
};

/// A route that providers answer.
const PROXIED: Route = Route {
    description: PASSED_ON,
    answer: ("The provider's answer", Content::Provider),
    headers: &[ANSWERED, TIMES],
    errors: &[
        (404, "No provider serves the model, or there is no such project"),
        (422, "The provider rejects the content of the request"),
        (429, "The provider's limit is reached"),
        (502, "The provider failed"),
        (503, "The provider failed too often and is not asked for a while, or the gateway is overloaded"),
        (504, "The provider gave no answer in time"),
    ],
    ..KEYED
};

/// One whose request is a conversation.
const CONVERSATION: Route = Route {
    parameters: &["x-craig-project"],
    headers: &[CONTEXT, ORDER, LIMITS, ANSWERED, TIMES],
    ..PROXIED
};

const RERANK: Route = Route {
    handler: || post(ranking::rerank),
    description: RERANKS,
    request: Some("RerankRequest"),
    answer: ("The best documents first", Content::Schema("RerankResponse")),
    headers: &[ORDER, LIMITS],
    errors: &[
        (429, "The key's limit is reached, or too many reranks are queued"),
        (502, "The reranker failed, and the documents have no scores to fall back on"),
        (503, "The gateway is overloaded"),
        (504, "Reranking took too long"),
    ],
    ..KEYED
};

const OPEN: Route = Route { method: Method::GET, access: Access::Everybody, errors: &[], ..KEYED };

/// All routes.
pub(crate) static ROUTES: [Route; 21] = [
    Route {
        path: "/v1/chat/completions",
        handler: || asks(Operation::Chat),
        summary: "OpenAI's chat completions: inserts context before the last question and relays the model's response",
        request: Some("ChatRequest"),
        parameters: &["x-craig-framing", "x-craig-project"],
        ..CONVERSATION
    },
    Route {
        path: "/v1/responses",
        handler: || asks(Operation::Responses),
        protocol: ProtocolName::Responses,
        summary: "OpenAI's Responses API, with context",
        request: Some("ResponsesRequest"),
        ..CONVERSATION
    },
    Route {
        path: "/v1/messages",
        handler: || asks(Operation::Messages),
        protocol: ProtocolName::Messages,
        summary: "Anthropic's Messages API, with context",
        request: Some("MessagesRequest"),
        ..CONVERSATION
    },
    Route {
        path: "/v1/messages/count_tokens",
        handler: || asks(Operation::CountTokens),
        protocol: ProtocolName::Messages,
        summary: "Counts the tokens in a Messages request, including the context that would be inserted",
        request: Some("MessagesRequest"),
        ..CONVERSATION
    },
    Route {
        path: "/v1/completions",
        handler: || asks(Operation::Completions),
        summary: "OpenAI's completions: completes a `prompt`, or fills the gap between `prompt` and `suffix`; inserts no context",
        request: Some("CompletionsRequest"),
        parameters: &["x-craig-framing"],
        ..PROXIED
    },
    Route {
        path: "/v1/embeddings",
        handler: || post(embeddings::embed),
        summary: "Returns vectors from the configured embedder (model name `craig`) or from a model that is configured for a provider",
        request: Some("EmbeddingsRequest"),
        answer: ("Vectors", Content::Schema("EmbeddingsResponse")),
        errors: &[
            (404, "The gateway embeds with another model, and no provider lists this one"),
            (502, "The configured model cannot be used, or the provider failed"),
            (503, "The embedder is busy: try again later"),
            (504, "The provider gave no answer in time"),
        ],
        ..KEYED
    },
    Route { path: "/v1/rerank", summary: "Ranks documents by their relevance to a query", ..RERANK },
    Route { path: "/v2/rerank", summary: "The same, for clients of Cohere's v2 API", ..RERANK },
    Route {
        path: "/v1/rerank/batch",
        handler: || post(ranking::rerank_batch),
        summary: "Processes up to 100 rerank requests, independently of each other: `{\"requests\": […]}`",
        request: Some("RerankBatchRequest"),
        answer: ("A response or an error for each request, in order", Content::Schema("RerankBatchResponse")),
        headers: &[LIMITS],
        errors: &[(503, "The gateway is overloaded")],
        ..KEYED
    },
    Route {
        path: "/v1/search",
        handler: || post(search::search),
        summary: "Searches one project, several projects, or all projects that the key may use: `{\"query\", \"project\", \"limit\", …}`",
        request: Some("SearchRequest"),
        answer: ("Hits, best first", Content::Schema("SearchResponse")),
        headers: &[ORDER, LIMITS],
        errors: &[NO_PROJECT, (429, "The key's limit is reached"), BUSY_INDEX],
        ..KEYED
    },
    Route {
        path: "/v1/context",
        handler: || post(context::context),
        summary: "Returns the code that is relevant to a message or an edit, as `craig context` does",
        request: Some("ContextRequest"),
        answer: ("Blocks of code, or why there are none", Content::Schema("ContextAnswer")),
        headers: &[LIMITS],
        errors: &[NO_PROJECT, (429, "The key's limit is reached"), BUSY_INDEX],
        ..KEYED
    },
    Route {
        method: Method::GET,
        path: "/v1/projects",
        handler: || get(browse::projects),
        summary: "Lists the projects that the key may use, with their ingestion status",
        answer: ("The list", Content::Schema("ProjectList")),
        errors: &[BUSY_INDEX],
        ..KEYED
    },
    Route {
        path: "/v1/files",
        handler: || post(browse::files),
        summary: "Lists a folder of a project: `{\"project\", \"folder\"}`",
        request: Some("FilesRequest"),
        answer: ("Folders and files", Content::Schema("FilesResponse")),
        errors: &[NO_PROJECT, BUSY_INDEX],
        ..KEYED
    },
    Route {
        path: "/v1/file",
        handler: || post(browse::file),
        summary: "Returns a file of a project with its symbols: `{\"project\", \"path\"}`",
        request: Some("FileRequest"),
        answer: ("The file", Content::Schema("FileResponse")),
        errors: &[(404, "There is no such project or file"), BUSY_INDEX],
        ..KEYED
    },
    Route {
        path: "/v1/references",
        handler: || post(browse::references),
        summary: "Returns the definition of a symbol and the references to it: `{\"project\", \"symbol\"}`, or `path`, `line` and `column` instead of `symbol`",
        request: Some("ReferencesRequest"),
        answer: ("The symbol and its references", Content::Schema("References")),
        errors: &[(404, "There is no such project or symbol"), BUSY_INDEX],
        ..KEYED
    },
    Route {
        method: Method::GET,
        path: "/v1/models",
        handler: || get(models::models),
        summary: "Lists the models that the key may use, across all providers",
        answer: ("The list", Content::Schema("ModelList")),
        ..KEYED
    },
    Route {
        method: Method::GET,
        path: "/v1/models/{*id}",
        handler: || get(models::model),
        summary: "Describes one of these models",
        answer: ("The model", Content::Schema("Model")),
        parameters: &["id"],
        errors: &[(404, "There is no such model that the key may use"), (503, "The key file cannot be read")],
        ..KEYED
    },
    Route {
        path: "/healthz",
        handler: || get(status::healthz),
        summary: "Reports whether the process is running",
        answer: ("The process is alive", Content::Schema("Status")),
        ..OPEN
    },
    Route {
        path: "/readyz",
        handler: || get(status::readyz),
        summary: "Reports whether this process can serve requests: 503 while it is shutting down or cannot read its key file, and for `craig serve` while it cannot open its database",
        answer: ("The process can serve requests", Content::Schema("Status")),
        errors: &[(503, "The gateway is stopping, or cannot read its key file or open its database")],
        ..OPEN
    },
    Route {
        path: "/metrics",
        handler: || get(status::metrics),
        access: Access::Metrics,
        summary: "Returns the metrics for Prometheus; needs a key unless `gateway.open_metrics` is on",
        answer: ("Text format 0.0.4", Content::Text),
        errors: &[(503, "The key file cannot be read")],
        ..OPEN
    },
    Route {
        path: "/openapi.json",
        handler: || get(openapi),
        summary: "Returns the OpenAPI description of these endpoints",
        answer: ("OpenAPI 3.1", Content::Object),
        ..OPEN
    },
];

impl Route {
    /// The route of a path, as the router writes it.
    pub(crate) fn at(path: &str) -> Option<&'static Self> {
        ROUTES.iter().find(|route| route.path == path)
    }
}

pub(crate) fn router(gateway: Arc<Gateway>) -> Router {
    let router =
        ROUTES.iter().fold(Router::new(), |router, route| router.route(route.path, (route.handler)()));
    let team = gateway.config.team.clone();
    let guarded = match &team {
        Some(services) => router.merge(services.clone().with_state(())),
        None => router,
    };
    let guarded = guarded
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&gateway), enter))
        .with_state(Arc::clone(&gateway));
    match team {
        Some(_) => guarded
            .merge(page::router())
            .merge(hooks::router(Arc::clone(&gateway)))
            .merge(sign_in::router(gateway)),
        None => guarded,
    }
}

/// The handler of a route that providers answer.
fn asks(operation: Operation) -> MethodRouter<Arc<Gateway>> {
    let handler = move |State(gateway): State<Arc<Gateway>>, request: Request| async move {
        proxy::answer(&gateway, operation, request).await
    };
    post(handler)
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], openapi::DOCUMENT.as_str()).into_response()
}

async fn nothing() -> Response {
    Problem::not_found("unknown_path", "no such path: GET /openapi.json lists the paths").into_response()
}

async fn wrong_method() -> Response {
    let problem = Problem::not_found(
        "wrong_method",
        "this path does not support this method: GET /openapi.json lists the methods",
    );
    Problem { status: StatusCode::METHOD_NOT_ALLOWED, ..problem }.into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_lists_every_route() {
        let rows = ROUTES.iter().map(|Route { method, path, summary, .. }| {
            format!("| `{method} {}` | {summary} |\n", path.replace('*', ""))
        });
        let table = format!("| endpoint | what it does |\n|---|---|\n{}", rows.collect::<String>());
        let page = include_str!("../../../docs/gateway.md");
        assert!(page.contains(&table), "docs/gateway.md needs this table:\n{table}");
    }
}
