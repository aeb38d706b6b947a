//! Scalars as limbs: canonical integers, and sums of products that are reduced once.

use blst::blst_fr;
use blstrs::Scalar;
use ff::PrimeField;

/// The field's modulus, least significant limb first.
const MODULUS: [u64; 4] = [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];
/// `-1 / MODULUS` modulo 2^64.
const MINUS_INVERSE: u64 = 0xffff_fffe_ffff_ffff;

/// The value as an integer below the modulus, least significant limb first.
pub(crate) fn canonical(value: &Scalar) -> [u64; 4] {
    let bytes = value.to_repr();
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.as_ref().chunks_exact(8)) {
        *limb = chunk.iter().rev().fold(0, |limb, &byte| limb << 8 | u64::from(byte));
    }
    limbs
}

/// The position of the only bit that is set, if there is just one.
pub(crate) fn single_bit(integer: &[u64; 4]) -> Option<u8> {
    let ones: u32 = integer.iter().map(|limb| limb.count_ones()).sum();
    (ones == 1).then(|| lowest_bit(integer))
}

/// The position of the lowest bit that is set; 0 where none is.
pub(crate) fn lowest_bit(integer: &[u64; 4]) -> u8 {
    let limb = integer.iter().position(|&limb| limb != 0).unwrap_or(0);
    // At most 64 · 3 + 63, or 64 for zero.
    (64 * limb + integer[limb].trailing_zeros() as usize) as u8
}

/// How many bits the integer has up to its highest one.
pub(crate) fn bit_length(integer: &[u64; 4]) -> u32 {
    let limb = integer.iter().rposition(|&limb| limb != 0);
    limb.map_or(0, |limb| 64 * limb as u32 + 64 - integer[limb].leading_zeros())
}

/// 2^power.
pub(crate) fn power_of_two(power: u8) -> Scalar {
    (0..power).fold(Scalar::from(1u64), |value, _| value + value)
}

/// The limbs of a scalar's Montgomery form.
#[inline(always)]
pub(crate) fn montgomery(value: &Scalar) -> [u64; 4] {
    blst_fr::from(*value).l
}

/// A sum of products of scalars. Products are added in full width, and the sum is reduced once: about half the work of
/// reducing every product.
///
/// Up to [`Products::MAX`] products of limbs below 2^256 can be added.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Products {
    limbs: [u64; 9],
}

impl Products {
    /// How many products may be added: more than any row has terms, and far fewer than 64 bits of overflow hold.
    #[cfg(test)]
    pub(crate) const MAX: usize = 1 << 20;

    /// Adds the product of two Montgomery forms.
    #[inline(always)]
    pub(crate) fn add(&mut self, a: &[u64; 4], b: &[u64; 4]) {
        let mut product = [0u64; 8];
        for (i, &a) in a.iter().enumerate() {
            let mut carry = 0;
            for (j, &b) in b.iter().enumerate() {
                (product[i + j], carry) = a.carrying_mul_add(b, product[i + j], carry);
            }
            product[i + 4] = carry;
        }
        let mut carry = false;
        for (limb, product) in self.limbs.iter_mut().zip(product) {
            (*limb, carry) = limb.carrying_add(product, carry);
        }
        self.limbs[8] += u64::from(carry);
    }

    /// The sum as a scalar in Montgomery form: `sum / 2^256` modulo the field's modulus.
    #[inline(always)]
    pub(crate) fn reduce(self) -> Scalar {
        let mut t = self.limbs;
        // Montgomery 1985: make the four low limbs zero by adding multiples of the modulus.
        let mut overflow = false;
        for i in 0..4 {
            let factor = t[i].wrapping_mul(MINUS_INVERSE);
            let mut carry = 0;
            for j in 0..4 {
                (t[i + j], carry) = factor.carrying_mul_add(MODULUS[j], t[i + j], carry);
            }
            (t[i + 4], overflow) = t[i + 4].carrying_add(carry, overflow);
        }
        let mut value = [t[4], t[5], t[6], t[7]];
        let mut top = t[8] + u64::from(overflow);
        // What is left is at most some thousand times the modulus. The quotient of the leading bits is the number of times or
        // less, by at most a few.
        if top != 0 || value[3] >= MODULUS[3] {
            let quotient = (top << 18 | value[3] >> 46) / ((MODULUS[3] >> 46) + 1);
            top = top.wrapping_sub(subtract_multiple(&mut value, quotient));
            while top != 0 || !is_below_modulus(&value) {
                top = top.wrapping_sub(subtract_multiple(&mut value, 1));
            }
        }
        Scalar::from(blst_fr { l: value })
    }
}

