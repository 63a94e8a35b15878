//! Pairs as the trainer sees them: bags of rows, batches of one repository's pairs, and views of documents.

use std::collections::HashMap;

use anyhow::{Result, bail};
use craig_model::{Tokens, Vocabulary};
use craig_text::words;
use rayon::prelude::*;

use super::step::{Bag, Batch};
use crate::pairs::{Kind, Pair};
use crate::random::{Random, hash};

/// Distinct rows of a text, each with its number of occurrences.
type Counts = Box<[(u16, u16)]>;

/// Pairs of one repository in the same batch: negatives of the kind that a search has to distinguish.
const GROUP: usize = 256;
const GROUPS_PER_BATCH: usize = 4;

/// Words of other lengths are strings of data.
const MAX_WORD_BYTES: usize = 20;

/// A pair, tokenised.
struct Example {
    kind: Kind,
    query: Counts,
    path: Counts,
    names: Counts,
    text: Counts,
    keys: (u64, u64),
}

/// All pairs to train on.
pub(super) struct Corpus {
    examples: Vec<Example>,
    /// Examples of each repository, those of a language next to each other.
    repositories: Vec<Vec<u32>>,
}

/// True for repositories that are kept for validation: one in twenty.
pub(super) fn is_held_out(repository: &str) -> bool {
    hash(0, &["held out", repository]).is_multiple_of(20)
}

/// The `n_words` commonest words, a line each.
///
/// A word counts once a pair, and at most 30 times a repository, so that no single project fills the vocabulary.
pub(super) fn vocabulary(pairs: &[Pair], n_words: usize) -> String {
    const MAX_PER_REPOSITORY: u32 = 30;
    let by_repository: Vec<&[Pair]> = pairs.chunk_by(|a, b| a.repository == b.repository).collect();
    let counted: Vec<HashMap<String, u32>> =
        by_repository.par_iter().map(|pairs| counted_words(pairs)).collect();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for (word, n) in counted.iter().flatten() {
        *counts.entry(word).or_default() += (*n).min(MAX_PER_REPOSITORY);
    }
    let mut ordered: Vec<(&str, u32)> = counts.into_iter().collect();
    ordered.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    ordered.iter().take(n_words).map(|(word, _)| format!("{word}\n")).collect()
}

fn counted_words(pairs: &[Pair]) -> HashMap<String, u32> {
    let mut last_seen: HashMap<String, (usize, u32)> = HashMap::new();
    for (number, pair) in pairs.iter().enumerate() {
        for word in
            [&pair.query, &pair.path, &pair.names, &pair.text].into_iter().flat_map(|text| words(text))
        {
            if word.text.len() <= MAX_WORD_BYTES {
                let seen = last_seen.entry(word.text.to_ascii_lowercase()).or_insert((usize::MAX, 0));
                if seen.0 != number {
                    *seen = (number, seen.1 + 1);
                }
            }
        }
    }
    last_seen.into_iter().map(|(word, (_, n))| (word, n)).collect()
}

impl Corpus {
    /// Tokenises `pairs`, which stand repository by repository.
    pub(super) fn new(pairs: &[Pair], vocabulary: &Vocabulary) -> Result<Self> {
        if vocabulary.len() > usize::from(u16::MAX) {
            bail!("{} words are more than the trainer can number", vocabulary.len());
        }
        let examples = pairs.par_chunks(4096).flat_map_iter(|pairs| tokenised(pairs, vocabulary)).collect();
        let mut repositories: HashMap<(&str, &str), Vec<u32>> = HashMap::new();
        for (at, pair) in pairs.iter().enumerate() {
            repositories.entry((&pair.language, &pair.repository)).or_default().push(at as u32);
        }
        let mut repositories: Vec<_> = repositories.into_iter().collect();
        repositories.sort_unstable_by_key(|(name, _)| *name);
        Ok(Self { examples, repositories: repositories.into_iter().map(|(_, examples)| examples).collect() })
    }

    /// The batches of one epoch: groups of pairs of one language of a repository, in random order.
    ///
    /// What is left over of repositories makes groups of its own, of one language where possible.
    pub(super) fn epoch(&self, random: &mut Random) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut rest = Vec::new();
        for repository in &self.repositories {
            let mut examples = repository.clone();
            random.shuffle(&mut examples);
            let whole = examples.len() / GROUP * GROUP;
            groups.extend(examples[..whole].chunks(GROUP).map(<[u32]>::to_vec));
            rest.extend_from_slice(&examples[whole..]);
        }
        groups.extend(rest.chunks_exact(GROUP).map(<[u32]>::to_vec));
        random.shuffle(&mut groups);
        groups.chunks_exact(GROUPS_PER_BATCH).map(<[Vec<u32>]>::concat).collect()
    }

    /// The bags of a batch; `seed` decides what queries lose and what of documents is shown.
    pub(super) fn batch(&self, examples: &[u32], seed: u64) -> Batch {
        let shown = |&at: &u32| {
            let example = &self.examples[at as usize];
            let mut random = Random::new(seed ^ (u64::from(at) << 20));
            let document = example.document(&mut random);
            (example.question(&document, &mut random), document)
        };
        let (queries, documents) = examples.par_iter().map(shown).unzip();
        let keys = examples.iter().map(|&at| self.examples[at as usize].keys).collect();
        Batch { queries, documents, keys }
    }
}

