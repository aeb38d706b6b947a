//! Scalars as the bucket method reads them: canonical, with the sign split off so that the magnitude is short.

use blst::{blst_fr, blst_uint64_from_fr};
use blstrs::Scalar;

use super::{fr::ORDER, limbs};

/// (r - 1) / 2, the largest magnitude.
const HALF: [u64; 4] = [0x7fff_ffff_8000_0000, 0xa9de_d201_7fff_2dff, 0x199c_ec04_04d0_ec02, 0x39f6_d3a9_94ce_bea4];

const SIGN: u64 = 1 << 63;

/// A scalar `s` as `±m` with `m <= (r - 1) / 2 < 2^254`: `m = s` or, with the sign set, `m = r - s`.
///
/// 32 bytes: the magnitude in canonical little-endian limbs, the sign in the top bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exponent {
    limbs: [u64; 4],
}

impl Exponent {
    /// How many bits signed digits must cover: those of the magnitude and one that stays clear, so that the topmost
    /// digit never borrows from a digit above it.
    pub const BITS: u32 = 255;

    /// Converts all of `scalars` and gives their memory to the result.
    pub fn from_vec(scalars: Vec<Scalar>) -> Vec<Self> {
        // The standard library collects in place when source and target have the same layout.
        scalars.into_iter().map(|scalar| Self::from(&scalar)).collect()
    }

    /// Whether the scalar is the magnitude's negative.
    #[inline(always)]
    pub fn is_negative(&self) -> bool {
        self.limbs[3] & SIGN != 0
    }

    /// Bits `low .. low + count` of the magnitude, for `count < 32`; bits past the top read as zero.
    #[inline(always)]
    pub fn bits(&self, low: u32, count: u32) -> u32 {
        let (word, shift) = ((low / 64) as usize, low % 64);
        let mut bits = self.word(word) >> shift;
        if shift + count > 64 {
            bits |= self.word(word + 1) << (64 - shift);
        }
        (bits & ((1 << count) - 1)) as u32
    }

    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        match index {
            0..=2 => self.limbs[index],
            3 => self.limbs[3] & !SIGN,
            _ => 0,
        }
    }
}

impl From<&Scalar> for Exponent {
    #[inline]
    fn from(scalar: &Scalar) -> Self {
        let mut canonical = [0u64; 4];
        let inner = blst_fr::from(*scalar);
        // SAFETY: blst reads one field element and writes four limbs, both of which are valid references.
        unsafe { blst_uint64_from_fr(canonical.as_mut_ptr(), &inner) };
        let (_, above_half) = limbs::sub(&HALF, &canonical);
        let (mirrored, _) = limbs::sub(&ORDER, &canonical);
        let mut limbs = limbs::select(&canonical, &mirrored, limbs::mask(above_half));
        limbs[3] |= u64::from(above_half) << 63;
        Self { limbs }
    }
}

#[cfg(test)]
mod tests {
    use ff::Field;
    use proptest::prelude::*;
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    /// Puts the scalar together again from single bits.
    fn rebuilt(exponent: &Exponent) -> Scalar {
        let magnitude =
            (0..256).rev().fold(Scalar::ZERO, |sum, bit| sum.double() + Scalar::from(u64::from(exponent.bits(bit, 1))));
        if exponent.is_negative() { -magnitude } else { magnitude }
    }

    #[test]
    fn the_ends_of_the_range_split_as_documented() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let half = -Scalar::ONE * Scalar::from(2).invert().expect("two is not zero");
        for scalar in [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, half, half + Scalar::ONE] {
            assert_eq!(rebuilt(&Exponent::from(&scalar)), scalar);
        }
        assert!(!Exponent::from(&half).is_negative());
        assert!(Exponent::from(&(half + Scalar::ONE)).is_negative());
        assert_eq!(Exponent::from(&half).limbs, HALF);
    }

    proptest! {
        #[test]
        fn sign_and_magnitude_give_the_scalar_back(seed: u64, low in 0u32..300, count in 1u32..20) {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            let scalar = Scalar::random(StdRng::seed_from_u64(seed));
            let exponent = Exponent::from(&scalar);
            prop_assert_eq!(rebuilt(&exponent), scalar);
            prop_assert_eq!(exponent.bits(254, 2), 0);
            let expected = (0..count).map(|i| exponent.bits(low + i, 1) << i).sum::<u32>();
            prop_assert_eq!(exponent.bits(low, count), expected);
            prop_assert_eq!(Exponent::from_vec(vec![scalar; 3]), vec![exponent; 3]);
        }
    }
}
