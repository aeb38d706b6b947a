//! The chain's own verification of a SnapDeals update.

use filecoin_proofs_api::update::verify_empty_sector_update_proof;

use super::inputs::Statement;
use crate::guard::guarded;
use crate::judge::{Verdict, Verifier, malformed};

/// Judges a proof.
pub(super) fn judge(claim: &Statement, proof: &[u8]) -> Result<Verdict, String> {
    let verifier = Verifier::VerifyEmptySectorUpdate;
    // Not the API crate's `RegisteredUpdateProof::partitions`, which counts those of a PoRep.
    if let Some(reason) = malformed(proof, claim.params().partition_count) {
        return Ok(Verdict::invalid(verifier, reason));
    }
    let valid = guarded(|| {
        verify_empty_sector_update_proof(
            claim.registered_proof,
            proof,
            claim.comm_r_old,
            claim.comm_r_new,
            claim.comm_d_new,
        )
    })?;
    Ok(Verdict::of(verifier, valid))
}
