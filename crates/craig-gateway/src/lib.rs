//! The HTTP gateway: what an editor or any OpenAI client talks to. It reranks search results, puts the best into the
//! conversation, and passes the model's answer on.
//!
//! A surface: protocol types and the runtime live here, search and models behind `craig-engine`. One file connects to
//! providers (`client.rs`), one to Redis (`shared.rs`). Nothing that a client sends or a provider answers is logged,
//! counted by name, or repeated in an error.

mod alerts;
mod breaker;
mod cache;
mod call;
mod caller;
mod chat;
mod client;
mod config;
mod context;
mod conversation;
mod embeddings;
mod failure;
mod gateway;
mod housekeeping;
mod intake;
mod journal;
pub mod keys;
mod limits;
mod metrics;
mod providers;
mod queue;
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

pub use caller::hashed;
pub use config::{Bounds, ConfigError, GatewayConfig, HourlyLimits, Injection, RerankSettings};
pub use gateway::StartError;
pub use server::{Running, serve_until_told};
pub use sse::Framing;
pub use upstreams::{Price, Prices, Upstream, UpstreamsError};
