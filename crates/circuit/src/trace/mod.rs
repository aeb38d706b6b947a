//! Recording a blank circuit with its repetitions.
//!
//! A circuit of a hundred million rows is mostly one part of it many times over. The [`Tracer`] finds the repetitions while
//! the circuit is synthesised: it keeps the first instance of a part and holds every later one against it, row by row and
//! coefficient by coefficient. What it keeps is the whole circuit, in the memory of its different parts; and since no row
//! goes unseen, no separate proof is needed that the parts make up the circuit.

mod body;
mod matching;
mod tracer;

pub(crate) use body::Body;
pub use tracer::Tracer;

use crate::{CircuitError, coefficients::Coefficients};

/// Most variables, rows, and terms of one matrix in one body, that a recorded circuit can have.
pub(crate) const LIMIT: usize = 1 << 31;

/// A recorded circuit: bodies, each of which stands in the circuit once or more.
///
/// The variables of the circuit, inputs included, are numbered in the order of their allocation; variable 0 is the constant
/// ONE. Rows are in the order of `enforce`.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) bodies: Vec<Body>,
    /// In the order of the circuit, each beginning at the variable and row where the one before ends.
    pub(crate) calls: Vec<Call>,
    pub(crate) coefficients: Coefficients,
    /// Number of variables, ONE included.
    pub(crate) variables: usize,
    /// Number of inputs, ONE included.
    pub(crate) inputs: usize,
    pub(crate) rows: usize,
}

impl Trace {
    /// Makes `instances` of a circuit that consists of fewer, which must be equal parts that do not refer to each other, and
    /// two at least.
    pub(crate) fn repeat_last(&mut self, instances: usize) -> Result<(), CircuitError> {
        let seen = match self.calls.last() {
            Some(last) => self.calls.iter().rev().take_while(|call| call.body == last.body).count(),
            None => 0,
        };
        let are_all = seen == self.calls.len() && (2..=instances).contains(&seen);
        let last = self.calls.last().filter(|last| last.externals.is_empty() && are_all);
        let Some(last) = last.cloned() else {
            let what = "equal and independent parts, and nothing else";
            return Err(CircuitError::WrongShape { what, expected: instances, found: seen });
        };
        let body = &self.bodies[last.body];
        let (rows, locals, inputs) = (body.rows(), body.locals as usize, body.inputs.len());
        let more = instances - seen;
        let (variables, rows_after) = (self.variables + more * locals, self.rows + more * rows);
        for (what, found) in [("variables", variables), ("rows", rows_after)] {
            if found > LIMIT {
                return Err(CircuitError::TooLarge { what, found, limit: LIMIT });
            }
        }
        for instance in 1..=more {
            let first_variable = last.first_variable + (instance * locals) as u32;
            let first_row = last.first_row + (instance * rows) as u32;
            self.calls.push(Call { first_variable, first_row, ..last.clone() });
        }
        self.variables = variables;
        self.rows = rows_after;
        self.inputs += more * inputs;
        Ok(())
    }
}

/// One place of a body in the circuit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// Index of the body.
    pub(crate) body: usize,
    /// The first variable that is allocated here.
    pub(crate) first_variable: u32,
    /// The first row that is enforced here.
    pub(crate) first_row: u32,
    /// The earlier variables that the body's rows refer to, in the body's order.
    pub(crate) externals: Vec<u32>,
}
