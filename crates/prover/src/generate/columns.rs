//! The circuit's polynomials evaluated at tau.
//!
//! Column `j` of a matrix is a polynomial given by its values on the domain: `M[i][j]` at `omega^i`. Its value at tau is
//! `Σ_i M[i][j] · L_i(tau)` with the Lagrange basis in closed form,
//! `L_i(tau) = omega^i · (tau^m − 1) / (m · (tau − omega^i))`. The basis is made block by block as the rows are walked
//! (one inversion a block, Montgomery's trick), so that nothing of the domain's size is held: only the columns are.

use blstrs::Scalar;
use cuzk_circuit::{Matrix, R1cs};
use ff::{Field, PrimeField};
use rayon::prelude::*;

/// Rows whose Lagrange values are held at a time.
const BLOCK_ROWS: usize = 1 << 16;

/// Rows that share an inversion.
const INVERSION_ROWS: usize = 1 << 11;

/// A domain of `m` roots of unity, seen from tau.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain {
    /// Size: a power of two.
    pub(super) m: u64,
    /// A primitive `m`-th root of unity.
    omega: Scalar,
    /// The point of evaluation.
    tau: Scalar,
    /// `tau^m − 1`.
    pub(super) vanishing: Scalar,
}

impl Domain {
    /// The domain of `2^log2 ≤ 2^32` points. `tau` must not be one of them.
    pub(super) fn new(log2: u32, tau: Scalar) -> Self {
        let m = 1u64 << log2;
        let omega = (log2..Scalar::S).fold(Scalar::ROOT_OF_UNITY, |root, _| root.square());
        Self { m, omega, tau, vanishing: tau.pow_vartime([m]) - Scalar::ONE }
    }

    /// `L_i(tau)` for the rows from `first` on, in parallel.
    fn lagrange(&self, first: usize, values: &mut [Scalar]) {
        let m_inverse = Scalar::from(self.m).invert().expect("a power of two is not zero in a field of odd order");
        let scale = self.vanishing * m_inverse;
        values.par_chunks_mut(INVERSION_ROWS).enumerate().for_each(|(chunk, values)| {
            let mut root = self.omega.pow_vartime([(first + chunk * INVERSION_ROWS) as u64]);
            // The numerators, and the running products of the denominators in front of each.
            let mut numerators = Vec::with_capacity(values.len());
            let mut product = Scalar::ONE;
            for value in values.iter_mut() {
                numerators.push(root);
                *value = product;
                product *= self.tau - root;
                root *= self.omega;
            }
            let mut inverse = product.invert().expect("tau is outside the domain") * scale;
            for (value, root) in values.iter_mut().zip(&numerators).rev() {
                *value *= inverse * root;
                inverse *= self.tau - root;
            }
        });
    }
}

/// `Σ weight · M(tau)` for every column, inputs first: the value at tau of a weighted sum of some of A, B and C.
///
/// A is taken with the rows `x_i · 0 = 0` that follow the recorded ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combination {
    pub(super) a: Scalar,
    pub(super) b: Scalar,
    pub(super) c: Scalar,
}

impl Combination {
    /// A alone.
    pub(super) const A: Self = Self { a: Scalar::ONE, b: Scalar::ZERO, c: Scalar::ZERO };
    /// B alone.
    pub(super) const B: Self = Self { a: Scalar::ZERO, b: Scalar::ONE, c: Scalar::ZERO };

    /// The combination at tau, one value a column.
    pub(super) fn at_tau(&self, r1cs: &R1cs, domain: &Domain) -> Vec<Scalar> {
        let parts = [(r1cs.a(), self.a), (r1cs.b(), self.b), (r1cs.c(), self.c)];
        // The weights go into the few coefficients rather than into the many rows.
        let parts: Vec<(&Matrix, Vec<Scalar>)> = parts
            .into_iter()
            .filter(|(_, weight)| !bool::from(weight.is_zero()))
            .map(|(matrix, weight)| (matrix, r1cs.coefficients().iter().map(|c| c * weight).collect()))
            .collect();
        let mut columns = vec![Scalar::ZERO; r1cs.inputs() + r1cs.aux()];
        let rows = r1cs.constraints() + r1cs.inputs();
        let mut lagrange = vec![Scalar::ZERO; BLOCK_ROWS.min(rows)];
        for first in (0..rows).step_by(BLOCK_ROWS) {
            let block = &mut lagrange[..BLOCK_ROWS.min(rows - first)];
            domain.lagrange(first, block);
            for (row, value) in (first..).zip(block.iter()) {
                if let Some(input) = row.checked_sub(r1cs.constraints()) {
                    columns[input] += self.a * value;
                    continue;
                }
                for (matrix, coefficients) in &parts {
                    for (column, coefficient) in matrix.row(row) {
                        columns[column as usize] += coefficients[coefficient as usize] * value;
                    }
                }
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use cuzk_testing::TimeLimit;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Any polynomial below the domain's degree is the combination of its values with the basis.
        #[test]
        fn the_basis_interpolates(log2 in 0u32..13, seed: u64, tau: u64) {
            let _limit = TimeLimit::seconds(60);
            // The seed takes the place of tau's upper half: never a root of unity.
            let tau = Scalar::from(tau) * Scalar::from(u64::MAX) + Scalar::from(seed | 2);
            let domain = Domain::new(log2, tau);
            let degree = seed % domain.m;
            let mut basis = vec![Scalar::ZERO; domain.m as usize];
            let half = basis.len() / 2;
            domain.lagrange(0, &mut basis[..half]);
            domain.lagrange(half, &mut basis[half..]);
            let values = (0..domain.m).map(|i| domain.omega.pow_vartime([i * degree]));
            let interpolated: Scalar = basis.iter().zip(values).map(|(basis, value)| value * basis).sum();
            prop_assert_eq!(interpolated, tau.pow_vartime([degree]));
        }
    }
}
