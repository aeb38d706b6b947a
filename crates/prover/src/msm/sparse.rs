//! Sums "by value": the scalars are a witness, most of which is 0 or 1.
//!
//! Telling zeros, ones and others apart depends on the scalars alone, so it is done once and serves every array of bases
//! that the same scalars go with: the l bases, say, or b in both groups.

use blstrs::Scalar;
use ff::Field;

use super::{
    pippenger::{msm_listed, scratch_bytes},
    subset::{subset_bytes, subset_sum},
};
use crate::arith::{CurveAffine, Exponent};

/// Scalars for consecutive bases, sorted by value: zeros cost nothing, ones are a bit each, the others are kept as they are.
///
/// Feed it the scalar of base 0, 1, 2 and so on, then [`evaluate`](Self::evaluate) it against as many bases. Takes an
/// eighth of a byte a scalar, and 36 bytes more for each that is neither 0 nor 1.
#[derive(Clone, Default, Debug)]
pub struct SparseSum {
    len: usize,
    ones: Vec<u64>,
    indices: Vec<u32>,
    others: Vec<Exponent>,
}

impl SparseSum {
    /// A sum without scalars.
    pub fn new() -> Self {
        Self::default()
    }

    /// A sum without scalars that has room for `len`, of which `others` may be neither 0 nor 1.
    pub fn with_capacity(len: usize, others: usize) -> Self {
        Self {
            len: 0,
            ones: Vec::with_capacity(len.div_ceil(64)),
            indices: Vec::with_capacity(others),
            others: Vec::with_capacity(others),
        }
    }

    /// Appends a boolean scalar.
    #[inline]
    pub fn push_bit(&mut self, bit: bool) {
        self.push_bits(u64::from(bit), 1);
    }

    /// Appends `count <= 64` boolean scalars, the lowest bit of `bits` first; bits from `count` on do not matter.
    #[inline]
    pub fn push_bits(&mut self, bits: u64, count: u32) {
        let bits = if count < 64 { bits & ((1 << count) - 1) } else { bits };
        let offset = self.len % 64;
        if offset == 0 && count > 0 {
            self.ones.push(bits);
        } else if let Some(last) = self.ones.last_mut() {
            *last |= bits << offset;
            if offset + count as usize > 64 {
                self.ones.push(bits >> (64 - offset));
            }
        }
        self.len += count as usize;
    }

    /// Appends a scalar of any value.
    #[inline]
    pub fn push(&mut self, scalar: &Scalar) {
        if *scalar == Scalar::ZERO || *scalar == Scalar::ONE {
            self.push_bit(*scalar == Scalar::ONE);
        } else {
            self.indices.push(self.len as u32);
            self.others.push(Exponent::from(scalar));
            self.push_bit(false);
        }
    }

    /// Appends all scalars of `next`: parts of a long witness can be told apart in parallel.
    pub fn append(&mut self, next: &Self) {
        self.indices.extend(next.indices.iter().map(|index| index + self.len as u32));
        self.others.extend_from_slice(&next.others);
        let mut left = next.len;
        for word in &next.ones {
            let count = left.min(64);
            self.push_bits(*word, count as u32);
            left -= count;
        }
    }

    /// How many scalars were appended, and so how many bases they go with.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no scalar was appended.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many of the scalars are 1.
    pub fn ones(&self) -> usize {
        self.ones.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// How many of the scalars are neither 0 nor 1.
    pub fn others(&self) -> usize {
        self.others.len()
    }

    /// Bytes that this holds.
    pub fn bytes(&self) -> u64 {
        let words = self.ones.capacity() * size_of::<u64>();
        let others = self.indices.capacity() * size_of::<u32>() + self.others.capacity() * size_of::<Exponent>();
        (words + others) as u64
    }

    /// The most bytes that [`evaluate`](Self::evaluate) in `C` holds besides this and the bases, on `threads` threads.
    pub fn scratch_bytes<C: CurveAffine>(&self, threads: usize) -> u64 {
        subset_bytes::<C>(self.len, threads).max(scratch_bytes::<C>(self.others.len(), threads))
    }

    /// `sum(scalars[i] * bases[i])`, on the threads of the current rayon pool. Takes the memory of
    /// [`scratch_bytes`](Self::scratch_bytes) at most.
    ///
    /// # Panics
    /// When there are not as many bases as scalars.
    pub fn evaluate<C: CurveAffine>(&self, bases: &[C]) -> C::Curve {
        assert_eq!(bases.len(), self.len, "as many bases as scalars");
        subset_sum(bases, &self.ones) + msm_listed(bases, &self.indices, &self.others)
    }
}

impl<'a> Extend<&'a Scalar> for SparseSum {
    fn extend<I: IntoIterator<Item = &'a Scalar>>(&mut self, scalars: I) {
        for scalar in scalars {
            self.push(scalar);
        }
    }
}

impl<'a> FromIterator<&'a Scalar> for SparseSum {
    fn from_iter<I: IntoIterator<Item = &'a Scalar>>(scalars: I) -> Self {
        let mut sum = Self::new();
        sum.extend(scalars);
        sum
    }
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine};
    use proptest::prelude::*;

    use super::{
        super::{
            naive::naive_msm,
            samples::{points, scalars},
        },
        *,
    };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn sums_by_value_agree_with_the_definition(seed: u64, len in 0usize..400, cut in 0usize..400) {
            let _limit = cuzk_testing::TimeLimit::seconds(120);
            let scalars = scalars(seed, len);
            let mut sum = SparseSum::from_iter(&scalars[..cut.min(len)]);
            sum.append(&SparseSum::from_iter(&scalars[cut.min(len)..]));
            let count = |wanted: Scalar| scalars.iter().filter(|scalar| **scalar == wanted).count();
            prop_assert_eq!(sum.len(), len);
            prop_assert_eq!(sum.ones(), count(Scalar::ONE));
            prop_assert_eq!(sum.others(), len - count(Scalar::ZERO) - count(Scalar::ONE));
            prop_assert!(sum.scratch_bytes::<G1Affine>(2) >= scratch_bytes::<G1Affine>(sum.others(), 2));
            let bases = points::<G1Affine>(seed, len);
            prop_assert_eq!(sum.evaluate(&bases), naive_msm(&bases, &scalars));
            let bases = points::<G2Affine>(seed, len);
            prop_assert_eq!(sum.evaluate(&bases), naive_msm(&bases, &scalars));
        }

        #[test]
        fn bits_may_come_one_by_one_or_in_words(words in prop::collection::vec((any::<u64>(), 0u32..=64), 0..20)) {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            let (mut in_words, mut one_by_one) = (SparseSum::with_capacity(100, 0), SparseSum::new());
            for (bits, count) in words {
                in_words.push_bits(bits, count);
                (0..count).for_each(|bit| one_by_one.push_bit(bits >> bit & 1 == 1));
            }
            prop_assert_eq!(in_words.len(), one_by_one.len());
            prop_assert_eq!(in_words.ones, one_by_one.ones);
        }
    }
}
