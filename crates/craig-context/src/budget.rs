//! Fits context into a number of tokens: what matters least goes first, and is cut before it goes.

use crate::format::{Purpose, markdown, section};
use crate::truncate::truncate;
use crate::{Block, Tokenizer};

/// Priority of context among the parts of a prompt, as prompt-tsx counts them.
pub const CONTEXT_PRIORITY: f32 = 850.0;

/// Priority of the piece at `rank`, from 0, of `n` pieces: 850 + (1 − rank / n).
pub fn priority(rank: usize, n: usize) -> f32 {
    CONTEXT_PRIORITY + 1.0 - rank as f32 / n.max(1) as f32
}

/// A cut piece with fewer tokens than this tells nothing.
const MIN_TOKENS: usize = 24;

/// Bytes that a token of code has at most in the first attempt to cut a piece.
const BYTES_PER_TOKEN: usize = 4;

/// Blocks that fit, with their text and its tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Blocks in their order, each with its tokens.
    pub blocks: Vec<Block>,
    /// The blocks as Markdown.
    pub markdown: String,
    /// Tokens of the Markdown: never more than the budget.
    pub tokens: usize,
}

/// Fits `blocks`, best first, into `budget_tokens`.
///
/// Pieces have the [`priority`] of their rank. From the lowest on, pieces are left out until the rest fits; the one that is
/// too long for what is left is cut at a boundary of its syntax.
pub fn fitted(purpose: Purpose, blocks: Vec<Block>, budget_tokens: usize, tokenizer: Tokenizer) -> Fitted {
    let mut left = budget_tokens.saturating_sub(tokenizer.count(purpose.head()));
    let mut kept = Vec::new();
    for mut block in blocks {
        let needed = tokens_of(&block, tokenizer);
        if needed <= left {
            left -= needed;
            kept.push(block);
            continue;
        }
        if shorten(&mut block, left, tokenizer) {
            kept.push(block);
        }
        break;
    }
    settle(purpose, kept, budget_tokens, tokenizer)
}

/// Counts the whole text: words at the seams of pieces may count otherwise than within them.
fn settle(purpose: Purpose, mut blocks: Vec<Block>, budget_tokens: usize, tokenizer: Tokenizer) -> Fitted {
    loop {
        let markdown = markdown(purpose, &blocks);
        let tokens = if blocks.is_empty() { 0 } else { tokenizer.count(&markdown) };
        if tokens <= budget_tokens {
            blocks.iter_mut().for_each(|block| block.tokens = tokenizer.count(&block.content));
            return Fitted { blocks, markdown, tokens };
        }
        blocks.pop();
    }
}

/// Tokens of a block with its heading, fence and the empty line before it.
pub(crate) fn tokens_of(block: &Block, tokenizer: Tokenizer) -> usize {
    tokenizer.count(&format!("\n{}", section(block)))
}

/// Cuts a block so that it takes at most `budget_tokens`; false when nothing of use would be left.
fn shorten(block: &mut Block, budget_tokens: usize, tokenizer: Tokenizer) -> bool {
    let mut bytes = (budget_tokens * BYTES_PER_TOKEN).min(block.content.len());
    while budget_tokens >= MIN_TOKENS && bytes >= MIN_TOKENS {
        let mut shorter = block.clone();
        if !truncate(&mut shorter, bytes) {
            return false;
        }
        let needed = tokens_of(&shorter, tokenizer);
        if needed <= budget_tokens {
            *block = shorter;
            return true;
        }
        bytes = (bytes * budget_tokens / needed).min(bytes - 1);
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::block::tests::block;

    fn long(path: &str, score: f32) -> Block {
        let code: String = (0..40).map(|n| format!("    let value_{n} = compute(input, {n});\n")).collect();
        block(path, 1..=42, score, &format!("fn long() {{\n{code}}}"))
    }

    #[test]
    fn the_lowest_goes_first_and_is_cut_before_it_goes() {
        let tokenizer = Tokenizer::default();
        let blocks = vec![long("a.rs", 0.9), long("b.rs", 0.8), long("c.rs", 0.7)];
        let all = fitted(Purpose::Chat, blocks.clone(), 10_000, tokenizer);
        assert_eq!(all.blocks.len(), 3);
        assert!(all.blocks.iter().all(|block| block.tokens == tokenizer.count(&block.content)));
        let some = fitted(Purpose::Chat, blocks.clone(), all.tokens / 2, tokenizer);
        let told: Vec<_> =
            some.blocks.iter().map(|block| (block.path.as_str(), block.is_truncated)).collect();
        assert_eq!(told, [("a.rs", false), ("b.rs", true)]);
        assert!(some.blocks[1].content.ends_with("// ... (truncated)"));
        assert_eq!(fitted(Purpose::Chat, blocks, 20, tokenizer), Fitted::default());
    }

    #[test]
    fn priorities_are_those_of_the_requirements() {
        assert_eq!([priority(0, 4), priority(1, 4), priority(3, 4)], [851.0, 850.75, 850.25]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever the blocks hold, their text is within the budget, and the order stays.
        #[test]
        fn the_text_never_exceeds_the_budget(
            contents in proptest::collection::vec("[a-zA-Z0-9 é漢`{}();\n\t]{0,400}", 0..8),
            budget in 0usize..700,
            inline in any::<bool>(),
        ) {
            let tokenizer = Tokenizer::default();
            let purpose = if inline { Purpose::Inline } else { Purpose::Chat };
            let blocks: Vec<Block> = contents
                .iter()
                .enumerate()
                .map(|(at, content)| block(&format!("src/{at}.rs"), 1..=9, 0.9, content))
                .collect();
            let paths: Vec<String> = blocks.iter().map(|block| block.path.clone()).collect();
            let fitted = fitted(purpose, blocks, budget, tokenizer);
            prop_assert_eq!(fitted.tokens, if fitted.blocks.is_empty() { 0 } else { tokenizer.count(&fitted.markdown) });
            prop_assert!(fitted.tokens <= budget);
            let kept: Vec<String> = fitted.blocks.iter().map(|block| block.path.clone()).collect();
            prop_assert_eq!(&kept[..], &paths[..kept.len()]);
        }
    }
}
