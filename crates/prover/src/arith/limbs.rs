//! Modular addition and subtraction on little-endian limbs, for moduli that leave the top bit free.
//!
//! Written so that the compiler unrolls the loops and emits add-with-carry chains; nothing here is specific to a
//! processor. Operands and results are fully reduced.

/// `a + b + carry` and the carry out.
#[inline(always)]
const fn add_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

/// `a - b - borrow` and the borrow out.
#[inline(always)]
const fn sub_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    (difference, first | second)
}

/// `a - b` over the integers modulo `2^(64 N)`, and whether it went below zero.
#[inline(always)]
pub(super) fn sub<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], bool) {
    let mut out = [0; N];
    let mut borrow = false;
    for i in 0..N {
        (out[i], borrow) = sub_borrow(a[i], b[i], borrow);
    }
    (out, borrow)
}

/// `a` where `mask` is zero, `b` where it is all ones.
#[inline(always)]
pub(super) fn select<const N: usize>(a: &[u64; N], b: &[u64; N], mask: u64) -> [u64; N] {
    let mut out = [0; N];
    for i in 0..N {
        out[i] = (a[i] & !mask) | (b[i] & mask);
    }
    out
}

/// All ones when `flag` holds, zero otherwise.
#[inline(always)]
pub(super) fn mask(flag: bool) -> u64 {
    u64::from(flag).wrapping_neg()
}

/// Whether every limb is zero.
#[inline(always)]
pub(super) fn is_zero<const N: usize>(a: &[u64; N]) -> bool {
    a.iter().fold(0, |all, limb| all | limb) == 0
}

/// `a + b` modulo `modulus`.
#[inline(always)]
pub(super) fn add_mod<const N: usize>(a: &[u64; N], b: &[u64; N], modulus: &[u64; N]) -> [u64; N] {
    let mut sum = [0; N];
    let mut carry = false;
    for i in 0..N {
        (sum[i], carry) = add_carry(a[i], b[i], carry);
    }
    let (reduced, below) = sub(&sum, modulus);
    select(&reduced, &sum, mask(below))
}

/// `a - b` modulo `modulus`.
#[inline(always)]
pub(super) fn sub_mod<const N: usize>(a: &[u64; N], b: &[u64; N], modulus: &[u64; N]) -> [u64; N] {
    let (difference, below) = sub(a, b);
    let back = mask(below);
    let mut out = [0; N];
    let mut carry = false;
    for i in 0..N {
        (out[i], carry) = add_carry(difference[i], modulus[i] & back, carry);
    }
    out
}

/// `-a` modulo `modulus` when `negative` holds, `a` otherwise; without a branch.
#[inline(always)]
pub(super) fn neg_mod_if<const N: usize>(a: &[u64; N], negative: bool, modulus: &[u64; N]) -> [u64; N] {
    let (negated, _) = sub(modulus, a);
    select(a, &negated, mask(negative & !is_zero(a)))
}
