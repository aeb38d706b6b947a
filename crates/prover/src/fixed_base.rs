//! Many multiples of one point, from a table of its multiples.
//!
//! The table holds, for every digit position of a scalar, the multiples of the base that a signed digit can select there
//! (the windowed method of Brickell, Gordon, McCurley and Wilson, Eurocrypt 1992). A multiple is then one addition a
//! window, with no doublings; many scalars go through the windows together, so that their additions batch. With
//! windows of 15 bits: 17 batched additions a multiple, in tables of 25.5 MiB (G1) and 51 MiB (G2).

use blstrs::Scalar;
use group::{Curve, Group};
use rayon::prelude::*;

use crate::{
    arith::{Affine, CurveAffine, Exponent, prefetch},
    msm::{PairAdder, Window},
};

/// How many table entries ahead of their use are prefetched.
const LOOKAHEAD: usize = 16;

/// The multiples of a point that multiplications by it are made of.
pub struct FixedBase<C: CurveAffine> {
    width: u32,
    /// One row a window: entry `d - 1` of row `w` is `d * 2^(w * width)` times the base.
    rows: Vec<Vec<C>>,
}

impl<C: CurveAffine> FixedBase<C> {
    /// The widest windows: beyond them the table leaves every cache.
    pub const MAX_WIDTH: u32 = 15;

    /// The width that makes the table and `count` multiplications together cheapest.
    pub fn width_for(count: usize) -> u32 {
        let cost = |width: u32| Window::count(width) as usize * (count + Window::magnitudes(width));
        (4..=Self::MAX_WIDTH).min_by_key(|width| cost(*width)).unwrap_or(Self::MAX_WIDTH)
    }

    /// Bytes that a table with windows of `width` bits holds.
    pub fn bytes(width: u32) -> u64 {
        (Window::count(width) as usize * Window::magnitudes(width) * size_of::<C>()) as u64
    }

    /// The table of `base` with windows of `width` bits (see [`width_for`](Self::width_for)).
    ///
    /// # Panics
    /// When `width` is zero or above [`MAX_WIDTH`](Self::MAX_WIDTH).
    pub fn new(base: C, width: u32) -> Self {
        assert!(
            (1..=Self::MAX_WIDTH).contains(&width),
            "windows of {width} bits, at most {} are possible",
            Self::MAX_WIDTH
        );
        let next = |base: &C::Curve| Some((0..width).fold(*base, |base, _| base.double()));
        let bases: Vec<C::Curve> =
            std::iter::successors(Some(base.to_curve()), next).take(Window::count(width) as usize).collect();
        let rows = bases.par_iter().map(|base| row(base.to_affine(), Window::magnitudes(width))).collect();
        Self { width, rows }
    }

    /// `scalars[i] * base` for every scalar, on the threads of the current rayon pool.
    pub fn mul_many(&self, scalars: &[Scalar]) -> Vec<C> {
        let mut out = vec![C::identity(); scalars.len()];
        self.mul_into(scalars, &mut out);
        out
    }

    /// [`mul_many`](Self::mul_many) into memory of the caller's.
    ///
    /// # Panics
    /// When there are not as many places in `out` as scalars.
    pub fn mul_into(&self, scalars: &[Scalar], out: &mut [C]) {
        assert_eq!(scalars.len(), out.len(), "as many places as scalars");
        let batch = PairAdder::<C::Coordinate>::BATCH;
        scalars
            .par_chunks(batch)
            .zip(out.par_chunks_mut(batch))
            .for_each_init(PairAdder::new, |adder, (scalars, out)| self.mul_batch(adder, scalars, out));
    }

    /// At most a batch of multiplications, one window after the other.
    fn mul_batch(&self, adder: &mut PairAdder<C::Coordinate>, scalars: &[Scalar], out: &mut [C]) {
        let exponents: Vec<Exponent> = scalars.iter().map(Exponent::from).collect();
        let out = C::points_mut(out);
        out.fill(Affine::default());
        let mut digits = Vec::with_capacity(exponents.len());
        for (index, row) in self.rows.iter().enumerate() {
            let (window, row) = (Window::new(index, self.width), C::points(row));
            digits.clear();
            digits.extend(exponents.iter().map(|exponent| window.digit(exponent)));
            for (i, digit) in digits.iter().enumerate() {
                if let Some(ahead) = digits.get(i + LOOKAHEAD) {
                    prefetch(&row[(ahead >> 1).saturating_sub(1) as usize]);
                }
                if *digit > 1 {
                    let multiple = row[(digit >> 1) as usize - 1].negated_if(digit & 1 == 1);
                    adder.add(out[i], multiple, i, out);
                }
            }
            adder.flush(out);
        }
    }
}

/// `1, 2, .., len` times `base`, for a power of two `len`: what is known so far, plus its last entry, is as much again.
fn row<C: CurveAffine>(base: C, len: usize) -> Vec<C> {
    let mut out = vec![base; len];
    let mut adder = PairAdder::new();
    let mut known = 1;
    while known < len {
        let (low, high) = C::points_mut(&mut out).split_at_mut(known);
        let last = low[known - 1];
        for (i, multiple) in low.iter().enumerate() {
            adder.add(*multiple, last, i, high);
        }
        adder.flush(high);
        known *= 2;
    }
    out
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine};
    use ff::Field;
    use group::prime::PrimeCurveAffine;
    use proptest::prelude::*;
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;

    fn agrees<C: CurveAffine>(base: C, width: u32, scalars: &[Scalar]) {
        let products = FixedBase::new(base, width).mul_many(scalars);
        assert_eq!(products.len(), scalars.len());
        for (product, scalar) in products.iter().zip(scalars) {
            assert_eq!(*product, (base * scalar).to_affine());
        }
    }

    fn scalars(seed: u64, len: usize) -> Vec<Scalar> {
        let mut random = StdRng::seed_from_u64(seed);
        let scalar = |_| match random.gen_range(0..5) {
            0 => Scalar::from(random.gen_range(0..3)),
            1 => -Scalar::from(random.gen_range(0..3)),
            _ => Scalar::random(&mut random),
        };
        (0..len).map(scalar).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn multiples_agree_with_blstrs(seed: u64, len in 0usize..200, width in 1u32..9) {
            let _limit = cuzk_testing::TimeLimit::seconds(120);
            let scalars = scalars(seed, len);
            agrees((G1Affine::generator() * Scalar::from(seed)).to_affine(), width, &scalars);
            agrees((G2Affine::generator() * Scalar::from(seed)).to_affine(), width, &scalars[..len / 2]);
        }
    }

    #[test]
    fn several_batches_at_full_width_agree_with_blstrs() {
        let _limit = cuzk_testing::TimeLimit::seconds(120);
        agrees(G1Affine::generator(), FixedBase::<G1Affine>::MAX_WIDTH, &scalars(1, 2500));
        agrees(G1Affine::identity(), 4, &scalars(2, 3));
    }

    #[test]
    fn wider_tables_are_chosen_for_more_multiples() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        assert!(FixedBase::<G1Affine>::width_for(10) < FixedBase::<G1Affine>::width_for(10_000));
        assert_eq!(FixedBase::<G1Affine>::width_for(1 << 22), 15);
        assert_eq!(FixedBase::<G1Affine>::bytes(15), (25 << 20) + (1 << 19));
        assert_eq!(FixedBase::<G2Affine>::bytes(15), 51 << 20);
    }
}
