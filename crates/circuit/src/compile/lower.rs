//! From definitions to steps: places in the frame, runs of bits, shared linear combinations.

use std::ops::Range;

use blstrs::Scalar;
use ff::Field;

use super::{
    combine::{CombinationRef, Combinations},
    decompose,
    derive::{Definition, Derivation},
    linear::Sum,
    lookup::Lookup,
    row::Row,
    rows::rows,
    runs::LookupRuns,
};
use crate::{
    coefficients::Coefficients,
    program::{Check, FrameShape, Place, Program, RowProgram},
    trace::Body,
};

/// Where each number of a body's frame is kept.
#[derive(Debug)]
pub(super) struct Places {
    bits: Vec<bool>,
    positions: Vec<u32>,
}

impl Places {
    fn new(bits: Vec<bool>) -> Self {
        let (mut bit, mut scalar) = (0, 0);
        // ONE has no place.
        let positions = bits.iter().enumerate().map(|(number, &is_bit)| {
            let next = if is_bit { &mut bit } else { &mut scalar };
            if number == 0 {
                return 0;
            }
            *next += 1;
            *next - 1
        });
        let positions = positions.collect();
        Self { bits, positions }
    }

    pub(super) fn of(&self, number: u32) -> Place {
        let position = self.positions[number as usize];
        if self.bits[number as usize] { Place::Bit(position) } else { Place::Scalar(position) }
    }

    /// The position of a variable that is known to be a bit, or known to be a scalar.
    pub(super) fn position(&self, number: u32) -> u32 {
        self.positions[number as usize]
    }

    pub(super) fn is_bit(&self, number: u32) -> bool {
        self.bits[number as usize]
    }

    fn count(&self, numbers: Range<u32>) -> (u32, u32) {
        let numbers = &self.bits[numbers.start as usize..numbers.end as usize];
        let bits = numbers.iter().filter(|is_bit| **is_bit).count() as u32;
        (bits, numbers.len() as u32 - bits)
    }
}

/// Makes the programs of a body: that of its witness and that of its rows.
pub(super) fn lower(body: &Body, derivation: Derivation, coefficients: &mut Coefficients) -> (Program, RowProgram) {
    let Derivation { bits, definitions, advice, checks } = derivation;
    let places = Places::new(bits);
    let (external_bits, external_scalars) = places.count(1..body.first_local());
    let (local_bits, local_scalars) = places.count(body.first_local()..body.numbers());

    let mut lowering = Lowering { body, coefficients, combinations: Combinations::default() };
    let items = lowering.items(definitions);
    let checked: Vec<[CombinationRef; 3]> = checks
        .iter()
        .map(|&row| {
            let row = Row { body, index: row as usize };
            [0, 1, 2].map(|matrix| lowering.terms(row.terms(matrix), Scalar::ONE))
        })
        .collect();
    let first_temporary = external_scalars + local_scalars;
    let Lowering { mut combinations, .. } = lowering;
    let rows = rows(body, &places, coefficients, &mut combinations);
    let mut emission = combinations.emission(&places, coefficients, first_temporary);
    emission.count_uses(items.iter().map(Item::combinations));
    let mut steps = Vec::new();
    let mut runs = LookupRuns::default();
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Lookup { output, lookup } => runs.add(*output, lookup, &places, &mut steps),
            other => {
                runs.close();
                emission.emit(at, other, &mut steps);
            }
        }
    }
    let checks = checks.iter().zip(checked).map(|(&row, [a, b, c])| {
        let [a, b, c] = [a, b, c].map(|operand| emission.plain(operand));
        Check { row, a, b, c }
    });
    let checks = checks.collect();
    let rows = rows.finish(&mut emission);
    let (sums, temporaries) = emission.finish();
    steps.shrink_to_fit();
    let shape = FrameShape { external_bits, local_bits, external_scalars, local_scalars, temporaries };
    let advice = advice.iter().map(|&number| places.of(number)).collect();
    (Program { shape, steps, checks, sums, advice }, rows)
}

/// A definition with its linear combinations looked up.
#[derive(Debug)]
pub(super) enum Item {
    Lookup { output: u32, lookup: Lookup },
    Addition(decompose::Addition),
    Linear { output: u32, sum: CombinationRef },
    Product { output: u32, a: CombinationRef, b: CombinationRef, rest: CombinationRef, factor: u32 },
    Decompose { outputs: Vec<u32>, sum: CombinationRef },
}

impl Item {
    /// The linear combinations that it needs, each once.
    pub(super) fn combinations(&self) -> Vec<CombinationRef> {
        match self {
            Self::Lookup { .. } | Self::Addition(_) => Vec::new(),
            // Evaluated straight into its place.
            Self::Linear { sum, .. } | Self::Decompose { sum, .. } => vec![*sum],
            Self::Product { a, b, rest, .. } if a == b => vec![*a, *rest],
            Self::Product { a, b, rest, .. } => vec![*a, *b, *rest],
        }
    }
}

struct Lowering<'a> {
    body: &'a Body,
    coefficients: &'a mut Coefficients,
    combinations: Combinations,
}

impl Lowering<'_> {
    fn items(&mut self, definitions: Vec<Definition>) -> Vec<Item> {
        let item = |definition| match definition {
            Definition::Lookup { output, lookup } => Item::Lookup { output, lookup },
            Definition::Addition(addition) => Item::Addition(addition),
            Definition::Linear { output, sum } => Item::Linear { output, sum: self.sum(&sum) },
            Definition::Decompose { outputs, sum } => Item::Decompose { outputs, sum: self.sum(&sum) },
            Definition::Product { output, row } => self.product(output, Row { body: self.body, index: row }),
        };
        definitions.into_iter().map(item).collect()
    }

    /// `a·b = c + k·output`, so `output = a·b / k - c / k`.
    fn product(&mut self, output: u32, row: Row<'_>) -> Item {
        let of_output = row.terms(2).filter(|&(number, _)| number == output);
        let k: Scalar = of_output.map(|(_, coefficient)| self.coefficients[coefficient]).sum();
        // The rule that found the definition saw the output in C, with a coefficient.
        let factor = k.invert().unwrap_or(Scalar::ZERO);
        let (a, b) = (self.terms(row.terms(0), Scalar::ONE), self.terms(row.terms(1), Scalar::ONE));
        let rest = self.terms(row.terms(2).filter(|&(number, _)| number != output), -factor);
        Item::Product { output, a, b, rest, factor: self.coefficients.intern(&factor) }
    }

    fn sum(&mut self, sum: &Sum) -> CombinationRef {
        let mut terms: Vec<(u32, u32)> =
            sum.terms.iter().map(|(number, value)| (*number, self.coefficients.intern(value))).collect();
        if !bool::from(sum.constant.is_zero()) {
            terms.push((0, self.coefficients.intern(&sum.constant)));
        }
        self.combinations.intern(terms)
    }

    /// Terms of a row, all multiplied by a factor.
    fn terms(&mut self, terms: impl Iterator<Item = (u32, u32)>, factor: Scalar) -> CombinationRef {
        let scaled = |(number, coefficient): (u32, u32)| {
            if factor == Scalar::ONE {
                return (number, coefficient);
            }
            let value = self.coefficients[coefficient] * factor;
            (number, self.coefficients.intern(&value))
        };
        let terms = terms.map(scaled).collect();
        self.combinations.intern(terms)
    }
}
