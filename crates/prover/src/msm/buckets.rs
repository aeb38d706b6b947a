//! One window of the bucket method: every term goes to the bucket of its digit's magnitude, then the buckets are summed
//! with their weights.
//!
//! Terms come in tiles. A tile is counting-sorted by bucket; neighbours in the same bucket are added in pairs, round after
//! round, until each bucket has one point left, which is added to the bucket's running sum. So every term costs one
//! batched addition whatever the distribution of digits (a tile whose digits are all equal is just a tree), and the memory
//! for intermediate sums is that of a tile, not of the whole sum.

use group::Group;

use super::{Window, pairs::PairAdder};
use crate::arith::{Affine, CurveAffine, Exponent, prefetch};

/// How many terms ahead of their use the bases are prefetched.
const LOOKAHEAD: usize = 16;

/// The buckets of a window, and the memory that filling them takes.
pub(super) struct Buckets<C: CurveAffine> {
    width: u32,
    /// The sum of magnitude `m` stands at `m - 1`.
    sums: Vec<Affine<C::Coordinate>>,
    /// The tile's digits, in the order of the terms.
    digits: Vec<u32>,
    /// Twice the index of a base, and one more when it is to be negated; sorted by bucket.
    entries: Vec<u32>,
    /// During the sort where a bucket's next entry goes; then how many points a bucket has left.
    counts: Vec<u32>,
    /// Intermediate sums of the tile, sorted by bucket.
    pending: Vec<Affine<C::Coordinate>>,
    adder: PairAdder<C::Coordinate>,
}

impl<C: CurveAffine> Buckets<C> {
    /// Terms in a tile: enough of them for each bucket to see a few, few enough to stay close to the processor.
    pub(super) fn tile(width: u32) -> usize {
        (2 * Window::magnitudes(width)).clamp(1 << 13, 1 << 17)
    }

    /// Bytes that the buckets of a window hold for sums of `terms` terms.
    pub(super) fn bytes(width: u32, terms: usize) -> usize {
        let (buckets, tile) = (Window::magnitudes(width), Self::tile(width).min(terms));
        let points = buckets + Self::pending_len(width, tile) + 2 * lanes(width);
        points * size_of::<Affine<C::Coordinate>>()
            + (2 * tile + buckets) * size_of::<u32>()
            + PairAdder::<C::Coordinate>::BYTES
    }

    /// Each bucket halves its points, rounding up.
    fn pending_len(width: u32, tile: usize) -> usize {
        (tile + tile.min(Window::magnitudes(width))).div_ceil(2)
    }

    /// Empty buckets for windows of `width` bits, for sums of at most `terms` terms.
    pub(super) fn new(width: u32, terms: usize) -> Self {
        let (buckets, tile) = (Window::magnitudes(width), Self::tile(width).min(terms));
        Self {
            width,
            sums: vec![Affine::default(); buckets],
            digits: Vec::with_capacity(tile),
            entries: vec![0; tile],
            counts: vec![0; buckets],
            pending: vec![Affine::default(); Self::pending_len(width, tile)],
            adder: PairAdder::new(),
        }
    }

    /// `sum(digit(exponents[i]) * base(i))` over one window's digits.
    pub(super) fn window_sum(&mut self, window: Window, bases: &[C], exponents: &[Exponent]) -> C::Curve {
        let bases = C::points(bases);
        self.sums.fill(Affine::default());
        let tile = Self::tile(self.width);
        for (number, exponents) in exponents.chunks(tile).enumerate() {
            let start = number * tile;
            let terms = self.sort(window, exponents, |i| (start + i) as u32);
            let mut largest = self.first_round(bases, terms);
            while largest > 1 {
                largest = self.next_round();
            }
            self.add_to_sums();
        }
        self.weighted_sum()
    }

    /// Sorts the tile's nonzero digits by bucket into `entries` and returns how many there are; leaves in `counts` where
    /// each bucket's entries end.
    #[inline(always)]
    fn sort(&mut self, window: Window, exponents: &[Exponent], base: impl Fn(usize) -> u32) -> usize {
        self.counts.fill(0);
        self.digits.clear();
        for exponent in exponents {
            let digit = window.digit(exponent);
            self.digits.push(digit);
            if digit > 1 {
                self.counts[(digit >> 1) as usize - 1] += 1;
            }
        }
        let mut total = 0;
        for count in &mut self.counts {
            (*count, total) = (total, total + *count);
        }
        for (i, digit) in self.digits.iter().enumerate() {
            if *digit > 1 {
                let position = &mut self.counts[(digit >> 1) as usize - 1];
                self.entries[*position as usize] = base(i) << 1 | (digit & 1);
                *position += 1;
            }
        }
        total as usize
    }

