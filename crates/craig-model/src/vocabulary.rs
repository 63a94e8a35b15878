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
    /// The range of each run in `cached_rows`.
    cache: HashMap<&'t str, (u32, u32), foldhash::fast::FixedState>,
    cached_rows: Vec<u32>,
    rows: Vec<u32>,
    counted: Vec<(u32, u32)>,
    /// Occurrences of each row, 0 between two texts.
    counts: Vec<u32>,
}

impl<'v, 't> Tokens<'v, 't> {
    /// A tokenizer with an empty cache.
    pub fn new(vocabulary: &'v Vocabulary) -> Self {
        Self {
            vocabulary,
            cache: HashMap::default(),
            cached_rows: Vec::new(),
            rows: Vec::new(),
            counted: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The rows of the words of `text`, in order.
    pub fn rows(&mut self, text: &'t str) -> &[u32] {
        self.rows.clear();
        for run in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
            let (start, end) = *self.cache.entry(run).or_insert_with(|| {
                let start = self.cached_rows.len() as u32;
                self.vocabulary.append_rows(run, &mut self.cached_rows);
                (start, self.cached_rows.len() as u32)
            });
            self.rows.extend_from_slice(&self.cached_rows[start as usize..end as usize]);
        }
        &self.rows
    }

    /// The distinct rows of `text` in order of appearance, each with its number of occurrences.
    pub fn counted(&mut self, text: &'t str) -> &[(u32, u32)] {
        self.rows(text);
        self.counts.resize(self.vocabulary.len(), 0);
        self.counted.clear();
        for &row in &self.rows {
            let count = &mut self.counts[row as usize];
            if *count == 0 {
                self.counted.push((row, 0));
            }
            *count += 1;
        }
        for (row, count) in &mut self.counted {
            *count = std::mem::take(&mut self.counts[*row as usize]);
        }
        &self.counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_are_split_into_their_longest_known_subwords() {
        let vocabulary = Vocabulary::new("parse\nparser\nhttp\nuser\ner\n2");
        let mut tokens = Tokens::new(&vocabulary);
        assert_eq!(tokens.rows("parseHTTP2 users zz"), [0, 2, 5, 3]);
        assert_eq!(tokens.rows("xparserhttp"), [1, 2]);
        assert_eq!(tokens.counted("user.parse(user)"), [(3, 2), (0, 1)]);
        assert_eq!(tokens.counted("parse"), [(0, 1)]);
    }
}
