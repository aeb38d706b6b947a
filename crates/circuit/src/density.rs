//! Which variables occur where.

use crate::{Bitset, Matrix};

/// Which variables occur in A and in B with a coefficient other than zero: only those have a base in the parameter
/// file's `a`, `b_g1` and `b_g2` sections. (Every input occurs in A, through the row `x_i · 0 = 0` added for it.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Densities {
    /// Auxiliary variables in A.
    pub a_aux: Bitset,
    /// Inputs in B.
    pub b_inputs: Bitset,
    /// Auxiliary variables in B.
    pub b_aux: Bitset,
}

impl Densities {
    pub(crate) fn of(a: &Matrix, b: &Matrix, inputs: usize, aux: usize) -> Self {
        let (_, a_aux) = occurring(a, inputs, aux);
        let (b_inputs, b_aux) = occurring(b, inputs, aux);
        Self { a_aux, b_inputs, b_aux }
    }

    /// Bases in the `a` section: all inputs, then the auxiliary variables in A.
    pub fn a_len(&self) -> usize {
        self.b_inputs.len() + self.a_aux.count_ones()
    }

    /// Bases in the `b_g1` and `b_g2` sections.
    pub fn b_len(&self) -> usize {
        self.b_inputs.count_ones() + self.b_aux.count_ones()
    }
}

fn occurring(matrix: &Matrix, inputs: usize, aux: usize) -> (Bitset, Bitset) {
    let (mut in_inputs, mut in_aux) = (Bitset::new(inputs), Bitset::new(aux));
    let [_, columns, _] = matrix.arrays();
    for &column in columns {
        match (column as usize).checked_sub(inputs) {
            Some(index) => in_aux.set(index),
            None => in_inputs.set(column as usize),
        }
    }
    (in_inputs, in_aux)
}
