//! The definitions of all settings. Parsing, `craig settings` and the documentation are derived from them.

use super::SettingsError;
use super::value::{Kind, Value};

/// One setting.
#[derive(Debug)]
pub struct Definition {
    /// Section and name: `embedder.model`.
    pub key: &'static str,
    /// Kind of its values.
    pub kind: Kind,
    /// The default, as written on a command line; empty if there is none.
    pub default: &'static str,
    /// Whether a project may set it.
    pub scope: Scope,
    /// Additional environment variables that set it; one is derived from its key.
    pub aliases: &'static [&'static str],
    /// Its description.
    pub meaning: &'static str,
}

/// Whose settings file may contain a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only the user's: the setting uses the network, costs money, or names a file.
    User,
    /// The user's and the project's.
    Project,
}

const ADDRESS: Kind = Kind::Address;
const TEXT: Kind = Kind::Text;
const FEW: Kind = Kind::Between { least: 1, most: 20 };

const fn user(key: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Definition {
    Definition { key, kind, default, scope: Scope::User, aliases: &[], meaning }
}

const fn project(key: &'static str, kind: Kind, default: &'static str, meaning: &'static str) -> Definition {
    Definition { scope: Scope::Project, ..user(key, kind, default, meaning) }
}

const fn also(aliases: &'static [&'static str], definition: Definition) -> Definition {
    Definition { aliases, ..definition }
}

