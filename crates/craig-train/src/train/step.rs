//! One step of training: contrastive loss of a batch, its gradients, and Adam on the rows that the batch touched.

use craig_text::dot;
use pulp::NullaryFnOnce;
use rayon::prelude::*;

use super::matrix::{product, transposed};
use crate::random::Random;

/// A text as the rows of its words, each with its weight.
pub(super) type Bag = Vec<(u16, f32)>;

/// Questions and the documents that answer them, in the same order.
pub(super) struct Batch {
    pub(super) queries: Vec<Bag>,
    pub(super) documents: Vec<Bag>,
    /// Equal keys mark questions (first) or documents (second) that are the same: no negatives of each other.
    pub(super) keys: Vec<(u64, u64)>,
}

/// What is learnt: a vector a word, and what the word counts in a query.
pub(super) struct Parameters {
    pub(super) dimensions: usize,
    pub(super) rows: Vec<f32>,
    pub(super) query_weights: Vec<f32>,
}

impl Parameters {
    /// Random rows of about unit length: at first a text is near to what shares its words.
    pub(super) fn new(n_rows: usize, dimensions: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let size = (dimensions as f32).sqrt().recip();
        let rows = (0..n_rows * dimensions).map(|_| random.normal() * size).collect();
        Self { dimensions, rows, query_weights: vec![1.0; n_rows] }
    }

    fn row(&self, row: u16) -> &[f32] {
        &self.rows[usize::from(row) * self.dimensions..][..self.dimensions]
    }

    /// Weighted sums of rows, scaled to unit length, and the lengths before.
    fn embed(&self, bags: &[Bag], weight: impl Fn(u16) -> f32 + Sync) -> (Vec<f32>, Vec<f32>) {
        let mut vectors = vec![0.0; bags.len() * self.dimensions];
        let lengths = vectors.par_chunks_mut(self.dimensions).zip(bags).map(|(vector, bag)| {
            pulp::Arch::new().dispatch(Embed { parameters: self, bag, weight: &weight, vector })
        });
        let lengths = lengths.collect();
        (vectors, lengths)
    }
}

/// Adds up one text. A type and no closure, since closures are not inlined where wide registers are allowed.
struct Embed<'a, F> {
    parameters: &'a Parameters,
    bag: &'a Bag,
    weight: &'a F,
    vector: &'a mut [f32],
}

impl<F: Fn(u16) -> f32> NullaryFnOnce for Embed<'_, F> {
    type Output = f32;

    #[inline(always)]
    fn call(self) -> f32 {
        for &(row, count) in self.bag {
            add_scaled(self.vector, self.parameters.row(row), count * (self.weight)(row));
        }
        let length = dot(self.vector, self.vector).sqrt().max(1e-6);
        self.vector.iter_mut().for_each(|x| *x /= length);
        length
    }
}

#[inline(always)]
fn add_scaled(sum: &mut [f32], row: &[f32], factor: f32) {
    for (sum, &x) in sum.iter_mut().zip(row) {
        *sum = factor.mul_add(x, *sum);
    }
}

/// Gradients of a batch's loss by the sums before they were scaled to unit length.
pub(super) struct Gradients {
    pub(super) loss: f32,
    queries: Vec<f32>,
    documents: Vec<f32>,
}

/// Mean over both directions of −ln softmax(cosine / temperature) at the right answer, and its gradients.
///
/// Source: van den Oord, Li & Vinyals, "Representation Learning with Contrastive Predictive Coding", 2018 (InfoNCE).
pub(super) fn gradients(parameters: &Parameters, batch: &Batch, temperature: f32) -> Gradients {
    let dimensions = parameters.dimensions;
    let n = batch.queries.len();
    let (queries, query_lengths) =
        parameters.embed(&batch.queries, |row| parameters.query_weights[usize::from(row)]);
    let (documents, document_lengths) = parameters.embed(&batch.documents, |_| 1.0);
    let cosines = product(&queries, &transposed(&documents, dimensions), dimensions, n);
    let (errors, loss) = softmax_errors(cosines, &batch.keys, temperature);
    let for_queries = product(&errors, &documents, n, dimensions);
    let for_documents = product(&transposed(&errors, n), &queries, n, dimensions);
    Gradients {
        loss,
        queries: before_scaling(for_queries, &queries, &query_lengths, dimensions),
        documents: before_scaling(for_documents, &documents, &document_lengths, dimensions),
    }
}

