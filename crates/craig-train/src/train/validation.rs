//! How well a model finds what it was not trained on: pairs of repositories that were held out.

use std::collections::BTreeMap;

use craig_model::{Embedding, StaticModel};
use rayon::prelude::*;

use crate::metrics::mean;
use crate::pairs::{Kind, Pair};
use crate::random::hash;

/// Number of distractors of a question.
const POOL: usize = 1_000;

/// MRR by language of questions of a kind, each against a pool of documents of the same language.
pub(super) struct Validation<'p> {
    pools: BTreeMap<&'p str, Vec<&'p Pair>>,
}

impl<'p> Validation<'p> {
    /// Takes the pairs of `kind`, at most 1,000 a language, and only languages with at least 50.
    pub(super) fn new(pairs: &'p [Pair], kind: Kind) -> Self {
        let mut pools: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
        for pair in pairs.iter().filter(|pair| pair.kind == kind) {
            pools.entry(&pair.language).or_default().push(pair);
        }
        for pool in pools.values_mut() {
            pool.sort_by_cached_key(|pair| hash(0, &[&pair.query, &pair.text]));
            pool.truncate(POOL);
        }
        pools.retain(|_, pool| pool.len() >= 50);
        Self { pools }
    }

    /// Mean reciprocal rank of the right document's text, by language.
    pub(super) fn mrr(&self, model: &StaticModel) -> BTreeMap<&'p str, f64> {
        let of_pool = |pool: &Vec<&Pair>| {
            let documents: Vec<Embedding> = pool.par_iter().map(|pair| model.document(&pair.text)).collect();
            let ranks =
                pool.par_iter().enumerate().map(|(at, pair)| rank(&model.query(&pair.query), &documents, at));
            mean(ranks.map(|rank| 1.0 / rank as f64).collect::<Vec<_>>())
        };
        self.pools.iter().map(|(language, pool)| (*language, of_pool(pool))).collect()
    }
}

/// Place of document `right` among all by similarity, 1 for the first; ties count against it.
fn rank(query: &Embedding, documents: &[Embedding], right: usize) -> usize {
    let similarity = |document: &Embedding| query.cosine(document);
    let own = similarity(&documents[right]);
    1 + documents
        .iter()
        .enumerate()
        .filter(|&(at, document)| at != right && similarity(document) >= own)
        .count()
}
