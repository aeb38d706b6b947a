//! The constraint system that writes down what a blank circuit enforces.

use std::collections::HashMap;

use bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ff::Field;

use crate::{CircuitError, Matrix, r1cs::Parts};

/// Marks a column as an auxiliary variable until the number of inputs is known.
const AUX: u32 = 1 << 31;

/// A `bellperson::ConstraintSystem` that records rows and never asks for a value.
#[derive(Debug)]
pub struct Recorder {
    inputs: usize,
    aux: usize,
    rows: [Matrix; 3],
    dictionary: Dictionary,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            inputs: 1,
            aux: 0,
            rows: [Matrix::new(), Matrix::new(), Matrix::new()],
            dictionary: Dictionary::default(),
        }
    }
}

impl Recorder {
    fn record(&mut self, matrix: usize, terms: &LinearCombination<Scalar>) {
        for (variable, coefficient) in terms.iter() {
            if bool::from(coefficient.is_zero()) {
                continue;
            }
            // Indices beyond 31 bits are cut here and refused by `finish`, which knows the counts.
            let column = match variable.get_unchecked() {
                Index::Input(index) => index as u32 & !AUX,
                Index::Aux(index) => index as u32 | AUX,
            };
            self.rows[matrix].push(column, self.dictionary.index_of(coefficient));
        }
        self.rows[matrix].end_row();
    }

    /// Ends the recording: the columns take their final form.
    pub(crate) fn finish(self) -> Result<Parts, CircuitError> {
        let Self { inputs, aux, mut rows, dictionary } = self;
        let limit = |what, found, limit| {
            if found > limit { Err(CircuitError::TooLarge { what, found, limit }) } else { Ok(()) }
        };
        limit("variables", inputs + aux, AUX as usize)?;
        for matrix in &mut rows {
            limit("terms", matrix.nnz(), u32::MAX as usize)?;
            matrix.map_columns(|column| if column & AUX == 0 { column } else { (column & !AUX) + inputs as u32 });
        }
        Ok(Parts { inputs, aux, matrices: rows, coefficients: dictionary.values })
    }
}

impl ConstraintSystem<Scalar> for Recorder {
    type Root = Self;

    fn new() -> Self {
        Self::default()
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.record(0, &a(LinearCombination::zero()));
        self.record(1, &b(LinearCombination::zero()));
        self.record(2, &c(LinearCombination::zero()));
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

/// Every distinct coefficient once. Circuits have millions of terms and a few thousand coefficients.
#[derive(Debug)]
struct Dictionary {
    values: Vec<Scalar>,
    indices: HashMap<[u8; 32], u32>,
}

impl Default for Dictionary {
    fn default() -> Self {
        let values = vec![Scalar::ONE, -Scalar::ONE];
        let indices = values.iter().zip(0..).map(|(value, index)| (value.to_bytes_le(), index)).collect();
        Self { values, indices }
    }
}

impl Dictionary {
    fn index_of(&mut self, value: &Scalar) -> u32 {
        if let Some(index) = self.values[..2].iter().position(|common| common == value) {
            return index as u32;
        }
        *self.indices.entry(value.to_bytes_le()).or_insert_with(|| {
            self.values.push(*value);
            self.values.len() as u32 - 1
        })
    }
}
