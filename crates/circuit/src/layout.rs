//! Which variables are bits.

use std::sync::Arc;

use crate::Bitset;

/// Splits the auxiliary variables into bits and scalars and says where each is stored: bits by their rank among the
/// bits, scalars by their rank among the scalars, both in allocation order.
///
/// A variable is a bit if the circuit's rows leave it no other values than 0 and 1, as far as the compiler can tell. Other
/// variables are scalars, even if they happen to be 0 or 1.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    sections: Vec<Arc<Section>>,
    spans: Vec<Span>,
    inputs: usize,
    aux: usize,
    bits: usize,
}

/// A stretch of auxiliary variables that may stand in several places.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    boolean: Bitset,
    /// Number of bits before each word of `boolean`.
    ranks: Vec<u32>,
    bits: usize,
}

/// One place of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    section: usize,
    first_aux: usize,
    first_bit: usize,
}

/// Where an auxiliary variable is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Bit(usize),
    Scalar(usize),
}

impl Section {
    pub(crate) fn new(boolean: Bitset) -> Self {
        let mut bits = 0;
        let count_before = |word: &u64| {
            let before = bits;
            bits += word.count_ones();
            before
        };
        let ranks = boolean.words().iter().map(count_before).collect();
        Self { boolean, ranks, bits: bits as usize }
    }

    /// Number of bits before variable `local`.
    pub(crate) fn rank(&self, local: usize) -> usize {
        let below = self.boolean.words()[local / 64] & ((1u64 << (local % 64)) - 1);
        self.ranks[local / 64] as usize + below.count_ones() as usize
    }

    fn bytes(&self) -> u64 {
        self.boolean.bytes() + (self.ranks.capacity() * size_of::<u32>()) as u64
    }
}

impl Layout {
    /// A layout of sections one after the other, given as indices of `sections`.
    pub(crate) fn new(sections: Vec<Arc<Section>>, order: impl Iterator<Item = usize>, inputs: usize) -> Self {
        let (mut aux, mut bits) = (0, 0);
        let span = |section: usize| {
            let span = Span { section, first_aux: aux, first_bit: bits };
            aux += sections[section].boolean.len();
            bits += sections[section].bits;
            span
        };
        let spans = order.map(span).collect();
        Self { sections, spans, inputs, aux, bits }
    }

    /// Number of inputs, the constant ONE included.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of auxiliary variables.
    pub fn aux(&self) -> usize {
        self.aux
    }

    /// Number of bits among them.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Number of scalars among them.
    pub fn scalars(&self) -> usize {
        self.aux - self.bits
    }

    /// For each auxiliary variable, in the order of allocation, whether it is a bit.
    pub fn iter(&self) -> impl Iterator<Item = bool> + Clone + '_ {
        self.spans.iter().flat_map(|span| {
            let boolean = &self.sections[span.section].boolean;
            (0..boolean.len()).map(move |local| boolean.get(local))
        })
    }

    /// Bytes that the layout has taken from the allocator.
    pub fn bytes(&self) -> u64 {
        let sections: u64 = self.sections.iter().map(|section| section.bytes()).sum();
        sections + (self.spans.capacity() * size_of::<Span>()) as u64
    }

    /// Where auxiliary variable `aux` is stored.
    pub(crate) fn slot(&self, aux: usize) -> Slot {
        // Several spans can begin at one variable, where all but the last are empty.
        let span = &self.spans[self.spans.partition_point(|span| span.first_aux <= aux) - 1];
        let (section, local) = (&self.sections[span.section], aux - span.first_aux);
        let rank = span.first_bit + section.rank(local);
        if section.boolean.get(local) { Slot::Bit(rank) } else { Slot::Scalar(aux - rank) }
    }
}
