//! Why no request could be made.

use filecoin_proofs_api::RegisteredSealProof;
use std::fmt::{Debug, Display};

/// Why a synthetic or a sealed sector could not be made.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The proof type is not interactive PoRep.
    #[error(
        "cannot make a synthetic sector for {registered_proof:?}: its challenges depend on comm_r, which here is known \
         only once the challenges are; seal a small sector for real, or choose interactive PoRep"
    )]
    NotInteractive {
        /// The type that was asked for.
        registered_proof: RegisteredSealProof,
    },
    /// The sector is too large to be sealed in passing.
    #[error(
        "cannot seal a sector of {sector_bytes} bytes for {registered_proof:?}: sealing for real is offered up to \
         {limit_bytes} bytes of it; choose a smaller one, or an interactive sector without sealing"
    )]
    TooLarge {
        /// The type that was asked for.
        registered_proof: RegisteredSealProof,
        /// Its sector size.
        sector_bytes: u64,
        /// The largest size offered.
        limit_bytes: u64,
    },
    /// Sectors that cannot be one request.
    #[error("cannot make a {proof_type} request of {found} sectors: give 1 to {limit}, each once")]
    Sectors {
        /// The type that was asked for.
        proof_type: String,
        /// How many were named.
        found: usize,
        /// How many one partition has.
        limit: usize,
    },
    /// The proof crates failed.
    #[error("the proof crates failed to {step} for {proof_type}: {reason}")]
    Crates {
        /// What they were asked to do.
        step: &'static str,
        /// For which proof type: a seal proof, or the circuit of another kind.
        proof_type: String,
        /// Their own words.
        reason: String,
    },
    /// The proof crates' vanilla verifier does not accept what was made: a fault in this crate.
    #[error(
        "the vanilla proof of a synthetic sector for {proof_type} does not verify; this is a bug, please report it"
    )]
    Rejected {
        /// For which proof type: a seal proof, or the circuit of another kind.
        proof_type: String,
    },
    /// A file of the sector that is being sealed could not be written or read.
    #[error("cannot {action} in {directory} while sealing: {source}; check its space and permissions")]
    WorkFile {
        /// What was being done.
        action: &'static str,
        /// In which directory.
        directory: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The output could not be turned into JSON.
    #[error("cannot write the commit output as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The sealing process did not deliver.
    #[error("the sealing process {program}: {source}")]
    Child {
        /// The program that was started.
        program: String,
        /// What went wrong.
        source: crate::ChildFault,
    },
}

impl GenerateError {
    /// An error of the proof crates, with all its causes, while they were to `step`.
    pub(crate) fn crates<E: Display>(step: &'static str, proof_type: impl Display) -> impl FnOnce(E) -> Self {
        move |error| Self::Crates { step, proof_type: proof_type.to_string(), reason: format!("{error:#}") }
    }
}
