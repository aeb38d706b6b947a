//! The permutation between natural and bit-reversed order.

/// Bits of a block's side: 16 scalars in a row are eight cache lines, and two blocks of 16 rows fit in any cache.
const SIDE_BITS: u32 = 4;

/// Exchanges values whose indices are each other's bits in reverse. The length must be a power of two.
///
/// Walks over blocks: an index is a row, a middle and a column, and the reversal maps the block of a middle onto that of the
/// reversed middle, transposed. So memory is touched a few lines at a time instead of one value here and one far away
/// (Carter and Gatlin, "Towards an optimal bit-reversal permutation program", FOCS 1998).
pub(crate) fn bit_reverse<T>(values: &mut [T]) {
    assert!(values.len().is_power_of_two(), "{} values, not a power of two", values.len());
    let bits = values.len().ilog2();
    let side_bits = SIDE_BITS.min(bits / 2);
    let middle_bits = bits - 2 * side_bits;
    let side = 1usize << side_bits;
    for middle in 0..1usize << middle_bits {
        let mirrored = reverse(middle, middle_bits);
        if middle > mirrored {
            continue;
        }
        for row in 0..side {
            for column in 0..side {
                let from = (row << middle_bits | middle) << side_bits | column;
                let to = (reverse(column, side_bits) << middle_bits | mirrored) << side_bits | reverse(row, side_bits);
                if middle < mirrored || from < to {
                    values.swap(from, to);
                }
            }
        }
    }
}

/// The lowest `bits` bits of `value` in reverse.
fn reverse(value: usize, bits: u32) -> usize {
    value.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_moves_to_its_reversed_index() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for bits in 0..=13 {
            let mut values: Vec<usize> = (0..1 << bits).collect();
            bit_reverse(&mut values);
            assert!(values.iter().enumerate().all(|(i, value)| *value == reverse(i, bits)));
        }
        assert_eq!(reverse(0b0011, 4), 0b1100);
    }
}
