//! The definitions of all settings: one that is added here can be set, and is shown and documented.

use super::SettingsError;
use super::value::{Kind, Value};

/// One setting.
#[derive(Debug)]
pub struct Definition {
    /// Section and name: `embedder.model`.
    pub key: &'static str,
    /// Kind of its values.
    pub kind: Kind,
    /// The default as on a command line; empty if there is none.
    pub default: &'static str,
    /// Who may set it.
    pub scope: Scope,
    /// Further environment variables that set it, beside the one derived from its key.
    pub aliases: &'static [&'static str],
    /// Its description.
    pub meaning: &'static str,
}

/// Whose file may set a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's alone: it reaches outside the project, costs money, or names a file.
    User,
    /// The project's as well.
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
        user("database", Kind::Path, "", "The database; `$XDG_DATA_HOME/craig/craig.db` when not set."),
    ),
    user(
        "threads",
        Kind::Whole { most: 1024 },
        "0",
        "Threads for reading, parsing and embedding; 0 means one for each core.",
    ),
    user("project_settings", Kind::Switch, "true", "Whether a project's own `.craig.toml` is read."),
    project(
        "source.max_file_size",
        Kind::Size,
        "1MB",
        "Larger files are not tracked: bytes, or a size such as `500kB`.",
    ),
    project(
        "source.hidden",
        Kind::Switch,
        "false",
        "Track hidden files and folders, also those that git does not track.",
    ),
    user("source.ignore_files", Kind::Switch, "true", "Respect `.gitignore`, `.ignore` and `.pukuignore`."),
    project(
        "source.exclude",
        Kind::Texts,
        "",
        "Files to exclude, as lines of a `.gitignore`. Values from all places are combined.",
    ),
    project(
        "source.include",
        Kind::Texts,
        "",
        "Files to include even if they are hidden or in a skipped folder. Values from all places are \
         combined.",
    ),
    project(
        "source.skip_folders",
        Kind::Texts,
        "",
        "Names of folders that are never entered, in addition to the built-in ones. Values from all \
         places are combined.",
    ),
    project(
        "documentation.include",
        Kind::Texts,
        "",
        "Documents that are read in addition to those that are found: globs relative to the project's folder, \
         such as `notes/*.md`. Values from all places are combined.",
    ),
    project(
        "documentation.exclude",
        Kind::Texts,
        "",
        "Markdown files that are not documentation, as globs of the same form: `docs/archive/**`. Values \
         from all places are combined.",
    ),
    project(
        "documentation.max_file_size",
        Kind::Size,
        "4MB",
        "Larger Markdown files are skipped: bytes, or a size such as `500kB`.",
    ),
    user(
        "explain.activation",
        Kind::OneOf(&["scripts", "always", "never"]),
        "scripts",
        "In which projects editors show documentation unasked: those with a `package.json` or with \
         JavaScript or TypeScript files, all, or none. Commands work in all of them.",
    ),
    user(
        "explain.comments",
        Kind::Switch,
        "true",
        "Whether requested explanations add what the comment of the definition says. It never counts as \
         documentation.",
    ),
    user(
        "explain.packages",
        Kind::Switch,
        "true",
        "Whether explanations of imported symbols add what the documentation of their package says, labelled with package \
         and version, for packages that `craig docs add` has indexed. It never counts as the project's documentation.",
    ),
    user(
        "explain.language_model",
        Kind::Switch,
        "false",
        "Whether the language model rephrases explanations, as far as the documentation supports its \
         words. Sends the code and the quotes to it. Never for hovers.",
    ),
    user(
        "explain.timeout_ms",
        Kind::Between { least: 100, most: 600_000 },
        "20000",
        "Longest wait for the language model; after that the documentation is quoted.",
    ),
    user(
        "lsp.database",
        Kind::OneOf(&["shared", "workspace"]),
        "shared",
        "Which database `craig lsp` uses: the command line's, or `.puku/embeddings.db` in each folder, which commands in that \
         folder find by themselves. A database that is named holds.",
    ),
    user(
        "lsp.ingest",
        Kind::OneOf(&["on_request", "on_open"]),
        "on_request",
        "When `craig lsp` ingests a folder: with the first search or context, or as soon as it is opened; then it is kept up \
         to date while it is open.",
    ),
    user(
        "lsp.navigation",
        Kind::OneOf(&["auto", "on", "off"]),
        "auto",
        "Whether `craig lsp` answers where symbols are defined, referred to and called: for the languages of \
         `lsp.languages`, for all, or for none. Editors show the answers of several servers side by side.",
    ),
    user(
        "lsp.languages",
        Kind::Texts,
        "",
        "Languages that no other language server answers for, such as `python`.",
    ),
    user(
        "hooks.session_start",
        Kind::Switch,
        "true",
        "Whether `craig hook session-start` tells an assistant at the start of a session what is indexed.",
    ),
    user(
        "hooks.after_search",
        Kind::Switch,
        "true",
        "Whether `craig hook after-search` tells an assistant where the names that it has just searched for are defined.",
    ),
    user(
        "hooks.timeout_ms",
        Kind::Between { least: 1, most: 60_000 },
        "40",
        "Longest time for the answer of a hook; after that there is none.",
    ),
    user(
        "git.depth",
        Kind::Whole { most: 1_000_000 },
        "1",
        "Number of commits of a repository's history to fetch; 0 means all.",
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
        "Git is stopped after this many seconds without output.",
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
        "Name of the provider's model; `voyage-code-3` and `text-embedding-3-small` when not set.",
    ),
    user("embedder.path", Kind::Path, "", "Folder of the local model."),
    user(
        "embedder.base_url",
        ADDRESS,
        "",
        "Address of the server; the provider's own when not set. `/v1/embeddings` is added.",
    ),
    user(
        "embedder.key_env",
        TEXT,
        "",
        "Environment variable that holds the key; `VOYAGE_API_KEY` or `OPENAI_API_KEY` when not set and \
         `base_url` is not set either.",
    ),
    user(
        "embedder.dimensions",
        Kind::Whole { most: 8192 },
        "",
        "Length of the vectors to ask a provider for; the model's own when not set.",
    ),
    user("embedder.query_prefix", TEXT, "", "Prefix for queries, if the model requires one."),
    user("embedder.document_prefix", TEXT, "", "Prefix for indexed texts, if the model requires one."),
    user(
        "embedder.max_tokens",
        Kind::Whole { most: 32768 },
        "",
        "Tokens of a text that a local model reads; by default as its folder says.",
    ),
    user(
        "embedder.timeout_ms",
        Kind::Whole { most: 600_000 },
        "60000",
        "Longest wait for one response of a provider.",
    ),
    user(
        "embedder.usd_per_million_tokens",
        Kind::Number,
        "",
        "Price for the estimate before embedding; by default the known list price.",
    ),
    also(
        &["VOYAGE_RERANK_ENABLED"],
        user(
            "reranker.provider",
            Kind::OneOf(&["none", "voyage", "http", "local", "llm"]),
            "none",
            "The reranker of the first results: none, Voyage, a server with `/v1/rerank`, a cross-encoder on \
             this machine, or the language model. `VOYAGE_RERANK_ENABLED=true` means `voyage`.",
        ),
    ),
    also(
        &["VOYAGE_RERANK_MODEL"],
        user(
            "reranker.model",
            TEXT,
            "",
            "Name of the provider's model; `rerank-2-lite` for Voyage when not set.",
        ),
    ),
    user("reranker.path", Kind::Path, "", "Folder of the local cross-encoder."),
    user(
        "reranker.base_url",
        ADDRESS,
        "",
        "Address of the server; Voyage's own when not set. `/v1/rerank` is added unless it ends in \
         `/rerank`.",
    ),
    user(
        "reranker.dialect",
        Kind::OneOf(&["common", "voyage", "tei"]),
        "common",
        "Protocol of the `http` server: that of Cohere, Jina, vLLM and llama.cpp; of Voyage; or of \
         text-embeddings-inference.",
    ),
    user(
        "reranker.key_env",
        TEXT,
        "",
        "Environment variable that holds the key; `VOYAGE_API_KEY` when not set and the address is \
         Voyage's own.",
    ),
    user("reranker.candidates", Kind::Whole { most: 100 }, "20", "Number of first results to rerank."),
    also(
        &["RERANK_TIMEOUT_MS"],
        user(
            "reranker.timeout_ms",
            Kind::Whole { most: 600_000 },
            "5000",
            "Time for reranking, including retries; after that the original order is kept.",
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
        "Address of the server; OpenAI's own when not set. `/v1/chat/completions` is added.",
    ),
    user(
        "language_model.key_env",
        TEXT,
        "",
        "Environment variable that holds the key; `OPENAI_API_KEY` when not set and `base_url` is not set \
         either.",
    ),
    user(
        "language_model.timeout_ms",
        Kind::Whole { most: 600_000 },
        "60000",
        "Longest wait for one response.",
    ),
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
        "Minimum relevance of a block: the probability that its lines answer. A block also needs a tenth of the \
         best one's, where that is less than 0.08; with 0, any block is taken for any message.",
    ),
    user(
        "puku.chat.semanticContext.showIndicator",
        Kind::Switch,
        "true",
        "Whether the editor shows which files were used.",
    ),
    user(
        "puku.chat.semanticContext.rephrase",
        Kind::OneOf(&["auto", "always", "never"]),
        "auto",
        "When the language model, if one is configured, is asked for names and lines that the code may have: `auto` asks when \
         the first results are unsure.",
    ),
    user(
        "puku.chat.semanticContext.rerank",
        Kind::Switch,
        "false",
        "Whether the reranker, or otherwise the language model, reranks the first results.",
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
    user("puku.inlineEdit.context.semantic.minScore", Kind::Share, "0.1", "Minimum score of a block."),
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
        "Time limit for context; what is ready by then is used. Calls of models have limits of their own.",
    ),
    user(
        "context.rephrase_timeout_ms",
        Kind::Between { least: 10, most: 60_000 },
        "1500",
        "Longest wait for the language model to say what the code may look like.",
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
        "Keep statistics of returned context (counts, scores, times; no code) in the local database, for \
         `craig stats`. Nothing is sent.",
    ),
    user("telemetry.texts", Kind::Switch, "false", "Also keep the questions."),
    user(
        "gateway.address",
        TEXT,
        "127.0.0.1:7320",
        "Address that `craig gateway` listens on; by default only this machine can reach it.",
    ),
    user(
        "gateway.upstream_url",
        ADDRESS,
        "https://api.z.ai/api/paas/v4",
        "Address of the language model's provider. `/chat/completions` is added.",
    ),
    user("gateway.upstream_model", TEXT, "glm-4.6", "Model for requests that name none."),
    user(
        "gateway.upstream_protocols",
        Kind::Texts,
        "chat",
        "Protocols that the provider speaks: `chat` (OpenAI's chat, completions and embeddings), `responses` \
         (OpenAI's Responses), `messages` (Anthropic's Messages). The gateway itself asks in the first.",
    ),
    user(
        "gateway.upstream_key_env",
        TEXT,
        "",
        "Environment variable that holds the provider's key; `ZAI_API_KEY` when neither it nor \
         `upstream_url` is set.",
    ),
    user(
        "gateway.upstreams",
        Kind::Path,
        "",
        "A TOML file with several providers, models and prices (docs/gateway.md), instead of the four \
         settings above.",
    ),
    user(
        "gateway.keys",
        Kind::Path,
        "",
        "File of the clients' hashed keys; `$XDG_DATA_HOME/craig/gateway-keys.json` when not set.",
    ),
    user("gateway.tls_cert", Kind::Path, "", "Certificate chain (PEM): the gateway then speaks HTTPS."),
    user("gateway.tls_key", Kind::Path, "", "Private key of the certificate (PEM)."),
    user(
        "gateway.redis_env",
        TEXT,
        "",
        "Environment variable that holds a `redis://` address to share limits and cache through.",
    ),
    user("gateway.max_body", Kind::Size, "32MB", "Largest request."),
    user(
        "gateway.max_buffered",
        Kind::Size,
        "256MB",
        "Memory for requests (three quarters of it; each request counts three times) and complete \
         responses, for all clients together. Requests beyond it get 503.",
    ),
    user(
        "gateway.max_connections",
        Kind::Whole { most: 1_000_000 },
        "10000",
        "Maximum number of open connections; further ones wait.",
    ),
    user(
        "gateway.client_timeout_ms",
        Kind::Whole { most: 3_600_000 },
        "30000",
        "Longest wait for a client to send its headers or body, or to continue reading.",
    ),
    user(
        "gateway.upstream_timeout_ms",
        Kind::Whole { most: 3_600_000 },
        "300000",
        "Longest wait for a provider's response, or for the first event of a stream, including retries.",
    ),
    user(
        "gateway.first_byte_timeout_ms",
        Kind::Between { least: 1, most: 3_600_000 },
        "10000",
        "If there is another provider: silence after which it gets the request as well. The first \
         response is passed on.",
    ),
    user(
        "gateway.stream_idle_ms",
        Kind::Whole { most: 3_600_000 },
        "60000",
        "Longest silence within a stream.",
    ),
    user("gateway.stream_total_ms", Kind::Whole { most: 86_400_000 }, "3600000", "Longest stream."),
    user(
        "gateway.grace_ms",
        Kind::Whole { most: 3_600_000 },
        "30000",
        "How long streams may continue once no more connections are accepted.",
    ),
    user(
        "gateway.drain_ms",
        Kind::Whole { most: 3_600_000 },
        "5000",
        "After SIGTERM: how long connections are still accepted while `/readyz` returns 503. Ctrl-C does \
         not wait.",
    ),
    user("gateway.tries", Kind::Whole { most: 10 }, "3", "Attempts per provider, including the first."),
    user(
        "gateway.breaker_window_ms",
        Kind::Between { least: 100, most: 3_600_000 },
        "30000",
        "The time over which the circuit breaker of a provider's model counts requests.",
    ),
    user(
        "gateway.breaker_min_requests",
        Kind::Between { least: 1, most: 1_000_000 },
        "20",
        "With fewer requests in that time the circuit breaker stays closed.",
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
        "Wait before a single request probes an open circuit breaker; it doubles with each probe that fails.",
    ),
    user(
        "gateway.breaker_max_probe_ms",
        Kind::Between { least: 1, most: 3_600_000 },
        "60000",
        "Longest wait between two probes.",
    ),
    user(
        "gateway.stream_framing",
        Kind::OneOf(&["openai", "events"]),
        "openai",
        "How streams are framed: `data:` lines as OpenAI sends them, or with `event: data` and `event: \
         done` before them.",
    ),
    user(
        "gateway.inject",
        Kind::Whole { most: 50 },
        "3",
        "Results of a client that are put into a conversation.",
    ),
    user(
        "gateway.max_context_tokens",
        Kind::Whole { most: 1_000_000 },
        "4000",
        "Tokens of them, unless the request says so.",
    ),
    user(
        "gateway.context_placement",
        Kind::OneOf(&["turn", "message", "question"]),
        "turn",
        "Where context stands in a conversation: directly before the user's last message as a `turn` (a \
         message of the user and a short reply) or as a `message` of the user alone, which models with \
         strictly alternating roles refuse, or at the head of the user's own message, the `question`.",
    ),
    user(
        "gateway.context_memory",
        Kind::Size,
        "64MB",
        "Memory for what was put into conversations: it is put in again, the same bytes in the same place, when \
         they go on, so that providers' prompt caches stay valid. 0 forgets it.",
    ),
    user(
        "gateway.context_memory_seconds",
        Kind::Whole { most: 31_536_000 },
        "86400",
        "How long it is remembered.",
    ),
    user(
        "gateway.guesses",
        Kind::OneOf(&["auto", "always", "never"]),
        "auto",
        "When a chat's model is asked for names and lines that the code may have, to search for them as well: \
         `auto` asks when the context that the message alone finds is unsure. If a language model is \
         configured (`language_model.provider`), that one is asked instead.",
    ),
    user(
        "gateway.guess_model",
        TEXT,
        "",
        "The model that is asked for them, instead of the one of the request.",
    ),
    user(
        "gateway.guess_timeout_ms",
        Kind::Between { least: 10, most: 60_000 },
        "1500",
        "Longest wait for them.",
    ),
    user(
        "gateway.mask_secrets",
        Kind::OneOf(&["off", "context", "all"]),
        "context",
        "Secrets that the gateway overwrites with `*`: none, those of the context that it adds, or those of \
         the whole conversation. `x-craig-masked` reports how many.",
    ),
    user(
        "gateway.max_reranks",
        Kind::Whole { most: 10_000 },
        "10",
        "Reranks at the same time, in any server.",
    ),
    user(
        "gateway.max_waiting_reranks",
        Kind::Whole { most: 100_000 },
        "50",
        "Reranks that wait in the queue; more are refused.",
    ),
    also(
        &["RERANK_CACHE_TTL"],
        user(
            "gateway.rerank_cache_seconds",
            Kind::Whole { most: 31_536_000 },
            "3600",
            "How long a rerank is cached; 0 for not at all.",
        ),
    ),
    user(
        "gateway.rerank_cache_entries",
        Kind::Whole { most: 10_000_000 },
        "10000",
        "Reranks that are cached in memory.",
    ),
    user(
        "gateway.reranks_per_hour",
        Kind::Whole { most: 1_000_000_000 },
        "100",
        "Reranks per key; 0 for no limit.",
    ),
    user(
        "gateway.searches_per_hour",
        Kind::Whole { most: 1_000_000_000 },
        "1000",
        "Searches per key; 0 for no limit.",
    ),
    user("gateway.open_metrics", Kind::Switch, "false", "Show `/metrics` without a key."),
    user(
        "gateway.allow_origin",
        Kind::Texts,
        "",
        "Web origins whose pages may send requests, in addition to those of this machine.",
    ),
    user("gateway.log_requests", Kind::Switch, "true", "Log a line for each request."),
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
        "Address of an OpenTelemetry collector that takes OTLP over HTTP in JSON, such as \
         `http://127.0.0.1:4318`. `/v1/traces` is added.",
    ),
    user(
        "gateway.monthly_budget_usd",
        Kind::Number,
        "",
        "The monthly budget, as a metric: the alert `CostProjection` of `deploy/gateway/alerts.yml` \
         compares costs with it.",
    ),
];

/// A setting of an older version. Using it is an error that names its replacement.
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
            // The documented switch of one provider: true and false stand for it and for none.
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
        Some(format!("{value:?} is not supported any more: {instead}"))
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

/// The known keys that are most similar to `key`.
fn similar(key: &str) -> Vec<String> {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let distance = |known: &str| {
        let own = strsim::osa_distance(key, known);
        // The right name in a wrong section is similar as well.
        if last(key) == last(known) { own.min(2) } else { own }
    };
    let mut nearest: Vec<(usize, &str)> =
        DEFINITIONS.iter().map(|definition| (distance(definition.key), definition.key)).collect();
    nearest.sort();
    let least = nearest.first().map_or(0, |(distance, _)| *distance);
    nearest
        .into_iter()
        .take_while(|(distance, _)| *distance == least)
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

    /// What a stranger's file may set is a short list, looked at by people.
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
    }
}
