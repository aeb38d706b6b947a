//! The bucket method: windows of signed digits, summed independently of each other and combined from the top.
//!
//! Cost in batched additions for `n` terms, with `c` bits a window: `255 / c` windows of `n` and `2^c` additions each. See
//! Bernstein, Doumen, Lange and Oosterwijk, "Faster batch forgery identification" (Indocrypt 2012), section 4.

use std::ops::Range;

use blstrs::Scalar;
use group::Group;
use rayon::prelude::*;

use super::{Window, buckets::Buckets, tasks::fold_tasks};
use crate::arith::{CurveAffine, Exponent};

/// Terms whose scalars are converted at a time: bounds the converted copy at 128 MiB.
const SEGMENT: usize = 1 << 22;

/// The widest window: more buckets than `2^16` leave the caches and pay off only above any segment's size.
const MAX_WIDTH: u32 = 17;

/// `sum(scalars[i] * bases[i])` over full-size scalars.
///
/// # Panics
/// When there are not as many scalars as bases.
pub fn msm<C: CurveAffine>(bases: &[C], scalars: &[Scalar]) -> C::Curve {
    assert_eq!(bases.len(), scalars.len(), "as many scalars as bases");
    let segments = bases.chunks(SEGMENT).zip(scalars.chunks(SEGMENT));
    segments.fold(C::Curve::identity(), |sum, (bases, scalars)| {
        let exponents: Vec<Exponent> = scalars.par_iter().with_min_len(1 << 12).map(Exponent::from).collect();
        sum + sum_terms(bases, &exponents)
    })
}

/// [`msm`] over scalars that were converted before, which saves the converted copy.
///
/// # Panics
/// When there are not as many scalars as bases.
pub fn msm_exponents<C: CurveAffine>(bases: &[C], exponents: &[Exponent]) -> C::Curve {
    assert_eq!(bases.len(), exponents.len(), "as many scalars as bases");
    sum_terms(bases, exponents)
}

/// The most bytes that [`msm`] over `terms` terms holds besides its arguments, on a pool of `threads` threads.
pub fn scratch_bytes<C: CurveAffine>(terms: usize, threads: usize) -> u64 {
    (terms.min(SEGMENT) * size_of::<Exponent>()) as u64 + exponents_scratch_bytes::<C>(terms, threads)
}

/// As [`scratch_bytes`], for [`msm_exponents`], which need not convert its scalars.
pub fn exponents_scratch_bytes<C: CurveAffine>(terms: usize, threads: usize) -> u64 {
    let plan = Plan::new(terms, threads);
    let worker = Buckets::<C>::bytes(plan.width, plan.longest()) + plan.windows * size_of::<C::Curve>();
    (threads.min(plan.tasks()) * worker) as u64
}

/// Sums all windows and combines them.
fn sum_terms<C: CurveAffine>(bases: &[C], exponents: &[Exponent]) -> C::Curve {
    assert!(bases.len() < 1 << 31, "at most 2^31 bases, their indices are kept in 31 bits");
    let plan = Plan::new(exponents.len(), rayon::current_num_threads());
    let partial = fold_tasks(
        plan.tasks(),
        || (Buckets::<C>::new(plan.width, plan.longest()), vec![C::Curve::identity(); plan.windows]),
        |(buckets, sums), task| {
            let (window, range) = plan.task(task);
            let window_of = Window::new(window, plan.width);
            sums[window] += buckets.window_sum(window_of, &bases[range.clone()], &exponents[range]);
        },
    );
    (0..plan.windows).rev().fold(C::Curve::identity(), |total, window| {
        let shifted = (0..plan.width).fold(total, |total, _| total.double());
        partial.iter().fold(shifted, |total, (_, sums)| total + sums[window])
    })
}

/// How a sum is cut into tasks: each is one window over one part of the terms.
#[derive(Clone, Copy)]
struct Plan {
    terms: usize,
    width: u32,
    windows: usize,
    parts: usize,
}

impl Plan {
    /// One part unless more of them, each paying for its own buckets, keep the threads busier by a tenth at least.
    fn new(terms: usize, threads: usize) -> Self {
        let width = width(terms);
        let windows = Window::count(width) as usize;
        let time = |parts: usize| {
            let rounds = (windows * parts).div_ceil(threads.max(1));
            rounds as f64 * (terms as f64 / parts as f64 + bucket_cost(width))
        };
        let most = (terms / (8 * Window::magnitudes(width))).clamp(1, 4 * threads.max(1));
        let best = (1..=most).min_by(|a, b| time(*a).total_cmp(&time(*b))).unwrap_or(1);
        let parts = if time(best) < 0.9 * time(1) { best } else { 1 };
        Self { terms, width, windows, parts }
    }

    fn tasks(&self) -> usize {
        if self.terms == 0 { 0 } else { self.windows * self.parts }
    }

    /// The most terms in a part.
    fn longest(&self) -> usize {
        self.terms.div_ceil(self.parts)
    }

    /// The window and the terms of a task.
    fn task(&self, number: usize) -> (usize, Range<usize>) {
        let (part, window) = (number / self.windows, number % self.windows);
        let cut = |part: usize| (part * self.longest()).min(self.terms);
        (window, cut(part)..cut(part + 1))
    }
}

/// What summing a window's buckets costs, in batched additions: two for each bucket, and the inversions of small batches.
fn bucket_cost(width: u32) -> f64 {
    2.2 * Window::magnitudes(width) as f64 + 100.0
}

/// The window width that makes a sum of `terms` terms cheapest.
fn width(terms: usize) -> u32 {
    let cost = |width: u32| f64::from(Window::count(width)) * (terms as f64 + bucket_cost(width));
    (3..=MAX_WIDTH).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(MAX_WIDTH)
}

#[cfg(test)]
mod tests;
