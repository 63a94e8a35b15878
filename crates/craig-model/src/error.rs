//! What can go wrong with a model, sorted by what it means for the caller.

use std::time::Duration;

use thiserror::Error;

/// A model that cannot be used or gave no usable answer. No message holds a key or a text that was sent.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// The weights are not what the format asks for.
    #[error("model weights are malformed: {0}")]
    Malformed(String),
    /// A file that a local model needs is not in its folder.
    #[error("the model folder has no {file}")]
    MissingFile {
        /// Name of the file, or names that would do.
        file: String,
    },
    /// A file of a local model cannot be read.
    #[error("cannot read {file} of the model folder: {reason}")]
    Unreadable {
        /// Name of the file.
        file: String,
        /// The system's message.
        reason: String,
    },
    /// A local model of a kind that cannot be run.
    #[error("this kind of model is not supported: {reason}")]
    Unsupported {
        /// Which kind, and what could be.
        reason: String,
    },
    /// A transformer as safetensors: transformers are run from ONNX.
    #[error(
        "the model folder has a {model_type} model as model.safetensors, and no model.onnx or onnx/model.onnx"
    )]
    NeedsOnnx {
        /// What config.json calls the architecture.
        model_type: String,
    },
    /// A provider needs a key and none was given.
    #[error("{provider} needs an API key, and {variable} is not set")]
    MissingKey {
        /// Who needs it.
        provider: String,
        /// Environment variable that it is looked for in.
        variable: String,
    },
    /// Nobody answers at the address.
    #[error("cannot reach {provider} at {url}: {reason}")]
    Unreachable {
        /// Who was asked.
        provider: String,
        /// Where.
        url: String,
        /// The network's message.
        reason: String,
    },
    /// No answer came in time.
    #[error("{provider} did not respond within {} ms", waited.as_millis())]
    TimedOut {
        /// Who was asked.
        provider: String,
        /// For how long.
        waited: Duration,
    },
    /// The caller cancelled the request.
    #[error("the request to {provider} was cancelled")]
    Cancelled {
        /// Who was asked.
        provider: String,
    },
    /// The provider answered with an error.
    #[error("{provider} refused the request with status {status}{}", after_colon(message))]
    Refused {
        /// Who was asked.
        provider: String,
        /// HTTP status.
        status: u16,
        /// Its message, shortened.
        message: String,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
        /// Environment variable of the key that was sent.
        key_variable: Option<String>,
    },
    /// The provider redirects, which could carry the key and the request to somewhere else.
    #[error("{provider} redirects to another address, which is not followed")]
    Redirected {
        /// The provider.
        provider: String,
    },
    /// The answer is compressed in a way that the request did not offer.
    #[error("{provider} sent a compressed response, which was not requested")]
    Compressed {
        /// The provider.
        provider: String,
    },
    /// A reranker scored no document.
    #[error("the response of {provider} has no results")]
    NoResults {
        /// The provider.
        provider: String,
    },
    /// Nothing was sent: the provider failed too often, or asked for a pause.
    #[error("{provider} is paused: it failed too often, or requested a pause")]
    CircuitOpen {
        /// The provider.
        provider: String,
        /// Why: [`FailureClass::RateLimit`] if it asked for a pause.
        class: FailureClass,
        /// When it may be asked again.
        retry_after: Duration,
    },
    /// Too many requests wait already.
    #[error("too many reranks are already queued")]
    QueueFull,
    /// Other requests took the time that this one had.
    #[error("the time limit expired while this rerank was queued")]
    QueueTimeout,
    /// The built-in ranking failed.
    #[error("the texts cannot be ranked: {reason}")]
    Ranking {
        /// What went wrong.
        reason: String,
    },
    /// The answer is not what the protocol asks for.
    #[error("the response of {provider} is invalid: {reason}")]
    BadAnswer {
        /// Who was asked.
        provider: String,
        /// What is wrong with it.
        reason: String,
    },
}

