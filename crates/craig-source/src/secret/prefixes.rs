//! Finds all of many short texts in one pass.

use std::ops::Range;

use aho_corasick::{AhoCorasick, packed};

/// Searches for patterns with vector instructions, ten times as fast as an automaton, where the processor has them.
///
/// Vectors hold sixty-four patterns well, and look at four bytes of them at most: short patterns are searched by themselves.
pub(super) struct Prefixes {
    groups: Vec<Group>,
}

struct Group {
    /// The numbers that its patterns have outside.
    numbers: Vec<usize>,
    searcher: Searcher,
}

enum Searcher {
    Vectors(packed::Searcher),
    Automaton(AhoCorasick),
}

/// Patterns of a vector search: with twice as many, half the passes take longer.
const MAX_PATTERNS: usize = 64;

/// Bytes of a pattern that vectors look at.
const LOOKED_AT_BYTES: usize = 4;

impl Prefixes {
    pub(super) fn new(patterns: &[&str]) -> Self {
        let is_long = |number: &usize| patterns[*number].len() >= LOOKED_AT_BYTES;
        let (long, short): (Vec<usize>, Vec<usize>) = (0..patterns.len()).partition(is_long);
        let groups = long.chunks(MAX_PATTERNS).chain(short.chunks(MAX_PATTERNS));
        let groups = groups.map(|numbers| Group::new(patterns, numbers)).collect();
        Self { groups }
    }

    /// Calls `look` for each pattern found: its number, and where it stands. Of patterns that overlap, one is found.
    pub(super) fn for_each(&self, text: &str, mut look: impl FnMut(usize, Range<usize>)) {
        for group in &self.groups {
            let mut found =
                |found: aho_corasick::Match| look(group.numbers[found.pattern().as_usize()], found.range());
            match &group.searcher {
                Searcher::Vectors(searcher) => searcher.find_iter(text).for_each(&mut found),
                Searcher::Automaton(searcher) => searcher.find_iter(text).for_each(&mut found),
            }
        }
    }
}

impl Group {
    fn new(patterns: &[&str], numbers: &[usize]) -> Self {
        let own = || numbers.iter().map(|&number| patterns[number]);
        let searcher = match packed::Searcher::new(own()) {
            Some(searcher) => Searcher::Vectors(searcher),
            None => Searcher::Automaton(AhoCorasick::new(own()).expect("short patterns fit any limit")),
        };
        Self { numbers: numbers.to_vec(), searcher }
    }
}
