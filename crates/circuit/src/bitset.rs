//! Sets of small integers, one bit each.

/// A set of integers below `len`, in words of 64 bits, least significant bit first.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Bitset {
    words: Vec<u64>,
    len: usize,
}

impl Bitset {
    /// The empty set of integers below `len`.
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// The set of all integers below `len`.
    pub fn full(len: usize) -> Self {
        let mut words = vec![u64::MAX; len.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !len.is_multiple_of(64)) {
            *last >>= 64 - len % 64;
        }
        Self { words, len }
    }

    /// The integers of `mask`, renumbered in ascending order: those of this set that belong to it.
    pub fn select(&self, mask: &Self) -> Self {
        let mut selected = Self::with_capacity(mask.count_ones());
        for (&word, &mask) in self.words.iter().zip(&mask.words) {
            let mut runs = mask;
            while runs != 0 {
                // One run of ones in the mask at a time.
                let start = runs.trailing_zeros();
                let count = (runs >> start).trailing_ones();
                let run = u64::MAX >> (64 - count);
                selected.push_word(word >> start & run, count);
                runs &= !(run << start);
            }
        }
        selected
    }

    /// Allows `count` more integers, from 1 to 64, and takes those whose bit is set; no other bit may be.
    fn push_word(&mut self, bits: u64, count: u32) {
        let offset = self.len % 64;
        if offset == 0 {
            self.words.push(bits);
        } else {
            if let Some(last) = self.words.last_mut() {
                *last |= bits << offset;
            }
            if offset + count as usize > 64 {
                self.words.push(bits >> (64 - offset));
            }
        }
        self.len += count as usize;
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

    /// How many integers below `index` belong to the set.
    pub fn count_below(&self, index: usize) -> usize {
        let (words, rest) = (&self.words[..(index / 64).min(self.words.len())], index % 64);
        let last = self.words.get(index / 64).map_or(0, |word| (word & ((1 << rest) - 1)).count_ones() as usize);
        words.iter().map(|word| word.count_ones() as usize).sum::<usize>() + last
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

    /// The words, for whoever sets many bits at a time and leaves those from `len` on zero.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Whether the words are as many as `len` needs and have no bits beyond it: what a set read from a file may lack.
    pub(crate) fn is_well_formed(&self) -> bool {
        let beyond = self.words.last().map_or(0, |last| match self.len % 64 {
            0 => 0,
            used => last >> used,
        });
        self.words.len() == self.len.div_ceil(64) && beyond == 0
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
        fn members_are_selected(pairs in prop::collection::vec(any::<(bool, bool)>(), 0..400)) {
            let _limit = TimeLimit::seconds(30);
            let (mut set, mut mask) = (Bitset::with_capacity(0), Bitset::with_capacity(0));
            let mut expected = Bitset::with_capacity(0);
            for (member, chosen) in pairs {
                set.push(member);
                mask.push(chosen);
                if chosen {
                    expected.push(member);
                }
            }
            prop_assert_eq!(set.select(&mask), expected);
            prop_assert_eq!(set.select(&Bitset::full(set.len())), set);
        }

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
            prop_assert_eq!(&set.iter_ones().collect::<Vec<_>>(), &ones);
            for index in 0..members.len() + 70 {
                prop_assert_eq!(set.count_below(index), ones.iter().filter(|&&one| one < index).count());
                prop_assert_eq!(set.get(index), members.get(index).copied().unwrap_or(false));
            }
        }
    }
}
