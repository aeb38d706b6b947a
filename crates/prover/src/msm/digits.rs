//! Signed digits of scalars, read straight from the bits.

use crate::arith::Exponent;

/// One digit position of a signed-digit representation with digits in `-2^(width-1) ..= 2^(width-1)`.
///
/// Booth's recoding: digit `w` of `m` is `bits[low, low + width) + bit(low - 1) - 2^width * bit(low + width - 1)` with
/// `low = w * width`. A window borrows exactly what the next one adds back, so every digit is read on its own and there
/// is no carry to run through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    index: u32,
    width: u32,
}

impl Window {
    /// How many windows of this width cover a scalar.
    pub(crate) const fn count(width: u32) -> u32 {
        Exponent::BITS.div_ceil(width)
    }

    /// How many magnitudes a nonzero digit can have.
    pub(crate) const fn magnitudes(width: u32) -> usize {
        1 << (width - 1)
    }

    /// Window `index` of `count(width)`, the lowest first.
    pub(crate) fn new(index: usize, width: u32) -> Self {
        Self { index: index as u32, width }
    }

    /// The digit, in one number: twice the magnitude, and one more when it is negative. Less than 2 for a zero digit.
    #[inline(always)]
    pub(crate) fn digit(&self, exponent: &Exponent) -> u32 {
        let low = self.index * self.width;
        // The window's bits with the one below them at the bottom; below bit 0 there is a zero.
        let bits = match low {
            0 => exponent.bits(0, self.width) << 1,
            _ => exponent.bits(low - 1, self.width + 1),
        };
        let rounded = bits.div_ceil(2);
        let borrows = bits >> self.width;
        let magnitude = if borrows == 1 { (1 << self.width) - rounded } else { rounded };
        magnitude << 1 | (borrows ^ u32::from(exponent.is_negative()))
    }
}

#[cfg(test)]
mod tests {
    use blstrs::Scalar;
    use ff::Field;
    use proptest::prelude::*;
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn rebuilt(scalar: &Scalar, width: u32) -> Scalar {
        let exponent = Exponent::from(scalar);
        (0..Window::count(width)).rev().fold(Scalar::ZERO, |sum, index| {
            let digit = Window::new(index as usize, width).digit(&exponent);
            assert!((digit >> 1) as usize <= Window::magnitudes(width));
            let magnitude = Scalar::from(u64::from(digit >> 1));
            let shifted = (0..width).fold(sum, |sum, _| sum.double());
            if digit & 1 == 1 { shifted - magnitude } else { shifted + magnitude }
        })
    }

    proptest! {
        #[test]
        fn digits_add_up_to_the_scalar(seed: u64, small: u32, width in 1u32..=20) {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            let small = Scalar::from(u64::from(small));
            for scalar in [Scalar::random(StdRng::seed_from_u64(seed)), small, -small] {
                prop_assert_eq!(rebuilt(&scalar, width), scalar);
            }
        }
    }

    #[test]
    fn the_widths_of_large_sums_need_no_extra_window() {
        assert_eq!([15, 17].map(Window::count), [17, 15]);
    }
}
