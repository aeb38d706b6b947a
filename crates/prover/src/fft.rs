//! Fourier transforms over the scalar field, on domains of a power of two.
//!
//! A forward transform is a descent in the tree of factors of `x^n - 1`: node `i` stands for a factor `x^m - c^2` with
//! `c = twiddles[i]`, and reducing modulo its two factors `x^(m/2) - c` (node `2 i`) and `x^(m/2) + c` (node `2 i + 1`) is one
//! row of butterflies that all have the same twiddle. The leaves are the values at the domain's points, in bit-reversed order.
//! The inverse climbs the same tree. What follows from this view:
//!
//! - The twiddles of a node do not depend on the domain's size, and stand in memory in the order in which they are read.
//! - Halves are independent, so the transform runs depth first: once a half fits in a core's cache it stays there, and
//!   the upper halves go to different threads.
//! - Node 1 is `x^m + 1`. A transform that starts there, rather than at node 0, evaluates on the coset of the domain by a
//!   root of -1, and needs no multiplications by the powers of a shift.
//! - `-1 / twiddles[i]` is another entry of the table, so the inverse needs no table of its own.
//!
//! Forward takes natural to bit-reversed order and the inverse back; between the two no permutation is needed. The methods of
//! [`Domain`] that are public permute, so that callers only see natural order.

use blstrs::Scalar;
use ff::{Field, PrimeField};
use rayon::prelude::*;

use crate::arith::{Fr, elements_mut};

mod bit_reverse;
pub(crate) use bit_reverse::bit_reverse;

/// Values that a core transforms level by level, because they fit in its cache (256 KiB).
const IN_CACHE: usize = 1 << 13;

/// Values below which a row of butterflies, or a half, is not worth handing to another thread.
const PARALLEL: usize = 1 << 14;

/// Where a transform evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Points {
    /// The roots of `x^n - 1`.
    Subgroup,
    /// The roots of `x^n + 1`.
    Coset,
}

/// The `2^log2` roots of unity of that order, with what transforms on them need.
///
/// Transforms run on the rayon pool that they are called in.
pub struct Domain {
    log2: u32,
    twiddles: Twiddles,
}

/// A factor for every node of the tree: `at(2^k + j) = at(j) * (the root of order 2^(k+2))`, starting from `at(0) = 1`.
///
/// Half of the nodes are the coset's last row. Their factors are not kept: each is used once a transform, and making it
/// costs a multiplication more there, a small share of one row, for half of the memory.
struct Twiddles {
    kept: Vec<Fr>,
    /// The root that leads to the row behind those kept.
    last: Fr,
}

impl Twiddles {
    fn new(log2: u32) -> Self {
        let rows = log2.saturating_sub(1);
        let mut kept = vec![Fr::from(Scalar::ONE); 1 << rows];
        for level in 0..rows {
            let root = Fr::from(root_of_unity(level + 2));
            let (known, rest) = kept.split_at_mut(1 << level);
            let next = &mut rest[..known.len()];
            next.par_iter_mut().with_min_len(1 << 12).zip(known).for_each(|(next, known)| *next = known.times(&root));
        }
        Self { kept, last: Fr::from(root_of_unity(rows + 2)) }
    }

    #[inline(always)]
    fn at(&self, node: usize) -> Fr {
        match self.kept.get(node) {
            Some(factor) => *factor,
            None => self.kept[node - self.kept.len()].times(&self.last),
        }
    }
}

impl Domain {
    /// The largest domain: its coset takes a root of twice its order, and the field has roots up to order `2^32`.
    pub const MAX_LOG2: u32 = Scalar::S - 1;

    /// The domain of `2^log2` points.
    ///
    /// # Panics
    /// When `log2` exceeds [`MAX_LOG2`](Self::MAX_LOG2).
    pub fn new(log2: u32) -> Self {
        assert!(log2 <= Self::MAX_LOG2, "a domain of 2^{log2} points, at most 2^{} are possible", Self::MAX_LOG2);
        Self { log2, twiddles: Twiddles::new(log2) }
    }

    /// Bytes that a domain of `2^log2` points holds.
    pub fn bytes(log2: u32) -> u64 {
        (size_of::<Fr>() as u64) << log2.saturating_sub(1)
    }

    /// The number of points.
    pub fn size(&self) -> usize {
        1 << self.log2
    }

    /// The binary logarithm of the number of points.
    pub fn log2(&self) -> u32 {
        self.log2
    }

    /// The generator: point `i` is `root()^i`.
    pub fn root(&self) -> Scalar {
        root_of_unity(self.log2)
    }

    /// The shift of the coset: its point `i` is `shift() * root()^i`, and `shift()^n = -1`.
    pub fn shift(&self) -> Scalar {
        root_of_unity(self.log2 + 1)
    }

    /// Coefficients to values at the points, both in natural order.
    ///
    /// # Panics
    /// Like all transforms, when there are not as many values as points.
    pub fn fft(&self, values: &mut [Scalar]) {
        self.forward(values, Points::Subgroup);
        bit_reverse(values);
    }

    /// Values at the points to coefficients, both in natural order.
    pub fn ifft(&self, values: &mut [Scalar]) {
        bit_reverse(values);
        self.inverse(values, Points::Subgroup);
        self.divide_by_size(values);
    }

    /// Coefficients to values at the coset's points, both in natural order.
    pub fn coset_fft(&self, values: &mut [Scalar]) {
        self.forward(values, Points::Coset);
        bit_reverse(values);
    }