/// Gradients of the loss by the cosines, and the loss.
///
/// A cosine is at most 1, so exp((cosine − 1) / temperature) serves both directions without looking for the largest.
fn softmax_errors(mut cosines: Vec<f32>, keys: &[(u64, u64)], temperature: f32) -> (Vec<f32>, f32) {
    let n = keys.len();
    let rows = cosines.par_chunks_mut(n).zip(keys).enumerate().map(|(at, (row, key))| {
        let right = (row[at] - 1.0) / temperature;
        for (other, (x, other_key)) in row.iter_mut().zip(keys).enumerate() {
            let is_same = (key.0 == other_key.0 || key.1 == other_key.1) && other != at;
            *x = if is_same { 0.0 } else { ((*x - 1.0) / temperature).exp() };
        }
        (right, row.iter().sum::<f32>())
    });
    // Collected first: a parallel sum would depend on how the work was split.
    let (rights, by_query): (Vec<f32>, Vec<f32>) = rows.unzip();
    let mut by_document = vec![0.0f32; n];
    for row in cosines.chunks_exact(n) {
        by_document.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    let losses =
        by_query.iter().zip(&by_document).zip(&rights).map(|((q, d), right)| q.ln() + d.ln() - 2.0 * right);
    let factor = 0.5 / (n as f32 * temperature);
    let loss = losses.sum::<f32>() * 0.5 / n as f32;
    by_document.iter_mut().for_each(|sum| *sum = factor / *sum);
    cosines.par_chunks_mut(n).zip(&by_query).enumerate().for_each(|(at, (row, sum))| {
        let of_query = factor / sum;
        row.iter_mut().zip(&by_document).for_each(|(x, of_document)| *x *= of_query + of_document);
        row[at] -= 2.0 * factor;
    });
    (cosines, loss)
}

/// From the gradient by a unit vector to the gradient by the sum that was scaled.
fn before_scaling(mut gradients: Vec<f32>, unit: &[f32], lengths: &[f32], dimensions: usize) -> Vec<f32> {
    let vectors = gradients.par_chunks_mut(dimensions).zip(unit.par_chunks(dimensions)).zip(lengths);
    vectors.for_each(|((gradient, unit), length)| {
        let along = dot(gradient, unit);
        for (g, u) in gradient.iter_mut().zip(unit) {
            *g = (*g - along * u) / length;
        }
    });
    gradients
}

/// Where each row occurs in a batch.
struct Occurrences {
    /// Row r's entries are `starts[r]..starts[r + 1]`.
    starts: Vec<u32>,
    /// Text, queries before documents, and weight.
    entries: Vec<(u32, f32)>,
}

impl Occurrences {
    fn new(batch: &Batch, n_rows: usize) -> Self {
        let bags = || batch.queries.iter().chain(&batch.documents);
        let mut starts = vec![0u32; n_rows + 1];
        bags().flatten().for_each(|&(row, _)| starts[usize::from(row) + 1] += 1);
        for row in 0..n_rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); starts[n_rows] as usize];
        for (text, bag) in bags().enumerate() {
            for &(row, weight) in bag {
                let at = &mut next[usize::from(row)];
                entries[*at as usize] = (text as u32, weight);
                *at += 1;
            }
        }
        Self { starts, entries }
    }

    fn entries(&self, row: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// Gradient of one row, added up into `sum`, and of its query weight.
#[inline(always)]
fn row_gradient(
    entries: &[(u32, f32)],
    gradients: &Gradients,
    (row, query_weight): (&[f32], f32),
    sum: &mut [f32],
) -> f32 {
    let dimensions = row.len();
    let n_queries = gradients.queries.len() / dimensions;
    let mut for_weight = 0.0;
    for &(text, count) in entries {
        let text = text as usize;
        if text < n_queries {
            let gradient = &gradients.queries[text * dimensions..][..dimensions];
            add_scaled(sum, gradient, count * query_weight);
            for_weight += count * dot(gradient, row);
        } else {
            add_scaled(sum, &gradients.documents[(text - n_queries) * dimensions..][..dimensions], count);
        }
    }
    for_weight
}

/// Adam that leaves rows alone which a batch does not touch.
///
/// Source: Kingma & Ba, "Adam: A Method for Stochastic Optimization", 2015.
pub(super) struct Adam {
    /// Means of gradients and of their squares, by component of the rows and by query weight.
    rows: [Vec<f32>; 2],
    weights: [Vec<f32>; 2],
    n_steps: i32,
}

/// Share of the past in the means of gradients and of squares.
const BETAS: [f32; 2] = [0.9, 0.999];

impl Adam {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let zeros = |like: &[f32]| [vec![0.0; like.len()], vec![0.0; like.len()]];
        Self { rows: zeros(&parameters.rows), weights: zeros(&parameters.query_weights), n_steps: 0 }
    }

    /// Moves the parameters against the gradients of `batch`.
    pub(super) fn step(
        &mut self,
        parameters: &mut Parameters,
        batch: &Batch,
        gradients: &Gradients,
        rate: f32,
    ) {
        self.n_steps += 1;
        let rate = rate * (1.0 - BETAS[1].powi(self.n_steps)).sqrt() / (1.0 - BETAS[0].powi(self.n_steps));
        let dimensions = parameters.dimensions;
        let occurrences = Occurrences::new(batch, parameters.query_weights.len());
        let [row_means, row_squares] = &mut self.rows;
        let [weight_means, weight_squares] = &mut self.weights;
        let rows = parameters.rows.par_chunks_mut(dimensions).zip(&mut parameters.query_weights);
        let row_state = row_means.par_chunks_mut(dimensions).zip(row_squares.par_chunks_mut(dimensions));
        let weight_state = weight_means.par_iter_mut().zip(weight_squares);
        let moves = rows.zip(row_state).zip(weight_state).enumerate().map(
            |(number, ((row, row_state), weight_state))| Move {
                entries: occurrences.entries(number),
                gradients,
                row,
                row_state,
                weight_state,
                rate,
            },
        );
        moves.filter(|row| !row.entries.is_empty()).for_each(|row| pulp::Arch::new().dispatch(row));
    }
}

