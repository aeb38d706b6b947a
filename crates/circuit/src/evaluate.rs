//! The rows of A and B on a witness.

use std::ops::Range;

use blstrs::Scalar;
use cuzk_memory::{Place, Stage};
use ff::Field;
use rayon::prelude::*;

use crate::{
    Circuit, SOLVER_SCRATCH, Witness,
    circuit::CallPlace,
    compile::Procedure,
    program::{CODES, Constants, Frame},
};

/// Rows that are being evaluated.
pub static EVALUATING: Stage = Stage::new("evaluating");

/// A·w and B·w in the rows of one part of a circuit, as small as they come: nearly all of them are one of a few values,
/// and a byte says which. Whoever needs scalars looks them up where it needs them.
#[derive(Debug)]
pub struct PartRows<'a> {
    /// The rows of the circuit.
    pub rows: Range<usize>,
    /// A code for each of them; [`PartRows::OTHER`] where the row is among the others.
    pub codes: &'a [u8],
    /// The values of A and B for each code. Those of [`PartRows::OTHER`] are zero.
    pub by_code: &'a [[Scalar; 2]; CODES],
    /// The rows that have no code, counted from the first of `rows`, with the values of A and B.
    pub others: &'a [(u32, [Scalar; 2])],
}

impl PartRows<'_> {
    /// The code of rows that have none.
    pub const OTHER: u8 = u8::MAX;
}

/// What evaluating one part needs.
#[derive(Default)]
struct Scratch {
    frame: Frame,
    codes: Vec<u8>,
    others: Vec<(u32, [Scalar; 2])>,
}

impl Circuit {
    /// Evaluates the recorded rows, part after part in no particular order, on the current rayon pool.
    pub fn evaluate_parts(&self, witness: &Witness, consume: impl Fn(PartRows<'_>) + Sync) {
        self.evaluate_into(witness, self.calls().map(|_| ()), |rows, ()| consume(rows));
    }

    /// A·w and B·w over the whole domain. A: the recorded rows, then the inputs (their rows `x_i · 0 = 0`), then zeros up to
    /// the domain's size; B: the recorded rows, then zeros. Runs on the current rayon pool.
    pub fn evaluate(&self, witness: &Witness) -> [Vec<Scalar>; 2] {
        let mut vectors = [self.zeros(), self.zeros()];
        let [a, b] = &mut vectors;
        let targets: Vec<_> = self.split(a).into_iter().zip(self.split(b)).collect();
        self.evaluate_into(witness, targets.into_iter(), |rows, (a, b)| {
            for ((code, a), b) in rows.codes.iter().zip(&mut *a).zip(&mut *b) {
                [*a, *b] = rows.by_code[usize::from(*code)];
            }
            for (row, values) in rows.others {
                [a[*row as usize], b[*row as usize]] = *values;
            }
        });
        let rows = self.counts().constraints;
        vectors[0][rows..rows + witness.inputs().len()].copy_from_slice(witness.inputs());
        vectors
    }

    /// The products of both, A·w ∘ B·w, over the whole domain: what C·w is where the witness satisfies the circuit.
    pub fn evaluate_products(&self, witness: &Witness) -> Vec<Scalar> {
        // The rows of the inputs are products with zero.
        let mut products = self.zeros();
        let targets = self.split(&mut products);
        self.evaluate_into(witness, targets.into_iter(), |rows, products| {
            let by_code = rows.by_code.map(|[a, b]| a * b);
            for (code, product) in rows.codes.iter().zip(&mut *products) {
                *product = by_code[usize::from(*code)];
            }
            for (row, [a, b]) in rows.others {
                products[*row as usize] = a * b;
            }
        });
        products
    }

    /// Evaluates each part and hands it over with what goes with it.
    fn evaluate_into<T: Send>(
        &self,
        witness: &Witness,
        targets: impl Iterator<Item = T>,
        consume: impl Fn(PartRows<'_>, T) + Sync,
    ) {
        let parts: Vec<_> = self.calls().zip(targets).collect();
        let constants = Constants::new(self.coefficients());
        let by_code: Vec<_> =
            self.stored.procedures.iter().map(|procedure| procedure.rows.values(&constants)).collect();
        let (ledger, scope) = (witness.entry().ledger(), witness.entry().scope());
        let at_once = rayon::current_num_threads().min(parts.len()) as u64;
        let _scratch = ledger.enter(&SOLVER_SCRATCH, &EVALUATING, Place::Host, at_once * self.scratch_bytes(), scope);
        let calls = self.stored.calls.par_iter().zip(parts);
        calls.for_each_init(Scratch::default, |scratch, (call, ((procedure, place), target))| {
            let Scratch { frame, codes, others } = scratch;
            witness.load(procedure, place, frame);
            procedure.evaluate(frame, &constants, codes, others);
            let rows = place.first_row..place.first_row + codes.len();
            consume(PartRows { rows, codes, by_code: &by_code[call.procedure as usize], others }, target);
        });
    }

    fn zeros(&self) -> Vec<Scalar> {
        vec![Scalar::ZERO; 1 << self.counts().domain_log2()]
    }

    /// Cuts a vector over the domain into the rows of each part.
    fn split<'a>(&self, vector: &'a mut [Scalar]) -> Vec<&'a mut [Scalar]> {
        let mut rest = vector;
        let part = |(procedure, _): (&Procedure, &CallPlace)| {
            let (rows, after) = std::mem::take(&mut rest).split_at_mut(procedure.rows.rows as usize);
            rest = after;
            rows
        };
        self.calls().map(part).collect()
    }

    /// Bytes that evaluating the largest part takes.
    fn scratch_bytes(&self) -> u64 {
        let bytes = |procedure: &Procedure| {
            let others = procedure.rows.general.len() * size_of::<(u32, [Scalar; 2])>();
            Frame::bytes(&procedure.program.shape) + u64::from(procedure.rows.rows) + others as u64
        };
        self.stored.procedures.iter().map(bytes).max().unwrap_or(0)
    }
}

impl Procedure {
    fn evaluate(
        &self,
        frame: &Frame,
        constants: &Constants<'_>,
        codes: &mut Vec<u8>,
        others: &mut Vec<(u32, [Scalar; 2])>,
    ) {
        codes.clear();
        codes.resize(self.rows.rows as usize, PartRows::OTHER);
        self.rows.codes(frame, codes);
        others.clear();
        others.extend(self.rows.others(&self.program.sums, frame, constants));
    }
}
