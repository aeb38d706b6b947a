//! Linear combinations of bits and scalars.

use blstrs::Scalar;
use ff::Field;
use serde::{Deserialize, Serialize};

use super::{Frame, Strided, capacity_bytes, load, mask};
use crate::limbs::{IntegerFactors, Products, montgomery};

/// The linear combinations of a program, all in a few arrays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sums {
    /// Words of bits, each bit weighing a power of two. Additions keep theirs here too.
    pub(crate) words: Vec<Word>,
    /// Scalars that are added or subtracted.
    pub(crate) slots: Vec<u32>,
    /// Scalars, then bits, with coefficients.
    pub(crate) weighted: Vec<Weighted>,
    pub(crate) sums: Vec<Sum>,
}

/// Index of a linear combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct SumRef(pub(crate) u32);

/// A linear combination: a constant and the next few entries of each array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sum {
    /// Index of a coefficient.
    pub(crate) constant: Option<u32>,
    pub(crate) first_word: u32,
    pub(crate) first_slot: u32,
    pub(crate) first_weighted: u32,
    pub(crate) words: u16,
    pub(crate) plus: u16,
    pub(crate) minus: u16,
    pub(crate) weighted_scalars: u16,
    pub(crate) weighted_bits: u16,
}

/// `±2^shift · (bits as an integer)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Word {
    pub(crate) bits: Strided,
    pub(crate) count: u8,
    pub(crate) shift: u8,
    pub(crate) negative: bool,
}

/// A variable with a coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Weighted {
    pub(crate) place: u32,
    pub(crate) coefficient: u32,
}

/// A value that a step needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operand {
    Zero,
    /// A scalar of the frame as it is.
    Slot(u32),
    Sum(SumRef),
}

/// What every sum needs besides the frame.
#[derive(Debug, Clone)]
pub(crate) struct Constants<'a> {
    pub(crate) coefficients: &'a [Scalar],
    factors: [IntegerFactors; 2],
}

impl<'a> Constants<'a> {
    pub(crate) fn new(coefficients: &'a [Scalar]) -> Self {
        Self { coefficients, factors: [IntegerFactors::new(false), IntegerFactors::new(true)] }
    }
}

impl Sums {
    /// Bytes taken from the allocator.
    pub(super) fn bytes(&self) -> u64 {
        let Self { words, slots, weighted, sums } = self;
        capacity_bytes(words) + capacity_bytes(slots) + capacity_bytes(weighted) + capacity_bytes(sums)
    }

    /// Gives back what the allocator gave too much of.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.words.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.weighted.shrink_to_fit();
        self.sums.shrink_to_fit();
    }

    #[inline(always)]
    pub(super) fn operand(&self, operand: Operand, frame: &Frame, constants: &Constants<'_>) -> Scalar {
        match operand {
            Operand::Zero => Scalar::ZERO,
            Operand::Slot(slot) => frame.scalars[slot as usize],
            Operand::Sum(sum) => self.evaluate(sum, frame, constants),
        }
    }

    /// The value of a linear combination.
    pub(super) fn evaluate(&self, sum: SumRef, frame: &Frame, constants: &Constants<'_>) -> Scalar {
        let sum = &self.sums[sum.0 as usize];
        let words = &self.words[sum.first_word as usize..][..usize::from(sum.words)];
        let slots = &self.slots[sum.first_slot as usize..][..usize::from(sum.plus) + usize::from(sum.minus)];
        let (plus, minus) = slots.split_at(usize::from(sum.plus));
        let count = usize::from(sum.weighted_scalars) + usize::from(sum.weighted_bits);
        let weighted = &self.weighted[sum.first_weighted as usize..][..count];
        let (scalars, bits) = weighted.split_at(usize::from(sum.weighted_scalars));

        let mut value = match sum.constant {
            Some(index) => constants.coefficients[index as usize],
            None => Scalar::ZERO,
        };
        for &slot in plus {
            value += frame.scalars[slot as usize];
        }
        for &slot in minus {
            value -= frame.scalars[slot as usize];
        }
        for bit in bits {
            if load(&frame.bits, bit.place) & 1 == 1 {
                value += constants.coefficients[bit.coefficient as usize];
            }
        }
        if scalars.is_empty() && words.is_empty() {
            return value;
        }
        let mut products = Products::default();
        for Weighted { place, coefficient } in scalars {
            let (scalar, coefficient) =
                (&frame.scalars[*place as usize], &constants.coefficients[*coefficient as usize]);
            products.add(&montgomery(scalar), &montgomery(coefficient));
        }
        if !words.is_empty() {
            let mut integers = [Integer::default(); 2];
            for word in words {
                integers[usize::from(word.negative)].add(word, frame);
            }
            for (integer, factor) in integers.iter().zip(&constants.factors) {
                integer.add_to(&mut products, factor);
            }
        }
        value + products.reduce()
    }

    /// The value of words whose sum is an integer that fits.
    #[inline(always)]
    pub(super) fn integer(&self, first_word: u32, words: u16, frame: &Frame) -> i64 {
        let words = &self.words[first_word as usize..][..usize::from(words)];
        words.iter().fold(0, |sum, word| {
            let value = ((word.bits.load(&frame.bits, word.count) & mask(word.count)) << word.shift) as i64;
            if word.negative { sum - value } else { sum + value }
        })
    }
}

/// An integer of more than 256 bits.
#[derive(Debug, Clone, Copy, Default)]
struct Integer([u64; 5]);

impl Integer {
    #[inline(always)]
    fn add(&mut self, word: &Word, frame: &Frame) {
        let bits = u128::from(word.bits.load(&frame.bits, word.count) & mask(word.count)) << (word.shift & 63);
        let mut carry = false;
        for (limb, addend) in
            self.0[usize::from(word.shift >> 6)..].iter_mut().zip([bits as u64, (bits >> 64) as u64, 0, 0, 0])
        {
            (*limb, carry) = limb.carrying_add(addend, carry);
        }
    }

    #[inline(always)]
    fn add_to(&self, products: &mut Products, factors: &IntegerFactors) {
        let [low @ .., top] = self.0;
        if low != [0; 4] {
            products.add(&low, &factors.low);
        }
        if top != 0 {
            products.add(&[top, 0, 0, 0], &factors.top);
        }
    }
}
