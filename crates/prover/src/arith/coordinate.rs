//! The fields that curve coordinates live in: Fp for G1, Fp2 for G2.

use std::mem::MaybeUninit;

use blst::{
    blst_fp, blst_fp_eucl_inverse, blst_fp_mul, blst_fp_sqr, blst_fp2, blst_fp2_eucl_inverse, blst_fp2_mul,
    blst_fp2_sqr,
};

use super::limbs;

/// The modulus p of BLS12-381's base field, little-endian limbs.
const MODULUS: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

/// One in Montgomery form, that is 2^384 mod p.
const FP_ONE: blst_fp = blst_fp {
    l: [
        0x7609_0000_0002_fffd,
        0xebf4_000b_c40c_0002,
        0x5f48_9857_53c7_58ba,
        0x77ce_5853_7052_5745,
        0x5c07_1a97_a256_ec6d,
        0x15f6_5ec3_fa80_e493,
    ],
};

/// A field that point coordinates are elements of; values are fully reduced and in Montgomery form.
///
/// Implemented for Fp ([`blst_fp`]) and Fp2 ([`blst_fp2`]).
pub trait Coordinate: Copy + Default + PartialEq + Send + Sync + 'static {
    /// The multiplicative identity.
    const ONE: Self;
    /// Whether this is zero.
    fn is_zero(&self) -> bool;
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// The difference.
    fn minus(&self, other: &Self) -> Self;
    /// Twice this value.
    #[inline(always)]
    fn double(&self) -> Self {
        self.plus(self)
    }
    /// The additive inverse when `negative` holds, otherwise the value itself; takes the same time either way.
    fn negated_if(&self, negative: bool) -> Self;
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// The square.
    fn square(&self) -> Self;
    /// The multiplicative inverse; zero for zero.
    fn inverse(&self) -> Self;
}

/// Calls a blst function that writes its result through its first argument.
macro_rules! through_blst {
    ($function:ident, $($argument:expr),+) => {{
        let mut out = MaybeUninit::uninit();
        // SAFETY: blst reads its operands, which are valid references, and writes all of `out`.
        unsafe {
            $function(out.as_mut_ptr(), $($argument),+);
            out.assume_init()
        }
    }};
}

impl Coordinate for blst_fp {
    const ONE: Self = FP_ONE;

    #[inline(always)]
    fn is_zero(&self) -> bool {
        limbs::is_zero(&self.l)
    }
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Self { l: limbs::add_mod(&self.l, &other.l, &MODULUS) }
    }
    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Self { l: limbs::sub_mod(&self.l, &other.l, &MODULUS) }
    }
    #[inline(always)]
    fn negated_if(&self, negative: bool) -> Self {
        Self { l: limbs::neg_mod_if(&self.l, negative, &MODULUS) }
    }
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        through_blst!(blst_fp_mul, self, other)
    }
    #[inline(always)]
    fn square(&self) -> Self {
        through_blst!(blst_fp_sqr, self)
    }
    fn inverse(&self) -> Self {
        through_blst!(blst_fp_eucl_inverse, self)
    }
}

impl Coordinate for blst_fp2 {
    const ONE: Self = Self { fp: [FP_ONE, blst_fp { l: [0; 6] }] };

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.fp[0].is_zero() & self.fp[1].is_zero()
    }
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Self { fp: [self.fp[0].plus(&other.fp[0]), self.fp[1].plus(&other.fp[1])] }
    }
    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Self { fp: [self.fp[0].minus(&other.fp[0]), self.fp[1].minus(&other.fp[1])] }
    }
    #[inline(always)]
    fn negated_if(&self, negative: bool) -> Self {
        Self { fp: [self.fp[0].negated_if(negative), self.fp[1].negated_if(negative)] }
    }
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        through_blst!(blst_fp2_mul, self, other)
    }
    #[inline(always)]
    fn square(&self) -> Self {
        through_blst!(blst_fp2_sqr, self)
    }
    fn inverse(&self) -> Self {
        through_blst!(blst_fp2_eucl_inverse, self)
    }
}

#[cfg(test)]
mod tests {
    use blstrs::{Fp, Fp2};
    use ff::Field;
    use proptest::prelude::*;
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    /// Random elements, with the ones near the ends of the range mixed in.
    fn element(seed: u64) -> Fp {
        let near = Fp::from(seed / 8 % 4);
        match seed % 8 {
            0 => near,
            1 => -near,
            _ => Fp::random(StdRng::seed_from_u64(seed)),
        }
    }

    /// Holds every operation of `Coordinate` against the same one of `blstrs`.
    fn agrees<T: Coordinate + std::fmt::Debug, F: Field + Into<T>>(a: F, b: F) {
        let (x, y): (T, T) = (a.into(), b.into());
        assert_eq!(F::ONE.into(), T::ONE);
        assert_eq!(x.is_zero(), bool::from(a.is_zero()));
        assert_eq!(x.plus(&y), (a + b).into());
        assert_eq!(x.minus(&y), (a - b).into());
        assert_eq!(x.double(), a.double().into());
        assert_eq!(x.negated_if(true), (-a).into());
        assert_eq!(x.negated_if(false), x);
        assert_eq!(x.times(&y), (a * b).into());
        assert_eq!(x.square(), a.square().into());
        assert_eq!(x.inverse(), a.invert().unwrap_or(F::ZERO).into());
    }

    proptest! {
        #[test]
        fn coordinates_agree_with_blstrs(seeds in any::<[u64; 4]>()) {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            let [a, b, c, d] = seeds.map(element);
            agrees::<blst_fp, Fp>(a, b);
            agrees::<blst_fp, Fp>(a, a);
            agrees::<blst_fp2, Fp2>(Fp2::new(a, b), Fp2::new(c, d));
            agrees::<blst_fp2, Fp2>(Fp2::new(a, a), Fp2::new(a, a));
        }
    }
}
