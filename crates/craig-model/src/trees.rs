//! Boosted decision trees.
//!
//! Each tree is oblivious: it asks the same questions on every path, so that its answers are the bits of an index, and a
//! column of rows can be scored at once.

use serde::{Deserialize, Serialize};

/// Questions of a tree, and its leaves.
pub const TREE_DEPTH: usize = 3;
/// Number of leaves of a tree.
pub const N_LEAVES: usize = 1 << TREE_DEPTH;

/// The stored form of a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// For each question, the name of the feature, and what it has to be above.
    pub splits: [(String, f32); TREE_DEPTH],
    /// Value of each leaf: bit `n` of its number is the answer to question `n`.
    pub leaves: [f32; N_LEAVES],
}

/// A sum of trees over features in a known order.
pub struct Trees {
    trees: Vec<Indexed>,
}

struct Indexed {
    features: [usize; TREE_DEPTH],
    thresholds: [f32; TREE_DEPTH],
    leaves: [f32; N_LEAVES],
}

impl Trees {
    /// Trees over the features of these names; `None` if one asks for another.
    pub fn new(trees: &[Tree], names: &[&str]) -> Option<Self> {
        let indexed = |tree: &Tree| {
            let mut features = [0; TREE_DEPTH];
            for (feature, (name, _)) in features.iter_mut().zip(&tree.splits) {
                *feature = names.iter().position(|known| known == name)?;
            }
            let thresholds = std::array::from_fn(|at| tree.splits[at].1);
            Some(Indexed { features, thresholds, leaves: tree.leaves })
        };
        Some(Self { trees: trees.iter().map(indexed).collect::<Option<_>>()? })
    }

    /// The sums for all rows; `columns` holds the values of each feature.
    pub fn sums(&self, columns: &[Vec<f32>]) -> Vec<f32> {
        let n_rows = columns.first().map_or(0, Vec::len);
        let mut sums = vec![0.0; n_rows];
        let mut leaves = vec![0u8; n_rows];
        for tree in &self.trees {
            leaves.fill(0);
            for (bit, (&feature, &threshold)) in tree.features.iter().zip(&tree.thresholds).enumerate() {
                for (leaf, &value) in leaves.iter_mut().zip(&columns[feature]) {
                    *leaf |= u8::from(value > threshold) << bit;
                }
            }
            for (sum, &leaf) in sums.iter_mut().zip(&leaves) {
                *sum += tree.leaves[usize::from(leaf) % N_LEAVES];
            }
        }
        sums
    }
}

impl Trees {
    /// The contribution of each feature to the sum of a row: by how much it differs from the mean over all answers to
    /// the questions about that feature.
    pub fn contributions(&self, row: &[f32]) -> Vec<f32> {
        let mut contributions = vec![0.0; row.len()];
        for tree in &self.trees {
            let leaf = (0..TREE_DEPTH).fold(0, |leaf, bit| {
                leaf | usize::from(row[tree.features[bit]] > tree.thresholds[bit]) << bit
            });
            for bit in 0..TREE_DEPTH {
                let feature = tree.features[bit];
                let asks = |other: &usize| tree.features[*other] == feature;
                if (0..bit).any(|other| asks(&other)) {
                    continue;
                }
                let mask = (0..TREE_DEPTH).filter(asks).fold(0, |mask, bit| mask | 1 << bit);
                // All subsets of the mask, from the largest down.
                let (mut sum, mut n, mut subset) = (tree.leaves[leaf & !mask], 1.0, mask);
                while subset > 0 {
                    sum += tree.leaves[leaf & !mask | subset];
                    n += 1.0;
                    subset = (subset - 1) & mask;
                }
                contributions[feature] += tree.leaves[leaf] - sum / n;
            }
        }
        contributions
    }
}

/// The values of each of `n` columns of rows.
pub fn columns<R: AsRef<[f32]>>(rows: &[R], n: usize) -> Vec<Vec<f32>> {
    (0..n).map(|at| rows.iter().map(|row| row.as_ref()[at]).collect()).collect()
}

/// The sums of `trees` for all rows, for training; `columns` holds the values of the features of these names.
///
/// # Panics
///
/// If a tree asks for another feature.
pub fn tree_sums(trees: &[Tree], names: &[&str], columns: &[Vec<f32>]) -> Vec<f32> {
    Trees::new(trees, names).expect("trees over these features").sums(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_found_by_the_answers() {
        let split = |name: &str, above| (name.to_owned(), above);
        let tree = Tree {
            splits: [split("a", 0.5), split("b", 0.0), split("a", 2.0)],
            leaves: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        };
        let trees = Trees::new(&[tree.clone(), tree.clone()], &["a", "b"]).unwrap();
        let columns = [vec![0.0, 1.0, 3.0], vec![0.0, 1.0, 1.0]];
        assert_eq!(trees.sums(&columns), [0.0, 6.0, 14.0]);
        assert!(Trees::new(&[tree], &["a"]).is_none());
        // Leaf 7 of 0 to 7; without the answers about "b", bit 1, it would be 7 or 5; without those about "a", 2, 3, 6 or 7.
        assert_eq!(trees.contributions(&[3.0, 1.0]), [2.0 * 2.5, 2.0 * 1.0]);
    }
}
