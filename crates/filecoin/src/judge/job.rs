//! What the judge is asked and what it answers, as they travel between the two processes.

use filecoin_proofs_api::RegisteredSealProof;
use serde::{Deserialize, Serialize};

use crate::porep::Statement;
use crate::{CircuitId, PorepRequest, ProofKind, registered};

/// A proof to judge, with all that its verifier has to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeJob {
    registered_proof: RegisteredSealProof,
    comm_r: [u8; 32],
    comm_d: [u8; 32],
    replica_id: [u8; 32],
    seed: [u8; 32],
    ticket: [u8; 32],
    /// Who sealed it under which number, if known.
    sealed_by: Option<Sealer>,
    proof: Vec<u8>,
}

/// The miner that sealed a sector, and the sector's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealer {
    /// The miner's number.
    pub miner_id: u64,
    /// The sector's number.
    pub sector_number: u64,
}

impl JudgeJob {
    /// A PoRep proof for a request.
    ///
    /// With `sealed_by` the judge is the chain's own `verify_seal`, which makes the replica id from miner and sector;
    /// without, the proof is verified against the replica id that the request states.
    pub fn porep(request: &PorepRequest, sealed_by: Option<Sealer>, proof: Vec<u8>) -> Self {
        Self {
            registered_proof: request.registered_proof(),
            comm_r: *request.comm_r(),
            comm_d: *request.comm_d(),
            replica_id: *request.replica_id(),
            seed: *request.seed(),
            ticket: *request.ticket(),
            sealed_by,
            proof,
        }
    }

    /// The circuit whose verifying key is needed; none for a sector size that is not published.
    pub fn circuit_id(&self) -> Option<CircuitId> {
        let size = registered::seal_proof_size(self.registered_proof)?;
        Some(CircuitId::new(ProofKind::PorepSealCommit, size))
    }

    pub(super) fn statement(&self) -> Statement {
        Statement {
            registered_proof: self.registered_proof,
            comm_r: self.comm_r,
            comm_d: self.comm_d,
            replica_id: self.replica_id,
            seed: self.seed,
        }
    }

    pub(super) fn ticket(&self) -> [u8; 32] {
        self.ticket
    }

    pub(super) fn sealed_by(&self) -> Option<Sealer> {
        self.sealed_by
    }

    pub(super) fn proof(&self) -> &[u8] {
        &self.proof
    }
}

/// The verifier that judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verifier {
    /// The API crate's `verify_seal`, from miner and sector number.
    VerifySeal,
    /// The proof crates' `StackedCompound::verify`, from the replica id that the request states.
    PublicInputs,
}

/// The judge's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the proof is valid.
    pub valid: bool,
    /// Who says so.
    pub verifier: Verifier,
    /// Why it is not valid, where it is not.
    pub reason: Option<String>,
}

impl Verdict {
    pub(super) fn valid(verifier: Verifier) -> Self {
        Self { valid: true, verifier, reason: None }
    }

    pub(super) fn invalid(verifier: Verifier, reason: impl Into<String>) -> Self {
        Self { valid: false, verifier, reason: Some(reason.into()) }
    }
}
