//! Tokens as providers count them, whatever the protocol calls them.

use serde::{Deserialize, Deserializer};

/// Tokens of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Tokens of the request, including those from a cache.
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    /// Tokens of the request that the provider read from its cache.
    pub(crate) cached_tokens: u64,
    /// Tokens of the request that the provider wrote to its cache.
    pub(crate) cache_write_tokens: u64,
}

/// Counts as OpenAI's chat, completions and embeddings have them.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChatCounts {
    #[serde(deserialize_with = "count")]
    prompt_tokens: u64,
    #[serde(deserialize_with = "count")]
    completion_tokens: u64,
    prompt_tokens_details: Option<Details>,
}

/// Counts as OpenAI's Responses have them.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ResponsesCounts {
    #[serde(deserialize_with = "count")]
    input_tokens: u64,
    #[serde(deserialize_with = "count")]
    output_tokens: u64,
    input_tokens_details: Option<Details>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    #[serde(deserialize_with = "count")]
    cached_tokens: u64,
    #[serde(deserialize_with = "count")]
    cache_write_tokens: u64,
}

/// Counts as Anthropic's Messages have them: `input_tokens` are those that the cache has no part in. The beginning and the
/// end of a stream report them; a count that the end leaves out is that of the beginning.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MessagesCounts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl MessagesCounts {
    /// These counts, completed by earlier ones.
    pub(crate) fn or(self, earlier: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.or(earlier.input_tokens),
            output_tokens: self.output_tokens.or(earlier.output_tokens),
            cache_read_input_tokens: self.cache_read_input_tokens.or(earlier.cache_read_input_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .or(earlier.cache_creation_input_tokens),
        }
    }
}

impl Usage {
    /// As OpenAI counts, which details what is among the tokens of the request.
    fn counted(input_tokens: u64, output_tokens: u64, details: Option<Details>) -> Self {
        let Details { cached_tokens, cache_write_tokens } = details.unwrap_or_default();
        Self { input_tokens, output_tokens, cached_tokens, cache_write_tokens }
    }
}

impl From<ChatCounts> for Usage {
    fn from(counts: ChatCounts) -> Self {
        Self::counted(counts.prompt_tokens, counts.completion_tokens, counts.prompt_tokens_details)
    }
}

impl From<ResponsesCounts> for Usage {
    fn from(counts: ResponsesCounts) -> Self {
        Self::counted(counts.input_tokens, counts.output_tokens, counts.input_tokens_details)
    }
}

impl From<MessagesCounts> for Usage {
    fn from(counts: MessagesCounts) -> Self {
        let cached_tokens = counts.cache_read_input_tokens.unwrap_or_default();
        let cache_write_tokens = counts.cache_creation_input_tokens.unwrap_or_default();
        Self {
            input_tokens: counts.input_tokens.unwrap_or_default() + cached_tokens + cache_write_tokens,
            output_tokens: counts.output_tokens.unwrap_or_default(),
            cached_tokens,
            cache_write_tokens,
        }
    }
}

/// Reads a number of tokens, which some providers write as `null` or with a fraction.
fn count<'de, D: Deserializer<'de>>(field: D) -> Result<u64, D::Error> {
    Ok(Option::<f64>::deserialize(field)?.unwrap_or_default() as u64)
}
