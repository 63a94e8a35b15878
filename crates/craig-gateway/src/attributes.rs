//! Names of the attributes of spans and metrics, by OpenTelemetry's conventions for generative AI, MCP, JSON-RPC and HTTP.

/// The kind of an operation: `chat`, `execute_tool`, `retrieval`.
pub const GEN_AI_OPERATION_NAME: &str = "gen_ai.operation.name";
/// The configured name of a provider.
pub const GEN_AI_PROVIDER_NAME: &str = "gen_ai.provider.name";
/// The model of a request.
pub const GEN_AI_REQUEST_MODEL: &str = "gen_ai.request.model";
/// Tokens of a request, those from the provider's cache included.
pub const GEN_AI_USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
/// Tokens of an answer.
pub const GEN_AI_USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
/// Whether tokens are of requests or answers: `input`, `output`.
pub const GEN_AI_TOKEN_TYPE: &str = "gen_ai.token.type";
/// The tool that is called.
pub const GEN_AI_TOOL_NAME: &str = "gen_ai.tool.name";
/// The project that is searched.
pub const GEN_AI_DATA_SOURCE_ID: &str = "gen_ai.data_source.id";
/// The text of a query. It is the user's: record it only if a setting allows that.
pub const GEN_AI_RETRIEVAL_QUERY_TEXT: &str = "gen_ai.retrieval.query.text";

/// The method of a request: `tools/call`.
pub const MCP_METHOD_NAME: &str = "mcp.method.name";
/// The session of a request, if the transport has sessions.
pub const MCP_SESSION_ID: &str = "mcp.session.id";
/// The version of the protocol.
pub const MCP_PROTOCOL_VERSION: &str = "mcp.protocol.version";

/// The id of a request.
pub const JSONRPC_REQUEST_ID: &str = "jsonrpc.request.id";
/// The code of an error.
pub const RPC_RESPONSE_STATUS_CODE: &str = "rpc.response.status_code";
/// How requests arrive: `pipe`, `tcp`.
pub const NETWORK_TRANSPORT: &str = "network.transport";
/// The protocol that carries them: `http`.
pub const NETWORK_PROTOCOL_NAME: &str = "network.protocol.name";

/// The method of a request: `GET`.
pub const HTTP_REQUEST_METHOD: &str = "http.request.method";
/// The path of a request as it is registered.
pub const HTTP_ROUTE: &str = "http.route";
/// The status of a response.
pub const HTTP_RESPONSE_STATUS_CODE: &str = "http.response.status_code";

/// The class of a failure.
pub const ERROR_TYPE: &str = "error.type";

/// The name of the program that reports.
pub const SERVICE_NAME: &str = "service.name";
/// Its version.
pub const SERVICE_VERSION: &str = "service.version";
