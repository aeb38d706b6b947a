//! The rows of A and B on a witness.

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::{
    Circuit, Witness,
    circuit::CallPlace,
    compile::Procedure,
    program::{Constants, Frame, Wanted},
};

impl Circuit {
    /// A·w over the whole domain: the recorded rows, then the inputs (their rows `x_i · 0 = 0`), then zeros up to the
    /// domain's size. Runs on the current rayon pool.
    pub fn evaluate_a(&self, witness: &Witness) -> Vec<Scalar> {
        let mut values = self.evaluate(Wanted::A, witness);
        let rows = self.counts().constraints;
        values[rows..rows + witness.inputs().len()].copy_from_slice(witness.inputs());
        values
    }

    /// B·w over the whole domain: the recorded rows, then zeros.
    pub fn evaluate_b(&self, witness: &Witness) -> Vec<Scalar> {
        self.evaluate(Wanted::B, witness)
    }

    /// The products of both, A·w ∘ B·w, over the whole domain: what C·w is where the witness satisfies the circuit.
    pub fn evaluate_products(&self, witness: &Witness) -> Vec<Scalar> {
        // The rows of the inputs are products with zero.
        self.evaluate(Wanted::Products, witness)
    }

    /// A value for every recorded row, then zeros up to the domain's size.
    fn evaluate(&self, wanted: Wanted, witness: &Witness) -> Vec<Scalar> {
        let counts = self.counts();
        let mut values = vec![Scalar::ZERO; 1 << counts.domain_log2()];
        let mut rest = &mut values[..counts.constraints];
        let mut parts: Vec<(&Procedure, &CallPlace, &mut [Scalar])> = Vec::with_capacity(self.places.len());
        for (procedure, place) in self.calls() {
            let (rows, after) = std::mem::take(&mut rest).split_at_mut(procedure.rows.rows as usize);
            parts.push((procedure, place, rows));
            rest = after;
        }
        let constants = Constants::new(self.coefficients());
        parts.into_par_iter().for_each_init(Frame::default, |frame, (procedure, place, values)| {
            witness.load(procedure, place, frame);
            procedure.rows.evaluate(wanted, &procedure.program.sums, frame, &constants, values);
        });
        values
    }
}
