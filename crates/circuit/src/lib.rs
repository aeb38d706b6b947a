//! Circuits: recording an R1CS from a blank circuit, holding a witness packed, evaluating rows.
//!
//! Owns the rank-1 constraint system in a compact sparse form ([`R1cs`]), the packed assignment of one partition
//! ([`Witness`]) with the [`Layout`] that says which variables are bits, and the evaluation of the rows of A, B and C on
//! it. It does not know Filecoin: circuits arrive as closures that synthesise into a `bellperson::ConstraintSystem`.
//! Nor does it know of curves or proofs.

#![forbid(unsafe_code)]

mod bitset;
mod circuit;
mod density;
mod error;
mod evaluate;
mod fill;
mod layout;
mod matrix;
mod path;
mod r1cs;
mod recorder;
mod witness;

pub use bitset::Bitset;
pub use circuit::{CIRCUIT, Circuit, RESIDENT};
pub use density::Densities;
pub use error::{CircuitError, Unsatisfied};
pub use fill::Filler;
pub use layout::Layout;
pub use matrix::Matrix;
pub use path::{PathFinder, constraint_path};
pub use r1cs::{Digest, R1cs};
pub use recorder::Recorder;
pub use witness::{SOLVING, Value, WITNESS, Witness};