/// One row's step.
struct Move<'a> {
    entries: &'a [(u32, f32)],
    gradients: &'a Gradients,
    row: (&'a mut [f32], &'a mut f32),
    row_state: (&'a mut [f32], &'a mut [f32]),
    weight_state: (&'a mut f32, &'a mut f32),
    rate: f32,
}

impl NullaryFnOnce for Move<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        use std::slice::from_mut;
        let (row, query_weight) = self.row;
        let mut gradient = vec![0.0; row.len()];
        let for_weight = row_gradient(self.entries, self.gradients, (row, *query_weight), &mut gradient);
        moved(row, self.row_state.0, self.row_state.1, &gradient, self.rate);
        let (mean, square) = self.weight_state;
        moved(from_mut(query_weight), from_mut(mean), from_mut(square), &[for_weight], self.rate);
    }
}

#[inline(always)]
fn moved(values: &mut [f32], means: &mut [f32], squares: &mut [f32], gradient: &[f32], rate: f32) {
    for (((value, mean), square), &g) in values.iter_mut().zip(means).zip(squares).zip(gradient) {
        *mean = BETAS[0] * *mean + (1.0 - BETAS[0]) * g;
        *square = BETAS[1] * *square + (1.0 - BETAS[1]) * g * g;
        *value -= rate * *mean / (square.sqrt() + 1e-8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N_ROWS: usize = 40;
    const TEMPERATURE: f32 = 0.2;

    /// Sixteen pairs that share a word that no other pair has, among words that all have.
    fn toy_batch() -> Batch {
        let pair = |at: u16| {
            let shared = 20 + at % 4;
            (vec![(at, 1.0), (shared, 2.0)], vec![(at + 16, 1.0), (shared, 0.7), (39, 1.1)])
        };
        let (queries, documents) = (0..16).map(pair).unzip();
        let keys = (0..16).map(|at| (at, at)).collect();
        Batch { queries, documents, keys }
    }

    fn gradients_by_row(parameters: &Parameters, batch: &Batch) -> (Vec<f32>, Vec<f32>) {
        let gradients = gradients(parameters, batch, TEMPERATURE);
        let occurrences = Occurrences::new(batch, N_ROWS);
        let mut rows = vec![0.0; parameters.rows.len()];
        let weights = rows.chunks_mut(parameters.dimensions).enumerate().map(|(number, sum)| {
            let row = (parameters.row(number as u16), parameters.query_weights[number]);
            row_gradient(occurrences.entries(number), &gradients, row, sum)
        });
        let weights = weights.collect();
        (rows, weights)
    }

    #[test]
    fn gradients_are_those_of_small_differences() {
        let mut batch = toy_batch();
        batch.keys[3].0 = 2;
        let mut parameters = Parameters::new(N_ROWS, 16, 5);
        let (rows, weights) = gradients_by_row(&parameters, &batch);
        let mut slope = |change: &dyn Fn(&mut Parameters, f32)| {
            const STEP: f32 = 1e-2;
            let mut loss = |by: f32| {
                change(&mut parameters, by);
                let loss = gradients(&parameters, &batch, TEMPERATURE).loss;
                change(&mut parameters, -by);
                loss
            };
            (loss(STEP) - loss(-STEP)) / (2.0 * STEP)
        };
        for at in (0..N_ROWS * 16).step_by(7) {
            let want = slope(&|parameters, by| parameters.rows[at] += by);
            assert!((rows[at] - want).abs() < 2e-4, "row component {at}: {} {want}", rows[at]);
        }
        for (at, weight) in weights.iter().enumerate() {
            let want = slope(&|parameters, by| parameters.query_weights[at] += by);
            assert!((weight - want).abs() < 2e-4, "query weight {at}: {weight} {want}");
        }
    }

    fn losses(seed: u64) -> Vec<f32> {
        let batch = toy_batch();
        let mut parameters = Parameters::new(N_ROWS, 16, seed);
        let mut adam = Adam::new(&parameters);
        (0..60)
            .map(|_| {
                let gradients = gradients(&parameters, &batch, TEMPERATURE);
                adam.step(&mut parameters, &batch, &gradients, 0.02);
                gradients.loss
            })
            .collect()
    }

    #[test]
    fn steps_lower_the_loss_and_are_decided_by_the_seed() {
        let found = losses(1);
        assert!(found[59] < 0.1 * found[0], "{found:?}");
        assert_eq!(found, losses(1));
        assert_ne!(found, losses(2));
    }
}
