//! `ivf`: makes the centroids of the IVF lists of large indexes.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use craig_model::{Embedder as _, StaticModel};
use craig_search::{Index, N_IVF_LISTS};
use craig_store::Store;
use rayon::prelude::*;

use crate::random::Random;

/// Words that hold the signs of a vector.
const N_WORDS: usize = 4;

const N_BITS: usize = N_WORDS * u64::BITS as usize;

/// Rounds of assigning vectors and moving centroids; the last ones move next to nothing.
const N_ROUNDS: usize = 12;

type Signs = [u64; N_WORDS];

#[derive(Args)]
pub(crate) struct IvfArguments {
    /// Database of ingested projects, with vectors of the built-in model: all of them are learned from.
    #[arg(long)]
    db: PathBuf,
    /// Vectors of one project that are learned from, at most.
    #[arg(long, default_value_t = 6_000)]
    per_project: usize,
    /// Seed of the sample and of the first centroids.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// File to write the centroids to.
    #[arg(long)]
    out: PathBuf,
}

#[expect(clippy::print_stdout, reason = "progress is what a person watches while it learns")]
pub(crate) fn run(arguments: &IvfArguments) -> Result<()> {
    let mut random = Random::new(arguments.seed);
    let vectors = sample(arguments, &mut random)?;
    ensure!(
        vectors.len() >= 16 * N_IVF_LISTS,
        "{} vectors are too few for {N_IVF_LISTS} lists",
        vectors.len()
    );
    println!("{} vectors", vectors.len());
    let mut centroids: Vec<Signs> = vectors[..N_IVF_LISTS].to_vec();
    for round in 1..=N_ROUNDS {
        let nearest: Vec<(u32, usize)> = vectors.par_iter().map(|signs| nearest(signs, &centroids)).collect();
        let mean =
            nearest.iter().map(|(distance, _)| f64::from(*distance)).sum::<f64>() / vectors.len() as f64;
        println!("round {round}: {mean:.2} bits from a vector to its centroid");
        centroids = moved(&vectors, &nearest, &centroids);
    }
    let bytes: Vec<u8> = centroids.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&arguments.out, bytes).with_context(|| format!("cannot write {}", arguments.out.display()))
}

/// Vectors of all projects, shuffled.
fn sample(arguments: &IvfArguments, random: &mut Random) -> Result<Vec<Signs>> {
    let store = Store::open(&arguments.db)?;
    let pool = rayon::ThreadPoolBuilder::new().build()?;
    let model = StaticModel::builtin();
    let mut all = Vec::new();
    for project in store.projects()? {
        let index = Index::sync(&store, &project, model.id(), model.dimensions()?, &pool)?;
        let mut own: Vec<Signs> = index.signs().filter_map(|signs| signs.try_into().ok()).collect();
        random.shuffle(&mut own);
        all.extend(own.into_iter().take(arguments.per_project));
    }
    random.shuffle(&mut all);
    Ok(all)
}

/// Distance and number of the nearest centroid, the first of equals.
fn nearest(signs: &Signs, centroids: &[Signs]) -> (u32, usize) {
    let distance =
        |centroid: &Signs| signs.iter().zip(centroid).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
    let distances = centroids.iter().enumerate().map(|(at, centroid)| (distance(centroid), at));
    distances.min().unwrap_or_default()
}

/// Centroids with the signs that most of their vectors have. One that nothing is near takes the place of the vector that is
/// farthest from its own.
fn moved(vectors: &[Signs], nearest: &[(u32, usize)], centroids: &[Signs]) -> Vec<Signs> {
    let mut votes = vec![[0i32; N_BITS]; centroids.len()];
    let mut sizes = vec![0u32; centroids.len()];
    for (signs, &(_, centroid)) in vectors.iter().zip(nearest) {
        sizes[centroid] += 1;
        for (bit, vote) in votes[centroid].iter_mut().enumerate() {
            *vote += if has_bit(signs, bit) { 1 } else { -1 };
        }
    }
    let mut far: Vec<usize> = (0..vectors.len()).collect();
    far.sort_by_key(|&at| nearest[at].0);
    let mut moved: Vec<Signs> = votes.iter().map(elected).collect();
    for (centroid, _) in moved.iter_mut().zip(&sizes).filter(|(_, size)| **size == 0) {
        *centroid = far.pop().map_or(*centroid, |at| vectors[at]);
    }
    moved
}

fn has_bit(signs: &Signs, bit: usize) -> bool {
    signs[bit / u64::BITS as usize] >> (bit % u64::BITS as usize) & 1 == 1
}

fn elected(votes: &[i32; N_BITS]) -> Signs {
    let word = |word: usize| {
        let votes = &votes[word * u64::BITS as usize..][..u64::BITS as usize];
        votes.iter().enumerate().fold(0, |signs, (bit, vote)| signs | u64::from(*vote > 0) << bit)
    };
    std::array::from_fn(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centroids_move_to_what_most_of_their_vectors_are() {
        let vectors = [[0b111, 0, 0, 1], [0b110, 0, 0, 1], [0b100, 0, 0, 0], [u64::MAX; 4]];
        let centroids = [[0; 4], [u64::MAX; 4], [u64::MAX; 4]];
        let found: Vec<_> = vectors.iter().map(|signs| nearest(signs, &centroids)).collect();
        assert_eq!(found.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [0, 0, 0, 1]);
        let moved = moved(&vectors, &found, &centroids);
        assert_eq!(moved[0], [0b110, 0, 0, 1]);
        assert_eq!(moved[1], [u64::MAX; 4]);
        assert_eq!(moved[2], vectors[0], "a centroid without vectors begins anew");
    }
}
