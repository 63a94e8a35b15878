//! Counts tokens with a model's tokenizer.

mod vocabulary;

use std::sync::LazyLock;

use tiktoken_rs::tokenizer::{Tokenizer as Encoding, get_tokenizer};
use vocabulary::Vocabulary;

/// Counts the tokens of texts as one model does. Its vocabulary is compiled in, and
/// read when something is first counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    encoding: Encoding,
}

/// Names of encodings that are accepted in addition to names of models.
pub const ENCODINGS: [&str; 4] = ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"];

/// Longer runs of letters or of whitespace, in bytes, are counted in pieces: the time for one grows with the square of its
/// length. Handwritten code has none.
const MAX_RUN_BYTES: usize = 4_096;

/// Where to cut the first run that is too long; `None` if there is none.
fn end_of_long_run(text: &str) -> Option<usize> {
    let (mut start, mut is_whitespace) = (0, false);
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii_whitespace() != is_whitespace {
            (start, is_whitespace) = (at, !is_whitespace);
        }
        if at - start >= MAX_RUN_BYTES {
            return Some(text.floor_char_boundary(at));
        }
    }
    None
}

impl Default for Tokenizer {
    /// `o200k_base`.
    fn default() -> Self {
        Self { encoding: Encoding::O200kBase }
    }
}

impl Tokenizer {
    /// The one of an encoding or of a model: `o200k_base`, `gpt-4o`, `gpt-3.5-turbo`. `None` when it is not known.
    pub fn from_name(name: &str) -> Option<Self> {
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
        let mut rest = text;
        let mut n_tokens = 0;
        while let Some(end) = end_of_long_run(rest) {
            n_tokens += self.table().count(&rest[..end]);
            rest = &rest[end..];
        }
        n_tokens + self.table().count(rest)
    }

    /// Reads the table, so that the first count need not wait for it.
    pub fn warm_up(&self) {
        self.table();
    }

    fn table(&self) -> &'static Vocabulary {
        match self.encoding {
            Encoding::Cl100kBase => &CL100K,
            Encoding::P50kBase | Encoding::P50kEdit => &P50K,
            Encoding::R50kBase | Encoding::Gpt2 => &R50K,
            _ => &O200K,
        }
    }
}

static O200K: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::new(include_bytes!("../tokenizers/o200k_base.bin"), 199_998, O200K_PIECE));
static CL100K: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::new(include_bytes!("../tokenizers/cl100k_base.bin"), 100_256, CL100K_PIECE));
static P50K: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::new(P50K_TOKENS, 50_281, R50K_PIECE));
static R50K: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::new(P50K_TOKENS, N_R50K_TOKENS, R50K_PIECE));

const P50K_TOKENS: &[u8] = include_bytes!("../tokenizers/p50k_base.bin");

/// `p50k_base` is `r50k_base` and, behind a gap, runs of blanks.
const N_R50K_TOKENS: usize = 50_256;

/// The pieces of a text before byte pairs are merged, as OpenAI's tiktoken defines them.
const O200K_PIECE: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);
const CL100K_PIECE: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|",
    r"\s++$|\s*[\r\n]|\s+(?!\S)|\s",
);
const R50K_PIECE: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";

#[cfg(test)]
mod tests {
    use tiktoken_rs::CoreBPE;

    use super::*;

    const TEXT: &str = "It's 12345 o'clock,\r\n\n\tDON'T parseHTTPResponse(x) {   }\n  // Größe, 東京 🙂 e\u{301}\u{a0}\n   ";

    fn check(name: &str, theirs: &CoreBPE, n_tokens: u32) {
        let ours = Tokenizer::from_name(name).unwrap().table();
        // Behind `r50k_base` theirs has a special token, and ours none.
        let ranks = (0..n_tokens).filter(|&rank| rank != 50_256 || n_tokens > 100_000);
        let tokens: Vec<_> =
            ranks.filter_map(|rank| Some((rank, theirs.decode_bytes(&[rank]).ok()?))).collect();
        for (rank, token) in &tokens {
            assert_eq!(ours.rank(token), Some(*rank), "{name} {rank}");
        }
        assert_eq!(ours.n_tokens(), tokens.len(), "{name} has no other tokens");
        for text in [TEXT.to_owned(), TEXT.repeat(3), include_str!("tokens.rs").to_owned(), "x+".repeat(900)]
        {
            assert_eq!(ours.count(&text), theirs.encode_ordinary(&text).len(), "{name}");
            for word in text.split_inclusive(' ') {
                assert_eq!(ours.count(word), theirs.encode_ordinary(word).len(), "{name} {word}");
            }
        }
    }

    #[test]
    fn encodings_are_those_of_tiktoken() {
        check("o200k_base", &tiktoken_rs::o200k_base().unwrap(), 199_998);
        check("cl100k_base", &tiktoken_rs::cl100k_base().unwrap(), 100_256);
        check("p50k_base", &tiktoken_rs::p50k_base().unwrap(), 50_281);
        check("r50k_base", &tiktoken_rs::r50k_base().unwrap(), 50_256);
        check("text-davinci-edit-001", &tiktoken_rs::p50k_edit().unwrap(), 50_281);
    }

    #[test]
    fn long_runs_are_counted_in_pieces_and_others_exactly() {
        let tokenizer = Tokenizer::default();
        assert_eq!(tokenizer.count("let x = 1;\n"), 6);
        for run in ["a", "é", " ", "-"] {
            let run = run.repeat(100_000);
            let n_tokens = tokenizer.count(&format!("before {run} after"));
            assert!((100_000 / 200..2 * 100_000).contains(&n_tokens), "{n_tokens}");
        }
        assert_eq!(end_of_long_run(&"é".repeat(MAX_RUN_BYTES)), Some(MAX_RUN_BYTES));
        assert_eq!(end_of_long_run(&"word ".repeat(MAX_RUN_BYTES)), None);
    }
}
