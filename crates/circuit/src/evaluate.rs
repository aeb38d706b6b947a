//! The rows of A, B and C on a witness.

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::{Circuit, Matrix, R1cs, Unsatisfied, Value, Witness};

/// Rows that one task evaluates.
const ROWS_PER_TASK: usize = 1 << 14;

/// The dictionary's fixed entries.
const ONE: u32 = 0;
const MINUS_ONE: u32 = 1;

impl Circuit {
    /// A·w over the whole domain: the recorded rows, then the inputs (their rows `x_i · 0 = 0`), then zeros up to the
    /// domain's size. Runs on the current rayon pool.
    pub fn evaluate_a(&self, witness: &Witness) -> Vec<Scalar> {
        let mut values = self.evaluate(self.r1cs().a(), witness);
        let rows = self.r1cs().constraints();
        values[rows..rows + witness.inputs().len()].copy_from_slice(witness.inputs());
        values
    }

    /// B·w over the whole domain: the recorded rows, then zeros.
    pub fn evaluate_b(&self, witness: &Witness) -> Vec<Scalar> {
        self.evaluate(self.r1cs().b(), witness)
    }

    /// The products of both, A·w ∘ B·w, over the whole domain: what C·w is where the witness satisfies the circuit.
    pub fn evaluate_products(&self, witness: &Witness) -> Vec<Scalar> {
        // The rows of the inputs are products with zero.
        let (a, b) = (self.r1cs().a(), self.r1cs().b());
        self.rows(|row| match evaluate_row(self.r1cs(), b, witness, row) {
            zero if bool::from(zero.is_zero()) => zero,
            factor => evaluate_row(self.r1cs(), a, witness, row) * factor,
        })
    }

    /// Checks every constraint.
    ///
    /// # Errors
    /// The first row, in the order of `enforce`, that does not hold.
    pub fn check(&self, witness: &Witness) -> Result<(), Unsatisfied> {
        let r1cs = self.r1cs();
        let holds = |row: usize| {
            let value = |matrix: &Matrix| evaluate_row(r1cs, matrix, witness, row);
            value(r1cs.a()) * value(r1cs.b()) == value(r1cs.c())
        };
        let first = (0..r1cs.constraints()).into_par_iter().with_min_len(ROWS_PER_TASK).find_first(|&row| !holds(row));
        first.map_or(Ok(()), |row| Err(Unsatisfied { row }))
    }

    fn evaluate(&self, matrix: &Matrix, witness: &Witness) -> Vec<Scalar> {
        self.rows(|row| evaluate_row(self.r1cs(), matrix, witness, row))
    }

    /// A value for every recorded row, then zeros up to the domain's size.
    fn rows(&self, value: impl Fn(usize) -> Scalar + Sync) -> Vec<Scalar> {
        let r1cs = self.r1cs();
        let mut values = vec![Scalar::ZERO; 1 << r1cs.domain_log2()];
        let rows = &mut values[..r1cs.constraints()];
        rows.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(|(task, values)| {
            for (row, place) in (task * ROWS_PER_TASK..).zip(values) {
                *place = value(row);
            }
        });
        values
    }
}

/// One row's linear combination. Bits cost an addition at most; a product is taken only where neither factor is ±1.
fn evaluate_row(r1cs: &R1cs, matrix: &Matrix, witness: &Witness, row: usize) -> Scalar {
    let mut sum = Scalar::ZERO;
    for (column, coefficient) in matrix.row(row) {
        let value = match (column as usize).checked_sub(r1cs.inputs()) {
            None => Value::Scalar(&witness.inputs()[column as usize]),
            Some(aux) => witness.value(aux),
        };
        match (value, coefficient) {
            (Value::Bit(false), _) => {}
            (Value::Bit(true), _) => sum += r1cs.coefficients()[coefficient as usize],
            (Value::Scalar(scalar), ONE) => sum += scalar,
            (Value::Scalar(scalar), MINUS_ONE) => sum -= scalar,
            (Value::Scalar(scalar), _) if bool::from(scalar.is_zero()) => {}
            (Value::Scalar(scalar), _) => sum += r1cs.coefficients()[coefficient as usize] * scalar,
        }
    }
    sum
}
