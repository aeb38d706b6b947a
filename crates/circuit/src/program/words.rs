//! Up to 64 bits of a bit vector at a time.

/// Some bits of a bit vector: positions `position`, `position + stride`, …
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct Strided {
    pub(crate) position: u32,
    pub(crate) stride: i8,
}

/// Every second bit of a word.
const EVEN: u64 = 0x5555_5555_5555_5555;

/// The `count` lowest bits.
#[inline(always)]
pub(crate) fn mask(count: u8) -> u64 {
    // At least one bit is wanted.
    u64::MAX >> (64 - u32::from(count))
}

/// 64 bits from `position` on.
#[inline(always)]
pub(crate) fn load(words: &[u64], position: u32) -> u64 {
    let (word, shift) = ((position >> 6) as usize, position & 63);
    // Shifting twice makes a shift by 64 of a shift by zero.
    words[word] >> shift | words[word + 1] << 1 << (63 - shift)
}

/// Puts the bits of `value` at `position` and after it, where zeros are.
#[inline(always)]
pub(crate) fn store(words: &mut [u64], position: u32, value: u64) {
    let (word, shift) = ((position >> 6) as usize, position & 63);
    words[word] |= value << shift;
    words[word + 1] |= value >> 1 >> (63 - shift);
}

impl Strided {
    /// The bits as a word, the first one lowest; what is above `count` bits is undefined.
    #[inline(always)]
    pub(crate) fn load(self, words: &[u64], count: u8) -> u64 {
        match self.stride {
            1 => load(words, self.position),
            0 => (load(words, self.position) & 1).wrapping_neg(),
            2 => {
                let low = every_second(load(words, self.position));
                let high = if count > 32 { every_second(load(words, self.position + 64)) } else { 0 };
                low | high << 32
            }
            -1 => {
                let first = self.position + 1 - u32::from(count);
                load(words, first).reverse_bits() >> (64 - u32::from(count))
            }
            stride => {
                let bit = |index: u8| load(words, at(self.position, stride, index)) & 1;
                (0..count).fold(0, |word, index| word | bit(index) << index)
            }
        }
    }

    /// Writes the `count` lowest bits of `value`, of which no other may be set, where zeros are.
    #[inline(always)]
    pub(crate) fn store(self, words: &mut [u64], count: u8, value: u64) {
        match self.stride {
            1 => store(words, self.position, value),
            2 => {
                store(words, self.position, apart(value));
                if count > 32 {
                    store(words, self.position + 64, apart(value >> 32));
                }
            }
            -1 => {
                let first = self.position + 1 - u32::from(count);
                store(words, first, value.reverse_bits() >> (64 - u32::from(count)));
            }
            stride => {
                for index in 0..count {
                    store(words, at(self.position, stride, index), value >> index & 1);
                }
            }
        }
    }

    /// Where bit `index` is.
    #[cfg(test)]
    fn at(self, index: u8) -> u32 {
        at(self.position, self.stride, index)
    }
}

#[inline(always)]
fn at(position: u32, stride: i8, index: u8) -> u32 {
    position.wrapping_add_signed(i32::from(stride) * i32::from(index))
}

/// Bits 0, 2, 4 … as the 32 lowest bits.
#[inline(always)]
fn every_second(word: u64) -> u64 {
    let word = word & EVEN;
    let word = (word | word >> 1) & 0x3333_3333_3333_3333;
    let word = (word | word >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word | word >> 4) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word >> 8) & 0x0000_ffff_0000_ffff;
    (word | word >> 16) & 0x0000_0000_ffff_ffff
}

/// The 32 lowest bits as bits 0, 2, 4 …
#[inline(always)]
fn apart(word: u64) -> u64 {
    let word = word & 0x0000_0000_ffff_ffff;
    let word = (word | word << 16) & 0x0000_ffff_0000_ffff;
    let word = (word | word << 8) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word | word << 2) & 0x3333_3333_3333_3333;
    (word | word << 1) & EVEN
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuzk_testing::TimeLimit;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strided_bits_are_loaded_and_stored(
            words in prop::collection::vec(any::<u64>(), 12),
            position in 192..256u32,
            stride in -3..=3i8,
            count in 1..=64u8,
        ) {
            let _limit = TimeLimit::seconds(30);
            let strided = Strided { position, stride };
            let bit = |words: &[u64], at: u32| words[at as usize / 64] >> (at % 64) & 1;
            let expected = (0..count).fold(0, |word, index| word | bit(&words, strided.at(index)) << index);
            prop_assert_eq!(strided.load(&words, count) & mask(count), expected);
            if stride != 0 {
                let mut stored = vec![0; 12];
                strided.store(&mut stored, count, expected);
                prop_assert_eq!(strided.load(&stored, count) & mask(count), expected);
                let ones: u32 = stored.iter().map(|word| word.count_ones()).sum();
                prop_assert_eq!(ones, expected.count_ones());
            }
        }
    }
}
