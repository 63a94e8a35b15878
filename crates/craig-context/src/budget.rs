//! Fits context into a token budget: the least relevant blocks are cut first, then dropped.

use crate::format::{Format, as_data, markdown};
use crate::truncate::truncate;
use crate::{Block, Tokenizer};

/// Minimum number of tokens of a cut piece; shorter ones carry no information.
const MIN_TOKENS: usize = 24;

/// Bytes that a token of code has at most in the first attempt to cut a piece.
const BYTES_PER_TOKEN: usize = 4;

/// Texts with more bytes a token are so rare that longer ones are not even counted.
const MOST_BYTES_PER_TOKEN: usize = 12;

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
/// From the last on, pieces are left out until the rest fits. The one that is too long for what is left is cut at a
/// boundary of its syntax. When all fit whole, `wider` is asked for larger ones in their place, the best first,
/// again and again as long as what it gives fits. Of no blocks nothing is counted, so that the tokenizer's table
/// need not be read.
pub fn fitted(
    format: Format,
    blocks: Vec<Block>,
    budget_tokens: usize,
    tokenizer: Tokenizer,
    wider: impl Fn(&[Block], usize) -> Option<Block>,
) -> Fitted {
    if blocks.is_empty() {
        return Fitted::default();
    }
    let n_blocks = blocks.len();
    let mut left = budget_tokens.saturating_sub(tokenizer.count(&format.head()));
    let mut kept = Vec::new();
    for mut block in blocks.into_iter().map(as_data) {
        let needed = match may_fit(&block, left) {
            true => count(format, &mut block, tokenizer),
            false => usize::MAX,
        };
        if needed <= left {
            left -= needed;
            kept.push(block);
            continue;
        }
        if shorten(format, &mut block, left, tokenizer) {
            kept.push(block);
        }
        break;
    }
    if kept.len() == n_blocks && kept.iter().all(|block| !block.is_truncated) {
        widen(format, &mut kept, left, tokenizer, wider);
    }
    settle(format, kept, budget_tokens, tokenizer)
}

/// The text of `blocks`, best first, within `budget_tokens`, and how many of them are in it: as [`fitted`], but nothing is
/// counted where the bytes alone show that all of it fits.
pub fn fitted_text(
    format: Format,
    mut blocks: Vec<Block>,
    budget_tokens: usize,
    tokenizer: Tokenizer,
) -> (String, usize) {
    // No token is shorter than a byte.
    if blocks.iter().map(n_bytes).sum::<usize>() <= budget_tokens {
        blocks = blocks.into_iter().map(as_data).collect();
        let text = markdown(format, &blocks);
        if text.len() <= budget_tokens {
            return (text, blocks.len());
        }
    }
    let fitted = fitted(format, blocks, budget_tokens, tokenizer, |_, _| None);
    (fitted.markdown, fitted.blocks.len())
}

/// Puts larger blocks in the place of others as long as they fit into what is left.
fn widen(
    format: Format,
    blocks: &mut [Block],
    mut left: usize,
    tokenizer: Tokenizer,
    wider: impl Fn(&[Block], usize) -> Option<Block>,
) {
    for at in 0..blocks.len() {
        while let Some(mut larger) = wider(blocks, at).map(as_data) {
            if !may_fit(&larger, left.saturating_add(blocks[at].tokens)) {
                break;
            }
            let more = count(format, &mut larger, tokenizer).saturating_sub(count(
                format,
                &mut blocks[at],
                tokenizer,
            ));
            if more > left {
                break;
            }
            left -= more;
            blocks[at] = larger;
        }
    }
}

/// Counts the whole text: words at the seams of pieces may count otherwise than within them.
fn settle(format: Format, mut blocks: Vec<Block>, budget_tokens: usize, tokenizer: Tokenizer) -> Fitted {
    loop {
        let markdown = markdown(format, &blocks);
        let tokens = if blocks.is_empty() { 0 } else { tokenizer.count(&markdown) };
        if tokens <= budget_tokens {
            return Fitted { blocks, markdown, tokens };
        }
        if let Some(mut last) = blocks.pop() {
            let needed = count(format, &mut last, tokenizer);
            if shorten(format, &mut last, needed.saturating_sub(tokens - budget_tokens + 1), tokenizer) {
                blocks.push(last);
            }
        }
    }
}

/// Bytes of a block that are certainly in its text.
fn n_bytes(block: &Block) -> usize {
    block.path.len() + block.content.len()
}

