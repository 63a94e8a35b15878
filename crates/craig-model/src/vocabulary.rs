//! The words that the built-in embedding knows, and the cutting of texts into them.

use std::collections::HashMap;

use craig_text::words;

/// Longest and shortest piece that an unknown word is cut into, in bytes.
const PIECE_BYTES: std::ops::RangeInclusive<usize> = 3..=16;

/// Known words, each with its row in the table of vectors. Training and use of the model both cut texts here.
pub struct Vocabulary {
    rows: HashMap<&'static str, u32, foldhash::fast::FixedState>,
}

impl Vocabulary {
    /// Reads a vocabulary: one word a line, its line number from 0 is its row.
    pub fn new(lines: &'static str) -> Self {
        Self { rows: lines.lines().zip(0..).collect() }
    }

    /// Number of distinct words.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True when no word is known.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Appends the row of each word of `run`, a run of letters and digits; unknown words give the rows of their pieces.
    fn rows_of_run(&self, run: &str, rows: &mut Vec<u32>) {
        let mut lower = String::new();
        for word in words(run) {
            lower.clear();
            lower.push_str(word.text);
            lower.make_ascii_lowercase();
            match self.rows.get(lower.as_str()) {
                Some(&row) => rows.push(row),
                None => self.rows_of_pieces(&lower, rows),
            }
        }
    }

    /// Cuts an unknown word greedily from the left into its longest known pieces.
    fn rows_of_pieces(&self, word: &str, rows: &mut Vec<u32>) {
        let mut at = 0;
        while at + PIECE_BYTES.start() <= word.len() {
            let longest = (word.len() - at).min(*PIECE_BYTES.end());
            let found = (*PIECE_BYTES.start()..=longest)
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

/// Finds the rows of texts; remembers those of each run of letters and digits, since code repeats its names.
pub struct Tokens<'v, 't> {
    vocabulary: &'v Vocabulary,
    known: HashMap<&'t str, (u32, u32), foldhash::fast::FixedState>,
    rows_of_known: Vec<u32>,
    rows: Vec<u32>,
    counted: Vec<(u32, u32)>,
    /// For each row, 0 between two texts.
    counts: Vec<u32>,
}

impl<'v, 't> Tokens<'v, 't> {
    /// Texts will be cut into the words of `vocabulary`.
    pub fn new(vocabulary: &'v Vocabulary) -> Self {
        Self {
            vocabulary,
            known: HashMap::default(),
            rows_of_known: Vec::new(),
            rows: Vec::new(),
            counted: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The rows of the words of `text`, in order.
    pub fn rows(&mut self, text: &'t str) -> &[u32] {
        self.rows.clear();
        for run in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
            let (start, end) = *self.known.entry(run).or_insert_with(|| {
                let start = self.rows_of_known.len() as u32;
                self.vocabulary.rows_of_run(run, &mut self.rows_of_known);
                (start, self.rows_of_known.len() as u32)
            });
            self.rows.extend_from_slice(&self.rows_of_known[start as usize..end as usize]);
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
    fn unknown_words_give_their_longest_known_pieces() {
        let vocabulary = Vocabulary::new("parse\nparser\nhttp\nuser\ner\n2");
        let mut tokens = Tokens::new(&vocabulary);
        assert_eq!(tokens.rows("parseHTTP2 users zz"), [0, 2, 5, 3]);
        assert_eq!(tokens.rows("xparserhttp"), [1, 2]);
        assert_eq!(tokens.counted("user.parse(user)"), [(3, 2), (0, 1)]);
        assert_eq!(tokens.counted("parse"), [(0, 1)]);
    }
}