/// Factors that make Montgomery forms of integers when they are multiplied and reduced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntegerFactors {
    /// For the four low limbs.
    pub(crate) low: [u64; 4],
    /// For the limb above them.
    pub(crate) top: [u64; 4],
}

impl IntegerFactors {
    /// The factors for integers, or for their negatives.
    pub(crate) fn new(negative: bool) -> Self {
        let shift = |value: Scalar| (0..256).fold(value, |value, _| value + value);
        let low = shift(if negative { -Scalar::from(1u64) } else { Scalar::from(1u64) });
        Self { low: montgomery(&low), top: montgomery(&shift(low)) }
    }
}

/// Subtracts `factor` times the modulus; what is borrowed from the limb above comes back.
#[inline(always)]
fn subtract_multiple(value: &mut [u64; 4], factor: u64) -> u64 {
    let (mut carry, mut borrow) = (0, false);
    for (limb, modulus) in value.iter_mut().zip(MODULUS) {
        let product;
        (product, carry) = factor.carrying_mul(modulus, carry);
        (*limb, borrow) = limb.borrowing_sub(product, borrow);
    }
    carry + u64::from(borrow)
}

#[inline(always)]
fn is_below_modulus(value: &[u64; 4]) -> bool {
    value.iter().rev().lt(MODULUS.iter().rev())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuzk_testing::TimeLimit;
    use ff::Field;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn scalars(seed: u64, count: usize) -> Vec<Scalar> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count).map(|_| Scalar::random(&mut rng)).collect()
    }

    proptest! {
        #[test]
        fn sums_of_products_agree_with_the_field(seed: u64, count in 0..1500usize) {
            let _limit = TimeLimit::seconds(60);
            let (a, b) = (scalars(seed, count), scalars(!seed, count));
            let mut sum = Products::default();
            for (a, b) in a.iter().zip(&b) {
                sum.add(&montgomery(a), &montgomery(b));
            }
            prop_assert_eq!(sum.reduce(), a.iter().zip(&b).map(|(a, b)| a * b).sum::<Scalar>());
        }

        #[test]
        fn integers_get_their_montgomery_form(limbs: [u64; 5]) {
            let _limit = TimeLimit::seconds(60);
            let base = power_of_two(64);
            let expected = limbs.iter().rev().fold(Scalar::ZERO, |value, &limb| value * base + Scalar::from(limb));
            let [low @ .., top] = limbs;
            for (negative, expected) in [(false, expected), (true, -expected)] {
                let factors = IntegerFactors::new(negative);
                let mut sum = Products::default();
                sum.add(&low, &factors.low);
                sum.add(&[top, 0, 0, 0], &factors.top);
                prop_assert_eq!(sum.reduce(), expected);
            }
        }
    }

    #[test]
    fn the_largest_sums_are_reduced() {
        let _limit = TimeLimit::seconds(60);
        let largest = -Scalar::ONE;
        let mut sum = Products::default();
        for _ in 0..Products::MAX {
            sum.add(&[u64::MAX; 4], &montgomery(&largest));
        }
        // 2^256 - 1 as a Montgomery form is (2^256 - 1) / 2^256.
        let top = (Scalar::from(0u64) - power_of_two(255).double().invert().expect("not zero")) + Scalar::ONE;
        assert_eq!(sum.reduce(), -(top * Scalar::from(Products::MAX as u64)));
    }

    #[test]
    fn integers_know_their_bits() {
        let _limit = TimeLimit::seconds(10);
        for power in [0, 1, 63, 64, 200, 254] {
            let integer = canonical(&power_of_two(power));
            assert_eq!((single_bit(&integer), lowest_bit(&integer)), (Some(power), power));
            assert_eq!(bit_length(&integer), u32::from(power) + 1);
        }
        assert_eq!(single_bit(&canonical(&Scalar::from(3u64))), None);
        assert_eq!(bit_length(&[0; 4]), 0);
    }
}
