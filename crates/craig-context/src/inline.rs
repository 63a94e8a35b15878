//! Chooses the context of an inline edit: prefers code with the requested pattern, and omits the edited code.

use std::ops::RangeInclusive;

use craig_source::Language;
use craig_text::identifiers;
use similar::{DiffTag, TextDiff};

use crate::Block;

/// Code that is being edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Path of its file, relative to the project.
    pub path: String,
    /// Its lines in the indexed file; `None` if none of it is indexed.
    pub lines: Option<RangeInclusive<u32>>,
    /// Its text.
    pub text: String,
}

impl Selection {
    /// The code at `lines` of a file whose text now is `current`, and was `indexed` when it was indexed.
    ///
    /// New lines get the place of their neighbours.
    pub fn new(path: &str, lines: RangeInclusive<u32>, current: &str, indexed: Option<&str>) -> Self {
        let n_selected = lines.end().saturating_sub(*lines.start()) as usize + 1;
        let text: Vec<&str> =
            current.lines().skip(lines.start().saturating_sub(1) as usize).take(n_selected).collect();
        let lines = indexed.map(|indexed| match indexed == current {
            true => lines,
            false => before_the_edit(&lines, current, indexed),
        });
        Self { path: path.to_owned(), lines, text: text.join("\n") }
    }

    /// Whether a stretch of a file is, at least in part, the selection.
    pub fn covers(&self, path: &str, lines: &RangeInclusive<u32>) -> bool {
        let overlaps = |own: &RangeInclusive<u32>| own.start() <= lines.end() && lines.start() <= own.end();
        self.path == path && self.lines.as_ref().is_some_and(overlaps)
    }
}

/// The lines of `old` that correspond to `lines` of `new`, or that those replace.
fn before_the_edit(lines: &RangeInclusive<u32>, new: &str, old: &str) -> RangeInclusive<u32> {
    let (first, last) = (lines.start().saturating_sub(1) as usize, *lines.end() as usize);
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(old, new);
    let (mut start, mut end) = (usize::MAX, 0);
    for op in diff.ops() {
        let (old, new) = (op.old_range(), op.new_range());
        if new.end <= first || new.start >= last {
            continue;
        }
        let (from, to) = match op.tag() {
            DiffTag::Equal => {
                (old.start + first.saturating_sub(new.start), old.end - new.end.saturating_sub(last))
            }
            _ => (old.start, old.end),
        };
        (start, end) = (start.min(from), end.max(to));
    }
    match start <= end {
        true => start as u32 + 1..=(end as u32).max(start as u32 + 1),
        false => lines.clone(),
    }
}

/// Files that differ so much that this does not do are compared roughly.
const DIFF_TIMEOUT: std::time::Duration = std::time::Duration::from_millis(20);

/// Raises the scores of blocks that show the requested pattern; the sum stays below 1.
///
/// Async +0.1, handling of errors +0.1, promises +0.05, the same structure (functions, types) +0.05.
pub fn boost(blocks: &mut [Block], instruction: &str, selected: &str) {
    let instruction = instruction.to_lowercase();
    for block in blocks {
        block.score = (block.score + pattern_boost(block, &instruction, selected)).min(1.0);
    }
}

fn pattern_boost(block: &Block, instruction: &str, selected: &str) -> f32 {
    let content = block.content.to_lowercase();
    let mut boost = 0.0;
    if instruction.contains("async")
        && ["async", "await", "suspend "].iter().any(|word| content.contains(word))
    {
        boost += 0.1;
    }
    if instruction.contains("error") && handles_errors(&content, block.language()) {
        boost += 0.1;
    }
    if instruction.contains("promise") && content.contains("promise") {
        boost += 0.05;
    }
    let both = |words: &[&str]| [selected, &block.content].iter().all(|code| has_word(code, words));
    if both(FUNCTION_WORDS) || both(TYPE_WORDS) {
        boost += 0.05;
    }
    boost
}

const FUNCTION_WORDS: &[&str] = &["function", "def", "fn", "func", "fun", "sub", "defp"];
const TYPE_WORDS: &[&str] = &["class", "struct", "interface", "trait", "enum", "impl"];

fn has_word(code: &str, words: &[&str]) -> bool {
    identifiers(code).any(|word| words.contains(&word.text))
}

