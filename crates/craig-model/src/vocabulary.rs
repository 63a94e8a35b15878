//! The vocabulary of the built-in embedding, and its tokenizer.

use std::collections::HashMap;

use craig_text::words;

/// Shortest and longest subword of an unknown word, in bytes.
const SUBWORD_BYTES: std::ops::RangeInclusive<usize> = 3..=16;

/// Known words, each with its row in the table of vectors. Training and inference share this tokenization.
pub struct Vocabulary {
    rows: HashMap<&'static str, u32, foldhash::fast::FixedState>,
}

impl Vocabulary {
    /// Parses a vocabulary: one word per line; its 0-based line number is its row.
    pub fn new(lines: &'static str) -> Self {
        Self { rows: lines.lines().zip(0..).collect() }
    }

    /// Number of distinct words.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if it has no words.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether it has a word, given in lower case.
    pub fn contains(&self, word: &str) -> bool {
        self.rows.contains_key(word)
    }

    /// Appends the row of each word of `run`, a run of letters and digits; of an unknown word, those of its subwords.
    fn append_rows(&self, run: &str, rows: &mut Vec<u32>) {
        let mut lower = String::new();
        for word in words(run) {
            lower.clear();
            lower.push_str(word.text);
            lower.make_ascii_lowercase();
            match self.rows.get(lower.as_str()) {
                Some(&row) => rows.push(row),
                None => self.append_subwords(&lower, rows),
            }
        }
    }

    /// Splits an unknown word greedily from the left into its longest known subwords.
    fn append_subwords(&self, word: &str, rows: &mut Vec<u32>) {
        let mut at = 0;
        while at + SUBWORD_BYTES.start() <= word.len() {
            let longest = (word.len() - at).min(*SUBWORD_BYTES.end());
            let found = (*SUBWORD_BYTES.start()..=longest)
                .rev()
                .find_map(|len| self.rows.get(&word[at..at + len]).map(|&row| (row, len)));
            match found {
                Some((row, len)) => {
                    rows.push(row);
                    at += len;
                }
                None => at += 1,
            }
        }
    }
}

/// Looks up the rows of texts, and caches those of each run of letters and digits, since code repeats its names.
pub struct Tokens<'v, 't> {
    vocabulary: &'v Vocabulary,
    /// The range of each run in `cached`.
    cache: HashMap<&'t str, (u32, u32), foldhash::fast::FixedState>,
    /// Indexes into `seen`.
    cached: Vec<u32>,
    /// Distinct rows: to count them takes no table as long as the vocabulary.
    seen: Vec<u32>,
    /// The place of each row in `seen`.
    places: HashMap<u32, u32, foldhash::fast::FixedState>,
    /// The rows of a text, as indexes into `seen`.
    found: Vec<u32>,
    counted: Vec<(u32, u32)>,
    /// Occurrences of each row of `seen`, 0 between two texts.
    counts: Vec<u32>,
}

impl<'v, 't> Tokens<'v, 't> {
    /// A tokenizer with an empty cache.
    pub fn new(vocabulary: &'v Vocabulary) -> Self {
        Self {
            vocabulary,
            cache: HashMap::default(),
            cached: Vec::new(),
            seen: Vec::new(),
            places: HashMap::default(),
            found: Vec::new(),
            counted: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The rows of the words of `text`, in order.
    pub fn rows(&mut self, text: &'t str) -> impl Iterator<Item = u32> {
        self.find(text);
        self.found.iter().map(|&at| self.seen[at as usize])
    }

    /// The distinct rows of `text` in order of appearance, each with its number of occurrences.
    pub fn counted(&mut self, text: &'t str) -> &[(u32, u32)] {
        self.find(text);
        self.counts.resize(self.seen.len(), 0);
        self.counted.clear();
        for &at in &self.found {
            let count = &mut self.counts[at as usize];
            if *count == 0 {
                self.counted.push((at, 0));
            }
            *count += 1;
        }
        for (at, count) in &mut self.counted {
            *count = std::mem::take(&mut self.counts[*at as usize]);
            *at = self.seen[*at as usize];
        }
        &self.counted
    }

    fn find(&mut self, text: &'t str) {
        self.found.clear();
        for run in runs(text) {
            let (start, end) = match self.cache.get(run) {
                Some(&known) => known,
                None => self.add_new_run(run),
            };
            self.found.extend_from_slice(&self.cached[start as usize..end as usize]);
        }
    }

    fn add_new_run(&mut self, run: &'t str) -> (u32, u32) {
        let start = self.cached.len();
        self.vocabulary.append_rows(run, &mut self.cached);
        for row in &mut self.cached[start..] {
            *row = *self.places.entry(*row).or_insert_with(|| {
                self.seen.push(*row);
                self.seen.len() as u32 - 1
            });
        }
        let known = (start as u32, self.cached.len() as u32);
        self.cache.insert(run, known);
        known
    }
}

/// The runs of ASCII letters and digits of a text, in order.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(u8::is_ascii_alphanumeric)?;
        let length = bytes[start..].iter().position(|byte| !byte.is_ascii_alphanumeric());
        at = length.map_or(bytes.len(), |length| start + length);
        Some(&text[start..at])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_are_split_into_their_longest_known_subwords() {
        let vocabulary = Vocabulary::new("parse\nparser\nhttp\nuser\ner\n2");
        let mut tokens = Tokens::new(&vocabulary);
        assert!(tokens.rows("parseHTTP2 users zz").eq([0, 2, 5, 3]));
        assert!(tokens.rows("xparserhttp").eq([1, 2]));
        assert_eq!(tokens.counted("user.parse(user)"), [(3, 2), (0, 1)]);
        assert_eq!(tokens.counted("parse"), [(0, 1)]);
    }
}
