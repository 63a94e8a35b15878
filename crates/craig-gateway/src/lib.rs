//! The HTTP gateway for editors and clients of OpenAI and Anthropic: it finds code for a conversation, puts it in, and passes
//! the model's answer on.
//!
//! A surface: protocol types and the runtime live here, search, context and reranking behind `craig-engine`. One file connects
//! to providers of language models and of identity, and to collectors of spans, also those of the MCP server (`client.rs`), one
//! to Redis (`shared.rs`). Logs, metrics and traces hold no query, code or
//! key, and no model that only clients name; of a request they hold its id and its trace. Errors do not repeat a request; a
//! provider's message about a request that it refuses goes to its client, without longer quotes of it.

mod admin;
mod admission;
mod allowance;
pub mod attributes;
mod audit;
mod bounded;
mod breakers;
mod browse;
mod budget;
mod call;
mod caller;
mod client;
mod config;
mod config_file;
mod context;
mod context_memory;
mod conversation;
mod cost_projection;
mod embeddings;
mod failure;
mod gateway;
mod guesses;
mod history;
mod hooks;
mod housekeeping;
mod identity;
mod index_failures;
mod intake;
mod journal;
pub mod keys;
mod limits;
mod live;
mod masking;
mod meter;
mod metrics;
mod models;
mod openapi;
mod page;
mod protocol;
mod providers;
mod proxy;
mod race;
mod ranking;
mod raw;
mod relay;
mod rerank;
mod retrieval;
mod routes;
mod search;
mod server;
mod shared;
mod shares;
mod sign_in;
mod snippet;
mod sse;
mod static_files;
mod status;
mod target;
mod tls;
pub mod traces;
mod translate;
mod upstreams;
pub mod usage;
mod watched_file;

pub use caller::Guest;
pub use config::{
    Admin, Bounds, ConfigError, GatewayConfig, GuessConfig, HourlyLimits, Injection, Masking, Placement,
};
pub use config_file::ConfigFileError;
pub use gateway::StartError;
pub use identity::IdentityConfig;
pub use intake::MCP_PATH;
pub use keys::hashed;
pub use live::Reread;
pub use protocol::ProtocolName;
pub use server::{Running, serve_until_stopped};
pub use shares::{Share, Shares};
pub use sse::Framing;
pub use tls::TlsError;
pub use upstreams::{Patience, Price, Prices, Upstream, UpstreamsError};
pub use watched_file::WatchedFile;
