//! Sums of selected points.
//!
//! A row of lanes takes the selected points in turn: one round of batched additions a row, one addition a point, and the
//! lanes stay in the processor's cache while the points stream by.

use group::Group;

use super::{pairs::PairAdder, tasks::fold_tasks};
use crate::arith::{Affine, CurveAffine, prefetch};

/// Bases in a task, a multiple of the bits in a word.
const TASK: usize = 1 << 15;

/// Points ahead of their use that are prefetched.
const LOOKAHEAD: usize = 16;

/// The sum of the bases whose bit in `mask` is set: bit `i % 64` of word `i / 64` selects base `i`.
///
/// Bits past the last base, and bases past the last word, do not count. Takes less than 1 MiB of memory a thread.
pub fn subset_sum<C: CurveAffine>(bases: &[C], mask: &[u64]) -> C::Curve {
    let tasks = bases.len().div_ceil(TASK).min(mask.len().div_ceil(TASK / 64));
    let workers = fold_tasks(tasks, LaneSum::<C>::new, |lanes, task| {
        let bases = C::points(&bases[task * TASK..]);
        let words = &mask[task * (TASK / 64)..];
        for (bases, word) in bases.chunks(64).zip(words).take(TASK / 64) {
            lanes.add_selected(bases, *word);
        }
    });
    workers.into_iter().fold(C::Curve::identity(), |sum, lanes| sum + lanes.finish())
}

/// The most bytes that [`subset_sum`] over `bases` bases holds on `threads` threads.
pub(crate) fn subset_bytes<C: CurveAffine>(bases: usize, threads: usize) -> u64 {
    let lanes = LaneSum::<C>::LANES * size_of::<Affine<C::Coordinate>>();
    (threads.min(bases.div_ceil(TASK)) * (lanes + PairAdder::<C::Coordinate>::BYTES)) as u64
}

/// A sum of points that is kept in many lanes.
struct LaneSum<C: CurveAffine> {
    lanes: Vec<Affine<C::Coordinate>>,
    /// The lane that takes the next point.
    next: usize,
    adder: PairAdder<C::Coordinate>,
}

impl<C: CurveAffine> LaneSum<C> {
    /// As many lanes as a batch has additions, so that a full row empties the adder.
    const LANES: usize = PairAdder::<C::Coordinate>::BATCH;

    fn new() -> Self {
        Self { lanes: vec![Affine::default(); Self::LANES], next: 0, adder: PairAdder::new() }
    }

    /// Adds those of at most 64 points whose bit is set.
    fn add_selected(&mut self, points: &[Affine<C::Coordinate>], word: u64) {
        let mut left = word;
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            left &= left - 1;
            let Some(point) = points.get(index) else { return };
            if let Some(ahead) = points.get(index + LOOKAHEAD) {
                prefetch(ahead);
            }
            self.adder.add(self.lanes[self.next], *point, self.next, &mut self.lanes);
            self.next = (self.next + 1) % Self::LANES;
        }
    }

    /// Adds up the lanes: in halves while batches are worth it, the rest one by one.
    fn finish(mut self) -> C::Curve {
        self.adder.flush(&mut self.lanes);
        let mut left = Self::LANES;
        while left > 32 {
            left /= 2;
            for lane in 0..left {
                let (p, q) = (self.lanes[lane], self.lanes[lane + left]);
                self.adder.add(p, q, lane, &mut self.lanes);
            }
            self.adder.flush(&mut self.lanes);
        }
        self.lanes[..left].iter().fold(C::Curve::identity(), |sum, point| sum + C::from_point(*point))
    }
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine};
    use group::prime::PrimeCurveAffine;
    use proptest::prelude::*;

    use super::{
        super::{naive::naive_subset_sum, samples::points},
        *,
    };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn subset_sums_agree_with_the_definition(
            seed: u64,
            len in prop_oneof![0usize..4, 60usize..70, 0usize..3000],
            density in 0u64..4,
            words in 0usize..50,
        ) {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            let mut state = seed;
            let mut word = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                [0, state ^ state >> 29, (state ^ state >> 31) & (state >> 7), u64::MAX][density as usize]
            };
            let mask: Vec<u64> = (0..words).map(|_| word()).collect();
            let bases = points::<G1Affine>(seed, len);
            prop_assert_eq!(subset_sum(&bases, &mask), naive_subset_sum(&bases, &mask));
            let bases = points::<G2Affine>(seed, len / 4);
            prop_assert_eq!(subset_sum(&bases, &mask), naive_subset_sum(&bases, &mask));
        }
    }

    #[test]
    fn a_sum_of_several_tasks_misses_no_base() {
        let _limit = cuzk_testing::TimeLimit::seconds(60);
        let bases = vec![G1Affine::generator(); 2 * TASK + 100];
        let mask = vec![u64::MAX; bases.len().div_ceil(64)];
        let expected = G1Affine::generator() * blstrs::Scalar::from(bases.len() as u64);
        assert_eq!(subset_sum(&bases, &mask), expected);
    }
}
