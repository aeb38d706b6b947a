//! How large circuits are.

use serde::{Deserialize, Serialize};

/// Sizes of a circuit, as the parameter file and the prover need them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Inputs, the constant ONE included.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
    /// Rows, without the one that Groth16 adds for each input.
    pub constraints: usize,
    /// Bases of the `a` section: all inputs, and the auxiliary variables that occur in A.
    pub a_bases: usize,
    /// Bases of the `b_g1` and `b_g2` sections: the inputs and auxiliary variables that occur in B.
    pub b_bases: usize,
}

impl Counts {
    /// Binary logarithm of the evaluation domain's size: the next power of two of constraints plus inputs.
    pub fn domain_log2(&self) -> u32 {
        (self.constraints + self.inputs).next_power_of_two().trailing_zeros()
    }
}