    /// Adds neighbours of the same bucket, reading the bases; turns `counts` from ends into numbers of points left, and
    /// returns the largest of them.
    fn first_round(&mut self, bases: &[Affine<C::Coordinate>], terms: usize) -> u32 {
        let entries = &self.entries[..terms];
        let load = |position: usize| {
            if let Some(ahead) = entries.get(position + LOOKAHEAD) {
                prefetch(&bases[(ahead >> 1) as usize]);
            }
            let entry = entries[position];
            bases[(entry >> 1) as usize].negated_if(entry & 1 == 1)
        };
        let (mut from, mut to, mut largest) = (0, 0, 0);
        for count in &mut self.counts {
            let (start, end) = (from, *count as usize);
            while from + 1 < end {
                self.adder.add(load(from), load(from + 1), to, &mut self.pending);
                from += 2;
                to += 1;
            }
            if from < end {
                self.pending[to] = load(from);
                from += 1;
                to += 1;
            }
            *count = (end - start).div_ceil(2) as u32;
            largest = largest.max(*count);
        }
        self.adder.flush(&mut self.pending);
        largest
    }

    /// Adds neighbours of the same bucket within `pending`, closing the gaps; returns the largest number of points left.
    ///
    /// Writing into the array being read is sound: the adder holds copies, and a sum's place is never behind its
    /// operands', so what a write replaces has been read.
    fn next_round(&mut self) -> u32 {
        let (mut from, mut to, mut largest) = (0, 0, 0);
        for count in &mut self.counts {
            let end = from + *count as usize;
            while from + 1 < end {
                let (p, q) = (self.pending[from], self.pending[from + 1]);
                self.adder.add(p, q, to, &mut self.pending);
                from += 2;
                to += 1;
            }
            if from < end {
                self.pending[to] = self.pending[from];
                from += 1;
                to += 1;
            }
            *count = count.div_ceil(2);
            largest = largest.max(*count);
        }
        self.adder.flush(&mut self.pending);
        largest
    }

    /// Adds the one point that each bucket has left to the bucket's sum.
    fn add_to_sums(&mut self) {
        let mut from = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            if *count > 0 {
                self.adder.add(self.sums[bucket], self.pending[from], bucket, &mut self.sums);
                from += 1;
            }
        }
        self.adder.flush(&mut self.sums);
    }

    /// `sum((i + 1) * sums[i])`.
    ///
    /// With the buckets seen as rows of `lanes` each, `i + 1 = row * lanes + (lane + 1)`: running sums from the last row
    /// down give each lane's `sum(row * sums)` and plain sum, all lanes in lockstep, so that their additions batch.
    fn weighted_sum(&mut self) -> C::Curve {
        let lanes = lanes(self.width);
        let mut running = vec![Affine::default(); lanes];
        let mut by_row = vec![Affine::default(); lanes];
        for (row, sums) in self.sums.chunks(lanes).enumerate().rev() {
            for (lane, sum) in sums.iter().enumerate() {
                self.adder.add(running[lane], *sum, lane, &mut running);
            }
            self.adder.flush(&mut running);
            if row > 0 {
                for (lane, running) in running.iter().enumerate() {
                    self.adder.add(by_row[lane], *running, lane, &mut by_row);
                }
                self.adder.flush(&mut by_row);
            }
        }
        let mut rows = by_row.iter().fold(C::Curve::identity(), |sum, point| sum + C::from_point(*point));
        for _ in 0..lanes.ilog2() {
            rows = rows.double();
        }
        let (mut suffix, mut columns) = (C::Curve::identity(), C::Curve::identity());
        for point in running.iter().rev() {
            suffix += C::from_point(*point);
            columns += suffix;
        }
        rows + columns
    }
}

/// Lanes that the weighted sum works on in lockstep: a power of two, a sixty-fourth of the buckets, but enough to make a
/// batch worth its inversion.
fn lanes(width: u32) -> usize {
    let buckets = Window::magnitudes(width);
    (buckets / 64).max(256).min(buckets)
}