/// Whether a block may have no more than `most_tokens`, by its bytes: what certainly has more is neither formatted nor counted.
fn may_fit(block: &Block, most_tokens: usize) -> bool {
    n_bytes(block) <= most_tokens.saturating_mul(MOST_BYTES_PER_TOKEN)
}

/// Counts a block's content; gives that with its heading, fence and the empty line before it.
fn count(format: Format, block: &mut Block, tokenizer: Tokenizer) -> usize {
    if block.tokens == 0 {
        block.tokens = tokenizer.count(&block.content);
    }
    block.tokens + tokenizer.count(&format!("\n{}", format.frame(block)))
}

/// Cuts a block so that it takes at most `budget_tokens`; false when nothing of use would be left.
fn shorten(format: Format, block: &mut Block, budget_tokens: usize, tokenizer: Tokenizer) -> bool {
    let mut bytes = (budget_tokens * BYTES_PER_TOKEN).min(block.content.len().saturating_sub(1));
    while budget_tokens >= MIN_TOKENS && bytes >= MIN_TOKENS {
        let mut shorter = Block { tokens: 0, ..block.clone() };
        if !truncate(&mut shorter, bytes) {
            return false;
        }
        let needed = count(format, &mut shorter, tokenizer);
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
        let all = fitted(Format::Chat, blocks.clone(), 10_000, tokenizer, |_, _| None);
        assert_eq!(all.blocks.len(), 3);
        assert!(all.blocks.iter().all(|block| block.tokens == tokenizer.count(&block.content)));
        let some = fitted(Format::Chat, blocks.clone(), all.tokens / 2, tokenizer, |_, _| None);
        let kept: Vec<_> =
            some.blocks.iter().map(|block| (block.path.as_str(), block.is_truncated)).collect();
        assert_eq!(kept, [("a.rs", false), ("b.rs", true)]);
        assert!(some.blocks[1].content.ends_with("// ... (truncated)"));
        assert_eq!(fitted(Format::Chat, blocks, 20, tokenizer, |_, _| None), Fitted::default());
    }

    #[test]
    fn what_is_left_makes_blocks_wider() {
        let tokenizer = Tokenizer::default();
        let part = || vec![block("a.rs", 2..=3, 0.9, "    let x = 1;")];
        let whole = |_: &[Block], _: usize| Some(long("a.rs", 0.9));
        let once =
            |blocks: &[Block], at| whole(blocks, at).filter(|whole| whole.content != blocks[at].content);
        assert_eq!(fitted(Format::Chat, part(), 5_000, tokenizer, once).blocks[0].line_start, 1);
        assert_eq!(fitted(Format::Chat, part(), 100, tokenizer, once).blocks[0].line_start, 2);
    }

    #[test]
    fn text_that_surely_fits_is_the_same_as_text_that_is_counted() {
        let blocks = || vec![block("a.rs", 1..=1, 0.9, "let x = 1;"), long("b.rs", 0.5)];
        let tokenizer = Tokenizer::default();
        let (text, n_blocks) = fitted_text(Format::SimilarCode, blocks(), 100_000, tokenizer);
        assert_eq!(n_blocks, 2);
        let counted = fitted(Format::SimilarCode, blocks(), 100_000, tokenizer, |_, _| None);
        assert_eq!(text, counted.markdown);
        let (text, n_blocks) = fitted_text(Format::SimilarCode, blocks(), 50, tokenizer);
        assert_eq!((n_blocks, text.contains("b.rs")), (1, false));
        assert_eq!(fitted_text(Format::SimilarCode, blocks(), 0, tokenizer), (String::new(), 0));
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
            let format = if inline { Format::Inline } else { Format::Chat };
            let blocks: Vec<Block> = contents
                .iter()
                .enumerate()
                .map(|(at, content)| block(&format!("src/{at}.rs"), 1..=9, 0.9, content))
                .collect();
            let paths: Vec<String> = blocks.iter().map(|block| block.path.clone()).collect();
            let fitted = fitted(format, blocks, budget, tokenizer, |_, _| None);
            prop_assert_eq!(fitted.tokens, if fitted.blocks.is_empty() { 0 } else { tokenizer.count(&fitted.markdown) });
            prop_assert!(fitted.tokens <= budget);
            let kept: Vec<String> = fitted.blocks.iter().map(|block| block.path.clone()).collect();
            prop_assert_eq!(&kept[..], &paths[..kept.len()]);
        }
    }
}
