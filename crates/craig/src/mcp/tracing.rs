//! Spans of tool calls for OpenTelemetry, by its conventions for MCP.

use std::time::Instant;

use axum::http::request::Parts;
use craig_engine::mask_secrets;
use craig_gateway::attributes::{
    GEN_AI_OPERATION_NAME, GEN_AI_RETRIEVAL_QUERY_TEXT, GEN_AI_TOOL_NAME, JSONRPC_REQUEST_ID,
    MCP_METHOD_NAME, MCP_PROTOCOL_VERSION, MCP_SESSION_ID, NETWORK_PROTOCOL_NAME, NETWORK_TRANSPORT,
    RPC_RESPONSE_STATUS_CODE,
};
use craig_gateway::traces::{Span, Trace, Tracer};
use rmcp::model::CallToolResponse;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use super::http::SESSION_HEADER;

const SERVICE: &str = "craig-mcp";
const METHOD: &str = "tools/call";

/// The class of a call whose result is an error for the model, as the conventions have it.
const TOOL_ERROR: &str = "tool_error";

/// Where spans are sent, and what is in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TracingSettings {
    /// Address of the collector; `None` for no spans.
    pub(crate) otlp_url: Option<String>,
    /// Whether the texts of questions are recorded.
    pub(crate) records_questions: bool,
}

/// Sends the spans of a server.
#[derive(Clone)]
pub(crate) struct Tracing {
    tracer: Tracer,
    records_questions: bool,
}

/// A tool call that is traced.
#[derive(Clone)]
pub(super) struct TracedCall {
    tracing: Tracing,
    trace: Trace,
    started: Instant,
    request_id: String,
    protocol_version: Option<String>,
    session_id: Option<String>,
    is_http: bool,
}

impl Tracing {
    /// No spans.
    pub(crate) fn off() -> Self {
        Self { tracer: Tracer::off(), records_questions: false }
    }

    /// Fails if the address of the collector is not an address. Needs the context of a runtime.
    pub(super) fn connect(settings: &TracingSettings) -> anyhow::Result<Self> {
        let Some(url) = &settings.otlp_url else { return Ok(Self::off()) };
        let tracer = Tracer::connect(url, SERVICE).map_err(anyhow::Error::msg)?;
        Ok(Self { tracer, records_questions: settings.records_questions })
    }

    /// A call that begins now; `None` if no spans are sent. A client names its own span in `_meta`.
    pub(super) fn begin(&self, context: &RequestContext<RoleServer>) -> Option<TracedCall> {
        if !self.tracer.is_on() {
            return None;
        }
        let http = context.extensions.get::<Parts>();
        let session_id = http.and_then(|http| http.headers.get(SESSION_HEADER)?.to_str().ok());
        Some(TracedCall {
            tracing: self.clone(),
            trace: Trace::from_traceparent(context.meta.get_traceparent()),
            started: Instant::now(),
            request_id: context.id.to_string(),
            protocol_version: context.protocol_version().map(|version| version.as_str().to_owned()),
            session_id: session_id.map(str::to_owned),
            is_http: http.is_some(),
        })
    }

    /// Waits until all spans so far are sent, for a few seconds at most.
    pub(super) async fn flush(&self) {
        self.tracer.flush().await;
    }
}

impl TracedCall {
    /// Sends the span of the call of `tool`; `None` for an unknown one, whose name is the client's text.
    pub(super) fn end(&self, tool: Option<&str>, outcome: &Result<CallToolResponse, ErrorData>) {
        let span = self.span(tool);
        self.tracing.tracer.send(match outcome {
            Err(error) => {
                let code = error.code.0.to_string();
                span.text(RPC_RESPONSE_STATUS_CODE, &code).failed(&code)
            }
            Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
                span.failed(TOOL_ERROR)
            }
            Ok(_) => span,
        });
    }

    fn span(&self, tool: Option<&str>) -> Span {
        let name = tool.map_or_else(|| METHOD.to_owned(), |tool| format!("{METHOD} {tool}"));
        let transport = if self.is_http { "tcp" } else { "pipe" };
        let optional = [
            (GEN_AI_TOOL_NAME, tool),
            (MCP_SESSION_ID, self.session_id.as_deref()),
            (MCP_PROTOCOL_VERSION, self.protocol_version.as_deref()),
            (NETWORK_PROTOCOL_NAME, self.is_http.then_some("http")),
        ];
        let span = self
            .trace
            .whole(name, self.started)
            .text(MCP_METHOD_NAME, METHOD)
            .text(GEN_AI_OPERATION_NAME, "execute_tool")
            .text(JSONRPC_REQUEST_ID, &self.request_id)
            .text(NETWORK_TRANSPORT, transport);
        let known = optional.into_iter().filter_map(|(key, value)| Some((key, value?)));
        known.fold(span, |span, (key, value)| span.text(key, value))
    }

    /// Sends the span of a search that began at `started` and ends now: in `project`, or `None` if it failed.
    pub(super) fn retrieval(&self, project: Option<&str>, question: &str, started: Instant) {
        let span = self.trace.retrieval(project, started, started.elapsed());
        let span = match self.tracing.records_questions {
            true => span.text(GEN_AI_RETRIEVAL_QUERY_TEXT, &mask_secrets(question)),
            false => span,
        };
        self.tracing.tracer.send(if project.is_some() { span } else { span.failed(TOOL_ERROR) });
    }
}