fn tokenised(pairs: &[Pair], vocabulary: &Vocabulary) -> Vec<Example> {
    let mut tokens = Tokens::new(vocabulary);
    let example = |pair| example(pair, &mut tokens);
    pairs.iter().map(example).collect()
}

fn example<'t>(pair: &'t Pair, tokens: &mut Tokens<'_, 't>) -> Example {
    let mut counts = |text: &'t str| -> Counts {
        tokens.counted(text).iter().map(|&(row, n)| (row as u16, n.min(u32::from(u16::MAX)) as u16)).collect()
    };
    let is_of_file = matches!(pair.kind, Kind::Purpose | Kind::Commit);
    let document = if is_of_file { &pair.path } else { &pair.text };
    Example {
        kind: pair.kind,
        query: counts(&pair.query),
        path: counts(&pair.path),
        names: counts(&pair.names),
        text: counts(&pair.text),
        keys: (hash(0, &[&pair.query.to_lowercase()]), hash(0, &[&pair.repository, document])),
    }
}

impl Example {
    /// What of the document is shown this time: the engine embeds texts, paths and names apart and together.
    fn document(&self, random: &mut Random) -> Bag {
        let (path, names, text) = (&self.path, &self.names, &self.text);
        let draw = random.unit();
        let parts: &[&Counts] = match self.kind {
            Kind::Doc | Kind::Detail => match draw {
                0.0..0.5 => &[text],
                0.5..0.75 => &[path, text],
                _ => &[path, names],
            },
            Kind::Purpose | Kind::Commit => match draw {
                0.0..0.3 => &[text],
                0.3..0.5 => &[path, text],
                0.5..0.75 => &[path, names],
                0.75..0.9 => &[names],
                _ => &[path],
            },
            Kind::File if draw < 0.3 => &[names],
            _ => &[text],
        };
        let bag = bag(parts);
        if bag.is_empty() { self::bag(&[path, names, text]) } else { bag }
    }

    /// The question; in half of the cases it loses half of the words that the document contains.
    fn question(&self, document: &Bag, random: &mut Random) -> Bag {
        let loses = random.unit() < 0.5;
        let is_kept = |row: u16, random: &mut Random| {
            !loses || random.unit() < 0.5 || document.binary_search_by_key(&row, |&(row, _)| row).is_err()
        };
        let kept: Bag = self
            .query
            .iter()
            .filter(|&&(row, _)| is_kept(row, random))
            .map(|&(row, n)| (row, f32::from(n)))
            .collect();
        if kept.is_empty() { self.query.iter().map(|&(row, n)| (row, f32::from(n))).collect() } else { kept }
    }
}

/// The rows of all parts, ascending, each with ln(1 + occurrences): the weights of a document.
fn bag(parts: &[&Counts]) -> Bag {
    let mut rows: Vec<(u16, u32)> =
        parts.iter().flat_map(|part| part.iter().map(|&(r, n)| (r, u32::from(n)))).collect();
    rows.sort_unstable();
    let mut bag: Vec<(u16, u32)> = Vec::with_capacity(rows.len());
    for (row, n) in rows {
        match bag.last_mut() {
            Some(last) if last.0 == row => last.1 += n,
            _ => bag.push((row, n)),
        }
    }
    bag.into_iter().map(|(row, n)| (row, (1.0 + n as f32).ln())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(repository: &str, query: &str, text: &str) -> Pair {
        Pair {
            repository: repository.into(),
            language: "rust".into(),
            kind: Kind::Doc,
            query: query.into(),
            path: "src/pool.rs".into(),
            names: "Pool".into(),
            text: text.into(),
        }
    }

    #[test]
    fn the_vocabulary_is_ordered_by_pairs_not_by_occurrences() {
        let pairs = [pair("a/b", "open a pool", "x x x x"), pair("a/c", "close a pool", "y")];
        assert_eq!(vocabulary(&pairs, 3), "a\npool\nrs\n");
    }

    #[test]
    fn a_batch_is_made_of_groups_of_one_repository() {
        let names = ["a/a", "a/b", "a/c"];
        let pairs: Vec<Pair> = names
            .iter()
            .flat_map(|name| (0..600).map(move |n| pair(name, &format!("number {n}"), "fn f() {}")))
            .collect();
        let corpus = Corpus::new(&pairs, &Vocabulary::new("number\nfn\nf")).unwrap();
        let epoch = corpus.epoch(&mut Random::new(1));
        assert_eq!(epoch.len(), 1, "1800 pairs are seven groups");
        let of_one = |group: &&[u32]| group.iter().all(|at| at / 600 == group[0] / 600);
        assert!(epoch[0].chunks(GROUP).filter(of_one).count() >= 3);
        assert_eq!(epoch, corpus.epoch(&mut Random::new(1)));
        assert_ne!(epoch, corpus.epoch(&mut Random::new(2)));
    }

    #[test]
    fn questions_keep_words_and_documents_weigh_them() {
        let pairs = [pair("a/b", "open pool", "open open pool")];
        let corpus = Corpus::new(&pairs, &Vocabulary::new("open\npool")).unwrap();
        for seed in 0..20 {
            let batch = corpus.batch(&[0], seed);
            assert!(!batch.queries[0].is_empty() && !batch.documents[0].is_empty());
            if batch.documents[0].len() == 2 && batch.documents[0][0].0 == 0 {
                assert_eq!(batch.documents[0][0], (0, 3f32.ln()));
            }
        }
    }
}
