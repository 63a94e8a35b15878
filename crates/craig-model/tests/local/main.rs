//! Local models: MiniLM with its real weights, model2vec folders, cross-encoders.
//!
//! The weights are not in the repository: `scripts/fetch-test-models` brings them. Without them, the tests that need them
//! say so and end.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod minilm;
mod onnx;
mod small;
mod table;
mod weights;