/// All settings, section by section.
pub const DEFINITIONS: &[Definition] = &[
    also(
        &["CRAIG_DB"],
        user(
            "database",
            Kind::Path,
            "",
            "The database: a file, or `postgres://USER@HOST/DATABASE`; `$XDG_DATA_HOME/craig/craig.db` by default.",
        ),
    ),
    user(
        "threads",
        Kind::Whole { most: 1024 },
        "0",
        "Threads for reading, parsing and embedding; 0 means one per core.",
    ),
    user("project_settings", Kind::Switch, "true", "Whether to read a project's own `.craig.toml`."),
    project(
        "source.max_file_size",
        Kind::Size,
        "1MB",
        "Maximum size of tracked files: bytes, or a size such as `500kB`.",
    ),
    project(
        "source.hidden",
        Kind::Switch,
        "false",
        "Whether to track hidden files and folders, including those that git does not track.",
    ),
    user(
        "source.ignore_files",
        Kind::Switch,
        "true",
        "Whether to respect `.gitignore`, `.ignore` and `.pukuignore`.",
    ),
    project(
        "source.exclude",
        Kind::Texts,
        "",
        "Files to exclude, in the syntax of `.gitignore`. Values from all sources are combined.",
    ),
    project(
        "source.include",
        Kind::Texts,
        "",
        "Files to include even if they are hidden or in a skipped folder. Values from all sources are \
         combined.",
    ),
    project(
        "source.skip_folders",
        Kind::Texts,
        "",
        "Names of folders to skip, in addition to the built-in ones. Values from all sources are combined.",
    ),
    project(
        "documentation.include",
        Kind::Texts,
        "",
        "Additional documents to read: globs relative to the project's folder, such as `notes/*.md`. Values \
         from all sources are combined.",
    ),
    project(
        "documentation.exclude",
        Kind::Texts,
        "",
        "Markdown files that are not documentation: globs relative to the project's folder, such as \
         `docs/archive/**`. Values from all sources are combined.",
    ),
    project(
        "documentation.max_file_size",
        Kind::Size,
        "4MB",
        "Maximum size of Markdown files: bytes, or a size such as `500kB`.",
    ),
    user(
        "explain.activation",
        Kind::OneOf(&["scripts", "always", "never"]),
        "scripts",
        "Projects in which editors show documentation automatically: `scripts` means those with a \
         `package.json` or with JavaScript or TypeScript files. Commands work in all projects.",
    ),
    user(
        "explain.comments",
        Kind::Switch,
        "true",
        "Whether requested explanations also show the comment of the definition. It does not count as \
         documentation.",
    ),
    user(
        "explain.packages",
        Kind::Switch,
        "true",
        "Whether explanations of imported symbols also quote the documentation of their package, labelled with \
         package and version, for packages that `craig docs add` has indexed. It never counts as the project's \
         documentation.",
    ),
    user(
        "explain.language_model",
        Kind::Switch,
        "false",
        "Whether the language model rephrases explanations; only statements that the documentation \
         supports are kept. Sends the code and the quotes to the model. Does not apply to hovers.",
    ),
    user(
        "explain.timeout_ms",
        Kind::Between { least: 100, most: 600_000 },
        "20000",
        "Maximum wait for the language model; after that, the documentation is quoted.",
    ),
    user(
        "lsp.database",
        Kind::OneOf(&["shared", "workspace"]),
        "shared",
        "Database that `craig lsp` uses: `shared` is the command line's database, `workspace` is \
         `.puku/embeddings.db` in each folder, which commands in that folder find automatically. A database \
         that you name (`--db`, `CRAIG_DB`, `database`) takes precedence.",
    ),
    user(
        "lsp.ingest",
        Kind::OneOf(&["on_request", "on_open"]),
        "on_request",
        "When `craig lsp` ingests a folder: `on_request` with the first search or context request; \
         `on_open` as soon as it is opened, and then keeps the index up to date while the folder is open.",
    ),
    user(
        "lsp.navigation",
        Kind::OneOf(&["auto", "on", "off"]),
        "auto",
        "Whether `craig lsp` answers requests for definitions, references and calls: `auto` for the \
         languages of `lsp.languages`, `on` for all languages, `off` for none. Editors merge the results of \
         several language servers.",
    ),
    user("lsp.languages", Kind::Texts, "", "Languages that have no other language server, such as `python`."),
    user(
        "hooks.session_start",
        Kind::Switch,
        "true",
        "Whether `craig hook session-start` reports what is indexed when an assistant starts a session.",
    ),
    user(
        "hooks.after_search",
        Kind::Switch,
        "true",
        "Whether `craig hook after-search` reports where the names in an assistant's search are defined.",
    ),
    user(
        "hooks.timeout_ms",
        Kind::Between { least: 1, most: 60_000 },
        "40",
        "Time limit of a hook; after that, it prints nothing.",
    ),
    user(
        "git.depth",
        Kind::Whole { most: 1_000_000 },
        "1",
        "Number of commits of history to fetch; 0 means all.",
    ),
    user(
        "git.token_env",
        TEXT,
        "CRAIG_GIT_TOKEN",
        "Environment variable that holds a token for private repositories, or `user:token`.",
    ),
    user("git.token_host", TEXT, "github.com", "The only host that the token is sent to, over HTTPS."),
    user(
        "git.timeout_s",
        Kind::Whole { most: 86_400 },
        "60",
        "Seconds without output after which git is stopped.",
    ),
    user(
        "embedder.provider",
        Kind::OneOf(&["builtin", "local", "openai", "voyage"]),
        "builtin",
        "The embedder: the built-in model, a model folder on this machine, an OpenAI-compatible server, \
         or Voyage. The last two send texts over the network.",
    ),
    user(
        "embedder.model",
        TEXT,
        "",
        "Name of the provider's model; `voyage-code-3` or `text-embedding-3-small` by default.",
    ),
    user("embedder.path", Kind::Path, "", "Folder of the local model."),
    user(
        "embedder.base_url",
        ADDRESS,
        "",
        "Address of the server; by default the provider's own. `/v1/embeddings` is appended.",
    ),
    user(
        "embedder.key_env",
        TEXT,
        "",
        "Environment variable that holds the key; `VOYAGE_API_KEY` or `OPENAI_API_KEY` by default if \
         `base_url` is not set.",
    ),
    user(
        "embedder.dimensions",
        Kind::Whole { most: 8192 },
        "",
        "Vector length to request from a provider; by default the model's own.",
    ),
    user("embedder.query_prefix", TEXT, "", "Prefix for queries, if the model requires one."),
    user("embedder.document_prefix", TEXT, "", "Prefix for indexed texts, if the model requires one."),
    user(
        "embedder.max_tokens",
        Kind::Whole { most: 32768 },
        "",
        "Maximum number of tokens of a text that a local model reads; by default the value in the \
         model's folder.",
    ),
    user(
        "embedder.timeout_ms",
        Kind::Whole { most: 600_000 },
        "60000",
        "Maximum wait for a response from a provider.",
    ),
    user(
        "embedder.usd_per_million_tokens",
        Kind::Number,
        "",
        "Price for the cost estimate before embedding; by default the known list price.",
    ),
    also(
        &["VOYAGE_RERANK_ENABLED"],
        user(
            "reranker.provider",
            Kind::OneOf(&["none", "voyage", "http", "local", "llm"]),
            "none",
            "The reranker for the first results: none, Voyage, a server with `/v1/rerank`, a cross-encoder \
             on this machine, or the language model. `VOYAGE_RERANK_ENABLED=true` means `voyage`.",
        ),
    ),
    also(
        &["VOYAGE_RERANK_MODEL"],
        user(
            "reranker.model",
            TEXT,
            "",
            "Name of the provider's model; `rerank-2-lite` by default for Voyage.",
        ),
    ),
    user("reranker.path", Kind::Path, "", "Folder of the local cross-encoder."),
    user(
        "reranker.base_url",
        ADDRESS,
        "",
        "Address of the server; by default Voyage's own. `/v1/rerank` is appended unless it ends in \
         `/rerank`.",
    ),
    user(
        "reranker.dialect",
        Kind::OneOf(&["common", "voyage", "tei"]),
        "common",
        "Protocol of the `http` server: `common` for Cohere, Jina, vLLM and llama.cpp, `voyage`, or \
         `tei` for text-embeddings-inference.",
    ),
    user(
        "reranker.key_env",
        TEXT,
        "",
        "Environment variable that holds the key; `VOYAGE_API_KEY` by default if the address is Voyage's \
         own.",
    ),
    user("reranker.candidates", Kind::Whole { most: 100 }, "20", "Number of top results to rerank."),
    also(
        &["RERANK_TIMEOUT_MS"],
        user(
            "reranker.timeout_ms",
            Kind::Whole { most: 600_000 },
            "5000",
            "Time limit of reranking, including retries; after that, the original order is kept.",
        ),
    ),
    user(
        "language_model.provider",
        Kind::OneOf(&["none", "openai"]),
        "none",
        "The language model: none, or a server with `/v1/chat/completions`.",
    ),
    user("language_model.model", TEXT, "", "Name of the model."),
    user(
        "language_model.base_url",
        ADDRESS,
        "",
        "Address of the server; by default OpenAI's own. `/v1/chat/completions` is appended.",
    ),
    user(
        "language_model.key_env",
        TEXT,
        "",
        "Environment variable that holds the key; `OPENAI_API_KEY` by default if `base_url` is not set.",
    ),
    user("language_model.timeout_ms", Kind::Whole { most: 600_000 }, "60000", "Maximum wait for a response."),
    user(
        "puku.chat.semanticContext.enabled",
        Kind::Switch,
        "true",
        "Whether chats get context automatically.",
    ),
    user("puku.chat.semanticContext.maxChunks", FEW, "10", "Maximum number of code blocks for a chat."),
    user(
        "puku.chat.semanticContext.minSimilarity",
        Kind::Share,
        "0.01",
        "Minimum relevance of a block: the probability that its lines answer the message. A block must also \
         reach a tenth of the best block's relevance, or 0.04 if that is less. With 0, every block qualifies.",
    ),
    user(
        "puku.chat.semanticContext.showIndicator",
        Kind::Switch,
        "true",
        "Whether the editor shows the files that were used.",
    ),
    user(
        "puku.chat.semanticContext.rephrase",
        Kind::OneOf(&["auto", "always", "never"]),
        "auto",
        "When to ask the language model, if one is configured, for names and lines that the code may \
         contain: `auto` asks if the first results are uncertain.",
    ),
    user(
        "puku.chat.semanticContext.rerank",
        Kind::Switch,
        "false",
        "Whether to rerank the first results: with the reranker or, if none is configured, with the \
         language model.",
    ),
    user(
        "puku.chat.semanticContext.tokenBudget",
        Kind::Between { least: 100, most: 200_000 },
        "4000",
        "Maximum number of tokens of a chat's context, including its headings.",
    ),
    user(
        "puku.inlineEdit.context.semantic.enabled",
        Kind::Switch,
        "true",
        "Whether inline edits get context.",
    ),
    user(
        "puku.inlineEdit.context.semantic.maxChunks",
        FEW,
        "3",
        "Maximum number of code blocks for an inline edit.",
    ),
    user("puku.inlineEdit.context.semantic.minScore", Kind::Share, "0.05", "Minimum score of a block."),
    user(
        "puku.inlineEdit.context.semantic.maxCodeLength",
        Kind::Between { least: 50, most: 100_000 },
        "4000",
        "Maximum length of a block's code, in bytes; longer code is cut at a syntax boundary.",
    ),
    user(
        "context.deadline_ms",
        Kind::Between { least: 10, most: 60_000 },
        "300",
        "Time limit for context; results that are ready by then are used. Model calls have their own \
         limits.",
    ),
    user(
        "context.rephrase_timeout_ms",
        Kind::Between { least: 10, most: 60_000 },
        "1500",
        "Maximum wait for the language model to suggest names and lines that the code may contain.",
    ),
    user(
        "context.tokenizer",
        TEXT,
        "o200k_base",
        "Tokenizer for counting tokens: an encoding (`o200k_base`, `cl100k_base`, `p50k_base`, \
         `r50k_base`), or a model such as `gpt-4o`.",
    ),
    user(
        "telemetry.enabled",
        Kind::Switch,
        "true",
        "Whether to keep statistics of returned context (counts, scores, times; no code) in the local \
         database for `craig stats`, and counts of the answers to assistants for `craig savings`. Nothing is sent.",
    ),
    user(
        "telemetry.texts",
        Kind::Switch,
        "false",
        "Whether to keep the questions as well, and to add them to the spans that `mcp.otlp_url` sends.",
    ),
    user(
        "mcp.otlp_url",
        ADDRESS,
        "",
        "Address of an OpenTelemetry collector that gets a span for each tool call of `craig mcp`, as OTLP over \
         HTTP in JSON, such as `http://127.0.0.1:4318`. `/v1/traces` is appended.",
    ),
    user(
        "gateway.address",
        TEXT,
        "127.0.0.1:7320",
        "Address that `craig gateway` listens on; by default only this machine can reach it.",
    ),
    user(
        "gateway.admin_address",
        TEXT,
        "",
        "Address that serves the operator's status page, such as 127.0.0.1:7321; by default the page is off.",
    ),
    user(
        "gateway.admin_token_env",
        TEXT,
        "",
        "Environment variable that holds the token for the status page; the token has at least 16 \
         characters.",
    ),
    user(
        "gateway.upstream_url",
        ADDRESS,
        "https://api.z.ai/api/paas/v4",
        "Address of the language model's provider. `/chat/completions` is appended.",
    ),
    user("gateway.upstream_model", TEXT, "glm-4.6", "Model for requests that do not name one."),
    user(
        "gateway.upstream_protocols",
        Kind::Texts,
        "chat",
        "Protocols of the provider: `chat` (OpenAI's chat, completions and embeddings), `responses` \
         (OpenAI's Responses), `messages` (Anthropic's Messages). The gateway's own requests use the \
         first one.",
    ),
    user(
        "gateway.upstream_key_env",
        TEXT,
        "",
        "Environment variable that holds the provider's key; `ZAI_API_KEY` by default if `upstream_url` \
         is not set.",
    ),
    user(
        "gateway.upstreams",
        Kind::Path,
        "",
        "A TOML file with several providers, models and prices (docs/gateway.md), which replaces the \
         four settings above.",
    ),
    user(
        "gateway.keys",
        Kind::Path,
        "",
        "File that stores the hashed keys of clients; `$XDG_DATA_HOME/craig/gateway-keys.json` by default.",
    ),
    user(
        "gateway.sign_in",
        Kind::Path,
        "",
        "A TOML file that names an identity provider (OpenID Connect) and what its groups may use (docs/teams.md).",
    ),
    user(
        "gateway.usage",
        Kind::Path,
        "",
        "File that records the usage of each key; `gateway-usage.jsonl` next to the keys by default.",
    ),
    user("gateway.tls_cert", Kind::Path, "", "Certificate chain (PEM); enables HTTPS."),
    user("gateway.tls_key", Kind::Path, "", "Private key of the certificate (PEM)."),
    user(
        "gateway.redis_env",
        TEXT,
        "",
        "Environment variable that holds the `redis://` address of a server that shares the cache, hourly \
         limits, requests per minute and spending between gateways.",
    ),
    user("gateway.max_body", Kind::Size, "32MB", "Maximum size of a request."),
    user(
        "gateway.max_buffered",
        Kind::Size,
        "256MB",
        "Maximum memory for requests and complete responses of all clients. Requests may use three quarters \
         of it, and each reserves at least three times its size. Requests beyond the limit get 503.",
    ),
    user(
        "gateway.max_connections",
        Kind::Whole { most: 1_000_000 },
        "10000",
        "Maximum number of open connections; additional ones wait.",
    ),
    user(
        "gateway.client_timeout_ms",
        Kind::Whole { most: 3_600_000 },
        "30000",
        "Maximum wait for a client to send its headers or body, or to continue reading.",
    ),
    user(
        "gateway.upstream_timeout_ms",
        Kind::Whole { most: 3_600_000 },
        "300000",
        "Maximum wait for a provider's response, or for the first event of a stream, including retries.",
    ),
    user(
        "gateway.first_byte_timeout_ms",
        Kind::Between { least: 1, most: 3_600_000 },
        "10000",
        "Wait for the first byte of a response; after that, another provider, if there is one, also gets \
         the request. The first response is used.",
    ),
    user(
        "gateway.stream_idle_ms",
        Kind::Whole { most: 3_600_000 },
        "60000",
        "Maximum wait for the next data of a stream.",
    ),
    user(
        "gateway.stream_total_ms",
        Kind::Whole { most: 86_400_000 },
        "3600000",
        "Maximum duration of a stream.",
    ),
    user(
        "gateway.grace_ms",
        Kind::Whole { most: 3_600_000 },
        "30000",
        "How long streams may continue after the gateway stops accepting connections.",
    ),
    user(
        "gateway.drain_ms",
        Kind::Whole { most: 3_600_000 },
        "5000",
        "How long connections are accepted after SIGTERM, while `/readyz` returns 503. Ctrl-C skips this \
         wait.",
    ),
    user(
        "gateway.tries",
        Kind::Between { least: 1, most: 10 },
        "3",
        "Attempts per provider, including the first.",
    ),
    user(
        "gateway.breaker_window_ms",
        Kind::Between { least: 100, most: 3_600_000 },
        "30000",
        "Period over which the circuit breaker of a provider's model counts requests.",
    ),
    user(
        "gateway.breaker_min_requests",
        Kind::Between { least: 1, most: 1_000_000 },
        "20",
        "Minimum number of requests in that period for the circuit breaker to open.",
    ),
    user(
        "gateway.breaker_failure_rate",
        Kind::Share,
        "0.5",
        "Share of failed requests at which the circuit breaker opens.",
    ),
    user(
        "gateway.breaker_probe_ms",
        Kind::Between { least: 1, most: 3_600_000 },
        "1000",
        "Wait before a single request probes an open circuit breaker; it doubles with each failed probe.",
    ),
    user(
        "gateway.breaker_max_probe_ms",
        Kind::Between { least: 1, most: 3_600_000 },
        "60000",
        "Maximum wait between two probes.",
    ),
    user(
        "gateway.stream_framing",
        Kind::OneOf(&["openai", "events"]),
        "openai",
        "Framing of streams: `data:` lines as OpenAI sends them, or `events` with additional `event: \
         data` and `event: done` lines.",
    ),
    user(
        "gateway.inject",
        Kind::Whole { most: 50 },
        "3",
        "Maximum number of a client's own search results to add to a conversation.",
    ),
    user(
        "gateway.max_context_tokens",
        Kind::Whole { most: 1_000_000 },
        "4000",
        "Token budget for these results, unless the request sets one.",
    ),
    user(
        "gateway.context_placement",
        Kind::OneOf(&["turn", "message", "question"]),
        "turn",
        "Position of context in a conversation: `turn` inserts a user message and a short reply before \
         the user's last message; `message` inserts only the user message, which models with strictly \
         alternating roles reject; `question` prepends it to the user's last message.",
    ),
    user(
        "gateway.context_memory",
        Kind::Size,
        "64MB",
        "Memory for context that was added to conversations. When a conversation continues, the same \
         bytes are inserted in the same place, so that providers' prompt caches stay valid. 0 disables \
         it.",
    ),
    user(
        "gateway.context_memory_seconds",
        Kind::Whole { most: 31_536_000 },
        "86400",
        "How long the gateway remembers added context.",
    ),
    user(
        "gateway.mark_prompt_cache",
        Kind::Switch,
        "true",
        "Whether to mark conversations that are translated for a `messages` provider for its prompt cache \
         (`cache_control`); providers of OpenAI's protocols cache without marks. Anthropic charges more for \
         tokens that it writes to the cache, and less for tokens that it reads from it.",
    ),
    user(
        "gateway.guesses",
        Kind::OneOf(&["auto", "always", "never"]),
        "auto",
        "When to ask the chat's model for names and lines that the code may contain, which are then searched \
         for as well: `auto` asks if the results for the message alone are uncertain. If a language model is \
         configured, it is asked instead, and `puku.chat.semanticContext.rephrase` decides when.",
    ),
    user(
        "gateway.guess_model",
        TEXT,
        "",
        "Model to ask for names and lines that the code may contain; by default the request's model.",
    ),
    user(
        "gateway.guess_timeout_ms",
        Kind::Between { least: 10, most: 60_000 },
        "1500",
        "Maximum wait for the model to suggest names and lines that the code may contain.",
    ),
    user(
        "gateway.mask_secrets",
        Kind::OneOf(&["off", "context", "all"]),
        "context",
        "Secrets that the gateway overwrites with `*`: none, those in the client's `semantic_results`, or \
         those in the whole conversation. Projects are stored without secrets. `x-craig-masked` reports their \
         number.",
    ),
    user(
        "gateway.max_reranks",
        Kind::Whole { most: 10_000 },
        "10",
        "Maximum number of concurrent reranks in one process.",
    ),
    user(
        "gateway.max_waiting_reranks",
        Kind::Whole { most: 100_000 },
        "50",
        "Maximum number of queued reranks; further ones are refused.",
    ),
    also(
        &["RERANK_CACHE_TTL"],
        user(
            "gateway.rerank_cache_seconds",
            Kind::Whole { most: 31_536_000 },
            "3600",
            "How long a rerank is cached; 0 disables the cache.",
        ),
    ),
    user(
        "gateway.rerank_cache_entries",
        Kind::Whole { most: 10_000_000 },
        "10000",
        "Maximum number of reranks cached in memory.",
    ),
    user(
        "gateway.reranks_per_hour",
        Kind::Whole { most: 1_000_000_000 },
        "100",
        "Maximum number of reranks per key and hour; 0 means no limit.",
    ),
    user(
        "gateway.searches_per_hour",
        Kind::Whole { most: 1_000_000_000 },
        "1000",
        "Maximum number of searches per key and hour; 0 means no limit.",
    ),
    user("gateway.open_metrics", Kind::Switch, "false", "Whether `/metrics` is accessible without a key."),
    user(
        "gateway.allow_origin",
        Kind::Texts,
        "",
        "Additional web origins whose pages may send requests; pages of this machine, of VS Code and of the \
         gateway are always allowed.",
    ),
    user("gateway.log_requests", Kind::Switch, "true", "Whether to log a line for each request."),
    user(
        "gateway.rerank_usd_per_million_tokens",
        Kind::Number,
        "0.0375",
        "Price of reranking, for `estimated_cost_usd`.",
    ),
    user(
        "gateway.otlp_url",
        ADDRESS,
        "",
        "Address of an OpenTelemetry collector that accepts OTLP over HTTP in JSON, such as \
         `http://127.0.0.1:4318`. `/v1/traces` and `/v1/metrics` are appended.",
    ),
    user(
        "gateway.monthly_budget_usd",
        Kind::Number,
        "",
        "Monthly budget, exported as a metric; the alert `CostProjection` in `deploy/gateway/alerts.yml` \
         compares costs with it.",
    ),
];

