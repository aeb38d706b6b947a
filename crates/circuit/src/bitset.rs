//! Sets of small integers, one bit each.

/// A set of integers below `len`, in words of 64 bits, least significant bit first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitset {
    words: Vec<u64>,
    len: usize,
}

impl Bitset {
    /// The empty set of integers below `len`.
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// An empty set with no integers allowed yet, and room for `len` to be pushed.
    pub fn with_capacity(len: usize) -> Self {
        Self { words: Vec::with_capacity(len.div_ceil(64)), len: 0 }
    }

    /// Allows one more integer, `len`, and says whether it belongs to the set.
    pub fn push(&mut self, member: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.len += 1;
        if member {
            self.set(self.len - 1);
        }
    }

    /// Whether `index` belongs to the set; `false` beyond the end.
    pub fn get(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Puts `index` into the set.
    ///
    /// # Panics
    /// When `index` is not below `len`.
    pub fn set(&mut self, index: usize) {
        assert!(index < self.len, "bit {index} of a set of {}", self.len);
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// How many integers belong to the set.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Every member is below this number.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no integer can belong to the set.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The members in ascending order.
    pub fn iter_ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| index * 64 + rest.trailing_zeros() as usize)
        })
    }

    /// The words; bits from `len` on are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bytes that the set has taken from the allocator.
    pub fn bytes(&self) -> u64 {
        (self.words.capacity() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Bitset;
    use cuzk_testing::TimeLimit;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_vector_of_bools(members in prop::collection::vec(any::<bool>(), 0..300)) {
            let _limit = TimeLimit::seconds(30);
            let mut pushed = Bitset::with_capacity(members.len());
            let mut set = Bitset::new(members.len());
            for (index, &member) in members.iter().enumerate() {
                pushed.push(member);
                if member {
                    set.set(index);
                }
            }
            prop_assert_eq!(&pushed, &set);
            let ones: Vec<usize> = (0..members.len()).filter(|&index| members[index]).collect();
            prop_assert_eq!(set.count_ones(), ones.len());
            prop_assert_eq!(set.iter_ones().collect::<Vec<_>>(), ones);
            for index in 0..members.len() + 70 {
                prop_assert_eq!(set.get(index), members.get(index).copied().unwrap_or(false));
            }
        }
    }
}
