//! Bases in the order of a witness.

use std::sync::Arc;

use cuzk_circuit::{Bitset, Layout, Witness};
use rayon::prelude::*;

use crate::{
    arith::{CurveAffine, Exponent},
    msm::{exponents_scratch_bytes, msm_exponents, subset_bytes, subset_sum},
    params::{ParamsError, Point, Reader, Section},
};

/// Points read from a file before they are sorted: 6 MiB of G1.
const READ_POINTS: usize = 1 << 16;

/// The bases of one section, those of bits apart from those of scalars, both by the rank that the variables have in a
/// [`Witness`]: a sum over them needs no list of indices.
#[derive(Debug)]
pub(crate) struct Query<C> {
    bits: Bases<C>,
    /// Inputs come first, then the scalars among the auxiliary variables.
    scalars: Bases<C>,
}

/// Bases by rank.
#[derive(Debug)]
struct Bases<C> {
    points: Vec<C>,
    /// Which ranks have a base, where many have none; else there is a base for each, and the missing ones are the identity.
    mask: Option<Bitset>,
}

/// What of a witness goes with the bases of a query.
#[derive(Debug)]
pub(crate) struct Selection {
    bits: Vec<u64>,
    /// Shared with other selections where the query has a base for nearly every scalar.
    scalars: Arc<Vec<Exponent>>,
}

impl<C: CurveAffine + Point> Query<C> {
    /// Reads a section. `inputs` and `aux` say which variables have a base there, in this order.
    pub(crate) fn load(
        reader: &Reader,
        section: Section,
        layout: &Layout,
        inputs: &Bitset,
        aux: &Bitset,
    ) -> Result<Self, ParamsError> {
        let present = layout.iter().enumerate().filter(|&(index, _)| aux.get(index)).map(|(_, is_bit)| is_bit);
        let bits_present = present.filter(|is_bit| *is_bit).count();
        let scalars_present = aux.count_ones() - bits_present + inputs.count_ones();
        let room = |ranks, present| {
            Bases::with_room(ranks, present).map_err(|bytes| ParamsError::Memory {
                path: reader.path().to_owned(),
                section,
                bytes,
            })
        };
        let mut bits = room(layout.bits(), bits_present)?;
        let mut scalars = room(layout.inputs() + layout.scalars(), scalars_present)?;
        let mut points = Points::new(reader, section);
        for input in 0..layout.inputs() {
            scalars.push(if inputs.get(input) { Some(points.next()?) } else { None });
        }
        for (index, is_bit) in layout.iter().enumerate() {
            let point = if aux.get(index) { Some(points.next()?) } else { None };
            if is_bit { bits.push(point) } else { scalars.push(point) }
        }
        Ok(Self { bits, scalars })
    }

    /// Bytes of the bases.
    pub(crate) fn bytes(&self) -> u64 {
        self.bits.bytes() + self.scalars.bytes()
    }

    /// What of a witness the sum is over, given the witness's bits and its scalars, inputs first.
    pub(crate) fn select(&self, bits: &Bitset, scalars: &Arc<Vec<Exponent>>) -> Selection {
        let bits = match &self.bits.mask {
            None => bits.words().to_vec(),
            Some(mask) => bits.select(mask).words().to_vec(),
        };
        let scalars = match &self.scalars.mask {
            None => scalars.clone(),
            Some(mask) => Arc::new(mask.iter_ones().map(|rank| scalars[rank]).collect()),
        };
        Selection { bits, scalars }
    }

    /// The sum over the section.
    pub(crate) fn sum(&self, selection: &Selection) -> C::Curve {
        let (bits, scalars) = rayon::join(
            || subset_sum(&self.bits.points, &selection.bits),
            || msm_exponents(&self.scalars.points, &selection.scalars),
        );
        bits + scalars
    }

    /// The most bytes that [`sum`](Self::sum) holds besides bases and selection, on `threads` threads.
    pub(crate) fn scratch_bytes(&self, threads: usize) -> u64 {
        subset_bytes::<C>(self.bits.points.len(), threads)
            + exponents_scratch_bytes::<C>(self.scalars.points.len(), threads)
    }
}

impl<C: CurveAffine> Bases<C> {
    /// Room for `ranks` variables of which `present` have a base; the bytes wanted where there is not so much memory.
    fn with_room(ranks: usize, present: usize) -> Result<Self, u64> {
        // A missing base costs an addition of the identity; a mask costs a pass over all bits.
        let is_dense = present >= ranks - ranks / 16;
        let count = if is_dense { ranks } else { present };
        let mut points = Vec::new();
        points.try_reserve_exact(count).map_err(|_| (count * size_of::<C>()) as u64)?;
        Ok(Self { points, mask: (!is_dense).then(|| Bitset::with_capacity(ranks)) })
    }

