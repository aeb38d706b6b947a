//! The scalar field with open limbs, for the transforms.

use std::mem::MaybeUninit;

use blst::{blst_fr, blst_fr_mul};
use blstrs::Scalar;

use super::limbs;

/// The order r of the scalar field, little-endian limbs.
pub(super) const ORDER: [u64; 4] =
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

const _: () = assert!(size_of::<Scalar>() == size_of::<Fr>() && align_of::<Scalar>() == align_of::<Fr>());

/// A scalar in Montgomery form, fully reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Fr(blst_fr);

impl Fr {
    /// The sum.
    #[inline(always)]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self(blst_fr { l: limbs::add_mod(&self.0.l, &other.0.l, &ORDER) })
    }

    /// The difference.
    #[inline(always)]
    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self(blst_fr { l: limbs::sub_mod(&self.0.l, &other.0.l, &ORDER) })
    }

    /// The product.
    #[inline(always)]
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut out = MaybeUninit::uninit();
        // SAFETY: blst reads its operands, which are valid references, and writes all of `out`.
        unsafe {
            blst_fr_mul(out.as_mut_ptr(), &self.0, &other.0);
            Self(out.assume_init())
        }
    }
}

impl From<Scalar> for Fr {
    #[inline(always)]
    fn from(scalar: Scalar) -> Self {
        Self(scalar.into())
    }
}

/// The same scalars with open limbs, to be written.
#[inline(always)]
pub(crate) fn elements_mut(scalars: &mut [Scalar]) -> &mut [Fr] {
    // SAFETY: `Scalar` and `Fr` are both repr(transparent) over blst_fr (size and alignment asserted above), every bit
    // pattern is a valid value of either, and the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), scalars.len()) }
}

#[cfg(test)]
mod tests {
    use ff::Field;
    use proptest::prelude::*;
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn element(seed: u64) -> Scalar {
        let near = Scalar::from(seed / 8 % 4);
        match seed % 8 {
            0 => near,
            1 => -near,
            _ => Scalar::random(StdRng::seed_from_u64(seed)),
        }
    }

    proptest! {
        #[test]
        fn scalars_agree_with_blstrs(seeds in any::<[u64; 2]>()) {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            let [a, b] = seeds.map(element);
            let (x, y) = (Fr::from(a), Fr::from(b));
            prop_assert_eq!(x.plus(&y), Fr::from(a + b));
            prop_assert_eq!(x.minus(&y), Fr::from(a - b));
            prop_assert_eq!(y.minus(&x), Fr::from(b - a));
            prop_assert_eq!(x.times(&y), Fr::from(a * b));
            let mut scalars = [a, b];
            elements_mut(&mut scalars).swap(0, 1);
            prop_assert_eq!(scalars, [b, a]);
        }
    }
}
