//! The HTTP gateway: what an editor or any OpenAI client talks to. It reranks search results, puts the best into the
//! conversation, and passes the model's answer on.
//!
//! A surface: protocol types and the runtime live here, search and models behind `craig-engine`. One file connects to
//! providers (`client.rs`), one to Redis (`shared.rs`). Logs, metrics and traces hold no query, code or key, and no name of a
//! model that the configuration does not have; of what a client sends they hold its request id and its trace. Errors do
//! not repeat a request; a provider's message about one that it refuses goes to its client, without longer quotes of it.

mod breaker;
mod budget;
mod cache;
mod call;
mod caller;
mod chat;
mod client;
mod config;
mod context;
mod conversation;
mod cost_projection;
mod embeddings;
mod failure;
mod gateway;
mod housekeeping;
mod intake;
mod journal;
pub mod keys;
mod limits;
mod metrics;
mod openapi;
mod providers;
mod queue;
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
mod snippet;
mod sse;
mod tls;
mod traces;
mod upstreams;

pub use breaker::BreakerSettings;
pub use caller::hashed;
pub use config::{Bounds, ConfigError, GatewayConfig, HourlyLimits, Injection, RerankSettings};
pub use gateway::StartError;
pub use server::{Running, serve_until_told};
pub use sse::Framing;
pub use tls::TlsError;
pub use upstreams::{Price, Prices, Upstream, UpstreamsError};
