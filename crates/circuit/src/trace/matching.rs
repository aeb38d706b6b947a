//! Holding a later instance of a part against its first.

use bellperson::{Index, LinearCombination};
use blstrs::Scalar;
use ff::Field;

use super::Body;
use crate::coefficients::Coefficients;

/// An instance of a body that is being synthesised.
#[derive(Debug)]
pub(super) struct Matching {
    pub(super) body: usize,
    pub(super) first_variable: u32,
    pub(super) first_row: u32,
    /// Rows found equal so far.
    pub(super) rows: usize,
    /// What the body's externals are here; [`UNSEEN`] where no row has said so yet.
    pub(super) externals: Vec<u32>,
}

/// No variable has this number: there are fewer than 2^31.
const UNSEEN: u32 = u32::MAX;

impl Matching {
    pub(super) fn new(body_index: usize, body: &Body, first_variable: u32, first_row: u32) -> Self {
        let externals = vec![UNSEEN; body.externals as usize];
        Self { body: body_index, first_variable, first_row, rows: 0, externals }
    }

    /// Whether the instance goes on with this row, as the body does.
    pub(super) fn row(
        &mut self,
        body: &Body,
        coefficients: &Coefficients,
        row: &[LinearCombination<Scalar>; 3],
    ) -> bool {
        if self.rows == body.rows() {
            return false;
        }
        for (matrix, terms) in body.matrices.iter().zip(row) {
            let mut expected = matrix.row(self.rows);
            for (variable, coefficient) in terms.iter() {
                // Inputs and auxiliary variables are numbered together.
                let (Index::Input(variable) | Index::Aux(variable)) = variable.get_unchecked();
                if bool::from(coefficient.is_zero()) {
                    continue;
                }
                let Some((number, index)) = expected.next() else { return false };
                if coefficients[index] != *coefficient || !self.stands_for(body, number, variable as u32) {
                    return false;
                }
            }
            if expected.next().is_some() {
                return false;
            }
        }
        self.rows += 1;
        true
    }

    fn stands_for(&mut self, body: &Body, number: u32, variable: u32) -> bool {
        if number >= body.first_local() {
            return variable >= self.first_variable && variable - self.first_variable == number - body.first_local();
        }
        if number == 0 || variable == 0 {
            return number == variable;
        }
        let external = &mut self.externals[number as usize - 1];
        if *external == UNSEEN && variable < self.first_variable {
            *external = variable;
        }
        *external == variable
    }
}
