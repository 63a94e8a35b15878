//! Finds the bottom of a smooth function of many weights.

/// Adam (Kingma & Ba, ICLR 2015), with a fixed number of steps and a second moment that forgets sooner than usual: 0.99.
pub(crate) struct Adam {
    /// How often it steps.
    pub(crate) n_steps: i32,
    /// How far each step goes.
    pub(crate) step: f64,
}

impl Adam {
    /// Moves `weights` to where the function is least. `gradient_at` writes the gradient at its first argument over all of
    /// its second.
    pub(crate) fn minimise(&self, weights: &mut [f64], mut gradient_at: impl FnMut(&[f64], &mut [f64])) {
        let n = weights.len();
        let mut gradient = vec![0.0; n];
        let (mut mean, mut square) = (vec![0.0; n], vec![0.0; n]);
        for step in 1..=self.n_steps {
            gradient_at(weights, &mut gradient);
            for at in 0..n {
                mean[at] = 0.9 * mean[at] + 0.1 * gradient[at];
                square[at] = 0.99 * square[at] + 0.01 * gradient[at] * gradient[at];
                let (mean, square) =
                    (mean[at] / (1.0 - 0.9f64.powi(step)), square[at] / (1.0 - 0.99f64.powi(step)));
                weights[at] -= self.step * mean / (square.sqrt() + 1e-9);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_of_a_bowl_is_found() {
        let mut weights = [0.0, 5.0];
        Adam { n_steps: 700, step: 0.03 }.minimise(&mut weights, |weights, gradient| {
            gradient.copy_from_slice(&[2.0 * (weights[0] - 1.0), 20.0 * (weights[1] + 2.0)]);
        });
        assert!((weights[0] - 1.0).abs() < 1e-3 && (weights[1] + 2.0).abs() < 1e-3, "{weights:?}");
    }
}
