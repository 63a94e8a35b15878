//! A model's tokenizer.

use tokenizers::{EncodeInput, Tokenizer, TruncationParams};

use crate::ModelError;

/// A model's tokenizer.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
}

/// A text, or a pair of texts, as a model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tokenized {
    /// Ids of the tokens.
    pub(super) ids: Vec<u32>,
    /// Which text of a pair each token is of.
    pub(super) types: Vec<u32>,
}

impl Tokens {
    /// Parses `tokenizer.json`; longer texts are truncated to `max_tokens`.
    pub(super) fn parse(json: &[u8], max_tokens: usize) -> Result<Self, ModelError> {
        let malformed = |error: tokenizers::Error| ModelError::Malformed(format!("tokenizer.json: {error}"));
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(malformed)?;
        let truncation = TruncationParams { max_length: max_tokens.max(8), ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(malformed)?;
        tokenizer.with_padding(None);
        Ok(Self { tokenizer })
    }

    /// A text with the special tokens that the model expects.
    pub(super) fn text(&self, text: &str) -> Result<Tokenized, ModelError> {
        self.encode(text, true)
    }

    /// The tokens of a text without special tokens.
    pub(super) fn bare(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        Ok(self.encode(text, false)?.ids)
    }

    /// Two texts that the model reads together.
    pub(super) fn pair(&self, first: &str, second: &str) -> Result<Tokenized, ModelError> {
        self.encode((first, second), true)
    }

    /// Id of the token for unknown words.
    pub(super) fn unknown(&self) -> Option<u32> {
        ["[UNK]", "<unk>"].iter().find_map(|token| self.tokenizer.token_to_id(token))
    }

    fn encode<'t>(
        &self,
        input: impl Into<EncodeInput<'t>>,
        with_special_tokens: bool,
    ) -> Result<Tokenized, ModelError> {
        let encoding = self.tokenizer.encode_fast(input, with_special_tokens);
        let encoding = encoding.map_err(|error| ModelError::Malformed(format!("tokenizer.json: {error}")))?;
        Ok(Tokenized { ids: encoding.get_ids().to_vec(), types: encoding.get_type_ids().to_vec() })
    }
}
