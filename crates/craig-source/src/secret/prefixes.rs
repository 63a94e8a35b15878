//! Finds all of many short texts in one pass.

use std::ops::Range;

use aho_corasick::{AhoCorasick, packed};

/// Searches for patterns with vector instructions, ten times as fast as an automaton, where the processor has them.
///
/// Vectors look at as many bytes of their patterns as the shortest has, so patterns are searched in groups of like length.
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

/// Patterns of a vector search: two passes with many are faster than four with few.
const MAX_PATTERNS: usize = 128;

impl Prefixes {
    pub(super) fn new(patterns: &[&str]) -> Self {
        let mut numbers: Vec<usize> = (0..patterns.len()).collect();
        numbers.sort_by_key(|&number| std::cmp::Reverse(patterns[number].len()));
        let groups = numbers.chunks(MAX_PATTERNS).map(|numbers| Group::new(patterns, numbers)).collect();
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
        let mut vectors = packed::Config::new().heuristic_pattern_limits(false).builder();
        let searcher = match vectors.extend(own()).build() {
            Some(searcher) => Searcher::Vectors(searcher),
            None => Searcher::Automaton(AhoCorasick::new(own()).expect("short patterns fit any limit")),
        };
        Self { numbers: numbers.to_vec(), searcher }
    }
}
