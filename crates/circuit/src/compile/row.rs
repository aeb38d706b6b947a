//! One row, looked at from all sides.

use blstrs::Scalar;
use ff::Field;

use crate::{coefficients::Coefficients, trace::Body};

/// The most terms and variables of a row that is tabulated.
const SMALL_TERMS: usize = 10;
pub(super) const SMALL_VARIABLES: usize = 5;

/// A row of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) body: &'a Body,
    pub(super) index: usize,
}

/// A row of few variables: what it says, apart from which variables it says it of.
///
/// Rows of equal shape are satisfied by the same values, so what is found out about one shape holds for thousands of rows.
#[derive(Debug, Default)]
pub(super) struct Small {
    /// The variables in the order in which they occur, without ONE.
    pub(super) variables: Vec<u32>,
    /// For each term of A, B and C the place of its variable among `variables` and its coefficient, with marks between.
    pub(super) shape: Vec<u32>,
}

/// Stands for ONE in a shape.
const ONE: u32 = u32::MAX;
/// Ends a matrix in a shape.
const END: u32 = u32::MAX - 1;

impl<'a> Row<'a> {
    /// The terms of A (0), B (1) or C (2) as (frame number, coefficient).
    pub(super) fn terms(self, matrix: usize) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone + 'a {
        self.body.matrices[matrix].row(self.index)
    }

    /// The variable that was allocated last; 0 where the row has constants only.
    pub(super) fn latest(self) -> u32 {
        let latest = |matrix| self.terms(matrix).map(|(number, _)| number).max().unwrap_or(0);
        latest(0).max(latest(1)).max(latest(2))
    }

    pub(super) fn contains(self, matrix: usize, number: u32) -> bool {
        self.terms(matrix).any(|(known, _)| known == number)
    }

    /// The value of A or B where it has no variables.
    pub(super) fn constant(self, matrix: usize, coefficients: &Coefficients) -> Option<Scalar> {
        let mut sum = Scalar::ZERO;
        for (number, coefficient) in self.terms(matrix) {
            if number != 0 {
                return None;
            }
            sum += coefficients[coefficient];
        }
        Some(sum)
    }

    /// Fills `small`, if the row is small enough.
    pub(super) fn read_small(self, small: &mut Small) -> bool {
        small.variables.clear();
        small.shape.clear();
        if (0..3).map(|matrix| self.terms(matrix).len()).sum::<usize>() > SMALL_TERMS {
            return false;
        }
        for matrix in 0..3 {
            for (number, coefficient) in self.terms(matrix) {
                let place = if number == 0 { ONE } else { small.place(number) };
                small.shape.extend([place, coefficient]);
            }
            small.shape.push(END);
        }
        small.variables.len() <= SMALL_VARIABLES
    }
}

impl Small {
    fn place(&mut self, number: u32) -> u32 {
        let known = self.variables.iter().position(|&known| known == number);
        known.unwrap_or_else(|| {
            self.variables.push(number);
            self.variables.len() - 1
        }) as u32
    }

    /// `A·B - C` where the variable at place `i` has the value `values(i)`.
    pub(super) fn residue(&self, coefficients: &Coefficients, values: impl Fn(usize) -> u64) -> Scalar {
        let [a, b, c] = self.sums(coefficients, values);
        a * b - c
    }

    /// A, B and C where the variable at place `i` has the value `values(i)`.
    pub(super) fn sums(&self, coefficients: &Coefficients, values: impl Fn(usize) -> u64) -> [Scalar; 3] {
        let mut sums = [Scalar::ZERO; 3];
        let (mut matrix, mut shape) = (0, self.shape.iter());
        while let Some(&place) = shape.next() {
            if place == END {
                matrix += 1;
                continue;
            }
            // A place is followed by its coefficient.
            let Some(&coefficient) = shape.next() else { break };
            let value = if place == ONE { 1 } else { values(place as usize) };
            for _ in 0..value {
                sums[matrix] += coefficients[coefficient];
            }
        }
        sums
    }
}
