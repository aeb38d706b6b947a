//! The plain definitions, for tests.

use blstrs::Scalar;
use group::Group;

use crate::arith::CurveAffine;

/// `sum(scalars[i] * bases[i])`, one multiplication after the other.
pub fn naive_msm<C: CurveAffine>(bases: &[C], scalars: &[Scalar]) -> C::Curve {
    assert_eq!(bases.len(), scalars.len(), "as many scalars as bases");
    bases.iter().zip(scalars).fold(C::Curve::identity(), |sum, (base, scalar)| sum + *base * scalar)
}

/// The sum of the bases whose bit in `mask` is set (bit `i % 64` of word `i / 64`), one addition after the other.
pub fn naive_subset_sum<C: CurveAffine>(bases: &[C], mask: &[u64]) -> C::Curve {
    let selected = |i: usize| mask.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1);
    let chosen = bases.iter().enumerate().filter(|(i, _)| selected(*i));
    chosen.fold(C::Curve::identity(), |sum, (_, base)| sum + base)
}
