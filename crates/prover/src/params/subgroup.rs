//! Membership of many points in their subgroup at once.
//!
//! A test of one point costs a scalar multiplication of some 64 bits (25 µs in G1). Instead the points are thrown
//! into [`BUCKETS`] random buckets and only the sums of the buckets are tested, [`ROUNDS`] times with fresh
//! randomness. If any point is bad, then, whatever the others are, at most one bucket for it makes all sums good: so
//! one round passes wrongly with probability at most `1 / BUCKETS`, all rounds with `2^-50`. A failing batch is
//! searched point by point, so the answer still names one. Cost: about [`ROUNDS`] mixed additions a point.

use group::{Curve, Group};
use rand::RngCore;

use super::Point;

const BUCKET_BITS: u32 = 10;
const BUCKETS: usize = 1 << BUCKET_BITS;
const ROUNDS: usize = 5;

/// Below this many points the buckets cost more than they save.
const DIRECT: usize = 8 * BUCKETS;

/// The index of a point outside the subgroup of prime order, if there is one.
///
/// `rng` must be unpredictable to whoever made the points.
pub(super) fn find_stray<P: Point>(points: &[P], rng: &mut impl RngCore) -> Option<usize> {
    if points.len() >= DIRECT && (0..ROUNDS).all(|_| bucket_sums_are_members(points, rng)) {
        return None;
    }
    points.iter().position(|point| !point.in_subgroup())
}

fn bucket_sums_are_members<P: Point>(points: &[P], rng: &mut impl RngCore) -> bool {
    let mut buckets = vec![P::Curve::identity(); BUCKETS];
    // Six bucket numbers from a word of randomness.
    for points in points.chunks((u64::BITS / BUCKET_BITS) as usize) {
        let mut word = rng.next_u64();
        for point in points {
            buckets[word as usize % BUCKETS] += point;
            word >>= BUCKET_BITS;
        }
    }
    let mut sums = vec![P::identity(); BUCKETS];
    P::Curve::batch_normalize(&buckets, &mut sums);
    // Infinity is a member; asking blst about it is left out.
    sums.iter().all(|sum| bool::from(sum.is_identity()) || sum.in_subgroup())
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
    use cuzk_testing::TimeLimit;
    use ff::Field;
    use proptest::prelude::*;
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    /// Enough distinct members for the bucket path, without a scalar multiplication each.
    fn members<P: Point>(rng: &mut StdRng) -> Vec<P> {
        let step = P::Curve::generator() * Scalar::random(&mut *rng);
        let points: Vec<_> = std::iter::successors(Some(step), |point| Some(*point + step)).take(DIRECT).collect();
        let mut affine = vec![P::identity(); points.len()];
        P::Curve::batch_normalize(&points, &mut affine);
        affine
    }

    /// A point of G1's curve outside the subgroup.
    fn stray_g1() -> G1Affine {
        let candidates = (1u8..).map(|x| {
            let mut encoded = [0u8; 48];
            (encoded[0], encoded[47]) = (0x80, x);
            G1Affine::from_compressed_unchecked(&encoded)
        });
        let on_curve = candidates.filter_map(Option::<G1Affine>::from);
        on_curve.into_iter().find(|point| !point.in_subgroup()).expect("nearly every point is a stray")
    }

    fn stray_g2() -> G2Affine {
        let candidates = (1u8..).map(|x| {
            let mut encoded = [0u8; 96];
            (encoded[0], encoded[95]) = (0x80, x);
            G2Affine::from_compressed_unchecked(&encoded)
        });
        let on_curve = candidates.filter_map(Option::<G2Affine>::from);
        on_curve.into_iter().find(|point| !point.in_subgroup()).expect("nearly every point is a stray")
    }

    #[test]
    fn members_pass_and_a_stray_is_named() {
        let _limit = TimeLimit::seconds(120);
        let mut rng = StdRng::seed_from_u64(5);
        let mut g1 = members::<G1Affine>(&mut rng);
        assert_eq!(find_stray(&g1, &mut rng), None);
        g1[4321] = (G1Projective::from(stray_g1()) + g1[4321]).to_affine();
        assert_eq!(find_stray(&g1, &mut rng), Some(4321));

        let mut g2 = members::<G2Affine>(&mut rng);
        assert_eq!(find_stray(&g2, &mut rng), None);
        g2[77] = (G2Projective::from(stray_g2()) + g2[77]).to_affine();
        assert_eq!(find_stray(&g2, &mut rng), Some(77));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        /// Two strays that cancel in a plain sum are still found.
        #[test]
        fn opposite_strays_are_found(seed: u64, first in 0..DIRECT, second in 0..DIRECT) {
            let _limit = TimeLimit::seconds(120);
            prop_assume!(first != second);
            let mut rng = StdRng::seed_from_u64(seed);
            let mut points = members::<G1Affine>(&mut rng);
            points[first] = stray_g1();
            points[second] = -stray_g1();
            prop_assert_eq!(find_stray(&points, &mut rng), Some(first.min(second)));
        }
    }
}
