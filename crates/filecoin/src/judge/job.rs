//! What the judge is asked and what it answers, as they travel between the two processes.

use serde::{Deserialize, Serialize};

use crate::kinds::{with_kind, with_kind_type};
use crate::work::Work;
use crate::{CircuitId, ProofKind, Request};

/// A proof to judge, with all that its verifier has to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeJob {
    /// The circuit whose verifying key is needed, as its id.
    circuit: String,
    /// What the request claims, in the form that its kind gives it.
    claim: serde_json::Value,
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
    /// A proof for a request.
    ///
    /// `sealed_by` matters to PoRep: with it the judge is the chain's own `verify_seal`, which makes the replica id from
    /// miner and sector; without, the proof is verified against the replica id that the request states. The chain's
    /// verifier takes only the aggregate of non-interactive PoRep, so there the circuit proofs are verified in the latter
    /// way, and with `sealed_by` the replica id is checked before.
    ///
    /// # Errors
    /// Where the claim cannot be written as JSON.
    pub fn new(request: &Request, sealed_by: Option<Sealer>, proof: Vec<u8>) -> serde_json::Result<Self> {
        let claim = with_kind!(request.kinds(), work => serde_json::to_value(work.claim(sealed_by)))?;
        Ok(Self { circuit: request.circuit_id().to_string(), claim, proof })
    }

    /// The circuit whose verifying key is needed; none if the job names none that there is.
    pub fn circuit_id(&self) -> Option<CircuitId> {
        self.circuit.parse().ok()
    }

    /// Judges the proof. An error says that no judgement was possible, not that the proof is wrong.
    pub(super) fn judge(&self) -> Result<Verdict, String> {
        let circuit = self.circuit_id().ok_or_else(|| format!("there is no circuit {:?}", self.circuit))?;
        judge_kind(circuit.kind, &self.claim, &self.proof)
    }
}

fn judge_kind(kind: ProofKind, claim: &serde_json::Value, proof: &[u8]) -> Result<Verdict, String> {
    with_kind_type!(kind, Kind, _wrap => {
        let claim = <Kind as Work>::Claim::deserialize(claim);
        Kind::judge(&claim.map_err(|error| format!("the claim cannot be read: {error}"))?, proof)
    })
}

/// The verifier that judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verifier {
    /// The API crate's `verify_seal`, from miner and sector number.
    VerifySeal,
    /// The API crate's `verify_empty_sector_update_proof`.
    VerifyEmptySectorUpdate,
    /// The API crate's `verify_window_post`.
    VerifyWindowPost,
    /// The API crate's `verify_winning_post`.
    VerifyWinningPost,
    /// The proof crates' verifier below the API, with the request's own public inputs: where the request does not hold
    /// what the API crate asks for.
    PublicInputs,
}

impl std::fmt::Display for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::VerifySeal => "verify_seal",
            Self::VerifyEmptySectorUpdate => "verify_empty_sector_update_proof",
            Self::VerifyWindowPost => "verify_window_post",
            Self::VerifyWinningPost => "verify_winning_post",
            Self::PublicInputs => "the proof crates' verifier, with the request's own public inputs",
        })
    }
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
    /// What a verifier's yes or no amounts to.
    pub(crate) fn of(verifier: Verifier, valid: bool) -> Self {
        let reason = "the pairing equation does not hold for this statement and proof";
        if valid { Self { valid, verifier, reason: None } } else { Self::invalid(verifier, reason) }
    }

    /// No, with a reason.
    pub(crate) fn invalid(verifier: Verifier, reason: impl Into<String>) -> Self {
        Self { valid: false, verifier, reason: Some(reason.into()) }
    }
}
