//! Products of dense matrices, row by row in memory, on all of rayon's threads.

use pulp::NullaryFnOnce;
use rayon::prelude::*;

/// Columns and rows of the block that is kept in registers: 12 of the 16 of AVX2.
const N_COLUMNS: usize = 16;
const N_ROWS: usize = 6;

/// A · B, where A is m × k and B is k × n; n is a multiple of 16.
pub(super) fn product(a: &[f32], b: &[f32], k: usize, n: usize) -> Vec<f32> {
    let panels = packed(b, k, n);
    let mut c = vec![0.0; a.len() / k * n];
    c.par_chunks_mut(N_ROWS * n).zip(a.par_chunks(N_ROWS * k)).for_each(|(c, a)| {
        pulp::Arch::new().dispatch(Rows { a, panels: &panels, k, n, c });
    });
    c
}

/// A few rows of a product. A type and no closure, since closures are not inlined where wide registers are allowed.
struct Rows<'a> {
    a: &'a [f32],
    panels: &'a [f32],
    k: usize,
    n: usize,
    c: &'a mut [f32],
}

impl NullaryFnOnce for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (number, panel) in self.panels.chunks_exact(self.k * N_COLUMNS).enumerate() {
            block(self.a, panel, self.k, self.n, number * N_COLUMNS, self.c);
        }
    }
}

/// B as columns of 16, each with its rows one after the other.
fn packed(b: &[f32], k: usize, n: usize) -> Vec<f32> {
    let mut panels = vec![0.0; k * n];
    panels.par_chunks_mut(k * N_COLUMNS).enumerate().for_each(|(number, panel)| {
        for (row, out) in panel.chunks_exact_mut(N_COLUMNS).enumerate() {
            let start = row * n + number * N_COLUMNS;
            out.copy_from_slice(&b[start..start + N_COLUMNS]);
        }
    });
    panels
}

/// Writes the rows of `a` times one panel into columns `column..column + 16` of `c`.
#[inline(always)]
fn block(a: &[f32], panel: &[f32], k: usize, n: usize, column: usize, c: &mut [f32]) {
    let n_rows = a.len() / k;
    let sums = if n_rows == N_ROWS { six_rows(a, panel, k) } else { some_rows(a, panel, k) };
    for (row, sums) in sums.iter().enumerate().take(n_rows) {
        c[row * n + column..row * n + column + N_COLUMNS].copy_from_slice(sums);
    }
}

/// Written out, so that the sums stay in registers.
#[inline(always)]
fn six_rows(a: &[f32], panel: &[f32], k: usize) -> [[f32; N_COLUMNS]; N_ROWS] {
    let row = |row: usize| &a[row * k..(row + 1) * k];
    let rows = (row(0), row(1), row(2), row(3), row(4), row(5));
    let [mut s0, mut s1, mut s2, mut s3, mut s4, mut s5] = [[0.0f32; N_COLUMNS]; N_ROWS];
    for (at, b) in panel.as_chunks::<N_COLUMNS>().0[..k].iter().enumerate() {
        add(&mut s0, rows.0[at], b);
        add(&mut s1, rows.1[at], b);
        add(&mut s2, rows.2[at], b);
        add(&mut s3, rows.3[at], b);
        add(&mut s4, rows.4[at], b);
        add(&mut s5, rows.5[at], b);
    }
    [s0, s1, s2, s3, s4, s5]
}

/// The last rows of a matrix.
#[inline(always)]
fn some_rows(a: &[f32], panel: &[f32], k: usize) -> [[f32; N_COLUMNS]; N_ROWS] {
    let mut sums = [[0.0f32; N_COLUMNS]; N_ROWS];
    for (sums, a) in sums.iter_mut().zip(a.chunks_exact(k)) {
        panel.as_chunks::<N_COLUMNS>().0.iter().zip(a).for_each(|(b, &a)| add(sums, a, b));
    }
    sums
}

#[inline(always)]
fn add(sums: &mut [f32; N_COLUMNS], a: f32, b: &[f32; N_COLUMNS]) {
    for (sum, &b) in sums.iter_mut().zip(b) {
        *sum = a.mul_add(b, *sum);
    }
}

/// The transpose of a matrix with `n_columns`.
pub(super) fn transposed(a: &[f32], n_columns: usize) -> Vec<f32> {
    const TILE: usize = 32;
    let n_rows = a.len() / n_columns;
    let mut t = vec![0.0; a.len()];
    t.par_chunks_mut(TILE * n_rows).enumerate().for_each(|(number, t)| {
        for first_row in (0..n_rows).step_by(TILE) {
            for (column, out) in t.chunks_exact_mut(n_rows).enumerate() {
                for row in first_row..n_rows.min(first_row + TILE) {
                    out[row] = a[row * n_columns + number * TILE + column];
                }
            }
        }
    });
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn products_and_transposes_are_those_of_the_definition() {
        let (m, k, n) = (17, 40, 48);
        let mut random = Random::new(1);
        let mut draw = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<_>>();
        let (a, b) = (draw(m * k), draw(k * n));
        let c = product(&a, &b, k, n);
        for row in 0..m {
            for column in 0..n {
                let want: f32 = (0..k).map(|at| a[row * k + at] * b[at * n + column]).sum();
                assert!((c[row * n + column] - want).abs() < 1e-4);
            }
        }
        let t = transposed(&b, n);
        assert!((0..k).all(|row| (0..n).all(|column| t[column * k + row] == b[row * n + column])));
    }
}
