use blstrs::{G1Affine, G2Affine};
use ff::Field;
use group::{Curve, prime::PrimeCurveAffine};
use proptest::prelude::*;
use rand::{SeedableRng, rngs::StdRng};

use super::*;
use crate::msm::{
    naive::naive_msm,
    samples::{points, scalars},
};

fn agrees<C: CurveAffine>(seed: u64, len: usize) {
    let bases = points::<C>(seed, len);
    let mut random = StdRng::seed_from_u64(!seed);
    let full: Vec<Scalar> = (0..len).map(|_| Scalar::random(&mut random)).collect();
    for scalars in [full, scalars(seed, len), vec![-Scalar::ONE; len], vec![Scalar::from(seed); len]] {
        let expected = naive_msm(&bases, &scalars);
        assert_eq!(msm(&bases, &scalars), expected);
        assert_eq!(msm_exponents(&bases, &Exponent::from_vec(scalars)), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn sums_agree_with_the_definition(seed: u64, len in prop_oneof![0usize..5, 30usize..70, 0usize..500]) {
        let _limit = cuzk_testing::TimeLimit::seconds(120);
        agrees::<G1Affine>(seed, len);
        agrees::<G2Affine>(seed, len / 3);
    }

    #[test]
    fn every_width_gives_the_same_sum(seed: u64, len in 1usize..200) {
        let _limit = cuzk_testing::TimeLimit::seconds(120);
        let (bases, scalars) = (points::<G1Affine>(seed, len), scalars(seed, len));
        let exponents = Exponent::from_vec(scalars.clone());
        let expected = naive_msm(&bases, &scalars);
        for width in 2..=13 {
            let mut buckets = Buckets::<G1Affine>::new(width, len);
            let windows = (0..Window::count(width) as usize).rev();
            let sum = windows.fold(blstrs::G1Projective::identity(), |sum, window| {
                let shifted = (0..width).fold(sum, |sum, _| sum.double());
                shifted + buckets.window_sum(Window::new(window, width), &bases, &exponents)
            });
            prop_assert_eq!(sum, expected);
        }
    }

    #[test]
    fn plans_cover_every_term_once(terms in 0usize..1 << 22, threads in 1usize..200) {
        let plan = Plan::new(terms, threads);
        let mut covered = vec![0; plan.windows];
        for task in 0..plan.tasks() {
            let (window, range) = plan.task(task);
            prop_assert_eq!(range.start, covered[window].min(terms));
            prop_assert!(range.len() <= plan.longest());
            covered[window] = range.end;
        }
        prop_assert!(covered.iter().all(|end| *end == terms));
    }
}

/// Known discrete logarithms make a sum over several tiles and windows of full width checkable in one multiplication.
#[test]
fn long_sums_of_several_tiles_agree_with_their_logarithm() {
    let _limit = cuzk_testing::TimeLimit::seconds(120);
    let len = 40_000;
    let generator = G1Affine::generator();
    let mut bases = vec![generator.to_curve(); len];
    for i in 1..len {
        bases[i] = bases[i - 1] + generator;
    }
    let mut affine = vec![G1Affine::identity(); len];
    blstrs::G1Projective::batch_normalize(&bases, &mut affine);
    let mut random = StdRng::seed_from_u64(1);
    let scalars: Vec<Scalar> = (0..len).map(|_| Scalar::random(&mut random)).collect();
    let logarithm: Scalar = scalars.iter().zip(1u64..).map(|(scalar, i)| *scalar * Scalar::from(i)).sum();
    for threads in [1, 3, 40] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        assert_eq!(pool.install(|| msm(&affine, &scalars)), generator * logarithm);
    }
}

#[test]
fn scratch_grows_with_threads_and_stops_growing_with_terms() {
    let bytes = scratch_bytes::<G1Affine>;
    assert!(bytes(0, 4) < 1 << 10);
    assert!(bytes(1 << 20, 1) < bytes(1 << 20, 8));
    assert_eq!(bytes(SEGMENT, 2), bytes(10 * SEGMENT, 2));
    assert!(bytes(SEGMENT, 2) < 256 << 20);
}
