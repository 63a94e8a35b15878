//! Counts tokens as a model does.

use tiktoken_rs::CoreBPE;
use tiktoken_rs::tokenizer::{Tokenizer as Encoding, get_tokenizer};

/// Counts the tokens of texts as one model does. Its table is compiled in, and read when something is first counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    encoding: Encoding,
}

/// Names of encodings that can be asked for beside names of models.
pub const ENCODINGS: [&str; 4] = ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"];

impl Default for Tokenizer {
    /// `o200k_base`.
    fn default() -> Self {
        Self { encoding: Encoding::O200kBase }
    }
}

impl Tokenizer {
    /// The one of an encoding or of a model: `o200k_base`, `gpt-4o`, `gpt-3.5-turbo`. `None` when it is not known.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.trim();
        let encoding = match name {
            "" | "o200k_base" => Encoding::O200kBase,
            "cl100k_base" => Encoding::Cl100kBase,
            "p50k_base" => Encoding::P50kBase,
            "r50k_base" | "gpt2" => Encoding::R50kBase,
            model => get_tokenizer(model)?,
        };
        Some(Self { encoding })
    }

    /// Number of tokens of `text`; text that reads like a special token counts as text.
    pub fn count(&self, text: &str) -> usize {
        self.table().encode_ordinary(text).len()
    }

    /// Reads the table, so that the first count need not wait for it.
    pub fn warm_up(&self) {
        self.table();
    }

    fn table(&self) -> &'static CoreBPE {
        match self.encoding {
            Encoding::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
            Encoding::P50kBase => tiktoken_rs::p50k_base_singleton(),
            Encoding::P50kEdit => tiktoken_rs::p50k_edit_singleton(),
            Encoding::R50kBase | Encoding::Gpt2 => tiktoken_rs::r50k_base_singleton(),
            _ => tiktoken_rs::o200k_base_singleton(),
        }
    }
}