fn after_colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// What a failure means, as the gateway counts and retries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureClass {
    /// Nobody answers: try again.
    Network,
    /// Too many requests: try again, later.
    RateLimit,
    /// Too slow: try again.
    Timeout,
    /// The provider is in trouble: try again.
    Server,
    /// The key is missing or wrong.
    Auth,
    /// The request cannot be answered, however often it is sent.
    InvalidRequest,
    /// The answer cannot be understood.
    BadAnswer,
    /// A local model cannot be loaded or run.
    Model,
    /// Too many requests at once: try again.
    Busy,
    /// The caller has cancelled it.
    Cancelled,
}

impl FailureClass {
    /// What a provider means with an HTTP status that is no success.
    pub fn of_status(status: u16) -> Self {
        match status {
            401..=403 => Self::Auth,
            408 => Self::Timeout,
            // 498: no capacity left (Groq).
            429 | 498 => Self::RateLimit,
            // A conflict, a failed dependency, too early, a connection that was closed on the provider's side.
            409 | 423..=425 | 499.. => Self::Server,
            _ => Self::InvalidRequest,
        }
    }

    /// Whether the same request may succeed when it is sent again.
    pub fn is_passing(self) -> bool {
        matches!(self, Self::Network | Self::RateLimit | Self::Timeout | Self::Server)
    }
}

impl ModelError {
    /// What the failure means.
    pub fn class(&self) -> FailureClass {
        match self {
            Self::Malformed(_)
            | Self::MissingFile { .. }
            | Self::Unreadable { .. }
            | Self::Unsupported { .. }
            | Self::Ranking { .. }
            | Self::NeedsOnnx { .. } => FailureClass::Model,
            Self::MissingKey { .. } => FailureClass::Auth,
            Self::Unreachable { .. } => FailureClass::Network,
            Self::TimedOut { .. } => FailureClass::Timeout,
            Self::Cancelled { .. } => FailureClass::Cancelled,
            Self::BadAnswer { .. }
            | Self::Redirected { .. }
            | Self::Compressed { .. }
            | Self::NoResults { .. } => FailureClass::BadAnswer,
            Self::CircuitOpen { class, .. } => *class,
            Self::QueueFull | Self::QueueTimeout => FailureClass::Busy,
            Self::Refused { status, .. } => FailureClass::of_status(*status),
        }
    }

    /// Whether the same request may succeed when it is sent again.
    pub fn is_passing(&self) -> bool {
        self.class().is_passing()
    }

    /// How long the provider asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => *retry_after,
            Self::CircuitOpen { retry_after, .. } => Some(*retry_after),
            _ => None,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::MissingKey { provider, variable } => {
                Some(format!("set {variable} to your {provider} key, or choose another provider"))
            }
            Self::Refused { status: 401..=403, key_variable, .. } => Some(match key_variable {
                Some(variable) => format!("check the key in {variable} and its permissions"),
                None => "the server requires a key: set 'key_env' to the environment variable that holds it"
                    .to_owned(),
            }),
            Self::Refused { status: 404, .. } => Some("check 'base_url' and 'model'".to_owned()),
            Self::Refused { status: 429, .. } => {
                Some("the provider's rate limit is reached: wait, or raise the limit of your account".to_owned())
            }
            Self::Unreachable { .. } => {
                Some("check 'base_url', the proxy settings, and that the server is running".to_owned())
            }
            Self::TimedOut { .. } => Some("raise 'timeout_ms', or use a faster model".to_owned()),
            Self::NeedsOnnx { .. } => Some(
                "transformers need an ONNX file: copy onnx/model.onnx from the model's repository into the \
                 folder, or create it with 'optimum-cli export onnx --model FOLDER FOLDER/onnx' (docs/models.md)"
                    .to_owned(),
            ),
            Self::MissingFile { .. }
            | Self::Unreadable { .. }
            | Self::Malformed(_)
            | Self::Unsupported { .. } => Some(
                "a model folder holds tokenizer.json, config.json, and model.safetensors or model.onnx; \
                 docs/models.md lists the supported kinds"
                    .to_owned(),
            ),
            Self::Redirected { .. } => Some("check 'base_url'".to_owned()),
            Self::Refused { .. }
            | Self::BadAnswer { .. }
            | Self::Compressed { .. }
            | Self::NoResults { .. }
            | Self::CircuitOpen { .. }
            | Self::QueueFull
            | Self::QueueTimeout
            | Self::Ranking { .. }
            | Self::Cancelled { .. } => None,
        }
    }
}