/// A removed setting of an older version. Using it is an error that names the replacement.
#[derive(Debug)]
pub(super) struct Retired {
    /// Its section and name.
    pub(super) key: &'static str,
    /// Further environment variables that set it.
    pub(super) aliases: &'static [&'static str],
    /// What to do instead, as a sentence without a full stop: `set 'gateway.breaker_window_ms' instead`.
    pub(super) instead: &'static str,
}

/// All retired settings: the keys of removed definitions.
pub(super) const RETIRED: &[Retired] = &[
    #[cfg(test)]
    Retired {
        key: "gateway.example.failures_to_open",
        aliases: &["EXAMPLE_FAILURES"],
        instead: "set 'gateway.breaker_failure_rate' instead",
    },
    Retired {
        key: "explain.code_lens",
        aliases: &[],
        instead: "editors get documentation on hover and by the command craig.explain",
    },
    Retired { key: "language_model.path", aliases: &[], instead: GGUF_INSTEAD },
];

const GGUF_INSTEAD: &str = "serve the file with llama.cpp's own server, and set 'language_model.provider' to openai and \
     'language_model.base_url' to its address";

/// Values of older versions: the setting, the value, and what to do instead.
const RETIRED_VALUES: &[(&str, &str, &str)] = &[("language_model.provider", "gguf", GGUF_INSTEAD)];

