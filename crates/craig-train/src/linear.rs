//! A linear choice among rows and a logistic model, for tables of any width: both convex, both pulled towards 0.

use craig_text::dot;

use crate::adam::Adam;
use crate::metrics::sigmoid;

/// Rows of which some are right.
pub(crate) struct Choice {
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) is_right: Vec<bool>,
    /// How much it counts.
    pub(crate) weight: f64,
}

/// A row with its outcome.
pub(crate) struct Observation {
    pub(crate) row: Vec<f64>,
    pub(crate) is_true: bool,
    /// How much it counts.
    pub(crate) weight: f64,
}

/// A logistic model.
pub(crate) struct Logistic {
    pub(crate) weights: Vec<f64>,
    pub(crate) bias: f64,
}

impl Logistic {
    pub(crate) fn probability(&self, row: &[f32]) -> f32 {
        let sum: f64 = self.weights.iter().zip(row).map(|(weight, &x)| weight * f64::from(x)).sum();
        sigmoid(self.bias + sum) as f32
    }
}

/// In standardised units: enough to converge.
const ADAM: Adam = Adam { n_steps: 700, step: 0.03 };

/// Fits weights that give the right rows of each choice most of the softmax probability. Loss: cross-entropy, with all right rows
/// together as the target.
pub(crate) fn fit_choice(choices: &[Choice], pull: f64) -> Vec<f64> {
    let deviations = deviations(choices.iter().flat_map(|choice| &choice.rows));
    let in_units =
        |choice: &Choice| -> Vec<_> { choice.rows.iter().map(|row| in_units(row, &deviations)).collect() };
    let rows: Vec<Vec<Vec<f64>>> = choices.iter().map(in_units).collect();
    let mut weights = vec![0.0; deviations.len()];
    ADAM.minimise(&mut weights, |weights, gradient| {
        gradient.iter_mut().zip(weights).for_each(|(sum, weight)| *sum = pull * weight);
        for (choice, rows) in choices.iter().zip(&rows) {
            let scores: Vec<f64> = rows.iter().map(|row| dot(row, weights)).collect();
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let odds: Vec<f64> = scores.iter().map(|score| (score - best).exp()).collect();
            let all: f64 = odds.iter().sum();
            let right: f64 =
                odds.iter().zip(&choice.is_right).filter(|(_, right)| **right).map(|(odds, _)| odds).sum();
            for ((row, odds), is_right) in rows.iter().zip(&odds).zip(&choice.is_right) {
                let wanted = if *is_right { odds / right.max(1e-300) } else { 0.0 };
                add_times(gradient, choice.weight * (odds / all - wanted), row);
            }
        }
    });
    weights.iter().zip(&deviations).map(|(weight, deviation)| weight / deviation).collect()
}

/// A logistic model of observations, both outcomes counting the same in all.
pub(crate) fn fit_logistic(observations: &[Observation], pull: f64) -> Logistic {
    let deviations = deviations(observations.iter().map(|one| &one.row));
    let n = deviations.len();
    let sum = |is_true: bool| {
        let same = observations.iter().filter(|one| one.is_true == is_true);
        same.map(|one| one.weight).sum::<f64>().max(1e-9)
    };
    let (n_true, n_false) = (sum(true), sum(false));
    let half = (n_true + n_false) / 2.0;
    let rows: Vec<Vec<f64>> = observations.iter().map(|one| in_units(&one.row, &deviations)).collect();
    let mut fitted = vec![0.0; n + 1];
    ADAM.minimise(&mut fitted, |weights, gradient| {
        (0..n).for_each(|at| gradient[at] = pull * weights[at]);
        gradient[n] = 0.0;
        for (Observation { is_true, weight, .. }, row) in observations.iter().zip(&rows) {
            let share = weight * if *is_true { half / n_true } else { half / n_false };
            let predicted = sigmoid(dot(row, &weights[..n]) + weights[n]);
            let excess = share * (predicted - f64::from(u8::from(*is_true)));
            add_times(&mut gradient[..n], excess, row);
            gradient[n] += excess;
        }
    });
    let weights = fitted.iter().zip(&deviations).map(|(weight, deviation)| weight / deviation).collect();
    Logistic { weights, bias: fitted[n] }
}

/// A row in standard deviations.
fn in_units(row: &[f64], deviations: &[f64]) -> Vec<f64> {
    row.iter().zip(deviations).map(|(x, deviation)| x / deviation).collect()
}

fn add_times(sums: &mut [f64], factor: f64, row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
}

/// Lower bound of the standard deviations: columns that are 0 in nearly all rows would get too much weight otherwise.
const MIN_DEVIATION: f64 = 0.1;

/// The standard deviation of each column, at least [`MIN_DEVIATION`].
fn deviations<'r>(rows: impl Iterator<Item = &'r Vec<f64>>) -> Vec<f64> {
    let rows: Vec<&Vec<f64>> = rows.collect();
    let n = rows.first().map_or(0, |row| row.len());
    let deviation = |at: usize| {
        let mean = rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64;
        let square = rows.iter().map(|row| (row[at] - mean).powi(2)).sum::<f64>() / rows.len() as f64;
        square.sqrt().max(MIN_DEVIATION)
    };
    (0..n).map(deviation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_learns_the_column_that_separates_right_from_wrong() {
        let choice = |noise: f64| Choice {
            rows: vec![vec![noise, 0.0], vec![0.3, 1.0], vec![-noise, 0.0]],
            is_right: vec![false, true, false],
            weight: 1.0,
        };
        let weights = fit_choice(&[choice(1.0), choice(-1.0), choice(0.2)], 0.1);
        assert!(weights[1] > 1.0 && weights[1] > 3.0 * weights[0].abs(), "{weights:?}");
    }

    #[test]
    fn a_logistic_model_predicts_frequencies() {
        let observations: Vec<_> = (0..1_000)
            .map(|at| Observation {
                row: vec![f64::from(u8::from(at % 2 == 0))],
                is_true: at % 2 == 0 && at % 10 != 0,
                weight: 1.0,
            })
            .collect();
        let model = fit_logistic(&observations, 0.01);
        assert!(model.probability(&[1.0]) > 0.75 && model.probability(&[0.0]) < 0.05);
    }
}
