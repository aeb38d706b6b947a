//! Every distinct coefficient of a circuit once.

use std::ops::Index;

use blst::blst_fr;
use blstrs::Scalar;
use ff::Field;
use rustc_hash::FxHashMap;

use crate::limbs::{bit_length, canonical, single_bit};

/// The coefficients of a circuit. Circuits have millions of terms and a few thousand distinct coefficients, so terms hold
/// an index into this dictionary.
#[derive(Debug, Clone)]
pub(crate) struct Coefficients {
    values: Vec<Scalar>,
    powers: Vec<Option<SignedPower>>,
    indices: FxHashMap<[u64; 4], u32>,
}

/// A coefficient `2^power` or `-2^power`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SignedPower {
    pub(crate) power: u8,
    pub(crate) negative: bool,
}

impl Coefficients {
    /// The index of one.
    pub(crate) const ONE: u32 = 0;
    /// The index of minus one.
    pub(crate) const MINUS_ONE: u32 = 1;

    /// The index of `value`, which is added where it is new.
    pub(crate) fn intern(&mut self, value: &Scalar) -> u32 {
        if let Some(index) = self.values[..2].iter().position(|common| common == value) {
            return index as u32;
        }
        *self.indices.entry(blst_fr::from(*value).l).or_insert_with(|| {
            self.values.push(*value);
            self.powers.push(SignedPower::of(value));
            self.values.len() as u32 - 1
        })
    }

    /// All of them, in the order of their indices.
    pub(crate) fn values(&self) -> &[Scalar] {
        &self.values
    }

    /// The coefficient as a signed power of two, if it is one.
    pub(crate) fn power(&self, index: u32) -> Option<SignedPower> {
        self.powers[index as usize]
    }
}

impl Default for Coefficients {
    fn default() -> Self {
        let mut empty = Self { values: Vec::new(), powers: Vec::new(), indices: FxHashMap::default() };
        for value in [Scalar::ONE, -Scalar::ONE] {
            empty.indices.insert(blst_fr::from(value).l, empty.values.len() as u32);
            empty.values.push(value);
            empty.powers.push(SignedPower::of(&value));
        }
        empty
    }
}

impl Index<u32> for Coefficients {
    type Output = Scalar;

    fn index(&self, index: u32) -> &Scalar {
        &self.values[index as usize]
    }
}

impl SignedPower {
    fn of(value: &Scalar) -> Option<Self> {
        let power = |negative, value: &Scalar| single_bit(&canonical(value)).map(|power| Self { power, negative });
        power(false, value).or_else(|| power(true, &-value))
    }
}

/// A coefficient as a sum of powers of two, all of one sign: the shorter of its two forms.
pub(crate) fn binary_digits(value: &Scalar) -> Vec<SignedPower> {
    let (integer, negative) = shorter(value);
    ones(&integer).map(|power| SignedPower { power, negative }).collect()
}

/// A coefficient as a sum of powers of two of both signs, as few as possible: no two of them are neighbours (the non-adjacent
/// form). Ascending.
pub(crate) fn sparse_digits(value: &Scalar) -> Vec<SignedPower> {
    let (integer, is_negative) = shorter(value);
    // Half of x and 1.5 x differ where x has a digit. The integer is below half the modulus, so nothing overflows.
    let mut half = integer;
    for limb in 0..4 {
        half[limb] = integer[limb] >> 1 | integer.get(limb + 1).map_or(0, |above| above << 63);
    }
    let mut sum = integer;
    let mut carry = false;
    for (limb, half) in sum.iter_mut().zip(half) {
        (*limb, carry) = limb.carrying_add(half, carry);
    }
    let of_sign = |with: [u64; 4], negative: bool| {
        let digits: [u64; 4] = std::array::from_fn(|limb| with[limb] & (half[limb] ^ sum[limb]));
        ones(&digits).map(move |power| SignedPower { power, negative }).collect::<Vec<_>>()
    };
    let mut digits = [of_sign(sum, is_negative), of_sign(half, !is_negative)].concat();
    digits.sort_unstable_by_key(|digit| digit.power);
    digits
}

/// The coefficient or its negative, whichever is the shorter integer, and whether it is the negative.
fn shorter(value: &Scalar) -> ([u64; 4], bool) {
    let (positive, negative) = (canonical(value), canonical(&-value));
    let is_negative = bit_length(&negative) < bit_length(&positive);
    (if is_negative { negative } else { positive }, is_negative)
}

/// The positions of the bits that are set, ascending.
fn ones(integer: &[u64; 4]) -> impl Iterator<Item = u8> + use<> {
    let integer = *integer;
    (0..=255).filter(move |&bit: &u8| integer[usize::from(bit / 64)] >> (bit % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limbs::power_of_two;
    use cuzk_testing::TimeLimit;
    use proptest::prelude::*;
    use rand::SeedableRng;

    fn sum(digits: &[SignedPower]) -> Scalar {
        let value = |digit: &SignedPower| {
            let power = power_of_two(digit.power);
            if digit.negative { -power } else { power }
        };
        digits.iter().map(value).sum()
    }

    fn check(value: Scalar) -> Result<(), TestCaseError> {
        let (binary, sparse) = (binary_digits(&value), sparse_digits(&value));
        prop_assert_eq!((sum(&binary), sum(&sparse)), (value, value));
        prop_assert!(sparse.len() <= binary.len());
        prop_assert!(sparse.windows(2).all(|pair| pair[0].power + 1 < pair[1].power), "{:?}", sparse);
        Ok(())
    }

    proptest! {
        #[test]
        fn digits_add_up_and_are_few(seed: u64, small: i32, powers in prop::collection::vec((0..254u8, any::<bool>()), 0..4)) {
            let _limit = TimeLimit::seconds(60);
            check(Scalar::random(rand_chacha::ChaCha8Rng::seed_from_u64(seed)))?;
            let magnitude = Scalar::from(u64::from(small.unsigned_abs()));
            check(if small < 0 { -magnitude } else { magnitude })?;
            let powers: Vec<SignedPower> = powers.iter().map(|&(power, negative)| SignedPower { power, negative }).collect();
            check(sum(&powers))?;
            // Whatever powers of two were added up, no form of them is shorter.
            prop_assert!(sparse_digits(&sum(&powers)).len() <= powers.len());
        }
    }
}