impl Retired {
    /// The environment variables that set it.
    pub(super) fn variables(&self) -> impl Iterator<Item = String> {
        variables(self.key, self.aliases)
    }
}

/// The variable derived from a key, and further ones.
fn variables(key: &str, aliases: &'static [&'static str]) -> impl Iterator<Item = String> + use<> {
    let own = format!("CRAIG_{}", key.replace('.', "_").to_uppercase());
    std::iter::once(own).chain(aliases.iter().map(|&alias| alias.to_owned()))
}

impl Definition {
    /// The environment variables that set it, in descending precedence.
    pub fn variables(&self) -> impl Iterator<Item = String> + '_ {
        variables(self.key, self.aliases)
    }

    /// The built-in value.
    pub(super) fn default_value(&self) -> Value {
        if self.default.is_empty() {
            self.kind.unset()
        } else {
            self.parse(self.default).unwrap_or(Value::Unset)
        }
    }

    /// Parses a value from a command line or the environment.
    pub(super) fn parse(&self, text: &str) -> Result<Value, String> {
        match (self.key, text.trim()) {
            // The documented switch of one provider: true means `voyage`, false means `none`.
            ("reranker.provider", "true" | "1") => Ok(Value::Text("voyage".to_owned())),
            ("reranker.provider", "false" | "0") => Ok(Value::Text("none".to_owned())),
            (_, trimmed) => {
                self.kind.parse(text).map_err(|reason| self.retired_value(trimmed).unwrap_or(reason))
            }
        }
    }

    /// Why `value` is refused, if an older version accepted it.
    pub(super) fn retired_value(&self, value: &str) -> Option<String> {
        let (.., instead) =
            RETIRED_VALUES.iter().find(|(key, known, _)| (*key, *known) == (self.key, value))?;
        Some(format!("{value:?} is no longer supported: {instead}"))
    }
}

