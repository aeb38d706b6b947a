//! What a prover on any hardware looks like to the pipeline.

use std::{fmt::Debug, sync::Arc};

use blstrs::Scalar;
use cuzk_circuit::{CircuitError, Solved};
use cuzk_memory::{Class, Stage};

use crate::{Proof, ProvingKey};

/// Values of A·w and B·w over the domain.
pub static EVALUATIONS: Class = Class::new("evaluations");
/// The quotient polynomial, and what its computation needs besides the evaluations.
pub static QUOTIENT: Class = Class::new("quotient");
/// Work memory of multi-scalar multiplications, and scalars sorted for them.
pub static MSM_SCRATCH: Class = Class::new("msm-scratch");
/// A partition that a backend works on.
pub static PROVING: Stage = Stage::new("proving");

/// Turns witnesses into proofs.
///
/// The work is split so that a device is never idle for a tail that does not need it: [`start`](Self::start) returns as
/// soon as the backend is free for the next partition.
pub trait Backend: Send + Sync + Debug {
    /// What an operator calls it, such as `cpu`.
    fn name(&self) -> &str;

    /// Does everything that keeps the backend busy. The partition is consumed: what is large dies here.
    ///
    /// `r` and `s` blind the proof. They come from the system's generator and are used once; equal values make equal
    /// proofs, which only tests want.
    ///
    /// # Errors
    /// When the witness is not one of the key's circuit, or the backend fails.
    fn start(
        &self,
        key: &Arc<ProvingKey>,
        solved: Solved,
        r: Scalar,
        s: Scalar,
    ) -> Result<Box<dyn Pending>, ProveError>;
}

/// A proof that needs only its tail. Dropping it is legal and frees everything.
pub trait Pending: Send {
    /// Computes the tail, on any thread.
    ///
    /// # Errors
    /// When the backend fails.
    fn finish(self: Box<Self>) -> Result<Proof, ProveError>;
}

/// A proof could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// The witness belongs to another circuit than the key.
    #[error("the witness has {found} {what}, the key's circuit has {expected}")]
    WrongWitness {
        /// What differs.
        what: &'static str,
        /// The count of the key's circuit.
        expected: usize,
        /// The count of the witness.
        found: usize,
    },
    /// The witness could not be solved again.
    #[error("the witness cannot be solved: {0}")]
    Witness(#[from] CircuitError),
    /// The threads of a backend could not be started.
    #[error("backend {backend}: cannot start its threads: {message}")]
    Threads {
        /// The backend.
        backend: String,
        /// The system's answer.
        message: String,
    },
}