    /// Takes the base of the next rank, if it has one.
    fn push(&mut self, point: Option<C>) {
        match &mut self.mask {
            None => self.points.push(point.unwrap_or_else(C::identity)),
            Some(mask) => {
                mask.push(point.is_some());
                self.points.extend(point);
            }
        }
    }

    fn bytes(&self) -> u64 {
        (self.points.capacity() * size_of::<C>()) as u64 + self.mask.as_ref().map_or(0, Bitset::bytes)
    }
}

impl Selection {
    /// Bytes of the selections, what they share counted once.
    pub(crate) fn bytes<const N: usize>(selections: [&Self; N]) -> u64 {
        let mut scalars: Vec<&Arc<Vec<Exponent>>> = Vec::with_capacity(N);
        for selection in selections {
            if !scalars.iter().any(|known| Arc::ptr_eq(known, &selection.scalars)) {
                scalars.push(&selection.scalars);
            }
        }
        let scalars = scalars.iter().map(|scalars| scalars.capacity() * size_of::<Exponent>());
        let bits = selections.iter().map(|selection| selection.bits.capacity() * size_of::<u64>());
        (scalars.sum::<usize>() + bits.sum::<usize>()) as u64
    }
}

/// The scalars of a witness, inputs first, in the form that sums take.
pub(crate) fn exponents(witness: &Witness) -> Arc<Vec<Exponent>> {
    let all = witness.inputs().par_iter().chain(witness.scalars());
    Arc::new(all.map(Exponent::from).collect())
}

/// The points of a section, one after the other, read in parallel some at a time.
struct Points<'a, C> {
    reader: &'a Reader,
    section: Section,
    count: u64,
    next: u64,
    read: Vec<C>,
    used: usize,
}

impl<'a, C: CurveAffine + Point> Points<'a, C> {
    fn new(reader: &'a Reader, section: Section) -> Self {
        let count = reader.header().layout.count(section);
        Self { reader, section, count, next: 0, read: Vec::new(), used: 0 }
    }

    fn next(&mut self) -> Result<C, ParamsError> {
        if self.used == self.read.len() {
            let left = (self.count - self.next).min(READ_POINTS as u64) as usize;
            self.read.resize(left, C::identity());
            self.reader.range(self.section, self.next, &mut self.read)?;
            self.next += left as u64;
            self.used = 0;
        }
        self.used += 1;
        // The file has as many points as the circuit has bases: that was checked before anything was read.
        self.read.get(self.used - 1).copied().ok_or_else(|| ParamsError::Count {
            path: self.reader.path().to_owned(),
            section: self.section,
            expected: "more".to_owned(),
            found: self.count,
        })
    }
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G2Affine, Scalar};
    use group::Group;
    use proptest::prelude::*;

    use super::*;
    use crate::msm::samples::{points, scalars};

    /// A base for every rank out of `odds` in sixteen, and the sum of all bases by their values.
    fn check<C: CurveAffine + Point>(seed: u64, ranks: [usize; 2], odds: u64) -> Result<(), TestCaseError> {
        let mut expected = C::Curve::identity();
        let mut state = seed | 1;
        let mut draw = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state >> 24
        };
        let mut values = Bitset::with_capacity(ranks[0]);
        (0..ranks[0]).for_each(|_| values.push(draw() % 2 == 1));
        let scalars = scalars(seed, ranks[1]);
        let mut filled = |ranks: usize, value: &dyn Fn(usize) -> Scalar| {
            let present: Vec<bool> = (0..ranks).map(|_| draw() % 16 < odds).collect();
            let count = present.iter().filter(|present| **present).count();
            let mut bases = Bases::<C>::with_room(ranks, count).expect("some kilobytes");
            for (rank, (point, present)) in points::<C>(seed, ranks).into_iter().zip(present).enumerate() {
                bases.push(present.then_some(point));
                if present {
                    expected += point * value(rank);
                }
            }
            // Nothing was allocated beyond what was asked for.
            prop_assert_eq!(bases.points.len(), if bases.mask.is_some() { count } else { ranks });
            Ok(bases)
        };
        let bits = filled(ranks[0], &|rank| Scalar::from(u64::from(values.get(rank))))?;
        let query = Query { bits, scalars: filled(ranks[1], &|rank| scalars[rank])? };
        let exponents = Arc::new(scalars.iter().map(Exponent::from).collect());
        prop_assert_eq!(query.sum(&query.select(&values, &exponents)), expected);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn sums_by_rank_agree_with_the_definition(
            seed: u64,
            ranks in [0usize..300, 0usize..300],
            odds in prop_oneof![Just(4u64), Just(15), Just(16)],
        ) {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            check::<G1Affine>(seed, ranks, odds)?;
            check::<G2Affine>(seed, ranks.map(|ranks| ranks / 4), odds)?;
        }
    }
}
