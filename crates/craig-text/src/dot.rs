//! Dot products: of numbers in one fixed order of additions, and of bytes by the processor's own instruction for them.

use std::ops::{AddAssign, Mul};

/// Partial sums of [`dot`]: as many as fit into the widest registers, so that they are added up at once.
const LANES: usize = 16;

/// Dot product of two vectors of one length.
///
/// The order of additions is part of the result, and the same on every processor: component i goes to sum i mod 16.
#[inline(always)]
pub fn dot<T: Copy + Default + AddAssign + Mul<Output = T>>(a: &[T], b: &[T]) -> T {
    debug_assert_eq!(a.len(), b.len());
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [T::default(); LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for ((sum, &x), &y) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += x * y;
    }
    let mut total = T::default();
    sums.into_iter().for_each(|sum| total += sum);
    total
}

/// Dot product of a vector of bytes and one of numbers, of one length, in the order of [`dot`].
pub fn dot_i8_f32(codes: &[i8], numbers: &[f32]) -> f32 {
    let ((codes, codes_rest), (numbers, numbers_rest)) =
        (codes.as_chunks::<LANES>(), numbers.as_chunks::<LANES>());
    let mut sums = [0.0f32; LANES];
    for (codes, numbers) in codes.iter().zip(numbers) {
        for ((sum, &code), x) in sums.iter_mut().zip(codes).zip(numbers) {
            *sum += f32::from(code) * x;
        }
    }
    let rest = codes_rest.iter().zip(numbers_rest).map(|(&code, x)| f32::from(code) * x);
    sums.iter().sum::<f32>() + rest.sum::<f32>()
}

/// Dot product of two vectors of bytes of one length.
pub fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(InWideRegisters { simd, a, b });
    }
    one_by_one(a, b)
}

/// Sixteen components at a time: widened to 16 bits, multiplied and added in pairs by one instruction. Twice as fast as what
/// the compiler makes of [`one_by_one`].
#[cfg(target_arch = "x86_64")]
struct InWideRegisters<'a> {
    simd: pulp::x86::V3,
    a: &'a [i8],
    b: &'a [i8],
}

#[cfg(target_arch = "x86_64")]
impl pulp::NullaryFnOnce for InWideRegisters<'_> {
    type Output = i32;

    #[inline(always)]
    fn call(self) -> i32 {
        let Self { simd, a, b } = self;
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
        let wide = |bytes: &[i8; 16]| simd.convert_i8x16_to_i16x16(pulp::cast(*bytes));
        let mut sums = pulp::cast([0i32; 8]);
        for (a, b) in a.iter().zip(b) {
            let products = simd.multiply_wrapping_add_adjacent_i16x16(wide(a), wide(b));
            sums = simd.wrapping_add_i32x8(sums, products);
        }
        let sums: [i32; 8] = pulp::cast(sums);
        sums.iter().sum::<i32>() + one_by_one(a_rest, b_rest)
    }
}

fn one_by_one(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_change_nothing_but_the_time() {
        let a: Vec<i8> = (0..=255u8).map(|x| x as i8).collect();
        let b: Vec<i8> = a.iter().rev().copied().collect();
        for length in [0, 1, 15, 16, 250, 256] {
            assert_eq!(
                dot_i8(&a[..length], &b[..length]),
                one_by_one(&a[..length], &b[..length]),
                "{length}"
            );
        }
        assert_eq!(dot_i8(&[-128; 64], &[-128; 64]), 64 * 128 * 128);
    }

    #[test]
    fn numbers_of_any_length_are_multiplied_and_added() {
        for length in [0usize, 1, 16, 21, 40] {
            let a: Vec<f64> = (0..length).map(|at| at as f64).collect();
            let expected: f64 = a.iter().map(|x| x * x).sum();
            assert_eq!(dot(&a, &a), expected);
        }
        assert_eq!(dot(&[0.5f32, -2.0], &[4.0, 0.25]), 1.5);
        let codes: Vec<i8> = (0..40).collect();
        assert_eq!(dot_i8_f32(&codes, &[0.5; 40]), 390.0);
    }
}
