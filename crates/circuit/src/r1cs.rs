//! The recorded constraint system.

use bellperson::SynthesisError;
use blstrs::Scalar;
use sha2::{Digest as _, Sha256};

use crate::{CircuitError, Counts, Densities, Matrix, Recorder};

/// SHA-256 of a constraint system's structure.
pub type Digest = [u8; 32];

/// A rank-1 constraint system: for each row `A·w ∘ B·w = C·w`.
///
/// Columns 0 … `inputs` − 1 are the inputs, column 0 being the constant ONE; auxiliary variable `j` is column
/// `inputs + j`. The rows `x_i · 0 = 0` that Groth16 adds for every input are not stored: they follow the recorded rows,
/// in the order of the inputs.
#[derive(Debug)]
pub struct R1cs {
    inputs: usize,
    aux: usize,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    coefficients: Vec<Scalar>,
    densities: Densities,
    digest: Digest,
}

/// What the recorder hands over: matrices with final columns.
pub(crate) struct Parts {
    pub(crate) inputs: usize,
    pub(crate) aux: usize,
    pub(crate) matrices: [Matrix; 3],
    pub(crate) coefficients: Vec<Scalar>,
}

impl R1cs {
    /// Records what `synthesize` enforces. The circuit is meant to be blank: closures that compute values are not called.
    ///
    /// # Errors
    /// When the synthesis fails or the circuit is too large for 32-bit columns.
    pub fn record(synthesize: impl FnOnce(&mut Recorder) -> Result<(), SynthesisError>) -> Result<Self, CircuitError> {
        let mut recorder = Recorder::default();
        synthesize(&mut recorder)?;
        Ok(Self::assemble(recorder.finish()?))
    }

    fn assemble(parts: Parts) -> Self {
        let Parts { inputs, aux, matrices: [a, b, c], coefficients } = parts;
        let densities = Densities::of(&a, &b, inputs, aux);
        let digest = digest(inputs, aux, &coefficients, [&a, &b, &c]);
        Self { inputs, aux, a, b, c, coefficients, densities, digest }
    }

    /// Number of inputs, the constant ONE included.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of auxiliary variables.
    pub fn aux(&self) -> usize {
        self.aux
    }

    /// Number of recorded rows.
    pub fn constraints(&self) -> usize {
        self.a.rows()
    }

    /// Binary logarithm of the evaluation domain's size: the next power of two of constraints plus inputs.
    pub fn domain_log2(&self) -> u32 {
        (self.constraints() + self.inputs).next_power_of_two().trailing_zeros()
    }

    /// How large the circuit is.
    pub fn counts(&self) -> Counts {
        let (inputs, aux, constraints) = (self.inputs, self.aux, self.constraints());
        Counts { inputs, aux, constraints, a_bases: self.densities.a_len(), b_bases: self.densities.b_len() }
    }

    /// The first row that a plain assignment (inputs, then auxiliary variables) does not satisfy: by the book, every term
    /// multiplied out.
    pub fn first_unsatisfied(&self, assignment: &[Scalar]) -> Option<usize> {
        let value = |matrix: &Matrix, row| -> Scalar {
            let terms = matrix.row(row);
            terms
                .map(|(column, coefficient)| self.coefficients[coefficient as usize] * assignment[column as usize])
                .sum()
        };
        (0..self.constraints()).find(|&row| value(&self.a, row) * value(&self.b, row) != value(&self.c, row))
    }

    /// The left factors.
    pub fn a(&self) -> &Matrix {
        &self.a
    }

    /// The right factors.
    pub fn b(&self) -> &Matrix {
        &self.b
    }

    /// The products.
    pub fn c(&self) -> &Matrix {
        &self.c
    }

    /// The coefficient dictionary. Index 0 is one, index 1 is minus one.
    pub fn coefficients(&self) -> &[Scalar] {
        &self.coefficients
    }

    /// Which variables occur in A and B.
    pub fn densities(&self) -> &Densities {
        &self.densities
    }

    /// SHA-256 of everything that makes up the structure: equal digests mean equal circuits.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Bytes that the constraint system has taken from the allocator.
    pub fn bytes(&self) -> u64 {
        let densities = &self.densities;
        self.a.bytes()
            + self.b.bytes()
            + self.c.bytes()
            + (self.coefficients.capacity() * size_of::<Scalar>()) as u64
            + densities.a_aux.bytes()
            + densities.b_inputs.bytes()
            + densities.b_aux.bytes()
    }
}

fn digest(inputs: usize, aux: usize, coefficients: &[Scalar], matrices: [&Matrix; 3]) -> Digest {
    let mut hash = Sha256::new();
    hash.update(b"cuzk r1cs 1");
    for count in [inputs, aux, coefficients.len()] {
        hash.update((count as u64).to_le_bytes());
    }
    for coefficient in coefficients {
        hash.update(coefficient.to_bytes_le());
    }
    let mut block = Vec::with_capacity(4096);
    for array in matrices.iter().flat_map(|matrix| matrix.arrays()) {
        hash.update((array.len() as u64).to_le_bytes());
        for values in array.chunks(1024) {
            block.clear();
            block.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            hash.update(&block);
        }
    }
    hash.finalize().into()
}
