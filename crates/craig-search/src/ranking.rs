//! Files and chunks in their places for one query.

use std::collections::HashMap;
use std::hash::Hash;

use crate::ChunkFeatures;
use crate::feature_extractor::Candidate;
use crate::query::QueryKind;

/// How much the probability for the query alone counts, where that with guesses or history counts 1.
const ALONE: f32 = 1.5;

/// The mean of a value for the query alone and one for the query with its context.
fn mean(alone: f32, with_more: f32) -> f32 {
    (ALONE * alone + with_more) / (ALONE + 1.0)
}

/// Files and chunks in their places.
pub(crate) struct Ranking {
    pub(crate) files: Vec<RankedFile>,
    pub(crate) chunks: Vec<RankedChunk>,
    /// How sure it is, from 0 to 1, that the query is about the project.
    pub(crate) about: f32,
}

/// A candidate file in its place.
pub(crate) struct RankedFile {
    /// Logit of a softmax over the candidates.
    pub(crate) score: f32,
    /// Probability that it is relevant, 0 to 1.
    pub(crate) relevance: f32,
    pub(crate) candidate: Candidate,
}

/// A chunk in its place.
pub(crate) struct RankedChunk {
    /// Place of its file.
    pub(crate) rank: usize,
    pub(crate) chunk: u32,
    /// Probability that it answers, 0 to 1.
    pub(crate) relevance: f32,
    /// What the score of a chunk of the pool is made of.
    pub(crate) scored_by: Option<ScoredBy>,
}

/// What the score of a chunk is made of.
#[derive(Clone, Copy)]
pub(crate) struct ScoredBy {
    /// Whose models rank it.
    pub(crate) kind: QueryKind,
    pub(crate) features: ChunkFeatures,
    pub(crate) prior: Prior,
}

/// What is added to the score of a chunk by rule.
#[derive(Clone, Copy)]
pub(crate) struct Prior {
    /// For tests, examples and other people's code.
    pub(crate) role: f32,
    /// For a translation of another file.
    pub(crate) translated: f32,
    /// For a chunk that the query names a line of.
    pub(crate) named: f32,
    /// For a chunk with a message that is in the query, or for the one with a run of its words.
    pub(crate) literal: f32,
}

impl Prior {
    pub(crate) fn sum(self) -> f32 {
        self.role + self.translated + self.named + self.literal
    }
}

impl Ranking {
    /// Probability that the first chunk answers.
    pub(crate) fn best(&self) -> f32 {
        self.chunks.first().map_or(0.0, |best| best.relevance)
    }

    /// Share of the query's idf that no text of the project covers; 1 without chunks.
    pub(crate) fn unknown_share(&self) -> f32 {
        let scored = self.chunks.first().and_then(|best| best.scored_by);
        scored.map_or(1.0, |scored| scored.features.unknown_share)
    }

    /// This ranking with the mean of its probabilities and those of the query with guesses or history. What the query is about
    /// is as it was.
    ///
    /// Fusing ranks instead loses half of what guesses gain; guesses alone lose twice as much where they are wrong.
    pub(crate) fn mixed_with(self, other: Self) -> Self {
        let key = |file: &RankedFile| (file.candidate.segment, file.candidate.file);
        let keys: [Vec<_>; 2] = [&self, &other].map(|ranking| ranking.files.iter().map(key).collect());
        let files = means([self.files, other.files], key, |file| &mut file.relevance);
        let places: HashMap<_, usize> =
            files.iter().enumerate().map(|(place, file)| (key(file), place)).collect();
        let mut chunks = [self.chunks, other.chunks];
        for (chunks, keys) in chunks.iter_mut().zip(&keys) {
            chunks.iter_mut().for_each(|chunk| chunk.rank = places[&keys[chunk.rank]]);
        }
        let chunks = means(chunks, |chunk| (chunk.rank, chunk.chunk), |chunk| &mut chunk.relevance);
        Self { files, chunks, about: self.about }
    }
}

/// What is in one of two lists or in both, by the mean of its values, the highest first. Where a list lacks it, its value
/// there is the least of that list.
fn means<T, K: Eq + Hash>(
    [mut alone, mut with_more]: [Vec<T>; 2],
    key: impl Fn(&T) -> K,
    value: fn(&mut T) -> &mut f32,
) -> Vec<T> {
    let least = |items: &mut Vec<T>| items.iter_mut().map(|item| *value(item)).fold(1.0, f32::min);
    let (least_alone, least_with_more) = (least(&mut alone), least(&mut with_more));
    let mut others: HashMap<K, (usize, T)> =
        with_more.into_iter().enumerate().map(|(place, item)| (key(&item), (place, item))).collect();
    for item in &mut alone {
        let other = others.remove(&key(item)).map_or(least_with_more, |(_, mut other)| *value(&mut other));
        *value(item) = mean(*value(item), other);
    }
    let mut others: Vec<(usize, T)> = others.into_values().collect();
    others.sort_by_key(|(place, _)| *place);
    alone.extend(others.into_iter().map(|(_, mut item)| {
        *value(&mut item) = mean(least_alone, *value(&mut item));
        item
    }));
    let mut valued: Vec<(f32, T)> = alone.into_iter().map(|mut item| (*value(&mut item), item)).collect();
    // Stable: of equals, what the query alone finds first stays first.
    valued.sort_by(|a, b| b.0.total_cmp(&a.0));
    valued.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(alone: &[(char, f32)], with_more: &[(char, f32)]) -> Vec<(char, f32)> {
        let rounded = |(name, value): (char, f32)| (name, (value * 1e3).round() / 1e3);
        means([alone.to_vec(), with_more.to_vec()], |item| item.0, |item| &mut item.1)
            .into_iter()
            .map(rounded)
            .collect()
    }

    #[test]
    fn what_both_find_comes_first() {
        let both = mixed(&[('a', 0.5), ('b', 0.4), ('c', 0.1)], &[('d', 0.6), ('b', 0.5), ('e', 0.0)]);
        assert_eq!(both, [('b', 0.44), ('a', 0.3), ('d', 0.3), ('c', 0.06), ('e', 0.06)]);
    }

    #[test]
    fn a_wrong_guess_does_not_take_the_first_place() {
        assert_eq!(mixed(&[('a', 0.8), ('b', 0.0)], &[('w', 0.9), ('a', 0.0)]).first(), Some(&('a', 0.48)));
        assert_eq!(mixed(&[('a', 0.8)], &[]), mixed(&[('a', 0.8)], &[('a', 1.0)]));
    }
}
