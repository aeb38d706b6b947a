//! What can go wrong with a circuit or its witness.

use bellperson::SynthesisError;

use crate::Refusal;

/// A circuit could not be recorded, or a witness not be filled.
#[derive(Debug, thiserror::Error)]
pub enum CircuitError {
    /// The circuit's own synthesis failed.
    #[error("the circuit could not be synthesised: {0}")]
    Synthesis(#[from] SynthesisError),
    /// The circuit is larger than 32-bit columns and offsets can address.
    #[error("the circuit has {found} {what}, more than the {limit} that a recorded circuit can hold")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        found: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A witness was filled from a circuit of another shape than the recorded one.
    #[error("the witness has {found} {what}, the recorded circuit has {expected}")]
    WrongShape {
        /// What differs.
        what: &'static str,
        /// The count of the recorded circuit.
        expected: usize,
        /// The count of the witness.
        found: usize,
    },
    /// The compiler has no rule for a row.
    #[error("constraint {row} of the circuit{} cannot be compiled: {refusal}", in_brackets(.path))]
    Refused {
        /// Its row, counted from 0 in the order of `enforce`.
        row: usize,
        /// Its path, where somebody has found it: see [`CircuitError::with_path`].
        path: Option<String>,
        /// What is wrong with it.
        refusal: Refusal,
    },
    /// Advice is not what the circuit takes.
    #[error("value {index} of the advice is {found}, the circuit takes {expected} there")]
    Advice {
        /// Number of the value, counted from 0.
        index: usize,
        /// What the circuit takes.
        expected: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// A variable that the rows force to be 0 or 1 got another value.
    #[error("auxiliary variable {aux} is neither 0 nor 1, as the circuit demands")]
    NotABit {
        /// Its number.
        aux: usize,
    },
    /// The assignment breaks a constraint, and which one is known.
    #[error(transparent)]
    Constraint(#[from] Unsatisfied),
    /// The assignment breaks a constraint.
    #[error("the assignment does not satisfy the circuit")]
    Unsatisfied,
}

impl CircuitError {
    /// Adds the path of a constraint that was refused, which takes a synthesis of the circuit to find.
    #[must_use]
    pub fn with_path(self, find: impl FnOnce(usize) -> Option<String>) -> Self {
        match self {
            Self::Refused { row, path: None, refusal } => Self::Refused { row, path: find(row), refusal },
            other => other,
        }
    }
}

fn in_brackets(path: &Option<String>) -> String {
    path.as_ref().map_or_else(String::new, |path| format!(" ({path})"))
}

/// The first constraint that an assignment does not satisfy. [`constraint_path`](crate::constraint_path) names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("constraint {row} is not satisfied")]
pub struct Unsatisfied {
    /// Its row, counted from 0 in the order of `enforce`.
    pub row: usize,
}