    /// Values at the coset's points to coefficients, both in natural order.
    pub fn coset_ifft(&self, values: &mut [Scalar]) {
        bit_reverse(values);
        self.inverse(values, Points::Coset);
        self.divide_by_size(values);
    }

    /// Coefficients to values in bit-reversed order.
    pub(crate) fn forward(&self, values: &mut [Scalar], points: Points) {
        assert_eq!(values.len(), self.size(), "as many values as the domain has points");
        forward(elements_mut(values), points as usize, &self.twiddles);
    }

    /// Values in bit-reversed order to `n` times the coefficients.
    pub(crate) fn inverse(&self, values: &mut [Scalar], points: Points) {
        assert_eq!(values.len(), self.size(), "as many values as the domain has points");
        inverse(elements_mut(values), points as usize, &self.twiddles);
    }

    /// `1 / n`.
    pub(crate) fn size_inverse(&self) -> Scalar {
        let half = Scalar::TWO_INV;
        (0..self.log2).fold(Scalar::ONE, |inverse, _| inverse * half)
    }

    fn divide_by_size(&self, values: &mut [Scalar]) {
        let factor = self.size_inverse();
        values.par_iter_mut().with_min_len(1 << 12).for_each(|value| *value *= factor);
    }
}

/// The field's root of unity of order `2^log2`.
fn root_of_unity(log2: u32) -> Scalar {
    (log2..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square())
}

/// The entry of the twiddle table that holds `-1 / twiddles[node]`, for `node > 0`: the root of node `2^k + j` is the
/// odd power `2 r + 1` of one of order `2^(k+2)`, `r` being `j` with its `k` bits reversed, and flipping the bits of `j` gives
/// the power `2^(k+1) - (2 r + 1)`.
fn mirror(node: usize) -> usize {
    node ^ ((1 << node.ilog2()) - 1)
}

/// Reduces modulo the leaves below `node`.
fn forward(values: &mut [Fr], node: usize, twiddles: &Twiddles) {
    if values.len() <= IN_CACHE {
        return forward_in_cache(values, node, twiddles);
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    in_parts(left, right, |left, right| split(left, right, node, twiddles));
    join_if_large(left, right, |half, side| forward(half, 2 * node + side, twiddles));
}

/// Climbs from the leaves below `node` back up to it.
fn inverse(values: &mut [Fr], node: usize, twiddles: &Twiddles) {
    if values.len() <= IN_CACHE {
        return inverse_in_cache(values, node, twiddles);
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    join_if_large(left, right, |half, side| inverse(half, 2 * node + side, twiddles));
    in_parts(left, right, |left, right| unite(left, right, node, twiddles));
}

fn forward_in_cache(values: &mut [Fr], node: usize, twiddles: &Twiddles) {
    let mut size = values.len();
    while size > 1 {
        let first = node * (values.len() / size);
        for (block, values) in values.chunks_exact_mut(size).enumerate() {
            let (left, right) = values.split_at_mut(size / 2);
            split(left, right, first + block, twiddles);
        }
        size /= 2;
    }
}

fn inverse_in_cache(values: &mut [Fr], node: usize, twiddles: &Twiddles) {
    let mut size = 2;
    while size <= values.len() {
        let first = node * (values.len() / size);
        for (block, values) in values.chunks_exact_mut(size).enumerate() {
            let (left, right) = values.split_at_mut(size / 2);
            unite(left, right, first + block, twiddles);
        }
        size *= 2;
    }
}

/// Reduces a polynomial with lower half `left` and upper half `right` modulo the two factors of `node`.
#[inline(always)]
fn split(left: &mut [Fr], right: &mut [Fr], node: usize, twiddles: &Twiddles) {
    let twiddle = twiddles.at(node);
    for (left, right) in left.iter_mut().zip(right) {
        // Node 0 splits into x^(m/2) - 1 and x^(m/2) + 1.
        let turned = if node == 0 { *right } else { right.times(&twiddle) };
        (*left, *right) = (left.plus(&turned), left.minus(&turned));
    }
}

/// Undoes [`split`], up to a factor of 2.
#[inline(always)]
fn unite(left: &mut [Fr], right: &mut [Fr], node: usize, twiddles: &Twiddles) {
    if node == 0 {
        for (left, right) in left.iter_mut().zip(right) {
            (*left, *right) = (left.plus(right), left.minus(right));
        }
        return;
    }
    let twiddle = twiddles.at(mirror(node));
    for (left, right) in left.iter_mut().zip(right) {
        let difference = right.minus(left);
        (*left, *right) = (left.plus(right), difference.times(&twiddle));
    }
}

/// Does a row of butterflies in parts, on several threads.
fn in_parts(left: &mut [Fr], right: &mut [Fr], row: impl Fn(&mut [Fr], &mut [Fr]) + Sync) {
    if left.len() < PARALLEL {
        return row(left, right);
    }
    let parts = left.par_chunks_mut(PARALLEL / 4).zip(right.par_chunks_mut(PARALLEL / 4));
    parts.for_each(|(left, right)| row(left, right));
}

/// Does both halves, on two threads if they are large.
fn join_if_large(left: &mut [Fr], right: &mut [Fr], half: impl Fn(&mut [Fr], usize) + Sync) {
    if left.len() < PARALLEL {
        half(left, 0);
        half(right, 1);
    } else {
        rayon::join(|| half(left, 0), || half(right, 1));
    }
}

#[cfg(test)]
mod tests;
