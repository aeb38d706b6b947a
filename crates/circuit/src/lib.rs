//! Circuits: recording, compiling and solving them, and evaluating their rows.
//!
//! Owns what a circuit is to the pipeline: a [`Circuit`] compiled from a blank one into programs that compute a packed
//! [`Witness`] from [`Advice`] and the rows of A and B from a witness. Also the plain sparse form of small circuits
//! ([`R1cs`]), which generators of development keys need and tests hold the programs against. It does not know Filecoin:
//! circuits arrive as closures that synthesise into a `bellperson::ConstraintSystem`. Nor does it know of curves or proofs.

#![forbid(unsafe_code)]

mod advice;
mod bitset;
mod circuit;
mod coefficients;
mod compare;
mod compile;
mod counts;
mod density;
mod error;
mod evaluate;
mod file;
mod fill;
mod layout;
mod limbs;
mod matrix;
mod path;
mod program;
mod r1cs;
mod recorder;
mod solve;
mod solved;
mod stored;
mod trace;
mod validate;
mod witness;

pub use advice::{Advice, AdviceWriter};
pub use bitset::Bitset;
pub use circuit::{CIRCUIT, Circuit, Options, RESIDENT};
pub use compare::{Compared, Comparison};
pub use compile::{Refusal, Rules};
pub use counts::Counts;
pub use density::Densities;
pub use error::{CircuitError, Unsatisfied};
pub use evaluate::{EVALUATING, PartRows};
pub use file::{FileError, Header, Identity, LOADING};
pub use fill::Filler;
pub use layout::Layout;
pub use matrix::Matrix;
pub use path::{PathFinder, constraint_path, find_unsatisfied};
pub use r1cs::{Digest, R1cs};
pub use recorder::Recorder;
pub use solve::SOLVER_SCRATCH;
pub use solved::Solved;
pub use trace::Tracer;
pub use witness::{SOLVING, Value, WITNESS, Witness};