/// Whether lower-cased code deals with errors, as its language does.
fn handles_errors(content: &str, language: Option<Language>) -> bool {
    use Language as L;
    let has = |word: &str| content.contains(word);
    match language {
        Some(L::Rust) => has("result<") || has("?;") || has("?)") || has("err("),
        Some(L::Go) => has("err != nil"),
        Some(L::Python) => has("except") && has("try"),
        Some(L::Ruby | L::Elixir | L::Crystal) => has("rescue") || has("{:error"),
        Some(L::Haskell) => has("either") || has("catch") || has("throw"),
        Some(L::Swift) => has("catch") || has("throws"),
        Some(L::Zig) => has("catch") || has("try ") || has("errdefer"),
        Some(L::C) => has("errno") || has("return -1") || has("goto err") || has("goto fail"),
        Some(L::Lua) => has("pcall") || has("error("),
        Some(L::Bash) => has("|| ") || has("trap ") || has("set -e"),
        _ => has("try") && has("catch"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tests::block;

    #[test]
    fn patterns_add_to_the_score() {
        let score = |language: &str, content: &str, instruction: &str, selected: &str| {
            let mut one = [block("a", 1..=2, 0.5, content)];
            one[0].language = language.into();
            boost(&mut one, instruction, selected);
            ((one[0].score - 0.5) * 100.0).round() as i32
        };
        assert_eq!(score("typescript", "async () => 1", "make async", ""), 10);
        assert_eq!(score("typescript", "() => 1", "make async", ""), 0);
        assert_eq!(score("typescript", "try { a() } catch (e) {}", "Add error handling", ""), 10);
        assert_eq!(score("rust", "fn f() -> Result<u8, E> { g()?; }", "handle errors", ""), 10);
        assert_eq!(score("python", "try:\n  f()\nexcept E:\n  pass", "add error handling", ""), 10);
        assert_eq!(score("go", "if err != nil { return err }", "handle the error", ""), 10);
        assert_eq!(score("javascript", "new Promise(f)", "return a promise", ""), 5);
        assert_eq!(score("javascript", "function b() {}", "x", "function a() {}"), 5);
        assert_eq!(score("javascript", "class B {}", "x", "class A { functional() {} }"), 5);
        assert_eq!(score("javascript", "class B {}", "x", "const classy = 1"), 0);
        assert_eq!(
            score(
                "javascript",
                "async function f() { try { await new Promise(g) } catch (e) {} }",
                "async error promise",
                "function a() {}"
            ),
            30
        );
    }

    #[test]
    fn a_score_stays_a_share() {
        let mut one = [block("a", 1..=2, 0.97, "async function f() {}")];
        boost(&mut one, "make it async", "function g() {}");
        assert_eq!(one[0].score, 1.0);
    }

    const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

    fn lines_of(lines: RangeInclusive<u32>, current: &str) -> Option<RangeInclusive<u32>> {
        Selection::new("a", lines, current, Some(OLD)).lines
    }

    #[test]
    fn the_selection_is_found_where_it_was_indexed() {
        assert_eq!(lines_of(2..=3, OLD), Some(2..=3));
        // Lines were put before it, and taken away.
        assert_eq!(lines_of(4..=5, &format!("zero\nzero\n{OLD}")), Some(2..=3));
        assert_eq!(lines_of(2..=3, "one\nfour\nfive\nsix\n"), Some(4..=5));
        // It was changed.
        assert_eq!(lines_of(2..=3, "one\nTWO\nTHREE\nfour\nfive\nsix\n"), Some(2..=3));
        // It is new: its neighbours are taken, which is better than the text that is being edited.
        let lines = lines_of(3..=3, "one\ntwo\nnew\nthree\nfour\nfive\nsix\n").unwrap();
        assert!((2..=3).contains(lines.start()), "{lines:?}");
        assert_eq!(Selection::new("a", 2..=3, OLD, None).lines, None);
        assert_eq!(Selection::new("a", 2..=3, OLD, Some(OLD)).text, "two\nthree");
    }

    #[test]
    fn what_overlaps_the_selection_is_covered() {
        let selection = Selection::new("a", 2..=3, OLD, Some(OLD));
        assert!(selection.covers("a", &(3..=9)) && selection.covers("a", &(1..=2)));
        assert!(!selection.covers("a", &(4..=9)) && !selection.covers("b", &(2..=3)));
    }
}
