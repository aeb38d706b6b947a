//! Input for the tests of all sums: points and scalars in which the awkward cases are common.

use blstrs::Scalar;
use ff::Field;
use group::Curve;
use rand::{Rng, SeedableRng, rngs::StdRng};

use crate::arith::CurveAffine;

/// Points with repetitions, opposites and the identity among them.
pub(crate) fn points<C: CurveAffine>(seed: u64, len: usize) -> Vec<C> {
    let mut random = StdRng::seed_from_u64(seed);
    let few: Vec<C> = (0..8).map(|_| (C::generator() * Scalar::random(&mut random)).to_affine()).collect();
    let mut walk = few[0].to_curve();
    let point = |_| match random.gen_range(0..16) {
        0 => C::identity(),
        1 => few[random.gen_range(0..few.len())],
        2 => -few[random.gen_range(0..few.len())],
        _ => {
            walk += few[1];
            walk.to_affine()
        }
    };
    (0..len).map(point).collect()
}

/// Scalars of every kind: zeros and ones mostly, small ones of both signs, repeated ones, random ones.
pub(crate) fn scalars(seed: u64, len: usize) -> Vec<Scalar> {
    let mut random = StdRng::seed_from_u64(seed);
    let repeated = Scalar::random(&mut random);
    let scalar = |_| match random.gen_range(0..10) {
        0..=2 => Scalar::ZERO,
        3..=4 => Scalar::ONE,
        5 => -Scalar::ONE,
        6 => Scalar::from(random.gen_range(0..1 << 20)),
        7 => -Scalar::from(random.gen_range(0..1 << 20)),
        8 => repeated,
        _ => Scalar::random(&mut random),
    };
    (0..len).map(scalar).collect()
}