/// The definition of `key`; if there is none, an error that names `place`.
pub(super) fn find(key: &str, place: impl FnOnce() -> String) -> Result<&'static Definition, SettingsError> {
    if let Some(definition) = DEFINITIONS.iter().find(|definition| definition.key == key) {
        return Ok(definition);
    }
    let place = place();
    Err(match RETIRED.iter().find(|retired| retired.key == key) {
        Some(Retired { key, instead, .. }) => SettingsError::Retired { key, place, instead },
        None => SettingsError::UnknownKey { key: key.to_owned(), place, similar: similar(key) },
    })
}

/// The known keys that are most similar to `key`, if they differ from it in at most a third of its letters.
fn similar(key: &str) -> Vec<String> {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let distance = |known: &str| {
        let own = strsim::osa_distance(key, known);
        // The right name in a wrong section also counts as similar.
        if last(key) == last(known) { own.min(2) } else { own }
    };
    let mut nearest: Vec<(usize, &str)> =
        DEFINITIONS.iter().map(|definition| (distance(definition.key), definition.key)).collect();
    nearest.sort();
    let least = nearest.first().map_or(0, |(distance, _)| *distance);
    nearest
        .into_iter()
        .take_while(|(distance, _)| *distance == least && 3 * distance <= key.len())
        .take(3)
        .map(|(_, key)| key.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_can_be_read() {
        for definition in DEFINITIONS.iter().filter(|definition| !definition.default.is_empty()) {
            assert!(definition.parse(definition.default).is_ok(), "{}", definition.key);
        }
    }

    /// The settings that a project's file may contain are a short, reviewed list.
    #[test]
    fn a_project_may_say_which_of_its_files_count_and_nothing_else() {
        let allowed = DEFINITIONS.iter().filter(|definition| definition.scope == Scope::Project);
        let allowed: Vec<_> = allowed.map(|definition| definition.key).collect();
        let expected = [
            "source.max_file_size",
            "source.hidden",
            "source.exclude",
            "source.include",
            "source.skip_folders",
            "documentation.include",
            "documentation.exclude",
            "documentation.max_file_size",
        ];
        assert_eq!(allowed, expected);
    }

    #[test]
    fn no_retired_key_is_a_setting() {
        for Retired { key, .. } in RETIRED {
            assert!(DEFINITIONS.iter().all(|definition| definition.key != *key), "{key}");
        }
    }

    #[test]
    fn the_nearest_key_is_found() {
        assert_eq!(similar("embedder.provder"), ["embedder.provider"]);
        assert_eq!(similar("threds"), ["threads"]);
        assert!(similar("rerank.candidates").contains(&"reranker.candidates".to_owned()));
        assert!(similar("search.limit").is_empty());
        assert!(similar("foo.bar").is_empty());
    }
}
