//! The quotient polynomial `h = (a b - c) / (x^n - 1)` of a Groth16 proof, by six transforms.
//!
//! `a` and `b` are given by their values on the domain; where the witness satisfies the circuit, the values of `c` there are the
//! products `a b`. Write `a b = low + x^n high`, with both parts of degree below `n`. On the domain
//! `x^n = 1`, so interpolating the products there gives `low + high`, which is `c`; hence `a b - c = high (x^n - 1)`, and the
//! quotient is `high`. On the coset `x^n = -1`, so interpolating the products there gives `low - high`. Therefore
//!
//! `h = ((low + high) - (low - high)) / 2`.
//!
//! Six transforms: `a` and `b` to coefficients and on to the coset (four), and two interpolations of products. The textbook
//! way takes a seventh, for `c` on the coset, and divisions by `x^n - 1` there.

use blstrs::Scalar;
use ff::{Field, PrimeField};
use rayon::prelude::*;

use crate::fft::{Domain, Points, bit_reverse};

/// Scalars that a thread takes at a time.
const PART: usize = 1 << 12;

/// The `n - 1` coefficients of the quotient, from the values of `a` and `b` at the domain's `n` points in natural order.
///
/// `products` is asked for the values of `a b` at the same points once `a` and `b` are no longer needed there: it makes
/// them anew where that is cheap, and so no more than two vectors of `n` scalars exist at a time. Works in the memory of
/// its arguments, and returns that of the products, on the current rayon pool.
///
/// # Panics
/// When there are not as many values of any of them as the domain has points.
pub fn quotient(
    domain: &Domain,
    mut a: Vec<Scalar>,
    mut b: Vec<Scalar>,
    products: impl FnOnce() -> Vec<Scalar>,
) -> Vec<Scalar> {
    let lengths = (a.len(), b.len());
    assert_eq!(lengths, (domain.size(), domain.size()), "as many values as the domain has points");
    rayon::join(|| onto_coset(domain, &mut a), || onto_coset(domain, &mut b));
    let mut difference = a;
    difference.par_iter_mut().zip(&b).with_min_len(PART).for_each(|(a, b)| *a *= b);
    drop(b);
    domain.inverse(&mut difference, Points::Coset);
    let mut sum = products();
    assert_eq!(sum.len(), domain.size(), "as many products as the domain has points");
    bit_reverse(&mut sum);
    domain.inverse(&mut sum, Points::Subgroup);
    // Every inverse transform has left a factor of n: one in `sum`, three in the difference.
    let inverse = domain.size_inverse();
    let sum_factor = inverse * Scalar::TWO_INV;
    let difference_factor = sum_factor * inverse.square();
    sum.par_iter_mut().zip(&difference).with_min_len(PART).for_each(|(sum, difference)| {
        *sum = *sum * sum_factor - difference * difference_factor;
    });
    // `a b` has degree 2 n - 2 at most, so the last coefficient is zero.
    sum.truncate(domain.size() - 1);
    sum
}

/// From values at the domain's points to values at the coset's, in bit-reversed order.
fn onto_coset(domain: &Domain, values: &mut [Scalar]) {
    bit_reverse(values);
    domain.inverse(values, Points::Subgroup);
    domain.forward(values, Points::Coset);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;

    fn product(a: &[Scalar], b: &[Scalar]) -> Vec<Scalar> {
        let mut out = vec![Scalar::ZERO; a.len() + b.len() - 1];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                out[i + j] += a * b;
            }
        }
        out
    }

    /// Coefficients from values at the points, by Lagrange's formula for roots of unity.
    fn interpolated(domain: &Domain, values: &[Scalar]) -> Vec<Scalar> {
        let back = domain.root().invert().expect("a root of unity is not zero");
        let coefficient = |i: usize| {
            let step = back.pow_vartime([i as u64]);
            values.iter().rev().fold(Scalar::ZERO, |sum, value| sum * step + value) * domain.size_inverse()
        };
        (0..domain.size()).map(coefficient).collect()
    }

    /// Long division by `x^n - 1`; panics on a remainder.
    fn divided(mut dividend: Vec<Scalar>, n: usize) -> Vec<Scalar> {
        let mut out = vec![Scalar::ZERO; n - 1];
        for i in (n..dividend.len()).rev() {
            let leading = dividend[i];
            out[i - n] = leading;
            dividend[i - n] += leading;
        }
        assert!(dividend[..n].iter().all(|left| bool::from(left.is_zero())), "the division leaves a remainder");
        out
    }

    fn values(seed: u64, len: usize) -> Vec<Scalar> {
        let mut random = StdRng::seed_from_u64(seed);
        let value = |_| match random.gen_range(0..4) {
            0 => Scalar::from(random.gen_range(0..2)),
            _ => Scalar::random(&mut random),
        };
        (0..len).map(value).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn quotients_agree_with_long_division(seed: u64, log2 in 0u32..8) {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            let domain = Domain::new(log2);
            let n = domain.size();
            let (a, b) = (values(seed, n), values(!seed, n));
            let c: Vec<Scalar> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
            let mut numerator = product(&interpolated(&domain, &a), &interpolated(&domain, &b));
            for (numerator, c) in numerator.iter_mut().zip(interpolated(&domain, &c)) {
                *numerator -= c;
            }
            prop_assert_eq!(quotient(&domain, a, b, || c), divided(numerator, n));
        }
    }

    /// On a domain that takes the parallel paths: `a b - c = h (x^n - 1)` at a random point.
    #[test]
    fn a_large_quotient_satisfies_its_identity() {
        let _limit = cuzk_testing::TimeLimit::seconds(120);
        let domain = Domain::new(16);
        let n = domain.size();
        let (mut a, mut b) = (values(1, n), values(2, n));
        let mut c: Vec<Scalar> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
        let h = quotient(&domain, a.clone(), b.clone(), || c.clone());
        assert_eq!(h.len(), n - 1);
        let x = Scalar::random(StdRng::seed_from_u64(3));
        let value = |values: &[Scalar]| values.iter().rev().fold(Scalar::ZERO, |value, next| value * x + next);
        [&mut a, &mut b, &mut c].into_iter().for_each(|values| domain.ifft(values));
        let vanishing = x.pow_vartime([n as u64]) - Scalar::ONE;
        assert_eq!(value(&a) * value(&b) - value(&c), value(&h) * vanishing);
    }
}
