//! What can go wrong with a circuit or its witness.

use bellperson::SynthesisError;

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
    /// The assignment breaks a constraint.
    #[error(transparent)]
    Unsatisfied(#[from] Unsatisfied),
}

/// The first constraint that an assignment does not satisfy. [`constraint_path`](crate::constraint_path) names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("constraint {row} is not satisfied")]
pub struct Unsatisfied {
    /// Its row, counted from 0 in the order of `enforce`.
    pub row: usize,
}
